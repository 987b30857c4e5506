/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/calltree.h"

#include <stdlib.h>

/* The calls of one child within one instance of its parent. */
struct turn {
	struct turn *next;
	uint64_t frame; /* number of the parent's instance */
	uint32_t node, first_line, last_line;
	uint64_t count;
	int64_t start, last, end; /* stack clock: first start, last start, last end */
	int64_t last_time;        /* the last start in the trace's time */
	uint32_t last_start_line;
	int64_t first_interval; /* first start to second */
	uint32_t inner_node;    /* of the call that closed last: its own loop, and */
	uint64_t inner_count;   /* how many turns it had */
};

struct frame {
	uint64_t number; /* no other call has it */
	uint32_t node;
	bool proven; /* something was called from it */
	int64_t start;
	struct turn *turns; /* of its children; the one used last is first */
};

struct calltree_stack {
	enum context context;
	int32_t pid;
	int64_t clock; /* ns spent in this stack */
	uint32_t last_line, depth;
	VEC(struct frame) frames; /* up to depth; 0 is the root, of no function */
};

/* -- Nodes ------------------------------------------------------------------------------- */

/* The node of a path; 0 when the cap is reached. */
static uint32_t node_of(struct calltree *t, uint32_t parent, uint32_t symbol, enum context context)
{
	uint32_t node = call_paths_find(&t->paths, parent, symbol);
	if (node)
		return node;
	if (t->nodes.n >= CALLTREE_NODES)
		return 0;
	node = (uint32_t)t->nodes.n;
	call_paths_add(&t->paths, parent, symbol, node);
	vec_push(&t->nodes, ((struct calltree_node){ .parent = parent,
						     .symbol = symbol,
						     .context = context,
						     .synthetic = true }));
	return node;
}

bool calltree_below(const struct calltree *t, uint32_t node, uint32_t above)
{
	for (; node; node = t->nodes.at[node].parent) {
		if (node == above)
			return true;
	}
	return false;
}

static struct loop_stats *loop_of(struct calltree *t, uint32_t node)
{
	return loop_pool_take(t->loops, &t->nodes.at[node].loop);
}

/* -- Turns: what repeats within one instance of a parent ------------------------------------ */

static struct turn *turn_new(struct calltree *t)
{
	struct turn *turn = t->free_turns;
	if (turn)
		t->free_turns = turn->next;
	else
		turn = arena_alloc(&t->turns, sizeof(*turn));
	*turn = (struct turn){ 0 };
	return turn;
}

static void turns_free(struct calltree *t, struct frame *f)
{
	while (f->turns) {
		struct turn *turn = f->turns;
		struct calltree_node *n = &t->nodes.at[turn->node];
		if (n->open == turn)
			n->open = NULL;
		f->turns = turn->next;
		turn->next = t->free_turns;
		t->free_turns = turn;
	}
}

#define TURNS_SEARCHED 256

/*
 * The calls of a node under this frame so far. Mostly the node knows them; where the same path is
 * open in several stacks at a time, those seen last are searched.
 */
static struct turn *turn_find(struct calltree *t, struct frame *f, uint32_t node)
{
	struct calltree_node *n = &t->nodes.at[node];
	if (n->open && n->open->frame == f->number)
		return n->open;
	size_t searched = 0;
	for (struct turn **at = &f->turns; *at; at = &(*at)->next) {
		struct turn *turn = *at;
		if (turn->node == node) {
			*at = turn->next;
			turn->next = f->turns;
			f->turns = turn;
			n->open = turn;
			return turn;
		}
		if (++searched == TURNS_SEARCHED)
			break;
	}
	return NULL;
}

/* Keeps the longest turns; what is not in the stack's own time was an interruption. */
static void turn_worst(struct loop_stats *l, const struct turn *turn, int64_t interval,
		       int64_t wall)
{
	size_t i = LOOP_WORST - 1;
	if (wall <= l->worst[i].wall)
		return;
	for (; i && l->worst[i - 1].wall < wall; i--)
		l->worst[i] = l->worst[i - 1];
	l->worst[i] = (struct loop_worst){ wall, wall - interval, turn->last_start_line };
}

static void turn_interval(struct calltree *t, struct turn *turn, int64_t clock, int64_t time)
{
	int64_t interval = clock - turn->last;
	if (turn->count == 1) {
		turn->first_interval = interval;
		return;
	}
	struct loop_stats *l = loop_of(t, turn->node);
	loop_pool_add(t->loops, &l->in.steady, interval);
	turn_worst(l, turn, interval, sat_sub(time, turn->last_time));
	if (!turn->inner_node)
		return;
	if (!l->inner_node)
		l->inner_node = turn->inner_node;
	if (l->inner_node == turn->inner_node)
		stat_line_add(&l->inner, (int64_t)turn->inner_count, interval);
	else
		l->inner_mixed = true;
}

/* A call begins under a frame. */
static void turn_start(struct calltree *t, struct frame *f, uint32_t node, int64_t clock,
		       const struct event *e)
{
	struct turn *turn = turn_find(t, f, node);
	if (turn) {
		turn_interval(t, turn, clock, e->time);
	} else {
		turn = turn_new(t);
		turn->node = node;
		turn->frame = f->number;
		t->nodes.at[node].open = turn;
		turn->start = clock;
		turn->first_line = e->line;
		turn->next = f->turns;
		f->turns = turn;
	}
	turn->count++;
	turn->last = clock;
	turn->last_time = e->time;
	turn->last_start_line = e->line;
}

static int turn_order(const void *a, const void *b)
{
	const struct turn *x = *(struct turn *const *)a, *y = *(struct turn *const *)b;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->first_line > y->first_line) - (x->first_line < y->first_line);
}

/*
 * The head of a loop is called once a turn. A callee that is called twice a turn is not twice as
 * many turns, and a branch is not taken in every turn: the head is the first member that has the
 * most common number of calls.
 */
static struct turn *group_head(struct turn **group, size_t n)
{
	struct turn *head = group[0];
	size_t most = 0;
	for (size_t i = 0; i < n; i++) {
		size_t same = 0;
		for (size_t k = 0; k < n; k++)
			same += group[k]->count == group[i]->count;
		if (same > most) {
			most = same;
			head = group[i];
		}
	}
	return head;
}

static void loop_add(struct calltree *t, struct turn **group, size_t n)
{
	struct turn *head = group_head(group, n);
	struct loop_stats *l = loop_of(t, head->node);
	int64_t end = head->end;
	uint32_t last_line = head->last_line;
	for (size_t i = 0; i < n; i++) {
		t->nodes.at[group[i]->node].head = head->node;
		if (group[i]->end > end)
			end = group[i]->end;
		if (group[i]->last_line > last_line)
			last_line = group[i]->last_line;
	}
	stat_series_end_run(&l->in.steady);
	loop_pool_add(t->loops, &l->in.first, head->first_interval);
	stat_series_end_run(&l->in.first);
	if (!l->instances || head->count < l->min_turns)
		l->min_turns = head->count;
	if (head->count > l->max_turns)
		l->max_turns = head->count;
	if (!l->instances)
		l->first_line = head->first_line;
	l->last_line = last_line;
	l->instances++;
	l->turns += head->count;
	sat_sum(&l->in.total, end - head->start);
}

#define GROUP_MAX 64

/* The instance is over: children that were called often, at overlapping times, are one loop. */
static void loops_close(struct calltree *t, struct frame *f)
{
	struct turn *often[GROUP_MAX];
	size_t n = 0;
	for (struct turn *turn = f->turns; turn && n < GROUP_MAX; turn = turn->next) {
		if (turn->count >= LOOP_TURNS)
			often[n++] = turn;
	}
	if (!n)
		return;
	qsort(often, n, sizeof(often[0]), turn_order);
	size_t from = 0;
	int64_t end = often[0]->last;
	for (size_t i = 1; i <= n; i++) {
		if (i < n && often[i]->start <= end) {
			end = often[i]->last > end ? often[i]->last : end;
			continue;
		}
		loop_add(t, often + from, i - from);
		from = i;
		end = i < n ? often[i]->last : 0;
	}
}

/* Its own dearest loop, for the cost of an outer turn against the turns inside it. */
static void turn_note_inner(struct turn *turn, const struct frame *f)
{
	turn->inner_node = 0;
	turn->inner_count = 0;
	for (const struct turn *in = f->turns; in; in = in->next) {
		if (in->count > turn->inner_count) {
			turn->inner_node = in->node;
			turn->inner_count = in->count;
		}
	}
}

/* -- Frames ------------------------------------------------------------------------------- */

static void frame_pop(struct calltree *t, struct calltree_stack *s)
{
	struct frame *f = &s->frames.at[s->depth];
	loops_close(t, f);
	if (s->depth) {
		struct turn *turn = turn_find(t, &s->frames.at[s->depth - 1], f->node);
		if (turn) {
			turn->end = s->clock;
			turn->last_line = s->last_line;
			turn_note_inner(turn, f);
		}
		struct calltree_node *n = &t->nodes.at[f->node];
		sat_sum(&n->total, s->clock - f->start);
		n->last_line = s->last_line;
		s->depth--;
	}
	turns_free(t, f);
}

static bool frame_push(struct calltree *t, struct calltree_stack *s, uint32_t symbol,
		       const struct event *e)
{
	vec_reserve(&s->frames, s->depth + 2);
	struct frame *above = &s->frames.at[s->depth];
	uint32_t node =
		s->depth + 1 < CALLTREE_DEPTH ? node_of(t, above->node, symbol, s->context) : 0;
	if (!node) {
		t->left_out++;
		return false;
	}
	above->proven = true;
	turn_start(t, above, node, s->clock, e);
	s->frames.at[++s->depth] =
		(struct frame){ .number = ++t->frames, .node = node, .start = s->clock };
	struct calltree_node *n = &t->nodes.at[node];
	if (!n->first_line)
		n->first_line = e->line;
	return true;
}

/* Makes the caller the top of the stack. */
static void stack_return_to(struct calltree *t, struct calltree_stack *s, uint32_t caller,
			    const struct event *e)
{
	for (uint32_t i = s->depth; i; i--) {
		if (t->nodes.at[s->frames.at[i].node].symbol != caller)
			continue;
		while (s->depth > i)
			frame_pop(t, s);
		return;
	}
	/* Not there: below the deepest proven caller. A lock wrapper calls nothing but locks. */
	while (s->depth) {
		const struct frame *top = &s->frames.at[s->depth];
		bool lock =
			symbols_classes(t->symbols, t->nodes.at[top->node].symbol) & SYMBOL_LOCK;
		if (top->proven && !lock)
			break;
		frame_pop(t, s);
	}
	if (frame_push(t, s, caller, e))
		s->frames.at[s->depth].proven = true;
}

/* Another task may not run again for long: its stack keeps no more room than it has calls. */
static void stack_leave(struct calltree_stack *s)
{
	if (s && s->frames.room > 2 * (s->depth + 2)) {
		s->frames.room = s->depth + 2;
		s->frames.at = mem_resize(s->frames.at, s->frames.room, sizeof(*s->frames.at));
	}
}

/* A pid change changes the stack; interrupts have one each. */
static struct calltree_stack *stack_of(struct calltree *t, const struct span *s)
{
	int32_t pid = s->context == CONTEXT_TASK
			      ? names_task_of(t->symbols->names, s->event.task).pid
			      : 0;
	struct calltree_stack *recent = t->recent;
	if (recent && recent->context == s->context && recent->pid == pid)
		return recent;
	stack_leave(recent);
	for (size_t i = 0; i < t->n_stacks; i++) {
		struct calltree_stack *old = t->stacks[i];
		if (old->context == s->context && old->pid == pid)
			return t->recent = old;
	}
	if (t->n_stacks == CALLTREE_STACKS)
		return NULL;
	if (!t->stacks)
		t->stacks = mem_array(CALLTREE_STACKS, sizeof(*t->stacks));
	struct calltree_stack *new = t->stacks[t->n_stacks++] = mem_alloc(sizeof(*new));
	new->context = s->context;
	new->pid = pid;
	vec_push(&new->frames,
		 ((struct frame){ .number = ++t->frames, .node = 1 + (uint32_t)s->context }));
	return t->recent = new;
}

static void node_entry(struct calltree *t, struct calltree_stack *s, const struct span *span)
{
	struct calltree_node *n = &t->nodes.at[s->frames.at[s->depth].node];
	n->synthetic = false;
	if (!n->calls++) {
		n->first_self = span->dur;
		n->next = span->next;
	} else if (n->next != span->next && span->next) {
		n->next = 0;
	}
	sat_sum(&n->self, span->dur);
}

static void calltree_span(struct span_listener *l, const struct span *span)
{
	struct calltree *t = (struct calltree *)l;
	struct calltree_stack *s = stack_of(t, span);
	if (!s) {
		t->left_out++;
		return;
	}
	uint32_t caller = span->caller.id;
	bool graph = event_is_graph(&span->event);
	bool call = graph || event_kind(&span->event) == EVENT_FUNCTION;
	if (call && caller && caller != span->what.id)
		stack_return_to(t, s, caller, &span->event);
	while (graph && !caller && span->kind == SPAN_FUNCTION && s->depth)
		frame_pop(t, s); /* the outermost call that the graph shows */
	if (span->kind == SPAN_FUNCTION && frame_push(t, s, span->what.id, &span->event))
		node_entry(t, s, span);
	s->last_line = span->event.line;
	sat_sum(&s->clock, span->dur);
}

void calltree_close(struct calltree *t)
{
	for (size_t i = 0; i < t->n_stacks; i++) {
		struct calltree_stack *s = t->stacks[i];
		while (s->depth)
			frame_pop(t, s);
		frame_pop(t, s);
	}
}

void calltree_init(struct calltree *t, struct symbols *symbols, struct loop_pool *loops)
{
	*t = (struct calltree){
		.listener = { calltree_span },
		.symbols = symbols,
		.loops = loops,
	};
	vec_push(&t->nodes, ((struct calltree_node){ 0 }));
	for (int c = 0; c < CONTEXT_COUNT; c++)
		vec_push(&t->nodes, ((struct calltree_node){ .context = (enum context)c }));
}

void calltree_fini(struct calltree *t)
{
	vec_fini(&t->nodes);
	arena_fini(&t->turns);
	for (size_t i = 0; i < t->n_stacks; i++) {
		vec_fini(&t->stacks[i]->frames);
		free(t->stacks[i]);
	}
	free(t->stacks);
	call_paths_fini(&t->paths);
}
