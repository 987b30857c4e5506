/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The folder with the files of counts of a run. Who made it holds a lock in it for as long as it lives:
 * what a killed dwell has left is known by a lock that nobody holds, and the next one removes it.
 */
#ifndef DWELL_RECORD_LOCK_FOLDER_H
#define DWELL_RECORD_LOCK_FOLDER_H

#include <stdbool.h>

#include "base/err.h"

struct lock_folder {
	char *path; /* NULL: there is none */
	int alive;  /* the file that is locked */
};

/* In shared memory if possible. -errno: it cannot be made. */
int lock_folder_make(struct lock_folder *f, struct err *err) must_check;

/* Is the name that of a file of counts? */
bool lock_folder_has_counts(const char *name);

/* With what is in it. */
void lock_folder_remove(struct lock_folder *f);

#endif
