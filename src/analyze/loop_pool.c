/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/loop_pool.h"

#include "base/sat.h"

void loop_pool_init(struct loop_pool *p, size_t size)
{
	*p = (struct loop_pool){ .size = size };
}

static void loop_forget(struct loop_pool *p, uint32_t id)
{
	struct pooled_loop *l = p->at.at[id - 1];
	p->n--;
	p->samples -= stat_series_room(&l->steady) + stat_series_room(&l->first);
	stat_series_fini(&l->steady);
	stat_series_fini(&l->first);
	free(l);
	p->at.at[id - 1] = NULL;
}

struct dear {
	int64_t ns;
	uint32_t id;
};

static int dear_order(const void *a, const void *b)
{
	const struct dear *x = a, *y = b;
	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

/* The total of a loop that has not ended so far is in its turns alone. */
static int64_t loop_time(const struct pooled_loop *l)
{
	int64_t turns = sat_add(l->steady.sum, l->first.sum);
	return turns > l->total ? turns : l->total;
}

static void forget_cheapest(struct loop_pool *p)
{
	VEC(struct dear) all = { 0 };
	for (uint32_t id = 1; id <= p->at.n; id++) {
		const struct pooled_loop *l = loop_pool_get(p, id);
		if (l)
			vec_push(&all, ((struct dear){ loop_time(l), id }));
	}
	vec_sort(&all, dear_order);
	for (size_t i = 0; i < LOOP_POOL_LOOPS / 8; i++)
		loop_forget(p, all.at[i].id);
	vec_fini(&all);
}

void *loop_pool_take(struct loop_pool *p, uint32_t *id)
{
	struct pooled_loop *l = loop_pool_get(p, *id);
	if (l)
		return l;
	if (p->n == LOOP_POOL_LOOPS)
		forget_cheapest(p);
	l = mem_alloc(p->size);
	p->n++;
	if (*id) {
		l->partial = true;
		p->at.at[*id - 1] = l;
	} else {
		vec_push(&p->at, l);
		*id = (uint32_t)p->at.n;
	}
	return l;
}

void loop_pool_fini(struct loop_pool *p)
{
	for (uint32_t id = 1; id <= p->at.n; id++) {
		if (loop_pool_get(p, id))
			loop_forget(p, id);
	}
	vec_fini(&p->at);
}
