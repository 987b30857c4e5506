/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of display-graph, and the calls of function_graph in them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace.h"

#include "roundtrip.h"

#include "analyze/calltree.h"
#include "analyze/timeline.h"
#include "read/latency_shapes.h"
#include "render/graph_call.h"

static struct names names;
static struct entry_reader reader;
static struct event e;
static struct payload p;

static int setup(void **state)
{
	(void)state;
	names_init(&names);
	reader = (struct entry_reader){ .names = &names, .of_latency = true };
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	names_fini(&names);
	return 0;
}

struct call_case {
	const char *text;
	enum event_kind kind;
	unsigned depth;
	const char *what;
	int64_t ns; /* NO_DURATION */
	const char *arguments, *comment;
	const char *printed; /* as we write it; NULL: as it was */
};

static void test_calls(void **state)
{
	(void)state;
	static const struct call_case cases[] = {
		{ "  0.378 us    |    f();", EVENT_GRAPH_LEAF, 1, "f", 378, "", "", NULL },
		{ "              |  f() {", EVENT_GRAPH_ENTRY, 0, "f", NO_DURATION, "", "", NULL },
		{ "  1.107 us    |      }", EVENT_GRAPH_EXIT, 2, "", 1107, "", "", NULL },
		{ "+ 11.006 us   |      } /* f */", EVENT_GRAPH_EXIT, 2, "f", 11006, "", "", NULL },
		{ "! 119.760 us  |  f();", EVENT_GRAPH_LEAF, 0, "f", 119760, "", "", NULL },
		{ "@ 119760.2 us |  f();", EVENT_GRAPH_LEAF, 0, "f", 119760200, "", "", NULL },
		{ "$ 3594274 us  |  }", EVENT_GRAPH_EXIT, 0, "", 3594274000, "", "", NULL },
		{ "$ 35942741 us |  }", EVENT_GRAPH_EXIT, 0, "", 35942741000, "", "", NULL },
		{ "  3594274 us |  }", EVENT_GRAPH_EXIT, 0, "", 3594274000, "", "",
		  "$ 3594274 us  |  }" },
		{ "  0.077 us    |  f(rq=0x1, g=(x)); /* <-s+0x1/0x2 ret=0x0 */", EVENT_GRAPH_LEAF,
		  0, "f", 77, "rq=0x1, g=(x)", "<-s+0x1/0x2 ret=0x0", NULL },
		{ "              |  f(a=1) { /* <-s+0x1/0x2 */", EVENT_GRAPH_ENTRY, 0, "f",
		  NO_DURATION, "a=1", "<-s+0x1/0x2", NULL },
		{ "  0.225 us    |  } /* f ret=0x1 */", EVENT_GRAPH_EXIT, 0, "f", 225, "",
		  "ret=0x1", NULL },
		{ "  0.225 us    |  } /* f = -22 */", EVENT_GRAPH_EXIT, 0, "f", 225, "", "= -22",
		  NULL },
		{ "  0.225 us    |  } /* ret=0x1 */", EVENT_GRAPH_EXIT, 0, "", 225, "", "ret=0x1",
		  NULL },
		{ "  0.225 us    |  } /* = 0x0 */", EVENT_GRAPH_EXIT, 0, "", 225, "", "= 0x0",
		  NULL },
		{ "              |  /* sched_switch: prev_comm=a | b */", EVENT_GRAPH_COMMENT, 0,
		  "sched_switch", NO_DURATION, "", "", NULL },
		{ "              |    /* Module unloading */", EVENT_GRAPH_COMMENT, 1, "",
		  NO_DURATION, "", "", NULL },
		{ "  0.378 us    |  f [nf_tables]();", EVENT_GRAPH_LEAF, 0, "f", 378, "", "",
		  "  0.378 us    |  f();" },
		/* noduration: no column */
		{ "  f() {", EVENT_GRAPH_ENTRY, 0, "f", NO_DURATION, "", "",
		  "              |  f() {" },
		{ "    f(); /* a | b */", EVENT_GRAPH_LEAF, 1, "f", NO_DURATION, "", "a | b",
		  "              |    f(); /* a | b */" },
	};
	for (size_t i = 0; i < N_OF(cases); i++) {
		const struct call_case *k = &cases[i];
		struct strbuf cleanup_strbuf b = { 0 };
		if (graph_call_parse(&names, str_of(k->text), &e, &p) != GRAPH_OK)
			fail_msg("'%s' is no call", k->text);
		assert_int_equal(event_kind(&e), k->kind);
		assert_int_equal(e.depth, k->depth);
		assert_text(names_str(&names, e.what), k->what);
		assert_true(p.graph.duration == k->ns);
		assert_text(p.arguments, k->arguments);
		assert_text(p.graph.comment, k->comment);
		render_graph_call(&b, &names, &e, &p);
		assert_text(strbuf_get(&b), k->printed ? k->printed : k->text);
	}
}

static void test_no_calls(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		enum graph_result want;
	} cases[] = {
		{ "   ==========> |", GRAPH_MARKER },
		{ "   <========== |", GRAPH_MARKER },
		{ "  0.378 us    |", GRAPH_OPEN },
		{ "  0.378 us    |    f(a=1,", GRAPH_OPEN },
		{ "  0.378 us    |    f()", GRAPH_OPEN },
		{ "  0.378 us    |    f", GRAPH_OPEN },
		{ "  0.378 us    |    } /* f", GRAPH_OPEN },
		{ "  0.378 us    |    /* f", GRAPH_OPEN },
		{ "  0.378 us    |    ();", GRAPH_DAMAGED },
		{ "  0.378 us    |    f() x", GRAPH_DAMAGED },
		{ "", GRAPH_OPEN },
	};
	for (size_t i = 0; i < N_OF(cases); i++) {
		enum graph_result got = graph_call_parse(&names, str_of(cases[i].text), &e, &p);
		if (got != cases[i].want)
			fail_msg("'%s' gives %d, not %d", cases[i].text, got, cases[i].want);
	}
	/* A duration that does not fit is none. */
	graph_call_parse(&names, str_of("99999999999999999999 us | f();"), &e, &p);
	assert_true(p.graph.duration == NO_DURATION);
	char deep[2100];
	memset(deep, ' ', sizeof(deep));
	strcpy(deep + 2000, "f();");
	assert_int_equal(graph_call_parse(&names, str_of(deep), &e, &p), GRAPH_OK);
	assert_int_equal(e.depth, 255);
}

struct line_case {
	const char *line;
	int64_t ns;
	int cpu;
	const char *comm;
	int pid;
	const char *flags;
};

static void test_prologue(void **state)
{
	(void)state;
	static const struct line_case cases[] = {
		{ "        0 us |   0)   bash-1507    |  d..1 |   0.378 us    |    f();", 0, 0,
		  "bash", 1507, "d..1" },
		{ "     3750 us |  11) kworker-7 | .n..1.. |               |  f() {", 3750000, 11,
		  "kworker", 7, ".n..1.." },
		{ "1 us | 0) a-b-12 | 0.378 us | f();", 1000, 0, "a-b", 12, "" },
		{ "1 us | 0)  0.378 us | f();", 1000, 0, "", -1, "" },
		{ "360.774522 |   1)   0.541 us    |  f();", 360774522000, 1, "", -1, "" },
		{ "1 us|0) <idle>-0 | d... | | f();", 1000, 0, "<idle>", 0, "d..." },
	};
	for (size_t i = 0; i < N_OF(cases); i++) {
		const struct line_case *k = &cases[i];
		struct str line = str_of(k->line);
		char printed[8];
		if (latency_graph_parse(&reader, line, &e, &p) != ENTRY_OK)
			fail_msg("'%s' is no line of a graph", k->line);
		assert_true(latency_graph_begins(line, true));
		struct task t = names_task_of(&names, e.task);
		event_flags_print(e.flags, printed);
		assert_true(e.time == k->ns);
		assert_int_equal(e.cpu, k->cpu);
		assert_text(names_str(&names, t.comm), k->comm);
		assert_int_equal(t.pid, k->pid);
		assert_string_equal(printed, k->flags);
		assert_text(names_str(&names, e.what), "f");
	}
	static const char *const others[] = {
		"",
		" 0)   0.378 us    |    f();",
		"0 us   0)   0.378 us    |    f();",
		"0 ms |  0)   0.378 us    |    f();",
		"0 us |  x)   0.378 us    |    f();",
		"0 us |  0    0.378 us    |    f();",
		"0 us |  70000)   0.378 us    |    f();",
		"1.23 | 0) 0.378 us | f();",
		"99999999999999999999 us | 0) 0.378 us | f();",
		"9223372036854775807 us | 0) 0.378 us | f();",
		"   bash-1507    0d..1 3792us : <stack trace>",
	};
	for (size_t i = 0; i < N_OF(others); i++) {
		struct str line = str_of(others[i]);
		assert_int_equal(latency_graph_parse(&reader, line, &e, &p), ENTRY_NONE);
		assert_false(latency_graph_begins(line, true));
	}
}

static const char whole[] =
	"# tracer: irqsoff\n"
	"#\n"
	"# irqsoff latency trace v1.1.5 on 4.20.0\n"
	"# latency: 10 us, #9/9, CPU#0 | (M:desktop VP:0, KP:0, SP:0 HP:0 #P:4)\n"
	"#    | task: bash-1507 (uid:0 nice:0 policy:0 rt_prio:0)\n"
	"#   REL TIME      CPU  TASK/PID       ||||     DURATION                  FUNCTION CALLS\n"
	"        0 us |   0)   bash-1507    |  d... |               |  a() {\n"
	"        1 us |   0)   bash-1507    |  d..1 |   0.378 us    |    b();\n"
	"        2 us |   0)   bash-1507    |  d..1 |               |    c() {\n"
	"        2 us |   1)   other-2      |  d..1 |               |    x() {\n"
	"        3 us |   0)   bash-1507    |  d..1 |               |      /* note: hi */\n"
	"        4 us |   0)   bash-1507    |  d..1 |   0.100 us    |      b();\n"
	"        6 us |   0)   bash-1507    |  d..1 |   1.107 us    |    }\n"
	"        9 us |   0)   bash-1507    |  d..1 |   2.500 us    |  }\n"
	"       10 us |   0)   bash-1507    |  d..1 |   0.000 us    |  d();\n"
	"    bash-1507    0d..1   11us : <stack trace>\n"
	" => a\n";

/* A function_graph trace is none of ours. */
static void test_seconds(void **state)
{
	(void)state;
	struct str line = str_of("360.774522 |   1)   0.541 us    |  f();");
	assert_true(latency_graph_begins(line, true));
	assert_false(latency_graph_begins(line, false));
	reader.of_latency = false;
	assert_int_equal(latency_graph_parse(&reader, line, &e, &p), ENTRY_NONE);
}

/* A closing has the name of what it closes, on its CPU. */
static void test_closings(void **state)
{
	(void)state;
	struct capture *c;
	struct source *s;
	struct err err = { 0 };
	struct reader *r = trace_first(whole, &c, &s);
	static const char *const want[] = { "a", "b", "c", "x", "note", "b", "c", "a", "d", "" };
	assert_string_equal(c->trace.format, "latency-graph");
	for (size_t i = 0; i < N_OF(want); i++) {
		assert_int_equal(s->next(s, &e, &err), 1);
		assert_text(names_str(c->names, e.what), want[i]);
	}
	assert_int_equal(event_kind(&e), EVENT_STACK);
	assert_int_equal(s->next(s, &e, &err), 0);
	assert_int_equal(c->damaged, 0);
	reader_close(r);
	roundtrip_check(whole, NULL);
}

static void test_orphans(void **state)
{
	(void)state;
	latency_graph_parse(&reader, str_of("0 us | 0) 0.378 us |    }"), &e, &p);
	assert_int_equal(event_kind(&e), EVENT_GRAPH_EXIT);
	assert_int_equal(e.what, 0);
	latency_graph_parse(&reader, str_of("0 us | 0) |    f() {"), &e, &p);
	latency_graph_parse(&reader, str_of("0 us | 1) |    }"), &e, &p);
	assert_int_equal(e.what, 0);
	latency_graph_parse(&reader, str_of("0 us | 0) |    }"), &e, &p);
	assert_text(names_str(&names, e.what), "f");
	latency_graph_parse(&reader, str_of("0 us | 0) |    }"), &e, &p);
	assert_int_equal(e.what, 0);
}

static const struct calltree_node *node_of(const struct calltree *t, const char *path)
{
	for (uint32_t i = 1; i < t->nodes.n; i++) {
		const struct calltree_node *n = &t->nodes.at[i];
		const char *name = n->symbol ? symbols_text(t->symbols, n->symbol) : "";
		const char *above =
			t->nodes.at[n->parent].symbol
				? symbols_text(t->symbols, t->nodes.at[n->parent].symbol)
				: "";
		if (strncmp(path, above, strlen(above)) == 0 && path[strlen(above)] == '>' &&
		    strcmp(path + strlen(above) + 1, name) == 0)
			return n;
	}
	return NULL;
}

/* Entry to entry: a graph adds up as functions do, and nests as it is indented. */
static void test_analysis(void **state)
{
	(void)state;
	struct capture *c;
	struct source *s;
	struct reader *r = trace_first(whole, &c, &s);
	struct symbols symbols;
	struct timeline t;
	struct loop_pool loops;
	struct calltree tree;
	symbols_init(&symbols, c->names);
	timeline_init(&t, &symbols, UNKNOWN);
	loop_pool_init(&loops, sizeof(struct loop_stats));
	calltree_init(&tree, &symbols, &loops);
	timeline_listen(&t, &tree.listener);
	trace_run(c, s, &t.sink);
	calltree_close(&tree);

	assert_int_equal(t.covered + t.head + t.tail + t.holes, 10000);
	assert_int_equal(t.graphs, 5);
	assert_int_equal(t.other_cpu, 1);
	static const struct {
		const char *path;
		uint64_t calls;
		int64_t self;
	} want[] = {
		{ ">a", 1, 1000 },  { "a>b", 1, 1000 }, { "a>c", 1, 1000 },
		{ "c>b", 1, 6000 }, { ">d", 1, 0 },
	};
	for (size_t i = 0; i < N_OF(want); i++) {
		const struct calltree_node *n = node_of(&tree, want[i].path);
		if (!n)
			fail_msg("no %s", want[i].path);
		assert_int_equal(n->calls, want[i].calls);
		assert_int_equal(n->self, want[i].self);
	}
	calltree_fini(&tree);
	loop_pool_fini(&loops);
	symbols_fini(&symbols);
	reader_close(r);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_calls),   TEST(test_no_calls), TEST(test_prologue), TEST(test_closings),
		TEST(test_seconds), TEST(test_orphans),  TEST(test_analysis),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
