/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/count.h"
#include "preload/self.h"
#include "preload/stack.h"

HIDDEN __thread uint32_t count_turn __attribute__((tls_model("initial-exec")));
HIDDEN __thread struct self self __attribute__((tls_model("initial-exec")));

HIDDEN __attribute__((noinline, cold)) void count_new_site(struct wire_locks *s,
							   struct wire_lock *l, uint64_t pc)
{
	for (unsigned i = 0; i < WIRE_SITES; i++) {
		uint64_t is = 0;
		if (!__atomic_load_n(&l->site[i].pc, __ATOMIC_RELAXED) &&
		    __atomic_compare_exchange_n(&l->site[i].pc, &is, pc, false, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED)) {
			__atomic_fetch_add(&l->site[i].n, 1, __ATOMIC_RELAXED);
			modules_need(s, pc);
			return;
		}
	}
}

HIDDEN __attribute__((noinline)) void count_hold(struct wire_lock *l)
{
	int64_t hold = (int64_t)(now() - l->hold_start);
	uint64_t h = hold > 0 ? (uint64_t)hold : 0; /* the clocks of CPUs may differ a little */
	l->hold_start = 0;
	l->hold_min = !l->hold_n || h < l->hold_min ? h : l->hold_min;
	l->hold_max = h > l->hold_max ? h : l->hold_max;
	l->hold_total += h;
	l->hold_n++;
}

HIDDEN struct count_wait count_contended(struct wire_locks *s, const struct wire_lock *l,
					 uint64_t pc)
{
	struct count_wait w = { .holding = __atomic_load_n(&l->holder, __ATOMIC_RELAXED) };
	int32_t cpu = __atomic_load_n(&l->cpu, __ATOMIC_RELAXED);
	w.bounce = cpu >= 0 && cpu != now_cpu();
	w.start = now();
	w.stack = stack_of(s, pc);
	return w;
}

static void add_wait(struct wire_locks *s, struct wire_lock *l, uint64_t pc,
		     const struct count_wait *w, uint64_t wait)
{
	table_pair(s, l, &(struct wire_pair){ pc, w->holding, 1, wait, 0, w->stack });
}

HIDDEN void count_waited(struct wire_locks *s, struct wire_lock *l, uint64_t pc,
			 const struct count_wait *w, uint64_t start)
{
	uint64_t end = now();
	int64_t wait = (int64_t)(end - w->start);
	l->con_bounces += w->bounce;
	if (wait > 0) {
		uint64_t t = (uint64_t)wait;
		l->wait_min = !l->contentions || t < l->wait_min ? t : l->wait_min;
		l->wait_max = t > l->wait_max ? t : l->wait_max;
		l->wait_total += t;
		l->contentions++;
		add_wait(s, l, pc, w, t);
	}
	count_acquired(s, l, pc, start ? end : 0);
}

HIDDEN void count_failed(struct wire_lock *l)
{
	__atomic_fetch_add(&l->failed, 1, __ATOMIC_RELAXED);
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

HIDDEN void count_waited_shared(struct wire_locks *s, struct wire_lock *l, uint64_t pc,
				const struct count_wait *w)
{
	int64_t wait = (int64_t)(now() - w->start);
	if (w->bounce)
		__atomic_fetch_add(&l->con_bounces, 1, __ATOMIC_RELAXED);
	if (wait <= 0)
		return;
	lower(&l->wait_min, (uint64_t)wait);
	raise_to(&l->wait_max, (uint64_t)wait);
	__atomic_fetch_add(&l->wait_total, (uint64_t)wait, __ATOMIC_RELAXED);
	__atomic_fetch_add(&l->contentions, 1, __ATOMIC_RELAXED);
	add_wait(s, l, pc, w, (uint64_t)wait);
}

static void add_site_shared(struct wire_locks *s, struct wire_lock *l, uint64_t pc)
{
	for (unsigned i = 0; i < WIRE_SITES; i++) {
		uint64_t is = __atomic_load_n(&l->site[i].pc, __ATOMIC_RELAXED);
		if (is == pc) {
			__atomic_fetch_add(&l->site[i].n, 1, __ATOMIC_RELAXED);
			return;
		}
		if (!is)
			break;
	}
	count_new_site(s, l, pc);
}

HIDDEN void count_tried_shared(struct wire_locks *s, struct wire_lock *l, struct wire_lock *last,
			       uint64_t pc)
{
	if (__atomic_load_n(&last->holder, __ATOMIC_RELAXED) != pc)
		__atomic_store_n(&last->holder, pc, __ATOMIC_RELAXED);
	add_site_shared(s, l, pc);
}

HIDDEN void count_acquired_shared(struct wire_locks *s, struct wire_lock *l, struct wire_lock *last,
				  uint64_t pc)
{
	int32_t cpu = now_cpu(), was = __atomic_load_n(&last->cpu, __ATOMIC_RELAXED);
	if (was != cpu) {
		__atomic_store_n(&last->cpu, cpu, __ATOMIC_RELAXED);
		if (was >= 0)
			__atomic_fetch_add(&l->acq_bounces, 1, __ATOMIC_RELAXED);
	}
	count_tried_shared(s, l, last, pc);
}

HIDDEN void count_released_shared(struct wire_lock *l, uint64_t start)
{
	__atomic_fetch_add(&l->acquired, 1, __ATOMIC_RELAXED);
	if (!start)
		return;
	int64_t hold = (int64_t)(now() - start);
	uint64_t h = hold > 0 ? (uint64_t)hold : 0;
	lower(&l->hold_min, h);
	raise_to(&l->hold_max, h);
	__atomic_fetch_add(&l->hold_total, h, __ATOMIC_RELAXED);
	__atomic_fetch_add(&l->hold_n, 1, __ATOMIC_RELAXED);
}

HIDDEN void count_made(struct wire_locks *s, uint64_t key, uint64_t pc)
{
	table_retire(s, key);
	struct wire_lock *l = table_add(s, key);
	if (!l)
		return;
	l->init = pc;
	modules_need(s, pc);
}
