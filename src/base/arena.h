/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that lives as long as a report or a capture: many allocations, one free.
 * An arena never grows with the length of a stream; what does must be bounded by its user.
 */
#ifndef DWELL_BASE_ARENA_H
#define DWELL_BASE_ARENA_H

#include <stddef.h>

#include "base/str.h"

struct arena {
	struct arena_block *blocks; /* newest first */
};

void arena_fini(struct arena *a);
void arena_adopt(struct arena *to, struct arena *from); /* all of from, which is empty then */
void *arena_alloc(struct arena *a, size_t n) __attribute__((returns_nonnull)); /* zeroed */
const char *arena_str(struct arena *a, struct str s);
const char *arena_printf(struct arena *a, const char *fmt, ...) printf_like(2, 3);

#endif
