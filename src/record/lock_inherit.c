/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/lock_inherit.h"

uint32_t lock_key_find(const struct wire_locks *p, uint64_t key)
{
	uint32_t at = wire_hash(key);
	for (unsigned i = 0; i < WIRE_PROBES; i++, at = (at + 1) % WIRE_KEYS) {
		if (p->key[at].key == key)
			return at;
	}
	return WIRE_KEYS;
}

uint32_t lock_key_next(const struct wire_locks *p, uint32_t at)
{
	while (at < WIRE_KEYS && !wire_has_group(p, at))
		at = (at / WIRE_KEY_GROUP + 1) * WIRE_KEY_GROUP;
	return at;
}

bool lock_is_parent(const struct wire_locks *parent, const struct wire_locks *child)
{
	return child->forked_start && parent->start == child->forked_start &&
	       parent->pid == child->forked_pid;
}

/* 0: none, or not before the time of a fork. */
static uint64_t init_before(const struct wire_locks *p, uint64_t key, uint64_t fork)
{
	uint32_t at = lock_key_find(p, key);
	if (at == WIRE_KEYS || p->key[at].lock >= WIRE_LOCKS)
		return 0;
	uint32_t made = p->key[at].made;
	bool before = made && made < UINT32_MAX && p->start <= fork &&
		      fork - p->start >= (uint64_t)made * WIRE_MADE_NS;
	return before ? p->lock[p->key[at].lock].init : 0;
}

void lock_inherit(struct wire_locks *child, const struct wire_locks *parent)
{
	lock_each_key (i, child) {
		uint32_t lock = child->key[i].lock;
		uint64_t key = child->key[i].key;
		if (key > WIRE_KEY_FREE && lock && lock < WIRE_LOCKS && !child->lock[lock].init)
			child->lock[lock].init = init_before(parent, key, child->start);
	}
}
