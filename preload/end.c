/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * When this process began, and when it ended, by exit or _exit; what a signal ends, and who calls
 * the kernel by itself, cannot say.
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "preload/calls.h"
#include "preload/real.h"
#include "preload/self.h"

REAL(void, _exit, (int))

/*
 * Not a child by vfork, which has our memory. Where system calls were taken away, neither this nor the
 * CPU's time can be asked for.
 */
__attribute__((destructor)) static void note_end(void)
{
	struct wire_locks *s = segment_is_open();
	if (!s)
		return;
	if (calls_begin()) {
		bool is_mine = s->pid == (uint32_t)getpid();
		if (is_mine)
			s->cpu_end = segment_ns(CLOCK_PROCESS_CPUTIME_ID);
		calls_end();
		if (!is_mine)
			return;
	}
	__atomic_store_n(&s->end, segment_ns(CLOCK_MONOTONIC), __ATOMIC_RELEASE);
}

static uint64_t forking;

/* Where the clock may not be read, nothing is open. */
static void note_forking(void)
{
	uint64_t at = 0;
	if (segment_is_open() && calls_begin()) {
		at = segment_ns(CLOCK_MONOTONIC);
		calls_end();
	}
	__atomic_store_n(&forking, at, __ATOMIC_RELAXED);
}

/* The first to take a lock may be another thread than this one, which has its parent's records. */
static void note_fork(void)
{
	segment_page.s.forked = forking;
	self_forget();
}

__attribute__((constructor)) static void note_forks(void)
{
	pthread_atfork(note_forking, NULL, note_fork);
}

EXPORT void _exit(int status)
{
	note_end();
	_exit_real()(status);
	__builtin_unreachable();
}

EXPORT void _Exit(int status)
{
	_exit(status);
}
