/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folds the calls of a whole trace, all its CPUs, into a tree of stacks (core/fold.h).
 *
 * A function trace tells entries only: an entry weighs the time until the next event of its CPU,
 * as in timeline.h, and its stack is rebuilt by the rules of calltree.h: one stack for each task,
 * and for each context of interrupts on each CPU. Interrupts have roots of their own.
 *
 * A graph tells durations: a call weighs its own less those of the calls in it. Interrupts nest
 * in the task that they came upon, and the time that a task sleeps is part of the call that
 * slept: a graph does not say otherwise.
 */
#ifndef DWELL_ANALYZE_FOLD_H
#define DWELL_ANALYZE_FOLD_H

#include "analyze/context.h"
#include "core/fold.h"
#include "core/source.h"

#define FOLD_DEPTH 128
#define FOLD_STACKS (1u << 13) /* beyond that, those unused for long make room */

struct fold_frame {
	uint32_t node;
	bool proven;    /* something was called from it */
	bool synthetic; /* never seen to be entered, known as a caller alone */
	bool graph;     /* the fields below are set */
	bool have_start;
	uint8_t depth;
	int64_t start;    /* stamp, ns */
	int64_t children; /* durations of the calls in it, ns */
};

struct fold_stack {
	uint64_t key;
	uint64_t used; /* when last */
	uint32_t root; /* node */
	uint32_t n;
	struct fold_frame frames[FOLD_DEPTH];
};

/* What a CPU does since its last event. */
struct fold_cpu {
	uint32_t node; /* that its time is charged to; 0: nobody */
	int64_t since;
	struct context_state context;
};

struct analyze_fold {
	struct sink sink;
	struct fold fold;
	struct symbols symbols;
	VEC(struct fold_cpu) cpus;
	struct fold_stack **stacks;
	uint64_t events;
	bool callers_seen;
};

void analyze_fold_init(struct analyze_fold *f, const struct names *names);
void analyze_fold_fini(struct analyze_fold *f);

/* The stack of a key (its task or interrupt), begun anew if its root is another one. */
struct fold_stack *fold_stack_of(struct analyze_fold *f, uint64_t key, enum fold_kind root,
				 uint32_t id);

/* Lines of a graph: fold_graph.c. */
void fold_graph_event(struct analyze_fold *f, const struct event *e, const struct payload *p);
void fold_graph_finish(struct analyze_fold *f);

#endif
