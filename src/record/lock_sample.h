/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table of what the threads of a program wait for, made from looks at them: every figure is an
 * estimate. Knows nothing of /proc.
 */
#ifndef DWELL_RECORD_LOCK_SAMPLE_H
#define DWELL_RECORD_LOCK_SAMPLE_H

#include "core/capture.h"
#include "record/memory_map.h"
#include "record/thread_call.h"

#define LOCK_SAMPLE_FUTEXES (1u << 14) /* addresses that are told apart */
#define LOCK_SAMPLE_SITES 64           /* of one address */

struct lock_sample;

struct lock_sample *lock_sample_new(void);
void lock_sample_free(struct lock_sample *s);

/* A look begins, which stands for the ns since the one before. */
void lock_sample_look(struct lock_sample *s, int64_t ns);

/* A thread that waits, in this look. */
struct lock_waiter {
	uint64_t address, pc;
	bool on_stack; /* a thread's stack has the address */
	const char
		*owner; /* the name of the thread that has the mutex; NULL: no mutex, or unknown */
};
void lock_sample_waiter(struct lock_sample *s, const struct lock_waiter *w);

struct lock_sample_run {
	const char *command;
	int64_t pid, ns, cpu_ns; /* cpu_ns: what looking cost */
	bool running;            /* it still is */
};

/* Sets the kind of the capture, its table and its label. */
void lock_sample_table(struct lock_sample *s, const struct memory_map *m,
		       const struct lock_sample_run *run, struct capture *c);

#endif
