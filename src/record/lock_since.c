/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/lock_since.h"

#include <stdlib.h>
#include <string.h>

#include "record/lock_fold.h"

static void drop(struct wire_locks **at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(at[i]);
}

void lock_past_fini(struct lock_past *p)
{
	drop(p->processes.at, p->processes.n);
	vec_fini(&p->processes);
}

/* The same process, not another program in it. */
static const struct wire_locks *find(const struct lock_past *past, const struct wire_locks *now)
{
	vec_each (p, &past->processes) {
		if ((*p)->pid == now->pid && (*p)->start == now->start)
			return *p;
	}
	return NULL;
}

static void take_off(uint64_t *n, uint64_t before)
{
	*n = *n >= before ? *n - before : *n; /* less: another lock has its place */
}

static void subtract_lock(struct wire_lock *l, const struct wire_lock *before)
{
	struct wire_count *c = &l->count[0];
	const struct wire_count *b = &before->count[0];
	take_off(&c->acquired, b->acquired);
#define TAKE_OFF(field) take_off(&c->field, b->field);
	WIRE_COUNT_SUMS(TAKE_OFF)
#undef TAKE_OFF
	take_off(&l->failed, before->failed);
	take_off(&l->pair_lost, before->pair_lost);
}

/*
 * Each pair of a lock, less what it was. A pair is one lock's (taken): chains of a damaged file
 * that go round, or meet, end there.
 */
static void subtract_pairs(struct wire_locks *p, const struct wire_locks *before, uint32_t lock,
			   bool taken[WIRE_PAIRS])
{
	uint32_t i = p->lock[lock].pairs;
	for (; i && i < WIRE_PAIRS && !taken[i]; i = p->pair[i].next) {
		const struct wire_pair *w = lock_pair(before, &before->lock[lock], &p->pair[i]);
		taken[i] = true;
		if (w) {
			take_off(&p->pair[i].n, w->n);
			take_off(&p->pair[i].wait, w->wait);
		}
	}
}

static void subtract(struct wire_locks *p, const struct wire_locks *before)
{
	bool taken[WIRE_PAIRS] = { false };
	uint32_t locks = p->locks_used < WIRE_LOCKS ? p->locks_used : WIRE_LOCKS;
	for (uint32_t i = 0; i < locks; i++) {
		if (p->lock[i].key != before->lock[i].key)
			continue;
		subtract_lock(&p->lock[i], &before->lock[i]);
		subtract_pairs(p, before, i, taken);
	}
	take_off(&p->lock_overflow, before->lock_overflow);
	take_off(&p->pair_overflow, before->pair_overflow);
	take_off(&p->process_overflow, before->process_overflow);
	take_off(&p->stack_overflow, before->stack_overflow);
}

void lock_since(struct lock_run *since, const struct lock_run *now, struct lock_past *past)
{
	struct lock_past next = { .ns = now->ns };
	*since = *now;
	memset(&since->processes, 0, sizeof(since->processes));
	since->difference = true;
	since->unseen = 0; /* told at the end */
	since->ns = now->ns - past->ns;
	since->cpu_ns = INT64_MIN; /* UNKNOWN: told at the end alone */
	vec_each (p, &now->processes) {
		const struct wire_locks *before = find(past, *p);
		struct wire_locks *c = lock_fold(*p);
		vec_push(&next.processes,
			 lock_fold(c)); /* the program runs on: one look for both */
		if (before)
			subtract(c, before);
		vec_push(&since->processes, c);
	}
	lock_past_fini(past);
	*past = next;
}

void lock_since_fini(struct lock_run *since)
{
	drop((struct wire_locks **)(uintptr_t)since->processes.at, since->processes.n);
	vec_fini(&since->processes);
}
