/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* pthread_barrier_*: all wait but the last to come, whom glibc tells so. */
#include "preload/event.h"
#include "preload/real.h"

REAL(int, pthread_barrier_init, (pthread_barrier_t *, const pthread_barrierattr_t *, unsigned))
REAL(int, pthread_barrier_destroy, (pthread_barrier_t *))
REAL(int, pthread_barrier_wait, (pthread_barrier_t *))

EXPORT int pthread_barrier_wait(pthread_barrier_t *b)
{
	struct wire_locks *s = segment();
	struct wire_lock *l = s ? table_get(s, table_key(b, WIRE_BARRIER)) : NULL;
	struct count_wait w = event_wait(s, l, CALLER);
	int ret = pthread_barrier_wait_real()(b);
	if (l && ret == 0)
		event_came(s, l, CALLER, &w);
	return ret;
}

EXPORT int pthread_barrier_init(pthread_barrier_t *b, const pthread_barrierattr_t *a, unsigned n)
{
	struct wire_locks *s = segment();
	int ret = pthread_barrier_init_real()(b, a, n);
	if (s && !ret)
		count_made(s, table_key(b, WIRE_BARRIER), CALLER);
	return ret;
}

EXPORT int pthread_barrier_destroy(pthread_barrier_t *b)
{
	struct wire_locks *s = segment();
	int ret = pthread_barrier_destroy_real()(b);
	if (s && !ret)
		table_retire(s, table_key(b, WIRE_BARRIER));
	return ret;
}
