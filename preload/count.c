/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/count.h"
#include "preload/retire.h"
#include "preload/stack.h"
#include "preload/sum.h"

/* A number from 0, below n. */
static uint32_t draw(uint32_t n)
{
	if (!self.draw)
		self.draw = (uint32_t)self_tid() | 1;
	self.draw = self.draw * UINT32_C(1664525) + UINT32_C(1013904223); /* Numerical Recipes */
	return (uint32_t)((uint64_t)self.draw * n >> 32);
}

/*
 * Whether the thread's turn has come. How many acquisitions lie between two is drawn anew each time,
 * from 1 to twice as many, so that no period of the program is in step with it.
 */
static bool is_sampled(void)
{
	if (likely(--self.turn >= 0))
		return false;
	bool first = !self.draw;
	self.turn = (int32_t)draw(2 * WIRE_LOOK_EVERY - 1);
	return !first;
}

HIDDEN struct self_start count_start(const struct wire_count *c)
{
	struct self_start start = { 0, is_sampled() && !count_is_first(c) };
	bool timed = segment_config.hold == WIRE_HOLD_ALL || count_is_first(c) || start.sampled;
	if (timed && segment_config.hold != WIRE_HOLD_NONE)
		start.at = now();
	return start;
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

/* What the acquisition before left in the lock's cpu is looked at, on this CPU. */
static inline void look(struct wire_count *c, int32_t was, int32_t cpu, void (*one)(uint64_t *))
{
	if (was == WIRE_CPU_UNSEEN)
		return;
	bool bounce = was != WIRE_CPU_NONE && (was & ~WIRE_CPU_SAMPLED) != cpu;
	bool sampled = was != WIRE_CPU_NONE && (was & WIRE_CPU_SAMPLED);
	one(sampled ? &c->sampled : &c->looked);
	if (bounce)
		one(sampled ? &c->sampled_bounces : &c->acq_bounces);
}

static inline void one_more(uint64_t *n)
{
	++*n;
}

/* What it leaves there for the next: see struct wire_lock. */
static inline void leave(const struct wire_count *c, struct wire_lock *l, int32_t cpu,
			 struct self_start start)
{
	int32_t left = count_is_first(c) ? cpu
		       : start.sampled   ? cpu | WIRE_CPU_SAMPLED
					 : WIRE_CPU_UNSEEN;
	if (__atomic_load_n(&l->cpu, __ATOMIC_RELAXED) != left)
		__atomic_store_n(&l->cpu, left, __ATOMIC_RELAXED);
}

HIDDEN void count_acquired(struct record r, int32_t cpu, uint64_t pc, struct self_start start)
{
	look(r.count, r.lock->cpu, cpu, one_more);
	leave(r.count, r.lock, cpu, start);
	if (self.cpu != cpu)
		self_moved(cpu);
	count_holder(r.lock, pc, start);
}

/* The clocks of CPUs may differ a little. */
static uint64_t between(uint64_t start, uint64_t end)
{
	int64_t t = (int64_t)(end - start);
	return t > 0 ? (uint64_t)t : 0;
}

static uint64_t since(uint64_t start)
{
	return between(start, now());
}

/* One of this lock that is being timed already was ended by another thread. */
HIDDEN __attribute__((noinline)) void count_hold_begins(const void *lock, struct self_start start)
{
	self_tid(); /* a child has none of its parent's holds */
	if (self.held)
		self_release(lock);
	if (start.at)
		self_hold(lock, start);
}

/* With every hold timed, the sample is as good as the others. */
static bool is_of_sample(struct self_start start)
{
	return start.sampled && segment_config.hold != WIRE_HOLD_ALL;
}

HIDDEN void count_hold(struct wire_count *c, struct self_start start)
{
	uint64_t h = since(start.at);
	bool first = !(c->hold_n + c->sampled_hold_n);
	c->hold_min = first || h < c->hold_min ? h : c->hold_min;
	c->hold_max = h > c->hold_max ? h : c->hold_max;
	bool sampled = is_of_sample(start);
	*(sampled ? &c->sampled_hold_total : &c->hold_total) += h;
	++*(sampled ? &c->sampled_hold_n : &c->hold_n);
}

HIDDEN __attribute__((noinline)) void count_hold_ends(const struct record *r)
{
	self_tid();
	struct self_start start = self_release(count_lock(r->lock));
	if (start.at)
		count_hold(r->count, start);
}

/* Whether who has it took it on another CPU than this; -1: not known. */
static int is_elsewhere(int32_t was, int32_t owner)
{
	int32_t cpu = was == WIRE_CPU_UNSEEN ? self_cpu_of(owner) : was & ~WIRE_CPU_SAMPLED;
	if (was == WIRE_CPU_NONE)
		return 0;
	return cpu < 0 ? -1 : cpu != now_cpu();
}

HIDDEN struct count_wait count_contended(const struct record *r, uint64_t pc, int32_t owner)
{
	struct count_wait w = { .holding = __atomic_load_n(&r->lock->holder, __ATOMIC_RELAXED) };
	w.bounce = is_elsewhere(__atomic_load_n(&r->lock->cpu, __ATOMIC_RELAXED), owner);
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
	__atomic_store_n(&to->n, 0, __ATOMIC_RELAXED); /* who reads now finds it in one place */
	__atomic_thread_fence(__ATOMIC_RELEASE);       /* and no part of the next */
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

HIDDEN void count_wait_ended(const struct record *r, uint64_t pc, const struct count_wait *w)
{
	struct wire_count *c = r->count;
	uint64_t wait = between(w->start, w->end);
	c->con_looked += w->bounce >= 0;
	c->con_bounces += w->bounce > 0;
	if (wait) {
		c->wait_min = !c->contentions || wait < c->wait_min ? wait : c->wait_min;
		c->wait_max = wait > c->wait_max ? wait : c->wait_max;
		c->wait_total += wait;
		c->contentions++;
		add_wait_held(r, pc, w, wait);
	}
}

HIDDEN void count_waited(const struct record *r, uint64_t pc, const struct count_wait *w,
			 struct self_start start)
{
	if (w->end)
		count_wait_ended(r, pc, w);
	if (start.at)
		start.at = w->end ? w->end : now();
	count_acquired(*r, now_cpu(), pc, start);
}

HIDDEN void count_failed(const struct record *r)
{
	count_one(&r->lock->failed);
}

HIDDEN void count_waited_shared(const struct record *r, uint64_t pc, const struct count_wait *w)
{
	uint64_t wait = between(w->start, w->end);
	if (w->bounce >= 0)
		count_one(&r->count->con_looked);
	if (w->bounce > 0)
		count_one(&r->count->con_bounces);
	if (!wait)
		return;
	sum_least(&r->count->wait_min, wait);
	sum_most(&r->count->wait_max, wait);
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

static void count_holder_shared(const struct record *r, uint64_t pc)
{
	if (__atomic_load_n(&r->lock->holder, __ATOMIC_RELAXED) != pc)
		__atomic_store_n(&r->lock->holder, pc, __ATOMIC_RELAXED);
	count_site_shared(r, pc);
}

HIDDEN void count_tried_shared(const struct record *r, uint64_t pc)
{
	count_one(&r->count->tried);
	count_holder_shared(r, pc);
}

HIDDEN void count_acquired_shared(const struct record *r, struct wire_lock *last, uint64_t pc,
				  struct self_start start)
{
	int32_t cpu = now_cpu(), was = __atomic_load_n(&last->cpu, __ATOMIC_RELAXED);
	leave(r->count, last, cpu, start);
	look(r->count, was, cpu, count_one);
	count_holder_shared(r, pc);
}

HIDDEN void count_released_shared(const struct record *r, struct self_start start)
{
	struct wire_count *c = r->count;
	count_one(&c->acquired);
	if (!start.at)
		return;
	uint64_t h = since(start.at);
	bool sampled = is_of_sample(start);
	sum_least(&c->hold_min, h);
	sum_most(&c->hold_max, h);
	__atomic_fetch_add(sampled ? &c->sampled_hold_total : &c->hold_total, h, __ATOMIC_RELAXED);
	count_one(sampled ? &c->sampled_hold_n : &c->hold_n);
}

HIDDEN void count_made(uint64_t key, uint64_t pc)
{
	struct wire_locks *s = segment();
	if (!s)
		return;
	retire_lock(s, key);
	struct wire_lock *l = table_get(s, key); /* a variable's stays */
	if (!l)
		return;
	l->init = pc;
	modules_need(s, pc);
}

HIDDEN void count_gone(uint64_t key)
{
	struct wire_locks *s = segment();
	if (s)
		retire_lock(s, key);
}
