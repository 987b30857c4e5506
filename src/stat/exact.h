/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Centred sums out of exact integer sums, for series.c and interval.c. Knows nothing of time
 * or traces; nobody outside stat/ should need it.
 *
 * "Sum of squares less square of the sum" in doubles loses every digit of a small spread on a
 * large mean. The sums here are integers of 128 bits and the subtraction is exact; only the
 * result is rounded.
 */
#ifndef DWELL_STAT_EXACT_H
#define DWELL_STAT_EXACT_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* Adds a * b to *sum; false, with *sum unchanged, when it does not fit. */
static inline bool exact_add_product(__int128 *sum, int64_t a, int64_t b)
{
	__int128 next;
	if (__builtin_add_overflow(*sum, (__int128)a * b, &next))
		return false;
	*sum = next;
	return true;
}

static inline bool exact_fits(__int128 v)
{
	return v >= INT64_MIN && v <= INT64_MAX;
}

/*
 * Sum of (x - mean x)(y - mean y) = sxy - sx * sy / n, rounded once; with x = y the sum of
 * squared deviations. NAN for n = 0, or when something does not fit.
 *
 * With sx = a n + r and sy = b n + u, sx * sy / n = a sy + r b + r u / n: no product is larger
 * than 2^126.
 */
static inline double exact_centred(uint64_t n, __int128 sx, __int128 sy, __int128 sxy)
{
	if (!n || !exact_fits(sx) || !exact_fits(sy))
		return NAN;
	__int128 a = sx / (__int128)n, r = sx % (__int128)n;
	__int128 b = sy / (__int128)n, u = sy % (__int128)n;
	__int128 whole;
	if (__builtin_sub_overflow(sxy, a * sy, &whole) ||
	    __builtin_sub_overflow(whole, r * b, &whole) ||
	    __builtin_sub_overflow(whole, r * u / (__int128)n, &whole))
		return NAN;
	return (double)whole - (double)(r * u % (__int128)n) / (double)n;
}

#endif
