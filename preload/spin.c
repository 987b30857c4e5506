/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* pthread_spin_*: what waits, spins; the first attempt that fails makes it a contention. */
#include "preload/count.h"
#include "preload/real.h"

REAL(int, pthread_spin_init, (pthread_spinlock_t *, int))
REAL(int, pthread_spin_destroy, (pthread_spinlock_t *))
REAL(int, pthread_spin_lock, (pthread_spinlock_t *))
REAL(int, pthread_spin_trylock, (pthread_spinlock_t *))
REAL(int, pthread_spin_unlock, (pthread_spinlock_t *))

static inline uint64_t key_of(pthread_spinlock_t *l)
{
	return table_key((void *)(uintptr_t)l, WIRE_SPIN);
}

static __attribute__((noinline)) int spin(pthread_spinlock_t *lock, struct wire_lock *l,
					  uint64_t pc, struct self_start start)
{
	struct record r = record_of(l);
	struct count_wait w = count_contended(&r, pc, 0);
	int ret = pthread_spin_lock_real()(lock);
	w.end = now();
	if (!ret)
		count_waited(&r, pc, &w, start);
	return ret;
}

EXPORT int pthread_spin_lock(pthread_spinlock_t *lock)
{
	struct record r = record_get(key_of(lock));
	if (unlikely(!r.lock))
		return pthread_spin_lock_real()(lock);
	struct self_start start = count_start(r.count);
	if (unlikely(pthread_spin_trylock_real()(lock)))
		return spin(lock, r.lock, CALLER, start);
	count_acquired(r, now_cpu(), CALLER, start);
	return 0;
}

EXPORT int pthread_spin_trylock(pthread_spinlock_t *lock)
{
	struct record r = record_get(key_of(lock));
	struct self_start start = r.lock ? count_start(r.count) : (struct self_start){ 0 };
	int ret = pthread_spin_trylock_real()(lock);
	if (r.lock && !ret)
		count_tried(r, CALLER, start);
	return ret;
}

EXPORT int pthread_spin_unlock(pthread_spinlock_t *lock)
{
	struct record r = record_find(key_of(lock));
	if (likely(r.lock))
		count_released(r);
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
