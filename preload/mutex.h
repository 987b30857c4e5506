/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A mutex that is taken or let go inside another call: by pthread_cond_wait and C11's functions. */
#ifndef DWELL_PRELOAD_MUTEX_H
#define DWELL_PRELOAD_MUTEX_H

#include <pthread.h>

#include "preload/segment.h"

/* It has it again, by a call that returned ret; whether it waited for it is not known. */
HIDDEN void mutex_acquired(pthread_mutex_t *m, uint64_t pc, int ret);
/* It is about to let it go. */
HIDDEN void mutex_released(const pthread_mutex_t *m);

/* The hooks, for a caller at pc. until NULL: for ever. */
HIDDEN int mutex_lock_at(pthread_mutex_t *m, uint64_t pc, const struct timespec *until);
HIDDEN int mutex_trylock_at(pthread_mutex_t *m, uint64_t pc);
HIDDEN int mutex_unlock(pthread_mutex_t *m);
HIDDEN void mutex_made(pthread_mutex_t *m, uint64_t pc);
HIDDEN void mutex_gone(pthread_mutex_t *m);

#endif
