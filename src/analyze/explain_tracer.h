/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of timerlat, osnoise and hwlat and the osnoise events in a trace, which may hold other
 * events, too: what they say, and how far it can be trusted.
 */
#ifndef DWELL_ANALYZE_EXPLAIN_TRACER_H
#define DWELL_ANALYZE_EXPLAIN_TRACER_H

#include "analyze/explain.h"
#include "analyze/noise.h"
#include "analyze/osnoise.h"
#include "analyze/timerlat.h"

/* All three at once: a trace has rows of one, but says which only row by row. */
struct tracer {
	struct sink sink;
	int64_t cpu; /* UNKNOWN: all */
	struct timerlat timerlat;
	struct osnoise osnoise;
	struct hwlat hwlat;
	struct noise noise;
	uint64_t other_cpu; /* entries that are left out */
};

void tracer_init(struct tracer *t, const struct names *names, const struct explain_options *o);
void tracer_fini(struct tracer *t);

/* Is it a trace of one of them, by its header or its rows? */
bool tracer_is(const struct tracer *t, const struct capture *c);

/* From the headline on; of a trace that is one of theirs. */
void tracer_report(struct tracer *t, const struct capture *c, int64_t top, struct report *r);
/* The trace has that many entries, on any CPU. */
void tracer_trust(const struct tracer *t, const struct capture *c, uint64_t entries,
		  struct report *r);

#endif
