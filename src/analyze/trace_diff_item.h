/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the reports of both sides say of functions, contexts and loops, side by side. */
#ifndef DWELL_ANALYZE_TRACE_DIFF_ITEM_H
#define DWELL_ANALYZE_TRACE_DIFF_ITEM_H

#include "analyze/trace_diff.h"
#include "base/vec.h"
#include "stat/interval.h"

enum { BASE, NEW, SIDES };

/* What one side's reports say of one function, context or loop. */
struct amount {
	int64_t total, calls; /* ns, number: medians over the reports that have it */
	size_t seen;          /* in so many reports */
};

/* A function, context or loop on both sides. */
struct item_diff {
	const char *name;
	struct amount side[SIDES];
	struct value cost[SIDES];   /* loops: per turn, with its interval */
	int64_t change;             /* ns */
	bool have_shift;            /* of sets that are large enough: */
	struct stat_interval shift; /* of the totals, ns */
};

struct item_list {
	VEC(struct item_diff);
};

struct trace_diff {
	const struct trace_diff_side *side[SIDES];
	struct report *report;
	int64_t length[SIDES], covered[SIDES], entries[SIDES]; /* medians */
	size_t cut[SIDES];                                     /* files that lack a part */
	struct item_list functions, contexts, loops;
};

/* A name's rows in one side's reports: column 0 is the name, `total` and `calls` its figures. */
struct table_source {
	const char *section, *table;
	int total, calls; /* columns; calls -1: none */
};

static inline int64_t known(const struct amount *a)
{
	return a->seen ? a->total : 0;
}

/* What a report states; no value and UNKNOWN, if it does not. */
struct value trace_diff_fact(const struct report *r, const char *section, const char *finding,
			     const char *key);
int64_t trace_diff_number(const struct report *r, const char *section, const char *finding,
			  const char *key);

/* Lengths, entries, and how much of it is there, of one side. */
void trace_diff_windows(struct trace_diff *d, int side);

/* The rows of a table, or the loops, of both sides. To be freed with vec_fini. */
void trace_diff_items(struct trace_diff *d, const struct table_source *from,
		      struct item_list *items);
void trace_diff_loops(struct trace_diff *d);

/* The intervals of the first items. No source: loops. */
void trace_diff_shifts(struct trace_diff *d, const struct table_source *from,
		       struct item_list *items);

#endif
