/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pthread_mutex_*, all kinds; C++'s std::mutex, recursive_mutex and timed_mutex come through here.
 *
 * A lock is tried first. That changes no return value of any kind as long as EBUSY leads to the
 * real function, which finds out what a trylock cannot tell (EDEADLK of an error-checking mutex).
 * Of a priority-inheriting one a trylock that fails costs a system call: its owner is looked at
 * instead.
 */
#include "preload/mutex.h"

#include <errno.h>

#include "preload/count.h"
#include "preload/real.h"
#include "preload/self.h"

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

/* Kinds that tell who owns them, and so can be held by this thread more than once or refuse it. */
static inline bool has_owner(const pthread_mutex_t *m)
{
	int type = m->__data.__kind & KIND_TYPE;
	return type == KIND_RECURSIVE || type == KIND_ERRORCHECK ||
	       (m->__data.__kind & (KIND_ROBUST | KIND_PI));
}

static inline bool is_mine(const pthread_mutex_t *m)
{
	return likely(!has_owner(m)) || m->__data.__owner == self_tid();
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
	l->hold_start = 0;
}

static inline bool has(int ret)
{
	return ret == 0 || ret == EOWNERDEAD;
}

static inline int try_first(pthread_mutex_t *m)
{
	if (unlikely(m->__data.__kind & KIND_PI) && m->__data.__lock != 0 &&
	    m->__data.__owner != self_tid())
		return EBUSY;
	return real_mutex_trylock(m);
}

HIDDEN void mutex_acquired(struct wire_locks *s, pthread_mutex_t *m, uint64_t pc)
{
	struct wire_lock *l = table_get(s, table_key(m, WIRE_MUTEX));
	if (!l || is_nested(m, l))
		return;
	l->waits_unknown++;
	count_acquired(s, l, pc, count_hold_start());
}

HIDDEN void mutex_released(struct wire_locks *s, const pthread_mutex_t *m)
{
	struct wire_lock *l = table_find(s, table_key(m, WIRE_MUTEX));
	if (!l || !is_mine(m))
		return;
	if ((m->__data.__kind & KIND_TYPE) == KIND_RECURSIVE && l->depth && --l->depth)
		return;
	count_released(l);
}

/* How long a caller is ready to wait: for ever, or until a time of a clock. */
enum limit { FOR_EVER, UNTIL, UNTIL_OF_CLOCK };

struct call {
	pthread_mutex_t *mutex;
	uint64_t pc, start; /* start of a hold that is to be timed; or 0 */
	const struct timespec *until;
	clockid_t clock;
	enum limit limit;
};

static int block(const struct call *c)
{
	if (c->limit == FOR_EVER)
		return real_mutex_lock(c->mutex);
	return c->limit == UNTIL ? pthread_mutex_timedlock_real()(c->mutex, c->until)
				 : pthread_mutex_clocklock_real()(c->mutex, c->clock, c->until);
}

/* How a blocking call ends, after a first try that failed. */
static int after_wait(struct wire_locks *s, struct wire_lock *l, const struct call *c, int ret,
		      const struct count_wait *w)
{
	if (!has(ret)) {
		count_failed(l);
		return ret;
	}
	if (ret == EOWNERDEAD)
		start_anew(l);
	if (!is_nested(c->mutex, l))
		count_waited(s, l, c->pc, w, c->start);
	return ret;
}

static inline void after_try(struct wire_locks *s, struct wire_lock *l, pthread_mutex_t *m, int ret,
			     uint64_t pc, uint64_t start)
{
	if (unlikely(ret == EOWNERDEAD))
		start_anew(l);
	if (likely(!is_nested(m, l)))
		count_acquired(s, l, pc, start);
}

/* EBUSY alone means that somebody has it; other errors are final. */
static __attribute__((noinline)) int lock_slowly(struct wire_locks *s, struct wire_lock *l,
						 const struct call *c, int ret)
{
	if (has(ret)) {
		after_try(s, l, c->mutex, ret, c->pc, c->start);
		return ret;
	}
	if (ret != EBUSY)
		return ret;
	struct count_wait w = count_contended(s, l, c->pc);
	ret = block(c);
	return after_wait(s, l, c, ret, &w);
}

/* Most are normal or adaptive, and free. */
static inline bool is_plain(const pthread_mutex_t *m)
{
	int kind = m->__data.__kind;
	return (1 << (kind & KIND_TYPE) & (1 << KIND_NORMAL | 1 << KIND_ADAPTIVE)) &&
	       !(kind & (KIND_ROBUST | KIND_PI));
}

static inline __attribute__((always_inline)) int lock_at(pthread_mutex_t *m, uint64_t pc,
							 enum limit limit, clockid_t clock,
							 const struct timespec *until)
{
	struct wire_locks *s = segment();
	struct wire_lock *l = s ? table_get(s, table_key(m, WIRE_MUTEX)) : NULL;
	if (unlikely(!l))
		return block(&(struct call){ m, pc, 0, until, clock, limit });
	uint64_t start = count_hold_start();
	bool plain = is_plain(m);
	__builtin_prefetch(l, 1); /* comes over from another CPU while the lock itself does */
	int ret = likely(plain) ? real_mutex_trylock(m) : try_first(m);
	if (likely(plain && !ret)) {
		count_acquired(s, l, pc, start);
		return 0;
	}
	return lock_slowly(s, l, &(struct call){ m, pc, start, until, clock, limit }, ret);
}

EXPORT int pthread_mutex_lock(pthread_mutex_t *m)
{
	return lock_at(m, CALLER, FOR_EVER, 0, NULL);
}

EXPORT int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *until)
{
	return lock_at(m, CALLER, UNTIL, 0, until);
}

EXPORT int pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock,
				   const struct timespec *until)
{
	return lock_at(m, CALLER, UNTIL_OF_CLOCK, clock, until);
}

HIDDEN int mutex_lock_at(pthread_mutex_t *m, uint64_t pc, const struct timespec *until)
{
	return lock_at(m, pc, until ? UNTIL : FOR_EVER, 0, until);
}

HIDDEN int mutex_trylock_at(pthread_mutex_t *m, uint64_t pc)
{
	struct wire_locks *s = segment();
	struct wire_lock *l = s ? table_get(s, table_key(m, WIRE_MUTEX)) : NULL;
	if (unlikely(!l))
		return real_mutex_trylock(m);
	uint64_t start = count_hold_start();
	int ret = real_mutex_trylock(m);
	if (ret == EOWNERDEAD)
		start_anew(l);
	if (has(ret) && !is_nested(m, l))
		count_tried(s, l, pc, start);
	return ret;
}

EXPORT int pthread_mutex_trylock(pthread_mutex_t *m)
{
	return mutex_trylock_at(m, CALLER);
}

HIDDEN int mutex_unlock(pthread_mutex_t *m)
{
	struct wire_locks *s = segment();
	if (likely(s))
		mutex_released(s, m);
	return real_mutex_unlock(m);
}

EXPORT int pthread_mutex_unlock(pthread_mutex_t *m)
{
	return mutex_unlock(m);
}

HIDDEN void mutex_made(pthread_mutex_t *m, uint64_t pc)
{
	struct wire_locks *s = segment();
	if (s)
		count_made(s, table_key(m, WIRE_MUTEX), pc);
}

HIDDEN void mutex_gone(pthread_mutex_t *m)
{
	struct wire_locks *s = segment();
	if (s)
		table_retire(s, table_key(m, WIRE_MUTEX));
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
