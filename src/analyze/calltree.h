/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tree of calls, rebuilt from "function <- caller" lines, folded as it closes: one node for
 * each distinct path, whatever the number of calls. The rules are those of attribution.md ("The
 * tree", "Loops"):
 *
 * - one stack for each context, and in task context for each pid; a stack has its own clock,
 *   which stands still while something else runs, so an interruption cannot break a loop;
 * - pop until the top is the caller; a caller that is not on the stack becomes a synthetic frame
 *   above the deepest frame that is proven to be a caller;
 * - within one instance of a parent, a child that comes again and again is a loop's turn.
 *
 * Memory follows the number of distinct paths and is capped.
 */
#ifndef DWELL_ANALYZE_CALLTREE_H
#define DWELL_ANALYZE_CALLTREE_H

#include "analyze/call_paths.h"
#include "analyze/loop_pool.h"
#include "analyze/timeline.h"
#include "stat/interval.h"
#include "stat/series.h"

#define CALLTREE_NODES (1u << 15)
#define CALLTREE_DEPTH 200
#define CALLTREE_STACKS 1024
#define LOOP_TURNS 4 /* fewer are no loop */

/* A turn that took long, and how much of that was not its own stack's time. */
struct loop_worst {
	int64_t wall, interrupted; /* ns */
	uint32_t line;             /* where it begins */
};

#define LOOP_WORST 3

/* What loops of one head, under one path of callers, add up to. */
struct loop_stats {
	struct pooled_loop in;  /* first: of each instance in which the node is the head; */
				/* total: from the first head to the end of the last turn */
	struct stat_line inner; /* turns of the inner loop against the outer turn's duration */
	uint32_t inner_node;    /* whose turns those are; 0: none */
	bool inner_mixed;

	struct loop_worst worst[LOOP_WORST]; /* the longest first; wall 0: none */
	uint64_t instances, turns, min_turns, max_turns;
	uint32_t first_line, last_line;
};

struct calltree_node {
	uint32_t parent; /* node; 0 for a root */
	uint32_t symbol;
	enum context context;
	bool synthetic; /* never seen to be entered, known as a caller alone */
	uint32_t head;  /* node of the loop in whose turns this one is called, or 0 */
	uint64_t calls;
	int64_t self;       /* from entry to next entry, ns */
	int64_t total;      /* from entry until the stack shows that it is over, ns */
	int64_t first_self; /* of the first call */
	uint32_t next;      /* symbol that always comes next; 0: varies */
	uint32_t first_line, last_line;
	uint32_t loop; /* id in the pool; 0 until the third call in one instance of the parent */
	struct turn *open; /* its calls in the instance of its parent seen last; NULL: in none */
};

struct calltree {
	struct span_listener listener;
	struct symbols *symbols;
	VEC(struct calltree_node) nodes; /* 0 is none, then a root for each context */
	struct call_paths paths;
	struct loop_pool *loops; /* of loop_stats; may be that of several trees */
	struct calltree_stack **stacks;
	size_t n_stacks;
	struct calltree_stack *recent;
	uint64_t frames; /* calls begun so far, each stack's root among them */
	struct turn *free_turns;
	struct arena turns;
	uint64_t left_out; /* calls that came after a cap was reached */
};

/* loops: made for struct loop_stats; it must live as long as the tree. */
void calltree_init(struct calltree *t, struct symbols *symbols, struct loop_pool *loops);
void calltree_fini(struct calltree *t);

/* What is kept of a node's loop, or NULL. */
static inline struct loop_stats *calltree_loop(const struct calltree *t, uint32_t node)
{
	return loop_pool_get(t->loops, t->nodes.at[node].loop);
}

/* Roots are of no function. */
static inline bool calltree_is_root(uint32_t node)
{
	return node <= CONTEXT_COUNT;
}

/* Closes what is open; call it once, at the end of the window. */
void calltree_close(struct calltree *t);

/* Is `node` below `above`, or the same? */
bool calltree_below(const struct calltree *t, uint32_t node, uint32_t above);

#endif
