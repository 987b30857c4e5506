/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The lines of a file of /proc: without stdio, which has locks and allocates. */
#ifndef DWELL_PRELOAD_LINES_H
#define DWELL_PRELOAD_LINES_H

#include "preload/segment.h"

#define LINES_ROOM 5120 /* for one: of maps, a path and what stands before it */

/*
 * Gives each line in turn, without its newline; longer ones are left out. False: the file cannot be read.
 * errno stays as it was.
 */
HIDDEN bool lines_read(const char *file, char text[LINES_ROOM],
		       void (*each)(const char *line, const char *end, void *arg), void *arg);

#endif
