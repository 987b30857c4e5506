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

/* A loop that can be asked about. */
struct what_if_loop {
	const char *head;          /* the function at its head */
	struct stat_interval cost; /* ns a turn */
	int64_t turns;             /* that were seen */
	int64_t section;  /* ns with these; UNKNOWN: only the turns themselves can be told */
	uint64_t entries; /* traced in it */
	double entries_per_turn;
	const char *note; /* which section that is, beside the title; NULL: the window */
};

static inline bool what_if_asked(const struct what_if *what)
{
	return what->turns != UNKNOWN || what->budget_ns != UNKNOWN;
}

/* l NULL: none was found. limits: a sentence about the answers. */
void what_if_answer(const struct what_if_loop *l, const struct what_if *what, const char *limits,
		    struct report *r);

/* Adds nothing where nothing was asked. */
void what_if_report(const struct calltree *t, const struct loop_list *loops,
		    const struct timeline *timeline, const struct what_if *what, struct report *r);

#endif
