/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The modules of the preload library that have logic: records, counts, sampling. Not its hooks. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "preload/calls.h"
#include "preload/count.h"
#include "preload/retire.h"

static struct wire_locks *table;

static int table_open(void **state)
{
	(void)state;
	void *at = mmap(NULL, sizeof(*table), PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		return -1;
	table = at;
	table->locks_used = table->pairs_used = table->names_used = 1;
	memset(&self, 0, sizeof(self));
	segment_config.hold = WIRE_HOLD_NONE;
	segment_page.s.open = segment_place = table;
	return 0;
}

static int table_close(void **state)
{
	(void)state;
	segment_page.s.open = segment_place = NULL;
	segment_page.s.tried = 0;
	return munmap(table, sizeof(*table));
}

/* The i-th lock of a program. */
static uint64_t mutex(uintptr_t i)
{
	return table_key((const void *)(0x10000 + 64 * i), WIRE_MUTEX);
}

static struct wire_lock *sum_of(uint64_t site)
{
	return table_find(table, site | (uint64_t)(WIRE_MUTEX | WIRE_KIND_GONE) << 56);
}

static const struct self_start untimed, sampled = { .sampled = true };

/* As a thread on a CPU does it, from a site. */
static void take_and_let(struct record r, int32_t cpu, uint64_t pc)
{
	r.count = &r.lock->count[cpu % WIRE_CPUS];
	count_acquired(r, cpu, pc, untimed);
	count_released(r);
}

/* The lock is past the acquisitions that are all looked at, on every CPU. */
static void make_old(struct wire_lock *l)
{
	for (unsigned i = 0; i < WIRE_CPUS; i++)
		l->count[i].acquired = WIRE_LOOK_FIRST;
}

static struct wire_count total(const struct wire_lock *l)
{
	struct wire_count sum = { 0 };
	for (unsigned i = 0; i < WIRE_CPUS; i++)
		wire_count_add(&sum, &l->count[i]);
	return sum;
}

/* -- Records ----------------------------------------------------------------------------------- */

static void test_record(void **state)
{
	(void)state;
	assert_null(record_find(mutex(1)).lock);
	struct record r = record_get(mutex(1));
	assert_non_null(r.lock);
	assert_ptr_equal(record_get(mutex(1)).lock, r.lock);
	assert_ptr_equal(record_find(mutex(1)).lock, r.lock);
	assert_int_equal(r.lock->cpu, WIRE_CPU_NONE);
	assert_int_equal(r.lock->instances, 1);
	assert_ptr_not_equal(record_get(mutex(2)).lock, r.lock);
	uint64_t other_kind = table_key((const void *)WIRE_KEY_ADDRESS(mutex(1)), WIRE_SPIN);
	assert_ptr_not_equal(record_get(other_kind).lock, r.lock);
}

/* Of the keys only those take memory among which there is one. */
static void test_record_groups(void **state)
{
	(void)state;
	uint64_t none = 0, one = 0;
	assert_null(record_find(mutex(1)).lock);
	for (unsigned i = 0; i < WIRE_KEYS / WIRE_KEY_GROUP / 64; i++)
		none |= table->key_groups[i];
	record_get(mutex(1));
	for (unsigned i = 0; i < WIRE_KEYS / WIRE_KEY_GROUP / 64; i++)
		one += (unsigned)__builtin_popcountll(table->key_groups[i]);
	assert_int_equal(none, 0);
	assert_int_equal(one, 1);
	assert_true(wire_has_group(table, wire_hash(mutex(1))));
}

/* What a hook has begun it goes on with when another thread closes the file. */
static void test_record_closed(void **state)
{
	(void)state;
	struct wire_lock *l = record_get(mutex(1)).lock;
	segment_close();
	struct record r = record_of(l);
	assert_ptr_equal(r.table, table);
	struct count_wait w = count_contended(&r, 0x11, 0);
	w.end = w.start + 1;
	count_wait_ended(&r, 0x11, &w);
	assert_int_equal(total(l).contentions, 1);
	assert_null(record_get(mutex(1)).lock);
	assert_null(record_find(mutex(1)).lock);
	calls_let();
}

/* 64 locks in an array are remembered all at once. */
static void test_record_places(void **state)
{
	(void)state;
	const uint64_t base = UINT64_C(0x00007f1234567000);
	for (uint64_t stride = 40; stride <= 560; stride += 8) {
		bool taken[1 << SELF_CACHE_BITS] = { false };
		for (uint64_t i = 0; i < 64; i++) {
			uint64_t key = (base + i * stride) | (uint64_t)WIRE_MUTEX << 56;
			ptrdiff_t at = record_slot(key) - self.cache;
			if (taken[at])
				fail_msg("%u bytes apart", (unsigned)stride);
			taken[at] = true;
		}
	}
}

/* A thread remembers a record; it must not when the record is another lock's, or a child's file new. */
static void test_record_forgets(void **state)
{
	(void)state;
	struct wire_lock *l = record_get(mutex(1)).lock;
	retire_lock(table, mutex(1));
	assert_false(record_is_of(l, mutex(1)));
	assert_ptr_equal(record_get(mutex(2)).lock, l); /* the place is used again */
	assert_null(record_find(mutex(1)).lock);

	memset(l, 0, sizeof(*l)); /* what a child finds there */
	assert_false(record_is_of(l, mutex(2)));
}

static void test_table_overflow(void **state)
{
	(void)state;
	uintptr_t i = 0;
	while (table_get(table, mutex(i)))
		i++;
	/* Other keys lie too close together before all records are in use, but hardly. */
	assert_in_range(i, WIRE_LOCKS / 2, WIRE_LOCKS - 1);
	assert_int_equal(table->lock_overflow, 1);
	assert_null(table_get(table, mutex(i)));
	assert_int_equal(table->lock_overflow, 2);
	retire_lock(table, mutex(i - 1));
	assert_non_null(table_get(table, mutex(i - 1)));
	assert_int_equal(table->lock_overflow, 2);
}

/* -- Destroyed locks --------------------------------------------------------------------------- */

static void test_retire(void **state)
{
	(void)state;
	const uint64_t made_at = 0x4711, waits[] = { 30, 10, 20 };
	for (uintptr_t i = 0; i < 3; i++) {
		count_made(mutex(7), made_at);
		struct record r = record_get(mutex(7));
		assert_int_equal(total(r.lock).acquired, 0);
		take_and_let(r, (int32_t)i, 0x100 + i);
		take_and_let(r, (int32_t)i + 1, 0x100);
		struct wire_count *c = &r.lock->count[i];
		c->contentions = 1;
		c->wait_total = c->wait_min = c->wait_max = waits[i];
		c->pending = (struct wire_pair){ .waiting = 0x100, .n = 1, .wait = waits[i] };
		count_failed(&r);
		count_gone(mutex(7));
	}
	assert_null(record_find(mutex(7)).lock);
	const struct wire_lock *l = sum_of(made_at);
	assert_non_null(l);
	struct wire_count sum = total(l);
	assert_int_equal(l->instances, 3);
	assert_int_equal(l->init, made_at);
	assert_int_equal(l->failed, 3);
	assert_int_equal(sum.acquired, 6);
	assert_int_equal(sum.acq_bounces, 3);
	assert_int_equal(sum.contentions, 3);
	assert_int_equal(sum.wait_total, 60);
	assert_int_equal(sum.wait_min, 10);
	assert_int_equal(sum.wait_max, 30);
	assert_int_equal(l->site[0], 0x100);
	assert_int_equal(sum.site_n[0], 4);
	assert_int_equal(sum.site_n[1] + sum.site_n[2], 2);
	assert_int_equal(table->pair[l->pairs].n, 3);
	assert_int_equal(table->pair[l->pairs].wait, 60);
	/* One record is in use, the other is free. */
	assert_int_equal(table->locks_used, 3);
}

static void test_retire_unused(void **state)
{
	(void)state;
	count_made(mutex(1), 0x4711);
	count_gone(mutex(1));
	count_gone(mutex(1));
	assert_null(sum_of(0x4711));
	assert_null(record_find(mutex(1)).lock);
}

/* Two threads may come to it at once: neither begins it. */
static void test_sum_is_empty(void **state)
{
	(void)state;
	const uint64_t gone = (uint64_t)(WIRE_MUTEX | WIRE_KIND_GONE) << 56;
	assert_int_equal(table_add(table, 0x4711 | gone)->instances, 0);
	assert_int_equal(table_add(table, mutex(1))->instances, 1);
}

/* It keeps its record, and what is made in its place begins anew in it. */
static void test_retire_variable(void **state)
{
	(void)state;
	static int variable;
	const uint64_t key = table_key(&variable, WIRE_MUTEX);
	for (int i = 0; i < 3; i++) {
		count_made(key, 0x4711);
		struct record r = record_get(key);
		assert_int_equal(r.lock->init, 0x4711);
		assert_int_equal(r.lock->holder, 0);
		assert_int_equal(r.lock->depth, 0);
		take_and_let(r, i, 0x100);
		r.lock->depth = 1;
		count_gone(key);
		assert_int_equal(r.lock->init, 0);
	}
	const struct wire_lock *l = record_find(key).lock;
	assert_non_null(l);
	assert_null(sum_of(0x4711));
	assert_int_equal(l->instances, 1);
	assert_int_equal(total(l).acquired, 3);
	assert_int_equal(total(l).acq_bounces, 0);
	assert_int_equal(table->locks_used, 2);
}

/* -- Counts ------------------------------------------------------------------------------------ */

static void test_bounces(void **state)
{
	(void)state;
	struct record r = record_get(mutex(1));
	const int32_t cpus[] = { 0, 1, 1, 0, 9, 9 };
	for (size_t i = 0; i < 6; i++)
		take_and_let(r, cpus[i], 0x100);
	assert_int_equal(total(r.lock).acq_bounces, 3);
	assert_int_equal(total(r.lock).acquired, 6);
	assert_int_equal(total(r.lock).looked, 6);
	assert_int_equal(r.lock->cpu, 9);

	/* A trylock neither bounces nor moves the CPU, but it has the lock. */
	count_tried(r, 0x200, untimed);
	assert_int_equal(r.lock->cpu, 9);
	assert_int_equal(r.lock->holder, 0x200);
	count_released(r);
	assert_int_equal(total(r.lock).acq_bounces, 3);
	assert_int_equal(total(r.lock).acquired, 7);
	assert_int_equal(total(r.lock).looked, 6);
	assert_int_equal(total(r.lock).tried, 1);
}

/*
 * Of an old lock only those in the sample tell the next where they were, even where every hold is
 * timed.
 */
static void test_sampled_bounces(void **state)
{
	(void)state;
	segment_config.hold = WIRE_HOLD_ALL;
	struct record r = record_get(mutex(1));
	take_and_let(r, 0, 0x100);
	make_old(r.lock);
	take_and_let(r, 1, 0x100); /* this one was told */
	assert_int_equal(total(r.lock).acq_bounces, 1);
	assert_int_equal(total(r.lock).looked, 2);
	assert_int_equal(r.lock->cpu, WIRE_CPU_UNSEEN);
	take_and_let(r, 0, 0x100);
	assert_int_equal(total(r.lock).looked + total(r.lock).sampled, 2);
	count_acquired(r, 0, 0x100, sampled);
	assert_int_equal(r.lock->cpu, WIRE_CPU_SAMPLED);
	take_and_let(r, 1, 0x100);
	assert_int_equal(total(r.lock).sampled, 1);
	assert_int_equal(total(r.lock).sampled_bounces, 1);
	assert_int_equal(total(r.lock).acq_bounces, 1);
	assert_int_equal(r.lock->cpu, WIRE_CPU_UNSEEN);

	/* Readers leave it in the record of their writers. */
	struct record w = record_get(table_key((const void *)0x9000, WIRE_RWLOCK_W));
	r = record_get(table_key((const void *)0x9000, WIRE_RWLOCK_R));
	count_acquired_shared(&r, w.lock, 0x100, untimed);
	assert_int_equal(w.lock->cpu, now_cpu());
	make_old(r.lock);
	count_acquired_shared(&r, w.lock, 0x100, untimed);
	assert_int_equal(total(r.lock).looked, 2);
	assert_int_equal(w.lock->cpu, WIRE_CPU_UNSEEN);
	count_acquired_shared(&r, w.lock, 0x100, sampled);
	assert_int_equal(total(r.lock).looked + total(r.lock).sampled, 2);
	assert_int_equal(w.lock->cpu, now_cpu() | WIRE_CPU_SAMPLED);
	take_and_let(w, now_cpu() + 1, 0x100);
	assert_int_equal(total(w.lock).sampled_bounces, 1);
}

/* Who has an old mutex is asked where it is; a thread that took no lock yet cannot tell. */
static void test_contended_bounce(void **state)
{
	(void)state;
	struct record r = record_get(mutex(1));
	int32_t here = now_cpu();
	segment_config.generation = 1; /* a thread asks for its id once for each */
	assert_int_equal(count_contended(&r, 0x100, 0).bounce, 0); /* nobody had it before */
	r.lock->cpu = here + 1;
	assert_int_equal(count_contended(&r, 0x100, 0).bounce, 1);
	r.lock->cpu = WIRE_CPU_UNSEEN;
	assert_int_equal(count_contended(&r, 0x100, 0).bounce, -1);
	assert_int_equal(count_contended(&r, 0x100, self_tid() + 1).bounce, -1);
	self_moved(here + 1);
	assert_int_equal(count_contended(&r, 0x100, self_tid()).bounce, 1);
}

/* What the quick way from lock to unlock counts is counted like the rest. */
static void test_usual(void **state)
{
	(void)state;
	struct record r = record_get(mutex(1));
	take_and_let(r, 0, 0x100);
	assert_int_equal(r.lock->count[0].usual_at, 0);
	make_old(r.lock);
	take_and_let(r, 0, 0x100);
	assert_int_equal(r.lock->count[0].usual_at, 0x100);
	r.lock->count[0].usual = 40;
	struct wire_count sum = total(r.lock);
	assert_int_equal(sum.acquired, 40 + 1 + WIRE_CPUS * WIRE_LOOK_FIRST);
	assert_int_equal(sum.site_n[0], 40 + 2);
	count_gone(mutex(1));
	sum = total(sum_of(0x100));
	assert_int_equal(sum.acquired, 40 + 1 + WIRE_CPUS * WIRE_LOOK_FIRST);
	assert_int_equal(sum.site_n[0], 40 + 2);
}

/* As many sites as there is room for; the others are in the sum alone. */
static void test_sites(void **state)
{
	(void)state;
	struct record r = record_get(mutex(1));
	for (uint64_t pc = 1; pc <= WIRE_SITES + 2; pc++) {
		for (uint64_t n = 0; n < pc; n++)
			take_and_let(r, (int32_t)n, pc);
	}
	struct wire_count sum = total(r.lock);
	for (uint64_t i = 0; i < WIRE_SITES; i++) {
		assert_int_equal(r.lock->site[i], i + 1);
		assert_int_equal(sum.site_n[i], i + 1);
	}
	assert_int_equal(sum.acquired, 1 + 2 + 3 + 4 + 5 + 6);
}

/* Free at the second try: not even another CPU's. Its hold begins now. */
static void test_second_try(void **state)
{
	(void)state;
	segment_config.hold = WIRE_HOLD_ALL;
	struct record r = record_get(mutex(1));
	uint64_t from = now();
	struct count_wait w = { .start = from, .bounce = true };
	count_waited(&r, 0x100, &w, (struct self_start){ .at = from - (UINT64_C(1) << 40) });
	count_released(r);
	struct wire_count sum = total(r.lock);
	assert_int_equal(sum.contentions, 0);
	assert_int_equal(sum.con_looked, 0);
	assert_int_equal(sum.acquired, 1);
	assert_int_equal(sum.hold_n, 1);
	assert_true(sum.hold_max <= now() - from);
}

/* A wait of no time (clocks may differ) is none, but the lock was had on another CPU. */
static void test_zero_wait(void **state)
{
	(void)state;
	struct record r = record_get(mutex(1));
	struct count_wait w = { .start = 100, .end = 99, .bounce = true };
	count_waited(&r, 0x100, &w, untimed);
	count_released(r);
	struct wire_count sum = total(r.lock);
	assert_int_equal(sum.contentions, 0);
	assert_int_equal(sum.wait_total, 0);
	assert_int_equal(sum.con_bounces, 1);
	assert_int_equal(sum.acquired, 1);
	assert_int_equal(r.count->pending.n, 0);
	assert_int_equal(r.lock->pairs, 0);
}

static void wait_once(struct record r, uint64_t waiting, uint64_t holding)
{
	struct count_wait w = { .start = 100, .end = 101, .holding = holding };
	count_waited(&r, waiting, &w, untimed);
	count_released(r);
}

/* The last pair is with the counts, the others are in the lock's list; each wait is in one place. */
static void test_pairs(void **state)
{
	(void)state;
	struct record r = record_get(mutex(1));
	for (int i = 0; i < 3; i++)
		wait_once(r, 0x100, 0x200);
	assert_int_equal(r.count->pending.n, 3);
	assert_int_equal(r.lock->pairs, 0);
	wait_once(r, 0x100, 0x300);
	wait_once(r, 0x100, 0x200);
	assert_int_equal(r.count->pending.n, 1);
	assert_int_equal(r.count->pending.holding, 0x200);
	uint64_t n = 0;
	for (uint32_t i = r.lock->pairs; i; i = table->pair[i].next)
		n += table->pair[i].n;
	assert_int_equal(n, 4);
	assert_int_equal(total(r.lock).contentions, 5);
}

static void test_pair_overflow(void **state)
{
	(void)state;
	struct wire_lock *l = table_get(table, mutex(1));
	const uint64_t n = 2 * WIRE_PAIRS;
	for (uint64_t i = 1; i <= n; i++)
		table_pair(table, l, &(struct wire_pair){ .waiting = i, .n = 1, .wait = 1 });
	uint64_t kept = 0;
	for (uint32_t i = l->pairs; i; i = table->pair[i].next)
		kept += table->pair[i].n;
	assert_true(kept > 0);
	assert_int_equal(kept + l->pair_lost, n);
	assert_int_equal(table->pair_overflow, l->pair_lost);
}

/* -- Sampling ---------------------------------------------------------------------------------- */

static int timed(const struct wire_count *c, int n)
{
	int times = 0;
	for (int i = 0; i < n; i++)
		times += count_start(c).at != 0;
	return times;
}

static void test_sampling(void **state)
{
	(void)state;
	const struct wire_count old = { .acquired = WIRE_LOOK_FIRST }, new = { 0 };
	const int n = 1 << 23, want = n / WIRE_LOOK_EVERY;
	segment_config.hold = WIRE_HOLD_SAMPLE;
	assert_in_range(timed(&old, n), want - want / 20, want + want / 20);

	/* Neither in step with a program that takes two locks in turn. */
	int even = 0, odd = 0;
	for (int i = 0; i < n; i++)
		*(i % 2 ? &odd : &even) += count_start(&old).sampled;
	assert_in_range(even, want / 2 - want / 20, want / 2 + want / 20);
	assert_in_range(odd, want / 2 - want / 20, want / 2 + want / 20);

	assert_int_equal(timed(&new, 1000), 1000);
	segment_config.hold = WIRE_HOLD_ALL;
	assert_int_equal(timed(&old, 1000), 1000);
	segment_config.hold = WIRE_HOLD_NONE;
	assert_int_equal(timed(&old, n), 0);
	assert_int_equal(timed(&new, 1000), 0);
	int looks = 0;
	for (int i = 0; i < n; i++)
		looks += count_start(&old).sampled;
	assert_in_range(looks, want - want / 20, want + want / 20);
}

static void test_hold(void **state)
{
	(void)state;
	struct record r = record_get(mutex(1));
	segment_config.hold = WIRE_HOLD_SAMPLE;
	for (int i = 0; i < 3; i++) {
		count_acquired(r, 0, 0x100, (struct self_start){ .at = now() });
		count_released(r);
	}
	struct wire_count sum = total(r.lock);
	assert_int_equal(sum.hold_n, 3);
	assert_true(sum.hold_min <= sum.hold_max && sum.hold_max <= sum.hold_total);
	take_and_let(r, 0, 0x100);
	assert_int_equal(total(r.lock).hold_n, 3);

	/* The sample is apart, unless all are timed. */
	make_old(r.lock);
	count_acquired(r, 0, 0x100, (struct self_start){ now(), true });
	count_released(r);
	assert_int_equal(total(r.lock).hold_n, 3);
	assert_int_equal(total(r.lock).sampled_hold_n, 1);
	segment_config.hold = WIRE_HOLD_ALL;
	count_acquired(r, 0, 0x100, (struct self_start){ now(), true });
	count_released(r);
	assert_int_equal(total(r.lock).hold_n, 4);
}

/* Another thread ended a hold that this one had timed: its time is that of no other. */
static void test_hold_ended_elsewhere(void **state)
{
	(void)state;
	struct record r = record_get(mutex(1));
	segment_config.hold = WIRE_HOLD_SAMPLE;
	count_acquired(r, 0, 0x100, (struct self_start){ .at = 1 });
	take_and_let(r, 0, 0x100);
	assert_int_equal(total(r.lock).hold_n, 0);

	/* So many that there is no room: the oldest are forgotten. */
	for (uintptr_t i = 0; i <= SELF_HELD; i++)
		count_acquired(record_get(mutex(i)), 0, 0x100, (struct self_start){ .at = now() });
	for (uintptr_t i = 0; i <= SELF_HELD; i++) {
		count_released(record_find(mutex(i)));
		assert_int_equal(total(record_find(mutex(i)).lock).hold_n, i > 0);
	}
}

/* -- Threads ----------------------------------------------------------------------------------- */

#define THREADS 4
#define KEYS 500
#define TURNS 2000

static unsigned missed; /* records that a thread should have had */

/* Each thread makes the same records at the same time, and counts as a reader does. */
static void *work(void *arg)
{
	(void)arg;
	for (uintptr_t i = 0; i < KEYS; i++) {
		struct record r = record_get(mutex(i));
		if (!r.lock)
			__atomic_fetch_add(&missed, 1, __ATOMIC_RELAXED);
		while (!r.lock)
			r = record_get(mutex(i));
		count_acquired_shared(&r, r.lock, 0x100 + i % 2, untimed);
		count_released_shared(&r, (struct self_start){ .at = now() });
	}
	struct record r = record_get(mutex(0));
	for (int i = 0; i < TURNS; i++) {
		struct count_wait w = { .start = 100, .end = 105, .holding = 0x100 };
		count_waited_shared(&r, 0x200, &w);
	}
	return NULL;
}

static void test_threads(void **state)
{
	(void)state;
	pthread_t thread[THREADS];
	missed = 0;
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, work, NULL), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	assert_in_range(missed, 0, THREADS); /* none, but where the maker of one was stopped */
	assert_in_range(table->locks_used, 1 + KEYS, KEYS + THREADS); /* one was late */
	for (uintptr_t i = 0; i < KEYS; i++) {
		const struct wire_lock *l = table_find(table, mutex(i));
		struct wire_count sum = total(l);
		assert_int_equal(sum.acquired, THREADS);
		assert_int_equal(sum.hold_n, THREADS);
		assert_int_equal(sum.site_n[0], THREADS);
	}
	const struct wire_lock *l = table_find(table, mutex(0));
	assert_int_equal(total(l).contentions, THREADS * TURNS);
	uint64_t n = 0;
	for (uint32_t i = l->pairs; i; i = table->pair[i].next)
		n += table->pair[i].n;
	assert_int_equal(n + l->pair_lost, THREADS * TURNS);
}

/* -- System calls ------------------------------------------------------------------------------ */

static int at_work, work_done;

static void *call(void *arg)
{
	calls_begin();
	__atomic_store_n(&at_work, 1, __ATOMIC_RELEASE);
	usleep(20000);
	__atomic_store_n(&work_done, 1, __ATOMIC_RELEASE);
	calls_end();
	return arg;
}

/* Who stops them waits for those of another thread. */
static void test_calls_under_way(void **state)
{
	(void)state;
	pthread_t t;
	assert_int_equal(pthread_create(&t, NULL, call, NULL), 0);
	while (!__atomic_load_n(&at_work, __ATOMIC_ACQUIRE))
		sched_yield();
	calls_stop();
	int done = __atomic_load_n(&work_done, __ATOMIC_ACQUIRE);
	calls_let();
	pthread_join(t, NULL);
	assert_int_equal(done, 1);
}

/* Not for ever: it may be this thread that makes them. */
static void test_calls_left_behind(void **state)
{
	(void)state;
	assert_true(calls_begin());
	calls_stop();
	assert_false(calls_begin());
	calls_end();
	calls_let();
	assert_true(calls_begin());
	calls_end();
}

/* Of two that stop them, one found that it need not have. */
static void test_calls_stopped_twice(void **state)
{
	(void)state;
	calls_stop();
	calls_stop();
	calls_let();
	assert_false(calls_begin());
	calls_let();
	assert_true(calls_begin());
	calls_end();
}

/* No system call makes room then: there is what was got ready. */
static void test_calls_table(void **state)
{
	(void)state;
	record_get(mutex(1));
	table_get_ready(table);
	calls_stop();
	uint32_t n = 0;
	while (n < WIRE_LOCKS && record_get(mutex(2 + n)).lock)
		n++;
	calls_let();
	assert_in_range(n, 1, WIRE_LOCKS / 2);
	assert_int_equal(table->lock_overflow, 1);
	assert_non_null(record_get(mutex(2 + n)).lock);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, table_open, table_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_calls_under_way),
		CASE(test_calls_left_behind),
		CASE(test_calls_stopped_twice),
		CASE(test_calls_table),
		CASE(test_record),
		CASE(test_record_forgets),
		CASE(test_record_closed),
		CASE(test_record_groups),
		CASE(test_record_places),
		CASE(test_table_overflow),
		CASE(test_retire),
		CASE(test_retire_unused),
		CASE(test_retire_variable),
		CASE(test_sum_is_empty),
		CASE(test_bounces),
		CASE(test_sites),
		CASE(test_zero_wait),
		CASE(test_second_try),
		CASE(test_pairs),
		CASE(test_pair_overflow),
		CASE(test_sampling),
		CASE(test_sampled_bounces),
		CASE(test_hold),
		CASE(test_hold_ended_elsewhere),
		CASE(test_usual),
		CASE(test_contended_bounce),
		CASE(test_threads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
