/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reader over whole small inputs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace.h"

#define SEEN 64

struct seen {
	struct event e[SEEN];
	char what[SEEN][64], caller[SEEN][64], comm[SEEN][64], text[SEEN][96];
	unsigned frames[SEEN];
	size_t n;
	struct capture *c;
};

/* The next capture with all its events, or false. */
static bool next_capture(struct reader *r, struct seen *s)
{
	struct source *source;
	struct err err = { 0 };
	*s = (struct seen){ 0 };
	int ret = reader_next(r, &s->c, &source, &err);
	assert_true(ret >= 0);
	if (!ret)
		return false;
	struct event e;
	while ((ret = source->next(source, &e, &err)) > 0) {
		assert_true(s->n < SEEN);
		const struct names *n = s->c->names;
		size_t i = s->n++;
		s->e[i] = e;
		snprintf(s->what[i], 64, "%.*s", STR_ARG(names_str(n, e.what)));
		snprintf(s->caller[i], 64, "%.*s", STR_ARG(names_str(n, e.arg)));
		snprintf(s->comm[i], 64, "%.*s",
			 STR_ARG(names_str(n, names_task_of(n, e.task).comm)));
		snprintf(s->text[i], 96, "%.*s", STR_ARG(source->payload.text));
		if (event_kind(&e) == EVENT_STACK)
			s->frames[i] = source->payload.stack.n;
	}
	assert_int_equal(ret, 0);
	return true;
}

static void expect(const struct seen *s, size_t i, uint32_t line, const char *what,
		   const char *caller)
{
	assert_true(i < s->n);
	assert_string_equal(s->what[i], what);
	assert_string_equal(s->caller[i], caller);
	assert_int_equal(s->e[i].line, line);
}

static void expect_damage(const struct seen *s, size_t n, const uint32_t *lines)
{
	for (size_t i = 0; i < s->c->damage.n; i++)
		if (i >= n || s->c->damage.at[i].line != lines[i])
			fail_msg("line %u is damaged: %s", s->c->damage.at[i].line,
				 s->c->damage.at[i].why);
	assert_int_equal(s->c->damage.n, n);
	assert_int_equal(s->c->damaged, n);
	for (size_t i = 0; i < n; i++)
		assert_non_null(s->c->damage.at[i].why);
}

#define NO_DAMAGE(s) expect_damage(s, 0, NULL)
#define DAMAGE(s, ...)                                                                             \
	expect_damage(s, N_OF(((uint32_t[]){ __VA_ARGS__ })), (uint32_t[]){ __VA_ARGS__ })

static void test_one(void **state)
{
	(void)state;
	struct seen s;
	struct reader *r = trace_open(str_of("# tracer: irqsoff\n"
					     "#\n"
					     "# irqsoff latency trace v1.1.5 on 3.8.0\n"
					     "# latency: 9 us, #2/2, CPU#0 | (M:preempt VP:0)\n"
					     "#    | task: ps-6143 (uid:0 nice:0)\n"
					     "      ps-6143    0d..1    0us : f <-c\n"
					     "      ps-6143    0d..1    9us : g <-c\n"));
	assert_true(next_capture(r, &s));
	assert_int_equal(s.n, 2);
	expect(&s, 0, 6, "f", "c");
	expect(&s, 1, 7, "g", "c");
	assert_string_equal(s.c->trace.tracer, "irqsoff");
	assert_string_equal(s.c->trace.format, "latency");
	assert_int_equal(s.c->trace.latency_us, 9);
	assert_int_equal(s.c->first_line, 1);
	assert_int_equal(s.c->last_line, 7);
	assert_true(s.c->lost_events == UNKNOWN);
	NO_DAMAGE(&s);
	assert_false(next_capture(r, &s));
	reader_close(r);
}

/* The header is whole when the capture is shown, before any event was pulled. */
static void test_header_comes_first(void **state)
{
	(void)state;
	struct capture *c;
	struct source *s;
	struct reader *r = trace_first("# tracer: irqsoff\n#\n# latency: 9 us, #1/1, CPU#3\n"
				       "  a-1  3d..1  0us : f <-c\n",
				       &c, &s);
	assert_int_equal(c->trace.cpu, 3);
	assert_int_equal(c->trace.latency_us, 9);
	reader_close(r);
}

static void test_two_captures(void **state)
{
	(void)state;
	struct seen s;
	struct reader *r = trace_open(str_of("before:\n"
					     "# tracer: irqsoff\n"
					     "# irqsoff latency trace v1.1.5 on 3.8.0\n"
					     "# latency: 9 us, #1/1, CPU#0 | (M:preempt VP:0)\n"
					     "  ps-6143    0d..1    0us : f <-c\n"
					     "\n"
					     "and after:\n"
					     "\n"
					     "# tracer: preemptoff\n"
					     "# preemptoff latency trace v1.1.5 on 3.8.0\n"
					     "# latency: 4 us, #1/1, CPU#1 | (M:preempt VP:0)\n"
					     "  ps-6143    1d..1    0us : g <-c\n"
					     "Regards\n"));
	assert_true(next_capture(r, &s));
	assert_int_equal(s.n, 1);
	assert_string_equal(s.c->trace.tracer, "irqsoff");
	assert_int_equal(s.c->first_line, 2);
	assert_int_equal(s.c->last_line, 5);
	NO_DAMAGE(&s); /* text around a trace is none of it */
	assert_true(next_capture(r, &s));
	assert_string_equal(s.c->trace.tracer, "preemptoff");
	assert_int_equal(s.c->trace.latency_us, 4);
	assert_int_equal(s.c->first_line, 9);
	assert_int_equal(s.c->last_line, 12);
	assert_string_equal(s.what[0], "g");
	NO_DAMAGE(&s);
	assert_false(next_capture(r, &s));
	reader_close(r);
}

/* Events that nobody pulled are passed over. */
static void test_skipping(void **state)
{
	(void)state;
	struct capture *c;
	struct source *s;
	struct err err = { 0 };
	struct reader *r =
		trace_first("# tracer: a\n  x-1 0d..1 0us : f <-c\n  x-1 0d..1 1us : f <-c\n"
			    "# tracer: b\n  x-1 0d..1 0us : f <-c\n",
			    &c, &s);
	assert_string_equal(c->trace.tracer, "a");
	assert_int_equal(reader_next(r, &c, &s, &err), 1);
	assert_string_equal(c->trace.tracer, "b");
	assert_int_equal(reader_next(r, &c, &s, &err), 0);
	assert_int_equal(reader_next(r, &c, &s, &err), 0);
	reader_close(r);
}

static void test_title_without_tracer(void **state)
{
	(void)state;
	struct seen s;
	struct reader *r =
		trace_open(str_of("preemption latency trace v1.1.5 on 2.6.16-rt20\n"
				  "------------------\n"
				  " latency: 31 us, #2/2, CPU#0 | (M:rt VP:0, KP:0, SP:1 HP:1)\n"
				  "    | task: x-3 (uid:0 nice:0 policy:1 rt_prio:1)\n"
				  " => started at: a+0x1/0x2 <c0100000>\n"
				  " => ended at:   b+0x1/0x2 <c0100010>\n"
				  "\n"
				  "   cmd     pid ||||| time  |   caller      \n"
				  "       x-3     0D..1    0us : f (c)\n"
				  "       x-3     0D..1    1us : g (1 2 3)\n"
				  "       x-3     0D..1   31us : f (c)\n"
				  "\n"
				  "\n"
				  "vim:ft=help\n"));
	assert_true(next_capture(r, &s));
	assert_int_equal(s.n, 3);
	assert_int_equal(s.c->trace.style, TRACE_STYLE_RT);
	assert_string_equal(s.c->trace.tracer, "preemption");
	assert_string_equal(s.c->trace.kernel, "2.6.16-rt20");
	assert_string_equal(s.c->trace.started_at, "a");
	assert_int_equal(event_kind(&s.e[1]), EVENT_SPECIAL);
	NO_DAMAGE(&s);
	assert_false(next_capture(r, &s));
	reader_close(r);
}

static void test_without_header(void **state)
{
	(void)state;
	struct seen s;
	struct reader *r =
		trace_open(str_of("Look:\n  x-1  0d..1  0us : f <-c\n  x-1  0d..1  1us : g <-c\n"));
	assert_true(next_capture(r, &s));
	assert_int_equal(s.n, 2);
	assert_null(s.c->trace.tracer);
	assert_int_equal(s.c->first_line, 2);
	NO_DAMAGE(&s);
	assert_false(next_capture(r, &s));
	reader_close(r);
}

static void test_header_without_entries(void **state)
{
	(void)state;
	struct seen s;
	struct reader *r = trace_open(
		str_of("# tracer: irqsoff\n#\n# latency: 0 us, #0/0, CPU#0 | (M:preempt VP:0)\n"));
	assert_true(next_capture(r, &s));
	assert_int_equal(s.n, 0);
	assert_int_equal(s.c->trace.entries_in_buffer, 0);
	NO_DAMAGE(&s);
	assert_false(next_capture(r, &s));
	reader_close(r);
}

static void test_nothing(void **state)
{
	(void)state;
	struct seen s;
	static const char *const texts[] = { "", "\n", "Hello,\nno trace.\n", "#\n# a comment\n",
					     "task: wash up\n" };
	for (size_t i = 0; i < N_OF(texts); i++) {
		struct reader *r = trace_open(str_of(texts[i]));
		assert_false(next_capture(r, &s));
		reader_close(r);
	}
}

static void test_quoted(void **state)
{
	(void)state;
	struct seen s;
	struct reader *r = trace_open(str_of("Somebody wrote:\n"
					     ">> # tracer: irqsoff\n"
					     ">> # latency: 9 us, #3/3, CPU#0 | (M:preempt VP:0)\n"
					     ">>   x-1   0d..1    0us : f <-c\n"
					     ">   my first remark\n"
					     ">>   x-1   0d..1    3us : g <-c\n"
					     "my second remark,\n"
					     "of two lines\n"
					     ">>   x-1   0d..1    9us : h <-c\n"
					     ">>\n"
					     ">> Is it?\n"
					     "It is.\n"));
	assert_true(next_capture(r, &s));
	assert_int_equal(s.n, 3);
	expect(&s, 2, 9, "h", "c");
	assert_true(s.c->remarks >= 3); /* between the lines */
	assert_int_equal(s.c->first_line, 2);
	assert_int_equal(s.c->last_line, 9);
	NO_DAMAGE(&s);
	reader_close(r);
}

static void test_damage(void **state)
{
	(void)state;
	struct seen s;
	struct reader *r = trace_open(str_of("# tracer: irqsoff\n"
					     "# latency: lots us, #9/9, CPU#0\n" /* 2 */
					     "  x-1   0d..1    0us : f <-c\n"
					     "  x-1   0Q..1    1us : f <-c\n" /* 4 */
					     "  x-1   0d..1    2us : g <-c\n"
					     "usb 1-1: new device\n" /* 6 */
					     "\n"
					     "  x-1   0d..1    3us : h <-c\n"
					     "  x-1   0d..1    4us : f <-\n" /* 9 */
					     "  x-1   0d..1    5us : f <-c\n"
					     "and this is text\n"
					     "behind the trace\n"));
	assert_true(next_capture(r, &s));
	DAMAGE(&s, 2, 4, 6, 9);
	assert_int_equal(s.n, 5);
	assert_false(s.e[0].kind & EVENT_AFTER_HOLE);
	assert_true(s.e[1].kind & EVENT_AFTER_HOLE); /* no gap across what cannot be read */
	expect(&s, 3, 9, "f", "");                   /* what can be read of a broken one is */
	assert_int_equal(s.c->last_line, 10);
	reader_close(r);
}

/* Many damaged lines: all are counted, the first are kept. */
static void test_much_damage(void **state)
{
	(void)state;
	struct seen s;
	struct trace t = { 0 };
	trace_header(&t, "irqsoff", 9, 0);
	trace_entry(&t, "x-1", "0d..1", 0, "f <-c");
	for (int i = 0; i < 500; i++)
		trace_line(&t, i % 2 ? "  x-1   0Q..1    1us : f <-c" : "nonsense");
	for (int i = 0; i < 100; i++)
		trace_line(&t, "nonsense");
	trace_entry(&t, "x-1", "0d..1", 9, "f <-c");
	struct reader *r = trace_open(strbuf_get(&t.text));
	assert_true(next_capture(r, &s));
	assert_int_equal(s.n, 2);
	assert_int_equal(s.c->damaged, 600);
	assert_int_equal(s.c->damage.n, DAMAGE_KEPT);
	reader_close(r);
	strbuf_fini(&t.text);
}

static void test_holes(void **state)
{
	(void)state;
	static const char *const holes[] = { "[...]",
					     "...",
					     "....",
					     "[....]",
					     "<snip>",
					     "[snip]",
					     "[ etc - zillions of lines deleted ]",
					     "  [...]  " };
	for (size_t i = 0; i < N_OF(holes); i++) {
		struct seen s;
		struct trace t = { 0 };
		trace_header(&t, "irqsoff", 9, 0);
		trace_entry(&t, "x-1", "0d..1", 0, "f <-c");
		trace_line(&t, holes[i]);
		trace_line(&t, "");
		trace_entry(&t, "x-1", "0d..1", 9, "g <-c");
		trace_entry(&t, "x-1", "0d..1", 9, "h <-c");
		struct reader *r = trace_open(strbuf_get(&t.text));
		assert_true(next_capture(r, &s));
		assert_int_equal(s.n, 3);
		assert_int_equal(s.c->holes, 1);
		assert_false(s.e[0].kind & EVENT_AFTER_HOLE);
		assert_true(s.e[1].kind & EVENT_AFTER_HOLE);
		assert_false(s.e[2].kind & EVENT_AFTER_HOLE);
		NO_DAMAGE(&s);
		reader_close(r);
		strbuf_fini(&t.text);
	}
}

static void test_lost(void **state)
{
	(void)state;
	struct seen s;
	struct reader *r = trace_open(str_of("# tracer: irqsoff\n"
					     "  x-1   0d..1    0us : f <-c\n"
					     "CPU:1 [LOST 16689746 EVENTS]\n"
					     "  x-1   0d..1    1us : f <-c\n"
					     "CPU:12 [4 EVENTS DROPPED]\n"
					     "  x-1   0d..1    2us : f <-c\n"));
	assert_true(next_capture(r, &s));
	assert_int_equal(s.n, 5);
	assert_int_equal(event_kind(&s.e[1]), EVENT_LOST);
	assert_int_equal(s.e[1].cpu, 1);
	assert_int_equal(s.e[1].line, 3);
	assert_int_equal(s.e[3].cpu, 12);
	assert_true(s.c->lost_events == 16689750);
	NO_DAMAGE(&s);
	reader_close(r);

	r = trace_open(
		str_of("# tracer: irqsoff\n  x-1   0d..1    0us : f <-c\n"
		       "CPU:1 [LOST 5 EVENTS]\nCPU:0 [LOST EVENTS]\nCPU:1 [LOST 5 EVENTS]\n"));
	assert_true(next_capture(r, &s));
	assert_int_equal(s.n, 4);
	assert_true(s.c->lost_events == -1); /* lost, and the number is not known */
	reader_close(r);
}

static void test_stacks(void **state)
{
	(void)state;
	struct seen s;
	struct reader *r = trace_open(str_of("# tracer: irqsoff\n"
					     "  x-1   0d..1    0us : <stack trace>\n"
					     " => slob_alloc+0x1/0x2\n"
					     " => dup_mmap\n"
					     "  x-1   0d..1    3us : f <-c\n"
					     "  x-1   0d..1    9us : <stack trace>\n"
					     "  x-1   0d..1    9us : <user stack trace>\n"
					     "  => main\n"
					     "\n"
					     "bye\n"));
	assert_true(next_capture(r, &s));
	assert_int_equal(s.n, 4);
	assert_int_equal(s.frames[0], 2);
	assert_int_equal(s.frames[2], 0);
	assert_int_equal(s.frames[3], 1);
	assert_int_equal(s.c->last_line, 8);
	NO_DAMAGE(&s);
	reader_close(r);
}

/* More frames than are kept. */
static void test_deep_stack(void **state)
{
	(void)state;
	struct trace t = { 0 };
	struct capture *c;
	struct source *s;
	struct event e;
	struct err err = { 0 };
	trace_header(&t, "irqsoff", 9, 0);
	trace_entry(&t, "x-1", "0d..1", 0, "<stack trace>");
	for (int i = 0; i < STACK_MAX + 7; i++)
		trace_line(&t, " => f");
	trace_entry(&t, "x-1", "0d..1", 9, "f <-c");
	struct reader *r = trace_first(t.text.p, &c, &s);
	assert_int_equal(s->next(s, &e, &err), 1);
	assert_int_equal(s->payload.stack.n, STACK_MAX);
	assert_int_equal(s->payload.stack.dropped, 7);
	assert_int_equal(s->next(s, &e, &err), 1);
	assert_int_equal(s->next(s, &e, &err), 0);
	reader_close(r);
	strbuf_fini(&t.text);
}

/* Records that a mail broke in two. */
static void test_wrapped(void **state)
{
	(void)state;
	struct seen s;
	struct reader *r = trace_open(str_of("# tracer: irqsoff\n"
					     "  x-1   0d..1    0us : first\n"
					     "<-caller\n"
					     "  x-1   0d..1    1us : second\n"
					     "  x-1   0d..1    2us : third <-\n"
					     "caller\n"
					     "  x-1   0d..1    3us : special (1 2\n"
					     "3)\n"
					     "  x-1   0d..1    4us :     0:120:R   + [001]\n"
					     "  71: 19:R work\n"
					     "  x-1   0d..1    5us :\n"
					     "fourth <-caller\n"
					     "  x-1   0d..1    6us : fifth (caller\n"
					     "  x-1   0d..1    7us : sixth <-caller\n"));
	assert_true(next_capture(r, &s));
	assert_int_equal(s.n, 8);
	expect(&s, 0, 2, "first", "caller");
	expect(&s, 1, 4, "second", "");
	expect(&s, 2, 5, "third", "caller");
	expect(&s, 3, 7, "special", "");
	assert_string_equal(s.text[3], "special (1 2 3)");
	assert_int_equal(event_kind(&s.e[4]), EVENT_WAKEUP);
	expect(&s, 5, 11, "fourth", "caller");
	expect(&s, 7, 14, "sixth", "caller");
	DAMAGE(&s, 13);
	reader_close(r);
}

/* Text that a program wrote may hold newlines. */
static void test_text_goes_on(void **state)
{
	(void)state;
	struct seen s;
	struct reader *r = trace_open(str_of("# tracer: irqsoff\n"
					     "  x-1   0d..1    0us : do_it: one\n"
					     "two = 2\n"
					     "  x-1   0d..1    1us : tracing_mark_write: three\n"
					     "four\n"
					     "  x-1   0d..1    2us : do_it: five\n"
					     "\n"
					     "six\n"
					     "  x-1   0d..1    3us : f <-c\n"));
	assert_true(next_capture(r, &s));
	assert_int_equal(s.n, 4);
	assert_string_equal(s.text[0], "do_it: one\ntwo = 2");
	assert_string_equal(s.text[1], "tracing_mark_write: three\nfour");
	assert_string_equal(s.text[2], "do_it: five");
	DAMAGE(&s, 8);
	reader_close(r);
}

/* A broken record is no reason to swallow another one. */
static void test_not_wrapped(void **state)
{
	(void)state;
	struct seen s;
	struct reader *r = trace_open(str_of("# tracer: irqsoff\n"
					     "  x-1   0d..1    0us : f <-c\n"
					     "  x-1   0d..1    1us :\n"
					     "  x-1   0d..1 99999999999999999999us : g <-c\n"
					     "  x-1   0d..1    3us : f <-c\n"));
	assert_true(next_capture(r, &s));
	DAMAGE(&s, 3, 4);
	assert_int_equal(s.n, 2);
	expect(&s, 1, 5, "f", "c");
	reader_close(r);
}

/* A mail's signature ends the trace; what stands behind is another one. */
static void test_signature(void **state)
{
	(void)state;
	struct seen s;
	struct reader *r = trace_open(str_of("# tracer: irqsoff\n"
					     "  x-1   0d..1    0us : f <-c\n"
					     "-- \n"
					     "me\n"
					     "somebody else\n"
					     "  x-1   0d..1    0us : g <-c\n"));
	assert_true(next_capture(r, &s));
	assert_int_equal(s.n, 1);
	NO_DAMAGE(&s);
	assert_true(next_capture(r, &s));
	assert_int_equal(s.n, 1);
	assert_null(s.c->trace.tracer);
	assert_false(next_capture(r, &s));
	reader_close(r);
}

static void test_ticks(void **state)
{
	(void)state;
	struct seen s;
	struct reader *r = trace_open(str_of("# tracer: irqsoff\n"
					     "  x-1   0d..1    2: f <-c\n"
					     "  x-1   0d..1    7: f <-c\n"));
	assert_true(next_capture(r, &s));
	assert_int_equal(s.n, 2);
	assert_true(s.c->trace.clock_ticks);
	assert_true(s.e[1].time == 7);
	reader_close(r);
}

static void test_broken_header(void **state)
{
	(void)state;
	struct seen s;
	/* a kernel message in the midst of the header */
	struct reader *r = trace_open(str_of("# tracer: irqsoff\n"
					     "#\n"
					     "usb 1-1: new device\n"
					     "# irqsoff latency trace v1.1.5 on 3.8.0\n"
					     "# latency: 9 us, #1/1, CPU#0 | (M:preempt VP:0)\n"
					     "  x-1   0d..1    0us : f <-c\n"));
	assert_true(next_capture(r, &s));
	assert_int_equal(s.c->trace.latency_us, 9);
	assert_string_equal(s.c->trace.kernel, "3.8.0");
	assert_int_equal(s.n, 1);
	assert_false(next_capture(r, &s));
	reader_close(r);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one),
		cmocka_unit_test(test_header_comes_first),
		cmocka_unit_test(test_two_captures),
		cmocka_unit_test(test_skipping),
		cmocka_unit_test(test_title_without_tracer),
		cmocka_unit_test(test_without_header),
		cmocka_unit_test(test_header_without_entries),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_quoted),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_much_damage),
		cmocka_unit_test(test_holes),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_stacks),
		cmocka_unit_test(test_deep_stack),
		cmocka_unit_test(test_wrapped),
		cmocka_unit_test(test_not_wrapped),
		cmocka_unit_test(test_text_goes_on),
		cmocka_unit_test(test_signature),
		cmocka_unit_test(test_ticks),
		cmocka_unit_test(test_broken_header),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
