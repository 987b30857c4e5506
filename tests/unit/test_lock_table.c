/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From what a process counted (wire/locks.h), also a damaged or a hostile one, to a table. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "record/lock_since.h"
#include "record/lock_table.h"

#define START 0x400000
#define PC(n) (START + 0x1000 + (uint64_t)(n)*16)

/* A process that no lock was counted in, with one mapping that has no symbols. */
static struct wire_locks *process_new(uint32_t pid)
{
	struct wire_locks *p = mem_alloc(sizeof(*p));
	p->magic = WIRE_LOCKS_MAGIC;
	p->version = WIRE_LOCKS_VERSION;
	p->size = sizeof(*p);
	p->pid = pid;
	p->start = pid;
	p->hold = WIRE_HOLD_ALL;
	memset(p->key_groups, 0xff, sizeof(p->key_groups));
	p->locks_used = p->pairs_used = 1;
	strcpy(p->comm, "test");
	strcpy(p->names + 1, "/no/such/libtest.so");
	p->names_used = 1 + sizeof("/no/such/libtest.so");
	p->module[0] = (struct wire_module){ START, START + 0x10000, 0, 1, 1 };
	p->modules_used = 1;
	return p;
}

static struct wire_lock *lock_add(struct wire_locks *p, uint64_t key)
{
	uint32_t lock = p->locks_used++, at = wire_hash(key);
	while (p->key[at].key)
		at = (at + 1) % WIRE_KEYS;
	p->key[at] = (struct wire_key){ key, lock, 0 };
	p->lock[lock].key = key;
	p->lock[lock].kind = WIRE_KEY_KIND(key) & ~WIRE_KIND_GONE;
	p->lock[lock].instances = 1;
	p->lock[lock].cpu = -1;
	return &p->lock[lock];
}

static uint64_t key_of(unsigned kind, uint64_t address)
{
	return (uint64_t)kind << 56 | address;
}

static void pair_add(struct wire_locks *p, struct wire_lock *l, uint64_t waiting, uint64_t holding,
		     uint64_t n, uint64_t wait)
{
	uint32_t i = p->pairs_used++;
	p->pair[i] = (struct wire_pair){ waiting, holding, n, wait, l->pairs, 0 };
	l->pairs = i;
}

static void run_of(struct lock_run *r, const struct wire_locks **p, size_t n)
{
	*r = (struct lock_run){ .ns = 1000, .cpu_ns = 500 };
	r->processes.at = p;
	r->processes.n = n;
}

/* One process, its run, and the table of it, or of what came since the look before. */
struct fixture {
	struct wire_locks *p;
	struct lock_run run, since;
	struct lock_past past;
	struct capture c;
};

static int setup(void **state)
{
	struct fixture *f = mem_alloc(sizeof(*f));
	f->p = process_new(1);
	run_of(&f->run, (const struct wire_locks **)&f->p, 1);
	capture_init(&f->c, NULL);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	capture_fini(&f->c);
	lock_since_fini(&f->since);
	lock_past_fini(&f->past);
	free(f->p);
	free(f);
	return 0;
}

static void table_of_run(struct fixture *f, const struct lock_run *run)
{
	capture_fini(&f->c);
	capture_init(&f->c, NULL);
	lock_table(&f->c, run, "test");
}

static void table_of(struct fixture *f)
{
	table_of_run(f, &f->run);
}

static void look(struct fixture *f)
{
	lock_since_fini(&f->since);
	lock_since(&f->since, &f->run, &f->past);
}

static const struct lock_row *row_of(const struct capture *c, const char *name, char rw)
{
	vec_each (r, &c->locks->rows) {
		if (strcmp(r->name, name) == 0 && r->rw == rw)
			return r;
	}
	fail_msg("no row %s", name);
	return NULL;
}

static void column(const struct lock_row *r, enum lock_column c, int64_t n, enum lock_known known)
{
	assert_int_equal(r->value[c].known, known);
	if (known != LOCK_ABSENT)
		assert_int_equal(r->value[c].n, n);
}

/* -- What is counted ----------------------------------------------------------------------------- */

static struct wire_lock *mutex_with_waits(struct wire_locks *p)
{
	struct wire_lock *l = lock_add(p, key_of(WIRE_MUTEX, 0x1000));
	l->site[0] = PC(1);
	l->count[0] = (struct wire_count){ .acquired = 10,
					   .acq_bounces = 2,
					   .looked = 10,
					   .hold_n = 2,
					   .hold_total = 30,
					   .hold_min = 10,
					   .hold_max = 20,
					   .contentions = 1,
					   .wait_total = 5,
					   .wait_min = 5,
					   .wait_max = 5,
					   .con_bounces = 1,
					   .con_looked = 1,
					   .site_n = { 10 } };
	l->count[3] = (struct wire_count){ .acquired = 6,
					   .looked = 6,
					   .con_looked = 2,
					   .hold_n = 2,
					   .hold_total = 10,
					   .hold_min = 4,
					   .hold_max = 6,
					   .contentions = 2,
					   .wait_total = 9,
					   .wait_min = 1,
					   .wait_max = 8,
					   .waits_unknown = 7,
					   .pending = { PC(1), PC(3), 1, 1, 0, 0 } };
	l->failed = 4;
	pair_add(p, l, PC(1), PC(2), 2, 13);
	return l;
}

static void test_counts(void **state)
{
	struct fixture *f = *state;
	struct wire_locks *p = f->p;
	mutex_with_waits(p);
	table_of(f);
	const struct lock_row *r = row_of(&f->c, "mutex of [libtest.so+0x1010]", 0);
	column(r, LOCK_ACQUISITIONS, 16, LOCK_EXACT);
	column(r, LOCK_ACQ_BOUNCES, 2, LOCK_EXACT);
	column(r, LOCK_CON_BOUNCES, 1, LOCK_EXACT);
	column(r, LOCK_CONTENTIONS, 3, LOCK_EXACT);
	column(r, LOCK_WAIT_TOTAL, 14, LOCK_EXACT);
	column(r, LOCK_WAIT_MIN, 1, LOCK_EXACT);
	column(r, LOCK_WAIT_MAX, 8, LOCK_EXACT);
	column(r, LOCK_WAIT_AVG, 4, LOCK_EXACT);
	column(r, LOCK_HOLD_MIN, 4, LOCK_SAMPLED); /* of 4 of 16 */
	column(r, LOCK_HOLD_MAX, 20, LOCK_SAMPLED);
	assert_int_equal(r->failed, 4);
	assert_int_equal(r->unmeasured_waits, 7);
	assert_string_equal(r->type, "mutex");
	/* Pairs by wait, with the one that was pending. */
	assert_int_equal(r->pairs.n, 2);
	assert_int_equal(r->pairs.at[0].wait_ns, 13);
	assert_int_equal(r->pairs.at[1].waiting.count, 1);
	assert_string_equal(r->pairs.at[1].holding.symbol, "[libtest.so+0x1030]");
	assert_int_equal(r->waiting.n, 1);
	assert_int_equal(r->waiting.at[0].count, 3);
	assert_int_equal(r->holding.n, 2);
}

static void test_holds(void **state)
{
	struct fixture *f = *state;
	struct wire_locks *p = f->p;
	mutex_with_waits(p);
	p->hold = WIRE_HOLD_SAMPLE; /* 4 of 16, 40 in all: 160 */
	table_of(f);
	const struct lock_row *r = &f->c.locks->rows.at[0];
	column(r, LOCK_HOLD_TOTAL, 160, LOCK_SAMPLED);
	column(r, LOCK_HOLD_AVG, 10, LOCK_SAMPLED);
	column(r, LOCK_HOLD_MAX, 20, LOCK_SAMPLED);
	/* Of those 12 that are left a sample of a few tells with the others, (60 + 40) / (4 + 4). */
	p->lock[1].count[3].sampled_hold_n = 4;
	p->lock[1].count[3].sampled_hold_total = 60;
	table_of(f);
	column(&f->c.locks->rows.at[0], LOCK_HOLD_TOTAL, 40 + 12 * 100 / 8, LOCK_SAMPLED);
	/* One that is large enough does alone. */
	p->lock[1].count[3].sampled_hold_n = 30;
	p->lock[1].count[3].sampled_hold_total = 3000;
	table_of(f);
	column(&f->c.locks->rows.at[0], LOCK_HOLD_TOTAL, 40 + 12 * 100, LOCK_SAMPLED);
	/* All of them were timed. */
	p->lock[1].count[0].hold_n = 14;
	table_of(f);
	column(&f->c.locks->rows.at[0], LOCK_HOLD_TOTAL, 40, LOCK_EXACT);
	column(&f->c.locks->rows.at[0], LOCK_HOLD_MAX, 20, LOCK_EXACT);
	p->hold = WIRE_HOLD_NONE;
	for (int i = 0; i <= 3; i += 3) {
		p->lock[1].count[i].hold_n = p->lock[1].count[i].hold_total = 0;
		p->lock[1].count[i].sampled_hold_n = 0;
	}
	table_of(f);
	for (enum lock_column k = LOCK_HOLD_MIN; k <= LOCK_HOLD_AVG; k++)
		column(&f->c.locks->rows.at[0], k, 0, LOCK_ABSENT);
}

static void test_bounces(void **state)
{
	struct fixture *f = *state;
	struct wire_locks *p = f->p;
	struct wire_lock *l = mutex_with_waits(p);
	/* 1000 more, of which 50 were in the sample, and 15 of them came over; trylocks do not count. */
	l->count[3].acquired += 1000 + 7;
	l->count[3].tried = 7;
	l->count[3].sampled = 50;
	l->count[3].sampled_bounces = 15;
	/* Of 6 waits 3 are known, one of which came over. */
	l->count[3].contentions += 3;
	table_of(f);
	column(&f->c.locks->rows.at[0], LOCK_ACQ_BOUNCES, 2 + 300, LOCK_SAMPLED);
	column(&f->c.locks->rows.at[0], LOCK_CON_BOUNCES, 2, LOCK_SAMPLED);
	/* Of 7, they are too few. */
	l->count[3].contentions++;
	table_of(f);
	column(&f->c.locks->rows.at[0], LOCK_CON_BOUNCES, 0, LOCK_ABSENT);
	/* None is known. */
	for (int i = 0; i <= 3; i += 3) {
		l->count[i].con_looked = l->count[i].con_bounces = 0;
		l->count[i].looked = l->count[i].acq_bounces = l->count[i].sampled = 0;
	}
	table_of(f);
	column(&f->c.locks->rows.at[0], LOCK_ACQ_BOUNCES, 0, LOCK_ABSENT);
	column(&f->c.locks->rows.at[0], LOCK_CON_BOUNCES, 0, LOCK_ABSENT);
}

/* Readers and writers are two rows; sites stand with the writers. */
static void test_rwlock(void **state)
{
	struct fixture *f = *state;
	struct wire_locks *p = f->p;
	struct wire_lock *w = lock_add(p, key_of(WIRE_RWLOCK_W, 0x1000));
	struct wire_lock *r = lock_add(p, key_of(WIRE_RWLOCK_R, 0x1000));
	w->site[0] = PC(1);
	w->count[0].acquired = 3;
	r->site[0] = PC(2);
	r->count[0].acquired = 5;
	r->count[0].contentions = r->count[0].wait_total = 1;
	pair_add(p, r, PC(2), PC(1), 1, 1);
	table_of(f);
	assert_int_equal(f->c.locks->rows.n, 2);
	const char *name = f->c.locks->rows.at[0].name;
	column(row_of(&f->c, name, 'W'), LOCK_ACQUISITIONS, 3, LOCK_EXACT);
	column(row_of(&f->c, name, 'R'), LOCK_ACQUISITIONS, 5, LOCK_EXACT);
	assert_int_equal(row_of(&f->c, name, 'W')->pairs.n, 1);
	assert_int_equal(row_of(&f->c, name, 'R')->pairs.n, 0);
}

/* -- Classes ------------------------------------------------------------------------------------- */

static void test_names(void **state)
{
	struct fixture *f = *state;
	struct wire_locks *p = f->p;
	/* Taken at 1; at 1 and 2; at 2 and, most of all, 3: one class, of 3. */
	static const int sites[3][2] = { { 1, 0 }, { 1, 2 }, { 2, 3 } };
	for (uint64_t i = 0; i < 3; i++) {
		struct wire_lock *l = lock_add(p, key_of(WIRE_MUTEX, 0x1000 + i * 64));
		l->count[0].acquired = 1;
		for (int k = 0; k < 2 && sites[i][k]; k++) {
			l->site[k] = PC(sites[i][k]);
			l->count[0].site_n[k] = sites[i][k] == 3 ? 100 : 1;
		}
	}
	/* Made at 9, taken at 1: another. */
	struct wire_lock *made = lock_add(p, key_of(WIRE_MUTEX, 0x2000));
	made->init = PC(9);
	made->site[0] = PC(1);
	made->count[0].acquired = 1;
	/* Destroyed ones that were made there are of that class, too. */
	struct wire_lock *gone = lock_add(p, key_of(WIRE_MUTEX | WIRE_KIND_GONE, PC(9)));
	gone->init = PC(9);
	gone->instances = 7;
	gone->count[0].acquired = 70;
	table_of(f);
	assert_int_equal(f->c.locks->rows.n, 2);
	const struct lock_row *taken = row_of(&f->c, "mutex of [libtest.so+0x1030]", 0);
	const struct lock_row *by = row_of(&f->c, "mutex made by [libtest.so+0x1090]", 0);
	assert_int_equal(taken->instances, 3);
	assert_int_equal(by->instances, 8);
	column(by, LOCK_ACQUISITIONS, 71, LOCK_EXACT);
}

/* -- Several processes --------------------------------------------------------------------------- */

static void test_processes(void **state)
{
	(void)state;
	struct capture c;
	struct lock_run r;
	struct wire_locks *p[2] = { process_new(1), process_new(2) };
	for (int i = 0; i < 2; i++)
		mutex_with_waits(p[i]);
	strcpy(p[1]->comm, "other");
	p[1]->lock_overflow = 3;
	p[1]->pair_overflow = 4;
	p[1]->module_overflow = 5;
	run_of(&r, (const struct wire_locks **)p, 2);
	capture_init(&c, NULL);
	lock_table(&c, &r, "both");
	assert_int_equal(c.locks->rows.n, 1);
	column(&c.locks->rows.at[0], LOCK_ACQUISITIONS, 32, LOCK_EXACT);
	assert_int_equal(c.locks->rows.at[0].pairs.at[0].wait_ns, 26);
	assert_int_equal(c.locks->run->processes, 2);
	assert_int_equal(c.locks->run->locks_lost, 3);
	assert_int_equal(c.locks->run->pairs_lost, 4);
	assert_int_equal(c.locks->run->files_lost, 5);
	capture_fini(&c);
	capture_init(&c, NULL);
	lock_table_process(&c, &r, 1);
	assert_string_equal(c.label, "other (process 2)");
	column(&c.locks->rows.at[0], LOCK_ACQUISITIONS, 16, LOCK_EXACT);
	assert_int_equal(c.locks->run->processes, 1);
	assert_int_equal(c.locks->run->ns, UNKNOWN);
	assert_int_equal(c.locks->run->pid, 2);
	capture_fini(&c);
	free(p[0]);
	free(p[1]);
}

/* When a process ended is told by itself, by who waited for it, or by what took its place. */
static void test_ran(void **state)
{
	(void)state;
	struct lock_run r;
	struct wire_locks *p[] = { process_new(7), process_new(8), process_new(8), process_new(9),
				   process_new(10) };
	static const uint64_t start[] = { 100, 200, 250, 300, 400 };
	static const int64_t ran[] = { 1950, 50, 30, UNKNOWN, UNKNOWN };
	static const int64_t cpu[] = { UNKNOWN, UNKNOWN, 13, UNKNOWN, UNKNOWN };
	for (int i = 0; i < 5; i++)
		p[i]->start = start[i];
	p[2]->end = 280;
	p[2]->cpu_start = 4;
	p[2]->cpu_end = 17;
	p[4]->end = 390; /* before it began */
	run_of(&r, (const struct wire_locks **)p, 5);
	r.pid = 7;
	r.ns_start = 50;
	r.ns = 2000;
	for (size_t i = 0; i < 5; i++) {
		struct capture c;
		capture_init(&c, NULL);
		lock_table_process(&c, &r, i);
		assert_int_equal(c.locks->run->ns, ran[i]);
		assert_int_equal(c.locks->run->cpu_ns, cpu[i]);
		capture_fini(&c);
		free(p[i]);
	}
}

/* -- Differences ----------------------------------------------------------------------------------- */

static void test_since(void **state)
{
	struct fixture *f = *state;
	struct wire_locks *p = f->p;
	struct wire_lock *l = mutex_with_waits(p);
	look(f); /* the first time: all of it */
	table_of_run(f, &f->since);
	column(&f->c.locks->rows.at[0], LOCK_ACQUISITIONS, 16, LOCK_EXACT);
	assert_int_equal(f->c.locks->run->ns, 1000);

	l->count[3].acquired += 5;
	l->count[0].contentions++;
	l->count[0].wait_total += 100;
	p->pair[1].n++;
	p->pair[1].wait += 100;
	p->lock_overflow = 2;
	struct wire_lock *new = lock_add(p, key_of(WIRE_SPIN, 0x3000));
	new->site[0] = PC(5);
	new->count[0].acquired = 9;
	f->run.ns = 1700;
	look(f);
	table_of_run(f, &f->since);
	const struct lock_row *m = row_of(&f->c, "mutex of [libtest.so+0x1010]", 0);
	column(m, LOCK_ACQUISITIONS, 5, LOCK_EXACT);
	column(m, LOCK_CONTENTIONS, 1, LOCK_EXACT);
	column(m, LOCK_WAIT_TOTAL, 100, LOCK_EXACT);
	column(m, LOCK_WAIT_MAX, 0, LOCK_ABSENT); /* of which time it is nobody knows */
	column(m, LOCK_HOLD_MAX, 0, LOCK_ABSENT);
	assert_int_equal(m->pairs.n, 1);
	assert_int_equal(m->pairs.at[0].wait_ns, 100);
	column(row_of(&f->c, "spin of [libtest.so+0x1050]", 0), LOCK_ACQUISITIONS, 9, LOCK_EXACT);
	assert_int_equal(f->c.locks->run->ns, 700);
	assert_int_equal(f->c.locks->run->locks_lost, 2);
}

/* As retire_lock() does, which makes the sum; returns it. */
static struct wire_lock *destroy(struct wire_locks *p, struct wire_lock *l)
{
	uint32_t at = wire_hash(l->key);
	assert_true(p->key[at].key == l->key);
	struct wire_lock *sum = lock_add(p, key_of(l->kind | WIRE_KIND_GONE, l->site[0]));
	sum->site[0] = l->site[0];
	for (unsigned i = 0; i < WIRE_CPUS; i++)
		wire_count_add(&sum->count[0], &l->count[i]);
	sum->pairs = l->pairs;
	memset(l, 0, sizeof(*l));
	p->key[at] = (struct wire_key){ WIRE_KEY_FREE, 0, 0 };
	return sum;
}

/* What was told of it before it was destroyed is not told again with the sum. */
static void test_since_destroyed(void **state)
{
	struct fixture *f = *state;
	struct wire_locks *p = f->p;
	struct wire_lock *l = mutex_with_waits(p);
	const uint64_t waits = l->count[0].contentions + l->count[3].contentions;
	look(f);
	l->count[0].acquired += 3;
	struct wire_lock *sum = destroy(p, l);
	look(f);
	table_of_run(f, &f->since);
	const struct lock_row *r = row_of(&f->c, "mutex of [libtest.so+0x1010]", 0);
	column(r, LOCK_ACQUISITIONS, 3, LOCK_EXACT);
	column(r, LOCK_CONTENTIONS, 0, LOCK_EXACT);
	assert_int_equal(sum->count[0].contentions, waits);
	assert_true(waits > 0);
	vec_each (pair, &r->pairs)
		assert_int_equal(pair->wait_ns, 0);
}

/* One that was made in its place, in the same record, is whole, and the other's counts are in the sum. */
static void test_since_remade(void **state)
{
	struct fixture *f = *state;
	struct wire_locks *p = f->p;
	struct wire_lock *l = mutex_with_waits(p);
	const uint64_t key = l->key, site = l->site[0];
	look(f);
	destroy(p, l);
	uint32_t at = wire_hash(key);
	p->key[at] = (struct wire_key){ key, (uint32_t)(l - p->lock), 4711 };
	l->key = key;
	l->kind = WIRE_MUTEX;
	l->instances = 1;
	l->cpu = -1;
	l->site[0] = site;
	l->count[0].acquired = l->count[0].site_n[0] = 20;
	look(f);
	table_of_run(f, &f->since);
	int64_t n = 0;
	vec_each (r, &f->c.locks->rows)
		n += r->value[LOCK_ACQUISITIONS].n;
	assert_int_equal(n, 20);
}

/* Another lock has the place: what it counted is whole, however much the one before had. */
static void test_since_replaced(void **state)
{
	struct fixture *f = *state;
	struct wire_locks *p = f->p;
	mutex_with_waits(p);
	look(f);
	memset(&p->lock[1], 0, sizeof(p->lock[1]));
	memset(p->key, 0, sizeof(p->key));
	p->locks_used = 1;
	struct wire_lock *other = lock_add(p, key_of(WIRE_MUTEX, 0x9000));
	other->site[0] = PC(8);
	other->count[0].acquired = 17;
	look(f);
	table_of_run(f, &f->since);
	column(row_of(&f->c, "mutex of [libtest.so+0x1080]", 0), LOCK_ACQUISITIONS, 17, LOCK_EXACT);
}

/* -- Stacks ------------------------------------------------------------------------------------------ */

static void test_stacks(void **state)
{
	struct fixture *f = *state;
	struct wire_locks *p = f->p;
	struct wire_lock *l = mutex_with_waits(p);
	p->stacks = 1;
	p->stack_overflow = 6;
	p->stack[0] = (struct wire_stack){ 1, 2, 0, { PC(1), PC(7) } };
	p->stack[9] = (struct wire_stack){ 2, WIRE_STACK_FRAMES, 1, { PC(1) } };
	pair_add(p, l, PC(1), PC(4), 1, 50);
	p->pair[l->pairs].stack = 1;
	pair_add(p, l, PC(1), PC(5), 2, 60); /* another holder, the same stack */
	p->pair[l->pairs].stack = 1;
	pair_add(p, l, PC(1), PC(5), 1, 10);
	p->pair[l->pairs].stack = 10;
	pair_add(p, l, PC(1), PC(5), 1, 10);
	p->pair[l->pairs].stack = 12; /* not yet written */
	pair_add(p, l, PC(1), PC(6), 1, 10);
	p->pair[l->pairs].stack = UINT32_MAX;
	table_of(f);
	const struct lock_row *r = &f->c.locks->rows.at[0];
	assert_int_equal(r->stacks.n, 2);
	assert_int_equal(r->stacks.at[0].wait_ns, 110);
	assert_int_equal(r->stacks.at[0].waits, 3);
	assert_int_equal(r->stacks.at[0].n, 2);
	assert_string_equal(r->stacks.at[0].frames[1].symbol, "[libtest.so+0x1070]");
	assert_false(r->stacks.at[0].cut);
	assert_true(r->stacks.at[1].cut);
	assert_int_equal(f->c.locks->run->stacks_lost, 6);
}

/* -- Damage ------------------------------------------------------------------------------------------ */

static void test_check(void **state)
{
	struct fixture *f = *state;
	struct wire_locks *p = f->p;
	assert_ptr_equal(lock_run_check(p, sizeof(*p)), p);
	assert_null(lock_run_check(p, sizeof(*p) - 1));
	p->version++;
	assert_null(lock_run_check(p, sizeof(*p)));
	p->version--;
	p->size--;
	assert_null(lock_run_check(p, sizeof(*p)));
	p->size++;
	p->magic = 0;
	assert_null(lock_run_check(p, sizeof(*p)));
}

/* Written with holes, as the library leaves it. */
static void file_write(const char *path, const struct wire_locks *p)
{
	static const char zero[4096];
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, sizeof(*p)), 0);
	for (size_t at = 0; at < sizeof(*p); at += sizeof(zero)) {
		size_t n = sizeof(*p) - at < sizeof(zero) ? sizeof(*p) - at : sizeof(zero);
		const char *from = (const char *)p + at;
		if (memcmp(from, zero, n) != 0)
			assert_int_equal(pwrite(fd, from, n, (off_t)at), n);
	}
	close(fd);
}

/* A process that makes its file shorter while it is read, or before, does not end us. */
static void test_cut_short(void **state)
{
	struct fixture *f = *state;
	char path[300];
	struct err err = { 0 };
	struct lock_run r = { .ns = 1000 };
	struct wire_locks *p = f->p;
	mutex_with_waits(p);
	assert_int_equal(lock_folder_make(&r.folder, &err), 0);
	snprintf(path, sizeof(path), "%s/1" WIRE_FILE_SUFFIX, r.folder.path);
	file_write(path, p);
	assert_int_equal(lock_collect(&r, &err), 0);
	assert_int_equal(r.broken, 0);
	assert_int_equal(truncate(path, 4096), 0);
	table_of_run(f, &r);
	column(&f->c.locks->rows.at[0], LOCK_ACQUISITIONS, 16, LOCK_EXACT);
	assert_int_equal(f->c.locks->rows.at[0].pairs.n, 2);
	assert_int_equal(lock_collect(&r, &err), 0);
	assert_int_equal(r.processes.n, 0);
	assert_int_equal(r.broken, 1);
	lock_run_fini(&r);
}

/* Every lock has the same endless chain of pairs: each pair is one lock's, so that it ends. */
static void test_round(void **state)
{
	struct fixture *f = *state;
	struct wire_locks *p = f->p;
	for (uint64_t i = 1; i < WIRE_LOCKS; i++) {
		struct wire_lock *l = lock_add(p, key_of(WIRE_MUTEX, i * 64));
		l->site[0] = PC(i % 100);
		l->count[0].acquired = 1;
		l->pairs = 1;
		l->count[1].pending = (struct wire_pair){ PC(1), PC(2), 1, 1, 7, 3 };
	}
	for (uint32_t i = 1; i < WIRE_PAIRS; i++)
		p->pair[i] =
			(struct wire_pair){ PC(i), PC(i + 1), 1, 1, i % (WIRE_PAIRS - 1) + 1, 0 };
	p->pairs_used = UINT32_MAX;
	table_of(f);
	int64_t waits = 0;
	vec_each (r, &f->c.locks->rows) {
		vec_each (s, &r->waiting)
			waits += s->count;
	}
	assert_true(waits > 0 && waits < WIRE_PAIRS);
}

/*
 * The same between two looks, with no pair twice: were each lock's chain followed, that would be
 * locks times pairs times the length of a search, which took 139 s of CPU time; it takes 0.14 s.
 */
static void test_round_since(void **state)
{
	struct fixture *f = *state;
	struct wire_locks *p = f->p;
	for (uint64_t i = 1; i < WIRE_LOCKS; i++) {
		struct wire_lock *l = lock_add(p, key_of(WIRE_MUTEX, i * 64));
		l->site[0] = PC(1);
		l->count[0].acquired = 1;
		l->pairs = 1;
	}
	for (uint32_t i = 1; i < WIRE_PAIRS; i++)
		p->pair[i] =
			(struct wire_pair){ PC(i), PC(i + 1), 1, 1, i % (WIRE_PAIRS - 1) + 1, 0 };
	p->pairs_used = WIRE_PAIRS;
	clock_t began = clock();
	look(f);
	look(f);
	table_of_run(f, &f->since);
	assert_true(clock() - began < 20 * CLOCKS_PER_SEC);
}

/* More sites than a row keeps: the waits of the others are counted as without sites. */
static void test_many_sites(void **state)
{
	struct fixture *f = *state;
	struct wire_locks *p = f->p;
	struct wire_lock *l = lock_add(p, key_of(WIRE_MUTEX, 0x1000));
	l->site[0] = PC(1);
	l->count[0].acquired = 1;
	for (uint32_t i = 1; i < WIRE_PAIRS; i++)
		pair_add(p, l, PC(i), PC(i + 1), 2, 1);
	table_of(f);
	const struct lock_row *r = &f->c.locks->rows.at[0];
	int64_t kept = 0;
	assert_int_equal(r->pairs.n, LOCK_SITES_MAX);
	vec_each (pair, &r->pairs)
		kept += pair->waiting.count;
	assert_int_equal(kept + f->c.locks->run->pairs_lost, 2 * (WIRE_PAIRS - 1));
}

static void test_huge(void **state)
{
	struct fixture *f = *state;
	struct wire_locks *p = f->p;
	memset(&p->lock[1], 0xff, sizeof(p->lock[1]));
	p->key[0] = (struct wire_key){ key_of(WIRE_MUTEX, 0x1000), 1, 0 };
	p->key[1] = (struct wire_key){ key_of(WIRE_MUTEX, 0x2000), UINT32_MAX, 0 };
	p->locks_used = UINT32_MAX;
	p->modules_used = UINT32_MAX;
	p->hold = UINT32_MAX;
	p->module[1] = (struct wire_module){ 0, UINT64_MAX, UINT64_MAX, UINT32_MAX, 1 };
	memset(p->names, 'x', sizeof(p->names)); /* no end */
	table_of(f);
	vec_each (r, &f->c.locks->rows) {
		for (int k = 0; k < LOCK_COLUMNS; k++)
			assert_true(!lock_known(r, (enum lock_column)k) || r->value[k].n >= 0);
	}
}

/* Any bytes at all. */
static void test_noise(void **state)
{
	uint64_t seed = 7;
	for (int round = 0; round < 6; round++) {
		setup(state);
		struct fixture *f = *state;
		struct wire_locks *p = f->p;
		mutex_with_waits(p);
		uint64_t *words = (uint64_t *)(void *)p;
		for (size_t i = offsetof(struct wire_locks, lock_overflow) / 8; i < sizeof(*p) / 8;
		     i++) {
			seed ^= seed << 13;
			seed ^= seed >> 7;
			seed ^= seed << 17;
			if (seed % (1u << (2 * round)) == 0)
				words[i] = seed >> (seed & 63);
		}
		table_of(f);
		teardown(state);
	}
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_counts),
		CASE(test_holds),
		CASE(test_bounces),
		CASE(test_rwlock),
		CASE(test_names),
		cmocka_unit_test(test_processes),
		cmocka_unit_test(test_ran),
		CASE(test_since),
		CASE(test_since_replaced),
		CASE(test_since_destroyed),
		CASE(test_since_remade),
		CASE(test_stacks),
		CASE(test_check),
		CASE(test_cut_short),
		CASE(test_round),
		CASE(test_round_since),
		CASE(test_many_sites),
		CASE(test_huge),
		cmocka_unit_test(test_noise),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
