/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Locks that a program makes itself upon futex: those of Rust's standard library, parking_lot,
 * Qt, folly and absl call it by the C library's syscall(). Only waits are seen here, whatever they
 * are for. Anything that waits without syscall() (Go, libgomp) is not.
 */
#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>

#include "preload/event.h"
#include "preload/real.h"

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

static inline struct wire_lock *lock_at(struct wire_locks *s, long address, bool make)
{
	uint64_t key = table_key((const void *)address, WIRE_FUTEX);
	return make ? table_get(s, key) : table_find(s, key);
}

EXPORT long futex_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	bool futex = unlikely(number == SYS_futex), waits = futex && is_wait((int)b);
	struct wire_locks *s = waits || (futex && is_wake((int)b)) ? segment() : NULL;
	if (!s)
		return syscall_real()(number, a, b, c, d, e, f);
	uint64_t pc = CALLER;
	struct wire_lock *l = lock_at(s, a, waits);
	if (!waits)
		event_made(s, l, pc);
	struct count_wait w = event_wait(s, waits ? l : NULL, pc);
	long ret = syscall_real()(number, a, b, c, d, e, f);
	int saved = errno;
	if (waits && l && ret == 0)
		event_came(s, l, pc, &w);
	else if (waits && l && saved == ETIMEDOUT)
		count_failed(l);
	errno = saved;
	return ret;
}
