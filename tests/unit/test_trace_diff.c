/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What dwell diff makes of reports of traces that do not tell everything. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyze/whole_diff.h"

/* A second of a function graph with one loop, which costs 1 us a turn. */
static struct report graph(int64_t turns, bool partial)
{
	struct report r = { .file = "trace", .first_line = 1 };
	struct section *s = report_section(&r, "headline", NULL, NULL);
	struct finding *f = report_finding(&r, s, "headline", "a graph");
	finding_fact(f, "kind", value_text("function_graph"));
	finding_fact(f, "complete_calls", value_count(turns));
	finding_fact(f, "on_cpu_ns", value_time(turns * 1000));
	finding_fact(f, "asleep_ns", value_time(0));
	finding_fact(f, "clock_ns", value_time(1000000000));
	s = report_section(&r, "where", NULL, NULL);
	report_table(&r, s, "functions");
	s = report_section(&r, "loops", NULL, NULL);
	f = report_finding(&r, s, "loop", "a loop");
	finding_fact(f, "path", value_text("main > f"));
	finding_fact(f, "turns", value_count(turns));
	finding_fact(f, "total_ns", value_time(turns * 1000));
	if (partial)
		report_finding(&r, s, "partial", "its turns before line 9 are left out");
	return r;
}

static void check_loops(bool partial)
{
	struct report base = graph(1000, false), new = graph(500, partial), r = { 0 };
	struct trace_diff_side sides[] = { { &base, 1, "base" }, { &new, 1, "new" } };
	struct err err = { 0 };
	assert_int_equal(analyze_diff_whole(&sides[0], &sides[1], 8, &r, &err), 0);
	const struct section *s = report_get(&r, "loops");
	const struct table *t = section_table(s, "loops");
	assert_int_equal(t->rows.n, 1);
	size_t change_ns = 0, yes = 0, each = 0;
	for (size_t i = 0; i < TABLE_COLUMNS && t->columns[i].key; i++) {
		change_ns = strcmp(t->columns[i].key, "change_ns") == 0 ? i : change_ns;
		yes = strcmp(t->columns[i].key, "partial") == 0 ? i : yes;
		each = strcmp(t->columns[i].key, "new_each_ns") == 0 ? i : each;
	}
	const struct value *cell = t->rows.at[0].cell;
	assert_int_equal(cell[yes].number, partial);
	assert_int_equal(cell[each].number, 1000);
	assert_int_equal(cell[change_ns].type, partial ? VALUE_NONE : VALUE_TIME);
	assert_int_equal(section_get(s, "partial") != NULL, partial);
	/* It is no cause either: half of its turns may just not have been kept. */
	assert_int_equal(section_get(report_get(&r, "difference"), "loop") == NULL, partial);
	assert_null(section_get(report_get(&r, "difference"), "alike"));
	report_fini(&base);
	report_fini(&new);
	report_fini(&r);
}

static void test_partial_loop(void **state)
{
	(void)state;
	check_loops(false);
	check_loops(true);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_partial_loop),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
