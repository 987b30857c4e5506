/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stat/rank.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* What a sum of doubles may have lost: 1e-12 of a probability does not tip a critical value. */
#define ROUNDING 1e-12

static int compare_doubles(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;
	return (a > b) - (a < b);
}

static void sort_doubles(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), compare_doubles);
}

static double median_of_sorted(const double *v, size_t n)
{
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static bool all_finite(const double *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!isfinite(v[i]))
			return false;
	}
	return true;
}

static bool is_size(size_t n)
{
	return n > 0 && n <= STAT_RANK_MAX;
}

/*
 * Ranks
 *
 * A tie gets the mean of its ranks, which may be a half: ranks are kept doubled, as integers.
 */
struct ranked {
	double value;
	bool mark; /* the difference was positive; the value is b's */
	unsigned rank2;
};

static int compare_ranked(const void *x, const void *y)
{
	return compare_doubles(&((const struct ranked *)x)->value,
			       &((const struct ranked *)y)->value);
}

/* Sorts, ranks, and returns the doubled sum of the ranks that are marked. */
static unsigned rank_all(struct ranked *v, size_t n)
{
	unsigned sum = 0;
	qsort(v, n, sizeof(*v), compare_ranked);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && v[end].value == v[i].value; end++)
			continue;
		for (size_t j = i; j < end; j++) {
			v[j].rank2 = (unsigned)(i + 1 + end);
			sum += v[j].mark ? v[j].rank2 : 0;
		}
	}
	return sum;
}

static double two_sided(double below, double above)
{
	return fmin(1, 2 * fmin(below, above));
}

/*
 * Pairs
 *
 * Under the null hypothesis every rank is in T or not, by a coin: the distribution is built up
 * one rank at a time.
 */
static void toss(double *p, size_t sum, unsigned rank)
{
	for (size_t t = sum + rank + 1; t-- > 0;)
		p[t] = 0.5 * (t <= sum ? p[t] : 0) + 0.5 * (t >= rank ? p[t - rank] : 0);
}

double stat_signed_rank_p(const double *d, size_t n)
{
	struct ranked v[STAT_RANK_MAX];
	size_t kept = 0, sum = 0;
	if (!is_size(n) || !all_finite(d, n))
		return NAN;
	for (size_t i = 0; i < n; i++) {
		if (d[i] != 0)
			v[kept++] = (struct ranked){ fabs(d[i]), d[i] > 0, 0 };
	}
	unsigned t = rank_all(v, kept);

	double *p = mem_array(kept * (kept + 1) + 1, sizeof(*p));
	p[0] = 1;
	for (size_t i = 0; i < kept; i++) {
		toss(p, sum, v[i].rank2);
		sum += v[i].rank2;
	}
	double below = 0, above = 0;
	for (size_t i = 0; i <= sum; i++) {
		below += i <= t ? p[i] : 0;
		above += i >= t ? p[i] : 0;
	}
	free(p);
	return two_sided(below, above);
}

int stat_signed_rank_critical(size_t n, double alpha)
{
	if (!is_size(n))
		return -1;
	size_t sum = 0;
	double *p = mem_array(n * (n + 1) / 2 + 1, sizeof(*p));
	p[0] = 1;
	for (unsigned rank = 1; rank <= n; rank++) {
		toss(p, sum, rank);
		sum += rank;
	}
	int k = -1;
	for (double tail = p[0]; tail <= alpha / 2 + ROUNDING && (size_t)k + 1 < sum;)
		tail += p[++k + 1];
	free(p);
	return k;
}

/* The median of the sorted v, and the interval that leaves out k values at either end. */
static struct stat_interval interval_of_sorted(const double *v, size_t n, int k)
{
	struct stat_interval out = { median_of_sorted(v, n), NAN, NAN };
	if (k >= 0 && (size_t)k < (n + 1) / 2) {
		out.low = v[k];
		out.high = v[n - 1 - (size_t)k];
	}
	return out;
}

bool stat_signed_rank_shift(const double *d, size_t n, double alpha, struct stat_interval *out)
{
	if (!is_size(n) || !all_finite(d, n))
		return false;
	size_t means = 0;
	double *w = mem_array(n * (n + 1) / 2, sizeof(*w));
	for (size_t i = 0; i < n; i++) {
		for (size_t j = i; j < n; j++)
			w[means++] = d[i] / 2 + d[j] / 2;
	}
	sort_doubles(w, means);
	*out = interval_of_sorted(w, means, stat_signed_rank_critical(n, alpha));
	free(w);
	return true;
}

double stat_signed_rank_least_p(size_t n)
{
	return n ? fmin(1, ldexp(2, -(int)n)) : NAN;
}

/*
 * Two samples
 *
 * Under the null hypothesis any m of the n + m ranks are b's. ways[j][s] is the share of the
 * choices of j ranks, among those looked at so far, with the sum s; counts of choices would not
 * fit an integer, so they are scaled to probabilities as ranks are added:
 *
 *	P_i(j, s) = P_{i-1}(j, s) (i - j) / i + P_{i-1}(j - 1, s - rank_i) j / i
 */
struct choices {
	size_t most, sums; /* the most that are chosen; sums run from 0 to sums - 1 */
	double *p;         /* p[j * sums + s] */
};

static void choices_add(struct choices *c, size_t i, unsigned rank)
{
	for (size_t j = i < c->most ? i : c->most;; j--) {
		double *row = c->p + j * c->sums;
		const double *fewer = c->p + (j ? j - 1 : 0) * c->sums;
		double stay = (double)(i - j) / (double)i, take = (double)j / (double)i;
		for (size_t s = c->sums; s-- > 0;) {
			double taken = j && s >= rank ? fewer[s - rank] : 0;
			row[s] = row[s] * stay + taken * take;
		}
		if (!j)
			break;
	}
}

/* The distribution of the sum of m of these ranks; to be freed. */
static double *choices_of(const unsigned *ranks, size_t total, size_t m, size_t sums)
{
	struct choices c = { m, sums, mem_array((m + 1) * sums, sizeof(double)) };
	c.p[0] = 1;
	for (size_t i = 0; i < total; i++)
		choices_add(&c, i + 1, ranks[i]);
	double *last = mem_array(sums, sizeof(*last));
	memcpy(last, c.p + m * sums, sums * sizeof(*last));
	free(c.p);
	return last;
}

double stat_rank_sum_p(const double *a, size_t n, const double *b, size_t m)
{
	struct ranked v[2 * STAT_RANK_MAX];
	unsigned ranks[2 * STAT_RANK_MAX];
	if (!is_size(n) || !is_size(m) || !all_finite(a, n) || !all_finite(b, m))
		return NAN;
	/* The smaller sample is the one that is chosen: the test does not mind. */
	if (m > n)
		return stat_rank_sum_p(b, m, a, n);
	for (size_t i = 0; i < n; i++)
		v[i] = (struct ranked){ a[i], false, 0 };
	for (size_t i = 0; i < m; i++)
		v[n + i] = (struct ranked){ b[i], true, 0 };
	unsigned w = rank_all(v, n + m);
	for (size_t i = 0; i < n + m; i++)
		ranks[i] = v[i].rank2;

	size_t sums = m * (2 * (n + m) + 1 - m) + 1; /* the m largest ranks, doubled */
	double *p = choices_of(ranks, n + m, m, sums);
	double below = 0, above = 0;
	for (size_t s = 0; s < sums; s++) {
		below += s <= w ? p[s] : 0;
		above += s >= w ? p[s] : 0;
	}
	free(p);
	return two_sided(below, above);
}

int stat_rank_sum_critical(size_t n, size_t m, double alpha)
{
	unsigned ranks[2 * STAT_RANK_MAX];
	if (!is_size(n) || !is_size(m))
		return -1;
	if (m > n)
		return stat_rank_sum_critical(m, n, alpha);
	/* Ranks from 0: the least sum of m of them is then that of U = 0. */
	for (size_t i = 0; i < n + m; i++)
		ranks[i] = (unsigned)i;
	size_t least = m * (m - 1) / 2, sums = least + n * m + 1;
	double *p = choices_of(ranks, n + m, m, sums);
	int k = -1;
	double tail = p[least];
	while (tail <= alpha / 2 + ROUNDING && (size_t)k + 1 < n * m)
		tail += p[least + (size_t)(++k + 1)];
	free(p);
	return k;
}

bool stat_rank_sum_shift(const double *a, size_t n, const double *b, size_t m, double alpha,
			 struct stat_interval *out)
{
	if (!is_size(n) || !is_size(m) || !all_finite(a, n) || !all_finite(b, m))
		return false;
	size_t differences = 0;
	double *w = mem_array(n * m, sizeof(*w));
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < m; j++)
			w[differences++] = b[j] - a[i];
	}
	sort_doubles(w, differences);
	*out = interval_of_sorted(w, differences, stat_rank_sum_critical(n, m, alpha));
	free(w);
	return true;
}

double stat_rank_sum_least_p(size_t n, size_t m)
{
	if (!n || !m)
		return NAN;
	double p = 2;
	for (size_t i = 1; i <= m; i++) /* 2 / (n + m over m) */
		p *= (double)i / (double)(n + i);
	return fmin(1, p);
}
