/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "core/event.h"

static struct event with_flags(const char *run)
{
	struct event e = { 0 };
	if (!event_flags_parse(str_of(run), &e.flags))
		fail_msg("'%s' is not taken for flags", run);
	return e;
}

static void there_and_back(const char *run)
{
	char out[8];
	struct event e = with_flags(run);
	event_flags_print(e.flags, out);
	assert_string_equal(out, run);
	assert_int_equal(event_flag_columns(&e), strlen(run));
}

/* Every letter of every column, in runs of every length. */
static void test_letters(void **state)
{
	(void)state;
	static const char *const columns[FLAG_COLUMNS] = {
		[FLAG_IRQS] = ".dDXb",
		[FLAG_RESCHED] = ".NnpBLbl",
		[FLAG_RESCHED_LAZY] = ".LlNn",
		[FLAG_CONTEXT] = ".hsHZz",
		[FLAG_DEPTH] = ".123456789abcdef",
		[FLAG_DEPTH_LAZY] = ".123456789abcdef",
		[FLAG_MIGRATE] = ".123456789abcdef",
	};
	static const int runs[][8] = {
		{ FLAG_IRQS, FLAG_RESCHED, FLAG_CONTEXT, FLAG_DEPTH, -1 },
		{ FLAG_IRQS, FLAG_RESCHED, FLAG_CONTEXT, FLAG_DEPTH, FLAG_MIGRATE, -1 },
		{ FLAG_IRQS, FLAG_RESCHED, FLAG_RESCHED_LAZY, FLAG_CONTEXT, FLAG_DEPTH,
		  FLAG_DEPTH_LAZY, -1 },
		{ FLAG_IRQS, FLAG_RESCHED, FLAG_RESCHED_LAZY, FLAG_CONTEXT, FLAG_DEPTH,
		  FLAG_DEPTH_LAZY, FLAG_MIGRATE, -1 },
	};
	for (size_t r = 0; r < 4; r++) {
		for (size_t at = 0; runs[r][at] >= 0; at++) {
			const char *letters = columns[runs[r][at]];
			for (const char *l = letters; *l; l++) {
				char run[8];
				snprintf(run, sizeof(run), "%.*s", (int)(4 + r), ".......");
				run[at] = *l;
				there_and_back(run);
				struct event e = with_flags(run);
				assert_int_equal(event_flag(&e, (enum flag_column)runs[r][at]),
						 l - letters);
			}
		}
	}
}

static void test_seen_in_the_wild(void **state)
{
	(void)state;
	static const char *const runs[] = { "D..2",    "dNh5.", "dn.h213", "dNLh1..",
					    "d...1..", "d.s.",  "dNsa.",   "b....",
					    "dN...",   "...1",  "dn.h413", ".n..1.." };
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++)
		there_and_back(runs[i]);

	struct event e = with_flags("dn.h413");
	assert_int_equal(event_flag(&e, FLAG_DEPTH), 4);
	assert_int_equal(event_flag(&e, FLAG_DEPTH_LAZY), 1);
	assert_int_equal(event_flag(&e, FLAG_MIGRATE), 3);
	e = with_flags("dNsa.");
	assert_int_equal(event_flag(&e, FLAG_DEPTH), 10);
}

static void test_zero_is_a_dot(void **state)
{
	(void)state;
	char out[8];
	event_flags_print(with_flags("d..00").flags, out);
	assert_string_equal(out, "d....");
}

static void test_refused(void **state)
{
	(void)state;
	static const char *const runs[] = { "",     "d",    "d..",  "d..1....", "q..1",
					    "d.q1", "d..g", "0..1", "d..1q",    "d0.1" };
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		uint32_t flags = 4711;
		if (event_flags_parse(str_of(runs[i]), &flags))
			fail_msg("'%s' is taken for flags", runs[i]);
		assert_int_equal(flags, 4711);
	}
	uint32_t flags;
	assert_false(event_flags_parse((struct str){ "d.\0001", 4 }, &flags));
}

static void test_contexts(void **state)
{
	(void)state;
	static const struct {
		const char *run;
		enum context context;
	} cases[] = {
		{ "d...", CONTEXT_TASK },       { "d.s.", CONTEXT_SOFTIRQ },
		{ "d.h.", CONTEXT_HARDIRQ },    { "d.H.", CONTEXT_HARDIRQ },
		{ "d.Z.", CONTEXT_NMI },        { "d.z.", CONTEXT_NMI },
		{ "d..h2..", CONTEXT_HARDIRQ }, { "d.s1.", CONTEXT_SOFTIRQ },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct event e = with_flags(cases[i].run);
		assert_int_equal(event_context(&e), cases[i].context);
	}
	struct event none = { 0 };
	assert_int_equal(event_context(&none), CONTEXT_TASK);
}

static void test_irqs_off(void **state)
{
	(void)state;
	static const char off[] = "dD", on[] = ".Xb";
	char run[] = "?...";
	for (const char *c = off; *c; c++) {
		run[0] = *c;
		struct event e = with_flags(run);
		assert_true(event_irqs_off(&e));
	}
	for (const char *c = on; *c; c++) { /* X: the architecture cannot tell */
		run[0] = *c;
		struct event e = with_flags(run);
		assert_false(event_irqs_off(&e));
	}
}

static void test_need_resched(void **state)
{
	(void)state;
	/* L is p and l: the task itself need not be rescheduled yet */
	static const char yes[] = "NnBb", no[] = ".plL";
	char run[] = ".?..";
	for (const char *c = yes; *c; c++) {
		run[1] = *c;
		struct event e = with_flags(run);
		assert_true(event_need_resched(&e));
	}
	for (const char *c = no; *c; c++) {
		run[1] = *c;
		struct event e = with_flags(run);
		assert_false(event_need_resched(&e));
	}
}

static void test_entries(void **state)
{
	(void)state;
	for (int k = 0; k < EVENT_KINDS; k++) {
		struct event e = { .kind = (uint8_t)(k | EVENT_AFTER_HOLE | EVENT_NO_TIME) };
		assert_int_equal(event_kind(&e), k);
		assert_int_equal(event_is_entry(&e),
				 k != EVENT_STACK && k != EVENT_LOST && k != EVENT_GRAPH_SWITCH);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_letters),       cmocka_unit_test(test_seen_in_the_wild),
		cmocka_unit_test(test_zero_is_a_dot), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_contexts),      cmocka_unit_test(test_irqs_off),
		cmocka_unit_test(test_need_resched),  cmocka_unit_test(test_entries),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
