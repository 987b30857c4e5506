/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Locks that a program makes itself upon futex: those of Rust's standard library, parking_lot,
 * Qt, folly and absl call it by the C library's syscall(). Only waits are seen here, whatever they
 * are for. Anything that waits without syscall() (Go, libgomp) is not.
 */
#include "preload/futex.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>

#include "preload/event.h"
#include "preload/real.h"
#include "preload/seccomp.h"

REAL(long, syscall, (long, ...))

/* By its own name in here, since unistd.h has it with as many arguments as one likes. */
EXPORT long futex_syscall(long number, long a, long b, long c, long d, long e,
			  long f) __asm__("syscall");

static bool is_wait(int op)
{
	op &= FUTEX_CMD_MASK;
	return op == FUTEX_WAIT || op == FUTEX_WAIT_BITSET || op == FUTEX_LOCK_PI;
}

static bool is_wake(int op)
{
	op &= FUTEX_CMD_MASK;
	return op == FUTEX_WAKE || op == FUTEX_WAKE_BITSET || op == FUTEX_UNLOCK_PI;
}

EXPORT long futex_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	bool futex = unlikely(number == SYS_futex), waits = futex && is_wait((int)b);
	uint64_t key = table_key((const void *)a, WIRE_FUTEX);
	struct record r = { 0 };
	if (waits)
		r = record_get(key);
	else if (futex && is_wake((int)b))
		event_made(key, CALLER);
	struct count_wait w = event_wait(&r, CALLER);
	struct seccomp call = seccomp_begins(number, a, b, c);
	long ret = syscall_real()(number, a, b, c, d, e, f);
	seccomp_ends(call, ret);
	if (!r.lock)
		return ret;
	int saved = errno;
	if (ret == 0)
		event_came(&r, CALLER, &w);
	else if (saved == ETIMEDOUT)
		event_failed(&r);
	else
		event_over(&r);
	errno = saved;
	return ret;
}

HIDDEN int futex_wait(const int *word, int is)
{
	int saved = errno;
	long ret = syscall_real()(SYS_futex, word, FUTEX_WAIT_PRIVATE, is, NULL, NULL, 0);
	int error = ret ? errno : 0;
	errno = saved;
	return error;
}
