/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/section_story.h"

#include <stdlib.h>

/* A CPU as the notes before now show it. */
struct replay_cpu {
	bool seen;
	uint16_t cpu;
	int64_t since; /* of the last note */
	struct sect_note last;
	int32_t pid, prio; /* of whom a switch brought in last */
	uint32_t handler[SECT_NESTING];
	enum context context[SECT_NESTING];
	unsigned n_handlers;
};

/* Where it began, where it moved, where it ended. */
#define REPLAY_CPUS (SECT_MOVES + 2)

struct replay {
	const struct sections *s;
	const struct sect_span *x;
	struct story *story;
	struct replay_cpu cpu[REPLAY_CPUS]; /* those that the section was on, some twice */
	uint16_t at;                        /* the CPU that it is on now, */
	int64_t at_since;                   /* and since when */
	int64_t placed;                     /* when it came to that CPU, as far as is recorded */
	uint32_t moved;                     /* of the section's moves, those that are over */
	bool resched;
};

static bool part_joins(const struct story_part *a, const struct story_part *b)
{
	return a->kind == b->kind && a->cpu == b->cpu && a->pid == b->pid &&
	       a->context == b->context && a->name == b->name && a->state == b->state;
}

/* Of a task that ran: it may have been raised meanwhile (sched_setscheduler, a lock with priority
 * inheritance), and what counts is the most urgent that it was. */
static int32_t prio_raised(int32_t in, int32_t out)
{
	if (in == SECT_NO_PRIO || out == SECT_NO_PRIO)
		return in == SECT_NO_PRIO ? out : in;
	return out < in ? out : in;
}

static void part_merge(struct story_part *into, const struct story_part *p)
{
	into->entries += p->entries;
	into->irqs_off += p->irqs_off;
	into->preempt_off += p->preempt_off;
	into->last_line = p->last_line ? p->last_line : into->last_line;
	into->prio = prio_raised(into->prio, p->prio);
}

static void part_add(struct story *story, const struct story_part *p)
{
	struct story_part *last = story->parts.n ? vec_last(&story->parts) : NULL;
	if (last && last->end == p->start && part_joins(last, p)) {
		last->end = p->end;
		part_merge(last, p);
	} else if (p->end > p->start) {
		vec_push(&story->parts, *p);
	}
}

/* -- A CPU's story ----------------------------------------------------------------------------- */

static bool is_entry_point(const struct sect_note *n)
{
	return n->point == POINT_IRQ_ENTRY || n->point == POINT_SOFTIRQ_ENTRY;
}

static bool is_exit_point(const struct sect_note *n)
{
	return n->point == POINT_IRQ_EXIT || n->point == POINT_SOFTIRQ_EXIT;
}

static int32_t prio_of(const struct replay *r, const struct replay_cpu *c, int32_t pid)
{
	if (c->pid == pid && c->prio != SECT_NO_PRIO)
		return c->prio;
	const struct sect_task *t = sections_find_task(r->s, pid);
	return t ? t->prio : SECT_NO_PRIO;
}

/* What ran from the note before to this one: the task that this one names, or a handler. */
static struct story_part part_until(const struct replay *r, const struct replay_cpu *c,
				    const struct sect_note *n)
{
	struct story_part p = {
		.kind = PART_RUNS,
		.start = c->seen && c->since > r->at_since ? c->since : r->at_since,
		.end = n->time,
		.cpu = c->cpu,
		.task = n->task,
		.pid = n->pid,
		.prio = prio_of(r, c, n->pid),
		.first_line = c->seen ? c->last.line : n->line,
		.last_line = n->line,
	};
	if (n->point == POINT_SWITCH)
		p.prio = prio_raised(p.prio, n->prev_prio);
	if (c->n_handlers) {
		p.context = c->context[c->n_handlers - 1];
		p.name = c->handler[c->n_handlers - 1];
	} else if (is_exit_point(n)) { /* its entry was before what is remembered */
		p.context = n->point == POINT_IRQ_EXIT ? CONTEXT_HARDIRQ : CONTEXT_SOFTIRQ;
		p.name = n->name;
	} else if (!is_entry_point(n) && c->seen && !is_exit_point(&c->last) &&
		   c->last.entries > 1) {
		/* Functions one after the other. Two events alone that were in a softirq each say
		 * nothing of the time between them. */
		enum context a = c->last.context, b = n->context;
		p.context = a < b ? a : b;
	}
	if (c->seen && c->since >= r->x->start) {
		p.entries = c->last.entries;
		p.irqs_off = c->last.irqs_off;
		p.preempt_off = c->last.preempt_off;
	}
	return p;
}

static void replay_handlers(struct replay_cpu *c, const struct sect_note *n)
{
	if (is_entry_point(n) && c->n_handlers < SECT_NESTING) {
		c->handler[c->n_handlers] = n->name;
		c->context[c->n_handlers++] =
			n->point == POINT_IRQ_ENTRY ? CONTEXT_HARDIRQ : CONTEXT_SOFTIRQ;
	}
	if (is_exit_point(n) && c->n_handlers)
		c->n_handlers--;
}

static struct replay_cpu *replay_cpu(struct replay *r, uint16_t cpu)
{
	for (int i = 0; i < REPLAY_CPUS; i++) {
		if (r->cpu[i].cpu == cpu)
			return &r->cpu[i];
	}
	return NULL;
}

static void moment_add(struct replay *r, enum moment_kind kind, const struct sect_note *n)
{
	vec_push(&r->story->moments,
		 ((struct story_moment){
			 .kind = kind,
			 .time = n->time,
			 .line = n->line,
			 .by = n->task,
			 .by_pid = n->pid,
			 .cpu = kind == MOMENT_MIGRATED ? (uint16_t)n->next_cpu : n->cpu,
		 }));
}

/* The task goes to another CPU while it waits: from here on that CPU is the one to look at. */
static void replay_migration(struct replay *r, const struct sect_note *n)
{
	if (n->point != POINT_MIGRATE || n->next_pid != r->x->pid || n->time < r->x->start ||
	    n->next_cpu < 0 || n->next_cpu == r->at)
		return;
	r->at = (uint16_t)n->next_cpu;
	r->at_since = r->placed = n->time;
	struct replay_cpu *c = replay_cpu(r, r->at);
	if (c && c->seen)
		c->since = n->time; /* what it did before concerns nobody */
	moment_add(r, MOMENT_MIGRATED, n);
}

/* Moves of which the notes are forgotten. */
static void replay_moves(struct replay *r, int64_t until)
{
	const struct sect_span *x = r->x;
	for (; r->moved < x->migrations && r->moved < SECT_MOVES; r->moved++) {
		const struct sect_move *m = &x->moves[r->moved];
		if (m->time >= until)
			return;
		r->at = m->cpu;
		r->placed = m->time;
		r->at_since = m->time > r->at_since ? m->time : r->at_since;
	}
}

static void cpu_note(struct replay *r, const struct sect_note *n)
{
	struct replay_cpu *c = replay_cpu(r, n->cpu);
	replay_moves(r, n->time);
	replay_migration(r, n);
	if (!c)
		return;
	if (n->time > r->x->start && n->cpu == r->at) {
		struct story_part p = part_until(r, c, n);
		part_add(r->story, &p);
		if (n->resched && !r->resched && r->x->sect <= SECT_RUNQ) {
			r->resched = true;
			moment_add(r, MOMENT_RESCHED, n);
		}
	}
	replay_handlers(c, n);
	if (n->point == POINT_SWITCH) {
		c->pid = n->next_pid;
		c->prio = n->next_prio;
	}
	c->seen = true;
	c->since = n->time;
	c->last = *n;
}

/* -- A task's story ---------------------------------------------------------------------------- */

static void task_note(struct replay *r, struct story_part *now, const struct sect_note *n)
{
	int32_t pid = r->x->pid;
	if (n->time < r->x->start)
		return;
	struct story_part next = *now;
	next.start = n->time;
	next.first_line = next.last_line = n->line;
	if (n->point == POINT_SWITCH && n->pid == pid) {
		next.kind = n->state == 'R' ? PART_QUEUED : PART_ASLEEP;
		next.state = next.kind == PART_ASLEEP ? n->state : 0;
	} else if (n->point == POINT_SWITCH && n->next_pid == pid) {
		next.kind = PART_RUNS;
		next.cpu = n->cpu;
		next.state = 0;
	} else if ((n->point == POINT_WAKING || n->point == POINT_WAKEUP) && n->next_pid == pid &&
		   now->kind == PART_ASLEEP) {
		next.kind = PART_QUEUED;
		next.state = 0;
		moment_add(r, MOMENT_WOKEN, n);
	} else {
		return;
	}
	now->end = n->time;
	now->last_line = n->line;
	part_add(r->story, now);
	*now = next;
}

/* -- Both -------------------------------------------------------------------------------------- */

/* The events behind this one were not kept. */
static void replay_gap(struct replay *r, const struct sect_worst *w, size_t i)
{
	const struct story *story = r->story;
	struct story_part p = {
		.kind = PART_UNKNOWN,
		.start = story->parts.n ? vec_last(&story->parts)->end : r->x->start,
		.end = w->notes.at[i].time,
	};
	part_add(r->story, &p);
	r->at_since = p.end > r->at_since ? p.end : r->at_since;
	for (int k = 0; k < REPLAY_CPUS; k++) {
		r->cpu[k].since = p.end;
		r->cpu[k].n_handlers = 0;
		r->cpu[k].last = (struct sect_note){ 0 };
	}
}

/* What it did then is not known, nor what it does after that until it is seen again. */
static void task_gap(struct replay *r, struct story_part *now, int64_t end)
{
	now->kind = PART_UNKNOWN;
	now->end = end;
	part_add(r->story, now);
	now->start = end;
}

static int moment_order(const void *a, const void *b)
{
	const struct story_moment *x = a, *y = b;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (int)x->kind - (int)y->kind;
}

/* The slice in which the gap begins, or else the first that is remembered of it. */
static const struct sect_slice *slice_at(const struct sect_worst *w, int32_t cpu,
					 const struct story_part *gap)
{
	const struct sect_slice *at = NULL;
	vec_each (s, &w->slices) {
		if (s->cpu == cpu && (s->start <= gap->start || (!at && s->start < gap->end)))
			at = s;
	}
	return at;
}

static void gap_keep(const struct story_part *gap, int64_t end, struct story *to)
{
	struct story_part p = *gap;
	p.end = end;
	part_add(to, &p);
}

/* Who ran in a time of which no notes were kept, as far back as is remembered; all on one CPU. */
static void gap_fill(const struct sect_worst *w, int32_t cpu, const struct story_part *gap,
		     struct story *to)
{
	const struct sect_slice *s = slice_at(w, cpu, gap);
	if (!s || s->start > gap->start)
		gap_keep(gap, s ? s->start : gap->end, to);
	const struct sect_slice *end = w->slices.at + w->slices.n;
	for (; s && s < end && s->cpu == cpu && s->start < gap->end; s++) {
		bool last = s + 1 == end || s[1].cpu != cpu || s[1].start > gap->end;
		struct story_part p = {
			.kind = PART_RUNS,
			.start = s->start > gap->start ? s->start : gap->start,
			.end = last ? gap->end : s[1].start,
			.cpu = (uint16_t)cpu,
			.task = s->task,
			.pid = s->pid,
			.prio = last ? s->prio : prio_raised(s->prio, s[1].prev_prio),
			.first_line = s->line,
			.last_line = last ? s->line : s[1].line,
		};
		part_add(to, &p);
	}
}

/* A gap goes in pieces, one for each CPU that the wait was on. */
static void gap_split(const struct sect_worst *w, const struct story_part *gap, struct story *to)
{
	const struct sect_span *x = &w->span;
	struct story_part piece = *gap;
	int32_t cpu = x->from_cpu;
	for (uint32_t i = 0; i < x->migrations && i < SECT_MOVES; i++) {
		piece.end = x->moves[i].time < gap->end ? x->moves[i].time : gap->end;
		if (piece.end > piece.start) {
			gap_fill(w, cpu, &piece, to);
			piece.start = piece.end;
		}
		cpu = x->moves[i].cpu;
	}
	piece.end = gap->end;
	if (piece.end <= piece.start)
		return;
	if (x->migrations > SECT_MOVES)
		gap_keep(&piece, piece.end, to);
	else
		gap_fill(w, cpu, &piece, to);
}

static void gaps_fill(const struct sect_worst *w, struct story *story)
{
	struct story filled = { 0 };
	vec_each (p, &story->parts) {
		if (p->kind == PART_UNKNOWN)
			gap_split(w, p, &filled);
		else
			vec_push(&filled.parts, *p);
	}
	vec_fini(&story->parts);
	story->parts = filled.parts;
}

/*
 * It was switched in on a CPU that nothing says it moved to (no sched_migrate_task): whether who
 * ran on the one before kept it waiting is not known either.
 */
static void replay_unseen_move(struct replay *r)
{
	const struct sect_span *x = r->x;
	struct story *story = r->story;
	replay_moves(r, x->end);
	if ((x->sect != SECT_WAKEUP && x->sect != SECT_RUNQ) || r->at == x->cpu)
		return;
	struct story_part p = {
		.kind = PART_MOVED,
		.start = r->placed,
		.end = x->end,
		.cpu = r->at,
		.to_cpu = x->cpu,
		.first_line = x->first_line,
		.last_line = x->last_line,
	};
	while (story->parts.n && vec_last(&story->parts)->start >= r->placed)
		story->parts.n--;
	part_add(story, &p);
	size_t kept = 0;
	vec_each (m, &story->moments) {
		if (m->kind != MOMENT_RESCHED || m->time < r->placed)
			story->moments.at[kept++] = *m;
	}
	story->moments.n = kept;
}

void story_build(const struct sections *s, const struct sect_worst *w, struct story *story)
{
	const struct sect_span *x = &w->span;
	struct replay r = {
		.s = s,
		.x = x,
		.story = story,
		.at = x->from_cpu,
		.at_since = x->start,
		.placed = x->start,
	};
	struct story_part task = { .kind = PART_RUNS,
				   .start = x->start,
				   .cpu = x->from_cpu,
				   .task = x->task,
				   .pid = x->pid,
				   .prio = x->prio,
				   .first_line = x->first_line };
	*story = (struct story){ 0 };
	r.cpu[0].cpu = x->from_cpu;
	for (int i = 1; i < REPLAY_CPUS; i++)
		r.cpu[i].cpu = (uint32_t)i <= x->migrations && i <= SECT_MOVES ? x->moves[i - 1].cpu
									       : x->cpu;
	for (size_t i = 0; i < w->notes.n; i++) {
		const struct sect_note *n = &w->notes.at[i];
		bool gap = w->omitted && i == w->head && i;
		if (gap && sect_is_of_task(x->sect))
			task_gap(&r, &task, w->notes.at[i].time);
		else if (gap)
			replay_gap(&r, w, i);
		if (sect_is_of_task(x->sect))
			task_note(&r, &task, n);
		else
			cpu_note(&r, n);
	}
	replay_unseen_move(&r);
	if (sect_is_of_task(x->sect)) {
		task.end = x->end;
		task.last_line = x->last_line;
		part_add(story, &task);
	}
	/* Between sched_waking and here it was placed, on another CPU perhaps: worth a line if long. */
	if (x->from_waking && x->wakeup != UNKNOWN &&
	    sat_sub(x->wakeup, x->start) > sat_sub(x->end, x->start) / 10)
		vec_push(&story->moments,
			 ((struct story_moment){ .kind = MOMENT_QUEUED, .time = x->wakeup }));
	vec_sort(&story->moments, moment_order);
	/* The first part of a section whose head is forgotten cannot be told. */
	if (w->beheaded && story->parts.n) {
		const struct story_part *first = &story->parts.at[0];
		story->parts.at[0] = (struct story_part){
			.kind = PART_UNKNOWN,
			.start = first->start,
			.end = first->end,
		};
	}
	if (w->slices.n)
		gaps_fill(w, story);
}

void story_fini(struct story *story)
{
	vec_fini(&story->parts);
	vec_fini(&story->moments);
}

void story_copy(struct story *to, const struct story *from)
{
	*to = (struct story){ 0 };
	vec_each (p, &from->parts)
		vec_push(&to->parts, *p);
	vec_each (m, &from->moments)
		vec_push(&to->moments, *m);
}

static int part_order(const void *a, const void *b)
{
	const struct story_part *x = a, *y = b;
	int64_t m = x->end - x->start, n = y->end - y->start;
	return (m < n) - (m > n);
}

void story_sum(struct story *story)
{
	size_t kept = 0;
	for (size_t i = 0; i < story->parts.n; i++) {
		const struct story_part p = story->parts.at[i];
		size_t k = 0;
		while (k < kept && !part_joins(&story->parts.at[k], &p))
			k++;
		if (k == kept) {
			story->parts.at[kept++] = p;
			continue;
		}
		story->parts.at[k].end += p.end - p.start;
		part_merge(&story->parts.at[k], &p);
	}
	story->parts.n = kept;
	vec_sort(&story->parts, part_order);
}
