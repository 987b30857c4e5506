/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pthread_rwlock_*; C++'s std::shared_mutex comes through here. Writers and readers have a record
 * each. The CPU and the site of the last acquisition are the lock's, as in lock_stat: the writers'
 * record has them.
 */
#include <errno.h>

#include "preload/count.h"
#include "preload/real.h"
#include "preload/self.h"

extern int real_rwlock_init(pthread_rwlock_t *l, const pthread_rwlockattr_t *a);
extern int real_rwlock_destroy(pthread_rwlock_t *l);
extern int real_rwlock_rdlock(pthread_rwlock_t *l);
extern int real_rwlock_wrlock(pthread_rwlock_t *l);
extern int real_rwlock_tryrdlock(pthread_rwlock_t *l);
extern int real_rwlock_trywrlock(pthread_rwlock_t *l);
extern int real_rwlock_unlock(pthread_rwlock_t *l);

REAL_ALIAS(real_rwlock_init, "__pthread_rwlock_init");
REAL_ALIAS(real_rwlock_destroy, "__pthread_rwlock_destroy");
REAL_ALIAS(real_rwlock_rdlock, "__pthread_rwlock_rdlock");
REAL_ALIAS(real_rwlock_wrlock, "__pthread_rwlock_wrlock");
REAL_ALIAS(real_rwlock_tryrdlock, "__pthread_rwlock_tryrdlock");
REAL_ALIAS(real_rwlock_trywrlock, "__pthread_rwlock_trywrlock");
REAL_ALIAS(real_rwlock_unlock, "__pthread_rwlock_unlock");

REAL(int, pthread_rwlock_timedrdlock, (pthread_rwlock_t *, const struct timespec *))
REAL(int, pthread_rwlock_timedwrlock, (pthread_rwlock_t *, const struct timespec *))
REAL(int, pthread_rwlock_clockrdlock, (pthread_rwlock_t *, clockid_t, const struct timespec *))
REAL(int, pthread_rwlock_clockwrlock, (pthread_rwlock_t *, clockid_t, const struct timespec *))

/* What a call is about. */
struct call {
	pthread_rwlock_t *lock;
	uint64_t pc;
	const struct timespec *until; /* NULL: for ever */
	clockid_t clock;
	bool write, has_clock;
};

static int block(const struct call *c)
{
	if (!c->until)
		return c->write ? real_rwlock_wrlock(c->lock) : real_rwlock_rdlock(c->lock);
	if (c->has_clock)
		return c->write ? pthread_rwlock_clockwrlock_real()(c->lock, c->clock, c->until)
				: pthread_rwlock_clockrdlock_real()(c->lock, c->clock, c->until);
	return c->write ? pthread_rwlock_timedwrlock_real()(c->lock, c->until)
			: pthread_rwlock_timedrdlock_real()(c->lock, c->until);
}

static int write_at(const struct call *c, struct wire_locks *s, struct wire_lock *w)
{
	uint64_t start = count_hold_start();
	int ret = real_rwlock_trywrlock(c->lock);
	if (likely(!ret)) {
		count_acquired(s, w, c->pc, start);
		return 0;
	}
	struct count_wait wait = count_contended(s, w, c->pc);
	ret = block(c);
	if (!ret)
		count_waited(s, w, c->pc, &wait, start);
	else
		count_failed(w);
	return ret;
}

static int read_at(const struct call *c, struct wire_locks *s, struct wire_lock *w,
		   struct wire_lock *r)
{
	uint64_t start = count_hold_start();
	int ret = real_rwlock_tryrdlock(c->lock);
	if (unlikely(ret)) {
		struct count_wait wait = count_contended(s, w, c->pc);
		ret = block(c);
		if (ret) {
			count_failed(r);
			return ret;
		}
		count_waited_shared(s, r, c->pc, &wait);
		start = start ? now() : 0;
	}
	count_acquired_shared(s, r, w, c->pc);
	if (start)
		self_hold(c->lock, start);
	return 0;
}

static int lock_at(const struct call *c)
{
	struct wire_locks *s = segment();
	struct wire_lock *w = s ? table_get(s, table_key(c->lock, WIRE_RWLOCK_W)) : NULL;
	if (unlikely(!w))
		return block(c);
	if (c->write)
		return write_at(c, s, w);
	struct wire_lock *r = table_get(s, table_key(c->lock, WIRE_RWLOCK_R));
	return likely(r) ? read_at(c, s, w, r) : block(c);
}

EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *l)
{
	return lock_at(&(struct call){ .lock = l, .pc = CALLER });
}

EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *l)
{
	return lock_at(&(struct call){ .lock = l, .pc = CALLER, .write = true });
}

EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *l, const struct timespec *until)
{
	return lock_at(&(struct call){ .lock = l, .pc = CALLER, .until = until });
}

EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *l, const struct timespec *until)
{
	return lock_at(&(struct call){ .lock = l, .pc = CALLER, .until = until, .write = true });
}

EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *l, clockid_t clock,
				      const struct timespec *until)
{
	return lock_at(&(struct call){
		.lock = l, .pc = CALLER, .until = until, .clock = clock, .has_clock = true });
}

EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *l, clockid_t clock,
				      const struct timespec *until)
{
	return lock_at(&(struct call){ .lock = l,
				       .pc = CALLER,
				       .until = until,
				       .clock = clock,
				       .has_clock = true,
				       .write = true });
}

EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t *l)
{
	struct wire_locks *s = segment();
	struct wire_lock *w = s ? table_get(s, table_key(l, WIRE_RWLOCK_W)) : NULL;
	struct wire_lock *r = w ? table_get(s, table_key(l, WIRE_RWLOCK_R)) : NULL;
	uint64_t start = r ? count_hold_start() : 0;
	int ret = real_rwlock_tryrdlock(l);
	if (r && !ret) {
		count_tried_shared(s, r, w, CALLER);
		if (start)
			self_hold(l, start);
	}
	return ret;
}

EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t *l)
{
	struct wire_locks *s = segment();
	struct wire_lock *w = s ? table_get(s, table_key(l, WIRE_RWLOCK_W)) : NULL;
	uint64_t start = w ? count_hold_start() : 0;
	int ret = real_rwlock_trywrlock(l);
	if (w && !ret)
		count_tried(s, w, CALLER, start);
	return ret;
}

EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *l)
{
	struct wire_locks *s = segment();
	bool writes = l->__data.__cur_writer == self_tid();
	struct wire_lock *is =
		s ? table_find(s, table_key(l, writes ? WIRE_RWLOCK_W : WIRE_RWLOCK_R)) : NULL;
	if (is && writes)
		count_released(is);
	else if (is)
		count_released_shared(is, self_release(l));
	return real_rwlock_unlock(l);
}

EXPORT int pthread_rwlock_init(pthread_rwlock_t *l, const pthread_rwlockattr_t *a)
{
	struct wire_locks *s = segment();
	int ret = real_rwlock_init(l, a);
	if (s && !ret) {
		count_made(s, table_key(l, WIRE_RWLOCK_W), CALLER);
		count_made(s, table_key(l, WIRE_RWLOCK_R), CALLER);
	}
	return ret;
}

EXPORT int pthread_rwlock_destroy(pthread_rwlock_t *l)
{
	struct wire_locks *s = segment();
	int ret = real_rwlock_destroy(l);
	if (s && !ret) {
		table_retire(s, table_key(l, WIRE_RWLOCK_W));
		table_retire(s, table_key(l, WIRE_RWLOCK_R));
	}
	return ret;
}
