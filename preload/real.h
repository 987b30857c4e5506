/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The functions that the hooks stand before.
 *
 * The hot ones are bound at link time to names that glibc exports beside the ones that we define
 * (__pthread_mutex_lock and the like, GLIBC_2.2.5 on x86-64, 2.17 on aarch64): no dlsym, no order
 * of initialisation. The others have no such second name; they are looked up when the library is
 * loaded. dlsym(RTLD_NEXT) gives the oldest version before glibc 2.36 (BZ 14932), which is the same
 * body for all but pthread_cond_* and posix_spawn*(): of those the version is said. The condition
 * variables of GLIBC_2.2.5 have another layout, and to call one with the other hangs or corrupts; its
 * posix_spawn() runs what is no program by the shell.
 */
#ifndef DWELL_PRELOAD_REAL_H
#define DWELL_PRELOAD_REAL_H

#include <pthread.h>

#include "preload/segment.h"

#if defined(__x86_64__)
#define REAL_OLDEST "GLIBC_2.2.5"
#define REAL_COND "GLIBC_2.3.2"
#define REAL_SPAWN "GLIBC_2.15"
#elif defined(__aarch64__)
#define REAL_OLDEST "GLIBC_2.17"
#define REAL_COND "GLIBC_2.17"
#define REAL_SPAWN "GLIBC_2.17"
#else
#error "the versions of glibc's symbols on this machine are not known here"
#endif

#define REAL_ALIAS(name, exported) __asm__(".symver " #name "," exported "@" REAL_OLDEST)

extern int real_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *a);
extern int real_mutex_destroy(pthread_mutex_t *m);
extern int real_mutex_lock(pthread_mutex_t *m);
extern int real_mutex_trylock(pthread_mutex_t *m);
extern int real_mutex_unlock(pthread_mutex_t *m);

/* dlsym of the next definition, kept in *slot; NULL: the C library has none. */
HIDDEN void *real_find(void **slot, const char *name, const char *version);

/* REAL(int, pthread_mutex_timedlock, (pthread_mutex_t *, const struct timespec *)) */
#define REAL_VERSION(ret, name, args, version)                                                     \
	static ret(*name##_next) args;                                                             \
	static inline __typeof__(name##_next) name##_real(void)                                    \
	{                                                                                          \
		if (likely(name##_next != NULL))                                                   \
			return name##_next;                                                        \
		void *f = real_find((void **)&name##_next, #name, version);                        \
		return (__typeof__(name##_next))f;                                                 \
	}                                                                                          \
	__attribute__((constructor(101))) static void name##_bind(void)                            \
	{                                                                                          \
		(void)name##_real();                                                               \
	}

#define REAL(ret, name, args) REAL_VERSION(ret, name, args, NULL)

#endif
