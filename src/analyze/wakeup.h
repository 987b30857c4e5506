/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A wake-up as the wake-up tracers show it: who woke the task, when need-resched was set, who ran
 * on its CPU meanwhile, and when it was switched in.
 */
#ifndef DWELL_ANALYZE_WAKEUP_H
#define DWELL_ANALYZE_WAKEUP_H

#include "analyze/timeline.h"
#include "core/report.h"

struct wakeup_moment {
	bool seen;
	enum context context;
	uint16_t cpu;
	uint32_t line, task, site; /* site: symbol of what did it; 0: not shown */
	int64_t time;
};

/* Who ran on the CPU between the wake-up and the switch. */
struct wakeup_ran {
	uint32_t task;
	enum context context;
	bool tracer; /* the tracer was at work */
	int64_t total;
};

#define WAKEUP_RAN 64

struct wakeup {
	struct sink sink;              /* for the wake-up, the switch and their stacks */
	struct span_listener listener; /* for who ran */
	struct symbols *symbols;
	int64_t pid, cpu; /* of the header: whose wake-up is timed, and where it is to run */
	struct wakeup_moment woken, resched, switched;
	struct wakeup_moment
		*stack_of; /* the moment that a stack dump which comes next belongs to */
	struct wakeup_ran ran[WAKEUP_RAN];
	size_t n_ran;
};

void wakeup_init(struct wakeup *w, struct symbols *symbols);

/* From the wake-up to the switch, ns; UNKNOWN if either is not there. */
int64_t wakeup_latency(const struct wakeup *w);

/* What of that the tracer took for its stack dumps, ns. */
int64_t wakeup_tracer_time(const struct wakeup *w);

/* Adds nothing where no wake-up was seen. */
void wakeup_report(struct wakeup *w, struct report *r);

/* The first frame of a stack dump whose symbol has none of the classes; 0: none. */
uint32_t stack_site(struct symbols *symbols, const struct payload *p, uint32_t skip);

/* "comm-pid" */
const char *task_text(const struct symbols *symbols, uint32_t task, struct arena *a);

#endif
