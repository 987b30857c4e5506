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

struct replay {
	const struct sections *s;
	const struct sect_span *x;
	struct story *story;
	struct replay_cpu cpu[2]; /* where the section began and where it ended */
	uint16_t at;              /* the CPU that it is on now */
	bool resched;
};

static bool part_joins(const struct story_part *a, const struct story_part *b)
{
	return a->kind == b->kind && a->cpu == b->cpu && a->pid == b->pid &&
	       a->context == b->context && a->name == b->name && a->state == b->state;
}

static void part_merge(struct story_part *into, const struct story_part *p)
{
	into->entries += p->entries;
	into->irqs_off += p->irqs_off;
	into->preempt_off += p->preempt_off;
	into->last_line = p->last_line ? p->last_line : into->last_line;
	if (into->prio == SECT_NO_PRIO)
		into->prio = p->prio;
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
		.start = c->seen && c->since > r->x->start ? c->since : r->x->start,
		.end = n->time,
		.cpu = c->cpu,
		.task = n->task,
		.pid = n->pid,
		.prio = prio_of(r, c, n->pid),
		.first_line = c->seen ? c->last.line : n->line,
		.last_line = n->line,
	};
	if (c->n_handlers) {
		p.context = c->context[c->n_handlers - 1];
		p.name = c->handler[c->n_handlers - 1];
	} else if (is_exit_point(n)) { /* its entry was before what is remembered */
		p.context = n->point == POINT_IRQ_EXIT ? CONTEXT_HARDIRQ : CONTEXT_SOFTIRQ;
		p.name = n->name;
	} else if (!is_entry_point(n) && c->seen && !is_exit_point(&c->last)) {
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
	for (int i = 0; i < 2; i++) {
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
			 .context = n->context,
		 }));
}

/* The task goes to another CPU while it waits: from here on that CPU is the one to look at. */
static void replay_migration(struct replay *r, const struct sect_note *n)
{
	if (n->point != POINT_MIGRATE || n->next_pid != r->x->pid || n->time < r->x->start ||
	    n->next_cpu < 0 || n->next_cpu == r->at)
		return;
	r->at = (uint16_t)n->next_cpu;
	struct replay_cpu *c = replay_cpu(r, r->at);
	if (c && c->seen)
		c->since = n->time; /* what it did before concerns nobody */
	moment_add(r, MOMENT_MIGRATED, n);
}

static void cpu_note(struct replay *r, const struct sect_note *n)
{
	struct replay_cpu *c = replay_cpu(r, n->cpu);
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

static bool is_of_task(enum sect s)
{
	return s == SECT_LOCK || s == SECT_LOCK_HOLD || s == SECT_SYSCALL;
}

/* The events behind this one were not kept. */
static void replay_gap(struct replay *r, const struct sect_worst *w, size_t i)
{
	struct story_part p = {
		.kind = PART_UNKNOWN,
		.start = w->notes.at[i - 1].time,
		.end = w->notes.at[i].time,
	};
	part_add(r->story, &p);
	for (int k = 0; k < 2; k++) {
		r->cpu[k].since = p.end;
		r->cpu[k].n_handlers = 0;
		r->cpu[k].last = (struct sect_note){ 0 };
	}
}

static int moment_order(const void *a, const void *b)
{
	const struct story_moment *x = a, *y = b;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (int)x->kind - (int)y->kind;
}

void story_build(const struct sections *s, const struct sect_worst *w, struct story *story)
{
	const struct sect_span *x = &w->span;
	struct replay r = { .s = s, .x = x, .story = story, .at = x->from_cpu };
	struct story_part task = { .kind = PART_RUNS,
				   .start = x->start,
				   .cpu = x->from_cpu,
				   .task = x->task,
				   .pid = x->pid,
				   .prio = x->prio,
				   .first_line = x->first_line };
	*story = (struct story){ 0 };
	r.cpu[0].cpu = x->from_cpu;
	r.cpu[1].cpu = x->cpu;
	for (size_t i = 0; i < w->notes.n; i++) {
		const struct sect_note *n = &w->notes.at[i];
		if (w->omitted && i == w->head && i)
			replay_gap(&r, w, i);
		if (is_of_task(x->sect))
			task_note(&r, &task, n);
		else
			cpu_note(&r, n);
	}
	if (is_of_task(x->sect)) {
		task.end = x->end;
		task.last_line = x->last_line;
		part_add(story, &task);
	}
	/* Between sched_waking and here it was placed, on another CPU perhaps: worth a line if long. */
	if (x->from_waking && x->wakeup != UNKNOWN &&
	    sat_sub(x->wakeup, x->start) > sat_sub(x->end, x->start) / 10)
		vec_push(&story->moments,
			 ((struct story_moment){ .kind = MOMENT_QUEUED, .time = x->wakeup }));
	if (story->moments.n)
		qsort(story->moments.at, story->moments.n, sizeof(*story->moments.at),
		      moment_order);
	/* The first part of a section whose head is forgotten cannot be told. */
	if (w->beheaded && story->parts.n)
		story->parts.at[0].kind = PART_UNKNOWN;
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
	if (kept)
		qsort(story->parts.at, kept, sizeof(*story->parts.at), part_order);
}
