/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/latency.h"

#include <inttypes.h>

#include "core/capture.h"
#include "render/graph_columns.h"
#include "render/latency_header.h"
#include "render/payload.h"
#include "render/rt_ms.h"

static bool is_rt(const struct render_latency *r)
{
	return r->capture->trace.style != TRACE_STYLE_MAINLINE;
}

/* -- Header ------------------------------------------------------------------------------------ */

/* The legend as the kernel draws it for that many flag columns. */
static void write_legend(struct render_latency *r, const char *p, unsigned columns)
{
	static const char *const four[] = {
		"                 _------=> CPU#",
		"                / _-----=> irqs-off",
		"               | / _----=> need-resched",
		"               || / _---=> hardirq/softirq",
		"               ||| / _--=> preempt-depth",
		"               |||| /     delay",
		"   cmd     pid ||||| time  |   caller",
		"      \\   /    |||||  \\    |   /",
		NULL,
	};
	static const char *const five[] = {
		"                    _------=> CPU#",
		"                   / _-----=> irqs-off/BH-disabled",
		"                  | / _----=> need-resched",
		"                  || / _---=> hardirq/softirq",
		"                  ||| / _--=> preempt-depth",
		"                  |||| / _-=> migrate-disable",
		"                  ||||| /     delay",
		"  cmd     pid     |||||| time  |   caller",
		"     \\   /        ||||||  \\    |    /",
		NULL,
	};
	static const char *const seven[] = {
		"                    _--------=> CPU#",
		"                   / _-------=> irqs-off/BH-disabled",
		"                  | / _------=> need-resched",
		"                  || / _-----=> need-resched-lazy",
		"                  ||| / _----=> hardirq/softirq",
		"                  |||| / _---=> preempt-depth",
		"                  ||||| / _--=> preempt-lazy-depth",
		"                  |||||| / _-=> migrate-disable",
		"                  ||||||| /     delay",
		"  cmd     pid     |||||||| time  |   caller",
		"     \\   /        ||||||||  \\    |    /",
		NULL,
	};
	const char *const *lines = columns > 5 ? seven : columns == 5 ? five : four;
	for (; *lines; lines++)
		fprintf(r->out, "%s%s\n", p, *lines);
}

static void write_header(struct render_latency *r, unsigned columns)
{
	const struct trace_header *h = &r->capture->trace;
	r->begun = true;
	if (h->style == TRACE_STYLE_MS) {
		render_rt_ms_header(r->out, h);
		return;
	}
	render_tracer(r->out, h);
	render_latency_title(r->out, h);
	if (strcmp(h->format, "latency-graph") == 0)
		render_graph_legend(r->out, GRAPH_COLUMNS_LATENCY);
	else
		write_legend(r, render_latency_prefix(h), columns);
}

/* -- Entries ----------------------------------------------------------------------------------- */

struct mark {
	int64_t over_ns;
	char mark;
};

/* trace_find_mark in kernel/trace/trace_output.c since v4.0: of the gap to the next entry. */
static const struct mark marks_now[] = {
	{ 1000000000, '$' },
	{ 100000000, '@' },
	{ 10000000, '*' },
	{ 1000000, '#' },
	{ 100000, '!' },
	{ 10000, '+' },
	{ 0 },
};

/* preempt_mark_thresh of the -rt patches, 2005-2008. */
static const struct mark marks_rt[] = { { 100000, '!' }, { 1000, '+' }, { 0 } };

static char mark_of(const struct mark *marks, const struct event *e, const struct event *next)
{
	int64_t gap;
	if (!next || __builtin_sub_overflow(next->time, e->time, &gap))
		return ' ';
	for (; marks->mark; marks++) {
		if (gap > marks->over_ns)
			return marks->mark;
	}
	return ' ';
}

static void write_payload(struct render_latency *r)
{
	fprintf(r->out, "%.*s\n", (int)r->payload.n, r->payload.p ? r->payload.p : "");
}

static void write_graph_entry(struct render_latency *r)
{
	const struct event *e = &r->event;
	unsigned columns = GRAPH_COLUMN_SINCE | GRAPH_COLUMN_CPU | GRAPH_COLUMN_FLAGS;
	render_graph_columns(r->out, r->capture->names, e,
			     columns | (e->task ? GRAPH_COLUMN_TASK : 0));
	write_payload(r);
}

static void write_rt_ms_entry(struct render_latency *r, const struct event *next)
{
	const struct event *e = &r->event;
	bool back = render_rt_ms_looks_back(&r->capture->trace);
	int64_t delta = 0;
	if (back && r->before != NO_DURATION)
		__builtin_sub_overflow(e->time, r->before, &delta);
	else if (!back && next)
		__builtin_sub_overflow(next->time, e->time, &delta);
	render_rt_ms_columns(r->out, r->capture->names, e, r->preempt_word, r->preempt_count);
	render_rt_ms_time(r->out, e->time, delta);
	write_payload(r);
}

static void write_latency_entry(struct render_latency *r, const struct event *next)
{
	const struct event *e = &r->event;
	const struct names *names = r->capture->names;
	struct task t = names_task_of(names, e->task);
	struct str comm = names_str(names, t.comm);
	char flags[8];
	event_flags_print(e->flags, flags);
	fprintf(r->out, is_rt(r) ? "%8.*s-%-5d %u%s " : "%8.*s-%-7d %3u%s ", STR_ARG(comm), t.pid,
		e->cpu, flags);
	if (r->capture->trace.clock_ticks)
		fprintf(r->out, "%4" PRId64, e->time);
	else
		fprintf(r->out, "%4" PRId64 "us%c", e->time / 1000,
			mark_of(is_rt(r) ? marks_rt : marks_now, e, next));
	fputs(": ", r->out);
	write_payload(r);
}

static void write_entry(struct render_latency *r, const struct event *next)
{
	if (event_is_graph(&r->event))
		write_graph_entry(r);
	else if (r->event.kind & EVENT_NO_CPU)
		write_rt_ms_entry(r, next);
	else
		write_latency_entry(r, next);
	r->before = r->event.time;
	r->have = false;
}

static void latency_event(struct sink *s, const struct event *e, const struct payload *p)
{
	struct render_latency *r = (struct render_latency *)s;
	if (!r->begun)
		write_header(r, event_flag_columns(e));
	if (r->have)
		write_entry(r, e->kind & (EVENT_AFTER_HOLE | EVENT_NO_TIME) ? NULL : e);
	if (e->kind & EVENT_AFTER_HOLE) {
		fputs("[...]\n", r->out);
		r->before = NO_DURATION;
	}
	if (event_kind(e) == EVENT_LOST) {
		render_lost(r->out, e, p);
		return;
	}
	render_payload(&r->payload, r->capture, e, p);
	r->event = *e;
	r->preempt_word = p->preempt_word;
	r->preempt_count = p->preempt_count;
	r->have = true;
}

static int latency_begin(struct sink *s, const struct capture *c, struct err *err)
{
	(void)err;
	((struct render_latency *)s)->capture = c;
	return 0;
}

static int latency_finish(struct sink *s, const struct capture *c, struct report *report,
			  struct err *err)
{
	(void)c, (void)report, (void)err;
	struct render_latency *r = (struct render_latency *)s;
	if (!r->begun)
		write_header(r, 5);
	if (r->have)
		write_entry(r, NULL);
	return 0;
}

static const struct sink_ops latency_ops = {
	.wants = SINK_WANTS_ALL,
	.text = true,
	.begin = latency_begin,
	.event = latency_event,
	.finish = latency_finish,
};

void render_latency_init(struct render_latency *r, FILE *out)
{
	*r = (struct render_latency){
		.sink = { &latency_ops },
		.out = out,
		.before = NO_DURATION,
	};
}

void render_latency_fini(struct render_latency *r)
{
	strbuf_fini(&r->payload);
}
