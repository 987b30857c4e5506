/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * mlockall. Without CAP_IPC_LOCK it fails when all that is mapped is more than may be locked, even if
 * it was never touched (mm/mlock.c, mlockall(), total_vm): the counts are 38 MB of that, and would
 * make it fail where the program alone has room. Then all but what is ours is locked, one mapping at
 * a time, which is what the kernel does.
 */
#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "preload/calls.h"
#include "preload/maps.h"
#include "preload/real.h"

#ifndef MCL_ONFAULT
#define MCL_ONFAULT 4
#endif
#ifndef MLOCK_ONFAULT
#define MLOCK_ONFAULT 1
#endif

REAL(int, mlockall, (int))

/* Where the loader put this library (ld: defined in every shared object). */
extern const char __ehdr_start[] HIDDEN, _end[] HIDDEN;

struct sum {
	const struct wire_locks *segment;
	uint64_t others; /* bytes that are mapped and not ours */
	unsigned flags;
};

static bool is_ours(const struct sum *s, const struct mapping *m)
{
	uint64_t counts = (uintptr_t)s->segment;
	return (m->start >= counts && m->start < counts + sizeof(*s->segment)) ||
	       (m->start >= (uintptr_t)__ehdr_start && m->start < (uintptr_t)_end);
}

/* What is no memory of this process stands above it (vsyscall). */
static bool is_kernels(const struct mapping *m)
{
	return m->start >> 63;
}

static void add(const struct mapping *m, void *arg)
{
	struct sum *s = arg;
	if (!is_ours(s, m) && !is_kernels(m))
		s->others += m->end - m->start;
}

/* Errors are none: mlockall ignores those of single mappings, too. */
static void lock(const struct mapping *m, void *arg)
{
	const struct sum *s = arg;
	if (!is_ours(s, m) && !is_kernels(m))
		(void)mlock2((void *)(uintptr_t)m->start, m->end - m->start,
			     s->flags & MCL_ONFAULT ? MLOCK_ONFAULT : 0);
}

static int lock_others(int flags)
{
	struct rlimit most;
	struct sum s = { .segment = segment_is_open(), .flags = (unsigned)flags };
	char text[LINES_ROOM];
	if (!s.segment || getrlimit(RLIMIT_MEMLOCK, &most) || !maps_read(text, add, &s) ||
	    s.others > most.rlim_cur)
		return -1;
	/* The same for what is mapped from now on; without MCL_CURRENT nothing is summed up. */
	int ret = flags & MCL_FUTURE ? mlockall_real()(flags & ~MCL_CURRENT) : munlockall();
	if (ret == 0)
		maps_read(text, lock, &s);
	return ret;
}

EXPORT int mlockall(int flags)
{
	int saved = errno, ret = mlockall_real()(flags);
	if (ret == 0 || errno != ENOMEM || !(flags & MCL_CURRENT))
		return ret;
	if (calls_begin()) {
		ret = lock_others(flags); /* it has failed for want of room */
		calls_end();
	}
	errno = ret ? ENOMEM : saved;
	return ret;
}
