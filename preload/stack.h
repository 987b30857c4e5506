/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The calls that lead to a wait. They are found by the unwinder of libgcc, which needs no frame
 * pointers, only what every program has for exceptions (.eh_frame). It is loaded and called once
 * before any hook needs it; from then on it allocates nothing, and from GCC 12 with glibc 2.35 on
 * takes no lock (_dl_find_object). That costs some microseconds, within the wait.
 */
#ifndef DWELL_PRELOAD_STACK_H
#define DWELL_PRELOAD_STACK_H

#include "preload/segment.h"

/* Stacks are asked for: sets segment_config.stacks if they can be had. */
HIDDEN void stack_start(struct wire_locks *s);

/* Makes the memory for them exist; false: there is none. */
HIDDEN bool stack_room(struct wire_locks *s);

HIDDEN uint32_t stack_take(struct wire_locks *s, uint64_t pc);

/* How the call that returns to pc was reached, as in struct wire_pair; 0: not kept. */
static inline uint32_t stack_of(struct wire_locks *s, uint64_t pc)
{
	return unlikely(segment_config.stacks) ? stack_take(s, pc) : 0;
}

#endif
