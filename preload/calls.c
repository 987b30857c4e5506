/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/calls.h"

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
#define GLANCES 100000

/* A filter is in force, or the clock gone: all that is left is to look. */
static bool sealed;

HIDDEN void calls_seal(void)
{
	__atomic_store_n(&sealed, true, __ATOMIC_RELEASE);
}

/* Without a system call: another thread's filter may fall upon this one. */
HIDDEN void calls_stop(void)
{
	__atomic_fetch_add(&stops, 1, __ATOMIC_SEQ_CST);
	bool timed = !__atomic_load_n(&sealed, __ATOMIC_ACQUIRE);
	uint64_t start = timed ? segment_ns(CLOCK_MONOTONIC) : 0;
	for (int i = 0; is_under_way(); i++) {
		if (start ? segment_ns(CLOCK_MONOTONIC) - start >= WAIT_NS : i >= GLANCES)
			break;
	}
}

HIDDEN void calls_let(void)
{
	__atomic_fetch_sub(&stops, 1, __ATOMIC_SEQ_CST);
}
