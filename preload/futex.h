/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The system call, as a hook needs it for itself: uncounted, and errno stays what it was. */
#ifndef DWELL_PRELOAD_FUTEX_H
#define DWELL_PRELOAD_FUTEX_H

#include "preload/segment.h"

/* While *word is `is`, until woken: FUTEX_WAIT_PRIVATE. 0, or an errno: EAGAIN when it is not. */
HIDDEN int futex_wait(const int *word, int is);

#endif
