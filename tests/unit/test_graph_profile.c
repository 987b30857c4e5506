/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Self times of a function graph, worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace.h"

#include "analyze/explain_graph.h"

static struct reader *reader; /* of the report explained last */

static struct report explain_what_if(const char *text, struct what_if what)
{
	struct err err = { 0 };
	struct capture *c;
	struct source *s;
	struct report r = { 0 };
	reader = trace_first(text, &c, &s);
	struct explain_options o = {
		.cpu = UNKNOWN,
		.top = 8,
		.tree = true,
		.what_if = what,
	};
	assert_int_equal(analyze_graph(c, s, &o, &r, &err), 0);
	return r;
}

static struct report explain(const char *text)
{
	return explain_what_if(text, (struct what_if){ .turns = UNKNOWN, .budget_ns = UNKNOWN });
}

static void report_done(struct report *r)
{
	report_fini(r);
	reader_close(reader);
}

/* A cell of the row of that function; VALUE_NONE if there is none. */
static struct value cell(const struct report *r, const char *function, const char *key)
{
	const struct table *t = section_table(report_get(r, "where"), "functions");
	assert_non_null(t);
	vec_each (row, &t->rows) {
		if (strcmp(row->cell[0].text, function) != 0)
			continue;
		for (int i = 0; i < TABLE_COLUMNS && t->columns[i].key; i++) {
			if (strcmp(t->columns[i].key, key) == 0)
				return row->cell[i];
		}
	}
	return value_none();
}

static void assert_ns(struct value v, int64_t ns)
{
	assert_int_equal(v.type, VALUE_TIME);
	assert_int_equal(v.number, ns);
}

static const struct finding *trust(const struct report *r, const char *key)
{
	return section_get(report_get(r, "trust"), key);
}

static void test_self(void **state)
{
	(void)state;
	struct report r = explain(" 0)               |  a() {\n"
				  " 0)   1.000 us    |    b();\n"
				  " 0)               |    c() {\n"
				  " 0)   0.500 us    |      b();\n"
				  " 0)   2.000 us    |    }\n"
				  " 0)   5.000 us    |  }\n");
	assert_ns(cell(&r, "a", "self_ns"), 2000);
	assert_ns(cell(&r, "a", "total_ns"), 5000);
	assert_ns(cell(&r, "b", "self_ns"), 1500);
	assert_int_equal(cell(&r, "b", "calls").number, 2);
	assert_ns(cell(&r, "c", "self_ns"), 1500);
	struct value share = cell(&r, "a", "share");
	assert_int_equal(share.part, 2000);
	assert_int_equal(share.whole, 5000);
	assert_null(trust(&r, "begun_before"));
	assert_null(trust(&r, "not_over"));
	report_done(&r);
}

/* The total of a function does not count its own recursion twice; the self time is of all. */
static void test_recursion(void **state)
{
	(void)state;
	struct report r = explain(" 0)               |  a() {\n"
				  " 0)               |    a() {\n"
				  " 0)   1.000 us    |      b();\n"
				  " 0)   3.000 us    |    }\n"
				  " 0)   7.000 us    |  }\n");
	assert_ns(cell(&r, "a", "total_ns"), 7000);
	assert_ns(cell(&r, "a", "self_ns"), 6000);
	report_done(&r);
}

/* What is innermost at a switch sleeps; the others wait for it, and that is not their own. */
static void test_asleep(void **state)
{
	(void)state;
	struct report r = explain(" 0)               |  read() {\n"
				  " 0)               |    sleep_on() {\n"
				  " 0)   1.000 us    |      lock();\n"
				  " 0)  sh-100  =>  x-7\n"
				  " 0)   9.000 us    |  other();\n"
				  " 0)  x-7  =>  sh-100\n"
				  " 0)   101.000 us  |    }\n"
				  " 0)   103.000 us  |  }\n");
	assert_int_equal(cell(&r, "sleep_on", "self_ns").type, VALUE_NONE); /* not known, not 0 */
	assert_ns(cell(&r, "sleep_on", "asleep_ns"), 100000);
	assert_ns(cell(&r, "read", "self_ns"), 2000);
	assert_ns(cell(&r, "read", "total_ns"), 3000);
	assert_ns(cell(&r, "read", "asleep_ns"), 100000);
	assert_ns(cell(&r, "other", "self_ns"), 9000);
	struct value all =
		finding_get(section_get(report_get(&r, "headline"), "headline"), "on_cpu_ns");
	assert_ns(all, 12000);
	report_done(&r);

	/* No switch is to be seen: the name tells. */
	r = explain(" 0)               |  nap() {\n"
		    " 0)   1000131 us |    __schedule();\n"
		    " 0)   1000133 us |  }\n");
	assert_ns(cell(&r, "nap", "self_ns"), 2000);
	assert_ns(cell(&r, "nap", "asleep_ns"), 1000131000);
	assert_non_null(trust(&r, "asleep_by_name"));
	report_done(&r);
}

/* Parts of calls are counted, and do not get into the figures. */
static void test_partial(void **state)
{
	(void)state;
	struct report r = explain(" 0)   1.000 us    |    b();\n"
				  " 0)   8.000 us    |  } /* early */\n"
				  " 0)               |  a() {\n"
				  " 0)               |    c() {\n"
				  " 0)   2.000 us    |      b();\n"
				  " 0)   9.000 us    |  }\n"
				  " 0)               |  late() {\n"
				  " 0)   4.000 us    |    b();\n");
	assert_ns(cell(&r, "b", "self_ns"), 7000);
	assert_int_equal(cell(&r, "a", "self_ns").type, VALUE_NONE); /* c's end is missing */
	assert_ns(cell(&r, "a", "total_ns"), 9000);
	assert_int_equal(cell(&r, "late", "total_ns").type, VALUE_NONE);
	assert_int_equal(finding_get(trust(&r, "begun_before"), "calls").number, 1);
	assert_ns(finding_get(trust(&r, "begun_before"), "longest_ns"), 8000);
	assert_int_equal(finding_get(trust(&r, "not_over"), "calls").number, 2);
	assert_non_null(trust(&r, "self_unknown"));
	report_done(&r);
}

static void test_holes(void **state)
{
	(void)state;
	struct report r = explain(" 0)               |  a() {\n"
				  " 0)   1.000 us    |    b();\n"
				  "[...]\n"
				  " 0)   9.000 us    |  }\n"
				  " 0)   5.000 us    |  c();\n");
	assert_int_equal(cell(&r, "a", "self_ns").type, VALUE_NONE);
	assert_ns(cell(&r, "c", "self_ns"), 5000);
	report_done(&r);
}

static void test_without_durations(void **state)
{
	(void)state;
	struct report r = explain(" 0) a() {\n 0)   b();\n 0)   b();\n 0) }\n");
	assert_int_equal(cell(&r, "b", "calls").number, 2);
	assert_int_equal(cell(&r, "b", "self_ns").type, VALUE_NONE);
	assert_int_equal(
		finding_get(section_get(report_get(&r, "headline"), "headline"), "on_cpu_ns").type,
		VALUE_NONE);
	report_done(&r);
}

static void test_threshold(void **state)
{
	(void)state;
	struct report r = explain("# tracer: function_graph\n"
				  " 0) ! 457.000 us  |    } /* b */\n"
				  " 0) ! 500.000 us  |  } /* a */\n"
				  " 0) ! 300.000 us  |  } /* b */\n");
	const struct table *t = section_table(report_get(&r, "where"), "closings");
	assert_non_null(t);
	assert_string_equal(t->rows.at[0].cell[0].text, "b");
	assert_int_equal(t->rows.at[0].cell[1].number, 2);
	assert_int_equal(t->rows.at[0].cell[2].number, 757000);
	assert_int_equal(t->rows.at[0].cell[3].number, 457000);
	report_done(&r);
}

/* A turn is what the calls in it took; the last has no next start. */
static void test_loop(void **state)
{
	(void)state;
	struct strbuf text = { 0 };
	strbuf_str(&text, " 0)               |  outer() {\n");
	for (int i = 0; i < 8; i++)
		strbuf_printf(&text,
			      " 0)   %d.000 us    |    turn();\n"
			      " 0)   1.000 us    |    step();\n",
			      i ? 3 : 9);
	strbuf_str(&text, " 0) + 54.000 us   |  }\n");
	struct report r = explain(text.p);
	const struct finding *loop = section_get(report_get(&r, "loops"), "loop");
	assert_string_equal(finding_get(loop, "head").text, "turn");
	assert_int_equal(finding_get(loop, "turns").number, 8);
	assert_ns(finding_get(loop, "total_ns"), 38000);
	assert_true(finding_get(loop, "first_turn_cold").number);
	assert_ns(finding_get(loop, "first_turn_ns"), 10000);
	assert_int_equal(finding_get(loop, "cost_ns").mid, 4000);
	assert_int_equal(finding_get(loop, "turns_measured").number, 6);
	assert_ns(finding_get(section_get(report_get(&r, "loops"), "caller_own"), "own_ns"), 16000);
	report_done(&r);
	strbuf_fini(&text);
}

/* A loop that was forgotten among many, and is dear when it comes again: it says so. */
static void test_loop_that_was_forgotten(void **state)
{
	(void)state;
	struct strbuf text = { 0 };
	for (int i = 0; i < LOOP_POOL_LOOPS + 1; i++) {
		strbuf_printf(&text, " 0)               |  outer%d() {\n", i);
		for (int k = 0; k < 4; k++)
			strbuf_printf(&text, " 0)   0.%03d us    |    turn%d();\n", i ? 100 : 50,
				      i);
		strbuf_str(&text, " 0)   1.000 us    |  }\n");
	}
	strbuf_str(&text, " 0)               |  outer0() {\n");
	for (int k = 0; k < 6; k++)
		strbuf_str(&text, " 0) # 2000.000 us |    turn0();\n");
	strbuf_str(&text, " 0) @ 200000.0 us |  }\n");
	struct report r =
		explain_what_if(text.p, (struct what_if){ .turns = 9, .budget_ns = UNKNOWN });
	const struct section *loops = report_get(&r, "loops");
	const struct finding *loop = section_get(loops, "loop");
	assert_string_equal(finding_get(loop, "head").text, "turn0");
	assert_int_equal(finding_get(loop, "turns").number, 6);
	assert_int_equal(section_get(loops, "partial")->first_line, loop->first_line);
	/* Nobody knows how many turns the whole had: the turns alone are told. */
	const struct finding *n = section_get(report_get(&r, "what_if"), "what_if_turns");
	assert_int_equal(finding_get(n, "as_traced_ns").mid, 9 * 2000000);
	report_done(&r);
	strbuf_fini(&text);
}

/*
 * Eight turns from start to start, the first of 10 us, the others of 4, of which the call takes 1.
 * An interrupt of 3 us and a sleep of 2 ms in them are no part of a turn.
 */
static void stamped_loop(struct strbuf *text)
{
	int64_t at = 1;
	strbuf_str(text, "   10.000000 |   0)               |  outer() {\n");
	for (int i = 0; i < 8; i++) {
		strbuf_printf(text, "   10.%06d |   0)   1.000 us    |    turn();\n", (int)at);
		if (i == 3)
			strbuf_printf(text, "   10.%06d |   0)   3.000 us    |    do_IRQ();\n",
				      (int)at + 2);
		if (i == 5)
			strbuf_printf(text, "   10.%06d |   0) # 2000.000 us |    schedule();\n",
				      (int)at + 2);
		at += (i ? 4 : 10) + (i == 3 ? 3 : 0) + (i == 5 ? 2000 : 0);
	}
	strbuf_str(text, "   10.002100 |   0) # 2100.000 us |  }\n");
}

static void test_loop_from_start_to_start(void **state)
{
	(void)state;
	struct strbuf text = { 0 };
	stamped_loop(&text);
	struct report r = explain_what_if(
		text.p, (struct what_if){ .turns = 16, .budget_ns = 110000, .loop = "turn" });
	const struct finding *loop = section_get(report_get(&r, "loops"), "loop");
	assert_true(finding_get(loop, "from_start_to_start").number);
	assert_ns(finding_get(loop, "first_turn_ns"), 10000);
	assert_true(finding_get(loop, "first_turn_cold").number);
	assert_int_equal(finding_get(loop, "cost_ns").mid, 4000);
	assert_ns(finding_get(loop, "total_ns"), 10000 + 6 * 4000 + 1000);
	assert_ns(finding_get(loop, "asleep_ns"), 2000000);
	assert_ns(finding_get(loop, "interrupted_ns"), 3000);
	assert_null(section_get(report_get(&r, "loops"), "caller_own"));
	/* The call took 2100 - 2000 - 3 us on the CPU. */
	const struct section *if_n = report_get(&r, "what_if");
	assert_int_equal(finding_get(section_get(if_n, "what_if_turns"), "as_traced_ns").mid,
			 97000 + 8 * 4000);
	assert_int_equal(finding_get(section_get(if_n, "what_if_budget"), "turns_mean").number, 11);
	report_done(&r);
	strbuf_fini(&text);
}

/* Without stamps the turns are their calls, and the caller's own time is told beside. */
static void test_what_if_without_stamps(void **state)
{
	(void)state;
	struct strbuf text = { 0 };
	strbuf_str(&text, " 0)               |  outer() {\n");
	for (int i = 0; i < 6; i++)
		strbuf_str(&text, " 0)   3.000 us    |    turn();\n");
	strbuf_str(&text, " 0) + 30.000 us   |  }\n");
	struct report r =
		explain_what_if(text.p, (struct what_if){ .turns = 10, .budget_ns = UNKNOWN });
	const struct section *if_n = report_get(&r, "what_if");
	assert_int_equal(finding_get(section_get(if_n, "what_if_turns"), "as_traced_ns").mid,
			 30000 + 4 * 3000);
	assert_non_null(strstr(section_get(if_n, "what_if_limits")->text, "own time, 2 us a turn"));
	report_done(&r);
	strbuf_fini(&text);
}

/* A caller that slept between the calls: in which turn is not known, so none has a length. */
static void test_loop_of_a_caller_that_slept(void **state)
{
	(void)state;
	struct strbuf text = { 0 };
	strbuf_str(&text, "   10.000000 |   0)   a-1     |               |  outer() {\n");
	for (int i = 0; i < 6; i++) {
		strbuf_printf(&text, "   10.%06d |   0)   a-1     |   1.000 us    |    turn();\n",
			      i * 4);
		if (i == 2)
			strbuf_str(&text, " ------------------------------------------\n"
					  " 0)    a-1     =>    b-2    \n"
					  " ------------------------------------------\n\n");
	}
	strbuf_str(&text, "   10.000030 |   0)   a-1     | + 30.000 us   |  }\n");
	struct report r = explain(text.p);
	const struct finding *loop = section_get(report_get(&r, "loops"), "loop");
	assert_non_null(loop);
	assert_int_equal(finding_get(loop, "turns_measured").number, 0);
	report_done(&r);
	strbuf_fini(&text);
}

static void test_quantiles(void **state)
{
	(void)state;
	struct strbuf text = { 0 };
	for (int i = 1; i <= 100; i++)
		strbuf_printf(&text, " 0)   0.%03d us    |  f();\n", i);
	strbuf_str(&text, " 0)   0.500 us    |  g();\n");
	struct report r = explain(text.p);
	assert_ns(cell(&r, "f", "p50_ns"), 50);
	assert_ns(cell(&r, "f", "p99_ns"), 99);
	assert_int_equal(cell(&r, "g", "p50_ns").type, VALUE_NONE);
	report_done(&r);
	strbuf_fini(&text);
}

static void test_interrupt(void **state)
{
	(void)state;
	struct report r = explain(" 0)               |  a() {\n"
				  " 0)               |    do_IRQ() {\n"
				  " 0)   1.000 us    |      irq_enter();\n"
				  " 0)   5.000 us    |    }\n"
				  " 0)   7.000 us    |  }\n");
	const struct table *t = section_table(report_get(&r, "interruptions"), "interruptions");
	assert_non_null(t);
	assert_int_equal(t->rows.n, 1);
	assert_int_equal(t->rows.at[0].cell[1].number, 5000);
	assert_int_equal(t->rows.at[0].cell[3].number, 1);
	assert_ns(cell(&r, "a", "self_ns"), 2000);
	report_done(&r);
}

static void test_max_depth(void **state)
{
	(void)state;
	struct report r = explain(" 0)               |  a() {\n"
				  " 0)               |    f() {\n"
				  " 0)   1.000 us    |      g();\n"
				  " 0)   3.000 us    |    }\n"
				  " 0)               |    h() {\n"
				  " 0)   4.000 us    |      f();\n"
				  " 0)   5.000 us    |    }\n"
				  " 0) + 10.000 us   |  }\n");
	assert_non_null(trust(&r, "max_depth"));
	report_done(&r);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_self),
		cmocka_unit_test(test_recursion),
		cmocka_unit_test(test_asleep),
		cmocka_unit_test(test_partial),
		cmocka_unit_test(test_holes),
		cmocka_unit_test(test_without_durations),
		cmocka_unit_test(test_threshold),
		cmocka_unit_test(test_loop),
		cmocka_unit_test(test_loop_that_was_forgotten),
		cmocka_unit_test(test_loop_from_start_to_start),
		cmocka_unit_test(test_quantiles),
		cmocka_unit_test(test_what_if_without_stamps),
		cmocka_unit_test(test_loop_of_a_caller_that_slept),
		cmocka_unit_test(test_interrupt),
		cmocka_unit_test(test_max_depth),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
