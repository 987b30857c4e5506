/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftrace text with full time stamps: columns, payloads, and where captures begin and end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "read/ftrace_line.h"
#include "trace.h"

#define SEEN 16

struct seen {
	struct event e[SEEN];
	char what[SEEN][64], caller[SEEN][64], comm[SEEN][32], text[SEEN][128];
	int pid[SEEN];
	unsigned frames[SEEN];
	int64_t lost[SEEN], repeats[SEEN];
	size_t n;
	struct capture *c;
};

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
		snprintf(s->comm[i], 32, "%.*s",
			 STR_ARG(names_str(n, names_task_of(n, e.task).comm)));
		s->pid[i] = names_task_of(n, e.task).pid;
		snprintf(s->text[i], 128, "%.*s", STR_ARG(source->payload.text));
		if (event_kind(&e) == EVENT_STACK)
			s->frames[i] = source->payload.stack.n;
		if (event_kind(&e) == EVENT_LOST)
			s->lost[i] = source->payload.lost;
		if (event_kind(&e) == EVENT_FUNCTION)
			s->repeats[i] = source->payload.function.repeats;
	}
	assert_int_equal(ret, 0);
	return true;
}

/* s->c is valid until the reader is closed. */
static struct reader *open_one(const char *text, struct seen *s)
{
	struct reader *r = trace_open(str_of(text));
	assert_true(next_capture(r, s));
	return r;
}

static void read_one(const char *text, struct seen *s)
{
	struct reader *r = open_one(text, s);
	struct seen more;
	bool again = next_capture(r, &more);
	reader_close(r);
	assert_false(again);
	s->c = NULL;
}

/* -- Columns ----------------------------------------------------------------------------------- */

static void test_columns(void **state)
{
	(void)state;
	static const struct {
		const char *line, *comm, *flags;
		int pid, cpu;
		int64_t time;
		enum ftrace_shape shape;
	} cases[] = {
		{ "            bash-1977  [000] .... 17284.993652: f <-g", "bash", "....", 1977, 0,
		  17284993652000, SHAPE_KERNEL },
		{ "          <idle>-0     [003]  0.002188: x: y", "<idle>", "", 0, 3, 2188000,
		  SHAPE_KERNEL },
		{ "  a b:c [d-27817   (  27817) [000] d..2.  1077.685446: e: t", "a b:c [d",
		  "d..2.", 27817, 0, 1077685446000, SHAPE_KERNEL },
		{ "[ET_NET 0]-12 (-----) [001] d..h1.. 1.5: e: t", "[ET_NET 0]", "d..h1..", 12, 1,
		  1500000000, SHAPE_KERNEL },
		{ "task-1234-567  [1023] dNsa. 9.000001: e: t", "task-1234", "dNsa.", 567, 1023,
		  9000001000, SHAPE_KERNEL },
		{ "gnome-terminal--4510  [02] ..s.  7.649844: f <-g", "gnome-terminal-", "..s.",
		  4510, 2, 7649844000, SHAPE_KERNEL },
		{ "k-77    (   77) [004] ....316.196720: e: t", "k", "....", 77, 4, 316196720000,
		  SHAPE_KERNEL },
		{ "k-77  [004] d...316.196740: e: t", "k", "d...", 77, 4, 316196740000,
		  SHAPE_KERNEL },
		{ "k-77\t[004]\t-0.000005: e: t", "k", "", 77, 4, -5000, SHAPE_KERNEL },
		{ "k-77  [004]  9.055186644: e: t", "k", "", 77, 4, 9055186644, SHAPE_KERNEL },
		{ "k-77  [004]  9.05: e: t", "k", "", 77, 4, 9050000000, SHAPE_KERNEL },
		{ "cyclicte-49      1d.h..     9.055237: e: t", "cyclicte", "d.h..", 49, 1,
		  9055237000, SHAPE_LATENCY_FLAGS },
		{ "  trace.dat:           ping-30 [013] 11.834258: e: t", "ping", "", 30, 13,
		  11834258000, SHAPE_KERNEL },
		{ "guest.dat: loop:   <idle>-0 [013] 11.834258: e: t", "<idle>", "", 0, 13,
		  11834258000, SHAPE_KERNEL },
		{ "  timerlat/6-79756   [006] .......   426.271264: #5 x", "timerlat/6", ".......",
		  79756, 6, 426271264000, SHAPE_KERNEL },
		{ "a [2] b-c-7 [012] -1.000000001: z", "a [2] b-c", "", 7, 12, -1000000001,
		  SHAPE_KERNEL },
		{ "Web Content  6552 [000]  4834.406049: sched:e: t", "Web Content", "", 6552, 0,
		  4834406049000, SHAPE_PERF },
		{ "perf  6552/6553 [000] d..2. 4834.406049123: sched:e: t", "perf", "d..2.", 6553,
		  0, 4834406049123, SHAPE_PERF },
	};
	struct names names;
	names_init(&names);
	static struct ftrace_columns c;
	c.names = &names;
	for (int round = 0; round < 2; round++) { /* the second time from memory */
		for (size_t i = 0; i < N_OF(cases); i++) {
			struct ftrace_parts p;
			struct event e;
			char flags[8];
			if (!ftrace_line_begins(str_of(cases[i].line)))
				fail_msg("%s", cases[i].line);
			assert_int_equal(ftrace_columns_parse(&c, str_of(cases[i].line), &p, &e),
					 COLUMNS_OK);
			struct task t = names_task_of(&names, e.task);
			assert_text(names_str(&names, t.comm), cases[i].comm);
			assert_int_equal(t.pid, cases[i].pid);
			assert_int_equal(e.cpu, cases[i].cpu);
			assert_int_equal(e.time, cases[i].time);
			event_flags_print(e.flags, flags);
			assert_string_equal(flags, cases[i].flags);
			if (!round)
				assert_int_equal(c.shape, cases[i].shape);
		}
	}
	names_fini(&names);
}

static void test_no_columns(void **state)
{
	(void)state;
	static const char *const lines[] = {
		"",
		"see [001] 12.5: foo",
		"bash-1 [1] 12.5: foo",
		"bash-1 [001] 12.5 foo",
		"bash-1 [001] 12.1234567890: foo",
		"bash-1 [001] 12:30: foo",
		"bash-1 [001] what, 12.5: foo",
		"bash-1 [001]",
		"bash-1 [001] ",
		"bash-1 [001] d..1",
		"[001] 12.5: foo",
		"bash-99999999999 [001] 12.5: foo",
		"ps-6143    0d..1    0us : f <-c",
	};
	for (size_t i = 0; i < N_OF(lines); i++) {
		if (ftrace_line_begins(str_of(lines[i])))
			fail_msg("'%s'", lines[i]);
	}
}

/* -- Payloads ---------------------------------------------------------------------------------- */

static void test_payloads(void **state)
{
	(void)state;
	static const struct {
		const char *payload;
		enum event_kind kind;
		const char *what, *caller, *text;
	} cases[] = {
		{ "sys_close <-system_call", EVENT_FUNCTION, "sys_close", "system_call", NULL },
		{ "f+0x6/0xa0 <-g+0x1/0x2", EVENT_FUNCTION, "f", "g", NULL },
		{ "f <ffffffff81000000> <-g <ffffffff81000001>", EVENT_FUNCTION, "f", "g", NULL },
		{ "f(a=0x1, b={.c = 2}) <-g", EVENT_FUNCTION, "f", "g", NULL },
		{ "f", EVENT_FUNCTION, "f", "", NULL },
		{ "f <-g (repeats: 12, last_ts:     2.000001)", EVENT_FUNCTION, "f", "g", NULL },
		{ "cpu_idle: state=4294967295 cpu_id=0", EVENT_NAMED, "cpu_idle", "",
		  "state=4294967295 cpu_id=0" },
		{ "my: (do_open+0x0/0xd6 <- do_sys) a=f:b", EVENT_NAMED, "my", "",
		  "(do_open+0x0/0xd6 <- do_sys) a=f:b" },
		{ "tracing_mark_write:", EVENT_NAMED, "tracing_mark_write", "", "" },
		{ "tracing_mark_write.68ab12f: B|1|x", EVENT_NAMED, "tracing_mark_write", "",
		  "B|1|x" },
		{ ": ftrace_demo_exit called", EVENT_NAMED, "", "", "ftrace_demo_exit called" },
		{ "0xffffffffc044e5dc: -> in it", EVENT_NAMED, "0xffffffffc044e5dc", "",
		  "-> in it" },
		{ "# 4 buf: 01 02", EVENT_NAMED, "#", "", "4 buf: 01 02" },
		{ "UNKNOWN TYPE 4", EVENT_NAMED, "UNKNOWN", "", "TYPE 4" },
		{ "sys_read(fd: 3, buf: 0x7ffd, count: 0x340)", EVENT_NAMED, "sys_read", "",
		  "(fd: 3, buf: 0x7ffd, count: 0x340)" },
		{ "sys_read -> 0x340", EVENT_NAMED, "sys_read", "", "-> 0x340" },
		{ "  1408:120:S   + [000]  9:120:R events/0", EVENT_WAKEUP, "+", "", NULL },
		{ "  1408:120:R ==> [000]  9:120:R events/0", EVENT_SWITCH, "==>", "", NULL },
		{ "(+50)    softirq_raise:        vec=9", EVENT_NAMED, "softirq_raise", "",
		  "vec=9" },
		{ "         softirq_raise:        vec=9", EVENT_NAMED, "softirq_raise", "",
		  "vec=9" },
		{ "function:             mutex_unlock", EVENT_FUNCTION, "mutex_unlock", "", NULL },
		{ "function:                f <-- g", EVENT_FUNCTION, "f", "g", NULL },
		{ "function: text", EVENT_NAMED, "function", "", "text" },
		{ "funcgraph_entry:      + 11.008 us  |  f();", EVENT_GRAPH_LEAF, "f", "", NULL },
		{ "funcgraph_entry:                   |  f() {", EVENT_GRAPH_ENTRY, "f", "", NULL },
	};
	for (size_t i = 0; i < N_OF(cases); i++) {
		struct strbuf cleanup_strbuf text = { 0 };
		struct seen s;
		strbuf_printf(&text, "  bash-12 [001] d..1. 1.000001: %s\n", cases[i].payload);
		read_one(text.p, &s);
		assert_int_equal(s.n, 1);
		assert_int_equal(event_kind(&s.e[0]), cases[i].kind);
		assert_string_equal(s.what[0], cases[i].what);
		assert_string_equal(s.caller[0], cases[i].caller);
		if (cases[i].text)
			assert_string_equal(s.text[0], cases[i].text);
	}
}

static void test_repeats(void **state)
{
	(void)state;
	struct seen s;
	read_one("a-1 [001] d..1. 1.000001: f <-g (repeats: 12, last_ts:     2.000001)\n"
		 "a-1 [001] d..1. 1.000002: f <-g\n"
		 "a-1 [001] d..1. 1.000003: f <-g (last ts: 2022.303828 repeats: 127)\n",
		 &s);
	assert_int_equal(s.repeats[0], 12);
	assert_int_equal(s.repeats[1], 0);
	assert_int_equal(s.repeats[2], 127);
}

static void test_stacks(void **state)
{
	(void)state;
	struct seen s;
	read_one("a-1 [001] d..1. 1.000001: e: t\n"
		 "a-1 [001] d..1. 1.000002: <stack trace>\n"
		 " => f\n => g+0x1/0x2\n"
		 "a-1 [001] d..1. 1.000003: kernel_stack:         <stack trace >\n"
		 "=> f (ffffffffb4d4fc8e)\n"
		 "a-1 [001] d..1. 1.000004: user_stack:           \t=> 0x7fd77245b687\n"
		 "\t=> 0x0\n\t=> 0x0\n"
		 "a-1 [001] d..1. 1.000005: e: t\n",
		 &s);
	assert_int_equal(s.n, 5);
	static const unsigned frames[] = { 0, 2, 1, 1, 0 }; /* trailing zeros are padding */
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(event_kind(&s.e[i]), frames[i] ? EVENT_STACK : EVENT_NAMED);
		assert_int_equal(s.frames[i], frames[i]);
	}
}

static void test_perf(void **state)
{
	(void)state;
	struct seen s;
	read_one("perf  6552 [000]  4834.406049: sched:sched_switch: prev_comm=a ==> b\n"
		 "\tffffffff821facd8 __schedule+0x618 ([kernel.kallsyms])\n"
		 "\t           ee137 [unknown] (/usr/bin/perf)\n"
		 "\n"
		 "Web Content  6553/6553 [000]  4834.406050:     250000 cycles:ppp:  ffffffff8 f "
		 "(x)\n"
		 "perf  6552 [000]  4834.406051: sched:sched_waking: x\n",
		 &s);
	assert_int_equal(s.n, 4);
	assert_string_equal(s.what[0], "sched_switch");
	assert_int_equal(event_kind(&s.e[1]), EVENT_STACK);
	assert_int_equal(s.frames[1], 2);
	assert_int_equal(s.e[1].time, s.e[0].time);
	assert_int_equal(s.pid[1], 6552);
	assert_string_equal(s.what[2], "cycles");
	assert_string_equal(s.text[2], "ffffffff8 f (x)");
	assert_string_equal(s.comm[2], "Web Content");
	assert_string_equal(s.what[3], "sched_waking");
}

/* A task that has exited has no id for perf any more; the lines after it are read as before. */
static void test_perf_exited(void **state)
{
	(void)state;
	static const char *const exited[] = { ":-1    -1/-1", ":-1    -1", ":-1  6716/-1" };
	for (size_t i = 0; i < N_OF(exited); i++) {
		struct seen s;
		char text[512];
		snprintf(text, sizeof(text),
			 "  ls  9/9  [000]  4.406049123: sched:sched_waking: comm=x pid=1\n"
			 "     %s  [000]  4.406050123: sched:sched_switch: prev_comm=ls\n"
			 "  ls  9/9  [000]  4.406051123: sched:sched_waking: comm=x pid=1\n",
			 exited[i]);
		read_one(text, &s);
		assert_int_equal(s.n, 3);
		assert_string_equal(s.what[0], "sched_waking");
		assert_string_equal(s.comm[1], ":-1");
		assert_int_equal(s.pid[1], -1);
		assert_string_equal(s.what[1], "sched_switch");
		assert_string_equal(s.what[2], "sched_waking");
		assert_int_equal(s.pid[2], 9);
	}
}

/* What perf notes for itself is no event; what it lost is a loss. */
static void test_perf_records(void **state)
{
	(void)state;
	struct seen s;
	read_one("  ls     0 [000]     0.000000: PERF_RECORD_COMM: ls:9/9\n"
		 "  ls     0 [000]     0.000000: PERF_RECORD_MMAP2 9/9: [0x7f405e30f000(0x2000)]\n"
		 "  ls     9 [001]     4.000001: sched:sched_waking: comm=x pid=1\n"
		 "  ls     9 [001]     4.000002: PERF_RECORD_LOST lost 17\n"
		 "  ls     9 [001]     4.000003: sched:sched_waking: comm=x pid=1\n",
		 &s);
	assert_int_equal(s.n, 3);
	assert_int_equal(s.e[0].time, 4000001000);
	assert_int_equal(event_kind(&s.e[1]), EVENT_LOST);
	assert_int_equal(s.e[1].cpu, 1);
	assert_int_equal(s.e[2].line, 5);
}

static void test_markers(void **state)
{
	(void)state;
	struct seen s;
	read_one("a-1   [001] d..1. 1.000001: tracing_mark_write: one\n"
		 "two = 2\n"
		 "  three: 3\n"
		 "a-1   [001] d..1. 1.000002: tracing_mark_write: four\n"
		 "a-1   [001] d..1. 1.000003: tracing_mark_write: five\n"
		 "\n"
		 "Regards\n",
		 &s);
	assert_int_equal(s.n, 3);
	assert_string_equal(s.text[0], "one\ntwo = 2\n  three: 3");
	assert_string_equal(s.text[1], "four");
	assert_string_equal(s.text[2], "five");
	assert_int_equal(s.e[1].line, 4);
}

/* The option record-tgid, in every manner; and pid/tid of perf script. */
static void test_processes(void **state)
{
	(void)state;
	static const struct {
		const char *line, *comm;
		int32_t pid, tgid;
		bool column;
	} cases[] = {
		{ "a-10 (   9) [001] d..1. 1.000001: f <-g\n", "a", 10, 9, true },
		{ "a-10      (-------) [001] d..1. 1.000001: f <-g\n", "a", 10, 0, true },
		{ "a-10      (-----) [001] d..1. 1.000001: f <-g\n", "a", 10, 0, true },
		{ "a-10      [001] d..1. 1.000001: f <-g\n", "a", 10, 0, false },
		{ "a (b)-10  (2147483647) [001] d..1. 1.000001: f <-g\n", "a (b)", 10, 2147483647,
		  true },
		{ "a  9/10   [001] 1.000001: sched:sched_stat_wait: x\n", "a", 10, 9, true },
	};
	for (size_t i = 0; i < N_OF(cases); i++) {
		struct capture *c;
		struct source *s;
		struct event e;
		struct err err;
		struct reader *r = trace_first(cases[i].line, &c, &s);
		assert_int_equal(s->next(s, &e, &err), 1);
		struct task t = names_task_of(c->names, e.task);
		assert_text(names_str(c->names, t.comm), cases[i].comm);
		assert_int_equal(t.pid, cases[i].pid);
		assert_int_equal(t.tgid, cases[i].tgid);
		assert_int_equal(c->trace.tgids, cases[i].column);
		reader_close(r);
	}
}

/* -F chooses the columns of perf script. */
static void test_perf_fields(void **state)
{
	(void)state;
	struct seen s;
	read_one("            perf   993 [000] K     9.440490: sched:sched_waking: comm=a pid=1\n"
		 "migration/0    18/18    [000] 9.440617:          1 sched:sched_waking: comm=b "
		 "pid=2\n"
		 "\tffffffff8139ba69 __traceiter_sched_waking\n"
		 "\t           2724a [unknown]\n"
		 "  994 [001] 9.440700: sched:sched_waking: comm=c pid=3\n",
		 &s);
	assert_int_equal(s.n, 4);
	assert_string_equal(s.comm[0], "perf");
	assert_int_equal(event_flag_columns(&s.e[0]), 0);
	assert_int_equal(s.pid[1], 18);
	assert_int_equal(s.frames[2], 2);
	assert_string_equal(s.comm[3], "");
	assert_int_equal(s.pid[3], 994);
	assert_int_equal(s.e[3].cpu, 1);
}

/* trace-cmd report of a buffer with a name, of raw fields, and of a user's stack. */
static void test_report_columns(void **state)
{
	(void)state;
	struct seen s;
	read_one("cpus=2\n"
		 "mine:     bash-3292    1d..2. 9.856200: sched_waking:         comm=a pid=1\n"
		 "mine: kworker/-30121   0d..2. 9.856350: sched_waking:         comm=a pid=1\n"
		 "mine: cyclicte-49      1-0x9     9.955237: softirq_raise:         vec=9\n"
		 "mine: cyclicte-49      1-0x9     9.955238: user_stack:           \t=> 0x7f2d\n"
		 "\t=> 0x7f2e\n"
		 "\t=> 0x0\n"
		 "\t=> 0x0\n",
		 &s);
	assert_int_equal(s.n, 4);
	assert_string_equal(s.comm[0], "bash");
	assert_string_equal(s.comm[1], "kworker/");
	assert_string_equal(s.comm[2], "cyclicte");
	assert_int_equal(s.e[2].cpu, 1);
	assert_int_equal(event_flag_columns(&s.e[2]), 0);
	assert_int_equal(s.frames[3], 2);
}

/* trace_printk may hold newlines, too; and any line may have been broken by a mail. */
static void test_text_goes_on(void **state)
{
	(void)state;
	struct seen s;
	struct reader *r;
	r = open_one("# tracer: nop\n"
		     "a-1   [001] d..1. 1.000001: do_it: one\n"
		     "two = 2\n"
		     "CPU:1 [LOST 5 EVENTS]\n"
		     "a-1   [001] d..1. 1.000002: do_it: three\n"
		     "Regards\n",
		     &s);
	assert_int_equal(s.n, 3);
	assert_string_equal(s.text[0], "one\ntwo = 2");
	assert_string_equal(s.text[2], "three"); /* the trace may end there */
	assert_int_equal(s.c->damaged, 0);
	reader_close(r);

	/* Cut out of its file: a break that no mail makes is no part of the text. */
	r = open_one(
		"a-1   [001] d..1. 1.000001: do_it: one\n"
		"two = 2\n"
		"          <idle>-0       [001] d..1.    22.000001: do_it: state=0x1 name=a-name\n"
		"next_state=0x10 next_name=another-name\n"
		"a-1   [001] d..1. 22.000002: do_it: three\n",
		&s);
	assert_int_equal(s.n, 3);
	assert_string_equal(s.text[0], "one");
	assert_string_equal(s.text[1],
			    "state=0x1 name=a-name next_state=0x10 next_name=another-name");
	assert_int_equal(s.c->damaged, 1);
	reader_close(r);

	/* The kernel's own events hold no newline: what they lack tells that they go on. */
	r = open_one(
		"# tracer: nop\n"
		"a-1   [001] d..1. 1.000001: sched_switch: prev_comm=a prev_pid=1 prev_prio=120\n"
		"prev_state=S ==> next_comm=b next_pid=2 next_prio=98\n"
		"a-1   [001] d..1. 1.000002: softirq_entry: vec=1 [action=TIMER]\n"
		"here it is\n"
		"a-1   [001] d..1. 1.000003: f <-g\n",
		&s);
	assert_int_equal(s.n, 3);
	assert_string_equal(s.text[0], "prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> "
				       "next_comm=b next_pid=2 next_prio=98");
	assert_string_equal(s.text[1], "vec=1 [action=TIMER]");
	assert_int_equal(s.c->damaged, 1);
	reader_close(r);
}

/* Nothing that is given back is lost. */
static void test_too_much_text(void **state)
{
	(void)state;
	struct seen s;
	struct reader *r;
	struct strbuf text = { 0 };
	strbuf_str(&text, "# tracer: nop\na-1   [001] d..1. 1.000001: do_it: one\n");
	for (int i = 0; i < 200; i++)
		strbuf_printf(&text, "line %d\n", i);
	strbuf_str(&text, "a-1   [001] d..1. 1.000002: do_it: two\nand\n"
			  "a-1   [001] d..1. 1.000003: do_it: three\n");
	r = open_one(text.p, &s);
	assert_int_equal(s.n, 3);
	assert_string_equal(s.text[0], "one");
	assert_string_equal(s.text[1], "two\nand");
	assert_int_equal(s.c->damaged, 200);
	reader_close(r);
	strbuf_fini(&text);
}

/* -- Captures ---------------------------------------------------------------------------------- */

static void test_header(void **state)
{
	(void)state;
	struct capture *c;
	struct source *source;
	struct reader *r =
		trace_first("# tracer: function\n#\n"
			    "# entries-in-buffer/entries-written: 140080/250280   #P:4\n#\n"
			    "#           TASK-PID   CPU#  ||||    TIMESTAMP  FUNCTION\n"
			    "  a-1  [000] .... 1.000001: f <-g\n",
			    &c, &source);
	assert_string_equal(c->trace.tracer, "function");
	assert_string_equal(c->trace.format, "default");
	assert_int_equal(c->trace.entries_in_buffer, 140080);
	assert_int_equal(c->trace.entries_written, 250280);
	assert_int_equal(c->trace.cpus, 4);
	reader_close(r);
}

/* What was read without a header, an empty trace, and two headers with the same tracer. */
static void test_several(void **state)
{
	(void)state;
	struct seen s;
	struct reader *r =
		trace_open(str_of("$ cat trace_pipe\n"
				  "  a-1  [000] .... 1.000001: f <-g\n"
				  "$ cat trace\n"
				  "# tracer: nop\n#\n"
				  "# entries-in-buffer/entries-written: 0/0   #P:4\n#\n"
				  "#           TASK-PID   CPU#  ||||    TIMESTAMP  FUNCTION\n"
				  "$ head trace\n"
				  "# tracer: function\n"
				  "#           TASK-PID   CPU#  ||||    TIMESTAMP  FUNCTION\n"
				  "##### CPU 3 buffer started ####\n"
				  "  a-1  [000] .... 1.000001: f <-g\n"
				  "--\n"
				  "a-1 [000] .... 1.000001: f <-g\n"));
	assert_true(next_capture(r, &s));
	assert_int_equal(s.n, 1);
	assert_null(s.c->trace.tracer);
	assert_int_equal(s.c->damaged, 0);
	assert_true(next_capture(r, &s));
	assert_int_equal(s.n, 0);
	assert_string_equal(s.c->trace.tracer, "nop");
	assert_int_equal(s.c->trace.entries_written, 0);
	assert_true(next_capture(r, &s));
	assert_int_equal(s.n, 1);
	assert_string_equal(s.c->trace.tracer, "function");
	assert_int_equal(s.c->first_line, 10);
	assert_int_equal(s.c->last_line, 13);
	assert_true(next_capture(r, &s));
	assert_int_equal(s.n, 1);
	assert_false(next_capture(r, &s));
	reader_close(r);
}

/* The tracer line is read before it is known whose lines follow. */
static void test_latency_follows(void **state)
{
	(void)state;
	struct seen s;
	struct reader *r = trace_open(str_of("# tracer: irqsoff\n#\n"
					     "      ps-6143    0d..1    0us : f <-c\n"
					     "# tracer: wakeup\n"
					     "CPU:1 [LOST 3 EVENTS]\n"
					     "      ps-6143    0d..1    0us : f <-c\n"
					     "CPU:1 [LOST 5 EVENTS]\n"
					     "      ps-6143    0d..1    0us : f <-c\n"
					     "a-1 [000] .... 1.000001: f <-g\n"));
	assert_true(next_capture(r, &s));
	assert_string_equal(s.c->trace.format, "latency");
	assert_string_equal(s.c->trace.tracer, "irqsoff");
	assert_int_equal(s.c->first_line, 1);
	assert_true(next_capture(r, &s));
	assert_string_equal(s.c->trace.tracer, "wakeup");
	assert_true(next_capture(r, &s));
	assert_string_equal(s.c->trace.format, "default");
	assert_int_equal(s.n, 1);
	assert_false(next_capture(r, &s));
	reader_close(r);
}

static void test_lost(void **state)
{
	(void)state;
	struct seen s;
	struct reader *r = trace_open(str_of("CPU:3 [LOST 7 EVENTS]\n"
					     "a-1 [003] .... 1.000001: f <-g\n"
					     "CPU:2 [LOST EVENTS]\n"
					     "a-1 [003] .... 1.000002: f <-g\n"));
	assert_true(next_capture(r, &s));
	assert_int_equal(s.n, 4);
	assert_int_equal(event_kind(&s.e[0]), EVENT_LOST);
	assert_int_equal(s.lost[0], 7);
	assert_int_equal(s.e[0].cpu, 3);
	assert_int_equal(s.lost[2], -1);
	assert_int_equal(s.c->lost_events, -1);
	reader_close(r);

	/* A loss in front of a latency trace is the latency trace's. */
	r = trace_open(str_of("CPU:3 [LOST 7 EVENTS]\n"
			      "  ps-6143    0d..1    0us : f <-c\n"));
	assert_true(next_capture(r, &s));
	assert_int_equal(s.n, 2);
	assert_string_equal(s.c->trace.format, "latency");
	assert_int_equal(s.c->lost_events, 7);
	reader_close(r);
}

static void test_report(void **state)
{
	(void)state;
	struct seen s;
	struct reader *r = trace_open(str_of("version = 6\nCPU 3 is empty\ncpus=6\n"
					     "CPU:7 [204600 EVENTS DROPPED]\n"
					     "  a-1  [000]  1.000001: cpu_idle_of_a_long_name: x\n"
					     "[...]\n"
					     "  a-1  [000]  1.000002: x: [FAILED TO PARSE] y=1\n"));
	assert_true(next_capture(r, &s));
	assert_string_equal(s.c->trace.format, "trace-cmd");
	assert_int_equal(s.c->trace.cpus, 6);
	assert_int_equal(s.n, 3);
	assert_int_equal(s.c->lost_events, 204600);
	assert_true(s.e[2].kind & EVENT_AFTER_HOLE);
	assert_int_equal(s.c->damaged, 1);
	assert_int_equal(s.c->damage.at[0].line, 7);
	assert_false(next_capture(r, &s));
	reader_close(r);

	/* The width of the names tells a report that has lost its head. */
	r = trace_open(str_of("a-1 [000]  1.000001: cpu_idle:             state=1\n"));
	assert_true(next_capture(r, &s));
	assert_string_equal(s.c->trace.format, "trace-cmd");
	reader_close(r);

	/* "cpus=2" in some other text is no trace. */
	r = trace_open(str_of("cpus=2\nthreads: 4\n"));
	assert_false(next_capture(r, &s));
	reader_close(r);
}

static void test_clocks(void **state)
{
	(void)state;
	static const struct {
		const char *line;
		bool ticks;
	} cases[] = {
		{ "a-1 [000] dNs6.            4: e: t\n", true },
		{ "a-1 [000] dNs6. 15273526986095: e: t\n", true },
		{ "a-1 [000] 12: e: t\n", true },
		{ "a-1 [000] 380330000000: e: t\n", false },
		{ "a-1 [000] d... 0.000001: e: t\n", false },
	};
	for (size_t i = 0; i < N_OF(cases); i++) {
		struct capture *c;
		struct source *source;
		struct reader *r = trace_first(cases[i].line, &c, &source);
		assert_int_equal(c->trace.clock_ticks, cases[i].ticks);
		reader_close(r);
	}
}

static void test_damage(void **state)
{
	(void)state;
	struct seen s;
	struct reader *r = trace_open(str_of("a-1 [000] d... 1.000001: f <-g\n"
					     "a-1 [000] d... 99999999999999.000001: f <-g\n"
					     "a-1 [000] dqqq 1.000001: f <-g\n"
					     "what is this\n"
					     "a-1 [000] d... 1.000002: f\n"
					     "<-g\n"
					     "a-1 [000] d... 1.000003: f <-g\n"
					     "and this is behind it\n"));
	assert_true(next_capture(r, &s));
	assert_int_equal(s.n, 3);
	assert_true(s.e[1].kind & EVENT_AFTER_HOLE);
	assert_string_equal(s.caller[1], "g");
	assert_int_equal(s.c->damaged, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(s.c->damage.at[i].line, 2 + i);
	reader_close(r);
}

/* What looks like an entry and is none must neither stop the reader nor hold it. */
static void test_damage_alone(void **state)
{
	(void)state;
	static const char *const texts[] = {
		"a-9999999999 [000] d... 1.000001: f <-g\n",
		"a-1 [000] qqqq 1.000001: f <-g\n",
		"a-1 [000] d... 99999999999999.000001: f <-g\n",
		"a-1 [000] 1.000001:\n",
	};
	for (size_t i = 0; i < N_OF(texts); i++) {
		struct seen s;
		struct reader *r = trace_open(str_of(texts[i]));
		if (next_capture(r, &s)) {
			assert_int_equal(s.n, 0);
			assert_int_equal(s.c->damaged, 1);
			assert_false(next_capture(r, &s));
		}
		reader_close(r);
	}
}

/* A mail broke the line: what the event lacks stands on the next one. */
static void test_wrapped(void **state)
{
	(void)state;
	struct seen s;
	struct reader *r = trace_open(str_of("a-1 [000] d... 1.000001: f <-g\n"
					     "a-1 [000] d... 1.000001: sched_waking: comm=x pid=7\n"
					     "prio=120 target_cpu=003\n"
					     "a-1 [000] d... 1.000002: sched_waking: comm=x pid=7\n"
					     "b-1 [000] d... 1.000003: f <-g\n"));
	struct source *source;
	struct err err = { 0 };
	struct event e;
	assert_int_equal(reader_next(r, &s.c, &source, &err), 1);
	source->points = POINT_BIT(POINT_WAKING);
	assert_int_equal(source->next(source, &e, &err), 1);
	assert_int_equal(source->next(source, &e, &err), 1);
	assert_int_equal(source->payload.point, POINT_WAKING);
	assert_int_equal(source->payload.sched.next_cpu, 3);
	assert_int_equal(source->next(source, &e, &err), 1);
	assert_int_equal(source->payload.point, POINT_NONE);
	assert_int_equal(e.line, 4);
	assert_int_equal(source->next(source, &e, &err), 1);
	assert_int_equal(e.line, 5);
	assert_int_equal(source->next(source, &e, &err), 0);
	reader_close(r);
}

/* A row of a CPU that cannot be is damage, wherever it stands: it is no text around the trace. */
static void test_damage_cpu(void **state)
{
	(void)state;
	struct seen s;
	struct reader *r =
		open_one("# tracer: osnoise\n"
			 "a-83  [65536] ..... 11.300000: 1000000 1 99.0 8 0 0 2 0 0\n"
			 "a-83  [65535] ..... 11.383543: 1000000 1 99.0 8 0 0 2 0 0\n"
			 "a-83  [99999999999] ..... 12.383543: 1000000 1 99.0 8 0 0 2 0 0\n",
			 &s);
	assert_int_equal(s.n, 1);
	assert_int_equal(s.c->damaged, 2);
	assert_string_equal(s.c->damage.at[0].why, "no CPU has that number");
	reader_close(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns),         cmocka_unit_test(test_no_columns),
		cmocka_unit_test(test_payloads),        cmocka_unit_test(test_repeats),
		cmocka_unit_test(test_stacks),          cmocka_unit_test(test_perf),
		cmocka_unit_test(test_perf_exited),     cmocka_unit_test(test_perf_records),
		cmocka_unit_test(test_processes),       cmocka_unit_test(test_perf_fields),
		cmocka_unit_test(test_report_columns),  cmocka_unit_test(test_text_goes_on),
		cmocka_unit_test(test_too_much_text),   cmocka_unit_test(test_markers),
		cmocka_unit_test(test_header),          cmocka_unit_test(test_several),
		cmocka_unit_test(test_latency_follows), cmocka_unit_test(test_lost),
		cmocka_unit_test(test_report),          cmocka_unit_test(test_clocks),
		cmocka_unit_test(test_damage),          cmocka_unit_test(test_wrapped),
		cmocka_unit_test(test_damage_alone),    cmocka_unit_test(test_damage_cpu),
	};
	return cmocka_run_group_tests_name("ftrace", tests, NULL, NULL);
}
