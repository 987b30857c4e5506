/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Acquisitions, waits and holds of locks, out of lockdep's events (CONFIG_LOCKDEP; include/trace/
 * events/lock.h). What is counted when is what lock_stat does (kernel/locking/lockdep.c):
 *
 *   lock_acquire    before a lock is taken, behind a trylock that succeeded: the hold begins
 *   lock_contended  the first attempt failed: a wait begins
 *   lock_acquired   it is taken, waited for or not: the wait ends, the hold begins anew; an
 *                   acquisition from another CPU than the one before is a bounce
 *   lock_release    the hold ends, and counts as an acquisition
 *
 * A trylock has no lock_acquired, so neither bounces nor tells where the lock is. A release while
 * a wait is open ends a wait that failed. A task holds several locks at once, and interrupts add
 * theirs to those of the task that they interrupt: each task has a list, the idle tasks one for
 * each CPU, in which a lock is found by its address, the newest first.
 */
#include "analyze/lock_class.h"
#include "analyze/section_parts.h"

#define HOLDS_MAX 64 /* lockdep itself gives up at 48 (MAX_LOCK_DEPTH) */

/*
 * Who has it is the task that the event names: between sched_switch and the switch itself, the
 * run queue's lock is released by the task that goes.
 */
static int32_t pid_of(const struct sections *s, const struct sect_cpu *c, const struct event *e)
{
	return s->group_ids ? c->pid : names_task_of(s->names, e->task).pid;
}

static struct sect_holds *holds_of(struct sections *s, struct sect_cpu *c, const struct event *e)
{
	int32_t pid = pid_of(s, c, e);
	if (pid <= 0)
		return &c->holds;
	struct sect_task *t = sections_task(s, pid);
	return t ? &t->holds : NULL;
}

static struct sect_held *held_find(const struct sect_holds *holds, int64_t lock)
{
	for (size_t i = holds->n; i; i--) {
		if (holds->at[i - 1].lock == lock)
			return &holds->at[i - 1];
	}
	return NULL;
}

static void held_remove(struct sect_holds *holds, struct sect_held *h)
{
	size_t behind = (size_t)(holds->at + holds->n - h) - 1;
	memmove(h, h + 1, behind * sizeof(*h));
	holds->n--;
}

/* The oldest goes when the list is full: its release was not seen. */
static struct sect_held *held_add(const struct sections *s, struct sect_holds *holds,
				  const struct payload *p)
{
	if (holds->n == HOLDS_MAX)
		held_remove(holds, holds->at);
	vec_push(holds, ((struct sect_held){
				.lock = p->args.a,
				.since = UNKNOWN,
				.wait_since = UNKNOWN,
				.name = p->args.name,
				.loss = s->loss,
			}));
	return vec_last(holds);
}

/* What was told before events were lost may have ended since. */
static struct sect_held *held_of(struct sections *s, struct sect_holds *holds,
				 const struct payload *p)
{
	struct sect_held *h = held_find(holds, p->args.a);
	if (h && h->loss == s->loss)
		return h;
	if (h)
		held_remove(holds, h);
	return held_add(s, holds, p);
}

static uint32_t type_of(const struct sect_held *h)
{
	return LOCK_WAIT_LOCKDEP | (h->read ? LOCK_WAIT_READ : 0u);
}

/* rcu_read_lock and the like are acquired and held, and are no locks. */
static bool is_map(struct sections *s, uint32_t name)
{
	enum { LOCK = 1, MAP };
	while (s->lock_maps.n <= name)
		vec_push(&s->lock_maps, 0);
	uint8_t *known = &s->lock_maps.at[name];
	if (!*known)
		*known = lock_name_is_map(names_str(s->names, name)) ? MAP : LOCK;
	return *known == MAP;
}

/* A wait or a hold that ends here, or whose length is not known. */
static struct sect_span span_of(const struct sections *s, enum sect sect, const struct sect_cpu *c,
				const struct event *e, const struct sect_held *h)
{
	struct sect_span x = sect_span_at(sect, c, e);
	int64_t start = sect == SECT_LOCK ? h->wait_since : h->since;
	x.pid = pid_of(s, c, e);
	x.end = e->time;
	x.lock = h->lock;
	x.name = h->name;
	x.flags = type_of(h);
	x.site = h->site;
	if (start != UNKNOWN) {
		x.start = start;
		x.first_line = sect == SECT_LOCK ? h->wait_line : h->line;
	}
	if (sect == SECT_LOCK) {
		x.key = SECT_LOCK_NAMED | h->name;
		x.from_cpu = h->cpu;
	}
	return x;
}

/* -- The four events --------------------------------------------------------------------------- */

static void acquire(struct sections *s, struct sect_holds *holds, const struct event *e,
		    const struct payload *p)
{
	struct sect_held *h = held_add(s, holds, p);
	h->since = e->time;
	h->line = e->line;
	h->read = p->args.b != UNKNOWN && p->args.b & 2;
}

static void contended(struct sections *s, struct sect_cpu *c, struct sect_holds *holds,
		      const struct event *e, const struct payload *p)
{
	struct sect_held *h = held_of(s, holds, p);
	h->wait_since = e->time;
	h->wait_line = e->line;
	h->cpu = c->cpu;
	h->before = lock_tally_owner(&s->tally, h->lock);
	c->stack_holds = holds;
	c->stack_lock = h->lock;
	c->stack_skip = SYMBOL_LOCK | SYMBOL_SLEEPER | SYMBOL_TRACER;
	s->lock_begins++;
}

/* lock_stat does not count a wait that took no time, nor one that failed. */
static void wait_end(struct sections *s, struct sect_cpu *c, const struct event *e,
		     struct sect_held *h, bool failed)
{
	struct sect_span x = span_of(s, SECT_LOCK, c, e, h);
	x.ret = failed;
	h->wait_since = UNKNOWN;
	if (!sect_store_add(&s->store, &x))
		return;
	if (failed || x.end > x.start)
		sect_lock_tally(s, &x, &h->before);
}

static void acquired(struct sections *s, struct sect_cpu *c, struct sect_holds *holds,
		     const struct event *e, const struct payload *p)
{
	struct sect_held *h = held_of(s, holds, p);
	bool waited = h->wait_since != UNKNOWN;
	if (waited)
		wait_end(s, c, e, h, false);
	if (waited || h->since == UNKNOWN) {
		h->since = e->time;
		h->line = e->line;
	}
	lock_tally_got(&s->tally,
		       &(struct tally_got){ type_of(h), h->name, h->site, h->lock, c->cpu }, true);
}

static void release(struct sections *s, struct sect_cpu *c, struct sect_holds *holds,
		    const struct event *e, const struct payload *p)
{
	struct sect_held *h = held_find(holds, p->args.a);
	bool lost = h && h->loss != s->loss;
	if (!h || lost || h->since == UNKNOWN) {
		struct sect_span alone = sect_span_at(SECT_LOCK_HOLD, c, e);
		if (!is_map(s, p->args.name))
			sect_store_unknown(&s->store, &alone,
					   s->loss ? SECT_AT_LOSS : SECT_AT_BEGIN);
	} else if (h->wait_since != UNKNOWN) {
		wait_end(s, c, e, h, true);
	} else {
		struct sect_span x = span_of(s, SECT_LOCK_HOLD, c, e, h);
		if (is_map(s, h->name) || sect_store_add(&s->store, &x))
			lock_tally_hold(&s->tally, x.flags, x.name, x.lock,
					sat_sub(x.end, x.start));
	}
	if (h)
		held_remove(holds, h);
}

void sect_lockdep(struct sections *s, struct sect_cpu *c, const struct event *e,
		  const struct payload *p)
{
	struct sect_holds *holds = holds_of(s, c, e);
	bool waits = p->point == POINT_LOCK_CONTENDED || p->point == POINT_LOCK_ACQUIRED;
	if (waits && !s->lockdep_waits) {
		s->lockdep_waits = true;
		sect_lock_forget(s);
	}
	if (!holds)
		return;
	switch (p->point) {
	case POINT_LOCK_ACQUIRE:
		acquire(s, holds, e, p);
		break;
	case POINT_LOCK_CONTENDED:
		contended(s, c, holds, e, p);
		break;
	case POINT_LOCK_ACQUIRED:
		acquired(s, c, holds, e, p);
		break;
	default:
		release(s, c, holds, e, p);
	}
}

void sect_lockdep_site(struct sect_cpu *c, uint32_t site)
{
	struct sect_held *h = held_find(c->stack_holds, c->stack_lock);
	if (h)
		h->site = site;
}

static void holds_end(struct sections *s, const struct sect_holds *holds, int32_t pid)
{
	vec_each (h, holds) {
		struct sect_span x = { .sect = SECT_LOCK_HOLD, .pid = pid, .start = h->since };
		bool waits = h->wait_since != UNKNOWN, lost = h->loss != s->loss;
		if (waits) {
			x.sect = SECT_LOCK;
			x.start = h->wait_since;
		}
		if (x.start != UNKNOWN && (waits || !is_map(s, h->name)))
			sect_store_unknown(&s->store, &x, lost ? SECT_AT_LOSS : SECT_AT_END);
	}
}

void sect_lockdep_end(struct sections *s)
{
	vec_each (c, &s->cpus) {
		if (*c)
			holds_end(s, &(*c)->holds, 0);
	}
	vec_each (t, &s->tasks)
		holds_end(s, &(*t)->holds, (*t)->pid);
}
