/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A small cache from a piece of a line, byte for byte, to the id that was worked out for it. The
 * columns of a trace repeat: whoever ran a moment ago runs again, on this CPU or another. One
 * place for each hash, the newest piece takes it; what is forgotten is worked out again.
 */
#ifndef DWELL_READ_MEMO_H
#define DWELL_READ_MEMO_H

#include <stdint.h>
#include <string.h>

#include "base/str.h"

#define MEMO_TEXT 54
#define MEMO_SLOTS 512

struct memo_slot {
	uint32_t id;
	uint8_t kind; /* whatever else the user wants to remember */
	uint8_t n;    /* 0: empty */
	char text[MEMO_TEXT];
};

struct memo {
	struct memo_slot slot[MEMO_SLOTS];
};

static inline uint64_t memo_word(const char *p)
{
	uint64_t w;
	memcpy(&w, p, sizeof(w));
	return w;
}

/* The last up to 7 bytes, or the first: whatever n is, no byte outside is touched. */
static inline uint64_t memo_short(const char *p, size_t n)
{
	uint32_t a, b;
	if (n >= 4) {
		memcpy(&a, p, 4);
		memcpy(&b, p + n - 4, 4);
		return (uint64_t)a << 32 | b;
	}
	if (!n)
		return 0;
	return (uint64_t)(unsigned char)p[0] << 16 | (uint64_t)(unsigned char)p[n / 2] << 8 |
	       (unsigned char)p[n - 1];
}

/* The middle of what is longer than 24 bytes does not count: pieces of lines differ elsewhere. */
static inline uint32_t memo_hash(struct str s)
{
	const uint64_t k = 0x9e3779b97f4a7c15ull; /* 2^64 / golden ratio: Knuth, TAOCP 3, 6.4 */
	uint64_t h;
	if (s.n < 8) {
		h = memo_short(s.p, s.n) * k;
	} else {
		h = memo_word(s.p) * k ^ memo_word(s.p + s.n - 8);
		if (s.n > 16)
			h = h * k ^ memo_word(s.p + s.n - 16);
	}
	h = (h + s.n) * k;
	return (uint32_t)(h >> 40) % MEMO_SLOTS;
}

static inline bool memo_same(const char *a, const char *b, size_t n)
{
	if (n < 8)
		return memo_short(a, n) == memo_short(b, n);
	size_t i = 0;
	for (; i + 8 < n; i += 8) {
		if (memo_word(a + i) != memo_word(b + i))
			return false;
	}
	return memo_word(a + n - 8) == memo_word(b + n - 8);
}

/*
 * The slot of the piece: its id is valid if n is s.n. If n is 0, the caller works the id out and
 * calls memo_keep. NULL: the piece is too long, or empty.
 */
static inline struct memo_slot *memo_find(struct memo *m, struct str s)
{
	if (s.n - 1 >= MEMO_TEXT)
		return NULL;
	struct memo_slot *slot = &m->slot[memo_hash(s)];
	if (slot->n != s.n || !memo_same(slot->text, s.p, s.n))
		slot->n = 0;
	return slot;
}

static inline void memo_keep(struct memo_slot *slot, struct str s, uint32_t id, uint8_t kind)
{
	if (!slot)
		return;
	slot->id = id;
	slot->kind = kind;
	slot->n = (uint8_t)s.n;
	memcpy(slot->text, s.p, s.n);
}

#endif
