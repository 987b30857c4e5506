/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Looks at the threads of a program that already runs, now and then, and makes a table of what they
 * wait for. The program is not stopped and nothing is put into it: the kernel tells of a thread
 * that waits where it does (/proc/PID/task/TID/syscall), to whoever may trace it. So any program
 * will do, static ones and Go, but only waits for futexes are seen, and all figures are estimates.
 */
#ifndef DWELL_RECORD_LOCK_ATTACH_H
#define DWELL_RECORD_LOCK_ATTACH_H

#include <signal.h>

#include "base/err.h"
#include "core/capture.h"

struct lock_attach_options {
	int64_t pid;
	int64_t every_ns;                  /* between two looks, on average: they come at random */
	int64_t duration_ns;               /* 0: until the program ends */
	const volatile sig_atomic_t *stop; /* set by a signal: it is enough */
};

/* -errno: nothing can be seen of it; the sentence says why, and what would help. */
int lock_attach(const struct lock_attach_options *o, struct capture *c, struct err *err) must_check;

#endif
