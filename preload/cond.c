/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pthread_cond_*. A wait unlocks its mutex and locks it again, inside the C library: the hold ends
 * at entry, another begins at exit; whether that second lock was waited for cannot be seen and is
 * said to be unknown. The waiting itself is that of the condition, and no contention of a lock.
 * Who signalled last stands where locks have the site of their holder.
 *
 * All of GLIBC_2.3.2: see real.h. A thread that is cancelled in a wait leaves through here by
 * unwinding, with the mutex locked; its handler's unlock counts the acquisition.
 */
#include "preload/cond.h"

#include <errno.h>

#include "preload/event.h"
#include "preload/mutex.h"
#include "preload/real.h"
#include "preload/until.h"

REAL_VERSION(int, pthread_cond_init, (pthread_cond_t *, const pthread_condattr_t *), REAL_COND)
REAL_VERSION(int, pthread_cond_destroy, (pthread_cond_t *), REAL_COND)
REAL_VERSION(int, pthread_cond_signal, (pthread_cond_t *), REAL_COND)
REAL_VERSION(int, pthread_cond_broadcast, (pthread_cond_t *), REAL_COND)
REAL_VERSION(int, pthread_cond_wait, (pthread_cond_t *, pthread_mutex_t *), REAL_COND)
REAL_VERSION(int, pthread_cond_timedwait,
	     (pthread_cond_t *, pthread_mutex_t *, const struct timespec *), REAL_COND)
/* From glibc 2.30, in the layout of 2.3.2 alone. */
REAL(int, pthread_cond_clockwait,
     (pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *))

/* What a wait for a condition is about. */
struct waiting {
	struct record record; /* of the condition; without a lock: no room */
	struct count_wait wait;
};

static struct waiting begin(pthread_cond_t *c, pthread_mutex_t *m, uint64_t pc)
{
	struct waiting w = { .record = record_get(table_key(c, WIRE_COND)) };
	if (!w.record.table)
		return w;
	w.wait = event_wait(&w.record, pc);
	mutex_released(m);
	return w;
}

static int end(struct waiting *w, pthread_mutex_t *m, uint64_t pc, int ret)
{
	if (!w->record.table)
		return ret;
	if (w->record.lock && ret)
		event_failed(&w->record);
	else if (w->record.lock)
		event_came(&w->record, pc, &w->wait);
	if (ret != ENOTRECOVERABLE && ret != EPERM) /* it was not let go: the thread did not have it */
		mutex_acquired(m, pc, ret);
	return ret;
}

HIDDEN int cond_wait_at(pthread_cond_t *c, pthread_mutex_t *m, uint64_t pc,
			const struct timespec *until)
{
	if (until && !until_is_valid(CLOCK_REALTIME, until))
		return pthread_cond_timedwait_real()(c, m, until);
	struct waiting w = begin(c, m, pc);
	int ret =
		until ? pthread_cond_timedwait_real()(c, m, until) : pthread_cond_wait_real()(c, m);
	return end(&w, m, pc, ret);
}

EXPORT int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
	return cond_wait_at(c, m, CALLER, NULL);
}

EXPORT int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m,
				  const struct timespec *until)
{
	return cond_wait_at(c, m, CALLER, until);
}

EXPORT int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
				  const struct timespec *until)
{
	if (!until_is_valid(clock, until))
		return pthread_cond_clockwait_real()(c, m, clock, until);
	struct waiting w = begin(c, m, CALLER);
	int ret = pthread_cond_clockwait_real()(c, m, clock, until);
	return end(&w, m, CALLER, ret);
}

HIDDEN int cond_signal_at(pthread_cond_t *c, uint64_t pc, bool all)
{
	event_made(table_key(c, WIRE_COND), pc);
	return all ? pthread_cond_broadcast_real()(c) : pthread_cond_signal_real()(c);
}

EXPORT int pthread_cond_signal(pthread_cond_t *c)
{
	return cond_signal_at(c, CALLER, false);
}

EXPORT int pthread_cond_broadcast(pthread_cond_t *c)
{
	return cond_signal_at(c, CALLER, true);
}

EXPORT int pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *a)
{
	int ret = pthread_cond_init_real()(c, a);
	if (!ret)
		count_made(table_key(c, WIRE_COND), CALLER);
	return ret;
}

HIDDEN void cond_gone(pthread_cond_t *c)
{
	count_gone(table_key(c, WIRE_COND));
}

EXPORT int pthread_cond_destroy(pthread_cond_t *c)
{
	int ret = pthread_cond_destroy_real()(c);
	if (!ret)
		cond_gone(c);
	return ret;
}
