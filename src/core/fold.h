/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks folded into a tree: one node for each distinct path from a root, with what it weighs.
 * Memory follows the number of paths, not of calls, and is capped.
 */
#ifndef DWELL_CORE_FOLD_H
#define DWELL_CORE_FOLD_H

#include <stdint.h>

#include "base/vec.h"
#include "core/event.h"

#define FOLD_NODES (1u << 18)

enum fold_kind {
	FOLD_NONE,
	FOLD_TASK,      /* a root, id: task id */
	FOLD_INTERRUPT, /* a root, id: enum context */
	FOLD_CPU,       /* a root where tasks are not printed, id: CPU; FOLD_NO_CPU: nor is that */
	FOLD_FUNCTION,  /* id: name id */
};

#define FOLD_NO_CPU UINT32_MAX

struct fold_node {
	uint32_t parent; /* always lower than the node itself; 0: a root */
	uint32_t id;
	enum fold_kind kind;
	uint64_t calls;
	int64_t self; /* ns */
};

struct fold {
	VEC(struct fold_node) nodes; /* 0 is none */
	uint32_t *slots;             /* node, by (parent, kind, id); 0: empty */
	uint64_t calls;              /* all of them */
	uint64_t left_out;           /* calls that came after the cap was reached */
	uint64_t unended; /* calls of a graph whose beginning or end is not shown: no self time */
	uint64_t untimed; /* calls of a graph without duration or stamps: likewise */
};

void fold_init(struct fold *f);
void fold_fini(struct fold *f);

/* The node of a path; 0 when the cap is reached. */
uint32_t fold_node(struct fold *f, uint32_t parent, enum fold_kind kind, uint32_t id);

#endif
