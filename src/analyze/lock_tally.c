/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/lock_tally.h"

#include <stdlib.h>

#include "base/sat.h"
#include "core/capture.h"

void lock_tally_init(struct lock_tally *t, const struct names *names, const struct symbols *symbols)
{
	*t = (struct lock_tally){ .names = names, .symbols = symbols };
}

void lock_tally_fini(struct lock_tally *t)
{
	vec_each (c, &t->classes) {
		vec_fini(&c->waiting);
		vec_fini(&c->holding);
	}
	vec_fini(&t->classes);
	vec_fini(&t->locks);
	vec_fini(&t->members);
	free(t->class_index.slots);
	free(t->lock_index.slots);
	free(t->member_index.slots);
	*t = (struct lock_tally){ 0 };
}

/* -- Finding ----------------------------------------------------------------------------------- */

static uint32_t hash(uint64_t a, uint64_t b)
{
	return (uint32_t)(((a ^ b << 31 ^ b >> 7) * 0x9e3779b97f4a7c15ull) >> 32);
}

static uint32_t class_hash(const struct tally_class *c)
{
	return hash((uint64_t)c->name << 32 | c->site, c->type);
}

/*
 * Room for one entry more among n, the half of the slots empty. hash_of knows an entry's hash; the
 * entries are put in anew.
 */
static void index_grow(struct tally_index *x, size_t n,
		       uint32_t (*hash_of)(const struct lock_tally *, size_t),
		       const struct lock_tally *t)
{
	if (x->slots && n * 2 < x->mask)
		return;
	uint32_t slots = x->slots ? (x->mask + 1) * 2 : 64;
	free(x->slots);
	x->slots = mem_array(slots, sizeof(*x->slots));
	x->mask = slots - 1;
	for (size_t i = 0; i < n; i++) {
		uint32_t at = hash_of(t, i) & x->mask;
		while (x->slots[at])
			at = (at + 1) & x->mask;
		x->slots[at] = (uint32_t)i + 1;
	}
}

static uint32_t hash_of_class(const struct lock_tally *t, size_t i)
{
	return class_hash(&t->classes.at[i]);
}

static uint32_t hash_of_lock(const struct lock_tally *t, size_t i)
{
	return hash((uint64_t)t->locks.at[i].address, 0);
}

static uint32_t hash_of_member(const struct lock_tally *t, size_t i)
{
	return hash(t->members.at[i], 1);
}

/* A class that has a name is one wherever it is waited for. NULL: there are too many. */
static struct tally_class *class_of(struct lock_tally *t, uint32_t type, uint32_t name,
				    uint32_t site)
{
	struct tally_class want = { .type = type, .name = name, .site = name ? 0 : site };
	index_grow(&t->class_index, t->classes.n, hash_of_class, t);
	uint32_t i = class_hash(&want) & t->class_index.mask;
	for (; t->class_index.slots[i]; i = (i + 1) & t->class_index.mask) {
		struct tally_class *c = &t->classes.at[t->class_index.slots[i] - 1];
		if (c->type == want.type && c->name == want.name && c->site == want.site)
			return c;
	}
	if (t->classes.n >= LOCK_TALLY_CLASSES) {
		t->classes_left_out++;
		return NULL;
	}
	want.lock = UNKNOWN;
	vec_push(&t->classes, want);
	t->class_index.slots[i] = (uint32_t)t->classes.n;
	return vec_last(&t->classes);
}

/* Its slot, which is empty if it is not known. */
static uint32_t *lock_slot(const struct lock_tally *t, int64_t address)
{
	uint32_t i = hash((uint64_t)address, 0) & t->lock_index.mask;
	while (t->lock_index.slots[i] && t->locks.at[t->lock_index.slots[i] - 1].address != address)
		i = (i + 1) & t->lock_index.mask;
	return &t->lock_index.slots[i];
}

static struct tally_lock *lock_of(struct lock_tally *t, int64_t address, uint32_t type,
				  uint32_t name)
{
	if (address == UNKNOWN)
		return NULL;
	index_grow(&t->lock_index, t->locks.n, hash_of_lock, t);
	uint32_t *slot = lock_slot(t, address);
	if (!*slot && t->locks.n >= LOCK_TALLY_LOCKS) {
		t->locks_left_out++;
		return NULL;
	}
	if (!*slot) {
		vec_push(&t->locks, ((struct tally_lock){ .address = address }));
		*slot = (uint32_t)t->locks.n;
	}
	struct tally_lock *l = &t->locks.at[*slot - 1];
	l->type |= type; /* read and write */
	l->name = name;
	return l;
}

/* The lock is one of the class: counts it once. */
static void class_member(struct lock_tally *t, struct tally_class *c, const struct tally_lock *l)
{
	if (!l)
		return;
	uint64_t member = (uint64_t)(c - t->classes.at) << 32 | (uint64_t)(l - t->locks.at);
	index_grow(&t->member_index, t->members.n, hash_of_member, t);
	uint32_t i = hash(member, 1) & t->member_index.mask;
	for (; t->member_index.slots[i]; i = (i + 1) & t->member_index.mask) {
		if (t->members.at[t->member_index.slots[i] - 1] == member)
			return;
	}
	if (t->members.n >= LOCK_TALLY_LOCKS)
		return;
	vec_push(&t->members, member);
	t->member_index.slots[i] = (uint32_t)t->members.n;
	if (!c->locks++)
		c->lock = l->address;
}

/* -- Counting ---------------------------------------------------------------------------------- */

static bool sum_add(struct tally_sum *s, int64_t ns)
{
	bool longest = !s->n || ns > s->max;
	s->min = !s->n || ns < s->min ? ns : s->min;
	s->max = longest ? ns : s->max;
	s->n++;
	sat_sum(&s->total, ns);
	return longest;
}

static void site_add(struct tally_sites *s, uint32_t site)
{
	if (!site)
		return;
	vec_each (at, s) {
		if (at->site == site) {
			at->n++;
			return;
		}
	}
	if (s->n < LOCK_TALLY_SITES)
		vec_push(s, ((struct tally_site){ site, 1 }));
	else
		s->others++;
}

struct tally_owner lock_tally_owner(const struct lock_tally *t, int64_t lock)
{
	if (lock == UNKNOWN || !t->lock_index.slots || !*lock_slot(t, lock))
		return (struct tally_owner){ 0 };
	const struct tally_lock *l = &t->locks.at[*lock_slot(t, lock) - 1];
	return (struct tally_owner){ l->had, l->cpu, l->site };
}

static void lock_waited(struct tally_lock *l, const struct tally_wait *w)
{
	if (sum_add(&l->waits, w->ns))
		l->max_line = w->line;
	sat_sum(&l->spin_ns, w->spin_ns);
}

void lock_tally_wait(struct lock_tally *t, const struct tally_wait *w)
{
	struct tally_lock *l = lock_of(t, w->lock, w->type, w->name);
	struct tally_class *c = class_of(t, w->type, w->name, w->site);
	if (l && !w->failed)
		lock_waited(l, w);
	if (!c)
		return;
	class_member(t, c, l);
	if (w->failed) {
		c->failed++;
		return;
	}
	if (sum_add(&c->waits, w->ns))
		c->max_line = w->line;
	sat_sum(&c->spin_ns, w->spin_ns);
	c->con_bounces += w->before.known && w->before.cpu != w->cpu;
	site_add(&c->waiting, w->site);
	site_add(&c->holding, w->before.site);
}

void lock_tally_got(struct lock_tally *t, const struct tally_got *g, bool bounces)
{
	struct tally_lock *l = lock_of(t, g->lock, g->type, g->name);
	if (!l)
		return;
	if (bounces && l->had && l->cpu != g->cpu) {
		struct tally_class *c = class_of(t, g->type, g->name, g->site);
		if (c)
			c->acq_bounces++;
	}
	l->had = true;
	l->cpu = g->cpu;
	l->site = g->site;
}

void lock_tally_hold(struct lock_tally *t, uint32_t type, uint32_t name, int64_t lock, int64_t ns)
{
	struct tally_class *c = class_of(t, type, name, 0);
	if (!c)
		return;
	class_member(t, c, lock_of(t, lock, type, name));
	sum_add(&c->holds, ns);
}

/* -- The table --------------------------------------------------------------------------------- */

const char *lock_tally_type(uint32_t flags)
{
	static const struct {
		uint32_t flags;
		const char *type; /* tools/perf/util/lock-contention.c, lock_type_table */
	} types[] = {
		{ 0, "semaphore" },
		{ LOCK_WAIT_SPIN, "spinlock" },
		{ LOCK_WAIT_SPIN | LOCK_WAIT_READ, "rwlock:R" },
		{ LOCK_WAIT_SPIN | LOCK_WAIT_WRITE, "rwlock:W" },
		{ LOCK_WAIT_READ, "rwsem:R" },
		{ LOCK_WAIT_WRITE, "rwsem:W" },
		{ LOCK_WAIT_RT, "rt-mutex" },
		{ LOCK_WAIT_RT | LOCK_WAIT_READ, "rwlock-rt:R" },
		{ LOCK_WAIT_RT | LOCK_WAIT_WRITE, "rwlock-rt:W" },
		{ LOCK_WAIT_PERCPU | LOCK_WAIT_READ, "pcpu-sem:R" },
		{ LOCK_WAIT_PERCPU | LOCK_WAIT_WRITE, "pcpu-sem:W" },
		{ LOCK_WAIT_MUTEX, "mutex" },
	};
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (types[i].flags == flags)
			return types[i].type;
	}
	return flags & LOCK_WAIT_LOCKDEP ? NULL : "lock";
}

static void set(struct lock_row *r, enum lock_column c, int64_t n, enum lock_known known)
{
	if (known != LOCK_ABSENT)
		r->value[c] = (struct lock_value){ n, known };
}

static void set_sum(struct lock_row *r, enum lock_column count, const struct tally_sum *s,
		    enum lock_known count_known, enum lock_known known)
{
	/* min, max, total, avg stand in this order behind both counts. */
	set(r, count, (int64_t)s->n, count_known);
	set(r, count + 1, s->min, known);
	set(r, count + 2, s->max, known);
	set(r, count + 3, s->total, known);
	set(r, count + 4, s->n ? s->total / (int64_t)s->n : 0, known);
}

_Static_assert(LOCK_WAIT_MIN == LOCK_CONTENTIONS + 1 && LOCK_WAIT_AVG == LOCK_CONTENTIONS + 4 &&
		       LOCK_HOLD_MIN == LOCK_ACQUISITIONS + 1 &&
		       LOCK_HOLD_AVG == LOCK_ACQUISITIONS + 4,
	       "set_sum goes by the order of the columns");

static int site_order(const void *a, const void *b)
{
	const struct lock_site *x = a, *y = b;
	return x->count != y->count ? (x->count < y->count ? 1 : -1) : strcmp(x->symbol, y->symbol);
}

static void sites(const struct lock_tally *t, const struct tally_sites *from, struct lock_sites *to,
		  struct arena *a)
{
	vec_each (s, from)
		lock_sites_add(to, (struct lock_site){
					   .symbol = arena_str(
						   a, str_of(symbols_text(t->symbols, s->site))),
					   .count = (int64_t)s->n,
				   });
	vec_sort(to, site_order);
}

#define READ_OR_WRITE ((uint32_t)(LOCK_WAIT_READ | LOCK_WAIT_WRITE))

/* By name and place; writers come before readers of the same lock. */
struct placed {
	const struct tally_class *class;
	const char *name, *site;
};

static int placed_order(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;
	int order = strcmp(x->name, y->name);
	order = order ? order : strcmp(x->site, y->site);
	uint32_t m = x->class->type, n = y->class->type;
	if (order || m == n)
		return order;
	if ((m ^ n) & ~READ_OR_WRITE)
		return m < n ? -1 : 1;
	return m & LOCK_WAIT_READ ? 1 : -1;
}

static void sites_merge(struct lock_sites *into, struct lock_sites *from)
{
	vec_each (s, from) {
		struct lock_site *same = NULL;
		vec_each (at, into)
			same = strcmp(at->symbol, s->symbol) == 0 ? at : same;
		if (same)
			same->count += s->count;
		else
			lock_sites_add(into, *s);
	}
	vec_sort(into, site_order);
	vec_fini(from);
}

/* As lock_stat has it: a class of that name with readers has a row for its writers, too. */
static void halves_join(struct lock_row *writes, struct lock_row *reads)
{
	writes->rw = 'W';
	sites_merge(&writes->waiting, &reads->waiting);
	sites_merge(&writes->holding, &reads->holding);
}

static bool are_halves(const struct placed *x, const struct placed *y)
{
	return *x->name && strcmp(x->name, y->name) == 0 && y->class->type & LOCK_WAIT_READ &&
	       !((x->class->type ^ y->class->type) & ~READ_OR_WRITE);
}

static void row_of(const struct lock_tally *t, const struct placed *p,
		   const struct tally_known *known, struct lock_row *r, struct arena *a)
{
	const struct tally_class *c = p->class;
	bool lockdep = c->type & LOCK_WAIT_LOCKDEP;
	r->name = c->name ? p->name : NULL;
	r->type = lock_tally_type(c->type);
	r->rw = c->type & LOCK_WAIT_READ ? 'R' : c->type & LOCK_WAIT_WRITE ? 'W' : 0;
	if (c->site)
		r->caller = arena_str(a, str_of(p->site));
	if (c->locks == 1)
		r->address = arena_printf(a, "0x%llx", (unsigned long long)c->lock);
	enum lock_known waits = lockdep ? known->waits : LOCK_EXACT;
	set_sum(r, LOCK_CONTENTIONS, &c->waits, waits, waits);
	set(r, LOCK_CON_BOUNCES, (int64_t)c->con_bounces,
	    waits == LOCK_ABSENT ? LOCK_ABSENT : LOCK_ESTIMATED);
	if (lockdep) {
		set_sum(r, LOCK_ACQUISITIONS, &c->holds, known->acquisitions, known->holds);
		set(r, LOCK_ACQ_BOUNCES, (int64_t)c->acq_bounces, known->bounces);
	}
	if (waits != LOCK_ABSENT)
		r->failed = (int64_t)c->failed;
	r->instances = c->locks ? (int64_t)c->locks : UNKNOWN;
	if (c->type == LOCK_WAIT_MUTEX)
		r->spin_ns = c->spin_ns;
	sites(t, &c->waiting, &r->waiting, a);
	sites(t, &c->holding, &r->holding, a);
}

struct locktab *lock_tally_table(const struct lock_tally *t, const struct tally_known *known,
				 struct arena *a)
{
	if (!t->classes.n)
		return NULL;
	struct locktab *table = locktab_new(a, LOCKTAB_EVENTS);
	VEC(struct placed) order = { 0 };
	vec_each (c, &t->classes)
		vec_push(&order,
			 ((struct placed){ c, arena_str(a, names_str(t->names, c->name)),
					   c->site ? symbols_text(t->symbols, c->site) : "" }));
	vec_sort(&order, placed_order);
	for (size_t i = 0; i < order.n; i++) {
		row_of(t, &order.at[i], known, locktab_row(table, order.at[i].class->max_line), a);
		if (i && are_halves(&order.at[i - 1], &order.at[i]))
			halves_join(&table->rows.at[i - 1], &table->rows.at[i]);
	}
	vec_fini(&order);
	return table;
}
