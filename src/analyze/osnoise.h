/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The osnoise tracer: how much of a CPU the system took from a thread that wants all of it, a row
 * a period. And hwlat, whose rows are times that the hardware took with interrupts off: a trace
 * without a row is its good result.
 */
#ifndef DWELL_ANALYZE_OSNOISE_H
#define DWELL_ANALYZE_OSNOISE_H

#include "core/capture.h"
#include "core/event.h"
#include "core/report.h"

#define OSNOISE_CPUS 4096

struct osnoise_cpu {
	uint16_t cpu;
	uint64_t periods;
	int64_t runtime, noise, max_single; /* us */
	int64_t count[NOISE_SOURCES];
	uint32_t max_line;
};

struct osnoise {
	VEC(struct osnoise_cpu) cpus;
	uint64_t samples, left_out;
};

void osnoise_fini(struct osnoise *o);
void osnoise_event(struct osnoise *o, const struct event *e, const struct payload *p);
void osnoise_report(struct osnoise *o, int64_t top, struct report *r); /* samples > 0 */

#define HWLAT_WORST 64

struct hwlat_row {
	int64_t inner, outer, count, nmi_us, nmis; /* us; UNKNOWN: not printed */
	uint16_t cpu;
	uint32_t line;
};

struct hwlat {
	struct hwlat_row worst[HWLAT_WORST]; /* the longest first */
	size_t n_worst;
	uint64_t samples, with_nmi;
};

void hwlat_event(struct hwlat *h, const struct event *e, const struct payload *p);
void hwlat_report(const struct hwlat *h, int64_t top, struct report *r); /* samples > 0 */

#endif
