/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/names.h"

#include <stdlib.h>

#define NAMES_TASK_CAP (1u << 20)

static uint32_t task_hash(struct task t)
{
	uint64_t h = ((uint64_t)t.comm << 32 | (uint32_t)t.pid) * 0x9e3779b97f4a7c15ull;
	return (uint32_t)(h >> 32);
}

static void names_grow(struct names *n, uint32_t slots)
{
	free(n->slots);
	n->slots = mem_array(slots, sizeof(*n->slots));
	n->mask = slots - 1;
	for (uint32_t id = 0; id < n->tasks.n; id++) {
		uint32_t i = task_hash(n->tasks.at[id]) & n->mask;
		while (n->slots[i])
			i = (i + 1) & n->mask;
		n->slots[i] = id + 1;
	}
}

void names_init(struct names *n)
{
	*n = (struct names){ 0 };
	intern_init(&n->text, INTERN_CAP);
	vec_push(&n->tasks, ((struct task){ .pid = -1 }));
	names_grow(n, 64);
}

void names_fini(struct names *n)
{
	intern_fini(&n->text);
	vec_fini(&n->tasks);
	free(n->slots);
	n->slots = NULL;
}

uint32_t names_task(struct names *n, struct str comm, int32_t pid)
{
	struct task t = { .comm = names_id(n, comm), .pid = pid };
	uint32_t i = task_hash(t) & n->mask;
	for (; n->slots[i]; i = (i + 1) & n->mask) {
		struct task have = n->tasks.at[n->slots[i] - 1];
		if (have.comm == t.comm && have.pid == t.pid)
			return n->slots[i] - 1;
	}
	if (n->tasks.n >= NAMES_TASK_CAP)
		return 0;

	uint32_t id = (uint32_t)n->tasks.n;
	vec_push(&n->tasks, t);
	n->slots[i] = id + 1;
	if (n->tasks.n * 2 > n->mask)
		names_grow(n, (n->mask + 1) * 2);
	return id;
}
