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
	enum value_how said; /* of what lock_diff_figure marked since lock_diff_say */
};

/* A figure for a sentence, marked if it is not exact; the sentence is told with lock_diff_say. */
const char *lock_diff_figure(struct lock_diff *d, enum value_how how, const char *figure);
struct finding *lock_diff_say(struct lock_diff *d, struct section *s, const char *key,
			      const char *text);

/* How a metric is written: its name, its figures, its change. */
const char *lock_metric_name(const struct lock_diff *d, int metric);
const char *lock_metric_value(struct lock_diff *d, const struct lock_move *m, int metric, int side);
/* "x 1.38", "from none" */
const char *lock_change_words(const struct lock_diff *d, const struct lock_change *c);
/* "x 1.38", with the interval of repeated runs where there is one. */
const char *lock_metric_change(struct lock_diff *d, const struct lock_move *m, int metric);
/* The same as three cells: the factor, and the bounds of its interval, which are for JSON. */
void lock_metric_cells(struct lock_diff *d, const struct lock_move *m, int metric,
		       struct value cell[3]);
/* "unit of work", "second", "acquisition" */
const char *lock_unit_name(const struct lock_diff *d);

/* A class of the one side and one of the other, that may be the same lock; at most room of them. */
struct lock_maybe {
	const char *base, *new;
};
size_t lock_diff_maybes(const struct lock_diff *d, struct lock_maybe *out, size_t room);

/* lock_diff_answer.c: the first lines. */
void lock_diff_answer(struct lock_diff *d, const struct lock_move *lead);
/* lock_diff_class.c: all about one class. */
void lock_diff_class(struct lock_diff *d, const struct lock_move *m);
/* Waiting is next to nothing beside holding, on both sides. */
bool lock_diff_waits_little(const struct lock_move *m);

#endif
