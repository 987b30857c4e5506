/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/lock_align.h"

#include <math.h>
#include <stdlib.h>

static size_t runs_of(const struct lock_alignment *a)
{
	return a->runs[LOCK_BASE] + a->runs[LOCK_NEW];
}

static int side_of(const struct lock_alignment *a, size_t run)
{
	return run < a->runs[LOCK_BASE] ? LOCK_BASE : LOCK_NEW;
}

/*
 * What two rows must share to be one class. A class that nobody takes for reading prints no -W:
 * it is the same as the writers' half of one that somebody does.
 */
static uint32_t key_of(struct lock_alignment *a, const struct lock_class *c,
		       const struct lock_aliases *aliases)
{
	const char *name = lock_alias_class(aliases, &a->arena, c->base);
	const char *key = arena_printf(&a->arena, "%s-%c", lock_class_key(&a->arena, c, name),
				       c->rw == 'R' ? 'R' : 'W');
	return intern_id(&a->keys, str_of(key));
}

static void figures_init(struct lock_figures *f)
{
	*f = (struct lock_figures){ 0 };
	for (size_t i = 0; i < LOCK_COLUMNS; i++)
		f->n[i] = UNKNOWN;
}

static int64_t join(enum lock_column c, int64_t a, int64_t b)
{
	if (c == LOCK_WAIT_MIN || c == LOCK_HOLD_MIN)
		return a < b ? a : b;
	if (c == LOCK_WAIT_MAX || c == LOCK_HOLD_MAX)
		return a > b ? a : b;
	return lock_sum(a, b);
}

/* A figure that one run does not know is unknown for all of them. */
static void figures_add(struct lock_figures *f, const struct lock_class *c, double work)
{
	for (size_t i = 0; i < LOCK_COLUMNS; i++) {
		f->how[i] = how_both(f->how[i], c->how[i]);
		if (!f->runs)
			f->n[i] = c->n[i];
		else if (f->n[i] == UNKNOWN || c->n[i] == UNKNOWN)
			f->n[i] = UNKNOWN;
		else
			f->n[i] = join((enum lock_column)i, f->n[i], c->n[i]);
	}
	f->work = f->runs ? f->work + work : work;
	f->runs++;
}

static struct lock_pair *pair_of(struct lock_alignment *a, uint32_t key)
{
	while (a->pairs.n <= key) {
		struct lock_pair p = { 0 };
		p.run = arena_alloc(&a->arena, runs_of(a) * sizeof(*p.run));
		figures_init(&p.sum[LOCK_BASE]);
		figures_init(&p.sum[LOCK_NEW]);
		vec_push(&a->pairs, p);
	}
	return &a->pairs.at[key];
}

static void take_class(struct lock_alignment *a, size_t run, const struct lock_class *c,
		       const struct lock_aliases *aliases)
{
	struct lock_pair *p = pair_of(a, key_of(a, c, aliases));
	p->run[run] = c;
	p->flags |= c->flags;
	if (side_of(a, run) == LOCK_NEW || !p->name)
		p->name = lock_is_told_apart(c) ? c->base : c->name;
}

/* What the base calls it, for a reader who looks for it there. */
static const char *old_name(const struct lock_alignment *a, const struct lock_pair *p)
{
	const struct lock_class *new = NULL;
	for (size_t i = a->runs[LOCK_BASE]; i < runs_of(a) && !new; i++)
		new = p->run[i];
	for (size_t i = 0; i < a->runs[LOCK_BASE] && new; i++) {
		if (p->run[i] && strcmp(p->run[i]->base, new->base) != 0)
			return p->run[i]->name;
	}
	return NULL;
}

static void finish_pair(struct lock_alignment *a, struct lock_pair *p, const double *work)
{
	for (size_t i = 0; i < runs_of(a); i++) {
		if (p->run[i])
			figures_add(&p->sum[side_of(a, i)], p->run[i], work ? work[i] : NAN);
	}
	p->was = old_name(a, p);
	a->maps += (p->flags & LOCK_MAP) != 0;
	if (lock_pair_is_both(p))
		a->both++;
	else
		a->only[p->sum[LOCK_BASE].runs ? LOCK_BASE : LOCK_NEW]++;
	a->renamed += p->was != NULL;
}

/* Leaves out the names that several rows of a table print, and the ids that are no class. */
static void finish(struct lock_alignment *a, const double *work)
{
	size_t kept = 0;
	for (size_t i = 0; i < a->pairs.n; i++) {
		struct lock_pair *p = &a->pairs.at[i];
		if (!p->name)
			continue;
		if (p->flags & LOCK_TWIN) {
			a->twins++;
			continue;
		}
		finish_pair(a, p, work);
		a->pairs.at[kept++] = *p;
	}
	a->pairs.n = kept;
}

void lock_align(struct lock_alignment *a, const struct lock_side side[LOCK_SIDES],
		const struct lock_aliases *aliases, const double *work)
{
	*a = (struct lock_alignment){ .runs = { side[LOCK_BASE].n, side[LOCK_NEW].n },
				      .work = work };
	intern_init(&a->keys, INTERN_CAP);
	size_t run = 0;
	for (int s = 0; s < LOCK_SIDES; s++) {
		for (size_t i = 0; i < side[s].n; i++, run++) {
			vec_each (c, &side[s].runs[i]->classes)
				take_class(a, run, c, aliases);
		}
	}
	finish(a, work);
}

void lock_alignment_fini(struct lock_alignment *a)
{
	vec_fini(&a->pairs);
	intern_fini(&a->keys);
	arena_fini(&a->arena);
}

/*
 * Sites
 */
static struct lock_place_pair *place_named(struct lock_places_pair *all, const char *symbol)
{
	for (size_t i = 0; i < all->n; i++) {
		if (strcmp(all->at[i].symbol, symbol) == 0)
			return &all->at[i];
	}
	struct lock_place_pair *p = &all->at[all->n++];
	*p = (struct lock_place_pair){ symbol, { UNKNOWN, UNKNOWN }, false, NULL };
	return p;
}

static int64_t most(const struct lock_place_pair *p)
{
	return p->count[LOCK_BASE] > p->count[LOCK_NEW] ? p->count[LOCK_BASE] : p->count[LOCK_NEW];
}

static int compare_places(const void *x, const void *y)
{
	const struct lock_place_pair *a = x, *b = y;
	if (most(a) != most(b))
		return most(a) < most(b) ? 1 : -1;
	return strcmp(a->symbol, b->symbol);
}

/* Two that may be one: each is known to one side alone, and inlining explains it. */
static void find_maybes(struct lock_places_pair *all)
{
	for (size_t i = 0; i < all->n; i++) {
		for (size_t j = 0; j < all->n; j++) {
			struct lock_place_pair *a = &all->at[i], *b = &all->at[j];
			if (a->count[LOCK_BASE] > 0 && b->count[LOCK_NEW] > 0 &&
			    a->count[LOCK_NEW] <= 0 && b->count[LOCK_BASE] <= 0 &&
			    lock_alias_maybe_site(a->symbol, b->symbol)) {
				a->maybe = b->symbol;
				b->maybe = a->symbol;
			}
		}
	}
}

static const struct lock_sites *sites(const struct lock_class *c, bool holding)
{
	c = lock_sited(c);
	return holding ? c->holding : c->waiting;
}

struct lock_places_pair lock_align_places(struct arena *to, const struct lock_alignment *a,
					  const struct lock_pair *p, bool holding,
					  const struct lock_aliases *aliases)
{
	struct lock_places_pair all = { .of = { UNKNOWN, UNKNOWN },
					.without = { UNKNOWN, UNKNOWN } };
	size_t room = 0;
	for (size_t i = 0; i < runs_of(a); i++)
		room += p->run[i] ? sites(p->run[i], holding)->n : 0;
	if (!room)
		return all;
	all.at = arena_alloc(to, room * sizeof(*all.at));
	for (size_t i = 0; i < runs_of(a); i++) {
		const struct lock_class *c = p->run[i];
		int s = side_of(a, i);
		if (!c)
			continue;
		struct lock_places from = lock_places_of(to, sites(c, holding));
		for (size_t j = 0; j < from.n; j++) {
			const char *symbol = lock_alias_site(aliases, to, from.at[j].symbol);
			struct lock_place_pair *into = place_named(&all, symbol);
			into->count[s] = lock_sum(into->count[s], from.at[j].count);
			into->wrapper |= from.at[j].wrapper;
		}
		c = lock_sited(c);
		if (from.n || c->sited == 0) {
			all.of[s] = lock_sum(all.of[s], c->sited);
			all.without[s] = lock_sum(all.without[s], lock_without_site(c, &from));
			all.how[s] = how_both(all.how[s], c->sited_how);
		}
	}
	/* Where every contention has its site, a site that is not listed had none. */
	for (size_t i = 0; i < all.n; i++) {
		for (int s = 0; s < LOCK_SIDES; s++) {
			if (all.at[i].count[s] == UNKNOWN && all.without[s] == 0)
				all.at[i].count[s] = 0;
		}
	}
	find_maybes(&all);
	vec_sort(&all, compare_places);
	return all;
}
