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

#include <stdlib.h>

static bool is_spin(uint32_t flags)
{
	return flags & LOCK_WAIT_SPIN && !(flags & LOCK_WAIT_MUTEX);
}

/* The kind of lock: whether a mutex begins by spinning is no part of it. */
static uint32_t type_of(uint32_t flags)
{
	return flags & LOCK_WAIT_MUTEX ? flags & ~(uint32_t)LOCK_WAIT_SPIN : flags;
}

/* -- By lock ----------------------------------------------------------------------------------- */

static uint32_t row_hash(int64_t lock, uint32_t flags, uint32_t site)
{
	uint64_t h = ((uint64_t)lock ^ (uint64_t)flags << 56 ^ site) * 0x9e3779b97f4a7c15ull;
	return (uint32_t)(h >> 32);
}

static void rows_rehash(struct sections *s, uint32_t slots)
{
	free(s->lock_slots);
	s->lock_slots = mem_array(slots, sizeof(*s->lock_slots));
	s->lock_mask = slots - 1;
	for (uint32_t id = 0; id < s->locks.n; id++) {
		const struct sect_lock_row *r = &s->locks.at[id];
		uint32_t i = row_hash(r->lock, r->flags, r->site) & s->lock_mask;
		while (s->lock_slots[i])
			i = (i + 1) & s->lock_mask;
		s->lock_slots[i] = id + 1;
	}
}

static struct sect_lock_row *row_of(struct sections *s, const struct sect_span *x)
{
	if (!s->lock_slots || s->locks.n * 2 >= s->lock_mask)
		rows_rehash(s, s->lock_slots ? (s->lock_mask + 1) * 2 : 256);
	uint32_t i = row_hash(x->lock, x->flags, x->site) & s->lock_mask;
	for (; s->lock_slots[i]; i = (i + 1) & s->lock_mask) {
		struct sect_lock_row *r = &s->locks.at[s->lock_slots[i] - 1];
		if (r->lock == x->lock && r->flags == x->flags && r->site == x->site)
			return r;
	}
	if (s->locks.n >= SECT_LOCKS_MAX) {
		s->locks_left_out++;
		return NULL;
	}
	vec_push(&s->locks, ((struct sect_lock_row){
				    .lock = x->lock,
				    .flags = x->flags,
				    .site = x->site,
				    .min = INT64_MAX,
				    .max = -1,
			    }));
	s->lock_slots[i] = (uint32_t)s->locks.n;
	return vec_last(&s->locks);
}

static void row_add(struct sections *s, const struct sect_span *x)
{
	struct sect_lock_row *r = row_of(s, x);
	if (!r)
		return;
	int64_t ns = sat_sub(x->end, x->start);
	r->waits++;
	r->failed += x->ret != 0;
	sat_sum(&r->total, ns);
	sat_sum(&r->spin, x->spin_ns);
	sat_sum(&r->sleep, x->sleep_ns);
	if (ns < r->min)
		r->min = ns;
	if (ns > r->max) {
		r->max = ns;
		r->max_task = x->task;
		r->max_line = x->first_line;
	}
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
	l->span.key = l->span.flags;
	l->loss = s->loss;
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
		s->lock_spins++;
		return;
	}
	struct sect_task *t = sections_task(s, c->pid);
	if (!t)
		return;
	struct sect_lock *l = &t->lock;
	if (l->open && l->span.lock == p->args.a && l->loss == s->loss) {
		mode_account(l, e->time);
		l->spinning = p->args.b & LOCK_WAIT_SPIN;
		s->lock_modes++;
		return;
	}
	if (l->open) {
		s->lock_open++;
		sect_store_unknown(&s->store, &l->span, SECT_AT_LOSS);
	}
	lock_open(s, l, c, e, p);
	s->lock_sleeps++;
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
	if (!sect_store_add(&s->store, &l->span))
		return;
	s->store.failed += p->args.b != 0;
	row_add(s, &l->span);
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
