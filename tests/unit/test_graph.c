/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text of function_graph: its columns, whose line it is, where a trace begins and ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace.h"

#include "analyze/digest.h"
#include "read/graph_prologue.h"

static struct err err;

/* What each event of the first capture is: "kind what depth task ns", a line each. */
static char *events_of(const char *text, struct digest *digest)
{
	struct capture *c;
	struct source *s;
	struct reader *r = trace_first(text, &c, &s);
	struct analyze_digest d;
	struct strbuf out = { 0 };
	struct event e;
	assert_string_equal(c->trace.format, "graph");
	analyze_digest_init(&d);
	d.sink.ops->begin(&d.sink, c, &err);
	while (s->next(s, &e, &err) > 0) {
		static const char *const kinds[] = {
			[EVENT_GRAPH_ENTRY] = "{",  [EVENT_GRAPH_EXIT] = "}",
			[EVENT_GRAPH_LEAF] = ";",   [EVENT_GRAPH_COMMENT] = "#",
			[EVENT_GRAPH_SWITCH] = ">", [EVENT_LOST] = "lost",
		};
		struct task t = names_task_of(c->names, e.task);
		strbuf_printf(&out, "%s %.*s %d", kinds[event_kind(&e)],
			      STR_ARG(names_str(c->names, e.what)), e.depth);
		if (e.task)
			strbuf_printf(&out, " %.*s-%d", STR_ARG(names_str(c->names, t.comm)),
				      t.pid);
		if (event_is_graph(&e) && s->payload.graph.duration != NO_DURATION)
			strbuf_printf(&out, " %lldns", (long long)s->payload.graph.duration);
		if (!(e.kind & EVENT_NO_TIME))
			strbuf_printf(&out, " @%lld", (long long)e.time);
		strbuf_str(&out, "\n");
		d.sink.ops->event(&d.sink, &e, &s->payload);
	}
	if (digest)
		*digest = d.digest;
	analyze_digest_fini(&d);
	reader_close(r);
	return out.p;
}

static void check(const char *text, const char *want)
{
	char *got = events_of(text, NULL);
	assert_string_equal(got ? got : "", want);
	free(got);
}

static void test_prologue(void **state)
{
	(void)state;
	static const struct {
		const char *line, *rest;
		bool have_time, relative, have_cpu, have_flags;
		int64_t time;
		int cpu;
		const char *task;
	} cases[] = {
		{ " 0)   0.541 us    |  f();", "   0.541 us    |  f();", false, false, true, false,
		  0, 0, "" },
		{ "  360.774522 |   1)   0.541 us    |  f();", "   0.541 us    |  f();", true,
		  false, true, false, 360774522000, 1, "" },
		{ "  4285 us |   0)   <idle>-0    |  d.h2 | + 11.006 us   |  }",
		  " + 11.006 us   |  }", true, true, true, true, 4285000, 0, "<idle>-0" },
		{ " 12)  a b-c-7    |   0.541 us    |  f();", "   0.541 us    |  f();", false,
		  false, true, false, 0, 12, "a b-c-7" },
		/* A duration of seven digits is no time since the beginning. */
		{ "  3594274 us  |  }", "  3594274 us  |  }", false, false, false, false, 0, 0,
		  "" },
		{ "  f() {", "  f() {", false, false, false, false, 0, 0, "" },
	};
	for (size_t i = 0; i < N_OF(cases); i++) {
		struct str s = str_of(cases[i].line);
		struct graph_prologue p;
		graph_prologue_cut(&s, &p);
		assert_text(s, cases[i].rest);
		assert_int_equal(p.have_time, cases[i].have_time);
		assert_int_equal(p.relative, cases[i].relative);
		assert_int_equal(p.have_cpu, cases[i].have_cpu);
		assert_int_equal(p.have_flags, cases[i].have_flags);
		assert_int_equal(p.time, cases[i].time);
		assert_int_equal(p.cpu, cases[i].cpu);
		assert_text(p.task, cases[i].task);
	}
}

static void test_columns(void **state)
{
	(void)state;
	check("# tracer: function_graph\n#\n"
	      "# CPU  DURATION                  FUNCTION CALLS\n"
	      "# |     |   |                     |   |   |   |\n"
	      " 0)               |  a() {\n"
	      " 0)   0.541 us    |    b();\n"
	      " 0)               |    /* note */\n"
	      " 0)   ==========> |\n"
	      " 0) # 1889.063 us |  }\n",
	      "{ a 0\n; b 1 541ns\n#  1\n} a 0 1889063ns\n");
	/* abstime, proc, latency-format's flags */
	check("# tracer: function_graph\n"
	      "  100.000001 |   1)    sh-4802    |  d..1 |               |  a() {\n"
	      "  100.000002 |   1)    sh-4802    |  d..1 |   0.541 us    |  } /* a = -22 */\n",
	      "{ a 0 sh-4802 @100000001000\n} a 0 sh-4802 541ns @100000002000\n");
	/* noduration: one blank less before the call */
	check(" 1) a() {\n 1)   b() {\n 1)     c();\n 1)   }\n 1) }\n",
	      "{ a 0\n{ b 1\n; c 2\n} b 1\n} a 0\n");
	/* nofuncgraph-cpu, with and without durations */
	check("# tracer: function_graph\n"
	      "               |  a() {\n"
	      "   0.541 us    |    b();\n"
	      " $ 3594274 us  |  }\n",
	      "{ a 0\n; b 1 541ns\n} a 0 3594274000ns\n");
	/* tracing_thresh: closings alone */
	check("# tracer: function_graph\n"
	      " 0) ! 457.395 us  |    } /* b */\n"
	      " 0) @ 119760.2 us |  } /* a */\n",
	      "} b 1 457395ns\n} a 0 119760200ns\n");
}

/* The block says who goes and who comes; the calls that are open wait for their task. */
static void test_switch(void **state)
{
	(void)state;
	struct digest d;
	char *got = events_of(" 0)               |  a() {\n"
			      " ------------------------------------------\n"
			      " 0)     sh-100    =>    <idle>-0   \n"
			      " ------------------------------------------\n"
			      "\n"
			      " 0)               |  tick() {\n"
			      " 0)   0.052 us    |  }\n"
			      " ------------------------------------------\n"
			      " 0)   <idle>-0    =>     sh-100\n"
			      " ------------------------------------------\n"
			      "\n"
			      " 0) * 12345.67 us |  }\n",
			      &d);
	assert_string_equal(got, "{ a 0\n"
				 ">  0 sh-100\n"
				 "{ tick 0 <idle>-0\n"
				 "} tick 0 <idle>-0 52ns\n"
				 ">  0 <idle>-0\n"
				 "} a 0 sh-100 12345670ns\n");
	free(got);
	assert_int_equal(d.events, 4); /* a switch is no entry */
	assert_int_equal(d.duration, 12345670);
}

/* A task that wakes up on another CPU takes its open calls along. */
static void test_migration(void **state)
{
	(void)state;
	check(" 0)               |  a() {\n"
	      " 0)  sh-100  =>  x-7\n"
	      " 1)  y-8  =>  sh-100\n"
	      " 1)   5.000 us    |  }\n",
	      "{ a 0\n>  0 sh-100\n>  0 y-8\n} a 0 sh-100 5000ns\n");
}

/* Lines may be broken, lost and cut out. */
static void test_carried(void **state)
{
	(void)state;
	check("> 0)               |  a(x=0x1,\n"
	      "> y=0x2) {\n"
	      "> 0)   0.541 us    |\n"
	      "> b();\n"
	      "CPU:0 [LOST 12 EVENTS]\n"
	      "> 0)   1.000 us    |  }\n",
	      "{ a 0\n; b 1 541ns\nlost  0\n} a 0 1000ns\n");
	/* Comments go on to their end, or to the next line. */
	check(" 0)               |  a() {\n"
	      " 0)               |    /* one\n"
	      "\n"
	      "three */\n"
	      " 0)               |    /* no end\n"
	      " 0)   1.000 us    |  }\n",
	      "{ a 0\n#  1\n#  1\n} a 0 1000ns\n");
	/* A ring that has wrapped begins with what it lost. */
	check("# tracer: function_graph\nCPU:0 [LOST 12 EVENTS]\n 0)   0.541 us    |  b();\n",
	      "lost  0\n; b 0 541ns\n");
}

/* The text of an event is its own or none, never a slice of the line before, which is gone. */
static void test_text(void **state)
{
	(void)state;
	struct capture *c;
	struct source *s;
	struct event e;
	struct reader *r = trace_first(" 0)               |  a(x=0x1) {\n"
				       "CPU:0 [LOST 12 EVENTS]\n"
				       " 0)   1.000 us    |  b(y=0x2);\n"
				       " ------------------------------------------\n"
				       " 0)    sh-100     =>      y-8\n"
				       " ------------------------------------------\n",
				       &c, &s);
	struct payload *p = &s->payload;
	assert_int_equal(s->next(s, &e, &err), 1);
	assert_text(p->arguments, "x=0x1");
	assert_int_equal(s->next(s, &e, &err), 1);
	assert_int_equal(event_kind(&e), EVENT_LOST);
	assert_int_equal(p->text.n + p->arguments.n, 0);
	assert_int_equal(s->next(s, &e, &err), 1);
	assert_text(p->arguments, "y=0x2");
	assert_int_equal(s->next(s, &e, &err), 1);
	assert_int_equal(event_kind(&e), EVENT_GRAPH_SWITCH);
	assert_int_equal(p->arguments.n, 0);
	reader_close(r);
}

static size_t count_captures(const char *text, uint64_t *damaged)
{
	struct reader *r = trace_open(str_of(text));
	struct capture *c;
	struct source *s;
	struct event e;
	size_t n = 0;
	*damaged = 0;
	while (reader_next(r, &c, &s, &err) > 0) {
		n++;
		while (s && s->next(s, &e, &err) > 0)
			;
		*damaged += c->damaged;
	}
	reader_close(r);
	return n;
}

static void test_ends(void **state)
{
	(void)state;
	uint64_t damaged;
	/* A paragraph ends a trace, a hole and a line of rubbish do not. */
	assert_int_equal(count_captures(" 0)               |  a() {\n 0)   1.000 us    |  }\n\n"
					"And then:\n\n 0)   1.000 us    |  b();\n",
					&damaged),
			 2);
	assert_int_equal(damaged, 0);
	assert_int_equal(count_captures(" 0)               |  a() {\n[...]\n\n"
					" 0)   1.000 us    |  }\n",
					&damaged),
			 1);
	assert_int_equal(
		count_captures(" 0)               |  a() {\nwhat\n 0)   1.000 us    |  }\n",
			       &damaged),
		1);
	assert_int_equal(damaged, 1);
	assert_int_equal(count_captures("# tracer: function_graph\n 0)   1.000 us    |  a();\n"
					"# tracer: function_graph\n 0)   1.000 us    |  b();\n",
					&damaged),
			 2);
	/* Numbered prose and code are no graph. */
	assert_int_equal(count_captures("1) do this first\n2) call f();\n3) }\n", &damaged), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_prologue), cmocka_unit_test(test_columns),
		cmocka_unit_test(test_switch),   cmocka_unit_test(test_migration),
		cmocka_unit_test(test_carried),  cmocka_unit_test(test_text),
		cmocka_unit_test(test_ends),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
