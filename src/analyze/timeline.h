/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From events to spans: each entry of one CPU with the time until the next one, its context,
 * and its place in the window that the header speaks of.
 *
 * A function tracer records entries only: a span is "from entry to next entry", not the time
 * spent in the function (attribution.md). The spans, what is not covered at the head and the
 * tail, and the holes add up to the window exactly.
 */
#ifndef DWELL_ANALYZE_TIMELINE_H
#define DWELL_ANALYZE_TIMELINE_H

#include "analyze/context.h"
#include "base/sat.h"
#include "core/source.h"

enum span_kind {
	SPAN_FUNCTION, /* a function was entered */
	SPAN_EVENT,    /* a tracepoint, or values of an -rt kernel */
	SPAN_MARK,     /* the tracer's own entry: no call */
	SPAN_TRACER,   /* the tracer was at work: a stack dump */
};

struct span {
	struct event event;
	struct symbol what, caller;
	enum span_kind kind;
	enum context context;
	int64_t dur;   /* ns; 0 if not timed */
	bool timed;    /* false for the last one, and where lines or events are missing */
	uint32_t next; /* symbol of the entry that ends it; 0: none */
	enum span_kind next_kind;
	uint32_t next_line; /* 0: none */
	bool interrupted;   /* the next entry is of a higher context */
};

struct span_listener {
	void (*span)(struct span_listener *l, const struct span *s);
};

struct interruption {
	enum context context;
	uint32_t symbol;    /* of its first entry */
	int64_t start, dur; /* dur: spans in its own context, without what interrupted it */
	uint32_t first_line, last_line;
};

#define TIMELINE_LISTENERS 4
#define TIMELINE_INTERRUPTIONS 32

struct timeline {
	struct sink sink;
	struct symbols *symbols;
	struct span_listener *listeners[TIMELINE_LISTENERS];
	size_t n_listeners;

	/* The window, ns: the header's latency, or from first to last entry. */
	int64_t from, to;
	bool window_of_header; /* false: no latency given, or one that the stamps contradict */
	int64_t cpu;           /* whose entries are spans; UNKNOWN until the first */
	int64_t cpu_asked;     /* by the user; UNKNOWN: the header's */
	bool wakeup;           /* a wake-up tracer's */

	struct symbol graph[UINT8_MAX + 1]; /* open calls of a graph, by depth */

	/* What was met. */
	uint64_t lines; /* entries and stack dumps, on any CPU */
	uint64_t entries, other_cpu, before, after, backwards, stacks;
	uint64_t graphs; /* calls of a graph on the CPU */
	uint64_t leaves; /* calls of a graph in one line, which the kernel counts as two entries */
	int64_t covered, head, tail, holes; /* ns */
	int64_t context_time[CONTEXT_COUNT], idle_time, tracer_time;
	int64_t step; /* greatest common divisor of the steps of the clock so far */
	uint64_t steps;
	uint32_t first_line, last_line;
	struct event first, last; /* entries in the window on the CPU */

	/* Interruptions, the dearest kept, all counted. */
	struct interruption interruptions[TIMELINE_INTERRUPTIONS];
	uint32_t n_interruptions;
	uint64_t interruptions_of[CONTEXT_COUNT];
	int64_t interruption_time[CONTEXT_COUNT];

	/* State. */
	struct span open;
	bool begun, have_open, ended;
	struct context_state context;
	bool callers_seen;  /* an entry named its caller: one without is a mark */
	int64_t after_time; /* of the last entry behind the window */
	struct interruption running[CONTEXT_COUNT];
	bool is_running[CONTEXT_COUNT], is_interruption[CONTEXT_COUNT];
};

void timeline_init(struct timeline *t, struct symbols *symbols, int64_t cpu_asked);
void timeline_listen(struct timeline *t, struct span_listener *l);

/* Length of the window, ns. */
static inline int64_t timeline_length(const struct timeline *t)
{
	return sat_sub(t->to, t->from);
}

/* A twentieth or more of the window is not in the text: shares are of what is. */
static inline bool timeline_is_cut(const struct timeline *t)
{
	int64_t missing = sat_add(sat_add(t->head, t->tail), t->holes > 0 ? t->holes : 0);
	return missing > timeline_length(t) / 20;
}

/* What shares are shares of: the window, or what of it is covered; ns. */
static inline int64_t timeline_whole(const struct timeline *t)
{
	return timeline_is_cut(t) ? t->covered : timeline_length(t);
}

/* The clock's step, ns: what the stamps show, once there are enough of them. */
static inline int64_t timeline_step(const struct timeline *t)
{
	return t->steps >= 16 && t->step > 0 ? t->step : 1000;
}

#endif
