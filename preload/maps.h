/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is mapped in this process, from /proc/self/maps: without the loader, whose lock a hook must not
 * take.
 */
#ifndef DWELL_PRELOAD_MAPS_H
#define DWELL_PRELOAD_MAPS_H

#include "preload/lines.h"

/* A line of maps: "start-end perms offset dev inode   path" */
struct mapping {
	uint64_t start, end, offset;
	const char *path; /* of n bytes, not terminated; NULL: of no file */
	size_t n;
};

/* Gives each mapping in turn. False: they cannot be read. errno stays as it was. */
HIDDEN bool maps_read(char text[LINES_ROOM], void (*each)(const struct mapping *m, void *arg),
		      void *arg);

#endif
