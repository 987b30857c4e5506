/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long something was so, by looking at it now and then. */
#ifndef DWELL_STAT_SEEN_H
#define DWELL_STAT_SEEN_H

#include <stdint.h>

#include "stat/interval.h"

/*
 * Each look stands for the time since the one before, and weighs as much as it times the number of
 * threads (or whatever there is) that were seen so.
 */
struct stat_seen {
	uint64_t looks, seen;
	double ns, squares; /* of the weights: sum, sum of squares */
};

/* One more is seen so in a look that stands for ns, after `already` others. */
void stat_seen_add(struct stat_seen *s, double ns, uint64_t already);

/*
 * The time that it was so in all, in ns, with its 95 % interval; {0, 0, 0} if it was not seen.
 *
 * The looks are taken for independent. The sum S of N weights then has the variance
 * V = squares - S^2 / N, as that of a Poisson count m = S / u of units u = V / S, of which the score
 * interval is m + z^2/2 +- z sqrt(m + z^2/4). u is at least 2.4 S / N^2: what was seen in every
 * look is known no better than to 3 of N (the rule of three). A state that lasts over many looks is
 * measured better than that: the interval is then too wide. tests/unit/test_seen.c has the
 * coverage.
 */
void stat_seen_time(const struct stat_seen *s, struct stat_interval *out);

#endif
