/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is waited for and is no lock. */
#ifndef DWELL_PRELOAD_EVENT_H
#define DWELL_PRELOAD_EVENT_H

#include "preload/count.h"
#include "preload/stack.h"

/* A wait that begins; the record may be NULL. */
static inline struct count_wait event_wait(struct wire_locks *s, const struct wire_lock *l,
					   uint64_t pc)
{
	struct count_wait w = { 0 };
	if (l) {
		w.start = now();
		w.stack = stack_of(s, pc);
	}
	return w;
}

/* It ended well: whoever made it happen last did. */
static inline void event_came(struct wire_locks *s, struct wire_lock *l, uint64_t pc,
			      struct count_wait *w)
{
	w->holding = __atomic_load_n(&l->holder, __ATOMIC_RELAXED);
	count_waited_shared(s, l, pc, w);
}

/* This site makes it happen. */
static inline void event_made(struct wire_locks *s, struct wire_lock *l, uint64_t pc)
{
	if (l && __atomic_load_n(&l->holder, __ATOMIC_RELAXED) != pc) {
		__atomic_store_n(&l->holder, pc, __ATOMIC_RELAXED);
		modules_need(s, pc);
	}
}

#endif
