/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bytes of an input: a file or standard input, opened, checked and read in blocks.
 */
#ifndef DWELL_READ_BYTES_H
#define DWELL_READ_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

struct bytes {
	int fd;
	const char *name; /* as the user wrote it; "standard input" for "-" */
};

/* path "-" or NULL is standard input. A directory is an error here, not at the first read. */
int bytes_open(struct bytes *b, const char *path, struct err *err) must_check;
void bytes_close(struct bytes *b);

/* Up to room bytes; 0 at the end, -errno on error. Interrupted and short reads are its affair. */
ssize_t bytes_read(struct bytes *b, char *to, size_t room, struct err *err) must_check;

#endif
