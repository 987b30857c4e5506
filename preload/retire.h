/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Locks that are destroyed. */
#ifndef DWELL_PRELOAD_RETIRE_H
#define DWELL_PRELOAD_RETIRE_H

#include "preload/segment.h"

/*
 * The lock is destroyed: its counts go to those of its kind and first site, its place is free. A
 * variable of the program stays, with its counts, since it has a name: C++ destroys its global
 * variables before the end of each program, and some are made anew.
 */
HIDDEN void retire_lock(struct wire_locks *s, uint64_t key);

#endif
