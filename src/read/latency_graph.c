/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of a latency tracer with display-graph: those of function_graph, always with time and
 * CPU. (Older kernels print secs.usecs instead of "N us": that is told from a graph of its own by
 * what stands before.)
 */
#include "read/graph_call.h"
#include "read/graph_prologue.h"
#include "read/latency_shapes.h"

/* Cuts the columns before the call off *line. */
static bool split(struct str *line, bool of_latency, struct graph_prologue *p)
{
	graph_prologue_cut(line, p);
	return p->have_time && p->have_cpu && (p->relative || of_latency);
}

bool latency_graph_begins(struct str line, bool of_latency)
{
	struct graph_prologue p;
	return split(&line, of_latency, &p);
}

enum entry_result latency_graph_parse(struct entry_reader *r, struct str line, struct event *e,
				      struct payload *p)
{
	struct graph_prologue before;
	if (!split(&line, r->of_latency, &before))
		return ENTRY_NONE;
	*e = (struct event){ .time = before.time, .cpu = before.cpu, .flags = before.flags };
	if (before.task.n && !graph_task(r->names, before.task, &e->task)) {
		r->why = "the pid does not fit";
		return ENTRY_DAMAGED;
	}

	r->format = "latency-graph";
	switch (graph_call_parse(r->names, line, e, p)) {
	case GRAPH_MARKER:
		return ENTRY_HIDDEN;
	case GRAPH_DAMAGED:
		r->why = "no call where one should be";
		return ENTRY_DAMAGED;
	case GRAPH_OPEN:
		r->why = "the call's end is missing";
		return ENTRY_OPEN;
	default:
		graph_open_follow(&r->graph, r->names, e);
		return ENTRY_OK;
	}
}
