/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "record/lock_fold.h"

/* A file with one lock that two CPUs counted. */
static struct wire_locks *two_cpus(void)
{
	struct wire_locks *p = mem_alloc(sizeof(*p));
	p->locks_used = p->pairs_used = 2;
	struct wire_lock *l = &p->lock[1];
	l->key = 42;
	l->failed = 5;
	l->pairs = 1;
	p->pair[1] = (struct wire_pair){ .waiting = 1, .holding = 2, .n = 10, .wait = 100 };
	l->count[0] =
		(struct wire_count){ .acquired = 3,
				     .contentions = 2,
				     .wait_min = 7,
				     .wait_max = 9,
				     .pending = { .waiting = 1, .holding = 2, .n = 1, .wait = 4 } };
	l->count[5] =
		(struct wire_count){ .acquired = 4,
				     .site_n = { 1, 2, 3, 4 },
				     .hold_n = 1,
				     .hold_min = 6,
				     .hold_max = 6,
				     .contentions = 1,
				     .wait_min = 8,
				     .wait_max = 20,
				     .pending = { .waiting = 3, .holding = 2, .n = 6, .wait = 7 } };
	return p;
}

static void check(const struct wire_locks *f)
{
	const struct wire_lock *l = &f->lock[1];
	const struct wire_count *c = &l->count[0];
	assert_int_equal(l->key, 42);
	assert_int_equal(l->failed, 5);
	assert_int_equal(c->acquired, 7);
	assert_int_equal(c->site_n[3], 4);
	assert_int_equal(c->contentions, 3);
	assert_int_equal(c->wait_min, 7);
	assert_int_equal(c->wait_max, 20);
	assert_int_equal(c->hold_n, 1);
	assert_int_equal(c->hold_min, 6);
	for (unsigned i = 1; i < WIRE_CPUS; i++)
		assert_int_equal(l->count[i].acquired + l->count[i].pending.n, 0);
	const struct wire_pair *a =
		lock_pair(f, l, &(struct wire_pair){ .waiting = 1, .holding = 2 });
	const struct wire_pair *b =
		lock_pair(f, l, &(struct wire_pair){ .waiting = 3, .holding = 2 });
	assert_non_null(a);
	assert_non_null(b);
	assert_int_equal(a->n, 11);
	assert_int_equal(a->wait, 104);
	assert_int_equal(b->n, 6);
	assert_null(lock_pair(f, l, &(struct wire_pair){ .waiting = 3, .holding = 3 }));
}

/* What is folded once stays as it is. */
static void test_fold(void **state)
{
	(void)state;
	struct wire_locks *p = two_cpus(), *once = lock_fold(p), *twice = lock_fold(once);
	check(once);
	check(twice);
	free(p);
	free(once);
	free(twice);
}

static void test_no_room(void **state)
{
	(void)state;
	struct wire_locks *p = two_cpus();
	p->pairs_used = WIRE_PAIRS;
	struct wire_locks *f = lock_fold(p);
	assert_int_equal(f->lock[1].pair_lost, 6);
	assert_int_equal(f->pair_overflow, 6);
	free(p);
	free(f);
}

/* Sizes that cannot be, a chain that goes round, and one that leads out. */
static void test_damaged(void **state)
{
	(void)state;
	struct wire_locks *p = two_cpus();
	p->locks_used = p->pairs_used = UINT32_MAX;
	p->pair[1].next = 1;
	p->lock[2].pairs = UINT32_MAX;
	p->lock[2].count[3].pending.n = 1;
	struct wire_locks *f = lock_fold(p);
	assert_int_equal(f->lock[1].count[0].acquired, 7);
	assert_int_equal(f->lock[2].pair_lost, 1);
	free(p);
	free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fold),
		cmocka_unit_test(test_no_room),
		cmocka_unit_test(test_damaged),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
