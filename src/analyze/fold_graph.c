/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The calls of function_graph: depth and duration are printed, so nothing is guessed. */
#include "analyze/fold.h"
#include "base/sat.h"

/* By task; where none is printed, by CPU, and without that there is one stack. */
static struct fold_stack *stack_of(struct analyze_fold *f, const struct event *e)
{
	int32_t pid = names_task_of(f->symbols.names, e->task).pid;
	if (e->task && pid > 0)
		return fold_stack_of(f, (uint64_t)pid << 32, FOLD_TASK, e->task);
	uint32_t cpu = e->kind & EVENT_NO_CPU ? FOLD_NO_CPU : e->cpu;
	uint64_t key = 1ull << 63 | cpu;
	return e->task ? fold_stack_of(f, key | 1ull << 62, FOLD_TASK, e->task)
		       : fold_stack_of(f, key, FOLD_CPU, cpu);
}

static struct fold_frame *top_of(struct fold_stack *s)
{
	return s->n ? &s->frames[s->n - 1] : NULL;
}

/* Calls this deep or deeper are over, though their ends were not seen. */
static void close_from(struct analyze_fold *f, struct fold_stack *s, unsigned depth)
{
	while (s->n && top_of(s)->depth >= depth) {
		s->n--;
		f->fold.unended++;
	}
}

static uint32_t call_node(struct analyze_fold *f, struct fold_stack *s, uint32_t name)
{
	uint32_t node = s->n < FOLD_DEPTH ? fold_node(&f->fold, s->n ? top_of(s)->node : s->root,
						      FOLD_FUNCTION, name)
					  : 0;
	f->fold.calls++;
	if (node)
		f->fold.nodes.at[node].calls++;
	else
		f->fold.left_out++;
	return node;
}

static void call_enter(struct analyze_fold *f, struct fold_stack *s, const struct event *e)
{
	close_from(f, s, e->depth);
	uint32_t node = call_node(f, s, e->what);
	if (node)
		s->frames[s->n++] = (struct fold_frame){
			.node = node,
			.graph = true,
			.depth = e->depth,
			.have_start = !(e->kind & EVENT_NO_TIME),
			.start = e->time,
		};
}

/* The call is over and took dur; the one that it was called from has spent that in it. */
static void call_ended(struct analyze_fold *f, struct fold_stack *s, uint32_t node, int64_t dur,
		       int64_t children)
{
	if (dur == NO_DURATION) {
		f->fold.untimed++;
		return;
	}
	int64_t self = sat_sub(dur, children);
	if (node && self > 0)
		sat_sum(&f->fold.nodes.at[node].self, self);
	if (s->n)
		sat_sum(&top_of(s)->children, dur);
}

static void call_leaf(struct analyze_fold *f, struct fold_stack *s, const struct event *e,
		      const struct payload *p)
{
	close_from(f, s, e->depth);
	call_ended(f, s, call_node(f, s, e->what), p->graph.duration, 0);
}

static void call_exit(struct analyze_fold *f, struct fold_stack *s, const struct event *e,
		      const struct payload *p)
{
	close_from(f, s, e->depth + 1u);
	struct fold_frame *top = top_of(s);
	if (!top || top->depth != e->depth) { /* it began before the trace */
		f->fold.unended++;
		if (s->n && p->graph.duration != NO_DURATION)
			sat_sum(&top->children, p->graph.duration);
		return;
	}
	struct fold_frame call = *top;
	s->n--;
	int64_t dur = p->graph.duration;
	if (dur == NO_DURATION && call.have_start && !(e->kind & EVENT_NO_TIME))
		dur = sat_sub(e->time, call.start);
	call_ended(f, s, call.node, dur, call.children);
}

void fold_graph_event(struct analyze_fold *f, const struct event *e, const struct payload *p)
{
	if (event_kind(e) == EVENT_GRAPH_COMMENT)
		return;
	struct fold_stack *s = stack_of(f, e);
	if (event_kind(e) == EVENT_GRAPH_ENTRY)
		call_enter(f, s, e);
	else if (event_kind(e) == EVENT_GRAPH_LEAF)
		call_leaf(f, s, e, p);
	else
		call_exit(f, s, e, p);
}

void fold_graph_finish(struct analyze_fold *f)
{
	for (uint32_t i = 0; i < FOLD_STACKS; i++) {
		struct fold_stack *s = f->stacks[i];
		for (; s && s->n; s->n--)
			f->fold.unended += s->frames[s->n - 1].graph;
	}
}
