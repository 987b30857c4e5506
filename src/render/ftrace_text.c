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

bool render_ftrace_fits(const struct trace_header *h)
{
	struct str f = str_of(h->format);
	return str_eq(f, "default") || str_eq(f, "trace-cmd") || str_eq(f, "perf-script") ||
	       str_eq(f, "trace-dat");
}

/* -- Header ------------------------------------------------------------------------------------ */

/* The legend as print_func_help_header_irq in kernel/trace/trace.c draws it. */
static void write_legend(FILE *out, unsigned columns)
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
	for (; *lines; lines++)
		fprintf(out, "#%s\n", *lines);
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
	if (!h->tracer)
		return;
	render_tracer(r->out, h);
	render_entries(r->out, h);
	write_legend(r->out, columns);
}

/* -- Entries ----------------------------------------------------------------------------------- */

/* Microseconds where they say it all, else ns; a stamp may be negative. */
static void write_time(FILE *out, int64_t ns)
{
	char text[32];
	uint64_t t = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
	uint64_t sec = t / 1000000000, part = t % 1000000000;
	snprintf(text, sizeof(text), "%s%" PRIu64, ns < 0 ? "-" : "", sec);
	if (part % 1000)
		fprintf(out, "%5s.%09" PRIu64 ": ", text, part);
	else
		fprintf(out, "%5s.%06" PRIu64 ": ", text, part / 1000);
}

static void write_columns(struct render_ftrace *r, const struct event *e)
{
	const struct names *names = r->capture->names;
	struct task t = names_task_of(names, e->task);
	struct str comm = names_str(names, t.comm);
	char flags[8];
	event_flags_print(e->flags, flags);
	fprintf(r->out, is_perf(r) ? "%16.*s %7d [%03u] " : "%16.*s-%-7d [%03u] ", STR_ARG(comm),
		t.pid, e->cpu);
	if (*flags)
		fprintf(r->out, "%s ", flags);
	if (r->capture->trace.clock_ticks)
		fprintf(r->out, "%12" PRId64 ": ", e->time);
	else
		write_time(r->out, e->time);
}

/* "name:" and, in a report, the blanks up to the text. */
static void write_name(struct render_ftrace *r, struct str name)
{
	size_t width = is_report(r) && name.n < 20 ? 21 - name.n : 1;
	fprintf(r->out, "%.*s:%*s", STR_ARG(name), (int)width, "");
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

static void write_named(struct render_ftrace *r, const struct event *e, const struct payload *p)
{
	if (!e->what && r->capture->trace.samples) { /* a row of timerlat, osnoise or hwlat */
		fprintf(r->out, "%.*s\n", STR_ARG(p->text));
		return;
	}
	struct str name = names_str(r->capture->names, e->what);
	if (!is_nameless(name, p))
		write_name(r, name);
	else
		fprintf(r->out, "%.*s%s", STR_ARG(name), str_starts(p->text, "(") ? "" : " ");
	fprintf(r->out, "%.*s\n", STR_ARG(p->text));
}

/* plugin_function.c of libtraceevent writes its arrow with two dashes. */
static void write_report_function(struct render_ftrace *r, const struct event *e)
{
	const struct names *names = r->capture->names;
	struct str what = names_str(names, e->what), caller = names_str(names, e->arg);
	write_name(r, str_of("function"));
	fprintf(r->out, "%.*s", STR_ARG(what));
	if (e->arg)
		fprintf(r->out, " <-- %.*s", STR_ARG(caller));
	fputc('\n', r->out);
}

static void write_payload(struct render_ftrace *r, const struct event *e, const struct payload *p)
{
	if (event_kind(e) == EVENT_NAMED)
		return write_named(r, e, p);
	if (event_kind(e) == EVENT_FUNCTION && is_report(r) && !p->arguments.n)
		return write_report_function(r, e);
	if (event_is_graph(e))
		write_name(r, str_of(event_kind(e) == EVENT_GRAPH_EXIT ? "funcgraph_exit"
								       : "funcgraph_entry"));
	render_payload(&r->payload, r->capture, e, p);
	fprintf(r->out, "%.*s\n", (int)r->payload.n, r->payload.p ? r->payload.p : "");
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
	write_columns(r, e);
	write_payload(r, e, p);
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
	.points = POINT_BIT(POINT_SYS_ENTER) | POINT_BIT(POINT_SYS_EXIT),
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
	strbuf_fini(&r->payload);
}
