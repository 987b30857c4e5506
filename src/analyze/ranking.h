/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Several explanations side by side: the longest latency first, each with its dominant cause. */
#ifndef DWELL_ANALYZE_RANKING_H
#define DWELL_ANALYZE_RANKING_H

#include "core/report.h"

struct ranking {
	struct arena arena;
	VEC(struct ranking_row) rows;
};

struct ranking_row {
	const char *label, *kind, *cause;
	int64_t latency_ns, part, whole; /* part of whole: the cause's share */
};

void ranking_fini(struct ranking *k);

/* Takes over what it needs of a report; one without a latency is left out. */
void ranking_add(struct ranking *k, const struct report *r);

/* *r becomes a report of one table; it lives no longer than the ranking. */
void ranking_report(struct ranking *k, struct report *r);

#endif
