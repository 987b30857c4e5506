/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the reports of both sides say of functions, contexts and loops, side by side: of each name
 * what every report knows, and the medians of a side.
 */
#ifndef DWELL_ANALYZE_TRACE_DIFF_ITEM_H
#define DWELL_ANALYZE_TRACE_DIFF_ITEM_H

#include "analyze/trace_diff.h"
#include "base/intern.h"
#include "core/capture.h"
#include "stat/interval.h"

enum { BASE, NEW, SIDES };

/* By what things are compared. */
enum diff_by {
	DIFF_BY_TOTAL,  /* windows of latency: what each took in all */
	DIFF_BY_SECOND, /* whole traces of any length: what each took of a second of trace */
	DIFF_BY_EACH,   /* whole traces whose length is not known: what one call takes */
};

/* What one report says, its tables of several CPUs summed. UNKNOWN: it does not. */
struct run_amount {
	uint64_t rows;             /* 0: it does not speak of it */
	int64_t total;             /* ns */
	int64_t calls, timed;      /* number; timed: those that the total is of */
	int64_t inclusive, asleep; /* ns: graphs */
	struct value cost;         /* loops: per turn, with its interval */
	bool partial; /* loops: some turns are in no figure, so what each costs is all that is known */
};

/*
 * Medians over the reports of one side that speak of it; UNKNOWN. By second: of a second of trace,
 * but for calls.
 */
struct amount {
	int64_t total;             /* ns */
	int64_t calls;             /* number, in all */
	int64_t thousandths;       /* of a call or turn */
	int64_t each;              /* ns of one */
	int64_t inclusive, asleep; /* ns */
	size_t seen;               /* in so many reports */
	size_t partial;            /* in so many of these */
};

/* A function, context or loop on both sides. */
struct item_diff {
	const char *name;
	struct run_amount *run[SIDES]; /* of each report */
	struct amount side[SIDES];
	int64_t change;  /* ns: of what is compared; UNKNOWN: only one side has it, and by each */
	int64_t weight;  /* ns, 0 and more: how much of the difference it makes */
	bool have_shift; /* of sets that are large enough: */
	struct stat_interval shift; /* of what is compared, ns */
};

#define DIFF_NAMES_MAX 16384

struct item_list {
	VEC(struct item_diff); /* once worked out, what makes the most difference first */
	struct intern names;
	VEC(uint32_t) of; /* item + 1, by id of the name */
};

struct trace_diff {
	const struct trace_diff_side *side[SIDES];
	struct report *report;
	enum diff_by by;
	int64_t length[SIDES], covered[SIDES], entries[SIDES]; /* medians */
	int64_t lengths[SIDES][TRACE_DIFF_MAX];                /* by second: ns of each trace */
	size_t cut[SIDES];                                     /* files that lack a part */
	struct item_list functions, contexts, loops;
};

/* Names' rows in a report, by the keys of their columns; a key that is NULL: none. */
struct table_source {
	const char *section, *table, *total, *calls, *timed, *inclusive, *asleep;
};

static inline int64_t known(const struct amount *a)
{
	return a->seen && a->total != UNKNOWN ? a->total : 0;
}

/* What a report states; no value and UNKNOWN, if it does not. */
struct value trace_diff_fact(const struct report *r, const char *section, const char *finding,
			     const char *key);
int64_t trace_diff_number(const struct report *r, const char *section, const char *finding,
			  const char *key);

/* By second: a trace's number or time v, 0 and more, of a second of it. */
int64_t trace_diff_per_s(const struct trace_diff *d, int side, size_t run, int64_t v);

/* The lower median, so that it is a value that was there; UNKNOWN of nothing. Sorts v. */
int64_t diff_median(int64_t *v, size_t n);

/* Lengths, entries, and how much of it is there, of one side. */
void trace_diff_windows(struct trace_diff *d, int side);

/* The rows of a table, or the loops, of both sides, worked out. To be ended by items_fini. */
void trace_diff_items(struct trace_diff *d, const struct table_source *from,
		      struct item_list *items);
void trace_diff_loops(struct trace_diff *d);
void items_fini(struct item_list *items);

#endif
