/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a path of calls to its node in a tree: the node of the caller's path, and the callee. Grows
 * with the paths that there are.
 */
#ifndef DWELL_ANALYZE_CALL_PATHS_H
#define DWELL_ANALYZE_CALL_PATHS_H

#include <stdint.h>

struct call_path {
	uint32_t parent, symbol;
	uint32_t node; /* 0: empty */
};

/* All zero is empty. */
struct call_paths {
	struct call_path *slots; /* owned */
	uint32_t mask, n;
};

void call_paths_fini(struct call_paths *p);

/* 0: a new path. */
uint32_t call_paths_find(const struct call_paths *p, uint32_t parent, uint32_t symbol);

/* The node of a path that is new; it is not 0. */
void call_paths_add(struct call_paths *p, uint32_t parent, uint32_t symbol, uint32_t node);

#endif
