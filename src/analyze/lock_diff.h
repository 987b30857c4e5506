/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two tables of locks compared, or two sets of repeated ones: which classes moved, by how much,
 * and what that may and may not mean.
 *
 * One run a side gives sizes and no inference. There is no cause in two tables: a change of the
 * mean hold is told together with what else would look the same, and the most that bouncing can
 * have cost is a bound, told only where the share of bounces moved.
 */
#ifndef DWELL_ANALYZE_LOCK_DIFF_H
#define DWELL_ANALYZE_LOCK_DIFF_H

#include "analyze/lock_align.h"
#include "analyze/lock_condition.h"
#include "core/report.h"

#define LOCK_RUNS_MAX 128 /* a side; STAT_RANK_MAX */

enum lock_unit { LOCK_BY_ACQUISITIONS, LOCK_BY_WORK, LOCK_BY_SECONDS };

struct lock_diff_options {
	const struct lock_aliases *aliases;
	const struct lock_conditions *conditions;
	const char *only; /* a pattern of classes to show; NULL: those that moved most */
	int64_t top;      /* rows of a table in text */
	enum lock_unit unit;
	const double *work; /* of each run, the base's first, in units or seconds; or NULL */
	bool paired;        /* run i of the one and of the other were neighbours */
	bool of_traces;     /* beside what else two traces tell: under a heading */
	bool by_span;       /* work is how long each trace is, for want of anything better */
};

/*
 * The report lives no longer than the sides. Returned is the worst over all conditions: one holds;
 * one cannot be judged; none holds.
 */
enum lock_verdict analyze_lock_diff(const struct lock_side side[LOCK_SIDES],
				    const struct lock_diff_options *o, struct report *r);

#endif
