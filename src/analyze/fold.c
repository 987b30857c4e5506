/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/fold.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/sat.h"

#define PROBES 8

/* -- Stacks ------------------------------------------------------------------------------- */

static struct fold_stack *stack_find(struct analyze_fold *f, uint64_t key)
{
	uint32_t at = (uint32_t)(key * 0x9e3779b97f4a7c15ull >> 40);
	struct fold_stack **oldest = NULL;
	for (uint32_t i = 0; i < PROBES; i++) {
		struct fold_stack **s = &f->stacks[(at + i) & (FOLD_STACKS - 1)];
		if (!*s)
			*s = mem_alloc(sizeof(**s));
		if ((*s)->key == key || !(*s)->used)
			return *s;
		if (!oldest || (*s)->used < (*oldest)->used)
			oldest = s;
	}
	return *oldest;
}

struct fold_stack *fold_stack_of(struct analyze_fold *f, uint64_t key, enum fold_kind root,
				 uint32_t id)
{
	struct fold_stack *s = stack_find(f, key);
	uint32_t node = fold_node(&f->fold, 0, root, id);
	if (s->key != key || s->root != node) {
		s->key = key;
		s->root = node;
		s->n = 0;
	}
	s->used = ++f->events;
	return s;
}

static uint32_t stack_top(const struct fold_stack *s)
{
	return s->n ? s->frames[s->n - 1].node : s->root;
}

static bool stack_push(struct analyze_fold *f, struct fold_stack *s, uint32_t name)
{
	uint32_t node =
		s->n < FOLD_DEPTH ? fold_node(&f->fold, stack_top(s), FOLD_FUNCTION, name) : 0;
	if (!node) {
		f->fold.left_out++;
		return false;
	}
	if (s->n)
		s->frames[s->n - 1].proven = true;
	s->frames[s->n++] = (struct fold_frame){ .node = node };
	return true;
}

static uint32_t frame_name(const struct analyze_fold *f, const struct fold_frame *frame)
{
	return f->fold.nodes.at[frame->node].id;
}

/* How many frames the stack has up to the topmost of that function; 0: it is not there. */
static uint32_t stack_find_name(const struct analyze_fold *f, const struct fold_stack *s,
				uint32_t name)
{
	uint32_t n = s->n;
	while (n && frame_name(f, &s->frames[n - 1]) != name)
		n--;
	return n;
}

/*
 * Makes the caller the top of the stack. The rules are those of calltree.h, which are for traces
 * of every function; a whole trace may have few. So a caller that is not on the stack takes the
 * place of one that was not entered either, and a function that is open already was left before
 * it is entered from elsewhere.
 */
static void stack_return_to(struct analyze_fold *f, struct fold_stack *s, uint32_t caller,
			    uint32_t what)
{
	uint32_t at = stack_find_name(f, s, caller);
	if (at) {
		s->n = at;
		return;
	}
	at = stack_find_name(f, s, what);
	if (at)
		s->n = at - 1;
	/* Below the deepest proven caller. A lock wrapper calls nothing but locks. */
	for (; s->n; s->n--) {
		const struct fold_frame *top = &s->frames[s->n - 1];
		uint32_t classes = symbols_of(&f->symbols, frame_name(f, top)).classes;
		if (top->proven && !top->synthetic && !(classes & SYMBOL_LOCK))
			break;
	}
	if (stack_push(f, s, caller))
		s->frames[s->n - 1].proven = s->frames[s->n - 1].synthetic = true;
}

/* -- Who is at work ----------------------------------------------------------------------- */

/* Idle tasks share pid 0, so each CPU's has a stack of its own. */
static struct fold_stack *stack_of_task(struct analyze_fold *f, uint32_t task, uint16_t cpu)
{
	int32_t pid = names_task_of(f->symbols.names, task).pid;
	uint64_t key = pid > 0 ? (uint64_t)pid << 32 : 1 + (uint64_t)cpu * CONTEXT_COUNT;
	return fold_stack_of(f, key, FOLD_TASK, task);
}

static struct fold_stack *stack_of(struct analyze_fold *f, const struct event *e, enum context c)
{
	if (c == CONTEXT_TASK)
		return stack_of_task(f, e->task, e->cpu);
	return fold_stack_of(f, 1 + (uint64_t)e->cpu * CONTEXT_COUNT + c, FOLD_INTERRUPT, c);
}

static struct fold_cpu *cpu_of(struct analyze_fold *f, const struct event *e)
{
	while (f->cpus.n <= e->cpu)
		vec_push(&f->cpus, ((struct fold_cpu){ 0 }));
	return &f->cpus.at[e->cpu];
}

/* -- Events ------------------------------------------------------------------------------- */

/* What the CPU did until now is over. */
static void cpu_charge(struct analyze_fold *f, struct fold_cpu *cpu, const struct event *e)
{
	bool timed = cpu->node && !(e->kind & (EVENT_AFTER_HOLE | EVENT_NO_TIME));
	int64_t dur = timed ? sat_sub(e->time, cpu->since) : 0;
	if (dur > 0)
		sat_sum(&f->fold.nodes.at[cpu->node].self, dur);
	cpu->node = 0;
}

/* An entry of a function, not one of the tracer's own. */
static bool is_call(struct analyze_fold *f, const struct event *e, struct symbol what)
{
	if (event_kind(e) != EVENT_FUNCTION || what.classes & SYMBOL_WINDOW)
		return false;
	if (e->arg) {
		f->callers_seen = true;
		return e->arg != e->what;
	}
	return !f->callers_seen && !(what.classes & (SYMBOL_LOCK | SYMBOL_TRACER));
}

static void fold_call(struct analyze_fold *f, struct fold_stack *s, const struct event *e,
		      const struct payload *p)
{
	uint64_t times = p->function.repeats > 0 ? (uint64_t)p->function.repeats : 1;
	f->fold.calls += times;
	if (e->arg)
		stack_return_to(f, s, e->arg, e->what);
	else
		s->n = 0;
	if (stack_push(f, s, e->what))
		f->fold.nodes.at[stack_top(s)].calls += times;
}

/* The task that a switch leaves on the CPU; 0: no switch, or not printed. */
static uint32_t switched_to(const struct event *e, const struct payload *p)
{
	bool is = event_kind(e) == EVENT_SWITCH ||
		  (event_kind(e) == EVENT_NAMED && p->point == POINT_SWITCH);
	return is ? p->sched.next_task : 0;
}

static void fold_event(struct sink *sink, const struct event *e, const struct payload *p)
{
	struct analyze_fold *f = (struct analyze_fold *)sink;
	if (event_is_graph(e)) {
		fold_graph_event(f, e, p);
		return;
	}
	if (event_kind(e) == EVENT_GRAPH_SWITCH)
		return;
	struct fold_cpu *cpu = cpu_of(f, e);
	if (event_kind(e) == EVENT_LOST) {
		cpu->node = 0;
		return;
	}
	cpu_charge(f, cpu, e);
	struct symbol what = { 0 }, caller = { 0 };
	if (event_kind(e) == EVENT_FUNCTION) {
		what = symbols_of(&f->symbols, e->what);
		caller = symbols_of(&f->symbols, e->arg);
	}
	enum context context = context_next(&cpu->context, e, what, caller);
	uint32_t next = switched_to(e, p);
	struct fold_stack *s = next ? stack_of_task(f, next, e->cpu) : stack_of(f, e, context);
	if (is_call(f, e, what))
		fold_call(f, s, e, p);
	cpu->since = e->time;
	cpu->node = e->kind & EVENT_NO_TIME ? 0 : stack_top(s);
}

static int fold_begin(struct sink *s, const struct capture *c, struct err *err)
{
	(void)s, (void)c, (void)err;
	return 0;
}

static int fold_finish(struct sink *s, const struct capture *c, struct report *r, struct err *err)
{
	(void)c, (void)r, (void)err;
	fold_graph_finish((struct analyze_fold *)s);
	return 0;
}

static const struct sink_ops fold_ops = {
	.wants = SINK_WANTS_ALL,
	.points = POINT_BIT(POINT_SWITCH),
	.begin = fold_begin,
	.event = fold_event,
	.finish = fold_finish,
};

void analyze_fold_init(struct analyze_fold *f, const struct names *names)
{
	*f = (struct analyze_fold){ .sink = { &fold_ops } };
	fold_init(&f->fold);
	symbols_init(&f->symbols, names);
	f->stacks = mem_array(FOLD_STACKS, sizeof(struct fold_stack *));
}

void analyze_fold_fini(struct analyze_fold *f)
{
	for (uint32_t i = 0; i < FOLD_STACKS; i++)
		free(f->stacks[i]);
	free(f->stacks);
	vec_fini(&f->cpus);
	symbols_fini(&f->symbols);
	fold_fini(&f->fold);
}
