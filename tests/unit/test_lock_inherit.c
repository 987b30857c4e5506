/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "record/lock_inherit.h"

#define KEY(n) ((uint64_t)WIRE_MUTEX << 56 | (uint64_t)(n)*64)
#define FORK 1000000000

/* Of the process of this PID, that began at so many ns. */
static struct wire_locks *process(uint32_t pid, uint64_t start)
{
	struct wire_locks *p = mem_alloc(sizeof(*p));
	p->pid = pid;
	p->start = start;
	p->locks_used = 1;
	memset(p->key_groups, 0xff, sizeof(p->key_groups));
	return p;
}

static struct wire_lock *lock(struct wire_locks *p, uint64_t key, uint32_t made, uint64_t init)
{
	uint32_t at = wire_hash(key), i = p->locks_used++;
	while (p->key[at].key)
		at = (at + 1) % WIRE_KEYS;
	p->key[at] = (struct wire_key){ key, i, made };
	p->lock[i].init = init;
	return &p->lock[i];
}

/* What was initialised before the fork has its site; not what may have been later. */
static void test_times(void **state)
{
	(void)state;
	struct wire_locks *parent = process(1, FORK - 5 * WIRE_MADE_NS), *child = process(2, FORK);
	static const struct {
		uint32_t made;
		uint64_t init, want;
	} cases[] = { { 1, 11, 11 }, { 5, 12, 12 }, { 6, 13, 0 },
		      { 0, 14, 0 },  { 2, 0, 0 },   { UINT32_MAX, 15, 0 } };
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		lock(parent, KEY(i + 1), cases[i].made, cases[i].init);
		lock(child, KEY(i + 1), 1, 0);
	}
	lock(parent, KEY(100), 1, 16);
	struct wire_lock *own = lock(child, KEY(100), 1, 17), *alone = lock(child, KEY(101), 1, 0);
	lock_inherit(child, parent);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(child->lock[i + 1].init, cases[i].want);
	assert_int_equal(own->init, 17);
	assert_int_equal(alone->init, 0);
	free(parent);
	free(child);
}

static void test_parent(void **state)
{
	(void)state;
	struct wire_locks *parent = process(1, 5), *child = process(2, 7);
	assert_false(lock_is_parent(parent, child));
	child->forked_pid = 1;
	child->forked_start = 5;
	assert_true(lock_is_parent(parent, child));
	parent->start = 6; /* another program in that process */
	assert_false(lock_is_parent(parent, child));
	free(parent);
	free(child);
}

/* Indexes beyond the file, and a parent that began after its child. */
static void test_damage(void **state)
{
	(void)state;
	struct wire_locks *parent = process(1, FORK + 1), *child = process(2, FORK);
	lock(parent, KEY(1), 1, 11);
	lock(parent, KEY(2), 1, 12);
	parent->key[lock_key_find(parent, KEY(2))].lock = UINT32_MAX;
	lock(child, KEY(1), 1, 0);
	lock(child, KEY(2), 1, 0);
	lock(child, KEY(3), 1, 0);
	child->key[lock_key_find(child, KEY(3))].lock = WIRE_LOCKS;
	lock_inherit(child, parent);
	parent->start = 0;
	lock_inherit(child, parent);
	assert_int_equal(child->lock[1].init, 11);
	assert_int_equal(child->lock[2].init, 0);
	assert_int_equal(lock_key_find(child, KEY(4)), WIRE_KEYS);
	free(parent);
	free(child);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_parent),
		cmocka_unit_test(test_damage),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
