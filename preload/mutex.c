/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pthread_mutex_*, all kinds; C++'s std::mutex, recursive_mutex and timed_mutex come through here.
 *
 * A lock is tried first. That changes no return value as long as EBUSY leads to the real function,
 * which finds out what a trylock cannot tell (EDEADLK of an error-checking mutex). Two kinds are
 * looked at instead, for their word tells their owner: a trylock of a priority-inheriting one that
 * fails costs a system call; and one of a robust one that is not recoverable says so but leaves it
 * locked (glibc 2.36, nptl/pthread_mutex_trylock.c), so that the next to lock it waits for ever.
 */
#include "preload/mutex.h"

#include <errno.h>
#include <linux/futex.h>

#include "preload/count.h"
#include "preload/normal.h"
#include "preload/real.h"
#include "preload/self.h"
#include "preload/until.h"
#include "preload/usual.h"

REAL_ALIAS(real_mutex_init, "__pthread_mutex_init");
REAL_ALIAS(real_mutex_destroy, "__pthread_mutex_destroy");
REAL_ALIAS(real_mutex_lock, "__pthread_mutex_lock");
REAL_ALIAS(real_mutex_trylock, "__pthread_mutex_trylock");
REAL_ALIAS(real_mutex_unlock, "__pthread_mutex_unlock");

REAL(int, pthread_mutex_timedlock, (pthread_mutex_t *, const struct timespec *))
REAL(int, pthread_mutex_clocklock, (pthread_mutex_t *, clockid_t, const struct timespec *))

/* glibc, sysdeps/nptl/pthreadP.h: bits of __data.__kind */
#define KIND_TYPE 3
#define KIND_NORMAL 0
#define KIND_RECURSIVE 1
#define KIND_ERRORCHECK 2
#define KIND_ADAPTIVE 3
#define KIND_ROBUST 16
#define KIND_PI 32
#define KIND_PP 64

/* The word of a robust or a priority-inheriting one: the id of the thread that has it, or 0. */
static inline int32_t owner_of(const pthread_mutex_t *m)
{
	return __atomic_load_n(&m->__data.__lock, __ATOMIC_RELAXED) & FUTEX_TID_MASK;
}

/* Not so those that do not tell who has them: they are let go by whoever calls. */
static inline bool is_mine(const pthread_mutex_t *m)
{
	int kind = m->__data.__kind, type = kind & KIND_TYPE;
	if (kind & (KIND_ROBUST | KIND_PI))
		return owner_of(m) == self_tid();
	return (type != KIND_RECURSIVE && type != KIND_ERRORCHECK) ||
	       m->__data.__owner == self_tid();
}

/* A lock that this thread has already is no acquisition (lock_stat's nested holds). */
static inline bool is_nested(const pthread_mutex_t *m, struct wire_lock *l)
{
	return (m->__data.__kind & KIND_TYPE) == KIND_RECURSIVE && l->depth++ > 0;
}

/* Robust: its owner died with it, so what it counted of it is over. */
static inline void start_anew(struct wire_lock *l)
{
	l->depth = 0;
}

/*
 * Most are normal or adaptive: both bits of their type are equal. Of these a trylock can say nothing
 * but EBUSY; one with a priority ceiling may refuse the thread.
 */
static inline bool is_plain(const pthread_mutex_t *m)
{
	_Static_assert(KIND_NORMAL == 0 && KIND_ADAPTIVE == 3 && KIND_TYPE == 3, "see above");
	const unsigned others = KIND_ROBUST | KIND_PI | KIND_PP;
	unsigned kind = (unsigned)m->__data.__kind & (KIND_TYPE | others);
	return !((kind + 1) & (KIND_ERRORCHECK | others));
}

static inline bool has(int ret)
{
	return ret == 0 || ret == EOWNERDEAD;
}

HIDDEN void mutex_acquired(pthread_mutex_t *m, uint64_t pc, int ret)
{
	struct record r = record_get(table_key(m, WIRE_MUTEX));
	if (r.lock && ret == EOWNERDEAD)
		start_anew(r.lock);
	if (!r.lock || is_nested(m, r.lock))
		return;
	r.count->waits_unknown++;
	count_acquired(r, now_cpu(), pc, count_start(r.count));
}

static void released(const pthread_mutex_t *m)
{
	usual_put_aside();
	struct record r = record_find(table_key(m, WIRE_MUTEX));
	if (!r.lock || !is_mine(m))
		return;
	if ((m->__data.__kind & KIND_TYPE) == KIND_RECURSIVE && r.lock->depth && --r.lock->depth)
		return;
	count_released(r);
}

HIDDEN void mutex_released(const pthread_mutex_t *m)
{
	released(m);
}

/* How long a caller is ready to wait: for ever, or until a time of a clock. */
enum limit { FOR_EVER, UNTIL, UNTIL_OF_CLOCK };

struct call {
	pthread_mutex_t *mutex;
	uint64_t pc;
	const struct timespec *until;
	clockid_t clock;
	enum limit limit;
	struct self_start start;
};

static int block(const struct call *c)
{
	if (c->limit == FOR_EVER)
		return real_mutex_lock(c->mutex);
	return c->limit == UNTIL ? pthread_mutex_timedlock_real()(c->mutex, c->until)
				 : pthread_mutex_clocklock_real()(c->mutex, c->clock, c->until);
}

/*
 * After a first try that failed, a second one; and only if that fails, too, the call waits. So it is
 * counted for the kernel's mutexes (__mutex_lock_common() in kernel/locking/mutex.c tries, and spins,
 * before it comes to lock_contended()), and so glibc does before it sleeps.
 */
static int lock_again(const struct call *c, bool normal, uint64_t *end)
{
	if (normal)
		return normal_wait(c->mutex, end);
	int ret = c->mutex->__data.__kind & (KIND_ROBUST | KIND_PI) ? EBUSY
								    : real_mutex_trylock(c->mutex);
	if (ret == EBUSY) {
		ret = block(c);
		*end = now();
	}
	return ret;
}

/* How a blocking call ends, after a first try that failed. */
static int after_wait(struct record r, const struct call *c, int ret, const struct count_wait *w)
{
	if (!has(ret)) {
		count_failed(&r);
		return ret;
	}
	if (ret == EOWNERDEAD)
		start_anew(r.lock);
	if (!is_nested(c->mutex, r.lock))
		count_waited(&r, c->pc, w, c->start);
	return ret;
}

static void after_try(struct record r, const struct call *c, int ret)
{
	if (ret == EOWNERDEAD)
		start_anew(r.lock);
	if (!is_nested(c->mutex, r.lock))
		count_acquired(r, now_cpu(), c->pc, c->start);
}

static int32_t owner_to_ask(const pthread_mutex_t *m, const struct wire_count *c)
{
	return count_asks(c) ? m->__data.__owner : 0;
}

/* EBUSY alone means that somebody has it; other errors are final. */
static __attribute__((noinline)) int lock_slowly(struct wire_lock *l, const struct call *c, int ret)
{
	struct record r = record_of(l);
	if (has(ret)) {
		after_try(r, c, ret);
		return ret;
	}
	if (ret != EBUSY)
		return ret;
	struct count_wait w = count_contended(&r, c->pc, owner_to_ask(c->mutex, r.count));
	ret = lock_again(c, c->limit == FOR_EVER && normal_is(c->mutex), &w.end);
	return after_wait(r, c, ret, &w);
}

/* Robust, or priority-inheriting. Should another take it after the look, that wait is not seen. */
static int lock_owned(struct record r, const struct call *c)
{
	int32_t owner = owner_of(c->mutex);
	if (owner && owner != self_tid())
		return lock_slowly(r.lock, c, EBUSY);
	int ret = block(c);
	if (has(ret))
		after_try(r, c, ret);
	return ret;
}

static __attribute__((noinline)) int lock_at(struct call *c)
{
	usual_put_aside();
	struct record r = record_get(table_key(c->mutex, WIRE_MUTEX));
	if (!r.lock || (c->limit == UNTIL_OF_CLOCK && !until_has_clock(c->clock)))
		return block(c);
	c->start = count_start(r.count);
	if (c->mutex->__data.__kind & (KIND_ROBUST | KIND_PI))
		return lock_owned(r, c);
	return lock_slowly(r.lock, c, real_mutex_trylock(c->mutex));
}

static __attribute__((noinline)) int lock_with_care(pthread_mutex_t *m, uint64_t pc)
{
	return lock_at(&(struct call){ .mutex = m, .pc = pc });
}

static __attribute__((noinline)) int lock_contended(pthread_mutex_t *m, struct wire_lock *l,
						    uint64_t pc, bool normal)
{
	struct record r = record_of(l);
	struct count_wait w = count_contended(&r, pc, owner_to_ask(m, r.count));
	int ret = lock_again(&(struct call){ .mutex = m, .pc = pc }, normal, &w.end);
	if (unlikely(ret))
		usual_failed(&r);
	else
		usual_waited(&r, pc, &w);
	return ret;
}

EXPORT int pthread_mutex_lock(pthread_mutex_t *m)
{
	struct wire_lock *l = usual_remembered(table_key(m, WIRE_MUTEX));
	bool normal = normal_is(m);
	if (unlikely(!l || (!normal && !is_plain(m)) || !usual_begins(m, l, CALLER)))
		return lock_with_care(m, CALLER);
	if (unlikely(real_mutex_trylock(m))) /* EBUSY: see is_plain() */
		return lock_contended(m, l, CALLER, normal);
	usual_taken(l, CALLER);
	return 0;
}

EXPORT int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *until)
{
	struct call c = { .mutex = m, .pc = CALLER, .until = until, .limit = UNTIL };
	return lock_at(&c);
}

EXPORT int pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock,
				   const struct timespec *until)
{
	struct call c = { m, CALLER, until, clock, UNTIL_OF_CLOCK, { 0 } };
	return lock_at(&c);
}

HIDDEN int mutex_lock_at(pthread_mutex_t *m, uint64_t pc, const struct timespec *until)
{
	struct call c = { m, pc, until, 0, until ? UNTIL : FOR_EVER, { 0 } };
	return lock_at(&c);
}

HIDDEN int mutex_trylock_at(pthread_mutex_t *m, uint64_t pc)
{
	struct record r = record_get(table_key(m, WIRE_MUTEX));
	if (unlikely(!r.lock))
		return real_mutex_trylock(m);
	struct self_start start = count_start(r.count);
	usual_put_aside();
	int ret = real_mutex_trylock(m);
	if (ret == EOWNERDEAD)
		start_anew(r.lock);
	if (has(ret) && !is_nested(m, r.lock))
		count_tried(r, pc, start);
	return ret;
}

EXPORT int pthread_mutex_trylock(pthread_mutex_t *m)
{
	return mutex_trylock_at(m, CALLER);
}

static __attribute__((noinline)) int unlock_any(pthread_mutex_t *m)
{
	released(m);
	return real_mutex_unlock(m);
}

static ALWAYS_INLINE int unlock(pthread_mutex_t *m)
{
	if (unlikely(!usual_ends(m)))
		return unlock_any(m);
	return real_mutex_unlock(m);
}

HIDDEN int mutex_unlock(pthread_mutex_t *m)
{
	return unlock(m);
}

EXPORT int pthread_mutex_unlock(pthread_mutex_t *m)
{
	return unlock(m);
}

HIDDEN void mutex_made(pthread_mutex_t *m, uint64_t pc)
{
	count_made(table_key(m, WIRE_MUTEX), pc);
}

HIDDEN void mutex_gone(pthread_mutex_t *m)
{
	count_gone(table_key(m, WIRE_MUTEX));
}

EXPORT int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *a)
{
	int ret = real_mutex_init(m, a);
	if (!ret)
		mutex_made(m, CALLER);
	return ret;
}

EXPORT int pthread_mutex_destroy(pthread_mutex_t *m)
{
	int ret = real_mutex_destroy(m);
	if (!ret)
		mutex_gone(m);
	return ret;
}
