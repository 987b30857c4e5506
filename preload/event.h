/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is waited for and is no lock. */
#ifndef DWELL_PRELOAD_EVENT_H
#define DWELL_PRELOAD_EVENT_H

#include "preload/count.h"
#include "preload/stack.h"

/*
 * A wait that begins; the record may be none. It is not given to another lock before the wait is over:
 * what is waited for may be destroyed by then.
 */
static inline struct count_wait event_wait(const struct record *r, uint64_t pc)
{
	struct count_wait w = { .bounce = -1 };
	if (r->lock) {
		__atomic_fetch_add(&r->lock->depth, 1, __ATOMIC_RELAXED);
		w.start = now();
		w.stack = stack_of(r->table, pc);
	}
	return w;
}

/* Nothing more is counted of it. */
static inline void event_over(const struct record *r)
{
	__atomic_fetch_sub(&r->lock->depth, 1, __ATOMIC_RELEASE);
}

static inline void event_failed(const struct record *r)
{
	count_failed(r);
	event_over(r);
}

/* It ended well: whoever made it happen last did. */
static inline void event_came(const struct record *r, uint64_t pc, struct count_wait *w)
{
	w->holding = __atomic_load_n(&r->lock->holder, __ATOMIC_RELAXED);
	w->end = now();
	count_waited_shared(r, pc, w);
	event_over(r);
}

/* This site makes it happen. */
static inline void event_made(uint64_t key, uint64_t pc)
{
	struct record r = record_find(key);
	if (r.lock && __atomic_load_n(&r.lock->holder, __ATOMIC_RELAXED) != pc) {
		__atomic_store_n(&r.lock->holder, pc, __ATOMIC_RELAXED);
		modules_need(r.table, pc);
	}
}

#endif
