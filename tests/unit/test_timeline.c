/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyze/timeline.h"
#include "trace.h"

#define SPANS 64

struct run {
	struct span_listener listener;
	struct trace trace;
	struct symbols symbols;
	struct timeline t;
	struct reader *reader;
	struct span spans[SPANS];
	size_t n;
	int64_t total;
};

static void keep(struct span_listener *l, const struct span *s)
{
	struct run *r = (struct run *)l;
	if (r->n < SPANS)
		r->spans[r->n] = *s;
	r->n++;
	r->total += s->dur;
}

static void run_cpu(struct run *r, int64_t cpu)
{
	struct capture *c;
	struct source *s;
	r->reader = trace_first(r->trace.text.p, &c, &s);
	symbols_init(&r->symbols, c->names);
	timeline_init(&r->t, &r->symbols, cpu);
	r->listener.span = keep;
	timeline_listen(&r->t, &r->listener);
	trace_run(c, s, &r->t.sink);
	/* This holds always. */
	assert_true(r->t.head + r->t.tail + r->t.holes + r->t.covered == timeline_length(&r->t));
	int64_t contexts = r->t.idle_time + r->t.tracer_time;
	for (int i = 0; i < CONTEXT_COUNT; i++)
		contexts += r->t.context_time[i];
	assert_true(contexts == r->t.covered);
	assert_true(r->total == r->t.covered);
}

static void run(struct run *r)
{
	run_cpu(r, UNKNOWN);
}

static void end(struct run *r)
{
	symbols_fini(&r->symbols);
	reader_close(r->reader);
	strbuf_fini(&r->trace.text);
}

static const char *name(const struct run *r, size_t i)
{
	assert_true(i < r->n);
	return symbols_text(&r->symbols, r->spans[i].what.id);
}

static void expect(const struct run *r, size_t i, const char *what, int64_t dur_us)
{
	assert_string_equal(name(r, i), what);
	if (r->spans[i].dur != dur_us * 1000)
		fail_msg("%s takes %lld ns, not %lld us", what, (long long)r->spans[i].dur,
			 (long long)dur_us);
}

#define ENTRY(flags, us, payload) trace_entry(&r.trace, "x-1", flags, us, payload)

static void test_window(void **state)
{
	(void)state;
	struct run r = { 0 };
	trace_header(&r.trace, "irqsoff", 20, 0);
	ENTRY("0d..1", 3, "a <-c");
	ENTRY("0d..1", 5, "b <-c");
	ENTRY("0d..1", 5, "d <-c");
	ENTRY("0d..1", 15, "a <-c");
	run(&r);
	assert_true(r.t.window_of_header);
	assert_true(timeline_length(&r.t) == 20000);
	assert_true(r.t.head == 3000 && r.t.tail == 5000 && r.t.holes == 0);
	assert_int_equal(r.n, 4);
	expect(&r, 0, "a", 2);
	expect(&r, 1, "b", 0);
	expect(&r, 2, "d", 10);
	expect(&r, 3, "a", 0); /* nobody knows when it ended */
	assert_string_equal(symbols_text(&r.symbols, r.spans[0].next), "b");
	assert_int_equal(r.spans[3].next_line, 0);
	assert_int_equal(r.t.entries, 4);
	assert_int_equal(r.t.lines, 4);
	end(&r);
}

/* What goes on after the window's end is left out; the last entry's time ends with it. */
static void test_after_the_window(void **state)
{
	(void)state;
	struct run r = { 0 };
	trace_header(&r.trace, "irqsoff", 10, 0);
	ENTRY("0d..1", 0, "a <-c");
	ENTRY("0d..1", 8, "b <-c");
	ENTRY("0d..1", 12, "d <-c");
	ENTRY("0d..1", 500, "e <-c");
	ENTRY("0d..1", 9, "back <-c");
	run(&r);
	assert_int_equal(r.n, 2);
	expect(&r, 1, "b", 2);
	assert_int_equal(r.t.after, 3);
	assert_true(r.t.tail == 0);
	end(&r);
}

/* Stamps before the window, of the time before the section began: only what lies inside counts. */
static void test_before_the_window(void **state)
{
	(void)state;
	struct run r = { 0 };
	trace_header(&r.trace, "irqsoff", 10, 0);
	ENTRY("0d..1", -5, "early <-c");
	ENTRY("0d..1", -2, "a <-c");
	ENTRY("0d..1", 3, "b <-c");
	ENTRY("0d..1", 10, "d <-c");
	run(&r);
	assert_true(r.t.head >= 0);
	assert_true(r.t.covered <= timeline_length(&r.t));
	assert_true(r.t.before > 0);
	end(&r);
}

/* A latency that the stamps contradict is no window. */
static void test_window_contradicted(void **state)
{
	(void)state;
	struct run r = { 0 };
	trace_header(&r.trace, "irqsoff", 10, 0);
	ENTRY("0d..1", 1077389094, "a <-c");
	ENTRY("0d..1", 1077389099, "b <-c");
	run(&r);
	assert_false(r.t.window_of_header);
	assert_true(timeline_length(&r.t) == 5000);
	assert_true(r.t.head == 0 && r.t.tail == 0);
	expect(&r, 0, "a", 5);
	end(&r);
}

static void test_no_latency(void **state)
{
	(void)state;
	struct run r = { 0 };
	ENTRY("2d..1", -3, "a <-c");
	ENTRY("2d..1", 4, "b <-c");
	run(&r);
	assert_false(r.t.window_of_header);
	assert_true(timeline_length(&r.t) == 7000);
	assert_int_equal(r.t.cpu, 2);
	end(&r);
}

static void test_one_entry(void **state)
{
	(void)state;
	struct run r = { 0 };
	trace_header(&r.trace, "irqsoff", 10, 0);
	ENTRY("0d..1", 4, "a <-c");
	run(&r);
	assert_true(r.t.head == 4000 && r.t.tail == 6000 && r.t.covered == 0);
	end(&r);
}

/* The dump of a stack may stand first. */
static void test_stack_first(void **state)
{
	(void)state;
	struct run r = { 0 };
	trace_header(&r.trace, "irqsoff", 10, 0);
	ENTRY("0d..1", 1, "<stack trace>");
	trace_line(&r.trace, " => f");
	ENTRY("0d..1", 4, "a <-c");
	ENTRY("0d..1", 10, "b <-c");
	run(&r);
	assert_true(r.t.head == 1000);
	assert_true(r.t.tracer_time == 3000);
	end(&r);
}

static void test_holes(void **state)
{
	(void)state;
	struct run r = { 0 };
	trace_header(&r.trace, "irqsoff", 20, 0);
	ENTRY("0d..1", 0, "a <-c");
	ENTRY("0d..1", 2, "b <-c");
	trace_line(&r.trace, "[...]");
	ENTRY("0d..1", 15, "d <-c");
	ENTRY("0d..1", 20, "e <-c");
	run(&r);
	expect(&r, 1, "b", 0);
	expect(&r, 2, "d", 5);
	assert_true(r.t.holes == 13000);
	end(&r);
}

static void test_lost(void **state)
{
	(void)state;
	struct run r = { 0 };
	trace_header(&r.trace, "irqsoff", 20, 0);
	ENTRY("0d..1", 0, "a <-c");
	trace_line(&r.trace, "CPU:0 [LOST 12 EVENTS]");
	ENTRY("0d..1", 5, "b <-c");
	trace_line(&r.trace, "CPU:1 [LOST 12 EVENTS]"); /* of another CPU: nothing to us */
	ENTRY("0d..1", 15, "d <-c");
	ENTRY("0d..1", 20, "e <-c");
	run(&r);
	expect(&r, 0, "a", 0);
	expect(&r, 1, "b", 10);
	assert_true(r.t.holes == 5000);
	end(&r);
}

/* Nor is time given across a loss where the window ends behind it. */
static void test_lost_at_the_end(void **state)
{
	(void)state;
	for (int hole = 0; hole < 2; hole++) {
		struct run r = { 0 };
		trace_header(&r.trace, "irqsoff", 20, 0);
		ENTRY("0d..1", 0, "a <-c");
		ENTRY("0d..1", 5, "b <-c");
		trace_line(&r.trace, hole ? "[...]" : "CPU:0 [LOST 12 EVENTS]");
		ENTRY("0d..1", 30, "d <-c");
		run(&r);
		expect(&r, 1, "b", 0);
		assert_true(r.t.holes + r.t.tail == 15000);
		end(&r);
	}
}

static void test_backwards(void **state)
{
	(void)state;
	struct run r = { 0 };
	trace_header(&r.trace, "irqsoff", 20, 0);
	ENTRY("0d..1", 0, "a <-c");
	ENTRY("0d..1", 9, "b <-c");
	ENTRY("0d..1", 4, "d <-c");
	ENTRY("0d..1", 20, "e <-c");
	run(&r);
	assert_int_equal(r.t.backwards, 1);
	expect(&r, 1, "b", 0);
	expect(&r, 2, "d", 16);
	end(&r);
}

static void test_other_cpus(void **state)
{
	(void)state;
	for (int cpu = 0; cpu < 2; cpu++) {
		struct run r = { 0 };
		trace_header(&r.trace, "preemptirqsoff", 20, 1);
		ENTRY("1d..1", 0, "a <-c");
		ENTRY("0d..1", 3, "other <-c");
		ENTRY("1d..1", 10, "b <-c");
		ENTRY("0d..1", 12, "other <-c");
		ENTRY("1d..1", 20, "d <-c");
		run_cpu(&r, cpu ? UNKNOWN : 0);
		assert_int_equal(r.t.lines, 5);
		assert_int_equal(r.t.other_cpu, cpu ? 2 : 3);
		assert_int_equal(r.n, cpu ? 3 : 2);
		expect(&r, 0, cpu ? "a" : "other", cpu ? 10 : 9);
		end(&r);
	}
}

static void test_kinds(void **state)
{
	(void)state;
	static const struct {
		const char *payload;
		enum span_kind kind;
	} cases[] = {
		{ "f <-c", SPAN_FUNCTION },
		{ "f <-f", SPAN_MARK },
		{ "user_trace_start <-c", SPAN_MARK },
		{ "0", SPAN_MARK },
		{ "sched_switch: x", SPAN_EVENT },
		{ "f (1 2 3)", SPAN_EVENT },
		{ "<stack trace>", SPAN_TRACER },
		{ "f <-c", SPAN_FUNCTION },
	};
	struct run r = { 0 };
	trace_header(&r.trace, "irqsoff", 20, 0);
	for (size_t i = 0; i < N_OF(cases); i++)
		ENTRY("0d..1", (int64_t)i, cases[i].payload);
	run(&r);
	assert_int_equal(r.n, N_OF(cases));
	for (size_t i = 0; i < N_OF(cases); i++)
		assert_int_equal(r.spans[i].kind, cases[i].kind);
	assert_int_equal(r.t.stacks, 1);
	assert_int_equal(r.t.entries, N_OF(cases) - 1);
	end(&r);
}

/* What stands between a wake-up line and its stack is the dump being taken. */
static void test_stack_of_a_mark(void **state)
{
	(void)state;
	struct run r = { 0 };
	trace_header(&r.trace, "wakeup", 500, 1);
	ENTRY("1dNh5", 2, "      0:120:R   + [001]     100: 19:R tool");
	ENTRY("1dNh5", 125, "<stack trace>");
	ENTRY("1dNh5", 128, "f <-c");
	ENTRY("1dNh5", 200, "f <-c");
	run(&r);
	assert_true(r.t.tracer_time == 126000);
	assert_true(r.t.context_time[CONTEXT_HARDIRQ] == 72000);
	end(&r);
}

static void test_waker_elsewhere(void **state)
{
	(void)state;
	struct run r = { 0 };
	trace_header(&r.trace, "wakeup", 50, 1);
	trace_entry(&r.trace, "w-7", "0d.h5", 0, "      7:120:R   + [001]     100: 19:R tool");
	trace_entry(&r.trace, "w-7", "0d.h5", 1, "      7:120:R   + [002]     200: 19:R other");
	trace_entry(&r.trace, "w-7", "0d.h5", 5, "f <-c");
	trace_entry(&r.trace, "<idle>-0", "1d..1", 20, "__schedule <-c");
	trace_entry(&r.trace, "<idle>-0", "1d..1", 50,
		    "      0:120:R ==> [001]     100: 19:R tool");
	run(&r);
	/* Gaps across CPUs carry an unknown skew: they are nobody's time. */
	assert_int_equal(r.t.other_cpu, 3);
	assert_int_equal(r.n, 2);
	assert_true(r.t.head == 20000);
	assert_true(r.t.idle_time == 30000);
	end(&r);
}

static void test_contexts(void **state)
{
	(void)state;
	struct run r = { 0 };
	trace_header(&r.trace, "preemptoff", 100, 0);
	ENTRY("0...1", 0, "work <-main"); /* task 10 */
	ENTRY("0d..1", 10,
	      "irq_enter_rcu <-sysvec_apic_timer_interrupt");             /* flags lag: hardirq 2 */
	ENTRY("0d.h1", 12, "timer <-sysvec_apic_timer_interrupt");        /* hardirq 20 */
	ENTRY("0d.h1", 32, "irq_exit_rcu <-sysvec_apic_timer_interrupt"); /* hardirq 3 */
	ENTRY("0d..1", 35, "preempt_count_sub <-irq_exit_rcu");           /* flags lag: hardirq 1 */
	ENTRY("0...1", 36, "work <-main");                                /* task 14 */
	ENTRY("0..s1", 50, "handle_softirqs <-do_softirq");               /* softirq 20 */
	ENTRY("0d.H1", 70, "nested <-common_interrupt");                  /* hardirq 5 */
	ENTRY("0..s1", 75, "rcu_core <-handle_softirqs");                 /* softirq 5 */
	ENTRY("0d.Z1", 80, "exc_nmi <-asm_exc_nmi");                      /* NMI 10 */
	ENTRY("0...1", 90, "work <-main");                                /* task 10 */
	ENTRY("0...1", 100, "end <-main");
	run(&r);
	assert_true(r.t.context_time[CONTEXT_TASK] == 34000);
	assert_true(r.t.context_time[CONTEXT_HARDIRQ] == 31000);
	assert_true(r.t.context_time[CONTEXT_SOFTIRQ] == 25000);
	assert_true(r.t.context_time[CONTEXT_NMI] == 10000);
	assert_int_equal(r.t.interruptions_of[CONTEXT_HARDIRQ], 2);
	assert_int_equal(r.t.interruptions_of[CONTEXT_SOFTIRQ], 1);
	assert_int_equal(r.t.interruptions_of[CONTEXT_NMI], 1);
	assert_true(r.t.interruption_time[CONTEXT_HARDIRQ] == 31000);
	assert_true(r.t.interruption_time[CONTEXT_SOFTIRQ] == 25000);
	assert_true(r.t.interruption_time[CONTEXT_NMI] == 10000);
	assert_int_equal(r.t.n_interruptions, 4);
	assert_true(r.spans[0].interrupted && !r.spans[1].interrupted && r.spans[5].interrupted);
	end(&r);
}

/* The window may begin in an interrupt: that one has interrupted nothing that is shown. */
static void test_begins_in_an_interrupt(void **state)
{
	(void)state;
	struct run r = { 0 };
	trace_header(&r.trace, "irqsoff", 30, 0);
	ENTRY("0d.h1", 0, "timer <-sysvec_apic_timer_interrupt");
	ENTRY("0d.h1", 5, "irq_exit_rcu <-sysvec_apic_timer_interrupt");
	ENTRY("0d..1", 10, "preempt_count_sub <-irq_exit_rcu");
	ENTRY("0d..1", 12, "work <-main");
	ENTRY("0d.h1", 20, "second <-sysvec_apic_timer_interrupt");
	ENTRY("0d..1", 30, "work <-main");
	run(&r);
	assert_int_equal(r.t.interruptions_of[CONTEXT_HARDIRQ], 1);
	assert_true(r.t.interruption_time[CONTEXT_HARDIRQ] == 10000);
	end(&r);
}

/* All are counted, the dearest are kept. */
static void test_many_interruptions(void **state)
{
	(void)state;
	struct run r = { 0 };
	trace_header(&r.trace, "preemptoff", 100000, 0);
	int64_t us = 0, total = 0;
	for (int i = 0; i < 3 * TIMELINE_INTERRUPTIONS; i++) {
		ENTRY("0...1", us, "work <-main");
		ENTRY("0d.h1", us + 1, "timer <-do_IRQ");
		us += 2 + i;
		total += 1 + i;
	}
	ENTRY("0...1", us, "work <-main");
	run(&r);
	assert_int_equal(r.t.interruptions_of[CONTEXT_HARDIRQ], 3 * TIMELINE_INTERRUPTIONS);
	assert_true(r.t.interruption_time[CONTEXT_HARDIRQ] == total * 1000);
	assert_int_equal(r.t.n_interruptions, TIMELINE_INTERRUPTIONS);
	for (uint32_t i = 0; i < r.t.n_interruptions; i++)
		assert_true(r.t.interruptions[i].dur > 2 * TIMELINE_INTERRUPTIONS * INT64_C(1000));
	end(&r);
}

static void test_idle(void **state)
{
	(void)state;
	struct run r = { 0 };
	trace_header(&r.trace, "preemptoff", 30, 0);
	trace_entry(&r.trace, "<idle>-0", "0...1", 0, "sleep <-cpuidle");
	trace_entry(&r.trace, "<idle>-0", "0d.h1", 10, "timer <-do_IRQ"); /* not idle */
	trace_entry(&r.trace, "x-1", "0...1", 15, "work <-main");
	trace_entry(&r.trace, "x-1", "0...1", 30, "work <-main");
	run(&r);
	assert_true(r.t.idle_time == 10000);
	assert_true(r.t.context_time[CONTEXT_HARDIRQ] == 5000);
	assert_true(r.t.context_time[CONTEXT_TASK] == 15000);
	end(&r);
}

static void test_clock_step(void **state)
{
	(void)state;
	struct run r = { 0 };
	trace_header(&r.trace, "irqsoff", 1000, 0);
	for (int64_t i = 0; i < 20; i++)
		ENTRY("0d..1", i * 4 + (i % 3 ? 2 : 0), "f <-c");
	run(&r);
	assert_true(timeline_step(&r.t) == 2000);
	end(&r);

	r = (struct run){ 0 };
	trace_header(&r.trace, "irqsoff", 100, 0); /* too few to tell */
	ENTRY("0d..1", 0, "f <-c");
	ENTRY("0d..1", 50, "f <-c");
	run(&r);
	assert_true(timeline_step(&r.t) == 1000);
	end(&r);
}

/* Stamps at the ends of their type. */
static void test_huge_stamps(void **state)
{
	(void)state;
	struct run r = { 0 };
	ENTRY("0d..1", -9223372036854775, "a <-c");
	ENTRY("0d..1", 9223372036854775, "b <-c");
	ENTRY("0d..1", 0, "d <-c");
	ENTRY("0d..1", 1, "e <-c");
	struct capture *c;
	struct source *s;
	r.reader = trace_first(r.trace.text.p, &c, &s);
	symbols_init(&r.symbols, c->names);
	timeline_init(&r.t, &r.symbols, UNKNOWN);
	trace_run(c, s, &r.t.sink);
	assert_int_equal(r.t.backwards, 1);
	end(&r);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_window),
		cmocka_unit_test(test_after_the_window),
		cmocka_unit_test(test_before_the_window),
		cmocka_unit_test(test_window_contradicted),
		cmocka_unit_test(test_no_latency),
		cmocka_unit_test(test_one_entry),
		cmocka_unit_test(test_stack_first),
		cmocka_unit_test(test_holes),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_lost_at_the_end),
		cmocka_unit_test(test_backwards),
		cmocka_unit_test(test_other_cpus),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_stack_of_a_mark),
		cmocka_unit_test(test_waker_elsewhere),
		cmocka_unit_test(test_contexts),
		cmocka_unit_test(test_begins_in_an_interrupt),
		cmocka_unit_test(test_many_interruptions),
		cmocka_unit_test(test_idle),
		cmocka_unit_test(test_clock_step),
		cmocka_unit_test(test_huge_stamps),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
