/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Conditions, for C11's cnd_t, which are the same in glibc. */
#ifndef DWELL_PRELOAD_COND_H
#define DWELL_PRELOAD_COND_H

#include <pthread.h>

#include "preload/segment.h"

HIDDEN int cond_wait_at(pthread_cond_t *c, pthread_mutex_t *m, uint64_t pc,
			const struct timespec *until);
HIDDEN int cond_signal_at(pthread_cond_t *c, uint64_t pc, bool all);
HIDDEN void cond_gone(pthread_cond_t *c);

#endif
