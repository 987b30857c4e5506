/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/calls.h"

#include <sched.h>

/* How many have stopped them. In a child, too: it has the filters of its parent. */
static uint32_t stops;

HIDDEN bool calls_begin(void)
{
	__atomic_fetch_add(&segment_page.s.calling, 1, __ATOMIC_SEQ_CST);
	if (likely(!__atomic_load_n(&stops, __ATOMIC_SEQ_CST)))
		return true;
	calls_end();
	return false;
}

HIDDEN void calls_end(void)
{
	__atomic_fetch_sub(&segment_page.s.calling, 1, __ATOMIC_RELEASE);
}

static bool is_under_way(void)
{
	return __atomic_load_n(&segment_page.s.calling, __ATOMIC_SEQ_CST);
}

#define WAIT_NS 100000000 /* at most */

static void wait_for_them(void)
{
	uint64_t start = segment_ns(CLOCK_MONOTONIC), at = start;
	while (is_under_way() && at && at - start < WAIT_NS) {
		sched_yield();
		at = segment_ns(CLOCK_MONOTONIC);
	}
}

#define GLANCES 100000

/* Where they were stopped before, neither a system call nor the clock may be left to us. */
HIDDEN void calls_stop(void)
{
	if (!__atomic_fetch_add(&stops, 1, __ATOMIC_SEQ_CST))
		wait_for_them();
	for (int i = 0; i < GLANCES && is_under_way(); i++)
		;
}

HIDDEN void calls_let(void)
{
	__atomic_fetch_sub(&stops, 1, __ATOMIC_SEQ_CST);
}
