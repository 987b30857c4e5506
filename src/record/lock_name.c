/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/lock_name.h"

#include <stdlib.h>

#include "base/vec.h"
#include "core/capture.h"
#include "record/lock_inherit.h"

struct site {
	uint64_t pc;
	struct symbol_place place;
	uint32_t parent; /* of the union of sites that take the same locks */
	uint64_t n;      /* acquisitions and waits of locks that have no better name */
};

struct lock_names {
	const struct wire_locks *process;
	struct symbols *symbols;
	struct arena *arena;
	VEC(struct site) sites; /* by number of first use */
	uint32_t *slots;        /* number + 1; 0: empty */
	uint32_t mask;
};

const char *lock_kind_name(unsigned kind)
{
	static const char *const names[WIRE_KINDS] = {
		[WIRE_MUTEX] = "mutex", [WIRE_RWLOCK_W] = "rwlock", [WIRE_RWLOCK_R] = "rwlock",
		[WIRE_SPIN] = "spin",   [WIRE_COND] = "cond",       [WIRE_BARRIER] = "barrier",
		[WIRE_SEM] = "sem",     [WIRE_FUTEX] = "futex",
	};
	return kind < WIRE_KINDS && names[kind] ? names[kind] : "lock";
}

const struct wire_lock *lock_of_key(const struct wire_locks *p, uint32_t i)
{
	uint32_t lock = p->key[i].lock;
	return p->key[i].key > WIRE_KEY_FREE && lock && lock < WIRE_LOCKS ? &p->lock[lock] : NULL;
}

/* -- Sites ------------------------------------------------------------------------------------- */

static uint32_t hash_of(uint64_t pc)
{
	return (uint32_t)(pc * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static void grow(struct lock_names *n)
{
	uint32_t room = n->mask ? (n->mask + 1) * 2 : 1024;
	free(n->slots);
	n->slots = mem_array(room, sizeof(n->slots[0]));
	n->mask = room - 1;
	for (uint32_t i = 0; i < n->sites.n; i++) {
		uint32_t at = hash_of(n->sites.at[i].pc) & n->mask;
		while (n->slots[at])
			at = (at + 1) & n->mask;
		n->slots[at] = i + 1;
	}
}

static uint32_t site_of(struct lock_names *n, uint64_t pc)
{
	if (n->sites.n * 2 >= n->mask)
		grow(n);
	uint32_t at = hash_of(pc) & n->mask;
	for (; n->slots[at]; at = (at + 1) & n->mask) {
		if (n->sites.at[n->slots[at] - 1].pc == pc)
			return n->slots[at] - 1;
	}
	uint32_t i = (uint32_t)n->sites.n;
	vec_push(&n->sites, ((struct site){ .pc = pc, .parent = i }));
	n->sites.at[i].place = symbols_code(n->symbols, n->arena, pc);
	n->slots[at] = i + 1;
	return i;
}

struct symbol_place lock_names_site(struct lock_names *n, uint64_t pc)
{
	uint32_t i = site_of(n, pc); /* may move the sites */
	return n->sites.at[i].place;
}

struct lock_site lock_site_of(struct arena *a, struct symbol_place place, int64_t count)
{
	if (!place.function)
		return (struct lock_site){ place.where, NULL, NULL, count };
	return (struct lock_site){ place.function, arena_printf(a, " %s", place.where), NULL,
				   count };
}

size_t lock_names_frames(struct lock_names *n, uint64_t pc, struct lock_site *to, size_t room)
{
	struct symbol_frame frame[SYMBOL_FRAMES];
	size_t found = symbols_frames(n->symbols, n->arena, pc, frame,
				      room < SYMBOL_FRAMES ? room : SYMBOL_FRAMES);
	for (size_t i = 0; i < found; i++)
		to[i] = lock_site_of(n->arena, frame[i].place, UNKNOWN);
	return found;
}

static uint32_t root_of(struct lock_names *n, uint32_t i)
{
	while (n->sites.at[i].parent != i)
		i = n->sites.at[i].parent = n->sites.at[n->sites.at[i].parent].parent;
	return i;
}

/* The root is the site with most acquisitions, so that it gives the name. */
static void join(struct lock_names *n, uint32_t a, uint32_t b)
{
	a = root_of(n, a);
	b = root_of(n, b);
	if (a == b)
		return;
	bool first = n->sites.at[a].n >= n->sites.at[b].n;
	n->sites.at[first ? b : a].parent = first ? a : b;
}

/* -- Locks ------------------------------------------------------------------------------------- */

static bool is_gone(uint64_t key)
{
	return WIRE_KEY_KIND(key) & WIRE_KIND_GONE;
}

/* A site that took it, or waits for it, or has it; 0: none was seen. */
static uint64_t first_site(const struct wire_locks *p, const struct wire_lock *l)
{
	if (l->site[0])
		return l->site[0];
	uint64_t waiting = l->pairs < WIRE_PAIRS ? p->pair[l->pairs].waiting : 0;
	return waiting ? waiting : l->holder;
}

static void count_sites(struct lock_names *n, const struct wire_lock *l)
{
	for (unsigned i = 0; i < WIRE_SITES && l->site[i]; i++) {
		uint32_t site = site_of(n, l->site[i]);
		n->sites.at[site].n += l->count[0].site_n[i];
	}
}

static void join_sites(struct lock_names *n, const struct wire_lock *l)
{
	uint64_t first = first_site(n->process, l);
	for (unsigned i = 0; first && i < WIRE_SITES && l->site[i]; i++) {
		uint32_t site = site_of(n, l->site[i]);
		join(n, site_of(n, first), site);
	}
}

/* Nothing better than the places that take it is known. */
static bool is_nameless(struct lock_names *n, uint32_t i, const struct wire_lock *l)
{
	uint64_t key = n->process->key[i].key;
	return !l->init &&
	       (is_gone(key) || !symbols_data(n->symbols, n->arena, WIRE_KEY_ADDRESS(key)));
}

const struct wire_lock *lock_writers_of(const struct wire_locks *p, uint64_t key)
{
	uint64_t other = WIRE_KEY_ADDRESS(key) |
			 (uint64_t)(WIRE_RWLOCK_W | (WIRE_KEY_KIND(key) & WIRE_KIND_GONE)) << 56;
	uint32_t at = lock_key_find(p, other);
	return at < WIRE_KEYS ? lock_of_key(p, at) : NULL;
}

/* Readers and writers of a lock are one class, wherever they take it. */
static void join_halves(struct lock_names *n, uint32_t i, const struct wire_lock *readers)
{
	const struct wire_lock *writers = readers->kind == WIRE_RWLOCK_R
						  ? lock_writers_of(n->process, n->process->key[i].key)
						  : NULL;
	uint64_t a = first_site(n->process, readers);
	uint64_t b = writers ? first_site(n->process, writers) : 0;
	if (a && b) {
		uint32_t first = site_of(n, a);
		join(n, first, site_of(n, b));
	}
}

struct lock_names *lock_names_new(const struct wire_locks *p, struct symbols *s, struct arena *a)
{
	struct lock_names *n = mem_alloc(sizeof(*n));
	n->process = p;
	n->symbols = s;
	n->arena = a;
	for (int pass = 0; pass < 2; pass++) {
		lock_each_key (i, p) {
			const struct wire_lock *l = lock_of_key(p, i);
			if (!l || !is_nameless(n, i, l))
				continue;
			if (!pass) {
				count_sites(n, l);
				continue;
			}
			join_sites(n, l);
			join_halves(n, i, l);
		}
	}
	return n;
}

void lock_names_free(struct lock_names *n)
{
	if (!n)
		return;
	vec_fini(&n->sites);
	free(n->slots);
	free(n);
}

/* "mutex of pop()", "mutex of [libfoo.so+0x123]" */
static const char *by_place(struct lock_names *n, unsigned kind, const char *how,
			    struct symbol_place at)
{
	return at.function
		       ? arena_printf(n->arena, "%s %s %s()", lock_kind_name(kind), how,
				      at.function)
		       : arena_printf(n->arena, "%s %s %s", lock_kind_name(kind), how, at.where);
}

const char *lock_names_get(struct lock_names *n, uint32_t i)
{
	uint64_t key = n->process->key[i].key;
	const struct wire_lock *l = lock_of_key(n->process, i);
	unsigned kind = WIRE_KEY_KIND(key) & ~WIRE_KIND_GONE;
	const char *variable =
		is_gone(key) ? NULL : symbols_data(n->symbols, n->arena, WIRE_KEY_ADDRESS(key));
	if (variable)
		return variable;
	if (l->init)
		return by_place(n, kind, "made by", lock_names_site(n, l->init));
	uint64_t pc = first_site(n->process, l);
	if (!pc)
		return arena_printf(n->arena, "%s that nobody took", lock_kind_name(kind));
	uint32_t root = root_of(n, site_of(n, pc));
	return by_place(n, kind, "of", n->sites.at[root].place);
}
