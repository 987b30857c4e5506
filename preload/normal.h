/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * To wait for a normal mutex that was tried and is taken, by the protocol of glibc's
 * pthread_mutex_lock() (nptl/lowlevellock.c, __lll_lock_wait(), 2.25 and later): its word is 0 when it
 * is free, 1 when it is taken, 2 when there may be somebody who waits. Processes with different
 * builds of glibc may share a mutex, so the word is part of its ABI. It is looked at all the same
 * when the library is loaded: where it is otherwise, no mutex is said to be normal. (So where the
 * elision of locks is forced: the bit of a kind that tells of it is not yet set before the first try.)
 *
 * Otherwise than in glibc the word is exchanged at once, not looked at first: right after a try that
 * brought its cache line here, the look would mostly bring it once more. The probes mutex_acquired and
 * lll_lock_wait are not passed.
 *
 * To call pthread_mutex_lock() after the try takes the mutex's cache line twice more from the thread
 * that has it and needs it to let go; and the end of the wait could be read only while the mutex is
 * held, so that the next is at the door before it is let go. Two threads on one mutex took 1.55
 * times as long by that as they do without us, and take 1.1 to 1.4 times (tests/bench/README.md).
 */
#ifndef DWELL_PRELOAD_NORMAL_H
#define DWELL_PRELOAD_NORMAL_H

#include <pthread.h>

#include "preload/segment.h"

#define NORMAL_NO_ELISION                                                                          \
	512 /* glibc, sysdeps/nptl/pthreadP.h: set by pthread_mutexattr_settype() */

/* 0: the word is as said above; otherwise a bit that makes every kind another. */
extern HIDDEN int normal_unknown;

/* Of this kind, and not shared with other processes. */
static inline bool normal_is(const pthread_mutex_t *m)
{
	return !((m->__data.__kind | normal_unknown) & ~NORMAL_NO_ELISION);
}

/*
 * Right after a pthread_mutex_trylock() that failed. Returns what pthread_mutex_lock() does. *end:
 * when the thread last woke up, in ticks; it is left alone when the mutex was free at the second try.
 */
HIDDEN int normal_wait(pthread_mutex_t *m, uint64_t *end);

#endif
