/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/lock_since.h"

#include <stdlib.h>
#include <string.h>

#include "record/lock_fold.h"
#include "record/lock_inherit.h"

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

/* Each pair of a lock that it had before, less what it was. */
static void subtract_pairs(struct wire_locks *p, const struct wire_lock *l,
			   const struct wire_locks *before, const struct wire_lock *b)
{
	uint32_t seen = 0;
	for (uint32_t i = b->pairs; i && i < WIRE_PAIRS && seen < LOCK_PAIRS; seen++) {
		const struct wire_pair *w = &before->pair[i];
		struct wire_pair *is = (struct wire_pair *)(uintptr_t)lock_pair(p, l, w);
		if (is) {
			take_off(&is->n, w->n);
			take_off(&is->wait, w->wait);
		}
		i = w->next;
	}
}

static uint32_t lock_at(const struct wire_locks *p, uint32_t key)
{
	uint32_t lock = key < WIRE_KEYS ? p->key[key].lock : 0;
	return lock < WIRE_LOCKS ? lock : 0;
}

static bool is_sum(const struct wire_lock *l)
{
	return WIRE_KEY_KIND(l->key) & WIRE_KIND_GONE;
}

/* Has it gone on in the same record? Another that was made at its address tells of that. */
static bool went_on(const struct wire_locks *p, const struct wire_locks *before, uint32_t lock)
{
	uint64_t key = before->lock[lock].key;
	uint32_t at = lock_key_find(p, key), was = lock_key_find(before, key);
	if (p->lock[lock].key != key)
		return false;
	return lock_at(p, at) != lock || lock_at(before, was) != lock ||
	       p->key[at].made == before->key[was].made || p->key[at].made == UINT32_MAX;
}

/* Where the counts of one that was destroyed are (see retire.c); 0: nowhere. */
static uint32_t sum_with(const struct wire_locks *p, const struct wire_lock *b)
{
	const uint64_t sites[] = { b->init, b->site[0] };
	uint32_t lock = 0;
	for (size_t i = 0; i < 2 && !lock; i++) {
		uint64_t kind = WIRE_KEY_KIND(b->key) | WIRE_KIND_GONE;
		if (sites[i])
			lock = lock_at(p, lock_key_find(p, sites[i] | kind << 56));
	}
	return lock;
}

static void subtract(struct wire_locks *p, const struct wire_locks *before)
{
	uint32_t locks = before->locks_used < WIRE_LOCKS ? before->locks_used : WIRE_LOCKS;
	for (uint32_t i = 1; i < locks; i++) { /* 0 is none */
		const struct wire_lock *b = &before->lock[i];
		uint32_t in = !b->key                 ? 0
			      : went_on(p, before, i) ? i
			      : is_sum(b)             ? 0
						      : sum_with(p, b);
		if (!in)
			continue;
		subtract_lock(&p->lock[in], b);
		subtract_pairs(p, &p->lock[in], before, b);
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
