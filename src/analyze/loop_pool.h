/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an analysis keeps of loops. The longer a trace, the more paths are met on which something
 * repeats, and the more values of each; only the loops that take much of the time are told. When
 * there are LOOP_POOL_LOOPS, those that took least time are forgotten, an eighth of them; one that
 * comes again is `partial`. When there are LOOP_POOL_SAMPLES values, samples stop to grow.
 */
#ifndef DWELL_ANALYZE_LOOP_POOL_H
#define DWELL_ANALYZE_LOOP_POOL_H

#include "base/vec.h"
#include "stat/series.h"

#define LOOP_POOL_LOOPS 4096         /* of 0.7 KB */
#define LOOP_POOL_SAMPLES (1u << 17) /* beyond the few that each has */

/* What a loop of any analysis begins with. */
struct pooled_loop {
	struct stat_series
		steady;           /* a turn's start to the next; the first of each round left out */
	struct stat_series first; /* the first turns, one of each round */
	int64_t total;            /* ns */
	bool partial; /* it was forgotten once: its turns until then are in none of its figures */
};

struct loop_pool {
	size_t size;                  /* of a loop: a struct that begins with a pooled_loop */
	VEC(struct pooled_loop *) at; /* by id - 1; NULL: forgotten */
	size_t n;                     /* those that are not */
	size_t samples;               /* values that there is room for */
};

void loop_pool_init(struct loop_pool *p, size_t size);
void loop_pool_fini(struct loop_pool *p);

/* The loop of an id; NULL for 0, and for one that is forgotten. */
static inline void *loop_pool_get(const struct loop_pool *p, uint32_t id)
{
	return id ? p->at.at[id - 1] : NULL;
}

/*
 * The loop of *id, which is made where there is none, all zero; it gets an id then. Valid until the
 * next call.
 */
void *loop_pool_take(struct loop_pool *p, uint32_t *id);

/* stat_series_add() for a loop of the pool. */
static inline void loop_pool_add(struct loop_pool *p, struct stat_series *s, int64_t ns)
{
	p->samples += stat_series_add_sized(s, ns, p->samples < LOOP_POOL_SAMPLES);
}

#endif
