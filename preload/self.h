/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a thread knows of itself: its id, the records that it used, and the holds of readers that
 * it is timing.
 */
#ifndef DWELL_PRELOAD_SELF_H
#define DWELL_PRELOAD_SELF_H

#include <unistd.h>

#include "preload/segment.h"

#define SELF_HELD 48      /* as many as lockdep keeps for a task */
#define SELF_CACHE_BITS 6 /* records that are remembered */

struct self {
	struct wire_lock *last;        /* of the mutex that it locked last */
	struct wire_count *last_count; /* those of its counts that the lock went into */
	struct wire_lock *cache[1 << SELF_CACHE_BITS]; /* see record.h */
	uint32_t turn, draw;                           /* see count.h */
	uint32_t generation; /* of the segment: the thread that forks has another id in the child */
	int32_t tid;
	uint32_t held;
	struct {
		const void *lock;
		uint64_t start;
	} hold[SELF_HELD];
};

extern HIDDEN __thread struct self self __attribute__((tls_model("initial-exec")));

static inline int32_t self_tid(void)
{
	if (unlikely(self.generation != segment_config.generation)) {
		self.generation = segment_config.generation;
		self.tid = gettid();
		self.held = 0;
	}
	return self.tid;
}

/* A reader's hold that is timed; those beyond the last are not. */
static inline void self_hold(const void *lock, uint64_t start)
{
	if (self.held < SELF_HELD) {
		self.hold[self.held].lock = lock;
		self.hold[self.held++].start = start;
	}
}

/* When the newest hold of this lock began; 0: it is not timed. */
static inline uint64_t self_release(const void *lock)
{
	for (uint32_t i = self.held; i-- > 0;) {
		if (self.hold[i].lock != lock)
			continue;
		uint64_t start = self.hold[i].start;
		for (uint32_t k = i + 1; k < self.held; k++)
			self.hold[k - 1] = self.hold[k];
		self.held--;
		return start;
	}
	return 0;
}

#endif
