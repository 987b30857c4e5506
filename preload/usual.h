/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The usual way from a lock that one thread at a time can have to its unlock: the thread remembers its
 * record, takes it at the site and on the CPU where it took it before, and is not in the sample.
 *
 * All that can be done before the lock is taken, is: what is done after it prolongs the hold. A call that
 * goes this way leaves word for its unlock, which has only to count one more.
 */
#ifndef DWELL_PRELOAD_USUAL_H
#define DWELL_PRELOAD_USUAL_H

#include "preload/count.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* The thread goes another way: a hold that is timed goes to the others that are. */
static inline void usual_put_aside(void)
{
	if (self.plain && self.plain_start)
		self_hold((const void *)(uintptr_t)(self.plain ^ segment_page.s.seal),
			  (struct self_start){ .at = self.plain_start });
	self.plain = 0;
	self.plain_start = 0;
}

/* The record of a lock, if the thread remembers it, or NULL. */
static ALWAYS_INLINE struct wire_lock *usual_remembered(uint64_t key)
{
	struct wire_lock *l = self.last;
	if (!record_is_of(l, key)) {
		struct wire_locks *s = segment_is_open();
		self.last = l = s ? record_remembered(s, key) : NULL;
	}
	return record_is_of(l, key) ? l : NULL;
}

/* What is seldom needed on this way. */
HIDDEN void usual_time(void);
HIDDEN void usual_end_hold(struct wire_count *c);
HIDDEN void usual_after_other(struct wire_lock *l, uint64_t pc);

/* Before the first try, with the lock's record; false: it goes another way. */
static ALWAYS_INLINE bool usual_begins(const void *lock, struct wire_lock *l, uint64_t pc)
{
	uint64_t seal = segment_page.s.seal;
	int32_t cpu = now_rseq_cpu();
	struct wire_count *c = &l->count[(uint32_t)cpu % WIRE_CPUS];
	if (unlikely(!seal || cpu != self.cpu || c->usual_at != pc || --self.turn < 0))
		return false;
	if (unlikely(segment_config.hold == WIRE_HOLD_ALL))
		usual_time();
	self.plain = (uintptr_t)lock ^ seal; /* first: see usual_ends() */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	self.plain_count = c;
	return true;
}

/* The thread has it. Not all need be as the last acquisition left it. */
static ALWAYS_INLINE void usual_taken(struct wire_lock *l, uint64_t pc)
{
	if (unlikely(l->cpu != WIRE_CPU_UNSEEN || l->holder != pc))
		usual_after_other(l, pc);
}

/* The thread has it after a wait. What is done here prolongs the hold, and others are at the door. */
static inline void usual_waited(const struct record *r, uint64_t pc, const struct count_wait *w)
{
	if (w->end)
		count_wait_ended(r, pc, w);
	if (unlikely(self.plain_start))
		self.plain_start = w->end ? w->end : now();
	usual_taken(r->lock, pc);
}

/* It did not get it. */
HIDDEN void usual_failed(const struct record *r);

/*
 * Before the unlock; false: this one is not on the usual way. A signal handler that takes a lock of its
 * own, here or in usual_begins(), clears self.plain by that: then self.plain_count is not looked at.
 */
static ALWAYS_INLINE bool usual_ends(const void *lock)
{
	struct wire_count *c = self.plain_count;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (unlikely(self.plain != ((uintptr_t)lock ^ segment_page.s.seal)))
		return false;
	self.plain = 0;
	c->usual++;
	if (unlikely(self.plain_start))
		usual_end_hold(c);
	return true;
}

#endif
