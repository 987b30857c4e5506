/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * gettid() of this library, without the system call, which a program may have taken from itself: glibc
 * writes the thread's id into a mutex that is to know its owner. In a process that was forked behind
 * glibc's back that is another, as in all of its mutexes.
 */
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/real.h"

REAL_ALIAS(real_mutex_trylock, "__pthread_mutex_trylock");

static bool is_elsewhere;

HIDDEN pid_t gettid(void)
{
	pthread_mutex_t m = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
	if (is_elsewhere || real_mutex_trylock(&m) != 0)
		return (pid_t)syscall(SYS_gettid);
	return m.__data.__owner;
}

/* Only where something is to be counted: this, too, is a system call. */
__attribute__((constructor(102))) static void tid_look(void)
{
	is_elsewhere = segment_is_wanted() && gettid() != (pid_t)syscall(SYS_gettid);
}
