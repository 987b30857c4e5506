/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stat/series.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "stat/exact.h"
#include "stat/student.h"

#define SAMPLE_FIRST 8

/* Centred sums within each run, added up over runs; x is the index, y the value. */
struct within {
	double sxx, sxy, syy;
	uint64_t runs, longest;
};

struct stat_series_more {
	__int128 sumsq;    /* ns^2, of all values */
	__int128 sumindex; /* sum of index * value over the open run, index from 0 */

	/* The finished runs; the open run is what came since. */
	__int128 done_sumsq;
	uint64_t done_n;
	int64_t done_sum;
	struct within done;

	uint64_t random;
	bool saturated;
	uint16_t kept, room, most; /* most: how many the sample may keep */
	int64_t sample[];          /* kept of room values, ns */
};

void stat_series_fini(struct stat_series *s)
{
	if (!s)
		return;
	free(s->more);
	*s = (struct stat_series){ 0 };
}

/* Splitmix64 (Steele, Lea, Flood, OOPSLA 2014), scaled to 0..n-1 (Lemire, TOMACS 29, 2019). */
static uint64_t random_below(uint64_t *state, uint64_t n)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ull;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	z ^= z >> 31;
	return (uint64_t)((unsigned __int128)z * n >> 64);
}

static void sample_room(struct stat_series *s, size_t room)
{
	s->more = mem_resize(s->more, 1, sizeof(*s->more) + room * sizeof(s->more->sample[0]));
	s->more->room = (uint16_t)room;
}

/* Offers a value to the sample; `count` values were offered so far, with this one. */
static void sample_add(struct stat_series *s, int64_t v, uint64_t count)
{
	if (count <= s->more->most) {
		if (s->more->kept == s->more->room)
			sample_room(s, 2 * (size_t)s->more->room);
		s->more->sample[s->more->kept++] = v;
		return;
	}
	uint64_t i = random_below(&s->more->random, count);
	if (i < s->more->most)
		s->more->sample[i] = v;
}

static void series_sum(struct stat_series *s, int64_t v)
{
	if (__builtin_add_overflow(s->sum, v, &s->sum)) {
		s->sum = v < 0 ? INT64_MIN : INT64_MAX;
		s->more->saturated = true;
	}
}

/* Allocates `more`; a first value that was kept in the sum alone moves in. */
static void series_expand(struct stat_series *s)
{
	if (s->more)
		return;
	s->more = mem_alloc(sizeof(*s->more) + SAMPLE_FIRST * sizeof(s->more->sample[0]));
	s->more->room = SAMPLE_FIRST;
	s->more->most = STAT_SAMPLE;
	if (s->n) {
		s->more->sumsq = (__int128)s->sum * s->sum;
		sample_add(s, s->sum, 1);
	}
}

void stat_series_add(struct stat_series *s, int64_t v_ns)
{
	stat_series_add_sized(s, v_ns, true);
}

size_t stat_series_room(const struct stat_series *s)
{
	return s->more ? s->more->room - SAMPLE_FIRST : 0;
}

size_t stat_series_add_sized(struct stat_series *s, int64_t v_ns, bool grow)
{
	if (!s->n && !s->more) {
		*s = (struct stat_series){ .n = 1, .sum = v_ns, .min = v_ns, .max = v_ns };
		return 0;
	}
	series_expand(s);
	struct stat_series_more *m = s->more;
	if (!exact_add_product(&m->sumsq, v_ns, v_ns) ||
	    !exact_add_product(&m->sumindex, (int64_t)(s->n - m->done_n), v_ns))
		m->saturated = true;
	series_sum(s, v_ns);
	s->n++;
	s->min = v_ns < s->min ? v_ns : s->min;
	s->max = v_ns > s->max ? v_ns : s->max;
	size_t room = m->room;
	if (!grow && m->most > m->room)
		m->most = m->room;
	sample_add(s, v_ns, s->n);
	return s->more->room - room;
}

/* Finished runs and the open one. */
static struct within series_within(const struct stat_series *s)
{
	const struct stat_series_more *m = s->more;
	if (!m)
		return (struct within){ .runs = s->n, .longest = s->n };
	struct within w = m->done;
	uint64_t n = s->n - m->done_n;
	if (!n)
		return w;

	/* The mean index is (n - 1) / 2: sxy = sum of index * value - (n - 1) / 2 * sum. */
	__int128 sum = (__int128)s->sum - m->done_sum, twice;
	if (!exact_fits(sum) || __builtin_mul_overflow(m->sumindex, 2, &twice) ||
	    __builtin_sub_overflow(twice, sum * (int64_t)(n - 1), &twice))
		w.sxy = NAN;
	else
		w.sxy += (double)twice / 2;
	w.sxx += (double)n * ((double)n * (double)n - 1) / 12;
	w.syy += exact_centred(n, sum, sum, m->sumsq - m->done_sumsq);
	w.runs++;
	w.longest = n > w.longest ? n : w.longest;
	return w;
}

static struct within within_plus(struct within a, struct within b)
{
	return (struct within){
		.sxx = a.sxx + b.sxx,
		.sxy = a.sxy + b.sxy,
		.syy = a.syy + b.syy,
		.runs = a.runs + b.runs,
		.longest = a.longest > b.longest ? a.longest : b.longest,
	};
}

/*
 * Draws without replacement from two samples of two populations, so that the result is a uniform
 * sample of both together: a slot goes to either side in proportion to what is left of it. It is as
 * large as the smaller one, which may have to give all of it.
 */
static void sample_mix(struct stat_series *into, const struct stat_series *from)
{
	struct stat_series_more *m = into->more;
	int64_t pool[2][STAT_SAMPLE];
	memcpy(pool[0], m->sample, m->kept * sizeof(pool[0][0]));
	memcpy(pool[1], from->more->sample, from->more->kept * sizeof(pool[1][0]));
	uint64_t left[2] = { into->n, from->n };
	uint64_t kept[2] = { m->kept, from->more->kept };
	m->kept = m->most = m->kept < from->more->kept ? m->kept : from->more->kept;
	for (int i = 0; i < m->kept; i++) {
		int side = random_below(&m->random, left[0] + left[1]) >= left[0];
		uint64_t j = random_below(&m->random, kept[side]);
		m->sample[i] = pool[side][j];
		pool[side][j] = pool[side][--kept[side]];
		left[side]--;
	}
}

/* Takes the other's sample, and offers it the own values, which are all there. */
static void sample_take(struct stat_series *into, const struct stat_series *from)
{
	int64_t own[STAT_SAMPLE];
	uint16_t n = into->more->kept, kept = from->more->kept;
	memcpy(own, into->more->sample, n * sizeof(own[0]));
	sample_room(into, kept);
	memcpy(into->more->sample, from->more->sample, kept * sizeof(own[0]));
	into->more->kept = into->more->most = kept;
	for (uint16_t i = 0; i < n; i++)
		sample_add(into, own[i], from->n + i + 1);
}

/* Merges the samples; n of both is still that before the merge. */
static void sample_merge(struct stat_series *into, const struct stat_series *from)
{
	if (!from->more) {
		sample_add(into, from->sum, into->n + 1);
	} else if (!stat_series_sampled(from)) {
		for (uint16_t i = 0; i < from->more->kept; i++)
			sample_add(into, from->more->sample[i], into->n + i + 1);
	} else if (!stat_series_sampled(into)) {
		sample_take(into, from);
	} else {
		sample_mix(into, from);
	}
}

void stat_series_merge(struct stat_series *into, const struct stat_series *from)
{
	if (!from->n)
		return;
	series_expand(into);
	struct within both = within_plus(series_within(into), series_within(from));
	sample_merge(into, from);

	struct stat_series_more *m = into->more;
	__int128 sumsq = from->more ? from->more->sumsq : (__int128)from->sum * from->sum;
	if (__builtin_add_overflow(m->sumsq, sumsq, &sumsq))
		m->saturated = true;
	else
		m->sumsq = sumsq;
	m->saturated |= stat_series_saturated(from);
	series_sum(into, from->sum);
	into->min = !into->n || from->min < into->min ? from->min : into->min;
	into->max = !into->n || from->max > into->max ? from->max : into->max;
	into->n += from->n;

	m->done = both;
	m->done_n = into->n;
	m->done_sum = into->sum;
	m->done_sumsq = m->sumsq;
	m->sumindex = 0;
}

void stat_series_end_run(struct stat_series *s)
{
	if (!s->n || (s->more && s->more->done_n == s->n))
		return;
	series_expand(s);
	struct stat_series_more *m = s->more;
	m->done = series_within(s);
	m->done_n = s->n;
	m->done_sum = s->sum;
	m->done_sumsq = m->sumsq;
	m->sumindex = 0;
}

uint64_t stat_series_runs(const struct stat_series *s)
{
	return series_within(s).runs;
}

bool stat_series_saturated(const struct stat_series *s)
{
	return s->more && s->more->saturated;
}

bool stat_series_sampled(const struct stat_series *s)
{
	return s->more && s->n > s->more->kept;
}

double stat_series_mean_ns(const struct stat_series *s)
{
	if (!s->n || stat_series_saturated(s))
		return NAN;
	return (double)s->sum / (double)s->n;
}

double stat_series_sd_ns(const struct stat_series *s)
{
	if (s->n < 2 || stat_series_saturated(s))
		return NAN;
	return sqrt(exact_centred(s->n, s->sum, s->sum, s->more->sumsq) / (double)(s->n - 1));
}

static int double_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Sorts v. */
static double median_of(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), double_compare);
	return (v[(n - 1) / 2] + v[n / 2]) / 2;
}

/* The median of |v - centre| over the values kept, or of v. */
static double series_middle(const struct stat_series *s, const double *centre)
{
	double v[STAT_SAMPLE];
	size_t n = s->more ? s->more->kept : s->n;
	if (!n)
		return NAN;
	for (size_t i = 0; i < n; i++) {
		double value = (double)(s->more ? s->more->sample[i] : s->sum);
		v[i] = centre ? fabs(value - *centre) : value;
	}
	return median_of(v, n);
}

double stat_series_median_ns(const struct stat_series *s)
{
	return series_middle(s, NULL);
}

double stat_series_mad_ns(const struct stat_series *s)
{
	double median = stat_series_median_ns(s);
	return series_middle(s, &median);
}

bool stat_series_drift(const struct stat_series *s, double *per_turn_ns, double *t)
{
	struct within w = series_within(s);
	if (stat_series_saturated(s) || s->n < w.runs + 2 || !(w.sxx > 0) || isnan(w.sxy) ||
	    isnan(w.syy))
		return false;
	double slope = w.sxy / w.sxx;
	double residual = fmax(w.syy - slope * w.sxy, 0);
	double error = sqrt(residual / (double)(s->n - w.runs - 1) / w.sxx);
	*per_turn_ns = slope;
	*t = slope == 0 ? 0 : slope / error;
	return true;
}

bool stat_series_drifts(const struct stat_series *s, int64_t step_ns)
{
	double slope, t;
	if (!stat_series_drift(s, &slope, &t))
		return false;
	struct within w = series_within(s);
	double dof = (double)(s->n - w.runs - 1);
	return fabs(slope) * (double)(w.longest - 1) > (double)step_ns &&
	       fabs(t) > stat_t_quantile(0.975, dof);
}
