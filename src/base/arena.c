/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

#define ARENA_BLOCK 16384

struct arena_block {
	struct arena_block *next;
	size_t used, room;
	max_align_t data[];
};

void arena_fini(struct arena *a)
{
	while (a->blocks) {
		struct arena_block *b = a->blocks;
		a->blocks = b->next;
		free(b);
	}
}

void arena_adopt(struct arena *to, struct arena *from)
{
	struct arena_block **last = &from->blocks;
	while (*last)
		last = &(*last)->next;
	*last = to->blocks;
	to->blocks = from->blocks;
	from->blocks = NULL;
}

void *arena_alloc(struct arena *a, size_t n)
{
	size_t want = (n + sizeof(max_align_t) - 1) & ~(sizeof(max_align_t) - 1);
	struct arena_block *b = a->blocks;
	if (!b || b->room - b->used < want) {
		size_t room = want > ARENA_BLOCK ? want : ARENA_BLOCK;
		b = mem_alloc(sizeof(*b) + room);
		b->room = room;
		b->next = a->blocks;
		a->blocks = b;
	}
	void *p = (char *)b->data + b->used;
	b->used += want;
	return p;
}

const char *arena_str(struct arena *a, struct str s)
{
	char *p = arena_alloc(a, s.n + 1);
	if (s.n)
		memcpy(p, s.p, s.n);
	return p;
}

const char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		n = 0;
	char *p = arena_alloc(a, (size_t)n + 1);
	va_start(ap, fmt);
	vsnprintf(p, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return p;
}
