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
#include "preload/now.h"
#include "preload/table.h"

/* Return address of the hook: who called it. */
#define CALLER ((uint64_t)(uintptr_t)__builtin_return_address(0))

/*
 * One acquisition in WIRE_HOLD_EVERY, spread evenly over any period that a program may have:
 * multiples of the golden ratio.
 */
extern HIDDEN __thread uint32_t count_turn __attribute__((tls_model("initial-exec")));

/* The time at which a hold begins that is to be measured; 0: it is not. */
static inline uint64_t count_hold_start(void)
{
	if (likely(segment_config.hold == WIRE_HOLD_SAMPLE)) {
		count_turn += UINT32_C(2654435769);
		if (likely(count_turn >= UINT32_MAX / WIRE_HOLD_EVERY))
			return 0;
	} else if (segment_config.hold == WIRE_HOLD_NONE) {
		return 0;
	}
	return now();
}

HIDDEN void count_new_site(struct wire_locks *s, struct wire_lock *l, uint64_t pc);

static inline void count_site(struct wire_locks *s, struct wire_lock *l, uint64_t pc)
{
	for (unsigned i = 0; i < WIRE_SITES; i++) {
		if (likely(l->site[i].pc == pc)) {
			l->site[i].n++;
			return;
		}
		if (!l->site[i].pc)
			break;
	}
	count_new_site(s, l, pc);
}

static inline void count_tried(struct wire_locks *s, struct wire_lock *l, uint64_t pc,
			       uint64_t start)
{
	if (l->holder != pc)
		__atomic_store_n(&l->holder, pc, __ATOMIC_RELAXED);
	l->hold_start = start;
	count_site(s, l, pc);
}

static inline void count_acquired(struct wire_locks *s, struct wire_lock *l, uint64_t pc,
				  uint64_t start)
{
	int32_t cpu = now_cpu();
	if (unlikely(l->cpu != cpu)) {
		l->acq_bounces += l->cpu >= 0;
		__atomic_store_n(&l->cpu, cpu, __ATOMIC_RELAXED);
	}
	count_tried(s, l, pc, start);
}

HIDDEN void count_hold(struct wire_lock *l);

static inline void count_released(struct wire_lock *l)
{
	l->acquired++;
	if (unlikely(l->hold_start))
		count_hold(l);
}

/* A wait that has begun: what is known of the lock before anybody else has it. */
struct count_wait {
	uint64_t start, holding;
	uint32_t stack; /* as in struct wire_pair */
	bool bounce;
};

HIDDEN struct count_wait count_contended(struct wire_locks *s, const struct wire_lock *l,
					 uint64_t pc);

/* It ended in having the lock; a hold that is to be measured (start) begins now. */
HIDDEN void count_waited(struct wire_locks *s, struct wire_lock *l, uint64_t pc,
			 const struct count_wait *w, uint64_t start);

/* It did not. From any thread. */
HIDDEN void count_failed(struct wire_lock *l);

/*
 * Of what many threads may do at once: readers, and what is no lock. All atomic. The CPU and the
 * site of the last acquisition are those of `last`, which readers share with their writers.
 */
HIDDEN void count_waited_shared(struct wire_locks *s, struct wire_lock *l, uint64_t pc,
				const struct count_wait *w);
HIDDEN void count_acquired_shared(struct wire_locks *s, struct wire_lock *l, struct wire_lock *last,
				  uint64_t pc);
HIDDEN void count_tried_shared(struct wire_locks *s, struct wire_lock *l, struct wire_lock *last,
			       uint64_t pc);
HIDDEN void count_released_shared(struct wire_lock *l, uint64_t start);

/* A lock was initialised at a site. What was there before is another lock. */
HIDDEN void count_made(struct wire_locks *s, uint64_t key, uint64_t pc);

#endif
