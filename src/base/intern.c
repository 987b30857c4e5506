/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/intern.h"

#include <stdlib.h>

#define INTERN_SLOTS 1024

/* Eight bytes a step; the multiplier is 2^64 / golden ratio (Knuth, TAOCP 3, 6.4). */
static uint32_t intern_hash(struct str s)
{
	uint64_t h = s.n * 0x9e3779b97f4a7c15ull;
	const char *p = s.p;
	size_t n = s.n;
	for (; n >= 8; n -= 8, p += 8) {
		uint64_t w;
		memcpy(&w, p, 8);
		h = (h ^ w) * 0x9e3779b97f4a7c15ull;
		h ^= h >> 29;
	}
	uint64_t w = 0;
	if (n)
		memcpy(&w, p, n);
	h = (h ^ w) * 0x9e3779b97f4a7c15ull;
	return (uint32_t)(h >> 32);
}

static void intern_grow(struct intern *t)
{
	uint32_t slots = (t->mask + 1) * 2;
	free(t->slots);
	t->slots = mem_array(slots, sizeof(*t->slots));
	t->hashes = mem_resize(t->hashes, slots, sizeof(*t->hashes));
	t->mask = slots - 1;
	for (uint32_t id = 0; id < t->names.n; id++) {
		uint32_t i = t->hashes[id] & t->mask;
		while (t->slots[i])
			i = (i + 1) & t->mask;
		t->slots[i] = id + 1;
	}
}

void intern_init(struct intern *t, uint32_t cap)
{
	*t = (struct intern){ .mask = INTERN_SLOTS / 2 - 1, .cap = cap };
	intern_grow(t);
	intern_id(t, (struct str){ "", 0 });
	intern_id(t, str_of("(other)"));
}

void intern_fini(struct intern *t)
{
	arena_fini(&t->text);
	vec_fini(&t->names);
	free(t->slots);
	free(t->hashes);
	*t = (struct intern){ 0 };
}

uint32_t intern_id(struct intern *t, struct str s)
{
	uint32_t hash = intern_hash(s);
	uint32_t i = hash & t->mask;
	for (; t->slots[i]; i = (i + 1) & t->mask) {
		uint32_t id = t->slots[i] - 1;
		if (t->hashes[id] == hash && str_same(t->names.at[id], s))
			return id;
	}
	if (t->names.n >= t->cap) {
		t->refused++;
		return INTERN_OTHER;
	}

	uint32_t id = (uint32_t)t->names.n;
	struct str kept = { arena_str(&t->text, s), s.n };
	vec_push(&t->names, kept);
	t->hashes[id] = hash;
	t->slots[i] = id + 1;
	if (t->names.n * 2 > t->mask)
		intern_grow(t);
	return id;
}
