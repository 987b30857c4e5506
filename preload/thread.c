/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A child of a fork opens its file at its first lock, should it come to take one. Where threads that it
 * makes take their first together, one opens it and the others would pass through uncounted: so it is
 * opened before there are others.
 */
#include <threads.h>

#include "preload/real.h"

REAL(int, pthread_create, (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))
REAL(int, thrd_create, (thrd_t *, thrd_start_t, void *))

EXPORT int pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*start)(void *), void *arg)
{
	segment();
	return pthread_create_real()(t, a, start, arg);
}

EXPORT int thrd_create(thrd_t *t, thrd_start_t start, void *arg)
{
	segment();
	return thrd_create_real()(t, start, arg);
}
