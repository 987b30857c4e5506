/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums of times from untrusted input: they stop at the limit instead of wrapping. */
#ifndef DWELL_BASE_SAT_H
#define DWELL_BASE_SAT_H

#include <stdint.h>

static inline int64_t sat_add(int64_t a, int64_t b)
{
	int64_t sum;
	if (__builtin_add_overflow(a, b, &sum))
		return a < 0 ? INT64_MIN + 1 : INT64_MAX;
	return sum;
}

static inline int64_t sat_sub(int64_t a, int64_t b)
{
	int64_t d;
	if (__builtin_sub_overflow(a, b, &d))
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

/* *sum += v */
static inline void sat_sum(int64_t *sum, int64_t v)
{
	*sum = sat_add(*sum, v);
}

#endif
