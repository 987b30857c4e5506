/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conditions on a comparison, for --fail-on:
 *
 *	METRIC [of CLASS] OP CHANGE [, ...]
 *
 *	bounces/acquisitions > +10%
 *	wait/contentions of &rq->__lock >= +50%, hold of *mmap_lock* > +5%
 *
 * METRIC is a quantity or one divided by another: acquisitions, contentions, bounces, con-bounces,
 * wait, wait-max, hold, hold-max, and below the stroke work. Without a CLASS it is every lock that
 * is counted often enough. OP is >, >=, < or <=.
 *
 * A condition holds for a class when its change satisfies it and is more than counting alone
 * explains; of repeated runs, when the whole interval satisfies it.
 */
#ifndef DWELL_ANALYZE_LOCK_CONDITION_H
#define DWELL_ANALYZE_LOCK_CONDITION_H

#include "analyze/lock_moves.h"

struct lock_condition {
	const char *text; /* as given, this one alone */
	const char *of;   /* a pattern; NULL: every class */
	struct lock_ratio ratio;
	bool above, equal; /* > or <, or equal */
	double limit;      /* of new / base: 1.1 for +10 % */
};

struct lock_conditions {
	struct arena arena;
	VEC(struct lock_condition) at;
};

void lock_conditions_fini(struct lock_conditions *c);

/* Adds those of a text. -EINVAL, with a sentence. */
int lock_conditions_add(struct lock_conditions *c, const char *text, struct err *err) must_check;

enum lock_verdict {
	LOCK_HOLDS_NOT,
	LOCK_HOLDS,
	LOCK_CANNOT_SAY, /* no such class on both sides, or the figure is unknown */
};

/* *worst: the pair with the largest change that holds; NULL unless LOCK_HOLDS. */
enum lock_verdict lock_condition_judge(const struct lock_condition *c,
				       const struct lock_alignment *a, const struct lock_moves *m,
				       const struct lock_pair **worst);

#endif
