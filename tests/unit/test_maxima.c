/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The maxima that the kernel's log tells: reading them, and what is said about them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace.h"

#include "analyze/maxima.h"
#include "render/maxima.h"

struct line_case {
	const char *line, *comm;
	int pid, cpu; /* -1: not printed */
	int64_t latency_us, threshold_us;
	const char *section;
};

static void expect(const struct capture *c, const struct maximum *m, const struct line_case *k)
{
	struct task t = names_task_of(c->names, m->task);
	assert_text(names_str(c->names, t.comm), k->comm);
	assert_int_equal(t.pid, k->pid);
	assert_true(m->cpu == (k->cpu < 0 ? UNKNOWN : k->cpu));
	assert_true(m->latency_us == k->latency_us);
	assert_true(m->threshold_us == (k->threshold_us < 0 ? UNKNOWN : k->threshold_us));
	assert_text(names_str(c->names, m->section), k->section);
}

static void test_lines(void **state)
{
	(void)state;
	static const struct line_case cases[] = {
		{ "(          IRQ 17-776  |#0): new 12 us maximum-latency wakeup.", "IRQ 17", 776,
		  0, 12, -1, "wakeup" },
		{ " (     ksoftirqd/0-2    |#11): new 1 us maximum-latency critical section.",
		  "ksoftirqd/0", 2, 11, 1, -1, "critical section" },
		{ "(a) b|c-7|#0): new 3us maximum-latency wakeup.", "a) b|c", 7, 0, 3, -1,
		  "wakeup" },
		{ "(  bash-1 |#0): 61 us critical section violates 50 us threshold.", "bash", 1, 0,
		  61, 50, "critical section" },
		{ "(  bash-1 |#0): 61 us wakeup latency violates 50 us threshold.", "bash", 1, 0,
		  61, 50, "wakeup" },
		{ "(  bash-1 |#0): new 61 us user-latency.", "bash", 1, 0, 61, -1, "user" },
		{ "(events/0/4): new 61 us maximum-latency critical section.", "events/0", 4, -1,
		  61, -1, "critical section" },
		{ "(bash-1 |#0): new 61 us maximum-latency wakeup", "bash", 1, 0, 61, -1,
		  "wakeup" },
	};
	for (size_t i = 0; i < N_OF(cases); i++) {
		struct capture *c;
		struct source *s;
		struct reader *r = trace_first(cases[i].line, &c, &s);
		assert_int_equal(c->kind, CAPTURE_MAXIMA);
		assert_null(s);
		assert_int_equal(c->maxima.n, 1);
		expect(c, &c->maxima.at[0], &cases[i]);
		reader_close(r);
	}
}

static void test_other_lines(void **state)
{
	(void)state;
	static const char *const lines[] = {
		"new 12 us maximum-latency wakeup.",
		"(bash-1 |#0) new 12 us maximum-latency wakeup.",
		"(bash-1 |#x): new 12 us maximum-latency wakeup.",
		"(bash |#0): new 12 us maximum-latency wakeup.",
		"(bash-99999999999 |#0): new 12 us maximum-latency wakeup.",
		"(bash-1 |#0): new us maximum-latency wakeup.",
		"(bash-1 |#0): new -12 us maximum-latency wakeup.",
		"(bash-1 |#0): new 12 ms maximum-latency wakeup.",
		"(bash-1 |#0): new 12 us record.",
		"(bash-1 |#0): 12 us wakeup.",
		"(bash-1 |#0): 12 us wakeup violates threshold.",
		"(bash-1 |#0): new 99999999999999999999 us maximum-latency wakeup.",
		"(see below): new 12 us maximum-latency wakeup.",
		"(): ",
		"(",
	};
	for (size_t i = 0; i < N_OF(lines); i++) {
		struct capture *c;
		struct source *s;
		struct err err = { 0 };
		struct reader *r = trace_open(str_of(lines[i]));
		if (reader_next(r, &c, &s, &err) != 0)
			fail_msg("'%s' is taken for a maximum", lines[i]);
		reader_close(r);
	}
}

static const char kernel_log[] =
	"eth0: link up\n"
	"(          IRQ 17-776  |#0): new 12 us maximum-latency critical section.\n"
	" => started at timestamp 3046274: <do_IRQ+0x19/0x190>\n"
	" =>   ended at timestamp 3046286: <__do_IRQ+0x13d/0x190>\n"
	"\n"
	"Call Trace:\n"
	" [<c0105a23>] dump_stack+0x23/0x30\n"
	" =>   dump-end timestamp 3046400\n"
	"\n"
	"usb 1-1: new device\n"
	"(     ksoftirqd/0-2    |#1): new 40 us maximum-latency wakeup.\n"
	"(          IRQ 17-776  |#0): new 70 us maximum-latency critical section.\n"
	"(          IRQ 17-776  |#0): new 5 us maximum-latency critical section.\n"
	"bye\n"
	"preemption latency trace v1.1.5 on 2.6.18\n"
	" latency: 70 us, #1/1, CPU#0 | (M:rt VP:0, KP:0, SP:1 HP:1)\n"
	"  IRQ_17-776   0D..1    0us : f (g)\n";

/* One capture of all, up to the trace; whatever else the log says does not matter. */
static void test_log(void **state)
{
	(void)state;
	struct capture *c;
	struct source *s;
	struct err err = { 0 };
	struct reader *r = trace_first(kernel_log, &c, &s);
	assert_int_equal(c->maxima.n, 4);
	assert_int_equal(c->first_line, 2);
	assert_int_equal(c->last_line, 13);
	const struct maximum *m = &c->maxima.at[0];
	assert_text(names_str(c->names, m->started_at), "do_IRQ");
	assert_text(names_str(c->names, m->ended_at), "__do_IRQ");
	assert_int_equal(m[1].started_at, 0);
	assert_int_equal(m[3].line, 13);
	assert_int_equal(reader_next(r, &c, &s, &err), 1);
	assert_int_equal(c->kind, CAPTURE_TRACE);
	assert_int_equal(c->first_line, 15);
	reader_close(r);
}

/* A trace ends where maxima begin. */
static void test_behind_a_trace(void **state)
{
	(void)state;
	struct capture *c;
	struct source *s;
	struct err err = { 0 };
	struct reader *r =
		trace_open(str_of("  a-1   0D..1    0us : f (g)\n"
				  "(  bash-1 |#0): new 61 us maximum-latency wakeup.\n"));
	assert_int_equal(reader_next(r, &c, &s, &err), 1);
	assert_int_equal(c->kind, CAPTURE_TRACE);
	assert_int_equal(reader_next(r, &c, &s, &err), 1);
	assert_int_equal(c->kind, CAPTURE_MAXIMA);
	assert_int_equal(reader_next(r, &c, &s, &err), 0);
	reader_close(r);
}

/* An endless log does not fill the memory. */
static void test_many(void **state)
{
	(void)state;
	struct strbuf cleanup_strbuf text = { 0 };
	for (unsigned i = 0; i < MAXIMA_KEPT + 10; i++)
		strbuf_printf(&text, "(a-1 |#0): new %u us maximum-latency wakeup.\n", i);
	struct capture *c;
	struct source *s;
	struct reader *r = trace_first(text.p, &c, &s);
	assert_int_equal(c->maxima.n, MAXIMA_KEPT);
	assert_int_equal(c->more_maxima, 10);
	assert_int_equal(c->last_line, MAXIMA_KEPT + 10);
	reader_close(r);
}

static void test_report(void **state)
{
	(void)state;
	struct capture *c;
	struct source *s;
	struct reader *r = trace_first(kernel_log, &c, &s);
	struct report report = { 0 };
	analyze_maxima(c, 8, &report);
	const struct section *head = report_get(&report, "headline");
	const struct finding *f = section_get(head, "headline");
	assert_int_equal(finding_get(f, "count").number, 4);
	assert_int_equal(finding_get(f, "first_ns").number, 12000);
	assert_int_equal(finding_get(f, "last_ns").number, 5000);
	assert_int_equal(finding_get(f, "largest_ns").number, 70000);
	assert_string_equal(finding_get(f, "section").text, "critical section");
	assert_int_equal(f->first_line, 12);
	assert_int_equal(finding_get(section_get(head, "resets"), "resets").number, 1);

	const struct table *t = section_table(report_get(&report, "tasks"), "tasks");
	assert_int_equal(t->rows.n, 2);
	assert_string_equal(t->rows.at[0].cell[0].text, "IRQ 17-776");
	assert_int_equal(t->rows.at[0].cell[2].number, 3);
	assert_int_equal(t->rows.at[1].cell[3].number, 40000);
	t = section_table(report_get(&report, "maxima"), "maxima");
	assert_int_equal(t->rows.n, 4);
	assert_int_equal(t->rows.at[0].cell[0].number, 5000); /* the last one first */
	report_fini(&report);
	reader_close(r);
}

static char *write_text(const char *text)
{
	struct capture *c;
	struct source *s;
	struct reader *r = trace_first(text, &c, &s);
	char *out = NULL;
	size_t n;
	FILE *f = open_memstream(&out, &n);
	render_maxima_text(f, c);
	fclose(f);
	reader_close(r);
	return out;
}

static void test_roundtrip(void **state)
{
	(void)state;
	static const char text[] =
		"(          IRQ 17-776  |#0): new 12 us maximum-latency critical section.\n"
		" => started at: <do_IRQ>\n"
		" => ended at: <__do_IRQ>\n"
		"(     ksoftirqd/0-2    |#1): 40 us wakeup violates 30 us threshold.\n"
		"(events/0/4): new 61 us maximum-latency critical section.\n";
	char *out = write_text(text);
	assert_string_equal(out, text);
	free(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),     cmocka_unit_test(test_other_lines),
		cmocka_unit_test(test_log),       cmocka_unit_test(test_behind_a_trace),
		cmocka_unit_test(test_many),      cmocka_unit_test(test_report),
		cmocka_unit_test(test_roundtrip),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
