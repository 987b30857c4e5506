/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The explanation of one table of locks: which are waited for, which are held, which bounce, and
 * what the row of the first of them means, each with the numbers that prove it.
 *
 * Sites that wait and sites that hold are two lists: lock_stat has no pairs of them, and none are
 * suggested. There is no cost of a bounce in one table.
 */
#ifndef DWELL_ANALYZE_LOCKS_H
#define DWELL_ANALYZE_LOCKS_H

#include "core/capture.h"
#include "core/report.h"

enum lock_sort {
	LOCK_SORT_WAIT,
	LOCK_SORT_WAIT_MAX,
	LOCK_SORT_WAIT_MEAN,
	LOCK_SORT_CONTENTIONS,
	LOCK_SORT_RATE,
	LOCK_SORT_BOUNCES,
	LOCK_SORT_HOLD, /* from here on it is the table of holds that is sorted, and comes first */
	LOCK_SORT_HOLD_MAX,
	LOCK_SORT_HOLD_MEAN,
	LOCK_SORT_ACQUISITIONS,
};
extern const char *const lock_sort_names[]; /* as options have them; ends with NULL */

struct lock_explain_options {
	const char *only; /* a pattern of classes; NULL: all */
	int64_t top;      /* rows of a table in text */
	enum lock_sort sort;
};

/* A capture that has a table of locks. The report is the caller's; it lives no longer than the capture. */
void analyze_locks(const struct capture *c, const struct lock_explain_options *o, struct report *r);

#endif
