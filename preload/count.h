/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is counted of an exclusive lock, by lock_stat's rules (kernel/locking/lockdep.c; they are
 * in reference/locks.md, section 1): acquisitions and holds at release; a wait of no length is none;
 * a wait that fails is counted apart; bounces go by the CPU of the last acquisition on this very
 * lock; a trylock neither bounces nor moves that CPU. One rule is bent: a trylock does move the
 * site of the holder, for who really holds it is what a pair of sites is to tell.
 *
 * All but count_failed() are called by the thread that has the lock, and write plainly.
 */
#ifndef DWELL_PRELOAD_COUNT_H
#define DWELL_PRELOAD_COUNT_H

#include "preload/modules.h"
#include "preload/record.h"

/* Return address of the hook: who called it. */
#define CALLER ((uint64_t)(uintptr_t)__builtin_return_address(0))

HIDDEN uint64_t count_turn(void);

/* The time at which a hold begins that is to be measured; 0: it is not. */
static inline uint64_t count_hold_start(void)
{
	return likely(self.turn--) ? 0 : count_turn();
}

static inline void count_tried(struct record r, uint64_t pc, uint64_t start)
{
	if (r.lock->holder != pc)
		__atomic_store_n(&r.lock->holder, pc, __ATOMIC_RELAXED);
	if (unlikely(start))
		r.lock->hold_start = start;
}

/* On the CPU where the thread asked for it, or woke up. */
static inline void count_acquired(struct record r, int32_t cpu, uint64_t pc, uint64_t start)
{
	if (unlikely(r.lock->cpu != cpu)) {
		r.count->acq_bounces += r.lock->cpu >= 0;
		__atomic_store_n(&r.lock->cpu, cpu, __ATOMIC_RELAXED);
	}
	count_tried(r, pc, start);
}

HIDDEN void count_other_site(const struct record *r, uint64_t pc);

/* At the site that took it. */
static inline void count_site(struct record r)
{
	if (likely(r.lock->site[0] == r.lock->holder))
		r.count->site_n[0]++;
	else
		count_other_site(&r, r.lock->holder);
}

HIDDEN void count_hold(struct wire_lock *l, struct wire_count *c);

static inline void count_released(struct record r)
{
	r.count->acquired++;
	count_site(r);
	if (unlikely(r.lock->hold_start))
		count_hold(r.lock, r.count);
}

/* A wait that has begun: what is known of the lock before anybody else has it. */
struct count_wait {
	uint64_t start, holding;
	uint32_t stack; /* as in struct wire_pair */
	bool bounce;
};

HIDDEN struct count_wait count_contended(const struct record *r, uint64_t pc);

/* It ended in having the lock; a hold that is to be measured (start) begins now. */
HIDDEN void count_waited(const struct record *r, uint64_t pc, const struct count_wait *w,
			 uint64_t start);

/* It did not. From any thread. */
HIDDEN void count_failed(const struct record *r);

/*
 * Of what many threads may do at once: readers, and what is no lock. All atomic. The CPU and the
 * site of the last acquisition are those of `last`, which readers share with their writers.
 */
HIDDEN void count_waited_shared(const struct record *r, uint64_t pc, const struct count_wait *w);
HIDDEN void count_acquired_shared(const struct record *r, struct wire_lock *last, uint64_t pc);
HIDDEN void count_tried_shared(const struct record *r, struct wire_lock *last, uint64_t pc);
HIDDEN void count_released_shared(const struct record *r, uint64_t start);

static inline void count_one(uint64_t *n)
{
	__atomic_fetch_add(n, 1, __ATOMIC_RELAXED);
}

/* A lock was initialised at a site. What was there before is another lock. */
HIDDEN void count_made(uint64_t key, uint64_t pc);

/* It was destroyed. */
HIDDEN void count_gone(uint64_t key);

#endif
