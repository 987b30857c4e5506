/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "read/latency_header.h"

static struct names names;
static struct capture c;

static int setup(void **state)
{
	(void)state;
	names_init(&names);
	capture_init(&c, &names);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	capture_fini(&c);
	names_fini(&names);
	return 0;
}

/* NULL, or what is wrong with the line. */
static const char *take(const char *line, enum header_line want)
{
	enum header_line got = header_classify(str_of(line));
	if (got != want)
		fail_msg("'%s' is %d, not %d", line, got, want);
	return header_read(&c, got, str_of(line));
}

static void test_classes(void **state)
{
	(void)state;
	static const struct {
		const char *line;
		enum header_line kind;
	} cases[] = {
		{ "# tracer: irqsoff", HEADER_TRACER },
		{ "tracer: irqsoff", HEADER_NONE },
		{ "# irqsoff latency trace v1.1.5 on 3.8.0-test+", HEADER_TITLE },
		{ "preemption latency trace v1.1.5 on 2.6.21-rt1", HEADER_TITLE },
		{ "here is my latency trace v1.1.5", HEADER_NONE }, /* prose */
		{ "the latency trace version", HEADER_NONE },
		{ "# latency: 259 us, #4/4, CPU#2 | (M:preempt VP:0, KP:0, SP:0 HP:0 #P:4)",
		  HEADER_LATENCY },
		{ " latency: 60 us, #53/53, CPU#0 | (M:rt VP:0)", HEADER_LATENCY },
		{ "latency: low", HEADER_NONE },
		{ "#    | task: ps-6143 (uid:0 nice:0 policy:0 rt_prio:0)", HEADER_TASK },
		{ "    | task: inetd-358 (uid:0 nice:0 policy:0 rt_prio:0)", HEADER_TASK },
		{ "# task: ps-6143", HEADER_TASK },
		{ "task: read this", HEADER_NONE },
		{ "#  => started at: __lock_task_sighand", HEADER_PLACE },
		{ " => ended at:   0", HEADER_PLACE },
		{ " => func", HEADER_NONE },
		{ "#", HEADER_DRAWING },
		{ "#    -----------------", HEADER_DRAWING },
		{ "--------------------------------------------------------------------",
		  HEADER_DRAWING },
		{ "                 _------=> CPU#            ", HEADER_DRAWING },
		{ "               | / _----=> need-resched    ", HEADER_DRAWING },
		{ "   cmd     pid ||||| time  |   caller      ", HEADER_DRAWING },
		{ "      \\   /    |||||   \\   |   /           ", HEADER_DRAWING },
		{ "vim:ft=help", HEADER_DRAWING },
		{ "#  cmd     pid     |||||| time  |   caller     ", HEADER_DRAWING },
		{ "--", HEADER_NONE },
		{ "Hello all,", HEADER_NONE },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		enum header_line got = header_classify(str_of(cases[i].line));
		if (got != cases[i].kind)
			fail_msg("'%s' is %d, not %d", cases[i].line, got, cases[i].kind);
	}
	/* Other tools print latencies, too, in other units. */
	assert_int_equal(header_classify(str_of("latency: 5 ms, as measured")), HEADER_NONE);
}

static void test_mainline(void **state)
{
	(void)state;
	assert_null(take("# tracer: irqsoff", HEADER_TRACER));
	assert_null(take("# irqsoff latency trace v1.1.5 on 3.8.0-test+", HEADER_TITLE));
	assert_null(take("# latency: 259 us, #4/17, CPU#2 | (M:preempt VP:0, KP:0, SP:0 HP:0 #P:4)",
			 HEADER_LATENCY));
	assert_null(take("#    | task: ps-6143 (uid:7 nice:-5 policy:1 rt_prio:80)", HEADER_TASK));
	assert_null(take("#  => started at: __lock_task_sighand", HEADER_PLACE));
	assert_null(take("#  => ended at:   _raw_spin_unlock_irqrestore", HEADER_PLACE));

	const struct trace_header *h = &c.trace;
	assert_int_equal(h->style, TRACE_STYLE_MAINLINE);
	assert_string_equal(h->tracer, "irqsoff");
	assert_string_equal(h->version, "v1.1.5");
	assert_string_equal(h->kernel, "3.8.0-test+");
	assert_string_equal(h->preempt_model, "preempt");
	assert_int_equal(h->latency_us, 259);
	assert_int_equal(h->entries_in_buffer, 4);
	assert_int_equal(h->entries_written, 17);
	assert_int_equal(h->cpu, 2);
	assert_int_equal(h->cpus, 4);
	assert_string_equal(h->task.comm, "ps");
	assert_int_equal(h->task.pid, 6143);
	assert_int_equal(h->task.uid, 7);
	assert_int_equal(h->task.nice, -5);
	assert_int_equal(h->task.policy, 1);
	assert_int_equal(h->task.rt_prio, 80);
	assert_string_equal(h->started_at, "__lock_task_sighand");
	assert_string_equal(h->ended_at, "_raw_spin_unlock_irqrestore");
	assert_false(h->ended_at_nowhere);
}

static void test_nothing(void **state)
{
	(void)state;
	const struct trace_header *h = &c.trace;
	assert_null(h->tracer);
	assert_null(h->task.comm);
	assert_true(h->latency_us == UNKNOWN && h->cpu == UNKNOWN && h->cpus == UNKNOWN);
	assert_true(h->entries_in_buffer == UNKNOWN && h->entries_written == UNKNOWN);
	assert_true(h->task.pid == UNKNOWN && h->task.rt_prio == UNKNOWN);
	assert_null(take("# latency: 259 us, done", HEADER_LATENCY));
	assert_true(h->cpu == UNKNOWN && h->cpus == UNKNOWN && h->entries_in_buffer == UNKNOWN);
	assert_null(h->preempt_model);
}

/* The unit as Latin-1, as UTF-8, and as what mails make of both. */
static void test_units(void **state)
{
	(void)state;
	static const char *const units[] = { "us", "\xb5s",       "\xc2\xb5s", "\xef\xbf\xbds",
					     "?s", "\xed\x83\x8e" };
	char line[128];
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		snprintf(line, sizeof(line), " latency: %zu %s, #53/53, CPU#0 | (M:rt VP:0)",
			 60 + i, units[i]);
		assert_null(take(line, HEADER_LATENCY));
		assert_int_equal(c.trace.latency_us, 60 + (int)i);
	}
}

static void test_preempt_models(void **state)
{
	(void)state;
	static const struct {
		const char *line, *model;
	} cases[] = {
		{ "# latency: 1 us, #4/4, CPU#2 | (M:preempt_rt VP:0, KP:0, SP:0 HP:0 #P:4)",
		  "preempt_rt" },
		{ "# latency: 1 us, #4/4, CPU#2 | (M:PREEMPT(none) VP:0, KP:0, SP:0 HP:0 #P:4)",
		  "PREEMPT(none)" },
		{ "# latency: 1 us, #4/4, CPU#2 | (M:PREEMPT(lazy) VP:0, KP:0, SP:0 HP:0)",
		  "PREEMPT(lazy)" },
		{ "# latency: 1 us, #4/4, CPU#2 | (M:NONE VP:0, KP:0, SP:0 HP:0)", "NONE" },
		{ "# latency: 1 us, #4/4, CPU#2 | (M:server)", "server" },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_null(take(cases[i].line, HEADER_LATENCY));
		assert_string_equal(c.trace.preempt_model, cases[i].model);
	}
}

static void test_tasks(void **state)
{
	(void)state;
	static const struct {
		const char *line, *comm;
		int64_t pid, rt_prio;
	} cases[] = {
		{ "#    | task: -0 (uid:0 nice:0 policy:0 rt_prio:0)", "", 0, 0 },
		{ "#    | task: kworker/3:1H-312 (uid:0 nice:-20 policy:0 rt_prio:0)",
		  "kworker/3:1H", 312, 0 },
		{ "#    | task: a-b c-7 (uid:0 nice:0 policy:1 rt_prio:99)", "a-b c", 7, 99 },
		{ "    | task: softirq-timer/0-4 (uid:0 nice:0 policy:1 rt_prio:1)",
		  "softirq-timer/0", 4, 1 },
		{ "#    | task: x-5", "x", 5, UNKNOWN },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		c.trace.task =
			(struct trace_task){ NULL, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN };
		assert_null(take(cases[i].line, HEADER_TASK));
		assert_string_equal(c.trace.task.comm, cases[i].comm);
		assert_true(c.trace.task.pid == cases[i].pid);
		assert_true(c.trace.task.rt_prio == cases[i].rt_prio);
	}
}

static void test_null_addresses(void **state)
{
	(void)state;
	static const char *const ends[] = {
		" => ended at:   .__start+0x4000000000000000/0x8 <00000000>",
		" => ended at:   __start+0x0/0x8 <0000000000000000>",
		" => ended at:   <00000000>",
		" => ended at:   0",
	};
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		c.trace.ended_at_nowhere = false;
		assert_null(take(ends[i], HEADER_PLACE));
		assert_true(c.trace.ended_at_nowhere);
	}
	assert_null(take(" => ended at:   schedule+0x10/0x80 <c0100000>", HEADER_PLACE));
	assert_false(c.trace.ended_at_nowhere);
	assert_string_equal(c.trace.ended_at, "schedule");

	/* A start that is nowhere is no place either. */
	assert_null(take(" => started at: <00000000>", HEADER_PLACE));
	assert_null(c.trace.started_at);
}

static void test_broken(void **state)
{
	(void)state;
	assert_non_null(take("# latency: many us, #4/4, CPU#2", HEADER_LATENCY));
	assert_non_null(take("# latency: 99999999999999999999 us, #4/4, CPU#2", HEADER_LATENCY));
	assert_true(c.trace.latency_us == UNKNOWN);
	assert_non_null(take("#    | task: nobody", HEADER_TASK));
	assert_non_null(take("#    | task: x-99999999999999999999 (uid:0)", HEADER_TASK));
	assert_null(take("# latency: 1 us, #99999999999999999999/4, CPU#2", HEADER_LATENCY));
	assert_true(c.trace.entries_in_buffer == UNKNOWN);
}

static void test_corrupted(void **state)
{
	(void)state;
	assert_null(take("# WARNING: FUNCTION TRACING IS CORRUPTED", HEADER_DRAWING));
	assert_true(c.trace.corrupted);
}

#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(test_classes),        TEST(test_mainline),       TEST(test_nothing),
		TEST(test_units),          TEST(test_preempt_models), TEST(test_tasks),
		TEST(test_null_addresses), TEST(test_broken),         TEST(test_corrupted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
