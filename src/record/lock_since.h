/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a run counted between two looks at it. */
#ifndef DWELL_RECORD_LOCK_SINCE_H
#define DWELL_RECORD_LOCK_SINCE_H

#include "record/lock_launch.h"

/* A copy of what was counted so far; empty at first. */
struct lock_past {
	VEC(struct wire_locks *) processes;
	int64_t ns;
};

void lock_past_fini(struct lock_past *p);

/*
 * Makes *since what was counted after *past, and *past what is counted now. The longest and the
 * shortest of a difference are not known. To be freed with lock_since_fini.
 */
void lock_since(struct lock_run *since, const struct lock_run *now, struct lock_past *past);
void lock_since_fini(struct lock_run *since);

#endif
