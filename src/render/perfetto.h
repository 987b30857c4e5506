/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traces as Chrome's trace-event JSON, which Perfetto, Speedscope and chrome://tracing open
 * (man dwell-convert says what becomes what). A stream: what is kept follows the number of tasks
 * and CPUs and the depth of their calls, not the number of events.
 */
#ifndef DWELL_RENDER_PERFETTO_H
#define DWELL_RENDER_PERFETTO_H

#include "core/source.h"
#include "render/json.h"

/* One row of the display: a thread, whose slices nest. */
struct perfetto_track {
	int64_t pid, tid; /* a task's is found by its tid */
	uint32_t name;    /* task id that it was named after */
	bool named;       /* by a metadata event */
	bool have_front;  /* anything stands on it */
	int64_t front;    /* no slice may begin or end before: the last edge, ns */
	VEC(struct perfetto_open {
		uint32_t id;   /* what its end must fit */
		uint8_t depth; /* of a graph */
		int64_t start;
	})
	open;
	struct event function; /* entered last; kind EVENT_KIND_MASK: none */
};

enum perfetto_row {
	ROW_RUNNING, /* who runs */
	ROW_SOFTIRQ,
	ROW_HARDIRQ,
	ROW_FUNCTIONS, /* of interrupts, by their context: +CONTEXT_SOFTIRQ to +CONTEXT_NMI */
	ROWS = ROW_FUNCTIONS + CONTEXT_COUNT,
};

struct perfetto_cpu {
	struct perfetto_track rows[ROWS];
	bool have_last, have_run;
	bool switched; /* a switch was seen: who runs is known */
	int64_t last;  /* stamp of its last event, ns */
	int64_t since; /* the running task has run since, or longer */
	int64_t shown; /* since then slices tell who ran, without a gap */
	bool left;     /* the last steps of a switch may still be printed with who left: */
	int32_t leaving;
	int32_t pid;    /* who runs */
	uint32_t task;  /* 0: only its pid is known */
	uint32_t waker; /* who woke it; with woken set */
	int64_t woken;  /* how long before it ran, ns; UNKNOWN */
};

#define PERFETTO_WAKEUPS                                                                           \
	4096 /* remembered until the task runs; on a clash the older is forgotten */

struct perfetto_wakeup {
	int32_t pid; /* 0: none */
	uint16_t cpu;
	uint32_t waker; /* task id */
	int64_t time;
};

struct render_perfetto {
	struct sink sink;
	struct json json; /* of one event; they are put together by hand, one a line */
	bool any;         /* an event was written */
	int64_t base;     /* of this capture's process ids */
	uint64_t flows;   /* ids of arrows given so far */
	const struct capture *capture;
	bool timed, untimed; /* events with and without stamps were met */
	VEC(struct perfetto_track) tasks;
	uint32_t *slots; /* index in tasks + 1, by key; 0: empty */
	uint32_t mask;
	VEC(struct perfetto_cpu) cpus;
	struct perfetto_wakeup wakeups[PERFETTO_WAKEUPS];
};

/* One document holds every capture that is run through the sink between init and end. */
void render_perfetto_init(struct render_perfetto *p, FILE *out);
void render_perfetto_end(struct render_perfetto *p);
void render_perfetto_fini(struct render_perfetto *p);

#endif
