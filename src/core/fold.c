/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/fold.h"

#include <stdlib.h>

#include "base/mem.h"

#define SLOTS (2 * FOLD_NODES)

void fold_init(struct fold *f)
{
	*f = (struct fold){ .slots = mem_array(SLOTS, sizeof(*f->slots)) };
	vec_push(&f->nodes, ((struct fold_node){ 0 }));
}

void fold_fini(struct fold *f)
{
	vec_fini(&f->nodes);
	free(f->slots);
	f->slots = NULL;
}

uint32_t fold_node(struct fold *f, uint32_t parent, enum fold_kind kind, uint32_t id)
{
	uint64_t h = ((uint64_t)parent << 32 | id) * 0x9e3779b97f4a7c15ull + kind;
	uint32_t i = (uint32_t)(h >> 40) & (SLOTS - 1);
	for (; f->slots[i]; i = (i + 1) & (SLOTS - 1)) {
		const struct fold_node *n = &f->nodes.at[f->slots[i]];
		if (n->parent == parent && n->id == id && n->kind == kind)
			return f->slots[i];
	}
	if (f->nodes.n >= FOLD_NODES)
		return 0;
	f->slots[i] = (uint32_t)f->nodes.n;
	vec_push(&f->nodes, ((struct fold_node){ .parent = parent, .id = id, .kind = kind }));
	return f->slots[i];
}
