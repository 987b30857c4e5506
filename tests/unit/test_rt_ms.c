/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Traces of the -rt patches of 2004: v1.0 to v1.1.1. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace.h"

#include "roundtrip.h"

#include "read/latency_shapes.h"

static struct names names;
static struct entry_reader reader;
static struct event e;
static struct payload p;

static int setup(void **state)
{
	(void)state;
	names_init(&names);
	reader = (struct entry_reader){ .names = &names };
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	names_fini(&names);
	return 0;
}

static void parse(const char *line, enum entry_result want)
{
	enum entry_result got = rt_ms_parse(&reader, str_of(line), &e, &p);
	if (got != want)
		fail_msg("'%s' gives %d, not %d", line, got, want);
	assert_int_equal(rt_ms_begins(str_of(line)), want != ENTRY_NONE);
}

struct line_case {
	const char *line, *comm;
	int pid; /* -1: none printed */
	enum preempt_word word;
	uint32_t preempt_count;
	int64_t ns;
};

static void test_columns(void **state)
{
	(void)state;
	static const struct line_case cases[] = {
		{ " 0.000ms (+0.000ms): f (c)", "", -1, PREEMPT_WORD_NONE, 0, 0 },
		{ "12.345ms (+0.001ms): f (c)", "", -1, PREEMPT_WORD_NONE, 0, 12345000 },
		{ "00010001 0.562ms (+0.559ms): f (c)", "", -1, PREEMPT_WORD_HEX, 0x10001, 562000 },
		{ "    5 80010004 0.001ms (+1.114ms): f (c)", "", 5, PREEMPT_WORD_HEX, 0x80010004,
		  1000 },
		{ "12345 ........ 0.001ms (+1.114ms): f (c)", "", 12345, PREEMPT_WORD_DOTS, 0,
		  1000 },
		{ "<unknown-9789 80000000 0.102ms (+0.000ms): f (c)", "<unknown", 9789,
		  PREEMPT_WORD_HEX, 0x80000000, 102000 },
		{ "cpu_dela-8656  08000001 0.003ms (+0.000ms): f (c)", "cpu_dela", 8656,
		  PREEMPT_WORD_HEX, 0x08000001, 3000 },
		{ "softirq--3     ........ 0.003ms (+0.000ms): f (c)", "softirq-", 3,
		  PREEMPT_WORD_DOTS, 0, 3000 },
		{ "   IRQ 0-2     00000001 0.003ms (+0.000ms): f (c)", "IRQ 0", 2, PREEMPT_WORD_HEX,
		  1, 3000 },
		{ "\t00000001\t0.003ms\t(+0.000ms):\tf\t(c)", "", -1, PREEMPT_WORD_HEX, 1, 3000 },
		{ "00010001 689954.042ms (+689953.444ms): f (c)", "", -1, PREEMPT_WORD_HEX, 0x10001,
		  689954042000 },
		{ "9223372036854.775ms (+0.000ms): f (c)", "", -1, PREEMPT_WORD_NONE, 0,
		  INT64_C(9223372036854775000) },
	};
	for (size_t i = 0; i < N_OF(cases); i++) {
		const struct line_case *k = &cases[i];
		parse(k->line, ENTRY_OK);
		struct task t = names_task_of(&names, e.task);
		assert_text(names_str(&names, t.comm), k->comm);
		assert_int_equal(t.pid, k->pid);
		assert_int_equal(p.preempt_word, k->word);
		assert_int_equal(p.preempt_count, k->preempt_count);
		assert_true(e.time == k->ns);
		assert_int_equal(event_kind(&e), EVENT_FUNCTION);
		assert_text(names_str(&names, e.what), "f");
		assert_text(names_str(&names, e.arg), "c");
		assert_true(e.kind & EVENT_NO_CPU);
		assert_int_equal(event_flag_columns(&e), 0);
	}
	assert_string_equal(reader.format, "rt-ms");
}

static void test_not_such_lines(void **state)
{
	(void)state;
	static const char *const lines[] = {
		"",
		"f (c)",
		"0.000ms: f (c)",
		"0.000 (+0.000ms): f (c)",
		"0.00ms (+0.000ms): f (c)",
		"0.0000ms (+0.000ms): f (c)",
		"0.000us (+0.000ms): f (c)",
		"x.000ms (+0.000ms): f (c)",
		"-0.001ms (+0.000ms): f (c)",
		"0.000ms (+0.000ms) f (c)",
		"0.000ms (+): f (c)",
		"0.000ms (0.000ms): f (c)",
		"9223372036854.776ms (+0.000ms): f (c)",
		"99999999999999999999.000ms (+0.000ms): f (c)",
		"0001000 0.000ms (+0.000ms): f (c)",
		"000100011 0.000ms (+0.000ms): f (c)",
		"0001000g 0.000ms (+0.000ms): f (c)",
		"....... 0.000ms (+0.000ms): f (c)",
		"x 00010001 0.000ms (+0.000ms): f (c)",
		"x- 00010001 0.000ms (+0.000ms): f (c)",
		"99999999999 00010001 0.000ms (+0.000ms): f (c)",
		"bash 1 0 1 00000002 00000005 [4037a858] 0.400ms (+0.020ms): f (c)",
		"16 (+3): f (c)",
		"it took 0.000ms (+0.000ms): not bad",
	};
	for (size_t i = 0; i < N_OF(lines); i++)
		parse(lines[i], ENTRY_NONE);
}

/* Bit 31: interrupts off, from v1.0.7 on; then hardirq, softirq and preempt counts, a byte each. */
static void test_states(void **state)
{
	(void)state;
	static const struct {
		const char *line;
		bool irqs_off;
		enum context context;
		unsigned depth;
	} cases[] = {
		{ "5 80010004 0.000ms (+0.000ms): f (c)", true, CONTEXT_HARDIRQ, 4 },
		{ "5 00000000 0.000ms (+0.000ms): f (c)", false, CONTEXT_TASK, 0 },
		{ "5 00000101 0.000ms (+0.000ms): f (c)", false, CONTEXT_SOFTIRQ, 1 },
		{ "5 80020100 0.000ms (+0.000ms): f (c)", true, CONTEXT_HARDIRQ, 0 },
		{ "5 90000001 0.000ms (+0.000ms): f (c)", true, CONTEXT_TASK,
		  1 }, /* PREEMPT_ACTIVE */
		{ "5 04000001 0.000ms (+0.000ms): f (c)", false, CONTEXT_TASK, 1 },
		{ "5 000000ff 0.000ms (+0.000ms): f (c)", false, CONTEXT_TASK, 15 },
		{ "80010004 0.000ms (+0.000ms): f (c)", false, CONTEXT_HARDIRQ, 4 }, /* v1.0.2 */
		{ "a-1 ........ 0.000ms (+0.000ms): f (c)", false, CONTEXT_TASK, 0 },
		{ "0.000ms (+0.000ms): f (c)", false, CONTEXT_TASK, 0 },
	};
	for (size_t i = 0; i < N_OF(cases); i++) {
		parse(cases[i].line, ENTRY_OK);
		if (event_irqs_off(&e) != cases[i].irqs_off ||
		    event_context(&e) != cases[i].context ||
		    event_flag(&e, FLAG_DEPTH) != cases[i].depth)
			fail_msg("'%s': irqs off %d, context %d, depth %u", cases[i].line,
				 event_irqs_off(&e), event_context(&e), event_flag(&e, FLAG_DEPTH));
		assert_false(event_need_resched(&e));
	}
}

static void test_values(void **state)
{
	(void)state;
	static const char *const values[] = { "(49) ((98))", "(0): [ 00000000 00000000 00000000 ]",
					      "(1) ((2)) " };
	char line[128];
	for (size_t i = 0; i < N_OF(values); i++) {
		snprintf(line, sizeof(line), "    5 80010003 0.000ms (+0.000ms): %s", values[i]);
		parse(line, ENTRY_OK);
		assert_int_equal(event_kind(&e), EVENT_SPECIAL);
		assert_int_equal(e.what, 0);
		assert_int_equal(e.arg, 0);
		assert_int_equal(strncmp(p.text.p, values[i], p.text.n), 0);
	}
	parse("5 80010003 0.000ms (+0.000ms): (0): [ 00000000", ENTRY_OPEN);
	parse("5 80010003 0.000ms (+0.000ms): (49", ENTRY_OPEN);
	parse("5 80010003 0.000ms (+0.000ms): f", ENTRY_BARE);
	parse("5 80010003 0.000ms (+0.000ms): f (c", ENTRY_OPEN);
	parse("5 80010003 0.000ms (+0.000ms):", ENTRY_OPEN);
}

#define V107                                                                                       \
	"preemption latency trace v1.0.7 on 2.6.10-rc2-RT\n"                                       \
	"-------------------------------------------------------\n"                                \
	" latency: 117 us, entries: 4 (9)   |   [VP:0 KP:1 SP:1 HP:1 #CPUS:2]\n"                   \
	"    -----------------\n"                                                                  \
	"    | task: IRQ 0/2, uid:1 nice:-5 policy:1 rt_prio:50\n"                                 \
	"    -----------------\n"                                                                  \
	" => started at: try_to_wake_up+0x51/0x170 <c010f3a1>\n"                                   \
	" => ended at:   finish_task_switch+0x51/0xb0 <c010f911>\n"                                \
	"=======>\n"

static const char v107[] = V107 "    5 80010004 0.000ms (+0.000ms): f (c)\n"
				"    5 80010003 0.001ms (+0.114ms): (49) ((98))\n"
				"[...]\n"
				"    2 00000000 0.115ms (+0.001ms): update_wall_time_one_tick\n"
				"(update_wall_time)\n"
				"    2 00000000 0.116ms (+0.000ms): g (c)\n";

static void test_header(void **state)
{
	(void)state;
	struct capture *c;
	struct source *s;
	struct reader *r = trace_first(v107, &c, &s);
	const struct trace_header *h = &c->trace;
	assert_string_equal(h->tracer, "preemption");
	assert_string_equal(h->format, "rt-ms");
	assert_string_equal(h->version, "v1.0.7");
	assert_string_equal(h->kernel, "2.6.10-rc2-RT");
	assert_int_equal(h->style, TRACE_STYLE_MS);
	assert_int_equal(h->latency_us, 117);
	assert_int_equal(h->entries_in_buffer, 4);
	assert_int_equal(h->entries_written, 9);
	assert_int_equal(h->cpus, 2);
	assert_true(h->cpu == UNKNOWN);
	assert_null(h->preempt_model);
	assert_string_equal(h->model_flags, "VP:0 KP:1 SP:1 HP:1");
	assert_string_equal(h->task.comm, "IRQ 0");
	assert_int_equal(h->task.pid, 2);
	assert_int_equal(h->task.uid, 1);
	assert_int_equal(h->task.nice, -5);
	assert_int_equal(h->task.policy, 1);
	assert_int_equal(h->task.rt_prio, 50);
	assert_string_equal(h->started_at, "try_to_wake_up");
	assert_string_equal(h->ended_at, "finish_task_switch");
	reader_close(r);
}

static void test_tasks(void **state)
{
	(void)state;
	static const struct {
		const char *line, *comm;
		int pid;
	} cases[] = {
		{ "    | task: ksoftirqd/0/2, uid:0 nice:-10 policy:0 rt_prio:0", "ksoftirqd/0",
		  2 },
		{ "    | task: events/0/4, uid:0", "events/0", 4 },
		{ "   process: default.hotplug/1470, uid: 0", "default.hotplug", 1470 },
		{ "    | task: a-1/77, uid:0 nice:0 policy:0 rt_prio:0", "a-1", 77 },
		{ "    | task: /0, uid:0 nice:0 policy:0 rt_prio:0", "", 0 },
	};
	char text[256];
	for (size_t i = 0; i < N_OF(cases); i++) {
		snprintf(text, sizeof(text),
			 "preemption latency trace v1.0.1\n latency: 5 us, entries: 1(1)\n%s\n"
			 " nice: -3, policy: 2, rt_priority: 7\n=======>\n",
			 cases[i].line);
		struct capture *c;
		struct source *s;
		struct reader *r = trace_first(text, &c, &s);
		assert_string_equal(c->trace.task.comm, cases[i].comm);
		assert_int_equal(c->trace.task.pid, cases[i].pid);
		assert_int_equal(c->trace.task.nice, -3);
		assert_int_equal(c->trace.task.policy, 2);
		assert_int_equal(c->trace.task.rt_prio, 7);
		assert_int_equal(c->trace.entries_written, 1);
		assert_int_equal(c->damaged, 0);
		reader_close(r);
	}
}

static void digest_of(const char *text, struct digest *d, struct capture *copy)
{
	struct capture *c;
	struct source *s;
	struct analyze_digest a;
	struct reader *r = trace_first(text, &c, &s);
	analyze_digest_init(&a);
	trace_run(c, s, &a.sink);
	*d = a.digest;
	*copy = *c;
	analyze_digest_fini(&a);
	reader_close(r);
}

static void test_whole(void **state)
{
	(void)state;
	struct digest d;
	struct capture c;
	digest_of(v107, &d, &c);
	assert_int_equal(d.events, 4);
	assert_int_equal(d.first.line, 10);
	assert_int_equal(d.last.line, 15);
	assert_int_equal(c.holes, 1);
	assert_int_equal(c.damaged, 0);
	assert_int_equal(d.gap, 1000); /* not the one across the hole, whatever (+) says */
	assert_int_equal(d.last.time, 116000);
}

/* A header alone, of the generation that `entries:` tells; quoted; and one trace after another. */
static void test_pieces(void **state)
{
	(void)state;
	struct digest d;
	struct capture c;
	digest_of(V107, &d, &c);
	assert_int_equal(d.events, 0);
	assert_string_equal(c.trace.format, "rt-ms");

	digest_of(">> preemption latency trace v1.0.6 on 2.6.9\n"
		  ">>  latency: 605 us, entries: 5 (5)  [VP:1 KP:1 SP:1 HP:1 #CPUS:1]\n"
		  ">> =======>\n"
		  ">> 00000001 0.000ms (+0.606ms): f (c)\n"
		  "see?\n"
		  ">> 00000001 0.606ms (+0.000ms): g (c)\n",
		  &d, &c);
	assert_int_equal(d.events, 2);
	assert_int_equal(d.gap, 606000);
	assert_int_equal(c.remarks, 1);
	assert_int_equal(c.trace.cpus, 1);

	struct capture *two;
	struct source *s;
	struct err err = { 0 };
	char text[2 * sizeof(v107)];
	snprintf(text, sizeof(text), "%s\n%s", v107, v107);
	struct reader *r = trace_first(text, &two, &s);
	assert_int_equal(reader_next(r, &two, &s, &err), 1);
	assert_int_equal(two->first_line, 17);
	assert_int_equal(reader_next(r, &two, &s, &err), 0);
	reader_close(r);
}

static void test_roundtrip(void **state)
{
	(void)state;
	roundtrip_check(v107, NULL);
	roundtrip_check(V107, NULL);
	roundtrip_check(" 0.000ms (+0.000ms): f (c)\n 0.001ms (+0.000ms): g\n", NULL);
	roundtrip_check("preemption latency trace v1.0\n"
			" latency: 121 us, entries: 1032 (1032)\n"
			" process: a/b/1470, uid: 0\n"
			"=======>\n"
			" 0.000ms (+0.000ms): f (c)\n"
			" 0.100ms (+0.100ms): g (c)\n",
			NULL);
	roundtrip_check("<unknown-9789 80000000 0.000ms (+0.000ms): f (c)\n"
			"cpu_dela-8656  ........ 0.001ms (+0.000ms): (0): [ 00 00 ]\n",
			NULL);
}

static void test_mark_of_the_gap(void **state)
{
	(void)state;
	char *text = roundtrip_write("preemption latency trace v1.0.2\n"
				     "00000001 0.000ms (+0.000ms): f (c)\n"
				     "00000001 0.500ms (+0.500ms): g (c)\n");
	assert_non_null(strstr(text, "00000001 0.500ms (+0.500ms): g (c)\n"));
	free(text);
	text = roundtrip_write("preemption latency trace v1.0.6 on 2.6.9\n"
			       "00000001 0.000ms (+0.500ms): f (c)\n"
			       "00000001 0.500ms (+0.000ms): g (c)\n");
	assert_non_null(strstr(text, "00000001 0.000ms (+0.500ms): f (c)\n"));
	free(text);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_columns),         TEST(test_not_such_lines), TEST(test_states),
		TEST(test_values),          TEST(test_header),         TEST(test_tasks),
		TEST(test_whole),           TEST(test_pieces),         TEST(test_roundtrip),
		TEST(test_mark_of_the_gap),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
