/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How far reading has come, on a terminal, for inputs that take longer than a second: bytes,
 * rate, and time left where the size is known. One line on standard error (output_status); none
 * if that is no terminal.
 */
#ifndef DWELL_CMD_PROGRESS_H
#define DWELL_CMD_PROGRESS_H

#include <stdint.h>

#include "read/bytes.h"

struct progress {
	struct bytes_watch watch;
	int64_t start, last; /* ns, of the monotonic clock */
};

/*
 * Sets the watch, to be given to a reader. streams: results go to standard output while reading,
 * and not by output_text: they must not mix with the line.
 */
void progress_begin(struct progress *p, bool streams);

/* "1.2 GB of 4.0 GB, 410 MB/s, 7 s left"; total 0: not known. */
struct progress_text {
	char s[80];
};
struct progress_text progress_text(uint64_t done, uint64_t total, int64_t ns);

#endif
