/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the comparison share: its state, and who writes which section. */
#ifndef DWELL_ANALYZE_LOCK_DIFF_PARTS_H
#define DWELL_ANALYZE_LOCK_DIFF_PARTS_H

#include "analyze/lock_diff.h"

struct lock_diff {
	const struct lock_side *side;
	const struct lock_diff_options *options;
	struct lock_alignment align;
	struct lock_moves moves;
	struct report *report;
	struct arena *arena; /* the report's */
	bool one_class;      /* there is but one to compare */
};

/* How a metric is written: its name, its figures, its change. */
const char *lock_metric_name(const struct lock_diff *d, int metric);
const char *lock_metric_value(const struct lock_diff *d, int metric, double value);
/* "x 1.38", with the interval of repeated runs where there is one. */
const char *lock_metric_change(const struct lock_diff *d, const struct lock_move *m, int metric);
/* "unit of work", "second", "acquisition" */
const char *lock_unit_name(const struct lock_diff *d);

/* lock_diff_answer.c: the first lines. */
void lock_diff_answer(struct lock_diff *d, const struct lock_move *lead);
/* lock_diff_class.c: all about one class. */
void lock_diff_class(struct lock_diff *d, const struct lock_move *m);
/* Waiting is next to nothing beside holding, on both sides. */
bool lock_diff_waits_little(const struct lock_move *m);

#endif
