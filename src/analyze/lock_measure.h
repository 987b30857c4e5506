/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is compared of a class: ratios of its figures, and how far counting alone can move them.
 *
 * Events that are counted scatter like sqrt(n) even if nothing changed; and the mean of n times
 * between a least and a greatest scatters by sqrt((max - mean) (mean - min) / n) at most, whatever
 * their distribution (Bhatia and Davis, Am. Math. Monthly 107, 2000). Both hold for events that do
 * not depend on one another, and both are a floor: what differs from run to run comes on top.
 */
#ifndef DWELL_ANALYZE_LOCK_MEASURE_H
#define DWELL_ANALYZE_LOCK_MEASURE_H

#include "analyze/lock_align.h"

/* What a figure is divided by, besides a column. */
enum { LOCK_PER_WORK = LOCK_COLUMNS, LOCK_PER_NOTHING };

struct lock_ratio {
	int over;  /* enum lock_column: a count or a total */
	int under; /* enum lock_column, LOCK_PER_WORK or LOCK_PER_NOTHING */
};

struct lock_change {
	double value[LOCK_SIDES]; /* NAN: unknown */
	double factor;            /* new / base; NAN when either is unknown or 0 */
	double log;               /* its logarithm, half an event added to counts */
	double error;             /* standard error of log by counting alone; NAN: unknown */
	enum value_how how[LOCK_SIDES];
};

/* NAN when a part is unknown or there is nothing to divide by. */
double lock_ratio_value(const struct lock_ratio *r, const int64_t n[LOCK_COLUMNS], double work);
/* Half an event added to a count. */
double lock_ratio_log(const struct lock_ratio *r, const int64_t n[LOCK_COLUMNS], double work);

struct lock_change lock_change_of(const struct lock_ratio *r, const struct lock_pair *p);

/* How what follows from both sides is known. */
static inline enum value_how lock_change_how(const struct lock_change *c)
{
	return how_both(c->how[LOCK_BASE], c->how[LOCK_NEW]);
}

/* Is the change more than z standard errors of counting? False where that is unknown. */
bool lock_change_beyond(const struct lock_change *c, double z);

/*
 * How much of the change of a total goes with the number of events and how much with their
 * duration: the product changes by either first, and the two orders bound the answer.
 */
struct lock_split {
	double total;          /* new - base, ns */
	double by_duration[2]; /* with the new number, and with the base's */
	double by_number[2];   /* the rest of each */
	double duration_factor, number_factor;
	enum value_how how;
};
bool lock_split_of(const struct lock_pair *p, enum lock_column count, enum lock_column total,
		   struct lock_split *out);

/* "bounces/acquisitions", as conditions and facts name it. */
const char *lock_quantity_name(int quantity);
/* -1: there is none of this name. */
int lock_quantity_named(struct str name);

#endif
