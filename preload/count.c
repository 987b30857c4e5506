/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/count.h"
#include "preload/stack.h"

/*
 * Of WIRE_HOLD_EVERY acquisitions one is timed on average. How many lie between two is drawn anew
 * each time, from 1 to twice as many, so that no period of the program is in step with it.
 */
HIDDEN __attribute__((noinline)) uint64_t count_turn(void)
{
	if (segment_config.hold == WIRE_HOLD_ALL) {
		self.turn = 0;
		return now();
	}
	if (segment_config.hold == WIRE_HOLD_NONE) {
		self.turn = segment_is_open() ? UINT32_MAX : 0; /* it is not known until then */
		return 0;
	}
	bool first = !self.draw;
	if (first)
		self.draw = (uint32_t)self_tid() | 1;
	self.draw = self.draw * UINT32_C(1664525) + UINT32_C(1013904223); /* Numerical Recipes */
	self.turn = (uint32_t)((uint64_t)self.draw * (2 * WIRE_HOLD_EVERY - 1) >> 32);
	return first ? 0 : now();
}

/* From any thread. */
static void count_new_site(const struct record *r, uint64_t pc)
{
	for (unsigned i = 0; i < WIRE_SITES; i++) {
		uint64_t is = 0;
		bool new = __atomic_compare_exchange_n(&r->lock->site[i], &is, pc, false,
						       __ATOMIC_RELAXED, __ATOMIC_RELAXED);
		if (!new &&is != pc)
			continue;
		count_one(&r->count->site_n[i]);
		if (new)
			modules_need(r->table, pc);
		return;
	}
}

HIDDEN __attribute__((noinline)) void count_other_site(const struct record *r, uint64_t pc)
{
	for (unsigned i = 1; i < WIRE_SITES; i++) {
		if (r->lock->site[i] == pc) {
			r->count->site_n[i]++;
			return;
		}
	}
	count_new_site(r, pc);
}

/* The clocks of CPUs may differ a little. */
static uint64_t since(uint64_t start)
{
	int64_t t = (int64_t)(now() - start);
	return t > 0 ? (uint64_t)t : 0;
}

HIDDEN __attribute__((noinline)) void count_hold(struct wire_lock *l, struct wire_count *c)
{
	uint64_t h = since(l->hold_start);
	l->hold_start = 0;
	c->hold_min = !c->hold_n || h < c->hold_min ? h : c->hold_min;
	c->hold_max = h > c->hold_max ? h : c->hold_max;
	c->hold_total += h;
	c->hold_n++;
}

HIDDEN struct count_wait count_contended(const struct record *r, uint64_t pc)
{
	struct count_wait w = { .holding = __atomic_load_n(&r->lock->holder, __ATOMIC_RELAXED) };
	int32_t cpu = __atomic_load_n(&r->lock->cpu, __ATOMIC_RELAXED);
	w.bounce = cpu >= 0 && cpu != now_cpu();
	w.start = now();
	w.stack = stack_of(r->table, pc);
	return w;
}

static void add_wait(const struct record *r, uint64_t pc, const struct count_wait *w, uint64_t wait)
{
	table_pair(r->table, r->lock, &(struct wire_pair){ pc, w->holding, 1, wait, 0, w->stack });
}

/* By who has the lock. */
static void add_wait_held(const struct record *r, uint64_t pc, const struct count_wait *w,
			  uint64_t wait)
{
	struct wire_pair is = { pc, w->holding, 1, wait, 0, w->stack }, *to = &r->count->pending;
	if (to->n && table_same_pair(to, &is)) {
		to->wait += wait;
		to->n++;
		return;
	}
	struct wire_pair was = *to;
	__atomic_store_n(&to->n, 0, __ATOMIC_RELEASE); /* who reads now finds it in one place */
	if (was.n)
		table_pair(r->table, r->lock, &was);
	to->waiting = is.waiting;
	to->holding = is.holding;
	to->wait = is.wait;
	to->stack = is.stack;
	__atomic_store_n(&to->n, 1, __ATOMIC_RELEASE);
	modules_need(r->table, pc);
	modules_need(r->table, w->holding);
}

HIDDEN void count_waited(const struct record *r, uint64_t pc, const struct count_wait *w,
			 uint64_t start)
{
	struct wire_count *c = r->count;
	uint64_t wait = since(w->start);
	c->con_bounces += w->bounce;
	if (wait) {
		c->wait_min = !c->contentions || wait < c->wait_min ? wait : c->wait_min;
		c->wait_max = wait > c->wait_max ? wait : c->wait_max;
		c->wait_total += wait;
		c->contentions++;
		add_wait_held(r, pc, w, wait);
	}
	count_acquired(*r, now_cpu(), pc, start ? w->start + wait : 0);
}

HIDDEN void count_failed(const struct record *r)
{
	count_one(&r->lock->failed);
}

static void lower(uint64_t *to, uint64_t v)
{
	uint64_t is = __atomic_load_n(to, __ATOMIC_RELAXED);
	while ((!is || v < is) &&
	       !__atomic_compare_exchange_n(to, &is, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static void raise_to(uint64_t *to, uint64_t v)
{
	uint64_t is = __atomic_load_n(to, __ATOMIC_RELAXED);
	while (v > is &&
	       !__atomic_compare_exchange_n(to, &is, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

HIDDEN void count_waited_shared(const struct record *r, uint64_t pc, const struct count_wait *w)
{
	uint64_t wait = since(w->start);
	if (w->bounce)
		count_one(&r->count->con_bounces);
	if (!wait)
		return;
	lower(&r->count->wait_min, wait);
	raise_to(&r->count->wait_max, wait);
	__atomic_fetch_add(&r->count->wait_total, wait, __ATOMIC_RELAXED);
	count_one(&r->count->contentions);
	add_wait(r, pc, w, wait);
}

static void count_site_shared(const struct record *r, uint64_t pc)
{
	for (unsigned i = 0; i < WIRE_SITES; i++) {
		if (__atomic_load_n(&r->lock->site[i], __ATOMIC_RELAXED) == pc) {
			count_one(&r->count->site_n[i]);
			return;
		}
	}
	count_new_site(r, pc);
}

HIDDEN void count_tried_shared(const struct record *r, struct wire_lock *last, uint64_t pc)
{
	if (__atomic_load_n(&last->holder, __ATOMIC_RELAXED) != pc)
		__atomic_store_n(&last->holder, pc, __ATOMIC_RELAXED);
	count_site_shared(r, pc);
}

HIDDEN void count_acquired_shared(const struct record *r, struct wire_lock *last, uint64_t pc)
{
	int32_t cpu = now_cpu(), was = __atomic_load_n(&last->cpu, __ATOMIC_RELAXED);
	if (was != cpu) {
		__atomic_store_n(&last->cpu, cpu, __ATOMIC_RELAXED);
		if (was >= 0)
			count_one(&r->count->acq_bounces);
	}
	count_tried_shared(r, last, pc);
}

HIDDEN void count_released_shared(const struct record *r, uint64_t start)
{
	count_one(&r->count->acquired);
	if (!start)
		return;
	uint64_t h = since(start);
	lower(&r->count->hold_min, h);
	raise_to(&r->count->hold_max, h);
	__atomic_fetch_add(&r->count->hold_total, h, __ATOMIC_RELAXED);
	count_one(&r->count->hold_n);
}

HIDDEN void count_made(uint64_t key, uint64_t pc)
{
	struct wire_locks *s = segment();
	if (!s)
		return;
	table_retire(s, key);
	struct wire_lock *l = table_add(s, key);
	if (!l)
		return;
	l->init = pc;
	modules_need(s, pc);
}

HIDDEN void count_gone(uint64_t key)
{
	struct wire_locks *s = segment();
	if (s)
		table_retire(s, key);
}
