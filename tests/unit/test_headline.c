/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyze/explain.h"
#include "analyze/headline.h"
#include "trace.h"

static struct reader *reader; /* of the report explained last */

static struct report explain_cpu(struct trace *t, int64_t cpu)
{
	struct capture *c;
	struct source *s;
	struct err err = { 0 };
	struct report report = { 0 };
	struct explain_options o = { .cpu = cpu,
				     .top = 8,
				     .what_if = { .turns = UNKNOWN, .budget_ns = UNKNOWN } };
	reader_close(reader);
	reader = trace_first(t->text.p, &c, &s);
	assert_int_equal(analyze_explain(c, s, &o, &report, &err), 0);
	strbuf_fini(&t->text);
	return report;
}

static struct report explain(struct trace *t)
{
	return explain_cpu(t, UNKNOWN);
}

static struct finding *finding(const struct report *r, const char *section, const char *key)
{
	return section_get(report_get(r, section), key);
}

static const char *text_fact(const struct report *r, const char *section, const char *key,
			     const char *fact)
{
	struct value v = finding_get(finding(r, section, key), fact);
	return v.type == VALUE_TEXT ? v.text : NULL;
}

static int64_t number_fact(const struct report *r, const char *section, const char *key,
			   const char *fact)
{
	struct value v = finding_get(finding(r, section, key), fact);
	return v.type == VALUE_TIME || v.type == VALUE_COUNT || v.type == VALUE_YES ? v.number
										    : UNKNOWN;
}

static void says(const struct report *r, const char *section, const char *key, const char *words)
{
	struct finding *f = finding(r, section, key);
	if (!f || !f->text || !strstr(f->text, words))
		fail_msg("%s.%s says '%s', not '%s'", section, key, f && f->text ? f->text : "-",
			 words);
}

static void says_not(const struct report *r, const char *section, const char *key,
		     const char *words)
{
	struct finding *f = finding(r, section, key);
	if (f && f->text && strstr(f->text, words))
		fail_msg("%s.%s says '%s'", section, key, f->text);
}

static void test_kinds(void **state)
{
	(void)state;
	static const struct {
		const char *tracer, *kind, *words;
	} cases[] = {
		{ "irqsoff", "irqs_off", "Interrupts were off for 10 us" },
		{ "preemptoff", "preempt_off", "Preemption was off for 10 us" },
		{ "preemptirqsoff", "preempt_irqs_off",
		  "Interrupts or preemption were off for 10 us" },
		{ "wakeup", "wakeup", "waited" },
		{ "wakeup_rt", "wakeup", "waited" },
		{ "wakeup_RT", "wakeup", "waited" },
		{ "wakeup_dl", "wakeup", "waited" },
		{ "preemption", "critical_section", "critical section" },
		{ "function", "trace", "A trace of" },
	};
	for (size_t i = 0; i < N_OF(cases); i++) {
		struct trace t = { 0 };
		trace_header(&t, cases[i].tracer, 10, 0);
		trace_entry(&t, "tool-100", "0d..1", 0, "f <-c");
		trace_entry(&t, "tool-100", "0d..1", 10, "g <-c");
		struct report r = explain(&t);
		assert_string_equal(text_fact(&r, "headline", "headline", "kind"), cases[i].kind);
		says(&r, "headline", "headline", cases[i].words);
		says(&r, "headline", "headline", "tool-100 (SCHED_FIFO 80)");
		report_fini(&r);
	}
}

/* A window that the user opened is never "preemption was off for". */
static void test_user_window(void **state)
{
	(void)state;
	struct trace t = { 0 };
	trace_line(&t, "preemption latency trace v1.1.5 on 2.6.21-rt1");
	trace_line(&t, " latency: 60 us, #3/3, CPU#0 | (M:rt VP:0, KP:0, SP:1 HP:1 #P:1)");
	trace_line(&t, " => started at: .__switch_to+0xa8/0x178 <c00000000000feec>");
	trace_line(&t, " => ended at:   .__start+0x4000000000000000/0x8 <00000000>");
	trace_entry(&t, "inetd-358", "0D..2", 0, ".user_trace_start (.__switch_to)");
	trace_entry(&t, "inetd-358", "0D..3", 5, ".f (.__switch_to)");
	trace_entry(&t, "inetd-358", "0D..2", 60, ".user_trace_stop (.__switch_to)");
	struct report r = explain(&t);
	assert_string_equal(text_fact(&r, "headline", "headline", "kind"), "window");
	says(&r, "headline", "headline", "A traced window of 60 us");
	says_not(&r, "headline", "headline", "was off for");
	says(&r, "headline", "places",
	     "from user_trace_start to user_trace_stop, both in __switch_to");
	says(&r, "headline", "places", "interrupts and preemption were off");
	assert_string_equal(text_fact(&r, "headline", "headline", "kernel"), "2.6.21-rt1");
	report_fini(&r);
}

static void places(struct trace *t, const char *started, const char *ended)
{
	trace_header(t, "irqsoff", 20, 0);
	strbuf_printf(&t->text, "#  => started at: %s\n#  => ended at:   %s\n", started, ended);
}

/* A lock says little: the first frame that is neither lock nor tracer is named. */
static void test_place_from_callers(void **state)
{
	(void)state;
	struct trace t = { 0 };
	places(&t, "_raw_spin_lock_irqsave", "_raw_spin_unlock_irqrestore");
	trace_entry(&t, "tool-100", "0d..1", 0, "_raw_spin_lock_irqsave");
	trace_entry(&t, "tool-100", "0d..1", 1, "preempt_count_add <-_raw_spin_lock_irqsave");
	trace_entry(&t, "tool-100", "0d..1", 2, "step <-list_walk");
	trace_entry(&t, "tool-100", "0d..1", 20, "trace_hardirqs_on <-_raw_spin_unlock_irqrestore");
	struct report r = explain(&t);
	says(&r, "headline", "places", "from list_walk (_raw_spin_lock_irqsave)");
	report_fini(&r);
}

static void test_place_from_stack(void **state)
{
	(void)state;
	struct trace t = { 0 };
	places(&t, "_raw_spin_lock_irqsave", "_raw_spin_unlock_irqrestore");
	trace_entry(&t, "tool-100", "0d..1", 0, "_raw_spin_lock_irqsave");
	trace_entry(&t, "tool-100", "0d..1", 20, "_raw_spin_unlock_irqrestore");
	trace_entry(&t, "tool-100", "0d..1", 25, "trace_hardirqs_on <-_raw_spin_unlock_irqrestore");
	trace_entry(&t, "tool-100", "0d..1", 70, "<stack trace>");
	trace_line(&t, " => trace_hardirqs_on");
	trace_line(&t, " => _raw_spin_unlock_irqrestore");
	trace_line(&t, " => slob_free");
	trace_line(&t, " => kfree");
	struct report r = explain(&t);
	says(&r, "headline", "places", "to slob_free (_raw_spin_unlock_irqrestore)");
	report_fini(&r);
}

static void test_plain_places(void **state)
{
	(void)state;
	struct trace t = { 0 };
	places(&t, "irqentry_enter", "irqentry_exit_to_user_mode");
	trace_entry(&t, "tool-100", "0d..1", 0, "f <-c");
	trace_entry(&t, "tool-100", "0d..1", 20, "g <-c");
	struct report r = explain(&t);
	says(&r, "headline", "places", "from irqentry_enter to irqentry_exit_to_user_mode");
	report_fini(&r);
}

/* A wake-up tracer has no places of its own: what its header has is another tracer's. */
static void test_wakeup_without_places(void **state)
{
	(void)state;
	struct trace t = { 0 };
	trace_header(&t, "wakeup_rt", 20, 0);
	trace_line(&t, "#  => started at: irqentry_enter");
	trace_line(&t, "#  => ended at:   handle_softirqs");
	trace_entry(&t, "x-1", "0d..1", 0, "f <-c");
	trace_entry(&t, "x-1", "0d..1", 20, "g <-c");
	struct report r = explain(&t);
	says_not(&r, "headline", "places", "irqentry_enter");
	report_fini(&r);
}

static void wakeup(struct trace *t, int64_t latency)
{
	trace_header(t, "wakeup", latency, 1);
	trace_entry(t, "<idle>-0", "1d.h5", 2, "      0:120:R   + [001]     100: 19:R tool");
	trace_entry(t, "<idle>-0", "1d.h5", 10, "<stack trace>");
	trace_line(t, " => probe_wakeup");
	trace_line(t, " => try_to_wake_up");
	trace_line(t, " => hrtimer_wakeup");
	trace_entry(t, "<idle>-0", "1dNh5", 12, "smp_call <-tick");
	trace_entry(t, "<idle>-0", "1d..3", 40, "__schedule <-schedule_idle");
}

static void test_wakeup(void **state)
{
	(void)state;
	struct trace t = { 0 };
	wakeup(&t, 60);
	trace_entry(&t, "<idle>-0", "1d..3", 45, "      0:120:R ==> [001]     100: 19:R tool");
	trace_entry(&t, "<idle>-0", "1d..3", 60, "<stack trace>");
	struct report r = explain(&t);
	assert_true(number_fact(&r, "wakeup", "woken", "at_ns") == 2000);
	assert_string_equal(text_fact(&r, "wakeup", "woken", "from"), "hrtimer_wakeup");
	assert_true(number_fact(&r, "wakeup", "need_resched", "at_ns") == 12000);
	assert_true(number_fact(&r, "wakeup", "switched_in", "at_ns") == 45000);
	assert_true(number_fact(&r, "wakeup", "switched_in", "from_wakeup_ns") == 43000);
	assert_true(number_fact(&r, "wakeup", "resched_to_switch", "resched_to_switch_ns") ==
		    33000);
	report_fini(&r);
}

static void test_wakeup_without_switch(void **state)
{
	(void)state;
	struct trace t = { 0 };
	wakeup(&t, 60);
	struct report r = explain(&t);
	assert_non_null(finding(&r, "wakeup", "not_switched"));
	assert_null(finding(&r, "wakeup", "switched_in"));
	report_fini(&r);
}

/* Wake-ups and switches of other tasks are not this one's. */
static void test_other_wakeups(void **state)
{
	(void)state;
	struct trace t = { 0 };
	wakeup(&t, 60);
	trace_entry(&t, "<idle>-0", "1d..3", 41, "      0:120:R   + [001]       7: 19:R other");
	trace_entry(&t, "<idle>-0", "1d..3", 42, "      0:120:R ==> [001]       7: 19:R other");
	trace_entry(&t, "other-7", "1d..3", 50, "      7: 19:S ==> [001]     100: 19:R tool");
	struct report r = explain(&t);
	assert_true(number_fact(&r, "wakeup", "woken", "at_ns") == 2000);
	assert_true(number_fact(&r, "wakeup", "switched_in", "at_ns") == 50000);
	report_fini(&r);
}

static void test_policies(void **state)
{
	(void)state;
	static const char *const cases[][2] = {
		{ "nice:-5 policy:0 rt_prio:0", "SCHED_OTHER, nice -5" },
		{ "nice:0 policy:1 rt_prio:80", "SCHED_FIFO 80" },
		{ "nice:0 policy:2 rt_prio:7", "SCHED_RR 7" },
		{ "nice:0 policy:6 rt_prio:0", "SCHED_DEADLINE" },
	};
	for (size_t i = 0; i < N_OF(cases); i++) {
		struct trace t = { 0 };
		trace_line(&t, "# tracer: irqsoff");
		trace_line(&t, "# latency: 10 us, #2/2, CPU#0 | (M:preempt VP:0)");
		strbuf_printf(&t.text, "#    | task: tool-100 (uid:0 %s)\n", cases[i][0]);
		trace_entry(&t, "tool-100", "0d..1", 0, "f <-c");
		struct report r = explain(&t);
		says(&r, "headline", "headline", cases[i][1]);
		report_fini(&r);
	}
}

/* The header's latency is that of the header's CPU. */
static void test_another_cpu(void **state)
{
	(void)state;
	struct trace t = { 0 };
	trace_header(&t, "irqsoff", 10, 0);
	trace_entry(&t, "tool-100", "0d..1", 0, "f <-c");
	trace_entry(&t, "x-1", "1...1", 2, "f <-c");
	trace_entry(&t, "x-1", "1...1", 8, "f <-c");
	trace_entry(&t, "tool-100", "0d..1", 10, "f <-c");
	struct report r = explain_cpu(&t, 1);
	says_not(&r, "headline", "headline", "off for 10 us on CPU 1");
	report_fini(&r);
}

/* What is not known is not 0. */
static void test_unknown(void **state)
{
	(void)state;
	struct trace t = { 0 };
	trace_line(&t, "# tracer: irqsoff");
	trace_line(&t, "# irqsoff latency trace v1.1.5 on 6.1.0");
	struct report r = explain(&t);
	says_not(&r, "headline", "headline", "0 ns");
	report_fini(&r);

	t = (struct trace){ 0 };
	trace_entry(&t, "tool-100", "0d..1", 0, "f <-c");
	trace_entry(&t, "tool-100", "0d..1", 9, "f <-c");
	r = explain(&t);
	says(&r, "headline", "headline", "9 us");
	assert_null(text_fact(&r, "headline", "headline", "tracer"));
	assert_true(number_fact(&r, "headline", "headline", "pid") == UNKNOWN);
	report_fini(&r);
}

/* A report is compared with others when its input is long closed. */
static void test_report_outlives_input(void **state)
{
	(void)state;
	struct trace t = { 0 };
	trace_header(&t, "irqsoff", 10, 0);
	trace_entry(&t, "tool-100", "0d..1", 0, "f <-c");
	trace_entry(&t, "tool-100", "0d..1", 10, "sched_switch: x");
	struct report r = explain(&t);
	reader_close(reader);
	reader = NULL;
	assert_string_equal(text_fact(&r, "headline", "headline", "tracer"), "irqsoff");
	assert_string_equal(text_fact(&r, "headline", "headline", "kernel"), "6.1.0");
	assert_string_equal(text_fact(&r, "headline", "headline", "comm"), "tool");
	report_fini(&r);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_user_window),
		cmocka_unit_test(test_place_from_callers),
		cmocka_unit_test(test_place_from_stack),
		cmocka_unit_test(test_plain_places),
		cmocka_unit_test(test_wakeup_without_places),
		cmocka_unit_test(test_wakeup),
		cmocka_unit_test(test_wakeup_without_switch),
		cmocka_unit_test(test_other_wakeups),
		cmocka_unit_test(test_policies),
		cmocka_unit_test(test_another_cpu),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_report_outlives_input),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
