/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The timerlat tracer: how late the timer's interrupt came, how late its thread ran, and what lay
 * between, as far as osnoise events tell. The irq row and the thread row of one activation have
 * the same number on the same CPU; what happened between them is the thread's wait.
 */
#ifndef DWELL_ANALYZE_TIMERLAT_H
#define DWELL_ANALYZE_TIMERLAT_H

#include "analyze/noise.h"
#include "stat/histogram.h"

#define TIMERLAT_SERIES 512 /* contexts of CPUs */
#define TIMERLAT_PARTS 24   /* noises in one activation */
#define TIMERLAT_FRAMES 16  /* of a stack */
#define TIMERLAT_BEFORE 4   /* interrupts that came before the timer's */

struct timerlat_series {
	uint32_t context; /* name id: irq, thread, user-ret */
	uint16_t cpu;
	struct histogram latency;
	uint32_t max_line;
};

struct timerlat_part {
	enum point point; /* POINT_NOISE_* */
	uint32_t name;
	int64_t number, start, end; /* ns; end: of the event, which prints its start */
	int64_t dur;     /* ns within the activation, net of what interrupted it in turn */
	int64_t counted; /* ns that the event prints, where dur is less */
	uint32_t line;
};

/* One activation of the timer on one CPU, from the irq row to the thread row. */
struct timerlat_activation {
	int64_t number;
	uint16_t cpu;
	uint32_t interrupted;    /* task id of the irq row: who ran */
	int64_t irq, thread;     /* ns; UNKNOWN: no such row */
	int64_t irq_stamp;       /* ns of the clock */
	uint32_t irq_line, line; /* line: of the row that it is about */
	struct timerlat_part part[TIMERLAT_PARTS];
	uint32_t n_parts, more_parts;
	/* Interrupts that delayed the timer's, the newest last: dur is what fell behind the time that
	 * the timer was set for. Of an activation that is over, those since. */
	struct timerlat_part before[TIMERLAT_BEFORE];
	uint32_t n_before;
	uint32_t frame[TIMERLAT_FRAMES]; /* name ids, innermost first */
	uint32_t n_frames;
	bool stopped; /* the tracer stopped here */
};

struct timerlat {
	const struct names *names;
	VEC(struct timerlat_series) series;
	VEC(struct timerlat_activation *) running; /* by CPU; NULL: none yet */
	struct timerlat_activation *spike;         /* the worst first */
	size_t n_spikes, max_spikes, told;         /* told: those of which every part is told */
	uint64_t samples, left_out;
	uint64_t noises;
	uint32_t irq_name, thread_name; /* name ids, once seen */
};

/* The `told` worst are told with every part; UNKNOWN: three. */
void timerlat_init(struct timerlat *t, const struct names *names, int64_t told);
void timerlat_fini(struct timerlat *t);
void timerlat_event(struct timerlat *t, const struct event *e, const struct payload *p);

/* What a noise took, in ns, once timerlat_event() has had it: less than it prints, if it counts what
 * ran before the timer was due. */
int64_t timerlat_noise_ns(struct timerlat *t, const struct event *e, const struct payload *p);

/* Everything, from the headline on; there is a sample at least (timerlat_report.c). */
void timerlat_report(struct timerlat *t, int64_t top, struct report *r);

#endif
