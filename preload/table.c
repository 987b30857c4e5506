/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/table.h"

#include <string.h>

#include "preload/calls.h"
#include "preload/modules.h"

/* -- Free lists: an index, and above bit 32 a count against ABA --------------------------------- */

static uint32_t pop(uint64_t *head, uint32_t *(*next)(struct wire_locks *, uint32_t),
		    struct wire_locks *s)
{
	uint64_t old = __atomic_load_n(head, __ATOMIC_ACQUIRE);
	while ((uint32_t)old) {
		uint32_t then = __atomic_load_n(next(s, (uint32_t)old), __ATOMIC_RELAXED);
		uint64_t new = ((old >> 32) + 1) << 32 | then;
		if (__atomic_compare_exchange_n(head, &old, new, false, __ATOMIC_ACQ_REL,
						__ATOMIC_ACQUIRE))
			return (uint32_t)old;
	}
	return 0;
}

static void push(uint64_t *head, uint32_t *(*next)(struct wire_locks *, uint32_t),
		 struct wire_locks *s, uint32_t item)
{
	uint64_t old = __atomic_load_n(head, __ATOMIC_ACQUIRE), new;
	do {
		__atomic_store_n(next(s, item), (uint32_t)old, __ATOMIC_RELAXED);
		new = ((old >> 32) + 1) << 32 | item;
	} while (!__atomic_compare_exchange_n(head, &old, new, false, __ATOMIC_ACQ_REL,
					      __ATOMIC_ACQUIRE));
}

static uint32_t *next_lock(struct wire_locks *s, uint32_t i)
{
	return &s->lock[i].next_free;
}

static uint32_t *next_pair(struct wire_locks *s, uint32_t i)
{
	return &s->pair[i].next;
}

/* What is got ready before system calls are taken away, and is all that there is room for then. */
#define READY_LOCKS 256
#define READY_PAIRS 1024

HIDDEN void table_free_lock(struct wire_locks *s, uint32_t lock)
{
	push(&s->free_lock, next_lock, s, lock);
}

HIDDEN void table_free_pair(struct wire_locks *s, uint32_t pair)
{
	push(&s->free_pair, next_pair, s, pair);
}

/* The next index below max; 0: none. */
static uint32_t next_below(uint32_t *used, uint32_t max)
{
	uint32_t i = __atomic_load_n(used, __ATOMIC_RELAXED);
	do {
		if (i >= max)
			return 0;
	} while (!__atomic_compare_exchange_n(used, &i, i + 1, false, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	return i;
}

/* The same, with its memory there. */
static uint32_t take_new(uint32_t *used, uint32_t max, uint32_t ready, void *first, size_t size)
{
	if (!calls_begin())
		return next_below(used, ready < max ? ready : max);
	uint32_t i = next_below(used, max);
	if (i && !segment_populate((char *)first + i * size, size))
		i = 0;
	calls_end();
	return i;
}

static uint32_t get_ready(uint32_t used, uint32_t more, uint32_t max, void *first, size_t size)
{
	uint32_t end = max - used < more ? max : used + more;
	return segment_populate((char *)first + used * size, (end - used) * size) ? end : used;
}

/* The keys about this one: whether there is memory for them. */
static bool make_group(struct wire_locks *s, uint32_t at)
{
	if (likely(wire_has_group(s, at)))
		return true;
	if (!calls_begin())
		return false;
	uint32_t group = at / WIRE_KEY_GROUP;
	bool there = segment_populate(&s->key[group * WIRE_KEY_GROUP],
				      WIRE_KEY_GROUP * sizeof(s->key[0]));
	if (there)
		__atomic_fetch_or(&s->key_groups[group / 64], UINT64_C(1) << group % 64,
				  __ATOMIC_RELEASE);
	calls_end();
	return there;
}

HIDDEN void table_get_ready(struct wire_locks *s)
{
	for (uint32_t at = 0; at < WIRE_KEYS; at += WIRE_KEY_GROUP)
		make_group(s, at);
	segment_page.s.ready_locks =
		get_ready(s->locks_used, READY_LOCKS, WIRE_LOCKS, s->lock, sizeof(s->lock[0]));
	segment_page.s.ready_pairs =
		get_ready(s->pairs_used, READY_PAIRS, WIRE_PAIRS, s->pair, sizeof(s->pair[0]));
}

/* -- Locks ------------------------------------------------------------------------------------- */

/* The counts of a record that is free are 0: as the file was made, or as retire_lock() left them. */
static uint32_t new_lock(struct wire_locks *s, uint64_t key)
{
	uint32_t i = pop(&s->free_lock, next_lock, s);
	if (!i)
		i = take_new(&s->locks_used, WIRE_LOCKS, segment_page.s.ready_locks, s->lock,
			     sizeof(s->lock[0]));
	if (!i)
		return 0;
	struct wire_lock *l = &s->lock[i];
	memset(l, 0, offsetof(struct wire_lock, count));
	l->cpu = WIRE_CPU_NONE;
	l->kind = WIRE_KEY_KIND(key) & ~WIRE_KIND_GONE;
	l->instances = !(WIRE_KEY_KIND(key) & WIRE_KIND_GONE);
	return i;
}

static struct wire_lock *overflow(struct wire_locks *s)
{
	__atomic_fetch_add(&s->lock_overflow, 1, __ATOMIC_RELAXED);
	return NULL;
}

/* A place for the key: one that was freed on the way to an empty one, or that. -1: none */
static int32_t place_for(struct wire_locks *s, uint64_t key, uint64_t *was)
{
	uint32_t at = wire_hash(key);
	int32_t place = -1;
	for (unsigned i = 0; i < WIRE_PROBES; i++, at = (at + 1) % WIRE_KEYS) {
		if (!make_group(s, at))
			break;
		uint64_t is = __atomic_load_n(&s->key[at].key, __ATOMIC_ACQUIRE);
		if (is == key) {
			*was = key;
			return (int32_t)at;
		}
		if (is == WIRE_KEY_EMPTY || (is == WIRE_KEY_FREE && place < 0)) {
			place = (int32_t)at;
			*was = is;
		}
		if (is == WIRE_KEY_EMPTY)
			break;
	}
	return place;
}

static uint32_t made_now(const struct wire_locks *s)
{
	uint64_t at = (segment_ns(CLOCK_MONOTONIC) - s->start) / WIRE_MADE_NS + 1;
	return at < UINT32_MAX ? (uint32_t)at : UINT32_MAX;
}

#define GLANCES 1000 /* at a record that another thread is about to enter: three stores away */

/* The record of a key that is there; 0: who enters it was stopped in between. */
static uint32_t entered(const struct wire_key *k)
{
	for (int i = 0; i < GLANCES; i++) {
		uint32_t lock = __atomic_load_n(&k->lock, __ATOMIC_ACQUIRE);
		if (lock)
			return lock;
	}
	return 0;
}

static bool enter(struct wire_locks *s, int32_t at, uint64_t was, uint64_t key, uint32_t lock)
{
	uint32_t made = made_now(s);
	if (!__atomic_compare_exchange_n(&s->key[at].key, &was, key, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_RELAXED))
		return false;
	__atomic_store_n(&s->lock[lock].key, key, __ATOMIC_RELEASE);
	__atomic_store_n(&s->key[at].made, made, __ATOMIC_RELAXED);
	__atomic_store_n(&s->key[at].lock, lock, __ATOMIC_RELEASE);
	return true;
}

/* In place of what is to be entered, what is there already; NULL: no room. */
static struct wire_lock *add(struct wire_locks *s, uint64_t key, uint32_t lock)
{
	for (int tries = 0; tries < 8; tries++) {
		uint64_t was = 0;
		int32_t at = place_for(s, key, &was);
		if (at < 0)
			break;
		if (was != key && enter(s, at, was, key, lock))
			return &s->lock[lock];
		uint32_t other = was == key ? entered(&s->key[at]) : 0;
		if (!other)
			continue;
		table_free_lock(s, lock);
		return &s->lock[other];
	}
	table_free_lock(s, lock);
	return overflow(s);
}

/*
 * Threads often take a new lock at the same time, as they do the same from their start, and to make
 * a record takes microseconds: it is whole before its key is there for all.
 *
 * Two threads may add one key in two places when a third frees one meanwhile. Only the first is
 * found from then on; what the other was given is counted all the same.
 */
HIDDEN __attribute__((noinline, cold)) struct wire_lock *table_add(struct wire_locks *s,
								   uint64_t key)
{
	uint32_t lock = new_lock(s, key);
	return lock ? add(s, key, lock) : overflow(s);
}

/* -- Pairs ------------------------------------------------------------------------------------- */

/* Those with stacks leave room for others: who waited for whom is told first. */
#define PAIRS_OF_A_LOCK 512
#define PAIRS_WITH_STACK 256

static uint32_t new_pair(struct wire_locks *s, bool with_stack)
{
	uint32_t i = pop(&s->free_pair, next_pair, s);
	uint32_t max = with_stack ? WIRE_PAIRS / 2 : WIRE_PAIRS;
	return i ? i
		 : take_new(&s->pairs_used, max, segment_page.s.ready_pairs, s->pair,
			    sizeof(s->pair[0]));
}

/* False: there is no room. */
static bool add_pair(struct wire_locks *s, struct wire_lock *l, const struct wire_pair *pair)
{
	uint32_t head = __atomic_load_n(&l->pairs, __ATOMIC_ACQUIRE);
	unsigned seen = 0, most = pair->stack ? PAIRS_WITH_STACK : PAIRS_OF_A_LOCK;
	for (uint32_t i = head; i; i = s->pair[i].next) {
		struct wire_pair *p = &s->pair[i];
		if (table_same_pair(p, pair)) {
			__atomic_fetch_add(&p->n, pair->n, __ATOMIC_RELAXED);
			__atomic_fetch_add(&p->wait, pair->wait, __ATOMIC_RELAXED);
			return true;
		}
		if (++seen > most)
			return false;
	}
	uint32_t i = new_pair(s, pair->stack);
	if (!i)
		return false;
	modules_need(s, pair->waiting);
	modules_need(s, pair->holding);
	s->pair[i] = *pair;
	s->pair[i].next = head;
	while (!__atomic_compare_exchange_n(&l->pairs, &head, i, false, __ATOMIC_ACQ_REL,
					    __ATOMIC_ACQUIRE))
		s->pair[i].next = head;
	return true;
}

HIDDEN void table_pair(struct wire_locks *s, struct wire_lock *l, const struct wire_pair *pair)
{
	struct wire_pair bare = *pair;
	if (add_pair(s, l, pair))
		return;
	if (pair->stack) {
		__atomic_fetch_add(&s->stack_overflow, pair->n, __ATOMIC_RELAXED);
		bare.stack = 0;
		if (add_pair(s, l, &bare))
			return;
	}
	__atomic_fetch_add(&l->pair_lost, pair->n, __ATOMIC_RELAXED);
	__atomic_fetch_add(&s->pair_overflow, pair->n, __ATOMIC_RELAXED);
}
