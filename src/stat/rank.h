/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exact rank statistics for few, expensive numbers such as runs of a benchmark: the signed-rank
 * test of pairs, the rank-sum test of two samples, and the Hodges-Lehmann estimates with the
 * intervals that belong to them. They assume neither a distribution nor an absence of outliers.
 * Knows nothing of locks or logarithms.
 *
 * Exact means: by counting the equally likely arrangements, ties included, never by a normal
 * approximation. That is possible up to STAT_RANK_MAX values a sample; beyond, the answer is NAN
 * or false. Unknown is NAN, never 0; a failed function leaves its output untouched.
 */
#ifndef DWELL_STAT_RANK_H
#define DWELL_STAT_RANK_H

#include <stdbool.h>
#include <stddef.h>

#include "stat/interval.h"

#define STAT_RANK_MAX 128

/*
 * Pairs: are the differences d symmetric about 0? (Wilcoxon, Biometrics Bulletin 1, 1945.)
 *
 * The two-sided p. Zeros are dropped, ties get the mean of their ranks, and the distribution is
 * that of the ranks that are there. 1 when nothing is left, NAN for n = 0.
 */
double stat_signed_rank_p(const double *d, size_t n);

/*
 * The largest t with P(T <= t) <= alpha / 2, for n differences without ties; -1: there is none,
 * n differences are too few for an interval at the level 1 - alpha.
 */
int stat_signed_rank_critical(size_t n, double alpha);

/*
 * The shift of the pairs: the median of the means of any two differences, each with itself too,
 * with the interval at the level 1 - alpha between the (k+1)-th of them from below and from above,
 * k the critical value. Too few pairs for one: low and high are NAN. False for n = 0.
 */
bool stat_signed_rank_shift(const double *d, size_t n, double alpha, struct stat_interval *out);

/*
 * Two samples that are not paired (Mann and Whitney, Ann. Math. Stat. 18, 1947). The same three:
 * U counts the pairs in which b is the smaller, and the shift is that of b against a, the median
 * of all differences.
 */
double stat_rank_sum_p(const double *a, size_t n, const double *b, size_t m);
int stat_rank_sum_critical(size_t n, size_t m, double alpha);
bool stat_rank_sum_shift(const double *a, size_t n, const double *b, size_t m, double alpha,
			 struct stat_interval *out);

/* The smallest two-sided p that so many values can give: what no effect, however large, beats. */
double stat_signed_rank_least_p(size_t n);
double stat_rank_sum_least_p(size_t n, size_t m);

#endif
