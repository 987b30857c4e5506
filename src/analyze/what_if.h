/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the window would have been with another number of turns of a loop, and how many turns fit
 * into a budget: T(n) = section + b (n - N), of this section and as traced. It says how far an
 * answer leaves the data; what a batch costs beyond its turns is not in one trace.
 */
#ifndef DWELL_ANALYZE_WHAT_IF_H
#define DWELL_ANALYZE_WHAT_IF_H

#include "analyze/loops.h"

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

/* Adds nothing where nothing was asked. */
void what_if_report(const struct calltree *t, const struct loop_list *loops,
		    const struct timeline *timeline, const struct what_if *what, struct report *r);

#endif
