/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/retire.h"

#include <dlfcn.h>
#include <string.h>

#include "preload/sum.h"
#include "preload/table.h"

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
	sum_add(&to->acquired, from->acquired + from->usual);
#define ADD(field) sum_add(&to->field, from->field);
	WIRE_COUNT_SUMS(ADD)
#undef ADD
	for (unsigned i = 0; i < WIRE_SITES; i++) {
		if (site[i] >= 0)
			sum_add(&to->site_n[site[i]], from->site_n[i] + (i ? 0 : from->usual));
	}
	sum_least(&to->hold_min, from->hold_min);
	sum_most(&to->hold_max, from->hold_max);
	sum_least(&to->wait_min, from->wait_min);
	sum_most(&to->wait_max, from->wait_max);
}

static void merge_pairs(struct wire_locks *s, struct wire_lock *to, struct wire_lock *from)
{
	for (uint32_t i = from->pairs, next; i; i = next) {
		struct wire_pair *p = &s->pair[i];
		next = p->next;
		table_pair(s, to, p);
		table_free_pair(s, i);
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
	sum_add(&to->failed, from->failed);
	sum_add(&to->pair_lost, from->pair_lost);
	sum_add(&to->instances, 1);
	merge_pairs(s, to, from);
}

/* An event that threads have still to leave, and to count: it stays as it is. */
static bool is_waited_for(const struct wire_lock *l)
{
	return l->kind >= WIRE_COND && __atomic_load_n(&l->depth, __ATOMIC_ACQUIRE);
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
	if (to)
		to->init = l->init;
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

HIDDEN void retire_lock(struct wire_locks *s, uint64_t key)
{
	struct wire_key *k = table_entry(s, key);
	uint32_t lock = k ? __atomic_load_n(&k->lock, __ATOMIC_ACQUIRE) : 0;
	if (!lock)
		return;
	struct wire_lock *l = &s->lock[lock];
	bool used = was_used(l);
	if (is_waited_for(l))
		return;
	if (used && is_static(key)) {
		start_over(k, l);
		return;
	}
	if (used) {
		struct wire_lock *to = sum_of(s, l, key);
		if (!to)
			return; /* it stays where it is */
		merge(s, to, l);
	}
	__atomic_store_n(&l->key, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&k->lock, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&k->key, WIRE_KEY_FREE, __ATOMIC_RELEASE);
	table_free_lock(s, lock);
}
