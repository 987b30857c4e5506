/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/ftrace_text.h"

#include <inttypes.h>

#include "render/latency_header.h"
#include "render/payload.h"

/* What a report is known by may come late: its padding is asked for line by line. */
static bool is_report(const struct render_ftrace *r)
{
	return str_eq(str_of(r->capture->trace.format), "trace-cmd");
}

static bool is_perf(const struct render_ftrace *r)
{
	return str_eq(str_of(r->capture->trace.format), "perf-script");
}

/* A trace.dat does not say which tracer ran; what it holds is always of ftrace. */
static bool is_dat(const struct render_ftrace *r)
{
	return str_eq(str_of(r->capture->trace.format), "trace-dat");
}

bool render_ftrace_fits(const struct trace_header *h)
{
	struct str f = str_of(h->format);
	return str_eq(f, "default") || str_eq(f, "trace-cmd") || str_eq(f, "perf-script") ||
	       str_eq(f, "trace-dat");
}

#define TASK_WIDTH 19 /* up to the end of "TASK-PID" in the legend */

/* -- Header ------------------------------------------------------------------------------------ */

/*
 * The legend as print_func_help_header_irq in kernel/trace/trace.c draws it: with tgids, what
 * stands behind "TASK-PID" moves to the right.
 */
static void write_legend(FILE *out, unsigned columns, bool tgids)
{
	static const char *const none[] = {
		"           TASK-PID    CPU#    TIMESTAMP  FUNCTION",
		"              | |       |          |         |",
		NULL,
	};
	static const char *const four[] = {
		"                              _-----=> irqs-off",
		"                             / _----=> need-resched",
		"                            | / _---=> hardirq/softirq",
		"                            || / _--=> preempt-depth",
		"                            ||| /     delay",
		"           TASK-PID   CPU#  ||||    TIMESTAMP  FUNCTION",
		"              | |       |   ||||       |         |",
		NULL,
	};
	static const char *const five[] = {
		"                                _-----=> irqs-off/BH-disabled",
		"                               / _----=> need-resched",
		"                              | / _---=> hardirq/softirq",
		"                              || / _--=> preempt-depth",
		"                              ||| / _-=> migrate-disable",
		"                              |||| /     delay",
		"           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION",
		"              | |         |   |||||     |         |",
		NULL,
	};
	static const char *const seven[] = {
		"                                _-------=> irqs-off/BH-disabled",
		"                               / _------=> need-resched",
		"                              | / _-----=> need-resched-lazy",
		"                              || / _----=> hardirq/softirq",
		"                              ||| / _---=> preempt-depth",
		"                              |||| / _--=> preempt-lazy-depth",
		"                              ||||| / _-=> migrate-disable",
		"                              |||||| /     delay",
		"           TASK-PID     CPU#  |||||||  TIMESTAMP  FUNCTION",
		"              | |         |   |||||||     |         |",
		NULL,
	};
	const char *const *lines = columns > 5    ? seven
				   : columns == 5 ? five
				   : columns      ? four
						  : none;
	for (; *lines; lines++) {
		const char *line = *lines, *tgid = "           ";
		if (str_find(str_of(line), "TASK-PID") > 0)
			tgid = "       TGID";
		else if (!lines[1])
			tgid = "         | ";
		if (tgids)
			fprintf(out, "#%.*s%s%s\n", TASK_WIDTH, line, tgid, line + TASK_WIDTH + 1);
		else
			fprintf(out, "#%s\n", line);
	}
}

static void write_header(struct render_ftrace *r, unsigned columns)
{
	const struct trace_header *h = &r->capture->trace;
	r->begun = true;
	if (is_report(r)) {
		if (h->cpus != UNKNOWN)
			fprintf(r->out, "cpus=%" PRId64 "\n", h->cpus);
		return;
	}
	if (!h->tracer && !is_dat(r))
		return;
	render_tracer(r->out, h);
	render_entries(r->out, h);
	write_legend(r->out, columns, h->tgids);
}

/* -- Entries ----------------------------------------------------------------------------------- */

static void put(struct render_ftrace *r, struct str s)
{
	strbuf_add(&r->line, s.p, s.n);
}

/* Microseconds where they say it all, else ns; a stamp may be negative. */
static void put_time(struct strbuf *b, int64_t ns)
{
	uint64_t t = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
	int64_t sec = (int64_t)(t / 1000000000), part = (int64_t)(t % 1000000000);
	char minus[32];
	if (ns >= 0) {
		strbuf_number(b, sec, 5, ' ');
	} else { /* also -0.5 */
		snprintf(minus, sizeof(minus), "-%" PRId64, sec);
		strbuf_printf(b, "%5s", minus);
	}
	strbuf_add(b, ".", 1);
	if (part % 1000)
		strbuf_number(b, part, 9, '0');
	else
		strbuf_number(b, part / 1000, 6, '0');
}

static void put_left(struct strbuf *b, int64_t n)
{
	size_t begun = b->n;
	strbuf_number(b, n, 0, ' ');
	strbuf_fill(b, b->n - begun < 7 ? 7 - (b->n - begun) : 0, ' ');
}

/* "-%-7d (%7d)", perf: " %7d/%-7d": the process if there is a column for it. */
static void put_ids(struct render_ftrace *r, const struct task *t)
{
	struct strbuf *b = &r->line;
	bool tgids = r->capture->trace.tgids;
	if (is_perf(r)) {
		strbuf_add(b, " ", 1);
		strbuf_number(b, tgids && t->tgid ? t->tgid : t->pid, 7, ' ');
		if (!tgids || !t->tgid)
			return;
		strbuf_add(b, "/", 1);
		put_left(b, t->pid);
		return;
	}
	strbuf_add(b, "-", 1);
	put_left(b, t->pid);
	if (!tgids)
		return;
	if (!t->tgid) {
		strbuf_str(b, " (-------)");
		return;
	}
	strbuf_add(b, " (", 2);
	strbuf_number(b, t->tgid, 7, ' ');
	strbuf_add(b, ")", 1);
}

/* "%16.*s-%-7d [%03u] ", perf: "%16.*s %7d [%03u] " */
static void put_columns(struct render_ftrace *r, const struct event *e)
{
	const struct names *names = r->capture->names;
	struct task t = names_task_of(names, e->task);
	struct str comm = names_str(names, t.comm);
	struct strbuf *b = &r->line;
	char flags[8];
	strbuf_fill(b, comm.n < 16 ? 16 - comm.n : 0, ' ');
	put(r, comm);
	put_ids(r, &t);
	strbuf_add(b, " [", 2);
	strbuf_number(b, e->cpu, 3, '0');
	strbuf_add(b, "] ", 2);
	event_flags_print(e->flags, flags);
	if (*flags) {
		strbuf_str(b, flags);
		strbuf_add(b, " ", 1);
	}
	if (r->capture->trace.clock_ticks)
		strbuf_number(b, e->time, 12, ' ');
	else
		put_time(b, e->time);
	strbuf_add(b, ": ", 2);
}

/* "name:" and, in a report, the blanks up to the text. */
static void put_name(struct render_ftrace *r, struct str name)
{
	put(r, name);
	strbuf_add(&r->line, ":", 1);
	strbuf_fill(&r->line, is_report(r) && name.n < 20 ? 21 - name.n : 1, ' ');
}

/*
 * Entries without "name: " before their text: of system calls, "sys_read(fd: 3)"; what was
 * written to trace_marker_raw, "# 1a buf: 00"; and "UNKNOWN TYPE 4".
 */
static bool is_nameless(struct str name, const struct payload *p)
{
	bool call = p->point == POINT_SYS_ENTER || p->point == POINT_SYS_EXIT;
	return str_eq(name, "#") ||
	       (call && !str_starts(name, "sys_enter") && !str_starts(name, "sys_exit"));
}

/*
 * Of timerlat, osnoise or hwlat: the kernel prints no name (trace_timerlat_print() and its like in
 * kernel/trace/trace_output.c), trace-cmd does.
 */
static bool is_row(const struct render_ftrace *r, const struct event *e, const struct payload *p)
{
	bool tracer =
		p->point == POINT_TIMERLAT || p->point == POINT_OSNOISE || p->point == POINT_HWLAT;
	return e->what ? tracer && !is_report(r) : r->capture->trace.samples;
}

/*
 * What programs and trace_printk() wrote: the kernel prints where from, and not the event's name
 * (trace_print_print(), trace_bprint_print() and trace_bputs_print() in
 * kernel/trace/trace_output.c). trace-cmd report prints both.
 */
static bool is_note(const struct render_ftrace *r, struct str name)
{
	return is_dat(r) &&
	       (str_eq(name, "print") || str_eq(name, "bprint") || str_eq(name, "bputs"));
}

static void put_named(struct render_ftrace *r, const struct event *e, const struct payload *p)
{
	struct str name = names_str(r->capture->names, e->what);
	bool row = is_row(r, e, p) || is_note(r, name);
	if (!row && is_nameless(name, p)) {
		put(r, name);
		strbuf_fill(&r->line, str_starts(p->text, "(") ? 0 : 1, ' ');
	} else if (!row) {
		put_name(r, name);
	}
	put(r, p->text);
}

/* plugin_function.c of libtraceevent writes its arrow with two dashes. */
static void put_report_function(struct render_ftrace *r, const struct event *e)
{
	const struct names *names = r->capture->names;
	put_name(r, str_of("function"));
	put(r, names_str(names, e->what));
	if (!e->arg)
		return;
	strbuf_str(&r->line, " <-- ");
	put(r, names_str(names, e->arg));
}

static void put_payload(struct render_ftrace *r, const struct event *e, const struct payload *p)
{
	if (event_kind(e) == EVENT_NAMED)
		return put_named(r, e, p);
	if (event_kind(e) == EVENT_FUNCTION && is_report(r) && !p->arguments.n)
		return put_report_function(r, e);
	if (event_is_graph(e))
		put_name(r, str_of(event_kind(e) == EVENT_GRAPH_EXIT ? "funcgraph_exit"
								     : "funcgraph_entry"));
	render_payload(&r->payload, r->capture, e, p);
	put(r, strbuf_get(&r->payload));
}

/* "CPU:1 [5 EVENTS DROPPED]" */
static void write_dropped(FILE *out, const struct event *e, const struct payload *p)
{
	fprintf(out, "CPU:%u [", e->cpu);
	if (p->lost >= 0)
		fprintf(out, "%" PRId64 " ", p->lost);
	fputs("EVENTS DROPPED]\n", out);
}

/* -- The sink ---------------------------------------------------------------------------------- */

static int ftrace_begin(struct sink *s, const struct capture *c, struct err *err)
{
	(void)err;
	((struct render_ftrace *)s)->capture = c;
	return 0;
}

static void ftrace_event(struct sink *s, const struct event *e, const struct payload *p)
{
	struct render_ftrace *r = (struct render_ftrace *)s;
	if (!r->begun)
		write_header(r, event_kind(e) == EVENT_LOST ? 5 : event_flag_columns(e));
	if (e->kind & EVENT_AFTER_HOLE)
		fputs("[...]\n", r->out);
	if (event_kind(e) == EVENT_LOST)
		return is_report(r) ? write_dropped(r->out, e, p) : render_lost(r->out, e, p);
	r->line.n = 0;
	put_columns(r, e);
	put_payload(r, e, p);
	strbuf_add(&r->line, "\n", 1);
	fwrite(r->line.p, 1, r->line.n, r->out);
}

static int ftrace_finish(struct sink *s, const struct capture *c, struct report *report,
			 struct err *err)
{
	(void)c, (void)report, (void)err;
	struct render_ftrace *r = (struct render_ftrace *)s;
	if (!r->begun)
		write_header(r, 5);
	return 0;
}

static const struct sink_ops ftrace_ops = {
	.wants = SINK_WANTS_ALL,
	.points = POINT_BIT(POINT_SYS_ENTER) | POINT_BIT(POINT_SYS_EXIT) |
		  POINT_BIT(POINT_TIMERLAT) | POINT_BIT(POINT_OSNOISE) | POINT_BIT(POINT_HWLAT),
	.text = true,
	.begin = ftrace_begin,
	.event = ftrace_event,
	.finish = ftrace_finish,
};

void render_ftrace_init(struct render_ftrace *r, FILE *out)
{
	*r = (struct render_ftrace){ .sink = { &ftrace_ops }, .out = out };
}

void render_ftrace_fini(struct render_ftrace *r)
{
	strbuf_fini(&r->line);
	strbuf_fini(&r->payload);
}
