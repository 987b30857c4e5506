/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/graph_profile.h"

#include <stdlib.h>

#include "base/sat.h"

struct graph_frame {
	uint32_t node; /* 0: nothing is open at this depth */
	uint32_t line;
	uint32_t holes;      /* of the profile when it was entered */
	uint32_t calls;      /* in it, of any depth */
	int64_t start;       /* of the clock; UNKNOWN: no stamp */
	int64_t children;    /* ns of the calls in it */
	int64_t off;         /* ns asleep in them */
	int64_t interrupted; /* ns in interrupts among them */
	size_t log_start;
	bool torn;     /* a call in it has no known time */
	bool switched; /* it was innermost when the CPU went to another task */
	bool unlogged; /* the log was full */
};

struct graph_stack {
	uint32_t who;
	unsigned depth; /* frames 0..depth-1 may be open */
	VEC(struct graph_frame) frames;
	VEC(struct graph_called) log; /* of the open calls, the outermost's first */
	struct graph_parts parts;     /* of the outermost call under way */
};

/* -- Nodes and rows ------------------------------------------------------------------------- */

static uint32_t node_of(struct graph_profile *g, uint32_t parent, uint32_t symbol)
{
	uint32_t node = call_paths_find(&g->paths, parent, symbol);
	if (node)
		return node;
	if (g->nodes.n >= GRAPH_NODES) {
		g->left_out++;
		return 0;
	}
	node = (uint32_t)g->nodes.n;
	call_paths_add(&g->paths, parent, symbol, node);
	vec_push(&g->nodes, ((struct graph_node){ .parent = parent, .symbol = symbol }));
	return node;
}

/* Functions that give the CPU away, for graphs in which the switch itself is not to be seen. */
static bool gives_cpu_away(const char *name)
{
	static const char *const names[] = {
		"__schedule",
		"schedule",
		"preempt_schedule",
		"preempt_schedule_irq",
		"preempt_schedule_common",
		"schedule_idle",
		"schedule_preempt_disabled",
	};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

static struct graph_row *row_of(struct graph_profile *g, uint32_t symbol)
{
	while (g->row_of.n <= symbol)
		vec_push(&g->row_of, 0);
	if (!g->row_of.at[symbol]) {
		bool away = gives_cpu_away(symbols_text(g->symbols, symbol));
		vec_push(&g->rows, ((struct graph_row){ .symbol = symbol, .gives_away = away }));
		g->row_of.at[symbol] = (uint32_t)g->rows.n;
	}
	return &g->rows.at[g->row_of.at[symbol] - 1];
}

static void calls_add(struct graph_calls *p, uint32_t symbol, int64_t ns, uint32_t line)
{
	p->n++;
	if (ns == NO_DURATION || (p->longest != UNKNOWN && ns <= p->longest))
		return;
	p->longest = ns;
	p->longest_symbol = symbol;
	p->longest_line = line;
}

/* -- Stacks --------------------------------------------------------------------------------- */

/* Calls nest by task, wherever it runs; every CPU has an idle task, and an unknown one. */
static uint32_t who_of(const struct graph_profile *g, uint32_t task, uint16_t cpu)
{
	bool known = task && names_task_of(g->symbols->names, task).pid != 0;
	return known ? task + UINT16_MAX + 1u : cpu;
}

static struct graph_stack *stack_find(struct graph_profile *g, uint32_t who)
{
	if (g->recent && g->recent->who == who)
		return g->recent;
	for (size_t i = 0; i < g->n_stacks; i++) {
		if (g->stacks[i]->who == who)
			return g->recent = g->stacks[i];
	}
	return NULL;
}

static struct graph_stack *stack_of(struct graph_profile *g, const struct event *e)
{
	uint32_t who = who_of(g, e->task, e->cpu);
	struct graph_stack *s = stack_find(g, who);
	if (s || g->n_stacks == GRAPH_STACKS)
		return s;
	if (!g->stacks)
		g->stacks = mem_array(GRAPH_STACKS, sizeof(*g->stacks));
	s = g->stacks[g->n_stacks++] = mem_alloc(sizeof(*s));
	s->who = who;
	return g->recent = s;
}

/* The frame that is open above the given depth; NULL: none. */
static struct graph_frame *frame_above(struct graph_stack *s, unsigned depth)
{
	return depth && depth <= s->depth && s->frames.at[depth - 1].node ? &s->frames.at[depth - 1]
									  : NULL;
}

static void log_truncate(struct graph_profile *g, struct graph_stack *s, size_t n)
{
	g->logged -= s->log.n - n;
	s->log.n = n;
}

/* One complete call, its parts worked out. */
struct call {
	uint32_t node, calls, first_line, last_line;
	int64_t start;          /* of the clock; UNKNOWN: no stamp */
	int64_t dur, self, off; /* ns; self UNKNOWN: a part of it is not known */
	int64_t own_off;        /* ns of off, in no call that it made */
	int64_t interrupted;    /* ns of dur, in interrupts */
	bool slept;             /* that is why self is not known */
};

/* A call is complete: to the caller that waited for it, or to the sum of what is shown. */
static void give_to_caller(struct graph_profile *g, struct graph_stack *s, unsigned depth,
			   const struct call *c)
{
	struct graph_frame *above = frame_above(s, depth);
	if (!above) {
		sat_sum(&g->shown, c->dur);
		sat_sum(&g->off, c->off);
		calls_add(&g->outermost, g->nodes.at[c->node].symbol, c->dur, c->first_line);
		graph_worst_offer(&g->worst,
				  &(struct graph_worst){
					  .symbol = g->nodes.at[c->node].symbol,
					  .first_line = c->first_line,
					  .last_line = c->last_line,
					  .start = c->start,
					  .dur = c->dur,
					  .off = c->off,
				  },
				  &s->parts);
		return;
	}
	sat_sum(&above->children, c->dur);
	sat_sum(&above->off, c->off);
	sat_sum(&above->interrupted, c->interrupted);
	above->calls += c->calls;
	if (g->logged >= GRAPH_LOG) {
		above->unlogged = true;
		g->logs_left_out++;
		return;
	}
	vec_push(&s->log, ((struct graph_called){ c->node, c->calls, c->dur, c->off, c->interrupted,
						  c->start }));
	g->logged++;
}

/* Frames from a depth on are not over, and never will be: what is known of them is what they
 * called. */
static void drop_from(struct graph_profile *g, struct graph_stack *s, unsigned depth)
{
	while (s->depth > depth) {
		struct graph_frame *f = &s->frames.at[--s->depth];
		if (!f->node)
			continue;
		struct graph_frame *above = frame_above(s, s->depth);
		uint32_t symbol = g->nodes.at[f->node].symbol;
		calls_add(&g->unclosed, symbol, NO_DURATION, f->line);
		log_truncate(g, s, f->log_start);
		if (above) {
			above->torn = true;
			sat_sum(&above->children, f->children);
			sat_sum(&above->off, f->off);
		} else {
			sat_sum(&g->shown, f->children);
			sat_sum(&g->off, f->off);
		}
		f->node = 0;
	}
}

/* -- Calls ---------------------------------------------------------------------------------- */

/* Interrupts are calls, too; the outermost counts. True: this is one. */
static bool note_interrupt(struct graph_profile *g, struct graph_stack *s, unsigned depth,
			   uint32_t symbol, int64_t dur, uint32_t line)
{
	static const uint32_t any = SYMBOL_HARDIRQ | SYMBOL_SOFTIRQ | SYMBOL_NMI;
	uint32_t classes = symbols_classes(g->symbols, symbol);
	if (!(classes & any))
		return false;
	for (unsigned i = 0; i < depth && i < s->depth; i++) {
		uint32_t node = s->frames.at[i].node;
		if (node && symbols_classes(g->symbols, g->nodes.at[node].symbol) & any)
			return false;
	}
	enum context c = classes & SYMBOL_NMI       ? CONTEXT_NMI
			 : classes & SYMBOL_SOFTIRQ ? CONTEXT_SOFTIRQ
						    : CONTEXT_HARDIRQ;
	calls_add(&g->interrupts[c], symbol, dur, line);
	sat_sum(&g->interrupt_time[c], dur);
	return true;
}

static int64_t start_of(const struct event *e)
{
	return e->kind & EVENT_NO_TIME ? UNKNOWN : e->time;
}

static bool is_recursive(const struct graph_profile *g, const struct graph_stack *s, unsigned depth,
			 uint32_t symbol)
{
	for (unsigned i = 0; i < depth && i < s->depth; i++) {
		if (s->frames.at[i].node && g->nodes.at[s->frames.at[i].node].symbol == symbol)
			return true;
	}
	return false;
}

static void call_count(struct graph_profile *g, struct graph_stack *s, unsigned depth,
		       const struct call *c)
{
	struct graph_node *n = &g->nodes.at[c->node];
	struct graph_row *row = row_of(g, n->symbol);
	graph_parts_add(&s->parts, n->symbol, c->self, c->own_off);
	g->complete++;
	n->calls++;
	row->calls++;
	if (!n->first_line)
		n->first_line = c->first_line;
	n->last_line = c->last_line;
	if (c->dur == NO_DURATION) {
		g->untimed++;
		return;
	}
	row->timed++;
	if (row - g->rows.at < GRAPH_TIMES)
		histogram_add(&row->times, c->dur);
	sat_sum(&n->total, c->dur);
	sat_sum(&n->off, c->off);
	if (!is_recursive(g, s, depth, n->symbol)) {
		sat_sum(&row->total, c->dur);
		sat_sum(&row->off, c->off);
	}
	if (c->self != UNKNOWN) {
		row->parted++;
		sat_sum(&n->self, c->self);
		sat_sum(&row->self, c->self);
	} else if (!c->slept) {
		g->torn++;
	}
	if (c->dur > row->longest || row->timed == 1) {
		row->longest = c->dur;
		row->longest_line = c->first_line;
	}
}

static void note_caller(struct graph_profile *g, const struct graph_frame *above)
{
	if (above)
		row_of(g, g->nodes.at[above->node].symbol)->caller = true;
}

static void graph_leaf(struct graph_profile *g, struct graph_stack *s, const struct event *e,
		       int64_t dur)
{
	drop_from(g, s, e->depth);
	uint32_t symbol = symbols_of(g->symbols, e->what).id;
	struct graph_frame *above = frame_above(s, e->depth);
	note_caller(g, above);
	if (!above)
		graph_parts_clear(&s->parts);
	uint32_t node = node_of(g, above ? above->node : 0, symbol);
	if (above && (!node || dur == NO_DURATION))
		above->torn = true;
	if (!node)
		return;
	struct graph_row *row = row_of(g, symbol);
	row->leaf = true;
	if (e->depth > row->leaf_depth)
		row->leaf_depth = e->depth;
	struct call c = {
		.node = node,
		.calls = 1,
		.first_line = e->line,
		.last_line = e->line,
		.start = start_of(e),
		.dur = dur,
	};
	c.slept = dur != NO_DURATION && row->gives_away;
	c.self = c.slept ? UNKNOWN : dur;
	c.off = c.own_off = c.slept ? dur : 0;
	call_count(g, s, e->depth, &c);
	if (dur == NO_DURATION)
		return;
	if (note_interrupt(g, s, e->depth, symbol, dur, e->line))
		c.interrupted = dur - c.off;
	give_to_caller(g, s, e->depth, &c);
}

static void graph_entry(struct graph_profile *g, struct graph_stack *s, const struct event *e)
{
	drop_from(g, s, e->depth);
	vec_reserve(&s->frames, e->depth + 1u);
	while (s->depth < e->depth) /* opened before the text begins */
		s->frames.at[s->depth++] = (struct graph_frame){ .node = 0 };
	struct graph_frame *above = frame_above(s, e->depth);
	note_caller(g, above);
	if (!above)
		graph_parts_clear(&s->parts);
	uint32_t symbol = symbols_of(g->symbols, e->what).id;
	s->frames.at[s->depth++] = (struct graph_frame){
		.node = node_of(g, above ? above->node : 0, symbol),
		.line = e->line,
		.start = start_of(e),
		.holes = g->holes,
		.log_start = s->log.n,
	};
}

/* Its own time, in which it may have slept. */
static void frame_parts(struct graph_profile *g, const struct graph_frame *f, struct call *c)
{
	c->off = f->off;
	c->self = UNKNOWN;
	if (c->dur == NO_DURATION)
		return;
	int64_t own = sat_sub(c->dur, f->children);
	if (own < 0) {
		g->contradictions++;
		own = 0;
	}
	bool away = row_of(g, g->nodes.at[f->node].symbol)->gives_away;
	c->slept = f->switched || (!f->off && away);
	if (c->slept) {
		c->own_off = own; /* how much of it was awake is not known */
		sat_sum(&c->off, own);
	} else if (!f->torn && f->holes == g->holes) {
		c->self = own;
	}
}

static void frame_close(struct graph_profile *g, struct graph_stack *s, struct graph_frame *f,
			const struct event *e, int64_t dur)
{
	struct call c = {
		.node = f->node,
		.calls = f->calls + 1,
		.first_line = f->line,
		.last_line = e->line,
		.start = f->start,
		.dur = dur,
		.interrupted = f->interrupted,
	};
	frame_parts(g, f, &c);
	if (!f->unlogged && f->holes == g->holes) {
		struct graph_round round = {
			.calls = s->log.n ? s->log.at + f->log_start : NULL,
			.n = s->log.n - f->log_start,
			.own = c.self,
			.caller = dur == NO_DURATION ? UNKNOWN
						     : sat_sub(sat_sub(dur, c.off), c.interrupted),
			.caller_calls = c.calls,
			.slept = f->switched,
			.first_line = f->line,
			.last_line = e->line,
		};
		graph_loops_close(g, &round);
	}
	log_truncate(g, s, f->log_start);
	f->node = 0;
	call_count(g, s, e->depth, &c);
	struct graph_frame *above = frame_above(s, e->depth);
	if (dur == NO_DURATION) {
		if (above)
			above->torn = true;
		return;
	}
	if (note_interrupt(g, s, e->depth, g->nodes.at[c.node].symbol, dur, f->line))
		c.interrupted = sat_sub(dur, c.off);
	give_to_caller(g, s, e->depth, &c);
}

/* A closing without its opening: with tracing_thresh there are no others. */
static void note_begun(struct graph_profile *g, uint32_t symbol, int64_t dur, uint32_t line)
{
	if (!symbol)
		return;
	struct graph_row *row = row_of(g, symbol);
	row->begun++;
	if (dur == NO_DURATION)
		return;
	sat_sum(&row->begun_total, dur);
	if (dur > row->begun_longest) {
		row->begun_longest = dur;
		row->begun_line = line;
	}
}

static void graph_exit(struct graph_profile *g, struct graph_stack *s, const struct event *e,
		       int64_t dur)
{
	drop_from(g, s, e->depth + 1u);
	struct graph_frame *f = e->depth < s->depth ? &s->frames.at[e->depth] : NULL;
	uint32_t symbol = symbols_of(g->symbols, e->what).id;
	if (f && f->node && (!symbol || g->nodes.at[f->node].symbol == symbol)) {
		s->depth = e->depth;
		f = &s->frames.at[e->depth];
		frame_close(g, s, f, e, dur);
		return;
	}
	drop_from(g, s, e->depth);
	calls_add(&g->begun, symbol, dur, e->line);
	note_begun(g, symbol, dur, e->line);
	struct graph_frame *above = frame_above(s, e->depth);
	if (above)
		above->torn = true;
}

/* -- Events --------------------------------------------------------------------------------- */

/* The CPU goes from one task to another: what is innermost sleeps. */
static void graph_switch(struct graph_profile *g, const struct event *e)
{
	g->switches++;
	uint32_t who = who_of(g, e->task, e->cpu);
	struct graph_stack *s = stack_find(g, who);
	struct graph_stack *nameless = who == e->cpu || s ? NULL : stack_find(g, e->cpu);
	if (nameless) { /* it was this task's all the time */
		nameless->who = who;
		s = nameless;
	}
	if (s && s->depth && s->frames.at[s->depth - 1].node)
		s->frames.at[s->depth - 1].switched = true;
}

static void note_clock(struct graph_profile *g, const struct event *e)
{
	if (e->kind & EVENT_NO_TIME)
		return;
	if (!g->have_time || e->time < g->from)
		g->from = e->time;
	if (!g->have_time || e->time > g->to)
		g->to = e->time;
	g->have_time = true;
	g->fine |= e->time % 1000 != 0;
}

static void graph_event(struct sink *sink, const struct event *e, const struct payload *p)
{
	struct graph_profile *g = (struct graph_profile *)sink;
	if (g->cpu != UNKNOWN && !(e->kind & EVENT_NO_CPU) && e->cpu != g->cpu &&
	    event_kind(e) != EVENT_GRAPH_SWITCH) {
		g->other_cpu++;
		return;
	}
	g->holes += event_kind(e) == EVENT_LOST || (e->kind & EVENT_AFTER_HOLE);
	if (event_kind(e) == EVENT_GRAPH_SWITCH)
		return graph_switch(g, e);
	if (!event_is_graph(e))
		return;
	g->lines++;
	if (!g->first_line)
		g->first_line = e->line;
	g->last_line = e->line;
	if (e->depth > g->deepest && event_kind(e) != EVENT_GRAPH_COMMENT)
		g->deepest = e->depth;
	note_clock(g, e);
	struct graph_stack *s = stack_of(g, e);
	if (!s) {
		g->left_out++;
		return;
	}
	switch (event_kind(e)) {
	case EVENT_GRAPH_ENTRY:
		g->entries++;
		return graph_entry(g, s, e);
	case EVENT_GRAPH_LEAF:
		g->leaves++;
		return graph_leaf(g, s, e, p->graph.duration);
	case EVENT_GRAPH_EXIT:
		g->exits++;
		return graph_exit(g, s, e, p->graph.duration);
	default:
		g->comments++;
	}
}

static int graph_begin(struct sink *s, const struct capture *c, struct err *err)
{
	(void)s, (void)c, (void)err;
	return 0;
}

static int graph_finish(struct sink *s, const struct capture *c, struct report *r, struct err *err)
{
	(void)c, (void)r, (void)err;
	struct graph_profile *g = (struct graph_profile *)s;
	for (size_t i = 0; i < g->n_stacks; i++)
		drop_from(g, g->stacks[i], 0);
	return 0;
}

static const struct sink_ops graph_ops = {
	.wants = SINK_WANTS_ALL,
	.begin = graph_begin,
	.event = graph_event,
	.finish = graph_finish,
};

void graph_profile_init(struct graph_profile *g, struct symbols *symbols, int64_t cpu)
{
	*g = (struct graph_profile){ .sink = { &graph_ops }, .symbols = symbols, .cpu = cpu };
	loop_pool_init(&g->loops, sizeof(struct graph_loop));
	g->worst.keep = g->worst.threshold = UNKNOWN;
	g->begun.longest = g->unclosed.longest = g->outermost.longest = UNKNOWN;
	for (int c = 0; c < CONTEXT_COUNT; c++)
		g->interrupts[c].longest = UNKNOWN;
	vec_push(&g->nodes, ((struct graph_node){ 0 }));
}

void graph_profile_fini(struct graph_profile *g)
{
	loop_pool_fini(&g->loops);
	for (size_t i = 0; i < g->n_stacks; i++) {
		vec_fini(&g->stacks[i]->frames);
		vec_fini(&g->stacks[i]->log);
		free(g->stacks[i]);
	}
	free(g->stacks);
	vec_each (row, &g->rows)
		histogram_fini(&row->times);
	vec_fini(&g->nodes);
	vec_fini(&g->rows);
	graph_worst_fini(&g->worst);
	vec_fini(&g->row_of);
	call_paths_fini(&g->paths);
}
