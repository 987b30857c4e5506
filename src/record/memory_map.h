/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is mapped where in a process, by /proc/PID/maps. */
#ifndef DWELL_RECORD_MEMORY_MAP_H
#define DWELL_RECORD_MEMORY_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "base/vec.h"

struct mapping {
	uint64_t start, end, offset;
	bool shared;
	char *name; /* a path, "[heap]", or "": memory without a name */
};

struct memory_map {
	VEC(struct mapping) at; /* in the order of the file: by start */
};

void memory_map_fini(struct memory_map *m);

/* Adds what the text of such a file says; lines that are none of it are passed over. */
void memory_map_parse(struct memory_map *m, struct str text);

/* The newest mapping that has the address in it; NULL: none. */
const struct mapping *memory_map_find(const struct memory_map *m, uint64_t address);

#endif
