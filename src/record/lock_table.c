/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE 1
#include "record/lock_table.h"

#include <stdlib.h>

#include "base/intern.h"
#include "base/mem.h"
#include "base/sat.h"
#include "record/lock_fold.h"
#include "record/lock_inherit.h"
#include "record/lock_name.h"

/* The rows of one class. */
struct class
{
	struct lock_row row[2]; /* readers in [1] */
	bool used[2];
	struct wire_count sum[2]; /* of its locks: what is not in the rows as it stands there */
	enum wire_hold hold;      /* how its holds were timed */
};

struct tally {
	const struct lock_run *run;
	struct arena *arena;
	struct intern names;       /* of classes: name and type */
	VEC(struct class) classes; /* by id of their name */
	const struct wire_locks *process;
	bool pair_taken[WIRE_PAIRS]; /* of this process */
	struct lock_names *lock_names;
	struct intern stack_texts;
	VEC(struct lock_stack) stacks, process_stacks; /* by id of their text; by index there */
	struct lock_run_facts *facts;
};

static int64_t ns_of(const struct tally *t, uint64_t ticks)
{
	return lock_run_ns(t->run, t->process, ticks);
}

static int64_t count_of(uint64_t n)
{
	return n > INT64_MAX ? INT64_MAX : (int64_t)n;
}

static void add(struct lock_row *r, enum lock_column c, int64_t n)
{
	lock_set(r, c, lock_known(r, c) ? sat_add(r->value[c].n, n) : n);
}

static void least(struct lock_row *r, enum lock_column c, int64_t n)
{
	if (!lock_known(r, c) || n < r->value[c].n)
		lock_set(r, c, n);
}

static void most(struct lock_row *r, enum lock_column c, int64_t n)
{
	if (!lock_known(r, c) || n > r->value[c].n)
		lock_set(r, c, n);
}

static void add_known(int64_t *to, uint64_t n)
{
	*to = sat_add(*to == UNKNOWN ? 0 : *to, count_of(n));
}

/* -- Sites ------------------------------------------------------------------------------------- */

static struct lock_site site_of(struct tally *t, uint64_t pc, int64_t count)
{
	if (!pc)
		return (struct lock_site){ "(not seen)", NULL, NULL, count };
	return lock_site_of(t->arena, lock_names_site(t->lock_names, pc), count);
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_site(const struct lock_site *a, const struct lock_site *b)
{
	return same_text(a->symbol, b->symbol) && same_text(a->suffix, b->suffix);
}

/* These are false where there is no room (LOCK_SITES_MAX). */
static bool add_site(struct lock_sites *to, struct lock_site site)
{
	vec_each (s, to) {
		if (same_site(s, &site)) {
			s->count = sat_add(s->count, site.count);
			return true;
		}
	}
	return lock_sites_add(to, site);
}

static bool add_pair(struct lock_waits_for *to, struct lock_waited_for pair)
{
	vec_each (p, to) {
		if (same_site(&p->waiting, &pair.waiting) &&
		    same_site(&p->holding, &pair.holding)) {
			p->waiting.count = sat_add(p->waiting.count, pair.waiting.count);
			p->wait_ns = sat_add(p->wait_ns, pair.wait_ns);
			return true;
		}
	}
	return lock_waits_for_add(to, pair);
}

/* -- Stacks ------------------------------------------------------------------------------------ */

/* Equal stacks are one, also of several processes: told apart by what they look like. */
static struct lock_stack same_stack(struct tally *t, const struct lock_stack *s)
{
	struct strbuf cleanup_strbuf text = { 0 };
	for (uint32_t i = 0; i < s->n; i++)
		strbuf_printf(&text, "%s%s\n", s->frames[i].symbol,
			      s->frames[i].suffix ? s->frames[i].suffix : "");
	strbuf_printf(&text, "%d", s->cut);
	uint32_t id = intern_id(&t->stack_texts, strbuf_get(&text));
	while (t->stacks.n <= id)
		vec_push(&t->stacks, ((struct lock_stack){ 0 }));
	if (id == INTERN_OTHER)
		return *s; /* too many to be told apart */
	if (!t->stacks.at[id].frames)
		t->stacks.at[id] = *s;
	return t->stacks.at[id];
}

static struct lock_stack make_stack(struct tally *t, const struct wire_stack *from)
{
	struct lock_site frame[LOCK_STACK_FRAMES];
	uint32_t n = 0, pcs = from->frames < WIRE_STACK_FRAMES ? from->frames : WIRE_STACK_FRAMES;
	for (uint32_t i = 0; i < pcs; i++)
		n += (uint32_t)lock_names_frames(t->lock_names, from->pc[i], frame + n,
						 LOCK_STACK_FRAMES - n);
	struct lock_stack s = { .n = n, .cut = from->cut || n == LOCK_STACK_FRAMES };
	if (!n)
		return s;
	struct lock_site *kept = arena_alloc(t->arena, n * sizeof(*kept));
	memcpy(kept, frame, n * sizeof(*kept));
	s.frames = kept;
	return same_stack(t, &s);
}

/* Of this process, by index; made when it is first asked for. */
static const struct lock_stack *stack_of(struct tally *t, uint32_t stack)
{
	if (!stack || stack > WIRE_STACKS)
		return NULL;
	while (t->process_stacks.n < stack)
		vec_push(&t->process_stacks, ((struct lock_stack){ 0 }));
	struct lock_stack *s = &t->process_stacks.at[stack - 1];
	if (!s->frames)
		*s = make_stack(t, &t->process->stack[stack - 1]);
	return s->frames ? s : NULL;
}

static bool add_stack(struct lock_stacks *to, const struct lock_stack *stack, int64_t waits,
		      int64_t wait_ns)
{
	vec_each (s, to) {
		if (s->frames == stack->frames) {
			s->waits = sat_add(s->waits, waits);
			s->wait_ns = sat_add(s->wait_ns, wait_ns);
			return true;
		}
	}
	struct lock_stack new = *stack;
	new.waits = waits;
	new.wait_ns = wait_ns;
	return lock_stacks_add(to, new);
}

/* -- Pairs ------------------------------------------------------------------------------------- */

/* A pair is one lock's: chains of a damaged file that go round, or meet, end there. */
static void take_pairs(struct tally *t, struct lock_row *r, const struct wire_lock *l)
{
	uint32_t i = l->pairs;
	for (; i && i < WIRE_PAIRS && !t->pair_taken[i]; i = t->process->pair[i].next) {
		const struct wire_pair *p = &t->process->pair[i];
		int64_t n = count_of(p->n);
		t->pair_taken[i] = true;
		if (!n)
			continue;
		struct lock_waited_for pair = { site_of(t, p->waiting, n),
						site_of(t, p->holding, UNKNOWN),
						ns_of(t, p->wait) };
		bool room = add_site(&r->waiting, pair.waiting);
		if (p->holding)
			room &= add_site(&r->holding, site_of(t, p->holding, n));
		if (!lock_row_is_event(r))
			room &= add_pair(&r->pairs, pair);
		if (!room)
			add_known(&t->facts->pairs_lost, p->n);
		const struct lock_stack *stack = stack_of(t, p->stack);
		if (stack && !add_stack(&r->stacks, stack, n, pair.wait_ns))
			add_known(&t->facts->stacks_lost, p->n);
	}
}

/* -- Rows -------------------------------------------------------------------------------------- */

static void take_waits(struct tally *t, struct lock_row *r, const struct wire_lock *l)
{
	add(r, LOCK_CONTENTIONS, count_of(l->count[0].contentions));
	add(r, LOCK_WAIT_TOTAL, ns_of(t, l->count[0].wait_total));
	if (l->count[0].contentions && !t->run->difference) {
		least(r, LOCK_WAIT_MIN, ns_of(t, l->count[0].wait_min));
		most(r, LOCK_WAIT_MAX, ns_of(t, l->count[0].wait_max));
	}
	add_known(&r->failed, l->failed);
}

static void take_hold_range(struct tally *t, struct lock_row *r, const struct wire_count *c)
{
	if (!(c->hold_n || c->sampled_hold_n) || t->run->difference)
		return;
	least(r, LOCK_HOLD_MIN, ns_of(t, c->hold_min));
	most(r, LOCK_HOLD_MAX, ns_of(t, c->hold_max));
}

static void take_lock(struct tally *t, struct class *c, const struct wire_lock *l)
{
	bool reader = l->kind == WIRE_RWLOCK_R;
	struct lock_row *r = &c->row[reader], *first = &c->row[0];
	c->used[reader] = true;
	take_waits(t, r, l);
	add_known(&r->instances, l->instances);
	if (!lock_row_is_event(r)) {
		add_known(&r->unmeasured_waits, l->count[0].waits_unknown);
		take_hold_range(t, r, &l->count[0]);
		c->hold = (enum wire_hold)t->process->hold;
		struct wire_count one = l->count[0];
		one.hold_total = (uint64_t)ns_of(t, one.hold_total);
		one.sampled_hold_total = (uint64_t)ns_of(t, one.sampled_hold_total);
		wire_count_add(&c->sum[reader], &one);
	}
	if (!lock_row_is_event(r) || l->count[0].acquired)
		add(r, LOCK_ACQUISITIONS, count_of(l->count[0].acquired));
	take_pairs(t, first, l);
}

static struct class *class_of(struct tally *t, const char *name, unsigned kind)
{
	const char *type = lock_kind_name(kind);
	uint32_t id = intern_id(&t->names, str_of(arena_printf(t->arena, "%s %s", type, name)));
	while (t->classes.n <= id)
		vec_push(&t->classes, ((struct class){ 0 }));
	struct class *c = &t->classes.at[id];
	if (c->used[0] || c->used[1])
		return c;
	bool rw = kind == WIRE_RWLOCK_W || kind == WIRE_RWLOCK_R;
	for (int i = 0; i < 2; i++) {
		c->row[i] = lock_row_none();
		c->row[i].name = name;
		c->row[i].type = type;
		c->row[i].rw = rw ? "WR"[i] : 0;
	}
	return c;
}

static bool was_used(const struct wire_lock *l)
{
	return l->holder || l->count[0].acquired || l->count[0].contentions || l->failed;
}

/* Of a lock that is only read, none wrote; of destroyed ones they may be summed at another site. */
static void take_no_writers(struct tally *t, struct class *c, uint64_t key,
			    const struct wire_lock *readers)
{
	struct wire_lock none = { .kind = WIRE_RWLOCK_W, .instances = readers->instances };
	const struct wire_lock *writers = lock_writers_of(t->process, key);
	bool apart = (WIRE_KEY_KIND(key) & WIRE_KIND_GONE) && !readers->init;
	if (!apart && (!writers || !was_used(writers)))
		take_lock(t, c, &none);
}

static void take_process(struct tally *t, const struct wire_locks *process)
{
	cleanup_free struct wire_locks *p = lock_fold(process);
	struct symbols *s = symbols_new();
	for (uint32_t i = 0; i < lock_modules(p); i++) {
		const struct wire_module *m = &p->module[i];
		if (m->name < WIRE_NAMES && memchr(p->names + m->name, 0, WIRE_NAMES - m->name))
			symbols_map(s, m->start, m->end, m->offset, p->names + m->name);
	}
	t->process = p;
	memset(t->pair_taken, 0, sizeof(t->pair_taken));
	t->lock_names = lock_names_new(p, s, t->arena);
	lock_each_key (i, p) {
		const struct wire_lock *l = lock_of_key(p, i);
		if (!l || !was_used(l))
			continue;
		struct class *c = class_of(t, lock_names_get(t->lock_names, i), l->kind);
		take_lock(t, c, l);
		if (l->kind == WIRE_RWLOCK_R)
			take_no_writers(t, c, p->key[i].key, l);
	}
	lock_names_free(t->lock_names);
	symbols_free(s);
	vec_fini(&t->process_stacks);
	add_known(&t->facts->locks_lost, p->lock_overflow);
	add_known(&t->facts->pairs_lost, p->pair_overflow);
	add_known(&t->facts->files_lost, p->module_overflow);
	add_known(&t->facts->processes_lost, p->process_overflow);
	if (p->stacks)
		add_known(&t->facts->stacks_lost, p->stack_overflow);
}

/* -- The table --------------------------------------------------------------------------------- */

static void set_mean(struct lock_row *r, enum lock_column mean, enum lock_column total,
		     enum lock_column count)
{
	if (!lock_known(r, total) || !lock_known(r, count) || r->value[count].n <= 0)
		return;
	lock_set(r, mean, r->value[total].n / r->value[count].n);
	r->value[mean].known = r->value[total].known;
}

/* What some (n) of them sum up to, or how many of them it is, holds for all; known: for n of them. */
struct part {
	uint64_t n, sum;
};

/*
 * The sample stands for those that were not all looked at (rest). One of a few says less than a lock's
 * first acquisitions, which are added then.
 */
#define SAMPLE_ENOUGH 30

static int64_t estimate(struct part all, struct part sample, uint64_t rest)
{
	struct part by = sample;
	if (sample.n < SAMPLE_ENOUGH)
		by = (struct part){ all.n + sample.n, all.sum + sample.sum };
	if (!by.n)
		return UNKNOWN;
	unsigned __int128 sum = all.sum + (unsigned __int128)by.sum * rest / by.n;
	return sum < INT64_MAX ? (int64_t)sum : INT64_MAX;
}

static void set_estimate(struct lock_row *r, enum lock_column column, struct part all,
			 struct part sample, uint64_t of)
{
	uint64_t rest = of > all.n ? of - all.n : 0;
	int64_t n = rest ? estimate(all, sample, rest) : count_of(all.sum);
	if (n == UNKNOWN)
		return;
	lock_set(r, column, n);
	if (rest)
		r->value[column].known = LOCK_SAMPLED;
}

static void finish_bounces(struct class *c, bool reader)
{
	const struct wire_count *s = &c->sum[reader];
	struct lock_row *r = &c->row[reader];
	struct part none = { 0 };
	/* Few stand for none of many others: they were not drawn. */
	if (s->con_looked >= SAMPLE_ENOUGH || 2 * s->con_looked >= s->contentions)
		set_estimate(r, LOCK_CON_BOUNCES, (struct part){ s->con_looked, s->con_bounces },
			     none, s->contentions);
	set_estimate(r, LOCK_ACQ_BOUNCES, (struct part){ s->looked, s->acq_bounces },
		     (struct part){ s->sampled, s->sampled_bounces },
		     s->acquired > s->tried ? s->acquired - s->tried : 0);
}

static void finish_holds(struct class *c, bool reader)
{
	const struct wire_count *s = &c->sum[reader];
	struct lock_row *r = &c->row[reader];
	if (c->hold == WIRE_HOLD_NONE)
		return;
	set_estimate(r, LOCK_HOLD_TOTAL, (struct part){ s->hold_n, s->hold_total },
		     (struct part){ s->sampled_hold_n, s->sampled_hold_total }, s->acquired);
	set_mean(r, LOCK_HOLD_AVG, LOCK_HOLD_TOTAL, LOCK_ACQUISITIONS);
	if (!lock_known(r, LOCK_HOLD_TOTAL) || s->hold_n >= s->acquired)
		return;
	for (enum lock_column k = LOCK_HOLD_MIN; k <= LOCK_HOLD_AVG; k++) {
		if (lock_known(r, k))
			r->value[k].known = LOCK_SAMPLED;
	}
}

static int by_wait(const void *x, const void *y)
{
	const struct lock_waited_for *a = x, *b = y;
	return (a->wait_ns < b->wait_ns) - (a->wait_ns > b->wait_ns);
}

static int by_stack_wait(const void *x, const void *y)
{
	const struct lock_stack *a = x, *b = y;
	return (a->wait_ns < b->wait_ns) - (a->wait_ns > b->wait_ns);
}

static void sort_sites(struct lock_row *r)
{
	lock_sites_sort(&r->waiting);
	lock_sites_sort(&r->holding);
	vec_sort(&r->pairs, by_wait);
	vec_sort(&r->stacks, by_stack_wait);
}

static void finish_class(struct locktab *t, struct class *c)
{
	for (int i = 0; i < 2; i++) {
		bool rw = c->row[0].rw != 0;
		if (!c->used[i] && !(rw && c->used[!i]))
			continue;
		struct lock_row *r = &c->row[i];
		set_mean(r, LOCK_WAIT_AVG, LOCK_WAIT_TOTAL, LOCK_CONTENTIONS);
		if (c->used[i] && !lock_row_is_event(r)) {
			finish_bounces(c, i);
			finish_holds(c, i);
		}
		sort_sites(r);
		struct lock_row *to = locktab_row(t, 0);
		if (to)
			*to = *r;
	}
}

static int by_total_wait(const void *x, const void *y)
{
	const struct class *a = x, *b = y;
	int64_t n = sat_add(a->row[0].value[LOCK_WAIT_TOTAL].n, a->row[1].value[LOCK_WAIT_TOTAL].n);
	int64_t m = sat_add(b->row[0].value[LOCK_WAIT_TOTAL].n, b->row[1].value[LOCK_WAIT_TOTAL].n);
	return (n < m) - (n > m);
}

/*
 * From its start to its end, which it told itself, or whoever waited for it did, or the program that
 * took its place. UNKNOWN: a signal ended it, and it runs perhaps.
 */
static int64_t ran_ns(const struct lock_run *r, size_t i)
{
	const struct wire_locks *p = r->processes.at[i];
	uint64_t end = p->pid == (uint32_t)r->pid && r->ns != UNKNOWN
			       ? r->ns_start + (uint64_t)r->ns
			       : p->end;
	for (size_t k = i + 1; k < r->processes.n; k++) {
		const struct wire_locks *next = r->processes.at[k];
		if (next->pid != p->pid)
			continue;
		end = p->end ? p->end : next->start;
		break;
	}
	return end > p->start && end - p->start <= INT64_MAX ? (int64_t)(end - p->start) : UNKNOWN;
}

void lock_table_process(struct capture *c, const struct lock_run *r, size_t i)
{
	const struct wire_locks *p = r->processes.at[i];
	struct lock_run one = *r;
	one.processes.at = &r->processes.at[i];
	one.processes.n = 1;
	one.broken = 0;
	one.unseen = lock_run_unseen(r, i);
	one.running = lock_run_is_running(r, i);
	one.ns = ran_ns(r, i);
	one.cpu_ns = p->cpu_end > p->cpu_start ? count_of(p->cpu_end - p->cpu_start) : UNKNOWN;
	char comm[sizeof(p->comm)];
	memcpy(comm, p->comm, sizeof(comm));
	for (size_t k = 0; k < sizeof(comm); k++)
		comm[k] = comm[k] == '\n' ? '?' : comm[k]; /* a label is one line */
	const char *name = arena_printf(&c->arena, "%.*s (process %u)",
					(int)strnlen(comm, sizeof(comm)), comm, p->pid);
	lock_table(c, &one, name);
	c->locks->run->pid = p->pid;
}

/* A process that became another program has a file for each. */
static int64_t processes_of(const struct lock_run *r)
{
	int64_t n = 0;
	for (size_t i = 0; i < r->processes.n; i++) {
		size_t k = 0;
		while (r->processes.at[k]->pid != r->processes.at[i]->pid)
			k++;
		n += k == i;
	}
	return n;
}

void lock_table(struct capture *c, const struct lock_run *r, const char *command)
{
	struct tally t = { .run = r, .arena = &c->arena };
	c->kind = CAPTURE_LOCKS;
	c->locks = locktab_new(&c->arena, LOCKTAB_PROGRAM);
	c->label = command;
	t.facts = c->locks->run = lock_run_facts_new(&c->arena, command);
	t.facts->ns = r->ns;
	t.facts->cpu_ns = r->cpu_ns;
	t.facts->processes = processes_of(r);
	t.facts->processes_lost = count_of(r->broken);
	t.facts->locks_lost = t.facts->pairs_lost = t.facts->files_lost = 0;
	t.facts->ended_unseen = count_of(r->unseen);
	t.facts->still_running = (int64_t)r->running;
	intern_init(&t.names, INTERN_CAP);
	intern_init(&t.stack_texts, INTERN_CAP);
	vec_each (p, &r->processes)
		take_process(&t, *p);
	vec_sort(&t.classes, by_total_wait);
	vec_each (class, &t.classes)
		finish_class(c->locks, class);
	vec_fini(&t.classes);
	vec_fini(&t.stacks);
	intern_fini(&t.names);
	intern_fini(&t.stack_texts);
}
