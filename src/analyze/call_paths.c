/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/call_paths.h"

#include <stdlib.h>

#include "base/mem.h"

#define SLOTS_FIRST 64

static struct call_path *slot_of(const struct call_paths *p, uint32_t parent, uint32_t symbol)
{
	uint64_t h = ((uint64_t)parent << 32 | symbol) * 0x9e3779b97f4a7c15ull;
	uint32_t i = (uint32_t)(h >> 40) & p->mask;
	while (p->slots[i].node && (p->slots[i].parent != parent || p->slots[i].symbol != symbol))
		i = (i + 1) & p->mask;
	return &p->slots[i];
}

/* Room for one path more, half of the slots empty. */
static void paths_grow(struct call_paths *p)
{
	struct call_paths old = *p;
	uint32_t slots = old.slots ? (old.mask + 1) * 2 : SLOTS_FIRST;
	p->slots = mem_array(slots, sizeof(*p->slots));
	p->mask = slots - 1;
	for (uint32_t i = 0; old.slots && i <= old.mask; i++) {
		const struct call_path *s = &old.slots[i];
		if (s->node)
			*slot_of(p, s->parent, s->symbol) = *s;
	}
	call_paths_fini(&old);
}

uint32_t call_paths_find(const struct call_paths *p, uint32_t parent, uint32_t symbol)
{
	return p->slots ? slot_of(p, parent, symbol)->node : 0;
}

void call_paths_add(struct call_paths *p, uint32_t parent, uint32_t symbol, uint32_t node)
{
	if (!p->slots || p->n * 2 > p->mask)
		paths_grow(p);
	*slot_of(p, parent, symbol) = (struct call_path){ parent, symbol, node };
	p->n++;
}

void call_paths_fini(struct call_paths *p)
{
	free(p->slots);
	*p = (struct call_paths){ 0 };
}
