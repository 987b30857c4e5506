/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a process counts it counts once for each CPU, and its last pairs apart from the others (see
 * wire/locks.h). Here they come together, for those who read a lock.
 */
#ifndef DWELL_RECORD_LOCK_FOLD_H
#define DWELL_RECORD_LOCK_FOLD_H

#include "wire/locks.h"

/*
 * A copy of what is in use of p, with each lock's counts in its count[0] and all its pairs in its
 * list. The caller frees it. The process may run and count on meanwhile.
 */
struct wire_locks *lock_fold(const struct wire_locks *p);

/* How many of p->module are there. */
uint32_t lock_modules(const struct wire_locks *p);

/* Of a lock at most: a chain of a damaged file may go round, an honest one is no longer than this. */
#define LOCK_PAIRS (512 + WIRE_CPUS + 1)

/* The pair of a lock that has the same sites and stack; NULL: there is none. */
const struct wire_pair *lock_pair(const struct wire_locks *f, const struct wire_lock *l,
				  const struct wire_pair *is);

#endif
