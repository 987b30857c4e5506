/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of timerlat, osnoise and hwlat, and what is made of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "trace.h"

#include "analyze/digest.h"
#include "analyze/explain_trace.h"
#include "analyze/timerlat.h"
#include "read/tracer_row.h"

static void test_rows(void **state)
{
	(void)state;
	struct names names;
	struct event e;
	struct payload p;
	names_init(&names);
	assert_int_equal(tracer_row_parse(&names,
					  str_of("#402268 context    irq timer_latency 13585 ns"),
					  &e, &p),
			 ROW_OK);
	assert_int_equal(p.point, POINT_TIMERLAT);
	assert_int_equal(p.args.a, 13585);
	assert_int_equal(p.args.b, 402268);
	assert_text(names_str(&names, p.args.name), "irq");

	assert_int_equal(
		tracer_row_parse(&names,
				 str_of("#10 inner/outer(us):    9/11    ts:1581527668.970010500 "
					"count:1 nmi-total:7 nmi-count:2"),
				 &e, &p),
		ROW_OK);
	assert_int_equal(p.point, POINT_HWLAT);
	assert_int_equal(p.args.a, 9);
	assert_int_equal(p.args.b, 11);
	assert_int_equal(p.args.c, 1);
	assert_int_equal(p.args.count[0], 7);
	assert_int_equal(p.args.count[1], 2);
	/* Before 5.9 there was no count, and without an NMI there are none: not known, not 0. */
	assert_int_equal(tracer_row_parse(&names, str_of("#1 inner/outer(us): 0/388 ts:1.2"), &e,
					  &p),
			 ROW_OK);
	assert_int_equal(p.args.c, UNKNOWN);
	assert_int_equal(p.args.count[1], UNKNOWN);

	assert_int_equal(
		tracer_row_parse(&names, str_of("1000000  5675  99.43250  202  6  5  1013  25  21"),
				 &e, &p),
		ROW_OK);
	assert_int_equal(p.point, POINT_OSNOISE);
	assert_int_equal(p.args.a, 5675);
	assert_int_equal(p.args.b, 202);
	assert_int_equal(p.args.c, 1000000);
	assert_int_equal(p.args.count[NOISE_HARDWARE], 6);
	assert_int_equal(p.args.count[NOISE_THREAD], 21);

	assert_int_equal(tracer_row_parse(&names, str_of("#1 context irq timer_latency"), &e, &p),
			 ROW_OPEN);
	assert_int_equal(tracer_row_parse(&names, str_of("#1 inner/outer(us):"), &e, &p), ROW_OPEN);
	assert_int_equal(tracer_row_parse(&names, str_of("f <-g"), &e, &p), ROW_NONE);
	assert_int_equal(tracer_row_parse(&names, str_of("1 2 3.4 5 6 7"), &e, &p), ROW_NONE);
	names_fini(&names);
}

static struct reader *reader;

static struct report explain_worst(const char *text, int64_t worst)
{
	struct err err = { 0 };
	struct capture *c;
	struct source *s;
	struct report r = { 0 };
	reader = trace_first(text, &c, &s);
	struct explain_options o = { .cpu = UNKNOWN, .top = 8, .sections = SECTION_OPTIONS_NONE };
	o.sections.worst = worst;
	assert_true(capture_is_whole_trace(c));
	assert_int_equal(analyze_explain_trace(c, s, &o, &r, &err), 0);
	return r;
}

static struct report explain(const char *text)
{
	return explain_worst(text, UNKNOWN);
}

static void report_done(struct report *r)
{
	report_fini(r);
	reader_close(reader);
}

/*
 * The timer was set for 9.034990, 100 us before the irq row. Its handler began 98 us late and took
 * 7 us, a device's interrupt 3 us, the thread that ran 40 us: 2 us of 150 are not explained.
 */
static void test_timerlat(void **state)
{
	(void)state;
	struct report r = explain(
		"# tracer: timerlat\n"
		"  make-100  [000] d.h1.  9.035090: #2     context    irq timer_latency    100000 "
		"ns\n"
		"  make-100  [000] dNh1.  9.035095: irq_noise: local_timer:236 start 9.035088000 "
		"duration 7000 ns\n"
		"  make-100  [000] dNh1.  9.035099: irq_noise: eth0:25 start 9.035096000 duration "
		"3000 ns\n"
		"  make-100  [000] d..3.  9.035138: thread_noise: make:100 start 9.035090100 "
		"duration 40000 ns\n"
		"  timerlat/0-78  [000] .....  9.035140: #2  context thread timer_latency 150000 "
		"ns\n"
		"  timerlat/0-78  [000] .....  9.035141: <stack trace>\n"
		" => timerlat_irq\n"
		" => asm_sysvec_apic_timer_interrupt\n"
		" => copy_page\n"
		" => 0x7265000001378c\n"
		"  timerlat/0-78  [000] .....  9.035142: timerlat_main: stop tracing hit on cpu "
		"0\n");
	const struct section *why = report_get(&r, "why");
	const struct table *t = section_table(why, "parts");
	static const int64_t want[] = { 98000, 7000, 3000, 40000, 2000 };
	assert_non_null(t);
	assert_int_equal(t->rows.n, N_OF(want));
	for (size_t i = 0; i < N_OF(want); i++)
		assert_int_equal(t->rows.at[i].cell[1].number, want[i]);
	assert_non_null(strstr(t->rows.at[1].cell[0].text, "own handler"));
	assert_null(strstr(t->rows.at[2].cell[0].text, "own handler"));
	assert_non_null(strstr(t->rows.at[3].cell[0].text, "when the timer fired"));
	assert_string_equal(finding_get(section_get(why, "stack"), "function").text, "copy_page");
	assert_non_null(strstr(section_get(why, "spike")->text, "stopped here"));
	const struct finding *head = section_get(report_get(&r, "headline"), "headline");
	assert_int_equal(finding_get(head, "latency_ns").number, 150000);
	assert_int_equal(finding_get(head, "samples").number, 2);
	report_done(&r);
}

/*
 * Recorded (Linux 6.1): the timer's interrupt cut into a softirq, and the kernel counts the thread
 * below from the beginning of the softirq on, 1.96 ms before the timer's interrupt. Between the
 * thread's start and its end, less the handler's 95.0 us in it and the softirq's 49.4 us, are 37.9.
 */
static void test_timerlat_softirq_cut(void **state)
{
	(void)state;
	struct report r = explain(
		"  dd-95  [001] d.H2.  5.415053: #80   context    irq timer_latency   1031885 ns\n"
		"  dd-95  [001] dNH3.  5.415148: irq_noise: local_timer:236 start 5.415043679 "
		"duration 102080 ns\n"
		"  dd-95  [001] .Ns2.  5.415197: softirq_noise:  RCU:9 start 5.413085728 duration "
		"49373 ns\n"
		"  dd-95  [001] d..3.  5.415233: thread_noise:  dd:95 start 5.415050760 duration "
		"1994957 ns\n"
		"  timerlat/1-86  [001] .....  5.415247: #80  context thread timer_latency 1227063 "
		"ns\n");
	const struct section *why = report_get(&r, "why");
	const struct table *t = section_table(why, "parts");
	static const int64_t want[] = { 1022564, 102080, 49373, 37868, 15178 };
	assert_int_equal(t->rows.n, N_OF(want));
	for (size_t i = 0; i < N_OF(want); i++) {
		assert_int_equal(t->rows.at[i].cell[1].number, want[i]);
		assert_int_equal(t->rows.at[i].cell[1].how, i == 3 ? VALUE_ESTIMATED : VALUE_EXACT);
	}
	assert_int_equal(finding_get(section_get(why, "counted_before"), "counted_ns").number,
			 1994957);
	const struct table *noise = section_table(report_get(&r, "noise"), "sources");
	assert_string_equal(noise->rows.at[2].cell[0].text, "thread dd:95");
	assert_int_equal(noise->rows.at[2].cell[1].number, 37868);
	report_done(&r);
}

/*
 * The timer was set for 1.000500. An interrupt from 1.000300 to 1.000900 held its own up for 400
 * of 410 us; one that was over before held nothing up.
 */
static void test_timerlat_before(void **state)
{
	(void)state;
	struct report r = explain(
		"  a-1  [000] d.h1.  1.000010: #1  context    irq timer_latency    10000 ns\n"
		"  t-9  [000] .....  1.000020: #1  context thread timer_latency    20000 ns\n"
		"  a-1  [000] d.h1.  1.000200: irq_noise: y:2 start 1.000100000 duration 100000 "
		"ns\n"
		"  a-1  [000] d.h1.  1.000900: irq_noise: x:1 start 1.000300000 duration 600000 "
		"ns\n"
		"  a-1  [000] d.h1.  1.000912: #2  context    irq timer_latency   412000 ns\n"
		"  a-1  [000] d.h1.  1.000920: irq_noise: timer:9 start 1.000910000 duration 9000 "
		"ns\n"
		"  t-9  [000] .....  1.000925: #2  context thread timer_latency   425000 ns\n");
	const struct table *t = section_table(report_get(&r, "why"), "parts");
	static const int64_t want[] = { 400000, 10000, 9000, 6000 };
	assert_int_equal(t->rows.n, N_OF(want));
	for (size_t i = 0; i < N_OF(want); i++)
		assert_int_equal(t->rows.at[i].cell[1].number, want[i]);
	assert_string_equal(t->rows.at[0].cell[0].text, "irq x:1: ran when the timer was due");
	report_done(&r);
}

/* Twelve samples, the later the worse: as many as are asked for are told in full, the worst first. */
static void test_timerlat_told(void **state)
{
	(void)state;
	char text[4096] = "";
	for (int i = 1; i <= 12; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "  a-1 [000] d.h1. 1.%03d010: #%d context irq timer_latency 10000 ns\n"
			 "  a-1 [000] d.h1. 1.%03d012: irq_noise: x:1 start 1.%03d010000 duration "
			 "900 ns\n"
			 "  t-9 [000] ..... 1.%03d020: #%d context thread timer_latency %d ns\n",
			 i, i, i, i, i, i, 20000 + i);
	static const struct {
		int64_t worst;
		size_t told, listed;
	} cases[] = { { UNKNOWN, 3, 8 }, { 0, 0, 8 }, { 1, 1, 8 }, { 11, 11, 11 } };
	for (size_t i = 0; i < N_OF(cases); i++) {
		struct report r = explain_worst(text, cases[i].worst);
		const struct section *why = report_get(&r, "why");
		size_t told = 0;
		for (size_t k = 0; why && k < why->items.n; k++)
			told += why->items.at[k].table != NULL;
		assert_int_equal(told, cases[i].told);
		const struct table *t = section_table(report_get(&r, "worst"), "worst");
		assert_int_equal(t->rows.n, cases[i].listed);
		assert_int_equal(t->rows.at[0].cell[1].number, 20012);
		report_done(&r);
	}
}

/* A timerlat trace with scheduler events is both. */
static void test_timerlat_and_sections(void **state)
{
	(void)state;
	struct report r = explain(
		"  a-1    [000] d.h1.  1.000005: irq_noise: x:1 start 1.000001000 duration 900 ns\n"
		"  <idle>-0 [000] d.h1. 1.000010: #1 context    irq timer_latency    10000 ns\n"
		"  <idle>-0 [000] d.h1. 1.000011: sched_waking: comm=t pid=9 prio=4 "
		"target_cpu=000\n"
		"  <idle>-0 [000] d..2. 1.000018: sched_switch: prev_comm=swapper/0 prev_pid=0 "
		"prev_prio=120 prev_state=R ==> next_comm=t next_pid=9 next_prio=4\n"
		"  t-9    [000] .....  1.000020: #1 context thread timer_latency    20000 ns\n");
	const struct finding *head = section_get(report_get(&r, "headline"), "headline");
	assert_string_equal(finding_get(head, "kind").text, "timerlat");
	const struct table *t = section_table(report_get(&r, "sections"), "sections");
	assert_int_equal(t->rows.at[0].cell[1].number, 1);
	assert_int_equal(t->rows.at[0].cell[2].number, 7000);
	report_done(&r);
}

/* Other CPUs' noise, and noise after the thread's row, is not part of it. */
static void test_timerlat_apart(void **state)
{
	(void)state;
	struct report r = explain(
		"  a-1  [000] d.h1.  1.000010: #1  context    irq timer_latency    10000 ns\n"
		"  b-2  [001] d.h1.  1.000011: irq_noise: x:1 start 1.000010000 duration 900 ns\n"
		"  t-9  [000] .....  1.000020: #1  context thread timer_latency    20000 ns\n"
		"  a-1  [000] d.h1.  1.000031: irq_noise: y:2 start 1.000030000 duration 900 ns\n"
		"  t-8  [001] .....  1.000020: #4  context thread timer_latency    30000 ns\n");
	assert_null(report_get(&r, "why"));
	const struct table *t = section_table(report_get(&r, "worst"), "worst");
	assert_int_equal(t->rows.n, 2);
	assert_int_equal(t->rows.at[0].cell[1].number, 30000);
	assert_int_equal(t->rows.at[0].cell[2].type, VALUE_NONE); /* no irq row: not known */
	assert_int_equal(t->rows.at[1].cell[3].number, 10000);
	report_done(&r);
}

static void test_osnoise(void **state)
{
	(void)state;
	struct report r = explain(
		"# tracer: osnoise\n"
		"  <...>-83 [000] .....  11.383543: 1000000 1000 99.90000 10 1 0 250 30 5\n"
		"  <...>-84 [001] .....  11.387593: 1000000 3000 99.70000 42 0 2 250 36 6\n");
	const struct finding *head = section_get(report_get(&r, "headline"), "headline");
	struct value share = finding_get(head, "noise_share");
	assert_int_equal(share.part, 4000);
	assert_int_equal(share.whole, 2000000);
	assert_int_equal(finding_get(head, "latency_ns").number, 42000);
	const struct table *t = section_table(report_get(&r, "cpus"), "cpus");
	assert_string_equal(t->rows.at[0].cell[0].text, "CPU 1");
	t = section_table(report_get(&r, "sources"), "sources");
	assert_int_equal(t->rows.at[NOISE_IRQ].cell[1].number, 500);
	report_done(&r);
}

static void test_none(void **state)
{
	(void)state;
	struct report r =
		explain("# tracer: hwlat\n#\n# entries-in-buffer/entries-written: 0/0   #P:2\n");
	const struct finding *f = section_get(report_get(&r, "empty"), "no_samples");
	assert_string_equal(f->text, "hwlat: no hardware latency above the threshold was seen");
	report_done(&r);
	r = explain("# tracer: timerlat\n#\n");
	f = section_get(report_get(&r, "empty"), "no_samples");
	assert_non_null(strstr(f->text, "nothing is known"));
	report_done(&r);
}

/* A mail broke the rows: the numbers come on the next line. */
static void test_hwlat(void **state)
{
	(void)state;
	struct report r = explain("# tracer: hwlat\n"
				  "  <...>-8795  [001] dn...   613.749741: #1 inner/outer(us): \n"
				  "  41/40    ts:1702045267.016266287 count:9976\n"
				  "  <...>-8795  [000] dn...   614.749741: #2 inner/outer(us): \n"
				  "  11/90    ts:1702045268.016266287\n");
	const struct finding *head = section_get(report_get(&r, "headline"), "headline");
	assert_int_equal(finding_get(head, "latency_ns").number, 90000);
	const struct table *t = section_table(report_get(&r, "spikes"), "spikes");
	assert_int_equal(t->rows.n, 2);
	assert_int_equal(t->rows.at[0].cell[4].type, VALUE_NONE);
	assert_int_equal(t->rows.at[1].cell[4].number, 9976);
	report_done(&r);
}

/* A trace.dat may lack the fields, or have any 64 bits in them. */
static void test_digest(void **state)
{
	(void)state;
	struct analyze_digest d;
	analyze_digest_init(&d);
	const struct event e = { .kind = EVENT_NAMED };
	struct payload p = { .point = POINT_HWLAT };
	p.args.a = p.args.b = UNKNOWN;
	d.sink.ops->event(&d.sink, &e, &p);
	assert_int_equal(d.digest.samples, 1);
	assert_int_equal(d.digest.max_latency, UNKNOWN);
	p.args.b = 11;
	d.sink.ops->event(&d.sink, &e, &p);
	assert_int_equal(d.digest.max_latency, 11000);
	p.point = POINT_OSNOISE;
	p.args.b = INT64_MIN / 100;
	d.sink.ops->event(&d.sink, &e, &p);
	assert_int_equal(d.digest.samples, 3);
	assert_int_equal(d.digest.max_latency, 11000);
	p.args.b = INT64_MAX / 100;
	d.sink.ops->event(&d.sink, &e, &p);
	assert_int_equal(d.digest.max_latency, INT64_MAX);
	analyze_digest_fini(&d);
}

/* The option latency-format changes the columns, not the rows. */
static void test_latency_format(void **state)
{
	(void)state;
	struct report r = explain("# tracer: timerlat\n"
				  "#\n"
				  "  <idle>-0         0d.h1.    0us+: #2     context    irq "
				  "timer_latency    204772 ns\n"
				  "   <...>-78        0.....  424us!: #2     context thread "
				  "timer_latency    632231 ns\n");
	struct finding *f = section_get(report_get(&r, "headline"), "headline");
	assert_string_equal(finding_get(f, "kind").text, "timerlat");
	assert_int_equal(finding_get(f, "samples").number, 2);
	assert_int_equal(finding_get(f, "latency_ns").number, 632231);
	report_done(&r);

	r = explain("# tracer: osnoise\n"
		    "   <...>-83        0..... 1383us#: 1000000      82853  91.71470    8413    "
		    "360      0    253     30      5\n");
	f = section_get(report_get(&r, "headline"), "headline");
	assert_string_equal(finding_get(f, "kind").text, "osnoise");
	assert_int_equal(finding_get(f, "latency_ns").number, 8413000);
	report_done(&r);
}

/* More CPUs than are kept apart: how many samples are in no figure is said. */
static void test_timerlat_full(void **state)
{
	(void)state;
	struct strbuf text = { 0 };
	strbuf_str(&text, "# tracer: timerlat\n");
	for (int cpu = 0; cpu <= TIMERLAT_SERIES; cpu++)
		strbuf_printf(&text,
			      "<idle>-0     [%03d] d.h1.  9.035090: #2     context    irq "
			      "timer_latency    100000 ns\n",
			      cpu);
	struct report r = explain(text.p);
	const struct finding *f = section_get(report_get(&r, "trust"), "full");
	assert_non_null(f);
	assert_non_null(strstr(f->text, "1 samples or events are in no table"));
	report_done(&r);
	strbuf_fini(&text);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_timerlat),
		cmocka_unit_test(test_timerlat_softirq_cut),
		cmocka_unit_test(test_timerlat_before),
		cmocka_unit_test(test_timerlat_told),
		cmocka_unit_test(test_timerlat_and_sections),
		cmocka_unit_test(test_timerlat_apart),
		cmocka_unit_test(test_timerlat_full),
		cmocka_unit_test(test_latency_format),
		cmocka_unit_test(test_osnoise),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_hwlat),
		cmocka_unit_test(test_digest),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
