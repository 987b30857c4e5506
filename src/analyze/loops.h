/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loops of a window: how many turns, what a turn costs and how sure that is, what is dearest
 * inside; and what the window would have been with another number of turns.
 */
#ifndef DWELL_ANALYZE_LOOPS_H
#define DWELL_ANALYZE_LOOPS_H

#include "analyze/calltree.h"
#include "core/report.h"

/* What tracing cost: figures of a trace are 1 + share times the true ones, or every traced entry
 * took so many ns more. */
struct overhead {
	bool given, percent;
	int64_t low, high; /* thousandths of a percent, or ns an entry */
};

struct what_if {
	int64_t turns;     /* UNKNOWN: not asked */
	int64_t budget_ns; /* UNKNOWN: not asked */
	const char *loop;  /* function at the head; NULL: the loop that takes most time */
	struct overhead overhead;
};

void loops_report(const struct calltree *t, const struct timeline *timeline,
		  const struct what_if *what, struct report *r);

#endif
