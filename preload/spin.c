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

EXPORT int pthread_spin_lock(pthread_spinlock_t *lock)
{
	struct wire_locks *s = segment();
	struct wire_lock *l = s ? table_get(s, key_of(lock)) : NULL;
	if (unlikely(!l))
		return pthread_spin_lock_real()(lock);
	uint64_t start = count_hold_start();
	if (likely(!pthread_spin_trylock_real()(lock))) {
		count_acquired(s, l, CALLER, start);
		return 0;
	}
	struct count_wait w = count_contended(s, l, CALLER);
	int ret = pthread_spin_lock_real()(lock);
	if (!ret)
		count_waited(s, l, CALLER, &w, start);
	return ret;
}

EXPORT int pthread_spin_trylock(pthread_spinlock_t *lock)
{
	struct wire_locks *s = segment();
	struct wire_lock *l = s ? table_get(s, key_of(lock)) : NULL;
	uint64_t start = l ? count_hold_start() : 0;
	int ret = pthread_spin_trylock_real()(lock);
	if (l && !ret)
		count_tried(s, l, CALLER, start);
	return ret;
}

EXPORT int pthread_spin_unlock(pthread_spinlock_t *lock)
{
	struct wire_locks *s = segment();
	struct wire_lock *l = s ? table_find(s, key_of(lock)) : NULL;
	if (l)
		count_released(l);
	return pthread_spin_unlock_real()(lock);
}

EXPORT int pthread_spin_init(pthread_spinlock_t *lock, int shared)
{
	struct wire_locks *s = segment();
	int ret = pthread_spin_init_real()(lock, shared);
	if (s && !ret)
		count_made(s, key_of(lock), CALLER);
	return ret;
}

EXPORT int pthread_spin_destroy(pthread_spinlock_t *lock)
{
	struct wire_locks *s = segment();
	int ret = pthread_spin_destroy_real()(lock);
	if (s && !ret)
		table_retire(s, key_of(lock));
	return ret;
}
