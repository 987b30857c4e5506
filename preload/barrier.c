/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* pthread_barrier_*: all wait but the last to come, whom glibc tells so. */
#include "preload/event.h"
#include "preload/real.h"

REAL(int, pthread_barrier_init, (pthread_barrier_t *, const pthread_barrierattr_t *, unsigned))
REAL(int, pthread_barrier_destroy, (pthread_barrier_t *))
REAL(int, pthread_barrier_wait, (pthread_barrier_t *))

EXPORT int pthread_barrier_wait(pthread_barrier_t *b)
{
	struct record r = record_get(table_key(b, WIRE_BARRIER));
	struct count_wait w = event_wait(&r, CALLER);
	int ret = pthread_barrier_wait_real()(b);
	if (r.lock && ret == 0)
		event_came(&r, CALLER, &w);
	else if (r.lock)
		event_over(&r);
	return ret;
}

EXPORT int pthread_barrier_init(pthread_barrier_t *b, const pthread_barrierattr_t *a, unsigned n)
{
	int ret = pthread_barrier_init_real()(b, a, n);
	if (!ret)
		count_made(table_key(b, WIRE_BARRIER), CALLER);
	return ret;
}

EXPORT int pthread_barrier_destroy(pthread_barrier_t *b)
{
	int ret = pthread_barrier_destroy_real()(b);
	if (!ret)
		count_gone(table_key(b, WIRE_BARRIER));
	return ret;
}
