/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files for what has to be read back and forth but cannot seek: without a name, in $TMPDIR. */
#ifndef DWELL_READ_TEMPORARY_H
#define DWELL_READ_TEMPORARY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* fd or -errno */
int temporary_open(struct err *err) must_check;

/* All n bytes, or -errno. */
int temporary_write(int fd, const void *p, size_t n, struct err *err) must_check;

#endif
