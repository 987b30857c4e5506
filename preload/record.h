/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a hook counts into: the record of the lock, and of its counts those of this CPU. A thread
 * that moves to another CPU meanwhile counts into those of the one that it left, as right and
 * slower.
 *
 * A thread remembers records that it used: by their lock, so that a look-up stays within a page;
 * and the last one, since an unlock mostly follows its lock. While a lock is held nothing may hang
 * on a look-up, for the unlock waits until all that went before is written.
 */
#ifndef DWELL_PRELOAD_RECORD_H
#define DWELL_PRELOAD_RECORD_H

#include "preload/now.h"
#include "preload/self.h"
#include "preload/table.h"

struct record {
	struct wire_locks *table;
	struct wire_lock *lock; /* NULL: pass through */
	struct wire_count *count;
};

/* NULL: of no lock. */
static inline struct record record_of(struct wire_lock *l)
{
	return (struct record){ segment_place, l, l ? &l->count[now_cpu_slot()] : NULL };
}

/* It is of this lock, still: not after a fork, nor after the lock was destroyed. */
static inline bool record_is_of(const struct wire_lock *l, uint64_t key)
{
	return l && __atomic_load_n(&l->key, __ATOMIC_RELAXED) == key;
}

/*
 * With this factor (of MurmurHash3's fmix64) 64 locks in an array, up to 560 bytes apart, all have a
 * place of their own.
 */
static inline uint16_t *record_slot(uint64_t key)
{
	return &self.cache[(key * UINT64_C(0xc4ceb9fe1a85ec53)) >> (64 - SELF_CACHE_BITS)];
}

/* What the thread remembers for this key; the record may be of another. */
static inline struct wire_lock *record_remembered(struct wire_locks *s, uint64_t key)
{
	return &s->lock[*record_slot(key)];
}

/* One that the thread does not remember; makes it if there is none. NULL: pass through. */
HIDDEN struct wire_lock *record_look_up(uint64_t key);

/* Makes the record if there is none. */
static inline struct record record_get(uint64_t key)
{
	struct wire_locks *s = segment_is_open();
	struct wire_lock *l = likely(s) ? record_remembered(s, key) : NULL;
	if (unlikely(!record_is_of(l, key)))
		l = record_look_up(key);
	return record_of(l);
}

static inline struct record record_find(uint64_t key)
{
	struct wire_locks *s = segment();
	struct wire_lock *l = s ? record_remembered(s, key) : NULL;
	if (s && !record_is_of(l, key))
		l = table_find(s, key);
	return record_of(l);
}

#endif
