/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/seccomp.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/calls.h"
#include "preload/filters.h"
#include "preload/modules.h"
#include "preload/real.h"
#include "preload/self.h"
#include "preload/table.h"

REAL(int, prctl, (int, ...))

/* By its own name in here, since sys/prctl.h has it with as many arguments as one likes. */
EXPORT int seccomp_prctl(int op, long a, long b, long c, long d) __asm__("prctl");

/*
 * Whether anything but to let a call through, or to let it fail, may happen to who makes it: it may be
 * ended, sent a signal, or handed over to somebody who does not expect it.
 */
static bool is_deadly(const struct sock_fprog *filter)
{
	for (unsigned i = 0; i < filter->len; i++) {
		const struct sock_filter *f = &filter->filter[i];
		if (BPF_CLASS(f->code) != BPF_RET)
			continue;
		uint32_t action = f->k & SECCOMP_RET_ACTION_FULL;
		if (BPF_RVAL(f->code) != BPF_K ||
		    (action != SECCOMP_RET_ALLOW && action != SECCOMP_RET_LOG &&
		     action != SECCOMP_RET_ERRNO))
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

#define DISPATCH 59 /* PR_SET_SYSCALL_USER_DISPATCH (Linux 5.11) */
#define DISPATCH_OFF 0

/* In the strict mode the time stamp counter may not be read either (disable_TSC() in kernel/seccomp.c). */
static enum seccomp_how how_of_prctl(int op, long b, long c)
{
	if ((op == PR_SET_SECCOMP && b == SECCOMP_MODE_STRICT) ||
	    (op == PR_SET_TSC && b == PR_TSC_SIGSEGV))
		return SECCOMP_CLOCK;
	if (op == DISPATCH)
		return b == DISPATCH_OFF ? SECCOMP_NOTHING : SECCOMP_DISPATCH;
	return op == PR_SET_SECCOMP && b == SECCOMP_MODE_FILTER && c ? SECCOMP_FILTER
								     : SECCOMP_NOTHING;
}

/* A program may ask what the kernel knows by a call that fails: flags that are not, or no filter. */
static enum seccomp_how how_of(long number, int a, long b, long c)
{
	if (number == SYS_prctl)
		return how_of_prctl(a, b, c);
	if (number != SYS_seccomp)
		return SECCOMP_NOTHING;
	if (a == SECCOMP_SET_MODE_STRICT)
		return b ? SECCOMP_NOTHING : SECCOMP_CLOCK;
	return a == SECCOMP_SET_MODE_FILTER && c ? SECCOMP_FILTER : SECCOMP_NOTHING;
}

/* A child by vfork, which has our memory: what it takes from itself is not taken from us. */
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

HIDDEN struct seccomp seccomp_begins(long number, long a, long b, long c)
{
	enum seccomp_how how = how_of(number, (int)a, b, c);
	if (how == SECCOMP_NOTHING || is_apart())
		return (struct seccomp){ SECCOMP_NOTHING, NULL, false, false };
	bool closes = how == SECCOMP_CLOCK || !segment_config.vdso;
	if (closes)
		segment_close();
	else
		get_ready();
	return (struct seccomp){ how, (const struct sock_fprog *)c,
				 number == SYS_seccomp && (b & SECCOMP_FILTER_FLAG_NEW_LISTENER),
				 closes };
}

/*
 * The filter is read after the kernel has: a program may try with what is none. That one could not be put
 * over another thread (SECCOMP_FILTER_FLAG_TSYNC) is told by that thread's id.
 */
HIDDEN void seccomp_ends(struct seccomp call, long ret)
{
	if (call.how == SECCOMP_NOTHING)
		return;
	bool is_in = ret == 0 || (ret > 0 && call.gives_fd);
	bool deadly = is_in && (call.how != SECCOMP_FILTER || is_deadly(call.filter));
	if (is_in && call.how == SECCOMP_FILTER)
		filters_added(deadly);
	if (call.closes && !deadly)
		segment_reopen();
	if (call.closes)
		return;
	if (deadly)
		calls_seal();
	else
		calls_let();
}

EXPORT int seccomp_prctl(int op, long a, long b, long c, long d)
{
	struct seccomp call = seccomp_begins(SYS_prctl, op, a, b);
	int ret = prctl_real()(op, a, b, c, d);
	seccomp_ends(call, ret);
	return ret;
}
