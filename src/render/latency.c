/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/latency.h"

#include <inttypes.h>

#include "core/capture.h"
#include "render/payload.h"
#include "render/rt_ms.h"

static bool is_rt(const struct render_latency *r)
{
	return r->capture->trace.style != TRACE_STYLE_MAINLINE;
}

/* -- Header ------------------------------------------------------------------------------------ */

static void write_latency(struct render_latency *r, const char *p)
{
	const struct trace_header *h = &r->capture->trace;
	if (h->latency_us == UNKNOWN)
		return;
	fprintf(r->out, "%s latency: %" PRId64 " us,", p, h->latency_us);
	if (h->entries_in_buffer != UNKNOWN)
		fprintf(r->out, " #%" PRId64 "/%" PRId64 ",", h->entries_in_buffer,
			h->entries_written != UNKNOWN ? h->entries_written : h->entries_in_buffer);
	if (h->cpu != UNKNOWN)
		fprintf(r->out, " CPU#%" PRId64, h->cpu);
	if (h->preempt_model)
		fprintf(r->out, " | (M:%s %s", h->preempt_model,
			h->model_flags ? h->model_flags : "VP:0, KP:0, SP:0 HP:0");
	if (h->preempt_model && h->cpus != UNKNOWN)
		fprintf(r->out, " #P:%" PRId64, h->cpus);
	fprintf(r->out, "%s\n", h->preempt_model ? ")" : "");
}

static void write_task(struct render_latency *r, const char *p)
{
	const struct trace_task *t = &r->capture->trace.task;
	if (!t->comm)
		return;
	fprintf(r->out, "%s    -----------------\n%s    | task: %s-%" PRId64, p, p, t->comm,
		t->pid);
	const struct {
		const char *key;
		int64_t value;
	} facts[] = { { "uid", t->uid },
		      { "nice", t->nice },
		      { "policy", t->policy },
		      { "rt_prio", t->rt_prio } };
	const char *before = " (", *end = "";
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		if (facts[i].value == UNKNOWN)
			continue;
		fprintf(r->out, "%s%s:%" PRId64, before, facts[i].key, facts[i].value);
		before = " ";
		end = ")";
	}
	fputs(end, r->out);
	fprintf(r->out, "\n%s    -----------------\n", p);
}

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

static void write_graph_legend(struct render_latency *r, const char *p)
{
	static const char *const lines[] = {
		"                                       _-----=> irqs-off",
		"                                      / _----=> need-resched",
		"                                     | / _---=> hardirq/softirq",
		"                                     || / _--=> preempt-depth",
		"                                     ||| /",
		"   REL TIME      CPU  TASK/PID       ||||     DURATION                  FUNCTION "
		"CALLS",
		"      |          |     |    |        ||||      |   |                     |   |   "
		"|   |",
	};
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		fprintf(r->out, "%s%s\n", p, lines[i]);
}

static void write_header(struct render_latency *r, unsigned columns)
{
	const struct trace_header *h = &r->capture->trace;
	const char *p = is_rt(r) ? "" : "#";
	r->begun = true;
	if (h->style == TRACE_STYLE_MS) {
		render_rt_ms_header(r->out, h);
		return;
	}
	if (!is_rt(r) && h->tracer)
		fprintf(r->out, "# tracer: %s\n#\n", h->tracer);
	if (h->version)
		fprintf(r->out, "%s%s%s latency trace %s on %s\n", p, *p ? " " : "", h->tracer,
			h->version, h->kernel ? h->kernel : "");
	fprintf(r->out, "%s --------------------------------------------------------------------\n",
		p);
	write_latency(r, p);
	write_task(r, p);
	if (h->started_at)
		fprintf(r->out, "%s => started at: %s\n", p, h->started_at);
	if (h->ended_at)
		fprintf(r->out, "%s => ended at:   %s%s\n", p, h->ended_at,
			h->ended_at_nowhere ? " <00000000>" : "");
	fprintf(r->out, "%s\n", p);
	if (strcmp(h->format, "latency-graph") == 0)
		write_graph_legend(r, p);
	else
		write_legend(r, p, columns);
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
	const struct names *names = r->capture->names;
	struct task t = names_task_of(names, e->task);
	struct str comm = names_str(names, t.comm);
	char flags[8];
	event_flags_print(e->flags, flags);
	fprintf(r->out, "%9" PRId64 " us |  %3u) ", e->time / 1000, e->cpu);
	if (e->task)
		fprintf(r->out, "%8.*s-%-6d | ", STR_ARG(comm), t.pid);
	if (*flags)
		fprintf(r->out, " %s | ", flags);
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
		fprintf(r->out, "CPU:%u [LOST ", e->cpu);
		if (p->lost >= 0)
			fprintf(r->out, "%" PRId64 " ", p->lost);
		fputs("EVENTS]\n", r->out);
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

bool render_latency_has_title(const struct trace_header *h)
{
	return h->version || h->latency_us != UNKNOWN ||
	       (h->style == TRACE_STYLE_MAINLINE && h->tracer);
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
