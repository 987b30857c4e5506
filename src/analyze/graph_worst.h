/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The longest calls of a function graph, and what each spent its time on: of every function in it
 * the time that it took itself, and that it slept. Those that no other complete call holds count.
 */
#ifndef DWELL_ANALYZE_GRAPH_WORST_H
#define DWELL_ANALYZE_GRAPH_WORST_H

#include <stdbool.h>

#include "analyze/symbols.h"
#include "base/vec.h"
#include "core/report.h"

#define GRAPH_PARTS 128 /* functions of a call that are told apart */
#define GRAPH_PART_OTHERS UINT32_MAX

struct graph_part {
	uint32_t symbol;
	uint32_t slot;          /* GRAPH_PART_OTHERS: of what does not fit */
	uint64_t calls, parted; /* parted: those with a known self time */
	int64_t self, off;      /* ns of its own, awake and asleep */
};

/* Of the outermost call under way of one task. All zero: empty. */
struct graph_parts {
	struct graph_part at[GRAPH_PARTS + 1]; /* the last: what does not fit */
	uint32_t n;
	uint8_t slots[2 * GRAPH_PARTS]; /* place + 1 */
};

/* A call that is over. self UNKNOWN: not known. */
void graph_parts_add(struct graph_parts *p, uint32_t symbol, int64_t self, int64_t off);
void graph_parts_clear(struct graph_parts *p);

struct graph_worst {
	uint32_t symbol, first_line, last_line;
	int64_t start;    /* ns of the clock; UNKNOWN */
	int64_t dur, off; /* ns */
	VEC(struct graph_part) parts;
};

struct graph_worst_list {
	VEC(struct graph_worst);
	int64_t keep;      /* so many; UNKNOWN: one, where there are others */
	int64_t threshold; /* ns: none that is not longer; UNKNOWN */
	uint64_t seen, over;
};

void graph_worst_fini(struct graph_worst_list *l);

/* A call is over; w has everything but its parts. */
void graph_worst_offer(struct graph_worst_list *l, const struct graph_worst *w,
		       const struct graph_parts *parts);

void graph_worst_report(struct graph_worst_list *l, const struct symbols *symbols, int64_t top,
			struct report *r);

#endif
