/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/seccomp.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "preload/calls.h"
#include "preload/modules.h"
#include "preload/real.h"
#include "preload/self.h"
#include "preload/table.h"

REAL(int, prctl, (int, ...))

/* By its own name in here, since sys/prctl.h has it with as many arguments as one likes. */
EXPORT int seccomp_prctl(int op, long a, long b, long c, long d) __asm__("prctl");

/* Whether who does what it does not let through may be ended, or sent a signal. */
static bool is_deadly(const struct sock_fprog *filter)
{
	for (unsigned i = 0; i < filter->len; i++) {
		const struct sock_filter *f = &filter->filter[i];
		if (BPF_CLASS(f->code) != BPF_RET)
			continue;
		uint32_t action = f->k & SECCOMP_RET_ACTION_FULL;
		if (BPF_RVAL(f->code) != BPF_K || action == SECCOMP_RET_KILL_PROCESS ||
		    action == SECCOMP_RET_KILL_THREAD || action == SECCOMP_RET_TRAP)
			return true;
	}
	return false;
}

static void get_ready(void)
{
	struct wire_locks *s = segment();
	int saved = errno;
	self_tid();
	if (s && calls_begin()) {
		modules_read(s);
		table_get_ready(s);
		calls_end();
	}
	calls_stop();
	errno = saved;
}

/* A program may ask what the kernel knows by a call that fails: flags that are not, or no filter. */
static enum seccomp how_of(long number, long a, long b, long c)
{
	if (number == SYS_seccomp && a == SECCOMP_SET_MODE_STRICT)
		return b ? SECCOMP_NOTHING : SECCOMP_STRICT;
	if (number == SYS_prctl && a == PR_SET_SECCOMP && b == SECCOMP_MODE_STRICT)
		return SECCOMP_STRICT;
	bool filter = (number == SYS_seccomp && a == SECCOMP_SET_MODE_FILTER) ||
		      (number == SYS_prctl && a == PR_SET_SECCOMP && b == SECCOMP_MODE_FILTER);
	return filter && c ? SECCOMP_FILTER : SECCOMP_NOTHING;
}

/*
 * In the strict mode not even the clock may be read (disable_TSC() in kernel/seccomp.c), so nothing is
 * counted from then on.
 */
HIDDEN enum seccomp seccomp_begins(long number, long a, long b, long c)
{
	enum seccomp how = how_of(number, a, b, c);
	if (how == SECCOMP_STRICT)
		segment_close();
	if (how == SECCOMP_FILTER)
		get_ready();
	return how;
}

/* The filter is read after the kernel has: a program may try with what is none. */
HIDDEN void seccomp_ends(enum seccomp how, long ret, long c)
{
	if (how != SECCOMP_FILTER)
		return;
	if (ret < 0 || !is_deadly((const struct sock_fprog *)c))
		calls_let();
	else
		unsetenv(WIRE_ENV_FOLDER); /* what it becomes by exec passes through */
}

EXPORT int seccomp_prctl(int op, long a, long b, long c, long d)
{
	enum seccomp how = seccomp_begins(SYS_prctl, op, a, b);
	if (op == PR_SET_TSC && a == PR_TSC_SIGSEGV)
		segment_close();
	int ret = prctl_real()(op, a, b, c, d);
	seccomp_ends(how, ret, b);
	return ret;
}
