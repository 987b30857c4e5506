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

static inline const void *count_lock(const struct wire_lock *l)
{
	return (const void *)(uintptr_t)WIRE_KEY_ADDRESS(l->key);
}

/* All those of a lock's first are looked at, then a sample. */
static inline bool count_is_first(const struct wire_count *c)
{
	return c->acquired < WIRE_LOOK_FIRST;
}

/* Before an acquisition. */
HIDDEN struct self_start count_start(const struct wire_count *c);

HIDDEN void count_hold_begins(const void *lock, struct self_start start);

static inline void count_holder(struct wire_lock *l, uint64_t pc, struct self_start start)
{
	if (l->holder != pc)
		__atomic_store_n(&l->holder, pc, __ATOMIC_RELAXED);
	if (unlikely(start.at || self.held))
		count_hold_begins(count_lock(l), start);
}

static inline void count_tried(struct record r, uint64_t pc, struct self_start start)
{
	r.count->tried++;
	count_holder(r.lock, pc, start);
}

/* On the CPU where the thread asked for it, or woke up. */
HIDDEN void count_acquired(struct record r, int32_t cpu, uint64_t pc, struct self_start start);

HIDDEN void count_other_site(const struct record *r, uint64_t pc);

/* At the site that took it. */
static inline void count_site(struct record r)
{
	if (likely(r.lock->site[0] == r.lock->holder))
		r.count->site_n[0]++;
	else
		count_other_site(&r, r.lock->holder);
}

HIDDEN void count_hold(struct wire_count *c, struct self_start start);
HIDDEN void count_hold_ends(const struct record *r);

static inline void count_released(struct record r)
{
	r.count->acquired++;
	count_site(r);
	if (!count_is_first(r.count))
		r.count->usual_at = r.lock->site[0];
	if (unlikely(self.held))
		count_hold_ends(&r);
}

/* A wait that has begun: what is known of the lock before anybody else has it. */
struct count_wait {
	uint64_t start, holding;
	uint64_t end;   /* 0: it did not come to a wait */
	uint32_t stack; /* as in struct wire_pair */
	int bounce;     /* the one who has it took it on another CPU; -1: not known */
};

/*
 * Whether this wait asks who has the lock where that is. To read who it is takes the lock's line once
 * more from the owner, who needs it to let go.
 */
static inline bool count_asks(const struct wire_count *c)
{
	return c->contentions < WIRE_LOOK_FIRST || c->contentions % WIRE_ASK_EVERY == 0;
}

/* The thread that has it, or 0, is asked where it is when the lock does not tell. */
HIDDEN struct count_wait count_contended(const struct record *r, uint64_t pc, int32_t owner);

/* It ended in having the lock. */
HIDDEN void count_wait_ended(const struct record *r, uint64_t pc, const struct count_wait *w);

/* And so did the acquisition begin; a hold that is to be timed begins now. */
HIDDEN void count_waited(const struct record *r, uint64_t pc, const struct count_wait *w,
			 struct self_start start);

/* It did not. From any thread. */
HIDDEN void count_failed(const struct record *r);

/*
 * Of what many threads may do at once: readers, and what is no lock. All atomic. The CPU of
 * the last acquisition is that of `last`, which readers share with their writers.
 */
HIDDEN void count_waited_shared(const struct record *r, uint64_t pc, const struct count_wait *w);
HIDDEN void count_acquired_shared(const struct record *r, struct wire_lock *last, uint64_t pc,
				  struct self_start start);
HIDDEN void count_tried_shared(const struct record *r, uint64_t pc);
HIDDEN void count_released_shared(const struct record *r, struct self_start start);

/* A thread may have a lock several times. */
static inline void count_hold_begins_shared(const void *lock, struct self_start start)
{
	if (start.at)
		self_hold(lock, start);
}

static inline void count_one(uint64_t *n)
{
	__atomic_fetch_add(n, 1, __ATOMIC_RELAXED);
}

/* A lock was initialised at a site. What was there before is another lock. */
HIDDEN void count_made(uint64_t key, uint64_t pc);

/* It was destroyed. */
HIDDEN void count_gone(uint64_t key);

#endif
