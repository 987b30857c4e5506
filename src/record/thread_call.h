/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a thread that does not run waits in, by /proc/PID/task/TID/syscall: the number and the six
 * arguments of the system call, the stack pointer and the program counter (fs/proc/base.c,
 * proc_pid_syscall). The kernel looks at a thread that stays where it is, and says "running" of
 * others.
 */
#ifndef DWELL_RECORD_THREAD_CALL_H
#define DWELL_RECORD_THREAD_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct thread_call {
	int64_t number; /* -1: it waits, but in no system call (a fault) */
	uint64_t argument[6];
	uint64_t sp, pc;
};

/* False: it runs, or this is no such line. */
bool thread_call_parse(struct str line, struct thread_call *c);

/* Of a call that waits for futexes; of several (futex_waitv), none is told. */
struct futex_wait {
	uint64_t address;
	unsigned op;    /* FUTEX_WAIT, FUTEX_LOCK_PI, ...: without its flags */
	uint32_t value; /* that it expects there */
};

bool thread_call_futex(const struct thread_call *c, struct futex_wait *w);

#endif
