/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The file that this process counts into. It is opened by the first hook that is called, here and
 * again in a child after fork(); until then, and whenever something is amiss, there is none, and
 * every hook passes through.
 */
#ifndef DWELL_PRELOAD_SEGMENT_H
#define DWELL_PRELOAD_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "wire/locks.h"

#define HIDDEN __attribute__((visibility("hidden")))
#define EXPORT __attribute__((visibility("default")))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* The kernel clears this page in the child of a fork (MADV_WIPEONFORK, Linux 4.14). */
struct segment_state {
	struct wire_locks *open;           /* NULL: not (yet) in this process */
	struct wire_locks *closed;         /* that was open */
	uint32_t reading;                  /* somebody reads the mappings */
	uint32_t tried;                    /* somebody is opening it, or it could not be opened */
	uint32_t calling;                  /* threads that make system calls: see calls.h */
	uint32_t ready_locks, ready_pairs; /* up to these there is memory: see table_get_ready() */
	uint64_t forked; /* CLOCK_MONOTONIC, ns; 0: it was not, or nobody saw it */
	uint64_t seal;   /* of what a thread notes about it; 0: it is not open */
};

/* As large as pages may be on the machine: what lies beside it shall not be cleared, too. */
#if defined(__x86_64__)
#define SEGMENT_PAGE 4096
#else
#define SEGMENT_PAGE 65536
#endif

union segment_page {
	struct segment_state s;
	char page[SEGMENT_PAGE];
};
extern HIDDEN union segment_page segment_page;

/* Set when the first segment is opened; the same in every child. */
struct segment_config {
	bool tsc;
	bool vdso;   /* the monotonic clock is read without a system call */
	bool stacks; /* there is room for them in the segment, and something to find them with */
	enum wire_hold hold;
	uint32_t generation; /* of segments: changes in a child */
};
extern HIDDEN struct segment_config segment_config;

/* Is there a folder for what is counted, and may we make calls to count? Else not even to ask for it. */
HIDDEN bool segment_is_wanted(void);

HIDDEN struct wire_locks *segment_open(void);

/*
 * Where the file is mapped: the same place in a child, over its parent's. What a hook has begun it may
 * go on with, also when it was closed meanwhile. NULL: it never was open.
 */
extern HIDDEN struct wire_locks *segment_place;

/* Nothing is counted any more in this process, nor in those that it forks, unless it is taken back. */
HIDDEN void segment_close(void);
HIDDEN void segment_reopen(void);

/* A process that nothing is counted of: said in the report. */
HIDDEN void segment_tell_lost(void);

/* Of a clock; 0: it cannot be read. */
HIDDEN uint64_t segment_ns(clockid_t clock);

/* NULL: not open (yet). */
static inline struct wire_locks *segment_is_open(void)
{
	return __atomic_load_n(&segment_page.s.open, __ATOMIC_ACQUIRE);
}

/* NULL: pass through. */
static inline struct wire_locks *segment(void)
{
	struct wire_locks *s = segment_is_open();
	return likely(s) ? s : segment_open();
}

/*
 * Makes the memory of [p, p + n) exist, so that touching it later cannot raise SIGBUS when the
 * file system is full. False: it does not. (MADV_POPULATE_WRITE, Linux 5.14; older kernels are
 * trusted.)
 */
HIDDEN bool segment_populate(void *p, size_t n);

#endif
