/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wake-ups and waits for a CPU.
 *
 * try_to_wake_up fires sched_waking in the waker, once the task's state matches, and sched_wakeup
 * when the task is on its run queue, which may be on another CPU and an IPI later (commit
 * fbd705a0c618, "sched: Introduce the 'trace_sched_waking' tracepoint", in v4.3). A wake-up is
 * timed from sched_waking where it is recorded, else from sched_wakeup, to the switch that brings
 * the task in. The last waking counts: an earlier one that led to no switch found a task that had
 * not slept.
 *
 * A task can be woken before it is off its CPU. When it then stays (ttwu_runnable), sched_wakeup
 * follows before its next switch, and it never waited. When it is on its way out, the switch says
 * that it sleeps and sched_wakeup comes later: it ran until the switch, and waits from there.
 *
 * A task that a switch takes off while its state is R was preempted or yielded, and waits for a
 * CPU until its next switch in.
 */
#include "analyze/section_parts.h"

/* Its end may have been missed, if it has not been met by now on this CPU. */
static void wait_check(const struct sections *s, struct sect_task *t, uint16_t cpu)
{
	const struct sect_cpu *at = t->span.cpu < s->cpus.n ? s->cpus.at[t->span.cpu] : NULL;
	bool lost_here = at && at->epoch != t->epoch;
	/* It went elsewhere, and no migration told so. */
	bool lost_anywhere = cpu != t->span.cpu && s->loss != t->loss;
	if (!t->doubted && (lost_here || lost_anywhere)) {
		t->doubted = true;
		t->doubt = SECT_AT_LOSS;
	}
}

/* Its wait is on that CPU now. A ring that has not begun may have forgotten its end. */
static void wait_place(struct sections *s, struct sect_task *t, uint16_t cpu)
{
	struct sect_cpu *at = sections_cpu(s, cpu);
	if (!t->doubted && !at->begun) {
		t->doubted = true;
		t->doubt = SECT_AT_BEGIN;
	}
	t->epoch = at->epoch;
	t->loss = s->loss;
	t->span.cpu = cpu;
}

/* On the run queue, as far as is known. */
static bool is_queued(struct sections *s, struct sect_task *t)
{
	if (t->wait != WAIT_RUNQ)
		return false;
	wait_check(s, t, t->span.cpu);
	return !t->doubted;
}

static void wait_begin(struct sections *s, struct sect_task *t, enum sect_wait wait,
		       struct sect_span span, uint16_t cpu)
{
	t->wait = wait;
	t->doubted = false;
	t->span = span;
	t->span.pid = t->pid;
	t->span.task = t->task;
	t->span.prio = t->prio;
	t->span.from_cpu = cpu;
	wait_place(s, t, cpu);
}

static void task_told(struct sect_task *t, const struct sched_side *side, uint32_t task)
{
	if (task)
		t->task = task;
	t->prio = side->prio;
}

static uint16_t wait_cpu(const struct sect_cpu *c, const struct payload *p)
{
	int32_t next = p->sched.next_cpu;
	return next >= 0 && next < SECT_CPUS_MAX ? (uint16_t)next : c->cpu;
}

/* A stack that follows tells who woke it. */
static void expect_stack(struct sect_cpu *c, struct sect_task *t)
{
	c->stack_of = &t->span.site;
	c->stack_skip = SYMBOL_LOCK | SYMBOL_TRACER | SYMBOL_WAKER;
}

/* NULL: none that begins to wait. */
static struct sect_task *task_woken(struct sections *s, const struct payload *p)
{
	struct sect_task *t = sections_task(s, p->sched.next.pid);
	if (!t)
		return NULL;
	task_told(t, &p->sched.next, p->sched.next_task);
	return is_queued(s, t) ? NULL : t; /* preempted on its way to sleep: it is queued already */
}

static void sched_waking(struct sections *s, struct sect_cpu *c, const struct event *e,
			 const struct payload *p)
{
	struct sect_task *t = task_woken(s, p);
	if (!t)
		return;
	bool runs = sect_task_runs(s, t);
	wait_begin(s, t, runs ? WAIT_ARMED : WAIT_WAKEUP, sect_span_at(SECT_WAKEUP, c, e),
		   wait_cpu(c, p));
	t->span.from_waking = true;
	expect_stack(c, t);
}

static void sched_wakeup(struct sections *s, struct sect_cpu *c, const struct event *e,
			 const struct payload *p)
{
	struct sect_task *t = task_woken(s, p);
	if (!t)
		return;
	if (sect_task_runs(s, t)) {
		t->wait = WAIT_NONE; /* it had not left: nothing to wait for */
		return;
	}
	bool first = t->wait == WAIT_WAKEUP && t->span.from_waking && t->span.wakeup == UNKNOWN;
	if (!first) {
		wait_begin(s, t, WAIT_WAKEUP, sect_span_at(SECT_WAKEUP, c, e), wait_cpu(c, p));
		expect_stack(c, t);
	} else if (wait_cpu(c, p) != t->span.cpu) {
		wait_check(s, t, t->span.cpu);
		wait_place(s, t, wait_cpu(c, p));
		t->span.from_cpu = t->span.cpu; /* placed there: no migration yet */
	}
	t->span.wakeup = e->time;
}

static void sched_migrate(struct sections *s, struct sect_cpu *c, const struct event *e,
			  const struct payload *p)
{
	struct sect_task *t = sections_task(s, p->sched.next.pid);
	if (!t)
		return;
	task_told(t, &p->sched.next, p->sched.next_task);
	uint16_t to = wait_cpu(c, p);
	if (t->wait == WAIT_NONE || to == t->span.cpu)
		return;
	/* Between waking and wakeup it is being placed; before, it is still where it was. */
	bool placing = t->span.from_waking && t->span.wakeup == UNKNOWN;
	wait_check(s, t, t->span.cpu);
	wait_place(s, t, to);
	if (!placing && t->span.migrations < SECT_MOVES)
		t->span.moves[t->span.migrations] = (struct sect_move){ e->time, to };
	t->span.migrations += !placing;
	if (placing)
		t->span.from_cpu = to;
}

/* Its wait has ended at a time that is not known (the recorder drops events that come while it
 * records another, and says nothing). */
static void wait_missed(struct sections *s, struct sect_task *t)
{
	if (t->wait == WAIT_WAKEUP || t->wait == WAIT_RUNQ)
		sect_store_unknown(&s->store, &t->span, t->doubted ? t->doubt : SECT_AT_LOSS);
}

void sect_sched_runs(struct sections *s, struct sect_task *t)
{
	wait_missed(s, t);
	t->wait = WAIT_NONE;
	t->scheduled = true; /* what it waits for next is not what was under way at the beginning */
}

static void switch_out(struct sections *s, struct sect_cpu *c, const struct event *e,
		       const struct payload *p)
{
	const struct sched_side *prev = &p->sched.prev;
	struct sect_task *t = sections_task(s, prev->pid);
	if (!t)
		return;
	task_told(t, prev, p->sched.prev_task ? p->sched.prev_task : e->task);
	wait_missed(s, t);
	bool armed = t->wait == WAIT_ARMED;
	t->wait = WAIT_NONE;
	t->scheduled = true;
	t->cpu = -1;
	t->dead = prev->state == 'X' || prev->state == 'Z' || prev->state == 'x';
	if (prev->state == 'R') {
		wait_begin(s, t, WAIT_RUNQ, sect_span_at(SECT_RUNQ, c, e), c->cpu);
		t->span.by = p->sched.next_task;
	} else if (armed) {
		t->wait = WAIT_WAKEUP;
		t->span.start = e->time;
		t->span.first_line = e->line;
		wait_place(s, t, t->span.cpu);
		/* Without sched_wakeup events, one that came too early looks the same, and the
		 * true one may be on a CPU that is missing. */
		if (s->absent && !s->points[POINT_WAKEUP] && !t->doubted) {
			t->doubted = true;
			t->doubt = SECT_AT_LOSS;
		}
	}
}

static void switch_in(struct sections *s, struct sect_cpu *c, const struct event *e,
		      const struct payload *p)
{
	struct sect_task *t = sections_task(s, p->sched.next.pid);
	if (!t)
		return;
	if (p->sched.next_task)
		t->task = p->sched.next_task;
	if (t->wait == WAIT_WAKEUP || t->wait == WAIT_RUNQ) {
		struct sect_span *x = &t->span;
		wait_check(s, t, c->cpu);
		x->prio = t->prio != SECT_NO_PRIO ? t->prio : p->sched.next.prio;
		x->cpu = c->cpu;
		x->task = t->task;
		if (t->doubted)
			sect_store_unknown(&s->store, x, t->doubt);
		else
			sect_span_end(s, x, e);
	} else if (!t->scheduled) {
		struct sect_span alone = sect_span_at(SECT_WAKEUP, c, e);
		alone.task = t->task;
		alone.pid = t->pid;
		sect_store_unknown(&s->store, &alone, SECT_AT_BEGIN);
	}
	t->prio = p->sched.next.prio;
	t->wait = WAIT_NONE;
	t->scheduled = true;
	t->cpu = c->cpu;
	t->dead = false;
}

void sect_sched(struct sections *s, struct sect_cpu *c, const struct event *e,
		const struct payload *p, enum point point)
{
	switch (point) {
	case POINT_WAKING:
		sched_waking(s, c, e, p);
		break;
	case POINT_WAKEUP:
		sched_wakeup(s, c, e, p);
		break;
	case POINT_MIGRATE:
		sched_migrate(s, c, e, p);
		break;
	default:
		sect_lock_switch(s, c);
		sect_slice_add(&s->store, &(struct sect_slice){
						  .start = e->time,
						  .task = p->sched.next_task,
						  .line = e->line,
						  .pid = p->sched.next.pid,
						  .prio = p->sched.next.prio,
						  .prev_prio = p->sched.prev.prio,
						  .cpu = c->cpu,
					  });
		switch_out(s, c, e, p);
		switch_in(s, c, e, p);
		c->leaving = p->sched.prev.pid;
		c->pid = p->sched.next.pid;
		sect_off_switch(c, c->pid);
		c->task = p->sched.next_task;
		c->known = true;
	}
}

void sect_tasks_end(struct sections *s)
{
	vec_each (at, &s->tasks) {
		struct sect_task *t = *at;
		if (t->wait == WAIT_WAKEUP || t->wait == WAIT_RUNQ)
			sect_store_unknown(&s->store, &t->span, SECT_AT_END);
		if (t->lock.open)
			sect_store_unknown(&s->store, &t->lock.span, SECT_AT_END);
		if (t->call_open)
			sect_store_unknown(&s->store, &t->call, SECT_AT_END);
	}
}
