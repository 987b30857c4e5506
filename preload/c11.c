/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * mtx_* and cnd_*. In glibc they are mutexes and conditions of POSIX by another name, and do not
 * come through the functions of those (nptl/mtx_lock.c and so on): here they do. The results are
 * mapped as glibc maps them (thrd_priv.h).
 */
#include <errno.h>
#include <threads.h>

#include "preload/cond.h"
#include "preload/count.h"
#include "preload/mutex.h"
#include "preload/real.h"

REAL(int, mtx_init, (mtx_t *, int))
REAL(void, mtx_destroy, (mtx_t *))
REAL(void, cnd_destroy, (cnd_t *))

_Static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t), "glibc: a mutex by another name");
_Static_assert(sizeof(cnd_t) == sizeof(pthread_cond_t), "glibc: a condition by another name");

static int result(int ret)
{
	switch (ret) {
	case 0:
		return thrd_success;
	case ENOMEM:
		return thrd_nomem;
	case ETIMEDOUT:
		return thrd_timedout;
	case EBUSY:
		return thrd_busy;
	default:
		return thrd_error;
	}
}

EXPORT int mtx_lock(mtx_t *m)
{
	return result(mutex_lock_at((pthread_mutex_t *)m, CALLER, NULL));
}

EXPORT int mtx_timedlock(mtx_t *m, const struct timespec *until)
{
	return result(mutex_lock_at((pthread_mutex_t *)m, CALLER, until));
}

EXPORT int mtx_trylock(mtx_t *m)
{
	return result(mutex_trylock_at((pthread_mutex_t *)m, CALLER));
}

EXPORT int mtx_unlock(mtx_t *m)
{
	return result(mutex_unlock((pthread_mutex_t *)m));
}

EXPORT int mtx_init(mtx_t *m, int type)
{
	int ret = mtx_init_real()(m, type);
	if (ret == thrd_success)
		mutex_made((pthread_mutex_t *)m, CALLER);
	return ret;
}

EXPORT void mtx_destroy(mtx_t *m)
{
	mtx_destroy_real()(m);
	mutex_gone((pthread_mutex_t *)m);
}

EXPORT int cnd_wait(cnd_t *c, mtx_t *m)
{
	return result(cond_wait_at((pthread_cond_t *)c, (pthread_mutex_t *)m, CALLER, NULL));
}

EXPORT int cnd_timedwait(cnd_t *c, mtx_t *m, const struct timespec *until)
{
	return result(cond_wait_at((pthread_cond_t *)c, (pthread_mutex_t *)m, CALLER, until));
}

EXPORT int cnd_signal(cnd_t *c)
{
	return result(cond_signal_at((pthread_cond_t *)c, CALLER, false));
}

EXPORT int cnd_broadcast(cnd_t *c)
{
	return result(cond_signal_at((pthread_cond_t *)c, CALLER, true));
}

EXPORT void cnd_destroy(cnd_t *c)
{
	cnd_destroy_real()(c);
	cond_gone((pthread_cond_t *)c);
}
