/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* POSIX semaphores. sem_post() may be called by a signal handler: nothing here minds. */
#include <errno.h>
#include <semaphore.h>

#include "preload/event.h"
#include "preload/real.h"
#include "preload/until.h"

REAL(int, sem_init, (sem_t *, int, unsigned))
REAL(int, sem_destroy, (sem_t *))
REAL(int, sem_wait, (sem_t *))
REAL(int, sem_trywait, (sem_t *))
REAL(int, sem_timedwait, (sem_t *, const struct timespec *))
REAL(int, sem_clockwait, (sem_t *, clockid_t, const struct timespec *))
REAL(int, sem_post, (sem_t *))

enum limit { FOR_EVER, UNTIL, UNTIL_OF_CLOCK };

static inline int block(sem_t *sem, enum limit limit, clockid_t clock, const struct timespec *until)
{
	if (limit == FOR_EVER)
		return sem_wait_real()(sem);
	return limit == UNTIL ? sem_timedwait_real()(sem, until)
			      : sem_clockwait_real()(sem, clock, until);
}

static int wait_at(sem_t *sem, uint64_t pc, enum limit limit, clockid_t clock,
		   const struct timespec *until)
{
	struct record r = record_get(table_key(sem, WIRE_SEM));
	if (!r.lock || (limit != FOR_EVER && !until_is_valid(clock, until)))
		return block(sem, limit, clock, until);
	pthread_testcancel(); /* as each of them does, also where it need not wait */
	int saved = errno;
	int ret = sem_trywait_real()(sem);
	if (!ret) {
		count_one(&r.count->acquired);
		return ret;
	}
	errno = saved;
	struct count_wait w = event_wait(&r, pc);
	ret = block(sem, limit, clock, until);
	if (ret) {
		event_failed(&r);
	} else {
		count_one(&r.count->acquired);
		event_came(&r, pc, &w);
	}
	return ret;
}

EXPORT int sem_wait(sem_t *sem)
{
	return wait_at(sem, CALLER, FOR_EVER, 0, NULL);
}

EXPORT int sem_timedwait(sem_t *sem, const struct timespec *until)
{
	return wait_at(sem, CALLER, UNTIL, CLOCK_REALTIME, until);
}

EXPORT int sem_clockwait(sem_t *sem, clockid_t clock, const struct timespec *until)
{
	return wait_at(sem, CALLER, UNTIL_OF_CLOCK, clock, until);
}

EXPORT int sem_trywait(sem_t *sem)
{
	struct record r = record_get(table_key(sem, WIRE_SEM));
	int ret = sem_trywait_real()(sem);
	if (r.lock && !ret)
		count_one(&r.count->acquired);
	return ret;
}

EXPORT int sem_post(sem_t *sem)
{
	event_made(table_key(sem, WIRE_SEM), CALLER);
	return sem_post_real()(sem);
}

EXPORT int sem_init(sem_t *sem, int shared, unsigned value)
{
	int ret = sem_init_real()(sem, shared, value);
	if (!ret)
		count_made(table_key(sem, WIRE_SEM), CALLER);
	return ret;
}

EXPORT int sem_destroy(sem_t *sem)
{
	int ret = sem_destroy_real()(sem);
	if (!ret)
		count_gone(table_key(sem, WIRE_SEM));
	return ret;
}
