/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The osnoise events of a trace: who took the CPU from a thread, and for how long. Durations are
 * net of what interrupted the noise in turn: sums of different sources do not overlap, and nothing
 * is subtracted from them again.
 */
#ifndef DWELL_ANALYZE_NOISE_H
#define DWELL_ANALYZE_NOISE_H

#include "core/capture.h"
#include "core/event.h"
#include "core/report.h"

#define NOISE_ROWS 4096

struct noise_row {
	enum point point; /* POINT_NOISE_* */
	uint32_t name;    /* name id */
	int64_t number;   /* vector or pid; UNKNOWN: none */
	uint64_t n;
	int64_t total, longest; /* ns */
	uint32_t longest_line;
};

struct noise {
	VEC(struct noise_row) rows;
	uint64_t left_out; /* events of sources that came after NOISE_ROWS */
};

void noise_fini(struct noise *n);
/* It took that many ns. */
void noise_add(struct noise *n, const struct event *e, const struct payload *p, int64_t ns);

static inline bool noise_is(enum point p)
{
	return p >= POINT_NOISE_NMI && p <= POINT_NOISE_THREAD;
}

/* "irq local_timer:236", "thread cc1:87882" */
const char *noise_text(const struct names *names, enum point point, uint32_t name, int64_t number,
		       struct arena *a);

/* Section "noise": the sources, the dearest first. Nothing where there was no such event. */
void noise_report(struct noise *n, const struct names *names, int64_t top, struct report *r);

#endif
