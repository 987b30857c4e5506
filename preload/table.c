/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/table.h"

#include <dlfcn.h>
#include <errno.h>
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
static uint32_t ready_locks, ready_pairs; /* up to these */

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
	int saved = errno;
	uint32_t i = next_below(used, max);
	if (i && !segment_populate((char *)first + i * size, size))
		i = 0;
	errno = saved;
	calls_end();
	return i;
}

static uint32_t get_ready(uint32_t used, uint32_t more, uint32_t max, void *first, size_t size)
{
	uint32_t end = max - used < more ? max : used + more;
	return segment_populate((char *)first + used * size, (end - used) * size) ? end : used;
}

HIDDEN void table_get_ready(struct wire_locks *s)
{
	ready_locks =
		get_ready(s->locks_used, READY_LOCKS, WIRE_LOCKS, s->lock, sizeof(s->lock[0]));
	ready_pairs =
		get_ready(s->pairs_used, READY_PAIRS, WIRE_PAIRS, s->pair, sizeof(s->pair[0]));
}

/* -- Locks ------------------------------------------------------------------------------------- */

/* The counts of a record that is free are 0: as the file was made, or as table_retire left them. */
static uint32_t new_lock(struct wire_locks *s, uint64_t key)
{
	uint32_t i = pop(&s->free_lock, next_lock, s);
	if (!i)
		i = take_new(&s->locks_used, WIRE_LOCKS, ready_locks, s->lock,
			     sizeof(s->lock[0]));
	if (!i)
		return 0;
	struct wire_lock *l = &s->lock[i];
	memset(l, 0, offsetof(struct wire_lock, count));
	l->cpu = WIRE_CPU_NONE;
	l->kind = WIRE_KEY_KIND(key) & ~WIRE_KIND_GONE;
	l->instances = 1;
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

/* A record that was not entered: another thread was quicker. */
static void give_back(struct wire_locks *s, uint32_t lock)
{
	push(&s->free_lock, next_lock, s, lock);
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
		give_back(s, lock);
		return &s->lock[other];
	}
	give_back(s, lock);
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
		 : take_new(&s->pairs_used, max, ready_pairs, s->pair, sizeof(s->pair[0]));
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

/* -- Locks that were destroyed ------------------------------------------------------------------- */

static void add_up(uint64_t *to, uint64_t n)
{
	if (n)
		__atomic_fetch_add(to, n, __ATOMIC_RELAXED);
}

static void at_least(uint64_t *to, uint64_t v)
{
	uint64_t is = __atomic_load_n(to, __ATOMIC_RELAXED);
	while (v > is &&
	       !__atomic_compare_exchange_n(to, &is, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

/* 0: nothing measured. */
static void at_most(uint64_t *to, uint64_t v)
{
	uint64_t is = __atomic_load_n(to, __ATOMIC_RELAXED);
	while (v && (!is || v < is) &&
	       !__atomic_compare_exchange_n(to, &is, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

/* Where a site is counted; -1: nowhere, its acquisitions are in the sum alone. */
static int site_of(struct wire_lock *to, uint64_t pc)
{
	for (int i = 0; i < WIRE_SITES && pc; i++) {
		uint64_t is = 0;
		if (__atomic_compare_exchange_n(&to->site[i], &is, pc, false, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED) ||
		    is == pc)
			return i;
	}
	return -1;
}

static bool is_used(const struct wire_count *c)
{
	uint64_t any = 0;
	for (size_t i = 0; i < sizeof(*c) / sizeof(uint64_t); i++)
		any |= ((const uint64_t *)c)[i];
	return any;
}

static void merge_count(struct wire_count *to, const struct wire_count *from, const int *site)
{
	add_up(&to->acquired, from->acquired + from->usual);
	add_up(&to->acq_bounces, from->acq_bounces);
	add_up(&to->looked, from->looked);
	add_up(&to->sampled, from->sampled);
	add_up(&to->sampled_bounces, from->sampled_bounces);
	add_up(&to->tried, from->tried);
	add_up(&to->sampled_hold_n, from->sampled_hold_n);
	add_up(&to->sampled_hold_total, from->sampled_hold_total);
	for (unsigned i = 0; i < WIRE_SITES; i++) {
		if (site[i] >= 0)
			add_up(&to->site_n[site[i]], from->site_n[i] + (i ? 0 : from->usual));
	}
	at_most(&to->hold_min, from->hold_min);
	at_least(&to->hold_max, from->hold_max);
	add_up(&to->hold_total, from->hold_total);
	add_up(&to->hold_n, from->hold_n);
	at_most(&to->wait_min, from->wait_min);
	at_least(&to->wait_max, from->wait_max);
	add_up(&to->wait_total, from->wait_total);
	add_up(&to->contentions, from->contentions);
	add_up(&to->con_bounces, from->con_bounces);
	add_up(&to->con_looked, from->con_looked);
	add_up(&to->waits_unknown, from->waits_unknown);
}

static void merge_pairs(struct wire_locks *s, struct wire_lock *to, struct wire_lock *from)
{
	for (uint32_t i = from->pairs, next; i; i = next) {
		struct wire_pair *p = &s->pair[i];
		next = p->next;
		table_pair(s, to, p);
		push(&s->free_pair, next_pair, s, i);
	}
}

static void merge(struct wire_locks *s, struct wire_lock *to, struct wire_lock *from)
{
	int site[WIRE_SITES];
	for (unsigned i = 0; i < WIRE_SITES; i++)
		site[i] = site_of(to, from->site[i]);
	for (unsigned i = 0; i < WIRE_CPUS; i++) {
		if (!is_used(&from->count[i]))
			continue;
		merge_count(&to->count[i], &from->count[i], site);
		if (from->count[i].pending.n)
			table_pair(s, to, &from->count[i].pending);
		memset(&from->count[i], 0, sizeof(from->count[i]));
	}
	add_up(&to->failed, from->failed);
	add_up(&to->pair_lost, from->pair_lost);
	add_up(&to->instances, 1);
	merge_pairs(s, to, from);
}

static bool was_used(const struct wire_lock *l)
{
	bool used = l->failed;
	for (unsigned i = 0; i < WIRE_CPUS; i++)
		used |= is_used(&l->count[i]);
	return used;
}

/* Where those of its kind and site are summed; NULL: no room. */
static struct wire_lock *sum_of(struct wire_locks *s, const struct wire_lock *l, uint64_t key)
{
	uint64_t pc = l->init ? l->init : l->site[0];
	uint64_t kind = WIRE_KEY_KIND(key) | WIRE_KIND_GONE;
	struct wire_lock *to = table_find(s, pc | kind << 56);
	if (to)
		return to;
	to = table_add(s, pc | kind << 56);
	if (to) {
		to->init = l->init;
		to->instances = 0;
	}
	return to;
}

/* Part of a variable of the program or of a library: one search, which takes no lock. */
static bool is_static(uint64_t key)
{
#ifdef DLFO_STRUCT_HAS_EH_DBASE /* glibc 2.35; an older one does not tell */
	extern __typeof__(_dl_find_object) _dl_find_object __attribute__((weak));
	struct dl_find_object o;
	return &_dl_find_object &&
	       _dl_find_object((void *)(uintptr_t)WIRE_KEY_ADDRESS(key), &o) == 0;
#else
	(void)key;
	return false;
#endif
}

/* What comes next at the same address is another lock of the same variable. */
static void start_over(struct wire_key *k, struct wire_lock *l)
{
	l->holder = 0;
	l->init = 0;
	l->depth = 0;
	l->cpu = WIRE_CPU_NONE;
	__atomic_store_n(&k->made, UINT32_MAX, __ATOMIC_RELAXED);
}

HIDDEN void table_retire(struct wire_locks *s, uint64_t key)
{
	struct wire_lock *l = table_find(s, key);
	if (!l)
		return;
	uint32_t at = wire_hash(key);
	while (s->key[at].key != key)
		at = (at + 1) % WIRE_KEYS;
	bool used = was_used(l);
	if (used && is_static(key)) {
		start_over(&s->key[at], l);
		return;
	}
	if (used) {
		struct wire_lock *to = sum_of(s, l, key);
		if (!to)
			return; /* it stays where it is */
		merge(s, to, l);
	}
	__atomic_store_n(&l->key, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&s->key[at].lock, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&s->key[at].key, WIRE_KEY_FREE, __ATOMIC_RELEASE);
	push(&s->free_lock, next_lock, s, (uint32_t)(l - s->lock));
}
