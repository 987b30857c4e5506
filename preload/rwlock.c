/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pthread_rwlock_*; C++'s std::shared_mutex comes through here. Writers and readers have a record
 * each. The CPU of the last acquisition is the lock's, as in lock_stat: the writers' record has it.
 * Of the site each has its own, for readers do not wait for readers.
 */
#include <errno.h>

#include "preload/real.h"
#include "preload/self.h"
#include "preload/until.h"
#include "preload/usual.h"

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

/* Only of a writer it is known who it is. */
static int32_t owner_to_ask(const pthread_rwlock_t *l, const struct wire_count *c)
{
	return count_asks(c) ? l->__data.__cur_writer : 0;
}

/* glibc's nptl/pthread_rwlock_common.c: bits of __data.__readers, which counts those that wait, too. */
#define READERS_PHASE_OF_WRITERS 1u
#define READERS_SHIFT 3

/* A writer waits for whoever has it, as far as one can see. */
static struct count_wait write_contended(const struct record *r, const struct call *c)
{
	unsigned readers = __atomic_load_n(&c->lock->__data.__readers, __ATOMIC_RELAXED);
	bool is_read = !(readers & READERS_PHASE_OF_WRITERS) && readers >> READERS_SHIFT;
	struct count_wait w = count_contended(r, c->pc, owner_to_ask(c->lock, r->count));
	if (is_read) {
		const struct wire_lock *l = table_find(r->table, table_key(c->lock, WIRE_RWLOCK_R));
		w.holding = l ? __atomic_load_n(&l->holder, __ATOMIC_RELAXED) : 0;
	}
	return w;
}

static int write_at(const struct call *c, struct record r)
{
	usual_put_aside();
	struct self_start start = count_start(r.count);
	int ret = real_rwlock_trywrlock(c->lock);
	if (likely(!ret)) {
		count_acquired(r, now_cpu(), c->pc, start);
		return 0;
	}
	struct count_wait wait = write_contended(&r, c);
	ret = block(c);
	wait.end = now();
	if (!ret)
		count_waited(&r, c->pc, &wait, start);
	else
		count_failed(&r);
	return ret;
}

static int read_at(const struct call *c, struct record r, struct record writers)
{
	struct self_start start = count_start(r.count);
	int ret = real_rwlock_tryrdlock(c->lock);
	if (unlikely(ret)) {
		struct count_wait wait =
			count_contended(&writers, c->pc, owner_to_ask(c->lock, r.count));
		ret = block(c);
		wait.end = now();
		if (ret) {
			count_failed(&r);
			return ret;
		}
		/* The writer may have been given it, but not have run, when the wait began. */
		wait.holding = __atomic_load_n(&writers.lock->holder, __ATOMIC_RELAXED);
		count_waited_shared(&r, c->pc, &wait);
		start.at = start.at ? wait.end : 0;
	}
	count_acquired_shared(&r, writers.lock, c->pc, start);
	count_hold_begins_shared(c->lock, start);
	return 0;
}

static int lock_at(const struct call *c)
{
	clockid_t clock = c->has_clock ? c->clock : CLOCK_REALTIME;
	struct record writers = record_get(table_key(c->lock, WIRE_RWLOCK_W));
	if (unlikely(!writers.lock || (c->until && !until_is_valid(clock, c->until))))
		return block(c);
	if (c->write)
		return write_at(c, writers);
	struct record r = record_get(table_key(c->lock, WIRE_RWLOCK_R));
	return likely(r.lock) ? read_at(c, r, writers) : block(c);
}

EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *l)
{
	return lock_at(&(struct call){ .lock = l, .pc = CALLER });
}

static __attribute__((noinline)) int write_with_care(pthread_rwlock_t *l, uint64_t pc)
{
	return lock_at(&(struct call){ .lock = l, .pc = pc, .write = true });
}

static __attribute__((noinline)) int write_slowly(pthread_rwlock_t *lock, struct wire_lock *l,
						  uint64_t pc)
{
	struct record r = record_of(l);
	struct count_wait w = write_contended(&r, &(struct call){ .lock = lock, .pc = pc });
	int ret = real_rwlock_wrlock(lock);
	w.end = now();
	if (ret)
		usual_failed(&r);
	else
		usual_waited(&r, pc, &w);
	return ret;
}

EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *l)
{
	struct wire_lock *writers = usual_remembered(table_key(l, WIRE_RWLOCK_W));
	if (unlikely(!writers || !usual_begins(l, writers, CALLER)))
		return write_with_care(l, CALLER);
	if (unlikely(real_rwlock_trywrlock(l)))
		return write_slowly(l, writers, CALLER);
	usual_taken(writers, CALLER);
	return 0;
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
	struct record writers = record_get(table_key(l, WIRE_RWLOCK_W)), r = { 0 };
	if (writers.lock)
		r = record_get(table_key(l, WIRE_RWLOCK_R));
	struct self_start start = r.lock ? count_start(r.count) : (struct self_start){ 0 };
	int ret = real_rwlock_tryrdlock(l);
	if (r.lock && !ret) {
		count_tried_shared(&r, CALLER);
		count_hold_begins_shared(l, start);
	}
	return ret;
}

EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t *l)
{
	struct record r = record_get(table_key(l, WIRE_RWLOCK_W));
	struct self_start start = r.lock ? count_start(r.count) : (struct self_start){ 0 };
	usual_put_aside();
	int ret = real_rwlock_trywrlock(l);
	if (r.lock && !ret)
		count_tried(r, CALLER, start);
	return ret;
}

static inline void released(pthread_rwlock_t *l)
{
	bool writes = l->__data.__cur_writer == self_tid();
	struct record r = record_find(table_key(l, writes ? WIRE_RWLOCK_W : WIRE_RWLOCK_R));
	if (writes)
		usual_put_aside();
	if (r.lock && writes)
		count_released(r);
	else if (r.lock)
		count_released_shared(&r, self_release(l));
}

/* On the usual way are writers alone. */
EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *l)
{
	if (!usual_ends(l))
		released(l);
	return real_rwlock_unlock(l);
}

EXPORT int pthread_rwlock_init(pthread_rwlock_t *l, const pthread_rwlockattr_t *a)
{
	int ret = real_rwlock_init(l, a);
	if (!ret) {
		count_made(table_key(l, WIRE_RWLOCK_W), CALLER);
		count_made(table_key(l, WIRE_RWLOCK_R), CALLER);
	}
	return ret;
}

EXPORT int pthread_rwlock_destroy(pthread_rwlock_t *l)
{
	int ret = real_rwlock_destroy(l);
	if (!ret) {
		count_gone(table_key(l, WIRE_RWLOCK_W));
		count_gone(table_key(l, WIRE_RWLOCK_R));
	}
	return ret;
}
