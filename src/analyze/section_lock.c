/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waits for locks, out of contention_begin and contention_end (since v5.19, commit 16edd9b511a1,
 * "locking: Add lock contention tracepoints").
 *
 * A begin and the next end do not belong together as such. A wait for a lock that sleeps contains
 * waits for the spinlock inside it, and interrupts come in the midst of spinning: sleeping kinds
 * have a slot in their task, spinning ones a stack in their CPU, and an end finds its begin by
 * the address of the lock. A mutex begins anew each time it goes from spinning to sleeping or
 * back: such a begin is a change of mode, and splits the wait into both.
 */
#include "analyze/section_parts.h"

static bool is_spin(uint32_t flags)
{
	return flags & LOCK_WAIT_SPIN && !(flags & LOCK_WAIT_MUTEX);
}

/* The kind of lock: whether a mutex begins by spinning is no part of it. */
static uint32_t type_of(uint32_t flags)
{
	return flags & LOCK_WAIT_MUTEX ? flags & ~(uint32_t)LOCK_WAIT_SPIN : flags;
}

void sect_lock_tally(struct sections *s, const struct sect_span *x,
		     const struct tally_owner *before)
{
	lock_tally_wait(&s->tally, &(struct tally_wait){
					   .type = x->flags,
					   .name = x->name,
					   .site = x->site,
					   .lock = x->lock,
					   .ns = sat_sub(x->end, x->start),
					   .spin_ns = x->spin_ns,
					   .cpu = x->from_cpu,
					   .before = *before,
					   .failed = x->ret != 0,
					   .line = x->first_line,
				   });
}

/* -- Begin and end ----------------------------------------------------------------------------- */

static void mode_account(struct sect_lock *l, int64_t now)
{
	int64_t ns = sat_sub(now, l->mode_since);
	sat_sum(l->spinning ? &l->span.spin_ns : &l->span.sleep_ns, ns > 0 ? ns : 0);
	l->mode_since = now;
}

static void lock_open(struct sections *s, struct sect_lock *l, struct sect_cpu *c,
		      const struct event *e, const struct payload *p)
{
	uint32_t flags = (uint32_t)p->args.b;
	l->open = true;
	l->spinning = flags & LOCK_WAIT_SPIN;
	l->mode_since = e->time;
	l->span = sect_span_at(SECT_LOCK, c, e);
	l->span.lock = p->args.a;
	l->span.flags = type_of(flags);
	l->span.name = p->args.name;
	l->span.key = l->span.flags;
	l->loss = s->loss;
	l->before = lock_tally_owner(&s->tally, p->args.a);
	c->stack_of = &l->span.site;
	c->stack_skip = SYMBOL_LOCK | SYMBOL_SLEEPER | SYMBOL_TRACER;
}

static void lock_begin(struct sections *s, struct sect_cpu *c, const struct event *e,
		       const struct payload *p)
{
	if (is_spin((uint32_t)p->args.b)) {
		if (c->n_spins == SECT_SPINS) {
			s->lock_dropped++;
			sect_store_unknown(&s->store, &c->spins[--c->n_spins].span, SECT_AT_LOSS);
		}
		lock_open(s, &c->spins[c->n_spins++], c, e, p);
		return;
	}
	struct sect_task *t = sections_task(s, c->pid);
	if (!t)
		return;
	struct sect_lock *l = &t->lock;
	if (l->open && l->span.lock == p->args.a && l->loss == s->loss) {
		mode_account(l, e->time);
		l->spinning = p->args.b & LOCK_WAIT_SPIN;
		return;
	}
	if (l->open) {
		s->lock_open++;
		sect_store_unknown(&s->store, &l->span, SECT_AT_LOSS);
	}
	lock_open(s, l, c, e, p);
}

static void lock_close(struct sections *s, struct sect_lock *l, struct sect_cpu *c,
		       const struct event *e, const struct payload *p)
{
	l->open = false;
	if (l->loss != s->loss) {
		sect_store_unknown(&s->store, &l->span, SECT_AT_LOSS);
		return;
	}
	mode_account(l, e->time);
	l->span.cpu = c->cpu;
	l->span.ret = p->args.b;
	l->span.end = e->time;
	l->span.last_line = e->line;
	if (sect_store_add(&s->store, &l->span))
		sect_lock_tally(s, &l->span, &l->before);
	if (!p->args.b)
		lock_tally_got(&s->tally,
			       &(struct tally_got){ l->span.flags, l->span.name, l->span.site,
						    l->span.lock, c->cpu },
			       false);
}

static void lock_end(struct sections *s, struct sect_cpu *c, const struct event *e,
		     const struct payload *p)
{
	for (unsigned i = c->n_spins; i; i--) {
		if (c->spins[i - 1].span.lock != p->args.a)
			continue;
		while (c->n_spins > i) {
			s->lock_dropped++;
			sect_store_unknown(&s->store, &c->spins[--c->n_spins].span, SECT_AT_LOSS);
		}
		c->n_spins = i - 1;
		lock_close(s, &c->spins[i - 1], c, e, p);
		return;
	}
	struct sect_task *t = sections_task(s, c->pid);
	if (t && t->lock.open && t->lock.span.lock == p->args.a) {
		lock_close(s, &t->lock, c, e, p);
		return;
	}
	struct sect_span alone = sect_span_at(SECT_LOCK, c, e);
	s->lock_unmatched++;
	sect_store_unknown(&s->store, &alone, s->loss ? SECT_AT_LOSS : SECT_AT_BEGIN);
}

void sect_lock(struct sections *s, struct sect_cpu *c, const struct event *e,
	       const struct payload *p)
{
	if (s->lockdep_waits)
		return;
	s->lock_begins += p->point == POINT_LOCK_BEGIN;
	if (p->point == POINT_LOCK_BEGIN)
		lock_begin(s, c, e, p);
	else
		lock_end(s, c, e, p);
}

/* Spinning is done with preemption off: a switch shows that its end was missed. */
void sect_lock_switch(struct sections *s, struct sect_cpu *c)
{
	s->lock_open += c->n_spins;
	sect_lock_lost(s, c, SECT_AT_LOSS);
}

void sect_lock_lost(struct sections *s, struct sect_cpu *c, enum sect_lost why)
{
	while (c->n_spins)
		sect_store_unknown(&s->store, &c->spins[--c->n_spins].span, why);
}

void sect_lock_forget(struct sections *s)
{
	vec_each (c, &s->cpus) {
		if (*c)
			(*c)->n_spins = 0;
	}
	vec_each (t, &s->tasks)
		(*t)->lock.open = false;
}
