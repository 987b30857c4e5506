/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the time of a function graph went. A graph prints what each call took, so that the self
 * time is exact: the duration less those of the calls traced inside it. Not in it are:
 *
 * - time off the CPU. Calls nest by task. What is innermost when the CPU goes to another task
 *   sleeps: its own time is kept apart, for itself and for all that wait for it;
 * - calls of which a part is missing: the text begins inside them, or ends, or lines are lost.
 *   Their durations may be known, their self time is not. They are counted, nothing more.
 *
 * Paths of calls are folded as they close; memory follows the number of distinct paths and is
 * capped.
 */
#ifndef DWELL_ANALYZE_GRAPH_PROFILE_H
#define DWELL_ANALYZE_GRAPH_PROFILE_H

#include "analyze/call_paths.h"
#include "analyze/graph_worst.h"
#include "analyze/loop_pool.h"
#include "analyze/symbols.h"
#include "analyze/what_if.h"
#include "core/report.h"
#include "core/source.h"
#include "stat/histogram.h"
#include "stat/series.h"

#define GRAPH_NODES (1u << 15)
#define GRAPH_STACKS 1024
#define GRAPH_LOG (1u << 20) /* calls that open calls have made so far, in all */
#define GRAPH_TIMES 512      /* functions with a distribution, 30 KB each */
#define GRAPH_TURNS 4        /* fewer are no loop */

/*
 * What the loops of one head, under one path of callers, add up to. A turn is from one start of
 * the head to the next, less what it slept and what interrupted it: by the stamps of the lines
 * where all have one, else by what the calls in it took, without the time between them.
 */
struct graph_loop {
	struct pooled_loop in; /* steady: without the last turn of each round either; */
			       /* total: of all turns, the last ones as far as their calls go */
	uint64_t rounds, turns, min_turns, max_turns;
	uint64_t calls;  /* in all turns, of any depth */
	bool calls_only; /* not from start to start: some line had no stamp, or the caller slept */
	int64_t off, interrupted; /* ns asleep and in interrupts meanwhile, not in the figures */
	int64_t own;    /* ns of the caller's own in the same rounds; UNKNOWN: some are not known */
	int64_t caller; /* ns on the CPU of the caller of the last round; UNKNOWN */
	uint64_t caller_calls; /* in it, itself included */
	uint32_t first_line, last_line;
};

struct graph_node {
	uint32_t parent, symbol;  /* parent 0: outermost */
	uint64_t calls;           /* complete ones */
	int64_t total, self, off; /* ns */
	uint32_t first_line, last_line;
	uint32_t seen; /* in the round that is being looked at: place of its member + 1 */
	uint32_t loop; /* id in the pool; 0: not the head of one */
};

struct graph_row {
	uint32_t symbol;
	uint64_t calls, timed, parted; /* complete; with a duration; with a known self time */
	int64_t total, self, off;      /* ns; total without calls inside the same function */
	int64_t longest;
	uint32_t longest_line;
	struct histogram times; /* of the first GRAPH_TIMES functions; empty for the others */
	bool gives_away;        /* the CPU: schedule and its like */
	bool caller, leaf;      /* it was seen to call others; to call none */
	uint8_t leaf_depth;     /* the deepest place of the latter */
	uint64_t begun;         /* closings without an opening, and what is known of them: ns */
	int64_t begun_total, begun_longest;
	uint32_t begun_line;
};

/* Calls of one kind: how many, and the longest. */
struct graph_calls {
	uint64_t n;
	int64_t longest; /* ns; UNKNOWN: no duration is known */
	uint32_t longest_symbol, longest_line;
};

struct graph_profile {
	struct sink sink;
	struct symbols *symbols;
	int64_t cpu; /* UNKNOWN: all */
	VEC(struct graph_node) nodes;
	struct call_paths paths;
	struct loop_pool loops; /* of graph_loop */
	VEC(struct graph_row) rows;
	VEC(uint32_t) row_of; /* row + 1, by symbol */
	struct graph_stack **stacks;
	size_t n_stacks;
	struct graph_stack *recent;
	size_t logged;
	uint32_t holes; /* losses and cuts so far */

	/* What was met. */
	uint64_t lines, other_cpu, entries, leaves, exits, comments, switches;
	uint64_t complete, untimed, torn, contradictions, left_out, logs_left_out;
	int64_t shown,
		off; /* ns of complete calls that no complete call holds; off: of it asleep */
	struct graph_calls begun, unclosed; /* before the text begins; not over where it ends */
	struct graph_calls outermost;       /* complete ones that no complete call holds */
	struct graph_worst_list worst;      /* the longest of these */
	struct graph_calls interrupts[CONTEXT_COUNT];
	int64_t interrupt_time[CONTEXT_COUNT];
	uint32_t first_line, last_line;
	bool have_time;
	bool fine;        /* some stamp is no whole us */
	int64_t from, to; /* ns, of the clock */
	uint8_t deepest;
};

void graph_profile_init(struct graph_profile *g, struct symbols *symbols, int64_t cpu);
void graph_profile_fini(struct graph_profile *g);

/* A round of calls is over: looks for loops in what one call called (graph_loops.c). */
struct graph_called {
	uint32_t node, calls;          /* calls: itself and those in it */
	int64_t dur, off, interrupted; /* ns; off, interrupted: of dur, asleep and in interrupts */
	int64_t start;                 /* ns of the clock; UNKNOWN: no stamp */
};
struct graph_round {
	const struct graph_called *calls;
	size_t n;
	int64_t own;    /* ns; UNKNOWN */
	int64_t caller; /* ns of the call that made these, on the CPU; UNKNOWN */
	uint64_t caller_calls;
	bool slept; /* in its own time, between these calls */
	uint32_t first_line, last_line;
};
void graph_loops_close(struct graph_profile *g, const struct graph_round *round);

struct graph_report_options {
	int64_t top;
	bool tree, all_loops;
	const struct what_if *what_if;
};

/* Sections "loops" and "tree" (graph_loops.c, graph_tree.c); whole: what shares are of. */
void graph_loops_report(const struct graph_profile *g, int64_t whole,
			const struct graph_report_options *o, struct report *r);
void graph_tree_report(const struct graph_profile *g, int64_t whole, struct report *r);

/* Everything (graph_report.c). */
void graph_report(struct graph_profile *g, const struct capture *c,
		  const struct graph_report_options *o, struct report *r);

#endif
