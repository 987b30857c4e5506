/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sums of times from untrusted input: they stop at the limit instead of wrapping. None is
 * INT64_MIN, which means "unknown" and has no negative.
 */
#ifndef DWELL_BASE_SAT_H
#define DWELL_BASE_SAT_H

#include <math.h>
#include <stdint.h>

static inline int64_t sat_add(int64_t a, int64_t b)
{
	int64_t sum;
	if (__builtin_add_overflow(a, b, &sum) || sum == INT64_MIN)
		return a < 0 ? INT64_MIN + 1 : INT64_MAX;
	return sum;
}

static inline int64_t sat_sub(int64_t a, int64_t b)
{
	int64_t d;
	if (__builtin_sub_overflow(a, b, &d) || d == INT64_MIN)
		return a < 0 ? INT64_MIN + 1 : INT64_MAX;
	return d;
}

static inline int64_t sat_mul(int64_t a, int64_t b)
{
	int64_t product;
	if (__builtin_mul_overflow(a, b, &product))
		return (a < 0) != (b < 0) ? INT64_MIN + 1 : INT64_MAX;
	return product;
}

/* Microseconds in nanoseconds; what is not known stays so. */
static inline int64_t sat_us(int64_t us)
{
	return us == INT64_MIN ? us : sat_mul(us, 1000);
}

/* The nearest integer; NAN becomes 0. */
static inline int64_t sat_round(double v)
{
	if (isnan(v))
		return 0;
	if (fabs(v) >= 9.2e18)
		return v < 0 ? INT64_MIN + 1 : INT64_MAX;
	return (int64_t)llround(v);
}

/* *sum += v */
static inline void sat_sum(int64_t *sum, int64_t v)
{
	*sum = sat_add(*sum, v);
}

#endif
