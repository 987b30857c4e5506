/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sums and extremes that several threads may add to at once. */
#ifndef DWELL_PRELOAD_SUM_H
#define DWELL_PRELOAD_SUM_H

#include <stdint.h>

static inline void sum_add(uint64_t *to, uint64_t n)
{
	if (n)
		__atomic_fetch_add(to, n, __ATOMIC_RELAXED);
}

static inline void sum_most(uint64_t *to, uint64_t v)
{
	uint64_t is = __atomic_load_n(to, __ATOMIC_RELAXED);
	while (v > is &&
	       !__atomic_compare_exchange_n(to, &is, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

/* 0: nothing measured. */
static inline void sum_least(uint64_t *to, uint64_t v)
{
	uint64_t is = __atomic_load_n(to, __ATOMIC_RELAXED);
	while (v && (!is || v < is) &&
	       !__atomic_compare_exchange_n(to, &is, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

#endif
