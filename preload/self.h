/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a thread knows of itself: its id, its CPU, the records that it used, and the holds that it is
 * timing: what others need not see is not in the record, which they would have to wait for.
 */
#ifndef DWELL_PRELOAD_SELF_H
#define DWELL_PRELOAD_SELF_H

#include <unistd.h>

#include "preload/segment.h"

#define SELF_HELD 48      /* as many as lockdep keeps for a task */
#define SELF_CACHE_BITS 8 /* records that are remembered */

/* Of an acquisition: when its hold began, if that is timed, and whether it is in the sample. */
struct self_start {
	uint64_t at : 63; /* 0: not timed */
	uint64_t sampled : 1;
};

struct self {
	struct wire_lock *last; /* of the mutex that it locked last */
	uint64_t plain;         /* a mutex that it has, of which the unlock has only to count one */
	struct wire_count *plain_count; /* there */
	uint64_t plain_start;           /* when that hold began; 0: it is not timed */
	int32_t turn;                   /* see count.h */
	uint32_t draw;
	int32_t cpu;         /* of the last acquisition; others may ask for it */
	uint32_t generation; /* of the segment: the thread that forks has another id in the child */
	int32_t tid;
	uint32_t held;
	struct {
		const void *lock;
		struct self_start start;
	} hold[SELF_HELD];
	uint16_t cache[1 << SELF_CACHE_BITS]; /* indices of records, see record.h; 0: none */
};

/* It lies on the thread's stack, which may be as small as PTHREAD_STACK_MIN. */
_Static_assert(sizeof(struct self) < 1500, "threads have little room");
_Static_assert(WIRE_LOCKS <= UINT16_MAX + 1, "see cache");

extern HIDDEN __thread struct self self __attribute__((tls_model("initial-exec")));

static inline int32_t self_tid(void)
{
	if (unlikely(self.generation != segment_config.generation)) {
		self.generation = segment_config.generation;
		self.tid = gettid();
		self.held = 0;
		self.cpu = -1;
	}
	return self.tid;
}

/* The thread takes locks on another CPU than before. */
HIDDEN void self_moved(int32_t cpu);

/* In a file of its own a child has none of its parent's records. */
static inline void self_forget(void)
{
	self.last = NULL;
	__builtin_memset(self.cache, 0, sizeof(self.cache));
}

/* Where another thread took its last lock; -1: not known. */
HIDDEN int32_t self_cpu_of(int32_t tid);

/* A hold that is timed. Of too many the oldest is forgotten: another thread may have ended it. */
static inline void self_hold(const void *lock, struct self_start start)
{
	if (self.held == SELF_HELD) {
		self.held--;
		__builtin_memmove(self.hold, self.hold + 1, self.held * sizeof(self.hold[0]));
	}
	self.hold[self.held].lock = lock;
	self.hold[self.held++].start = start;
}

/* When the newest hold of this lock began. */
static inline struct self_start self_release(const void *lock)
{
	for (uint32_t i = self.held; i-- > 0;) {
		if (self.hold[i].lock != lock)
			continue;
		struct self_start start = self.hold[i].start;
		for (uint32_t k = i + 1; k < self.held; k++)
			self.hold[k - 1] = self.hold[k];
		self.held--;
		return start;
	}
	return (struct self_start){ 0 };
}

#endif
