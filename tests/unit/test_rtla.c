/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of rtla, and what is made of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace.h"

#include "analyze/rtla.h"

static struct reader *reader;

static struct capture *read_rtla(const char *text)
{
	struct capture *c;
	struct source *s;
	reader = trace_first(text, &c, &s);
	assert_int_equal(c->kind, CAPTURE_RTLA);
	assert_null(s);
	return c;
}

static void test_timerlat_top(void **state)
{
	(void)state;
	struct capture *c = read_rtla(
		"\033[2;37;40m                       Timer Latency              \033[0;0;0m\n"
		"  1 02:00:05   |          IRQ Timer Latency (us)        |         Thread Timer "
		"Latency (us)\n"
		"CPU COUNT      |      cur       min       avg       max |      cur       min      "
		" "
		"avg       max\n"
		"  8 #65000     |        1         0         1        10 |       11         2      "
		"  "
		"10        23\n"
		"  9 #65000     |        1         0         1        12 |        -         -      "
		"   "
		"-         -\n"
		" 10 #64999     |       12         0         1        14 |       30         2      "
		"  "
		"10        41 <-- here\n"
		" 11 #64999     |       12         0         1        14 |       30         2      "
		"  "
		"10        40\n"
		" 12 #64999     |       12         0         1        14 |       30         2      "
		"  "
		"10        40\n"
		" 13 #64999     |       12         0         1        14 |       30         2      "
		"  "
		"10        40\n"
		"rtla timerlat hit stop tracing\n");
	const struct rtla *t = c->rtla;
	assert_int_equal(t->tool, RTLA_TIMERLAT_TOP);
	assert_string_equal(t->unit, "us");
	assert_int_equal(t->duration_s, 86400 + 7205);
	assert_int_equal(t->rows.n, 6); /* CPUs that count up are no line numbers */
	assert_int_equal(t->rows.at[0].value[TIMERLAT_CPU], 8);
	assert_int_equal(t->rows.at[0].value[TIMERLAT_THREAD + 3], 23);
	assert_int_equal(t->rows.at[1].value[TIMERLAT_THREAD + 3], UNKNOWN);
	assert_int_equal(t->rows.at[2].value[TIMERLAT_COUNT], 64999);
	assert_int_equal(t->rows.at[2].value[TIMERLAT_USER], UNKNOWN);

	struct report r = { 0 };
	analyze_rtla(c, 8, &r);
	const struct finding *f = section_get(report_get(&r, "headline"), "headline");
	assert_int_equal(finding_get(f, "latency_ns").number, 41000);
	const struct table *table = section_table(report_get(&r, "latency"), "latency");
	assert_string_equal(table->rows.at[0].cell[0].text, "CPU 10");
	report_fini(&r);
	reader_close(reader);
}

static void test_osnoise_top(void **state)
{
	(void)state;
	struct capture *c =
		read_rtla("duration:   0 00:01:00 | time is in us\n"
			  "CPU Period Runtime Noise % CPU Aval Max Noise Max Single HW\n"
			  "  0 #59  53100000  304896  99.42580  6978  56  549  0  53111  1590  13\n"
			  "  1 #59  53100000  338339  99.5  8092  24  399  0\n");
	const struct rtla *t = c->rtla;
	assert_int_equal(t->tool, RTLA_OSNOISE_TOP);
	assert_int_equal(t->duration_s, 60);
	assert_int_equal(t->rows.n, 2);
	assert_int_equal(t->rows.at[0].value[OSNOISE_AVAILABLE], 9942580);
	assert_int_equal(t->rows.at[0].value[OSNOISE_SOURCES + 4], 13);
	assert_int_equal(t->rows.at[1].value[OSNOISE_AVAILABLE], 9950000);
	assert_int_equal(t->rows.at[1].value[OSNOISE_SOURCES + 4], UNKNOWN); /* rtla hwnoise */
	reader_close(reader);
}

static void test_hist(void **state)
{
	(void)state;
	struct capture *c = read_rtla("# RTLA timerlat histogram\n"
				      "# Time unit is microseconds (us)\n"
				      "# Duration:   0 00:10:00\n"
				      "Index   IRQ-000   Thr-000\n"
				      "0            60         0\n"
				      "1            39        50\n"
				      "17            1        49\n"
				      "over:         0         1\n"
				      "count:      100       100\n"
				      "min:          0         1\n"
				      "avg:          0         9\n"
				      "max:         17        90\n");
	const struct rtla *t = c->rtla;
	assert_int_equal(t->tool, RTLA_TIMERLAT_HIST);
	assert_int_equal(t->duration_s, 600);
	assert_int_equal(t->buckets.n, 3);
	assert_int_equal(t->buckets.at[2].index, 17);
	assert_int_equal(t->buckets.at[2].counts[1], 49);
	assert_string_equal(t->rows.at[1].column, "Thr-000");
	assert_int_equal(t->rows.at[1].value[HIST_MAX], 90);

	struct report r = { 0 };
	analyze_rtla(c, 8, &r);
	const struct table *table = section_table(report_get(&r, "latency"), "latency");
	assert_int_equal(table->rows.at[0].cell[4].number, 0);    /* IRQ: median */
	assert_int_equal(table->rows.at[0].cell[5].number, 1000); /* 99 % */
	assert_int_equal(table->rows.at[1].cell[4].number, 1000); /* thread */
	assert_int_equal(table->rows.at[1].cell[5].number, 17000);
	report_fini(&r);
	reader_close(reader);
}

static void test_auto(void **state)
{
	(void)state;
	struct capture *c = read_rtla(
		"## CPU 23 hit stop tracing, analyzing it ##\n"
		"  IRQ handler delay:                                        27.49 us (65.52 %)\n"
		"  Blocking thread:                                           3.79 us (9.03 %)\n"
		"                       objtool:49256                         3.79 us\n"
		"    Blocking thread stack trace\n"
		"                -> timerlat_irq\n"
		"                -> copy_page\n"
		"------------------------------------------------------------------------\n"
		"  Thread latency:                                           41.96 us (100%)\n"
		"\n"
		"Saving trace to timerlat_trace.txt\n");
	const struct rtla *t = c->rtla;
	assert_int_equal(t->tool, RTLA_TIMERLAT_AUTO);
	assert_int_equal(t->cpu, 23);
	assert_int_equal(t->parts.n, 6);
	assert_string_equal(t->parts.at[0].what, "IRQ handler delay");
	assert_int_equal(t->parts.at[0].ns, 27490);
	assert_true(t->parts.at[3].frame);
	struct report r = { 0 };
	analyze_rtla(c, 8, &r);
	const struct finding *f = section_get(report_get(&r, "headline"), "headline");
	assert_int_equal(finding_get(f, "latency_ns").number, 41960);
	report_fini(&r);
	reader_close(reader);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_timerlat_top),
		cmocka_unit_test(test_osnoise_top),
		cmocka_unit_test(test_hist),
		cmocka_unit_test(test_auto),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
