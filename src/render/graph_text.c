/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/graph_text.h"

#include <inttypes.h>

#include "render/graph_columns.h"
#include "render/latency_header.h"
#include "render/payload.h"

bool render_graph_text_fits(const struct trace_header *h)
{
	return str_eq(str_of(h->format), "graph");
}

/* The option latency-format gives a graph the header of a latency tracer. */
static bool has_latency_header(const struct trace_header *h)
{
	return h->version || h->latency_us != UNKNOWN || h->task.comm;
}

static void write_header(struct render_graph_text *r, unsigned columns)
{
	const struct trace_header *h = &r->capture->trace;
	r->begun = true;
	render_tracer(r->out, h);
	if (has_latency_header(h))
		render_latency_title(r->out, h);
	else
		render_entries(r->out, h);
	if (h->tracer)
		render_graph_legend(r->out, columns);
}

static uint32_t *task_on(struct render_graph_text *r, uint16_t cpu)
{
	while (r->tasks_on.n <= cpu)
		vec_push(&r->tasks_on, 0);
	return &r->tasks_on.at[cpu];
}

/* The columns that this line needs so that all of the event is read back. */
static unsigned columns_of(struct render_graph_text *r, const struct event *e)
{
	unsigned columns = event_flag_columns(e) ? GRAPH_COLUMN_FLAGS : 0;
	if (!(e->kind & EVENT_NO_TIME))
		columns |= GRAPH_COLUMN_TIME;
	bool known = false;
	if (!(e->kind & EVENT_NO_CPU)) {
		uint32_t *now = task_on(r, e->cpu);
		columns |= GRAPH_COLUMN_CPU;
		known = *now == e->task;
		*now = e->task;
	}
	r->tasks |= e->task && !known;
	return columns | (r->tasks && e->task ? GRAPH_COLUMN_TASK : 0);
}

/* verif_pid in kernel/trace/trace_functions_graph.c */
static void write_switch(struct render_graph_text *r, const struct event *e,
			 const struct payload *p)
{
	static const char rule[] = " ------------------------------------------";
	const struct names *names = r->capture->names;
	fprintf(r->out, "%s\n %u) ", rule, e->cpu);
	render_graph_task(r->out, names, p->sched.prev_task);
	fputs(" => ", r->out);
	render_graph_task(r->out, names, p->sched.next_task);
	fprintf(r->out, "\n%s\n\n", rule);
	*task_on(r, e->cpu) = p->sched.next_task;
}

static int graph_begin(struct sink *s, const struct capture *c, struct err *err)
{
	(void)err;
	((struct render_graph_text *)s)->capture = c;
	return 0;
}

static void graph_event(struct sink *s, const struct event *e, const struct payload *p)
{
	struct render_graph_text *r = (struct render_graph_text *)s;
	bool call = event_is_graph(e);
	unsigned columns = call ? columns_of(r, e) : GRAPH_COLUMN_CPU;
	if (!r->begun)
		write_header(r, columns);
	if (e->kind & EVENT_AFTER_HOLE)
		fputs("[...]\n", r->out);
	if (event_kind(e) == EVENT_LOST)
		render_lost(r->out, e, p);
	else if (event_kind(e) == EVENT_GRAPH_SWITCH)
		write_switch(r, e, p);
	if (!call)
		return;
	render_graph_columns(r->out, r->capture->names, e, columns);
	render_payload(&r->payload, r->capture, e, p);
	strbuf_add(&r->payload, "\n", 1);
	fwrite(r->payload.p, 1, r->payload.n, r->out);
}

static int graph_finish(struct sink *s, const struct capture *c, struct report *report,
			struct err *err)
{
	(void)c, (void)report, (void)err;
	struct render_graph_text *r = (struct render_graph_text *)s;
	if (!r->begun)
		write_header(r, GRAPH_COLUMN_CPU);
	return 0;
}

static const struct sink_ops graph_ops = {
	.wants = SINK_WANTS_ALL,
	.text = true,
	.begin = graph_begin,
	.event = graph_event,
	.finish = graph_finish,
};

void render_graph_text_init(struct render_graph_text *r, FILE *out)
{
	*r = (struct render_graph_text){ .sink = { &graph_ops }, .out = out };
}

void render_graph_text_fini(struct render_graph_text *r)
{
	vec_fini(&r->tasks_on);
	strbuf_fini(&r->payload);
}
