/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/lock_since.h"

#include <stdlib.h>
#include <string.h>

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
	take_off(&l->acquired, before->acquired);
	take_off(&l->acq_bounces, before->acq_bounces);
	take_off(&l->hold_n, before->hold_n);
	take_off(&l->hold_total, before->hold_total);
	take_off(&l->contentions, before->contentions);
	take_off(&l->wait_total, before->wait_total);
	take_off(&l->con_bounces, before->con_bounces);
	take_off(&l->failed, before->failed);
	take_off(&l->pair_lost, before->pair_lost);
	take_off(&l->waits_unknown, before->waits_unknown);
}

static void subtract(struct wire_locks *p, const struct wire_locks *before)
{
	uint32_t locks = p->locks_used < WIRE_LOCKS ? p->locks_used : WIRE_LOCKS;
	uint32_t pairs = p->pairs_used < WIRE_PAIRS ? p->pairs_used : WIRE_PAIRS;
	for (uint32_t i = 0; i < locks; i++)
		subtract_lock(&p->lock[i], &before->lock[i]);
	for (uint32_t i = 0; i < pairs; i++) {
		if (p->pair[i].waiting != before->pair[i].waiting ||
		    p->pair[i].holding != before->pair[i].holding ||
		    p->pair[i].stack != before->pair[i].stack)
			continue;
		take_off(&p->pair[i].n, before->pair[i].n);
		take_off(&p->pair[i].wait, before->pair[i].wait);
	}
	take_off(&p->lock_overflow, before->lock_overflow);
	take_off(&p->pair_overflow, before->pair_overflow);
	take_off(&p->stack_overflow, before->stack_overflow);
}

static struct wire_locks *copy(const struct wire_locks *p)
{
	struct wire_locks *c = mem_alloc(sizeof(*c));
	memcpy(c, p, sizeof(*c));
	return c;
}

void lock_since(struct lock_run *since, const struct lock_run *now, struct lock_past *past)
{
	struct lock_past next = { .ns = now->ns };
	*since = *now;
	memset(&since->processes, 0, sizeof(since->processes));
	since->difference = true;
	since->ns = now->ns - past->ns;
	since->cpu_ns = INT64_MIN; /* UNKNOWN: told at the end alone */
	vec_each (p, &now->processes) {
		const struct wire_locks *before = find(past, *p);
		struct wire_locks *c = copy(*p);
		vec_push(&next.processes, copy(c)); /* the program runs on: one look for both */
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
