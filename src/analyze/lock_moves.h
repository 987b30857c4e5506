/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which classes moved: of every class that both sides have, four ratios, each with what its change
 * can be told from. One run a side is told from counting alone, and from nothing else. Repeated
 * runs are told from one another, by ranks, and where hundreds of tests are made at once, a share
 * of 5 % of those selected is expected to be false (Benjamini and Hochberg).
 */
#ifndef DWELL_ANALYZE_LOCK_MOVES_H
#define DWELL_ANALYZE_LOCK_MOVES_H

#include "analyze/lock_measure.h"
#include "stat/interval.h"

enum lock_metric {
	LOCK_METRIC_BOUNCES, /* acquisitions from another CPU than the last, of all */
	LOCK_METRIC_RATE,    /* contentions per unit */
	LOCK_METRIC_WAIT,    /* total wait per unit */
	LOCK_METRIC_HOLD,    /* total hold per unit */
	LOCK_METRICS,
};

#define LOCK_FALSE_SHARE 0.05 /* q of Benjamini and Hochberg, and alpha of a single interval */
#define LOCK_COUNT_MIN 30     /* events on both sides together, below which nothing is tested */

struct lock_test {
	double p;                     /* NAN: not tested */
	struct stat_interval shift;   /* of the log; NAN bounds: the runs do not allow one */
	bool selected, interval_wide; /* wide: at the level that selection asks for, not 95 % */
};

struct lock_move {
	const struct lock_pair *pair;
	struct lock_change change[LOCK_METRICS];
	struct lock_test test[LOCK_METRICS]; /* of repeated runs */
	bool moved[LOCK_METRICS], weighty[LOCK_METRICS];
	double excess[LOCK_METRICS]; /* how far the log is beyond its error */
	int lead;                    /* the metric that moved most; -1: none did */
	bool heavy;                  /* by a metric in which the class has weight */
	double costs; /* ns of waiting that moved, if that leads for being time; else 0 */
};

struct lock_moves {
	struct lock_ratio ratio[LOCK_METRICS];
	VEC(struct lock_move) at; /* what cost most, then what moved most; the rest by totals */
	size_t moved;             /* classes, at the front of the list */
	size_t tests, selected;   /* of classes and metrics */
	double z;                 /* standard errors of counting that a change must exceed */
	bool repeated, paired;
	bool testable; /* repeated, and often enough for an interval */
};

/* unit: LOCK_ACQUISITIONS, LOCK_PER_WORK or LOCK_PER_NOTHING. */
void lock_moves_init(struct lock_moves *m, const struct lock_alignment *a, int unit, bool paired);
void lock_moves_fini(struct lock_moves *m);

/*
 * The shift of a ratio's log from the base's runs to the new ones, at the level 1 - alpha. False
 * when a run lacks the class or the figure; NAN bounds when there are too few runs.
 */
bool lock_shift_of(const struct lock_alignment *a, const struct lock_pair *p,
		   const struct lock_ratio *ratio, bool paired, double alpha,
		   struct stat_interval *out);

#endif
