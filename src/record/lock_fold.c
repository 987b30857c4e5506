/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/lock_fold.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/mem.h"

static bool is_same(const struct wire_pair *a, const struct wire_pair *b)
{
	return a->waiting == b->waiting && a->holding == b->holding && a->stack == b->stack;
}

const struct wire_pair *lock_pair(const struct wire_locks *f, const struct wire_lock *l,
				  const struct wire_pair *is)
{
	uint32_t i = l->pairs, seen = 0;
	for (; i && i < WIRE_PAIRS && seen < LOCK_PAIRS; i = f->pair[i].next, seen++) {
		if (is_same(&f->pair[i], is))
			return &f->pair[i];
	}
	return NULL;
}

static void add_pair(struct wire_locks *f, struct wire_lock *l, const struct wire_pair *is)
{
	struct wire_pair *p = (struct wire_pair *)(uintptr_t)lock_pair(f, l, is);
	if (p) {
		p->n += is->n;
		p->wait += is->wait;
		return;
	}
	if (f->pairs_used >= WIRE_PAIRS) {
		l->pair_lost += is->n;
		f->pair_overflow += is->n;
		return;
	}
	uint32_t i = f->pairs_used++;
	f->pair[i] = *is;
	f->pair[i].next = l->pairs;
	l->pairs = i;
}

static void fold_lock(struct wire_locks *f, struct wire_lock *to, const struct wire_lock *from)
{
	memcpy(to, from, offsetof(struct wire_lock, count));
	for (unsigned i = 0; i < WIRE_CPUS; i++) {
		wire_count_add(&to->count[0], &from->count[i]);
		if (from->count[i].pending.n)
			add_pair(f, to, &from->count[i].pending);
	}
}

uint32_t lock_modules(const struct wire_locks *p)
{
	return p->modules_used < WIRE_MODULES ? p->modules_used : WIRE_MODULES;
}

struct wire_locks *lock_fold(const struct wire_locks *p)
{
	struct wire_locks *f = mem_alloc(sizeof(*f));
	memcpy(f, p, offsetof(struct wire_locks, module));
	memcpy(f->module, p->module, lock_modules(p) * sizeof(f->module[0]));
	memcpy(f->names, p->names, p->names_used < WIRE_NAMES ? p->names_used : WIRE_NAMES);
	for (uint32_t at = 0; at < WIRE_KEYS; at += WIRE_KEY_GROUP) {
		if (wire_has_group(f, at))
			memcpy(&f->key[at], &p->key[at], WIRE_KEY_GROUP * sizeof(f->key[0]));
	}
	uint32_t locks = f->locks_used < WIRE_LOCKS ? f->locks_used : WIRE_LOCKS;
	f->pairs_used = f->pairs_used < WIRE_PAIRS ? f->pairs_used : WIRE_PAIRS;
	memcpy(f->pair, p->pair, f->pairs_used * sizeof(f->pair[0]));
	if (f->stacks)
		memcpy(f->stack, p->stack, sizeof(f->stack));
	for (uint32_t i = 0; i < locks; i++)
		fold_lock(f, &f->lock[i], &p->lock[i]);
	return f;
}
