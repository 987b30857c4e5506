/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace.dat: whole, cut and hostile files, as dat_builder.h makes them. With a folder as argument
 * the program writes some of these files there, as seeds of the fuzz target.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/source.h"
#include "dat_builder.h"
#include "read/reader.h"
#include "render/ftrace_text.h"
#include "trace.h"

#define EVENTS_MAX 64

/* What a file gave: of every event what the tests ask for. */
struct seen {
	struct event e[EVENTS_MAX];
	struct payload p[EVENTS_MAX];
	char text[EVENTS_MAX][128];
	size_t n;
};

struct opened {
	struct reader *r;
	struct capture *c;
	struct source *s;
};

static const char *file_of(const struct dat_builder *b, size_t n)
{
	return trace_file(b->file.p, n < b->file.n ? n : b->file.n);
}

static struct opened open_file(const struct dat_builder *b, size_t n)
{
	struct opened o = { 0 };
	struct err err = { 0 };
	const char *path = file_of(b, n);
	o.r = reader_open(path, &err);
	assert_non_null(o.r);
	int ret = reader_next(o.r, &o.c, &o.s, &err);
	unlink(path);
	if (ret != 1)
		fail_msg("%d: %s", ret, err.msg);
	if (o.s) {
		o.s->wanted = SINK_WANTS_ALL;
		o.s->points = ~0u;
		o.s->want_text = true;
	}
	return o;
}

static void drain(struct opened *o, struct seen *to)
{
	struct err err = { 0 };
	*to = (struct seen){ 0 };
	while (o->s->next(o->s, &to->e[to->n], &err) > 0) {
		struct str text = str_head(o->s->payload.text, sizeof(to->text[0]) - 1);
		to->p[to->n] = o->s->payload;
		if (event_kind(&to->e[to->n]) == EVENT_NAMED)
			memcpy(to->text[to->n], text.p, text.n);
		to->n++;
		assert_true(to->n < EVENTS_MAX);
	}
	assert_int_equal(err.code, 0);
}

static void read_file(const struct dat_builder *b, size_t n, struct opened *o, struct seen *to)
{
	*o = open_file(b, n);
	drain(o, to);
}

static struct str name_of(const struct opened *o, uint32_t id)
{
	return names_str(o->c->names, id);
}

static struct str comm_of(const struct opened *o, uint32_t task)
{
	return name_of(o, names_task_of(o->c->names, task).comm);
}

/* Two CPUs, whose events interleave; the second begins with the first's second time. */
static void two_cpus(struct dat_builder *b)
{
	page_begin(b, 1000);
	record_switch(b, 0, 10, 20);
	record_switch(b, 100, 20, 10);
	page_end(b, 0, 0);
	page_begin(b, 2000);
	record_waking(b, 5, "woken", 30);
	page_end(b, 0, 0);
	page_begin(b, 1100);
	record_switch(b, 0, 30, 40);
	record_switch(b, 50, 40, 30);
	page_end(b, 1, 0);
	builder_file(b);
}

static void expect_two_cpus(const struct opened *o, const struct seen *s)
{
	static const int64_t times[] = { 1000, 1100, 1100, 1150, 2005 };
	static const unsigned cpus[] = { 0, 0, 1, 1, 0 };
	assert_int_equal(s->n, 5);
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(s->e[i].time, times[i]);
		assert_int_equal(s->e[i].cpu, cpus[i]);
		assert_int_equal(s->e[i].line, i + 1);
		assert_int_equal(event_kind(&s->e[i]), EVENT_NAMED);
	}
	assert_text(name_of(o, s->e[0].what), "sched_switch");
	assert_text(name_of(o, s->e[4].what), "sched_waking");
	assert_text(comm_of(o, s->e[0].task), "ten");
	assert_text(comm_of(o, s->e[1].task), "twenty two");
	assert_text(comm_of(o, s->e[2].task), "<...>");
	assert_int_equal(o->c->damaged, 0);
	assert_int_equal(o->c->lost_events, UNKNOWN);
}

static const struct dat_builder kinds[] = {
	{ .version = 6 },
	{ .version = 7, .packing = "none" },
	{ .version = 6, .big = true },
	{ .version = 6, .big = true, .is32 = true },
	{ .version = 7, .packing = "none", .is32 = true },
#ifdef HAVE_ZLIB
	{ .version = 7, .packing = "zlib" },
#endif
#ifdef HAVE_ZSTD
	{ .version = 7, .packing = "zstd" },
	{ .version = 7, .packing = "zstd", .big = true },
#endif
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static void test_every_kind(void **state)
{
	(void)state;
	for (size_t i = 0; i < KINDS; i++) {
		struct dat_builder b = kinds[i];
		struct opened o;
		struct seen s;
		two_cpus(&b);
		read_file(&b, SIZE_MAX, &o, &s);
		expect_two_cpus(&o, &s);
		assert_string_equal(o.c->trace.format, "trace-dat");
		assert_string_equal(o.c->trace.kernel, "6.1.192");
		assert_string_equal(o.c->trace.clock, b.version == 6 ? "global" : "local");
		assert_int_equal(o.c->trace.cpus, 2);
		assert_false(o.c->trace.clock_ticks);
		reader_close(o.r);
		builder_fini(&b);
	}
}

static void test_points(void **state)
{
	(void)state;
	struct dat_builder b = kinds[0];
	struct opened o;
	struct seen s;
	two_cpus(&b);
	read_file(&b, SIZE_MAX, &o, &s);
	const struct payload *p = &s.p[0];
	assert_int_equal(p->point, POINT_SWITCH);
	assert_int_equal(p->sched.prev.pid, 10);
	assert_int_equal(p->sched.prev.prio, 120);
	assert_int_equal(p->sched.prev.state, 'D');
	assert_int_equal(p->sched.next.pid, 20);
	assert_int_equal(p->sched.next.prio, 98);
	assert_int_equal(p->sched.next_cpu, -1);
	assert_text(comm_of(&o, p->sched.next_task), "next one");
	assert_string_equal(s.text[0], "prev_comm=prev prev_pid=10 prev_prio=120 "
				       "prev_state=D ==> next_comm=next one next_pid=20 "
				       "next_prio=98");
	p = &s.p[4];
	assert_int_equal(p->point, POINT_WAKING);
	assert_int_equal(p->sched.prev.pid, -1);
	assert_int_equal(p->sched.next.pid, 30);
	assert_int_equal(p->sched.next_cpu, 1);
	assert_text(comm_of(&o, p->sched.next_task), "woken");
	assert_string_equal(s.text[4], "comm=woken pid=30 prio=120 target_cpu=001");

	char flags[8];
	event_flags_print(s.e[0].flags, flags);
	assert_string_equal(flags, "d..2.");
	event_flags_print(s.e[4].flags, flags);
	assert_string_equal(flags, "..h.1");
	reader_close(o.r);

	/* Nothing that nobody asked for. */
	o = open_file(&b, SIZE_MAX);
	o.s->points = POINT_BIT(POINT_WAKING);
	o.s->want_text = false;
	drain(&o, &s);
	assert_int_equal(s.p[0].point, POINT_NONE);
	assert_int_equal(s.p[4].point, POINT_WAKING);
	assert_string_equal(s.text[0], "");
	reader_close(o.r);
	builder_fini(&b);
}

static void test_times(void **state)
{
	(void)state;
	struct dat_builder b = kinds[0];
	struct opened o;
	struct seen s;
	page_begin(&b, (UINT64_C(1) << 60) + 5);
	page_extend(&b, (UINT64_C(1) << 40) + 3);
	record_switch(&b, 2, 1, 2);
	page_stamp(&b, (UINT64_C(1) << 41) + 9);
	record_switch(&b, 0, 1, 2);
	/* Discarded: 12 bytes behind its head, whose time counts. */
	page_head(&b, 29, 7);
	put32(&b, &b.page, 12);
	put64(&b, &b.page, UINT64_MAX);
	page_end(&b, 0, 0);
	page_begin(&b, UINT64_C(1) << 61);
	record_switch(&b, 1, 1, 2);
	page_head(&b, 29, 0); /* to the end, whatever stands there */
	put32(&b, &b.page, UINT32_MAX);
	page_end(&b, 0, 0);
	builder_file(&b);
	read_file(&b, SIZE_MAX, &o, &s);
	assert_int_equal(s.n, 3);
	assert_int_equal(s.e[0].time, (INT64_C(1) << 60) + 5 + (INT64_C(1) << 40) + 5);
	assert_int_equal(s.e[1].time, (INT64_C(1) << 60) + (INT64_C(1) << 41) + 9);
	assert_int_equal(s.e[2].time, (INT64_C(1) << 61) + 1);
	assert_int_equal(o.c->damaged, 0);
	reader_close(o.r);
	builder_fini(&b);
}

static void expect_times(struct dat_builder *b, const int64_t *times, const unsigned *cpus,
			 unsigned damaged)
{
	struct opened o;
	struct seen s;
	two_cpus(b);
	read_file(b, SIZE_MAX, &o, &s);
	assert_int_equal(s.n, 5);
	for (size_t i = 0; i < s.n; i++) {
		assert_int_equal(s.e[i].time, times[i]);
		assert_int_equal(s.e[i].cpu, cpus[i]);
	}
	assert_int_equal(o.c->damaged, damaged);
	reader_close(o.r);
	builder_fini(b);
}

static void put_option_head(struct dat_builder *b, uint16_t id, uint32_t size)
{
	put16(b, &b->options, id);
	put32(b, &b->options, size);
}

/* What trace-cmd does to the stamps: ticks to ns, and two offsets. A short option is none. */
static void test_clock_options(void **state)
{
	(void)state;
	static const int64_t times[] = { 8500, 8650, 8650, 8725, 10007 };
	static const int64_t plain[] = { 1000, 1100, 1100, 1150, 2005 };
	static const unsigned cpus[] = { 0, 0, 1, 1, 0 };
	for (size_t i = 0; i < KINDS; i++) {
		struct dat_builder b = kinds[i];
		put_option_head(&b, 14, 16);
		put32(&b, &b.options, 3); /* by 3 / 2 */
		put32(&b, &b.options, 1);
		put64(&b, &b.options, 77);
		put_option_head(&b, 1, 4);
		strbuf_add(&b.options, "0x7", 4);
		put_option_head(&b, 7, 2);
		strbuf_add(&b.options, "0", 2);
		expect_times(&b, times, cpus, 0);

		b = kinds[i];
		put_option_head(&b, 14, 8);
		put32(&b, &b.options, 3);
		put32(&b, &b.options, 1);
		expect_times(&b, plain, cpus, 1);
	}
}

/* CPU 0 has one sample; CPU 1 has three, out of order, and a rate before the last of them. */
static void put_shift(struct dat_builder *b, uint32_t flags, uint64_t fraction)
{
	static const uint64_t values[] = { 1150, 1000, 1100, 60, (uint64_t)-300, 0, 1, 1, 3 };
	put_option_head(b, 12, 16 + 4 + 24 + 4 + 9 * 8 + 4 * 8);
	put64(b, &b->options, 0x1234);
	put32(b, &b->options, flags);
	put32(b, &b->options, 2);
	put32(b, &b->options, 1);
	put64(b, &b->options, 1500);
	put64(b, &b->options, 40);
	put64(b, &b->options, 7); /* of a single sample trace-cmd takes no rate */
	put32(b, &b->options, 3);
	for (size_t i = 0; i < 9; i++)
		put64(b, &b->options, values[i]);
	for (size_t i = 0; i < 4; i++)
		put64(b, &b->options, i == 3 ? fraction : 0);
}

/*
 * A guest's clock shifted to the host's: each CPU by its own samples, before the CPUs are merged.
 * The second CPU's 1100 and 1150: times 3/2 from the sample at 1100 on, with its offset 0, or
 * (interpolated) up to the 60 of the sample at 1150.
 */
static void test_time_shift(void **state)
{
	(void)state;
	static const int64_t steps[] = { 1040, 1140, 1650, 1725, 2045 };
	static const int64_t between[] = { 1040, 1140, 1650, 1785, 2045 };
	static const int64_t plain[] = { 1000, 1100, 1100, 1150, 2005 };
	static const unsigned cpus[] = { 0, 0, 1, 1, 0 };
	for (size_t i = 0; i < KINDS; i++) {
		struct dat_builder b = kinds[i];
		put_shift(&b, 0, 1);
		expect_times(&b, steps, cpus, 0);
		b = kinds[i];
		put_shift(&b, 1, 1);
		expect_times(&b, between, cpus, 0);
		b = kinds[i];
		put_shift(&b, 0, 64);
		expect_times(&b, plain, cpus, 1);
	}
}

/* A CPU that is shifted to before the other comes before it. */
static void test_time_shift_order(void **state)
{
	(void)state;
	static const int64_t times[] = { 1000, 1080, 1100, 1130, 2005 };
	static const unsigned cpus[] = { 0, 1, 0, 1, 0 };
	struct dat_builder b = kinds[0];
	put_option_head(&b, 12, 16 + 4 + 4 + 24);
	put64(&b, &b.options, 0x1234);
	put32(&b, &b.options, 0);
	put32(&b, &b.options, 2);
	put32(&b, &b.options, 0);
	put32(&b, &b.options, 1);
	put64(&b, &b.options, 1000);
	put64(&b, &b.options, (uint64_t)-20);
	put64(&b, &b.options, 1);
	expect_times(&b, times, cpus, 0);
}

static void test_padding_counts(void **state)
{
	(void)state;
	struct dat_builder b = kinds[0];
	struct opened o;
	struct seen s;
	page_begin(&b, 100);
	page_head(&b, 29, 7);
	put32(&b, &b.page, 8);
	put32(&b, &b.page, UINT32_MAX);
	record_waking(&b, 3, "x", 1);
	page_end(&b, 0, 0);
	builder_file(&b);
	read_file(&b, SIZE_MAX, &o, &s);
	assert_int_equal(s.n, 1);
	assert_int_equal(s.e[0].time, 110);
	reader_close(o.r);
	builder_fini(&b);
}

static void test_lost(void **state)
{
	(void)state;
	for (size_t i = 0; i < KINDS; i++) {
		struct dat_builder b = kinds[i];
		struct opened o;
		struct seen s;
		b.stats[0] = "CPU: 0\nentries: 5\noverrun: 40\ncommit overrun: 2\nbytes: 9\n"
			     "dropped events: 1\nread events: 7\n";
		b.stats[1] = "CPU: 1\nentries: 5\noverrun: 9\n";
		page_begin(&b, 100);
		record_waking(&b, 0, "x", 1);
		page_end(&b, 0, 0);
		page_begin(&b, 200);
		record_waking(&b, 5, "x", 1);
		page_end(&b, 0, 40);
		builder_file(&b);
		read_file(&b, SIZE_MAX, &o, &s);
		assert_int_equal(s.n, 5);
		assert_int_equal(event_kind(&s.e[1]), EVENT_LOST);
		assert_int_equal(s.e[1].time, 205);
		assert_int_equal(s.p[1].lost, 40);
		assert_int_equal(event_kind(&s.e[2]), EVENT_NAMED);
		/* What no page told: 43 - 40 on CPU 0, all 9 on CPU 1. */
		assert_int_equal(s.e[3].cpu, 0);
		assert_int_equal(s.p[3].lost, 3);
		assert_int_equal(s.e[4].cpu, 1);
		assert_int_equal(s.p[4].lost, 9);
		assert_int_equal(o.c->lost_events, 52);
		reader_close(o.r);
		builder_fini(&b);
	}
}

static void test_lost_unknown(void **state)
{
	(void)state;
	struct dat_builder b = kinds[0];
	struct opened o;
	struct seen s;
	b.stats[0] = "CPU: 0\noverrun: 40\n";
	page_begin(&b, 100);
	record_waking(&b, 0, "x", 1);
	page_end(&b, 0, -1);
	builder_file(&b);
	read_file(&b, SIZE_MAX, &o, &s);
	assert_int_equal(s.n, 2);
	assert_int_equal(event_kind(&s.e[0]), EVENT_LOST);
	assert_int_equal(s.p[0].lost, -1);
	assert_int_equal(o.c->lost_events, -1);
	reader_close(o.r);
	builder_fini(&b);
}

static void irq_record(struct dat_builder *b, struct strbuf *r, uint32_t loc)
{
	record_begin(b, r, ID_IRQ, 0, 0, 0);
	put32(b, r, 42);
	put32(b, r, loc);
	strbuf_add(r, "eth0\0\0\0", 8);
	page_record(b, 1, r);
}

static void test_locations(void **state)
{
	(void)state;
	/* length << 16 | offset; outside of the record there is nothing */
	static const uint32_t locs[] = { 5 << 16 | 16, 8 << 16 | 20, 0xffff0010,
					 0x0001ffff,   0xffffffff,   0 };
	static const char *const names[] = { "eth0", "", "", "", "", "" };
	struct dat_builder b = kinds[0];
	struct strbuf cleanup_strbuf r = { 0 };
	struct opened o;
	struct seen s;
	page_begin(&b, 100);
	for (size_t i = 0; i < 6; i++)
		irq_record(&b, &r, locs[i]);
	page_end(&b, 0, 0);
	page_begin(&b, 200);
	record_begin(&b, &r, ID_REL, 0, 0, 20);
	put32(&b, &r, 3 << 16 | 12);
	put16(&b, &r, 1);
	put16(&b, &r, 0xfff0);
	put64(&b, &r, 0xffff888000000000);
	strbuf_add(&r, "hi\0", 4);
	page_record(&b, 0, &r);
	page_end(&b, 0, 0);
	builder_file(&b);
	read_file(&b, SIZE_MAX, &o, &s);
	assert_int_equal(s.n, 7);
	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(s.p[i].point, POINT_IRQ_ENTRY);
		assert_int_equal(s.p[i].args.a, 42);
		assert_text(name_of(&o, s.p[i].args.name), names[i]);
	}
	assert_text(comm_of(&o, s.e[0].task), "<idle>");
	assert_string_equal(s.text[0], "irq=42 name=eth0");
	assert_string_equal(s.text[6], "[fields] what=hi list={0x1,0xfff0} at=0xffff888000000000");
	reader_close(o.r);
	builder_fini(&b);
}

static void put_function(struct dat_builder *b, struct strbuf *r, uint64_t ip, uint64_t parent)
{
	record_begin(b, r, ID_FUNCTION, 0, 0, 10);
	put64(b, r, ip);
	put64(b, r, parent);
	page_record(b, 1, r);
}

static void put_graph(struct dat_builder *b, struct strbuf *r, uint16_t id)
{
	record_begin(b, r, id, 0, 0, 10);
	put64(b, r, 0xffffffff81000300);
	put32(b, r, 2);
	put32(b, r, 0);
	put64(b, r, 1000);
	put64(b, r, 1250);
	page_record(b, 1, r);
}

/* One of each of ftrace's own entries. */
static void ftrace_pages(struct dat_builder *b)
{
	struct strbuf cleanup_strbuf r = { 0 };
	page_begin(b, 100);
	put_function(b, &r, 0xffffffff81000104, 0xffffffff81000200);
	put_function(b, &r, 0x1000, 0);
	put_graph(b, &r, ID_GRAPH_ENTRY);
	put_graph(b, &r, ID_GRAPH_EXIT);
	page_end(b, 0, 0);
	page_begin(b, 200);
	record_begin(b, &r, ID_STACK, 0, 0, 10);
	put32(b, &r, 2);
	put32(b, &r, 0);
	put64(b, &r, 0xffffffff81000204);
	put64(b, &r, 0xffffffff81000304);
	put64(b, &r, 0xffffffff81000104); /* beyond its size */
	page_record(b, 1, &r);
	record_begin(b, &r, ID_WAKEUP, 0, 0, 10);
	put32(b, &r, 10);
	put32(b, &r, 20);
	put32(b, &r, 1);
	strbuf_add(&r, "\x78\x00\x05\x02", 4);
	page_record(b, 1, &r);
	page_end(b, 0, 0);
	page_begin(b, 300);
	record_begin(b, &r, ID_PRINT, 0, 0, 10);
	put64(b, &r, 0xffffffff81000100);
	strbuf_add(&r, "hello\n\0", 8);
	page_record(b, 1, &r);
	record_begin(b, &r, ID_BPRINT, 0, 0, 10);
	put64(b, &r, 0xffffffff81000100);
	put64(b, &r, 0xffffffff82000000);
	put32(b, &r, (uint32_t)-7);
	strbuf_add(&r, "abc", 4);
	put64(b, &r, 0xff);
	page_record(b, 1, &r);
	record_begin(b, &r, ID_TIMERLAT, 0, 0, 10);
	put32(b, &r, 3);
	put32(b, &r, 1);
	put64(b, &r, 4567);
	page_record(b, 1, &r);
	page_end(b, 0, 0);
}

/* As text of ftrace: a tracer's row has no name before it. */
static void test_row_as_text(void **state)
{
	(void)state;
	struct dat_builder b = kinds[0];
	ftrace_pages(&b);
	builder_file(&b);
	struct opened o = open_file(&b, SIZE_MAX);
	char *out = NULL;
	size_t n;
	FILE *f = open_memstream(&out, &n);
	struct render_ftrace render;
	render_ftrace_init(&render, f);
	trace_run(o.c, o.s, &render.sink);
	render_ftrace_fini(&render);
	fclose(f);
	assert_non_null(strstr(out, ": do_one: n=-7"));
	assert_null(strstr(out, "print: ")); /* the kernel prints no name before it */
	assert_non_null(strstr(out, "303: #3     context thread timer_latency      4567 ns\n"));
	free(out);
	reader_close(o.r);
	builder_fini(&b);
}

static void test_ftrace(void **state)
{
	(void)state;
	struct dat_builder b = kinds[0];
	struct opened o;
	struct seen s;
	ftrace_pages(&b);
	builder_file(&b);
	read_file(&b, SIZE_MAX, &o, &s);
	assert_int_equal(s.n, 9);
	assert_int_equal(event_kind(&s.e[0]), EVENT_FUNCTION);
	assert_text(name_of(&o, s.e[0].what), "do_one");
	assert_text(name_of(&o, s.e[0].arg), "do_two");
	assert_text(name_of(&o, s.e[1].what), "0x1000");
	assert_int_equal(s.e[1].arg, 0);
	assert_int_equal(event_kind(&s.e[2]), EVENT_GRAPH_ENTRY);
	assert_text(name_of(&o, s.e[2].what), "do_three");
	assert_int_equal(s.e[2].depth, 2);
	assert_int_equal(event_kind(&s.e[3]), EVENT_GRAPH_EXIT);
	assert_int_equal(s.p[3].graph.duration, 250);
	assert_int_equal(event_kind(&s.e[4]), EVENT_STACK);
	assert_int_equal(s.p[4].stack.n, 2);
	assert_text(name_of(&o, s.p[4].stack.frames[0]), "do_two");
	assert_int_equal(event_kind(&s.e[5]), EVENT_WAKEUP);
	assert_int_equal(s.p[5].sched.prev.prio, 120);
	assert_int_equal(s.p[5].sched.prev.state, 'R');
	assert_int_equal(s.p[5].sched.next.state, 'D');
	assert_text(comm_of(&o, s.p[5].sched.next_task), "twenty two");
	assert_string_equal(s.text[6], "do_one: hello");
	assert_string_equal(s.text[7], "do_one: n=-7 s=abc    ff|%");
	assert_int_equal(s.p[8].point, POINT_TIMERLAT);
	assert_int_equal(s.p[8].args.a, 4567);
	assert_text(name_of(&o, s.p[8].args.name), "thread");
	assert_string_equal(s.text[8], "#3     context thread timer_latency      4567 ns");
	reader_close(o.r);
	builder_fini(&b);
}

/* A record of more than 28 words has its length in a word of its own. */
static void test_long_record(void **state)
{
	(void)state;
	struct dat_builder b = kinds[0];
	struct strbuf cleanup_strbuf r = { 0 };
	struct opened o;
	struct seen s;
	page_begin(&b, 100);
	record_begin(&b, &r, ID_PRINT, 0, 0, 10);
	put64(&b, &r, 0xffffffff81000100);
	for (int i = 0; i < 100; i++)
		strbuf_add(&r, "x", 1);
	strbuf_add(&r, "", 1);
	page_record(&b, 1, &r);
	record_waking(&b, 1, "after", 1);
	page_end(&b, 0, 0);
	builder_file(&b);
	read_file(&b, SIZE_MAX, &o, &s);
	assert_int_equal(s.n, 2);
	assert_int_equal(strlen(s.text[0]), strlen("do_one: ") + 100);
	assert_text(name_of(&o, s.e[1].what), "sched_waking");
	reader_close(o.r);
	builder_fini(&b);
}

/* Records and pages that claim more than there is: the rest is read, and the loss is told. */
static void test_hostile_lengths(void **state)
{
	(void)state;
	static const uint32_t heads[][2] = {
		{ 28, 0 }, { 0, 3 }, { 0, 4096 }, { 0, UINT32_MAX }, { 29, 2 }, { 29, UINT32_MAX },
	};
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		struct dat_builder b = kinds[0];
		struct opened o;
		struct seen s;
		page_begin(&b, 100);
		record_waking(&b, 0, "first", 1);
		page_head(&b, heads[i][0], 1);
		put32(&b, &b.page, heads[i][1]);
		page_end(&b, 0, 0);
		page_begin(&b, 200);
		record_waking(&b, 0, "second", 1);
		page_end(&b, 0, 0);
		builder_file(&b);
		read_file(&b, SIZE_MAX, &o, &s);
		assert_int_equal(s.n, 3);
		assert_int_equal(event_kind(&s.e[1]), EVENT_LOST);
		assert_int_equal(s.e[2].time, 200);
		assert_int_equal(o.c->damaged, 1);
		assert_int_equal(o.c->lost_events, -1);
		reader_close(o.r);
		builder_fini(&b);
	}
}

static void test_hostile_commit(void **state)
{
	(void)state;
	struct dat_builder b = kinds[0];
	struct opened o;
	struct seen s;
	page_begin(&b, 100);
	record_waking(&b, 0, "first", 1);
	page_end(&b, 0, 0);
	b.cpu[0].p[8] = (char)0xff; /* commit: more than a page */
	page_begin(&b, 200);
	record_waking(&b, 0, "second", 1);
	page_end(&b, 0, 0);
	builder_file(&b);
	read_file(&b, SIZE_MAX, &o, &s);
	assert_int_equal(s.n, 2);
	assert_int_equal(s.e[1].time, 200);
	assert_string_equal(o.c->damage.at[0].why, "CPU 0: a page is damaged and left out");
	reader_close(o.r);
	builder_fini(&b);
}

/* Cut anywhere behind its formats, a file gives what the pages hold that are whole. */
static void test_cut(void **state)
{
	(void)state;
	for (size_t i = 0; i < KINDS; i++) {
		struct dat_builder b = kinds[i];
		two_cpus(&b);
		size_t best = 0;
		for (size_t n = b.file.n; n-- > builder_find(&b, "flyrecord", 1);) {
			struct err err = { 0 };
			struct capture *c;
			struct source *src;
			struct event e;
			size_t got = 0;
			const char *path = file_of(&b, n);
			struct reader *r = reader_open(path, &err);
			unlink(path);
			assert_non_null(r);
			while (reader_next(r, &c, &src, &err) > 0) {
				while (src && src->next(src, &e, &err) > 0)
					got += event_kind(&e) == EVENT_NAMED;
				assert_int_equal(err.code, 0);
			}
			reader_close(r);
			best = got > best ? got : best;
			assert_true(got <= 5);
		}
		assert_true(best >= 3); /* CPU 0's pages, at least */
		builder_fini(&b);
	}
}

/* Version 7 without the option that says where the buffer is. */
static void test_recover(void **state)
{
	(void)state;
	for (size_t i = 0; i < KINDS; i++) {
		struct dat_builder b = kinds[i];
		struct opened o;
		struct seen s;
		if (b.version == 6)
			continue;
		two_cpus(&b);
		/* The last section: its head, the option of the buffer, the end. */
		size_t option = 16 + 6 + 8 + 1 + 6 + 4 + 4 + 2 * 20 + 6 + 8;
		read_file(&b, b.file.n - option, &o, &s);
		assert_int_equal(s.n, 5);
		assert_int_equal(s.e[2].cpu, 1);
		assert_int_equal(s.e[4].time, 2005);
		assert_true(o.c->damaged > 0);
		assert_non_null(strstr(o.c->damage.at[0].why, "were looked for"));
		reader_close(o.r);
		builder_fini(&b);
	}
}

static void test_cut_v6(void **state)
{
	(void)state;
	struct dat_builder b = kinds[0];
	struct opened o;
	struct seen s;
	two_cpus(&b);
	read_file(&b, b.file.n - 1, &o, &s);
	assert_int_equal(s.n, 4); /* CPU 0's two pages; and before them, that CPU 1 is missing */
	assert_int_equal(event_kind(&s.e[0]), EVENT_LOST);
	assert_int_equal(s.e[0].cpu, 1);
	assert_int_equal(o.c->lost_events, -1);
	assert_string_equal(o.c->damage.at[0].why, "CPU 1: the file ends before its pages");
	reader_close(o.r);
	builder_fini(&b);
}

static const char latency_text[] =
	"# tracer: irqsoff\n#\n# irqsoff latency trace v1.1.5 on 6.1.0\n"
	"# latency: 259 us, #1/1, CPU#2 | (M:preempt VP:0, KP:0, SP:0 HP:0 #P:4)\n"
	"#    -----------------\n#    | task: ps-6143 (uid:0 nice:0 policy:0 rt_prio:0)\n"
	"#    -----------------\n#\n"
	"      ps-6143    2d...    0us : do_thing <-caller\n";

static void test_text(void **state)
{
	(void)state;
	for (size_t i = 0; i < KINDS; i++) {
		struct dat_builder b = kinds[i];
		struct opened o;
		struct seen s;
		struct err err = { 0 };
		b.text = latency_text;
		builder_file(&b);
		read_file(&b, SIZE_MAX, &o, &s);
		assert_string_equal(o.c->trace.tracer, "irqsoff");
		assert_int_equal(o.c->trace.latency_us, 259);
		assert_int_equal(s.n, 1);
		assert_text(name_of(&o, s.e[0].what), "do_thing");
		assert_int_equal(reader_next(o.r, &o.c, &o.s, &err), 0);
		reader_close(o.r);
		builder_fini(&b);
	}
}

static void test_instance(void **state)
{
	(void)state;
	for (size_t i = 0; i < KINDS; i++) {
		struct dat_builder b = kinds[i];
		struct opened o;
		struct seen s;
		struct err err = { 0 };
		b.instance = "other";
		two_cpus(&b);
		read_file(&b, SIZE_MAX, &o, &s);
		assert_int_equal(s.n, 3);
		assert_null(o.c->label);
		assert_int_equal(reader_next(o.r, &o.c, &o.s, &err), 1);
		assert_string_equal(o.c->label, "other");
		drain(&o, &s);
		assert_int_equal(s.n, 2);
		assert_int_equal(s.e[0].cpu, 1);
		assert_int_equal(s.e[0].line, 1);
		assert_int_equal(reader_next(o.r, &o.c, &o.s, &err), 0);
		reader_close(o.r);
		builder_fini(&b);
	}
}

/* A top buffer without pages is none, if there are others. */
static void test_instance_alone(void **state)
{
	(void)state;
	for (size_t i = 0; i < KINDS; i++) {
		struct dat_builder b = kinds[i];
		struct opened o;
		struct seen s;
		struct err err = { 0 };
		if (b.packing && strcmp(b.packing, "none"))
			continue; /* the builder's chunks are never none */
		b.instance = "other";
		page_begin(&b, 1000);
		record_waking(&b, 5, "woken", 30);
		page_end(&b, 1, 0);
		builder_file(&b);
		read_file(&b, SIZE_MAX, &o, &s);
		assert_string_equal(o.c->label, "other");
		assert_int_equal(s.n, 1);
		assert_int_equal(reader_next(o.r, &o.c, &o.s, &err), 0);
		reader_close(o.r);
		builder_fini(&b);
	}
}

static void test_refused(void **state)
{
	(void)state;
	static const char *const heads[] = { "\x17\x08\x44tracing5", "\x17\x08\x44tracing",
					     "\x17\x08\x44tracing77" };
	for (size_t i = 0; i < 3; i++) {
		struct err err = { 0 };
		struct capture *c;
		struct source *s;
		char bytes[64] = "";
		strcpy(bytes, heads[i]);
		size_t n = i == 1 ? 10 : sizeof(bytes);
		const char *path = trace_file(bytes, n);
		struct reader *r = reader_open(path, &err);
		unlink(path);
		assert_non_null(r);
		assert_true(reader_next(r, &c, &s, &err) < 0);
		assert_true(strlen(err.msg) > 10);
		reader_close(r);
	}
}

/* A sequence that is the same everywhere (splitmix64). */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ull;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static void read_all(const struct dat_builder *b)
{
	struct err err = { 0 };
	struct capture *c;
	struct source *s;
	struct event e;
	const char *path = file_of(b, SIZE_MAX);
	struct reader *r = reader_open(path, &err);
	unlink(path);
	assert_non_null(r);
	while (reader_next(r, &c, &s, &err) > 0) {
		if (!s)
			continue;
		s->wanted = SINK_WANTS_ALL;
		s->points = ~0u;
		s->want_text = true;
		while (s->next(s, &e, &err) > 0)
			assert_true(event_kind(&e) < EVENT_KINDS);
	}
	reader_close(r);
}

/* Whatever bytes change, nothing is read that is not there (the sanitizers look on). */
static void test_mutated(void **state)
{
	(void)state;
	uint64_t seed = 1;
	for (size_t i = 0; i < KINDS; i++) {
		struct dat_builder b = kinds[i];
		struct strbuf cleanup_strbuf whole = { 0 };
		b.instance = i & 1 ? "other" : NULL;
		two_cpus(&b);
		strbuf_add(&whole, b.file.p, b.file.n);
		for (int round = 0; round < 400; round++) {
			memcpy(b.file.p, whole.p, whole.n);
			for (uint64_t n = next_random(&seed) % 8 + 1; n; n--) {
				uint64_t x = next_random(&seed);
				b.file.p[10 + (x >> 8) % (b.file.n - 10)] =
					(char)(x >> 60 ? x : 0xff);
			}
			read_all(&b);
		}
		builder_fini(&b);
	}
}

/* The files above, for the fuzz target. */
static int write_seeds(const char *folder)
{
	for (size_t i = 0; i < KINDS + 1; i++) {
		struct dat_builder b = kinds[i % KINDS];
		struct strbuf cleanup_strbuf path = { 0 };
		b.text = i == KINDS ? latency_text : NULL;
		b.instance = i & 1 ? "other" : NULL;
		b.stats[0] = "CPU: 0\noverrun: 40\n";
		ftrace_pages(&b);
		two_cpus(&b);
		strbuf_printf(&path, "%s/%zu.dat", folder, i);
		int fd = open(path.p, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
		if (fd < 0 || write(fd, b.file.p, b.file.n) != (ssize_t)b.file.n)
			return 1;
		close(fd);
		builder_fini(&b);
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return write_seeds(argv[1]);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_kind),
		cmocka_unit_test(test_points),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_clock_options),
		cmocka_unit_test(test_time_shift),
		cmocka_unit_test(test_time_shift_order),
		cmocka_unit_test(test_padding_counts),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_lost_unknown),
		cmocka_unit_test(test_locations),
		cmocka_unit_test(test_ftrace),
		cmocka_unit_test(test_long_record),
		cmocka_unit_test(test_hostile_lengths),
		cmocka_unit_test(test_hostile_commit),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_recover),
		cmocka_unit_test(test_cut_v6),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_instance),
		cmocka_unit_test(test_instance_alone),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_row_as_text),
		cmocka_unit_test(test_mutated),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
