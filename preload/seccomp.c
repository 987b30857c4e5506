/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/seccomp.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

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

/*
 * In the strict mode the time stamp counter may not be read either (disable_TSC() in kernel/seccomp.c). A
 * program may ask what the kernel knows by a call that fails: flags that are not, or no filter.
 */
static enum seccomp how_of(long number, long a, long b, long c)
{
	bool by_seccomp = number == SYS_seccomp, by_prctl = number == SYS_prctl;
	if ((by_seccomp && a == SECCOMP_SET_MODE_STRICT && !b) ||
	    (by_prctl && a == PR_SET_SECCOMP && b == SECCOMP_MODE_STRICT) ||
	    (by_prctl && a == PR_SET_TSC && b == PR_TSC_SIGSEGV))
		return SECCOMP_CLOCK;
	bool filter = (by_seccomp && a == SECCOMP_SET_MODE_FILTER) ||
		      (by_prctl && a == PR_SET_SECCOMP && b == SECCOMP_MODE_FILTER);
	return filter && c ? SECCOMP_FILTER : SECCOMP_NOTHING;
}

static bool is_apart(void)
{
	struct wire_locks *s = segment_is_open();
	bool is = false;
	if (s && calls_begin()) {
		is = s->pid != (uint32_t)getpid();
		calls_end();
	}
	return is;
}

HIDDEN enum seccomp seccomp_begins(long number, long a, long b, long c)
{
	enum seccomp how = how_of(number, a, b, c);
	if (how == SECCOMP_NOTHING)
		return how;
	if (is_apart())
		return how == SECCOMP_FILTER ? SECCOMP_FILTER_APART : SECCOMP_NOTHING;
	if (how == SECCOMP_CLOCK)
		segment_close();
	else
		get_ready();
	return how;
}

/*
 * What this becomes by exec passes through. The variable is emptied, not removed: that takes a lock of
 * the C library, and moves the others.
 */
static void forget_folder(void)
{
	char *folder = getenv(WIRE_ENV_FOLDER);
	if (folder)
		folder[0] = '\0';
}

/* The filter is read after the kernel has: a program may try with what is none. */
HIDDEN void seccomp_ends(enum seccomp how, long ret, long c)
{
	if (how == SECCOMP_CLOCK && ret < 0)
		segment_reopen();
	if (how != SECCOMP_FILTER && how != SECCOMP_FILTER_APART)
		return;
	if (ret >= 0 && is_deadly((const struct sock_fprog *)c))
		forget_folder();
	else if (how == SECCOMP_FILTER)
		calls_let();
}

EXPORT int seccomp_prctl(int op, long a, long b, long c, long d)
{
	enum seccomp how = seccomp_begins(SYS_prctl, op, a, b);
	int ret = prctl_real()(op, a, b, c, d);
	seccomp_ends(how, ret, b);
	return ret;
}
