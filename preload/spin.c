/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pthread_spin_*: what waits, spins; the first try that fails makes it a contention, as for the kernel's
 * (LOCK_CONTENDED() in include/linux/lockdep.h).
 */
#include "preload/real.h"
#include "preload/usual.h"

REAL(int, pthread_spin_init, (pthread_spinlock_t *, int))
REAL(int, pthread_spin_destroy, (pthread_spinlock_t *))
REAL(int, pthread_spin_lock, (pthread_spinlock_t *))
REAL(int, pthread_spin_trylock, (pthread_spinlock_t *))
REAL(int, pthread_spin_unlock, (pthread_spinlock_t *))

static inline uint64_t key_of(pthread_spinlock_t *l)
{
	return table_key((void *)(uintptr_t)l, WIRE_SPIN);
}

/* The word of one that is free: looked at when the library is loaded, since machines differ. */
static int free_word;

__attribute__((constructor(102))) static void spin_look(void)
{
	pthread_spinlock_t l;
	pthread_spin_init_real()(&l, PTHREAD_PROCESS_PRIVATE);
	free_word = l;
}

#define GLANCES 1000 /* between two tries, at most: should the word of a free one be another */

/*
 * Until this thread has it. The end of the wait is the last look at one that was taken: to read the
 * clock after the lock was taken would prolong the hold.
 */
static void spin(pthread_spinlock_t *lock, uint64_t *end)
{
	do {
		*end = now();
		for (int i = 0; i < GLANCES && *lock != free_word; i++)
			*end = now();
	} while (pthread_spin_trylock_real()(lock));
}

static __attribute__((noinline)) int lock_contended(pthread_spinlock_t *lock, struct wire_lock *l,
						    uint64_t pc)
{
	struct record r = record_of(l);
	struct count_wait w = count_contended(&r, pc, 0);
	spin(lock, &w.end);
	usual_waited(&r, pc, &w);
	return 0;
}

static __attribute__((noinline)) int lock_with_care(pthread_spinlock_t *lock, uint64_t pc)
{
	usual_put_aside();
	struct record r = record_get(key_of(lock));
	if (!r.lock)
		return pthread_spin_lock_real()(lock);
	struct self_start start = count_start(r.count);
	if (!pthread_spin_trylock_real()(lock)) {
		count_acquired(r, now_cpu(), pc, start);
		return 0;
	}
	struct count_wait w = count_contended(&r, pc, 0);
	spin(lock, &w.end);
	count_waited(&r, pc, &w, start);
	return 0;
}

EXPORT int pthread_spin_lock(pthread_spinlock_t *lock)
{
	struct wire_lock *l = usual_remembered(key_of(lock));
	if (unlikely(!l || !usual_begins((void *)(uintptr_t)lock, l, CALLER)))
		return lock_with_care(lock, CALLER);
	if (unlikely(pthread_spin_trylock_real()(lock)))
		return lock_contended(lock, l, CALLER);
	usual_taken(l, CALLER);
	return 0;
}

EXPORT int pthread_spin_trylock(pthread_spinlock_t *lock)
{
	struct record r = record_get(key_of(lock));
	struct self_start start = r.lock ? count_start(r.count) : (struct self_start){ 0 };
	usual_put_aside();
	int ret = pthread_spin_trylock_real()(lock);
	if (r.lock && !ret)
		count_tried(r, CALLER, start);
	return ret;
}

static __attribute__((noinline)) void released(pthread_spinlock_t *lock)
{
	usual_put_aside();
	struct record r = record_find(key_of(lock));
	if (r.lock)
		count_released(r);
}

EXPORT int pthread_spin_unlock(pthread_spinlock_t *lock)
{
	if (unlikely(!usual_ends((void *)(uintptr_t)lock)))
		released(lock);
	return pthread_spin_unlock_real()(lock);
}

EXPORT int pthread_spin_init(pthread_spinlock_t *lock, int shared)
{
	int ret = pthread_spin_init_real()(lock, shared);
	if (!ret)
		count_made(key_of(lock), CALLER);
	return ret;
}

EXPORT int pthread_spin_destroy(pthread_spinlock_t *lock)
{
	int ret = pthread_spin_destroy_real()(lock);
	if (!ret)
		count_gone(key_of(lock));
	return ret;
}
