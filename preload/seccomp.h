/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program may take system calls from itself, so that one it did not foresee ends it (seccomp).
 * From then on the hooks make none of their own (calls.h); what they need is got ready right before.
 */
#ifndef DWELL_PRELOAD_SECCOMP_H
#define DWELL_PRELOAD_SECCOMP_H

#include "preload/segment.h"

enum seccomp_how {
	SECCOMP_NOTHING,
	SECCOMP_CLOCK,    /* the clock may not even be read */
	SECCOMP_DISPATCH, /* others become signals (Syscall User Dispatch), until an exec */
	SECCOMP_FILTER    /* a filter says which are left */
};

struct sock_fprog;
struct seccomp {
	enum seccomp_how how;
	const struct sock_fprog *filter;
	bool gives_fd; /* else only 0 means that it is in */
	bool closes;   /* what is counted ends with it, for the clock could not be read */
};

/* Before a system call: whether, and how, it takes others away. */
HIDDEN struct seccomp seccomp_begins(long number, long a, long b, long c);

/* After it. */
HIDDEN void seccomp_ends(struct seccomp call, long ret);

#endif
