/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/lock_sample.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/intern.h"
#include "base/sat.h"
#include "record/lock_name.h"
#include "stat/seen.h"
#include "symbol/symbol.h"

struct site {
	uint64_t pc;    /* of a wait; or */
	uint32_t owner; /* the name of the thread that has it */
	int64_t n;
};

struct sites {
	struct site at[LOCK_SAMPLE_SITES];
	size_t n;
};

struct futex {
	uint64_t address;
	struct stat_seen seen;
	uint64_t look, now; /* how many were seen in that look */
	uint64_t owned, on_stack;
	struct sites waiting, holding;
};

struct lock_sample {
	struct intern keys, owners;
	VEC(struct futex *) futexes; /* by id of their key */
	uint64_t looks, lost;
	int64_t gap;
};

struct lock_sample *lock_sample_new(void)
{
	struct lock_sample *s = mem_alloc(sizeof(*s));
	intern_init(&s->keys, LOCK_SAMPLE_FUTEXES);
	intern_init(&s->owners, LOCK_SAMPLE_FUTEXES);
	return s;
}

void lock_sample_free(struct lock_sample *s)
{
	if (!s)
		return;
	vec_each (f, &s->futexes)
		free(*f);
	vec_fini(&s->futexes);
	intern_fini(&s->keys);
	intern_fini(&s->owners);
	free(s);
}

/* -- Looks ------------------------------------------------------------------------------------- */

void lock_sample_look(struct lock_sample *s, int64_t ns)
{
	s->looks++;
	s->gap = ns;
}

/* NULL: there are too many. */
static struct futex *futex_of(struct lock_sample *s, uint64_t address)
{
	char key[24];
	int n = snprintf(key, sizeof(key), "%llx", (unsigned long long)address);
	uint32_t id = intern_id(&s->keys, (struct str){ key, (size_t)n });
	if (id == INTERN_OTHER)
		return NULL;
	while (s->futexes.n <= id)
		vec_push(&s->futexes, NULL);
	if (!s->futexes.at[id]) {
		s->futexes.at[id] = mem_alloc(sizeof(struct futex));
		s->futexes.at[id]->address = address;
	}
	return s->futexes.at[id];
}

/* Those beyond the last are not told apart: they are in no list. */
static void add_site(struct sites *to, uint64_t pc, uint32_t owner)
{
	for (size_t i = 0; i < to->n; i++) {
		if (to->at[i].pc == pc && to->at[i].owner == owner) {
			to->at[i].n++;
			return;
		}
	}
	if (to->n < LOCK_SAMPLE_SITES)
		to->at[to->n++] = (struct site){ pc, owner, 1 };
}

void lock_sample_waiter(struct lock_sample *s, const struct lock_waiter *w)
{
	struct futex *f = futex_of(s, w->address);
	if (!f) {
		s->lost++;
		return;
	}
	if (f->look != s->looks)
		f->now = 0;
	f->look = s->looks;
	stat_seen_add(&f->seen, (double)s->gap, f->now++);
	f->on_stack += w->on_stack;
	add_site(&f->waiting, w->pc, 0);
	if (!w->owner)
		return;
	f->owned++;
	add_site(&f->holding, 0, intern_id(&s->owners, str_of(w->owner)));
}

/* -- The table --------------------------------------------------------------------------------- */

struct tally {
	struct lock_sample *sample;
	const struct memory_map *map;
	struct symbols *symbols;
	struct arena *arena;
};

static const char *kind_of_memory(const struct tally *t, const struct futex *f)
{
	const struct mapping *m = memory_map_find(t->map, f->address);
	if (f->on_stack)
		return "stack";
	if (!m)
		return "unknown memory";
	if (m->name[0] == '[')
		return strcmp(m->name, "[heap]") == 0    ? "heap"
		       : strcmp(m->name, "[stack]") == 0 ? "stack"
							 : "memory";
	if (m->shared)
		return "shared memory";
	const char *slash = strrchr(m->name, '/');
	return m->name[0] ? arena_printf(t->arena, "data of %s", slash ? slash + 1 : m->name)
			  : "memory";
}

static const char *name_of(const struct tally *t, const struct futex *f)
{
	const char *variable = symbols_data(t->symbols, t->arena, f->address);
	return variable ? variable
			: arena_printf(t->arena, "0x%llx (%s)", (unsigned long long)f->address,
				       kind_of_memory(t, f));
}

static void take_sites(const struct tally *t, struct lock_sites *to, const struct sites *from)
{
	for (size_t i = 0; i < from->n; i++) {
		const struct site *s = &from->at[i];
		if (s->owner) {
			const char *name = intern_name(&t->sample->owners, s->owner).p;
			name = arena_printf(t->arena, "thread '%s'", name);
			lock_sites_add(to, (struct lock_site){ name, NULL, NULL, s->n });
		} else {
			lock_sites_add(to, lock_site_of(t->arena,
							symbols_code(t->symbols, t->arena, s->pc),
							s->n));
		}
	}
	lock_sites_sort(to);
}

static void take_futex(const struct tally *t, struct locktab *table, struct futex *f)
{
	struct stat_interval wait;
	struct lock_row *r = locktab_row(table, 0);
	if (!r)
		return;
	f->seen.looks = t->sample->looks;
	stat_seen_time(&f->seen, &wait);
	r->name = name_of(t, f);
	/* glibc's mutexes tell who has them; what else waits for a futex does not say what it is. */
	r->type = 2 * f->owned > f->seen.seen ? "mutex" : "futex";
	lock_set(r, LOCK_WAIT_TOTAL, sat_round(wait.mid));
	r->value[LOCK_WAIT_TOTAL].known = LOCK_ESTIMATED;
	r->instances = 1;
	r->seen = (int64_t)f->seen.seen;
	r->wait_low_ns = sat_round(wait.low);
	r->wait_high_ns = sat_round(wait.high);
	take_sites(t, &r->waiting, &f->waiting);
	take_sites(t, &r->holding, &f->holding);
}

static int by_wait(const void *x, const void *y)
{
	const struct futex *a = *(const struct futex *const *)x;
	const struct futex *b = *(const struct futex *const *)y;
	double n = a ? a->seen.ns : 0, m = b ? b->seen.ns : 0;
	return (n < m) - (n > m);
}

static struct symbols *symbols_of(const struct memory_map *m)
{
	struct symbols *s = symbols_new();
	vec_each (at, &m->at) {
		if (at->name[0] == '/')
			symbols_map(s, at->start, at->end, at->offset, at->name);
	}
	return s;
}

void lock_sample_table(struct lock_sample *s, const struct memory_map *m,
		       const struct lock_sample_run *run, struct capture *c)
{
	struct tally t = { s, m, symbols_of(m), &c->arena };
	c->kind = CAPTURE_LOCKS;
	c->locks = locktab_new(&c->arena, LOCKTAB_PROGRAM);
	c->label = run->command;
	struct lock_run_facts *facts = lock_run_facts_new(&c->arena, run->command);
	facts->ns = run->ns;
	facts->processes = 1;
	facts->still_running = run->running;
	facts->looks = (int64_t)s->looks;
	facts->looks_lost = (int64_t)s->lost;
	facts->looks_cpu_ns = run->cpu_ns;
	facts->pid = run->pid;
	c->locks->run = facts;
	vec_sort(&s->futexes, by_wait);
	vec_each (f, &s->futexes) {
		if (*f)
			take_futex(&t, c->locks, *f);
	}
	symbols_free(t.symbols);
	/* The order was that of the ids. */
	vec_each (f, &s->futexes)
		free(*f);
	vec_fini(&s->futexes);
}
