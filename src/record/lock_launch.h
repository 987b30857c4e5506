/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a program with the preload library in it, and gives back what its processes counted:
 * copies of their files. Knows nothing of tables, and makes no names.
 */
#ifndef DWELL_RECORD_LOCK_LAUNCH_H
#define DWELL_RECORD_LOCK_LAUNCH_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/vec.h"
#include "record/lock_folder.h"
#include "wire/locks.h"

struct lock_launch_options {
	char *const *command; /* ends with NULL */
	enum wire_hold hold;
	bool follow;         /* programs that it starts, too */
	bool stacks;         /* the calls that lead to waits */
	const char *library; /* of the preload library */
};

struct lock_run {
	struct lock_folder folder;
	pid_t pid;
	int status;     /* as wait() gives it */
	int64_t ns;     /* from start to end */
	int64_t cpu_ns; /* of it and the children that it waited for */
	uint64_t ticks; /* of the TSC, in as many ns of ticks_ns; 0: no TSC was used */
	uint64_t ticks_ns;
	uint64_t tsc_start, ns_start;
	VEC(const struct wire_locks *) processes; /* in the order of their start */
	uint64_t broken;                          /* files that are none of ours, or too short */
	uint64_t running;                         /* processes that have not ended */
	uint64_t unseen;                          /* see lock_run_unseen; of all */
	bool follow;                              /* as in struct lock_launch_options */
	bool difference; /* of two looks (lock_since.h): the longest and shortest are not of it */
};

/*
 * Starts it. -errno: it could not be run, or the library could not be loaded into it; then the
 * sentence says what would work instead. Only then is there nothing for lock_run_fini to do.
 */
int lock_launch(struct lock_run *r, const struct lock_launch_options *o,
		struct err *err) must_check;

/* Waits for its end, at most ns long (0: as long as it takes). 1: it runs still. */
int lock_wait(struct lock_run *r, int64_t ns, struct err *err) must_check;

/* The counts of a process, as the library writes them; NULL: this is none of it, or another version. */
const struct wire_locks *lock_run_check(const void *bytes, size_t n);

/* Reads what there is, now: for the first time or again. */
int lock_collect(struct lock_run *r, struct err *err) must_check;

/*
 * Is the i-th process over without having told so, while nobody knows why? A signal ended it, or
 * the C library itself (daemon), or it became a program (exec) in which nothing is counted: a
 * static one, say.
 */
bool lock_run_unseen(const struct lock_run *r, size_t i);

/* Has the i-th process not ended yet? Not asked of the program itself, which was waited for. */
bool lock_run_is_running(const struct lock_run *r, size_t i);

/* The files are not needed any more: what was collected is a copy. */
void lock_run_clear(struct lock_run *r);
void lock_run_fini(struct lock_run *r);

/* Ticks of a process's clock as ns. */
int64_t lock_run_ns(const struct lock_run *r, const struct wire_locks *p, uint64_t ticks);

#endif
