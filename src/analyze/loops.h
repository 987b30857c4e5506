/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loops of a window: how many turns, what a turn costs and how sure that is, what is dearest
 * inside, and which turns took long.
 */
#ifndef DWELL_ANALYZE_LOOPS_H
#define DWELL_ANALYZE_LOOPS_H

#include "analyze/calltree.h"
#include "core/report.h"

/* One loop with its figures worked out. */
struct loop {
	uint32_t node;
	const struct calltree_node *n;
	const struct loop_stats *stats;
	struct stat_series turns; /* those that count for the cost */
	bool cold, have_cost;
	int64_t first_ns; /* mean of the first turns */
	struct stat_interval cost;
	uint64_t entries; /* traced entries in all its turns */
	uint32_t dearest; /* node; 0: none */
};

struct loop_list {
	VEC(struct loop); /* the one that takes most time first */
};

/* The loops that take a fiftieth of the time or more, or all of them. */
enum loops_which { LOOPS_DEAR, LOOPS_ALL };
void loops_collect(const struct calltree *t, const struct timeline *timeline,
		   enum loops_which which, struct loop_list *loops);
void loops_fini(struct loop_list *loops);

void loops_report(const struct calltree *t, const struct timeline *timeline,
		  const struct loop_list *loops, struct report *r);

/* The same of every loop, those within others too, one after another. */
void loops_list(const struct calltree *t, const struct timeline *timeline,
		const struct loop_list *loops, struct report *r);

/* Says of a loop that was forgotten once that its earlier turns are not in the figures. */
void loop_partial_report(const struct pooled_loop *l, uint32_t first_line, struct report *r,
			 struct section *s, unsigned indent);

/* A time in ns as the statistics give it; UNKNOWN if it is none. */
int64_t loop_ns(double v);

/* "5.71 us each (95 %: 5.26-6.17)", with `between` and `label` as in this example. */
const char *loop_interval_text(struct stat_interval v, const char *between, const char *label,
			       struct arena *a);

/*
 * "; no drift", "; each turn 5 ns dearer than the one before", with the facts; empty: too few. Of
 * one round.
 */
const char *loop_drift_text(const struct stat_series *steady, int64_t step, struct finding *f,
			    struct arena *a);

#endif
