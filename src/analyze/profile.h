/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the time of a window went: from entry to next entry per function, per context, and the
 * longest single spans.
 */
#ifndef DWELL_ANALYZE_PROFILE_H
#define DWELL_ANALYZE_PROFILE_H

#include "analyze/timeline.h"
#include "core/report.h"

struct profile_row {
	uint32_t symbol;
	enum span_kind kind;
	uint64_t calls, timed; /* entries; those whose time to the next one is known */
	int64_t total, max;    /* ns */
	uint32_t next;         /* symbol of the next entry, if it is always the same; else 0 */
	uint32_t first_line, max_line;
};

#define PROFILE_GAPS 8

struct profile {
	struct span_listener listener;
	struct symbols *symbols;
	VEC(struct profile_row) rows;
	VEC(uint32_t) index;            /* row + 1, by symbol * 4 + kind */
	struct span gaps[PROFILE_GAPS]; /* longest first */
	size_t n_gaps;
	int64_t idle_after; /* ns: from entries of the idle task, in any context, to the next one */
};

void profile_init(struct profile *p, struct symbols *symbols);
void profile_fini(struct profile *p);

/* How an entry is called in a report: "slob_next", "_raw_spin_lock_irqsave (mark)". */
const char *profile_name(const struct symbols *s, uint32_t symbol, enum span_kind kind,
			 struct arena *a);

void profile_report(struct profile *p, struct timeline *t, int64_t top, struct report *r);

#endif
