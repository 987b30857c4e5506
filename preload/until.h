/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Until when a call is ready to wait. glibc refuses a clock or a fraction of a second that is none before
 * it looks at the lock (but pthread_mutex_timedlock(), which looks at it when it comes to wait): the hooks
 * try the lock first, and would succeed.
 */
#ifndef DWELL_PRELOAD_UNTIL_H
#define DWELL_PRELOAD_UNTIL_H

#include <stdbool.h>
#include <time.h>

static inline bool until_has_clock(clockid_t clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
}

static inline bool until_is_valid(clockid_t clock, const struct timespec *until)
{
	return until_has_clock(clock) && until->tv_nsec >= 0 && until->tv_nsec < 1000000000;
}

#endif
