/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyze/fold.h"
#include "render/folded.h"
#include "trace.h"

/* The folded stacks of a text. */
static void fold_text(const char *text, enum folded_weight weight, struct strbuf *out)
{
	struct capture *c;
	struct source *s;
	struct reader *r = trace_first(text, &c, &s);
	struct analyze_fold f;
	analyze_fold_init(&f, c->names);
	trace_run(c, s, &f.sink);
	char *p = NULL;
	size_t n = 0;
	FILE *to = open_memstream(&p, &n);
	render_folded(to, &f.fold, c->names, weight);
	fprintf(to, "left out %d, unended %d, untimed %d\n", (int)f.fold.left_out,
		(int)f.fold.unended, (int)f.fold.untimed);
	fclose(to);
	strbuf_add(out, p, n);
	free(p);
	analyze_fold_fini(&f);
	reader_close(r);
}

static void assert_folded(const char *text, enum folded_weight weight, const char *want)
{
	struct strbuf cleanup_strbuf got = { 0 };
	fold_text(text, weight, &got);
	assert_text(strbuf_get(&got), want);
}

static const char functions[] =
	"# tracer: function\n#\n"
	"           a;b-7       [000] ...1.     1.000000: outer <-entry\n"
	"           a;b-7       [000] ...1.     1.000002: inner <-outer\n"
	"          <idle>-0       [001] ...1.     1.000003: idle_call <-do_idle\n"
	"           a;b-7       [000] d.h1.     1.000005: handler <-vector\n"
	"           a;b-7       [000] ...1.     1.000009: inner <-outer\n"
	"               c-8       [000] ...1.     1.000010: other <-entry\n"
	"           a;b-7       [001] ...1.     1.000020: leaf <-inner\n"
	"           a;b-7       [001] ...1.     1.000050: last <-outer\n";

/* Each entry until the next of its CPU; a task keeps its stack when it goes to another CPU. */
static void test_functions(void **state)
{
	(void)state;
	assert_folded(functions, FOLDED_NS,
		      "a:b-7;entry;outer 2000\n"
		      "a:b-7;entry;outer;inner 4000\n"
		      "<idle>-0;do_idle;idle_call 17000\n"
		      "hardirq;vector;handler 4000\n"
		      "a:b-7;entry;outer;inner;leaf 30000\n"
		      "left out 0, unended 0, untimed 0\n");
	assert_folded(functions, FOLDED_US,
		      "a:b-7;entry;outer 2\n"
		      "a:b-7;entry;outer;inner 4\n"
		      "<idle>-0;do_idle;idle_call 17\n"
		      "hardirq;vector;handler 4\n"
		      "a:b-7;entry;outer;inner;leaf 30\n"
		      "left out 0, unended 0, untimed 0\n");
	assert_folded(functions, FOLDED_CALLS,
		      "a:b-7;entry;outer 1\n"
		      "a:b-7;entry;outer;inner 2\n"
		      "<idle>-0;do_idle;idle_call 1\n"
		      "hardirq;vector;handler 1\n"
		      "c-8;entry;other 1\n"
		      "a:b-7;entry;outer;inner;leaf 1\n"
		      "a:b-7;entry;outer;last 1\n"
		      "left out 0, unended 0, untimed 0\n");
}

/* Time of which events are missing is nobody's; a switch hands the CPU to the next task. */
static void test_lost_and_switch(void **state)
{
	(void)state;
	assert_folded("# tracer: function\n#\n"
		      "           a-7       [000] ...1.     1.000000: f <-entry\n"
		      "CPU:0 [LOST 3 EVENTS]\n"
		      "           a-7       [000] ...1.     1.000100: g <-entry\n"
		      "           a-7       [000] d..2.     1.000103: sched_switch: prev_comm=a "
		      "prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=b next_pid=9 "
		      "next_prio=120\n"
		      "           b-9       [000] ...1.     1.000108: h <-entry\n",
		      FOLDED_NS,
		      "a-7;entry;g 3000\n"
		      "b-9 5000\n"
		      "left out 0, unended 0, untimed 0\n");
}

/* A call weighs its duration without those of the calls in it. */
static void test_graph(void **state)
{
	(void)state;
	assert_folded("# tracer: function_graph\n#\n"
		      " 0)               |  outer() {\n"
		      " 0)   1.000 us    |    leaf();\n"
		      " 1)   7.000 us    |  elsewhere();\n"
		      " 0)               |    inner() {\n"
		      " 0)   0.250 us    |      leaf();\n"
		      " 0)   2.000 us    |    }\n"
		      " 0)   5.000 us    |  }\n",
		      FOLDED_NS,
		      "CPU 0;outer 2000\n"
		      "CPU 0;outer;leaf 1000\n"
		      "CPU 1;elsewhere 7000\n"
		      "CPU 0;outer;inner 1750\n"
		      "CPU 0;outer;inner;leaf 250\n"
		      "left out 0, unended 0, untimed 0\n");
}

/* What began before the trace or ends behind it has no time of its own; its callers lack it. */
static void test_graph_cut(void **state)
{
	(void)state;
	assert_folded("# tracer: function_graph\n#\n"
		      " 0)   0.500 us    |    leaf();\n"
		      " 0)   9.000 us    |  } /* before */\n"
		      " 0)               |  outer() {\n"
		      " 0)   1.000 us    |    leaf();\n"
		      " 0)               |    inner() {\n",
		      FOLDED_NS,
		      "CPU 0;leaf 500\n"
		      "CPU 0;outer;leaf 1000\n"
		      "left out 0, unended 3, untimed 0\n");
}

/* More stacks than the tree may have: the rest is counted, and memory stands still. */
static void test_cap(void **state)
{
	(void)state;
	struct fold f;
	fold_init(&f);
	uint32_t root = fold_node(&f, 0, FOLD_TASK, 1);
	for (uint32_t i = 1; i < FOLD_NODES - 1; i++)
		assert_int_equal(fold_node(&f, root, FOLD_FUNCTION, i), root + i);
	assert_int_equal(fold_node(&f, root, FOLD_FUNCTION, FOLD_NODES), 0);
	assert_int_equal(fold_node(&f, root, FOLD_FUNCTION, 17), root + 17);
	assert_int_equal(fold_node(&f, 0, FOLD_CPU, 1), 0);
	fold_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions), cmocka_unit_test(test_lost_and_switch),
		cmocka_unit_test(test_graph),     cmocka_unit_test(test_graph_cut),
		cmocka_unit_test(test_cap),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
