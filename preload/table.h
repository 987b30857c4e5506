/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From a lock's address to its record. A look-up reads keys alone, which nobody writes once the
 * program is under way: the cache lines of a record are touched only while its lock is held.
 */
#ifndef DWELL_PRELOAD_TABLE_H
#define DWELL_PRELOAD_TABLE_H

#include "preload/segment.h"

static inline uint64_t table_key(const void *lock, unsigned kind)
{
	return (uint64_t)(uintptr_t)lock | (uint64_t)kind << 56;
}

/* NULL: not there. */
static inline struct wire_key *table_entry(struct wire_locks *s, uint64_t key)
{
	uint32_t at = wire_hash(key);
	for (unsigned i = 0; i < WIRE_PROBES; i++, at = (at + 1) % WIRE_KEYS) {
		if (!wire_has_group(s, at))
			break;
		uint64_t is = __atomic_load_n(&s->key[at].key, __ATOMIC_ACQUIRE);
		if (likely(is == key))
			return &s->key[at];
		if (is == WIRE_KEY_EMPTY)
			break;
	}
	return NULL;
}

/* NULL: not there, or not yet. */
static inline struct wire_lock *table_find(struct wire_locks *s, uint64_t key)
{
	const struct wire_key *k = table_entry(s, key);
	uint32_t lock = likely(k) ? __atomic_load_n(&k->lock, __ATOMIC_ACQUIRE) : 0;
	return likely(lock) ? &s->lock[lock] : NULL;
}

/* Before the process makes no more system calls. */
HIDDEN void table_get_ready(struct wire_locks *s);

/* The record, which another thread may have made meanwhile; NULL: no room (counted). */
HIDDEN struct wire_lock *table_add(struct wire_locks *s, uint64_t key);

static inline struct wire_lock *table_get(struct wire_locks *s, uint64_t key)
{
	struct wire_lock *l = table_find(s, key);
	return likely(l) ? l : table_add(s, key);
}

static inline bool table_same_pair(const struct wire_pair *a, const struct wire_pair *b)
{
	return a->waiting == b->waiting && a->holding == b->holding && a->stack == b->stack;
}

/* Adds waits of l at a site, for one who took it at another; from any thread. */
HIDDEN void table_pair(struct wire_locks *s, struct wire_lock *l, const struct wire_pair *pair);

/* Nobody comes to it any more; of a lock the counts are 0. */
HIDDEN void table_free_lock(struct wire_locks *s, uint32_t lock);
HIDDEN void table_free_pair(struct wire_locks *s, uint32_t pair);

#endif
