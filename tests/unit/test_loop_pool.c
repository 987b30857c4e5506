/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyze/loop_pool.h"

struct loop {
	struct pooled_loop in;
	uint32_t number;
};

static struct loop *take(struct loop_pool *p, uint32_t *id, int64_t total)
{
	struct loop *l = loop_pool_take(p, id);
	l->in.total += total;
	return l;
}

static void test_take(void **state)
{
	(void)state;
	struct loop_pool p;
	uint32_t a = 0, b = 0;
	loop_pool_init(&p, sizeof(struct loop));
	assert_null(loop_pool_get(&p, 0));
	take(&p, &a, 1)->number = 7;
	take(&p, &b, 1)->number = 8;
	struct loop *l = loop_pool_get(&p, a);
	assert_true(a && b && a != b && l->number == 7 && !l->in.partial);
	assert_ptr_equal(loop_pool_take(&p, &a), l);
	loop_pool_fini(&p);
	loop_pool_fini(&p);
}

/* All but the dearest are forgotten in time; what comes again is said to be a part. */
static void test_forget(void **state)
{
	(void)state;
	struct loop_pool p;
	static uint32_t ids[2 * LOOP_POOL_LOOPS];
	uint32_t dear = 0, open = 0;
	loop_pool_init(&p, sizeof(struct loop));
	take(&p, &dear, INT64_MAX);
	stat_series_add(&take(&p, &open, 0)->in.steady, 1000000); /* not over: without a total */
	for (uint32_t i = 0; i < 2 * LOOP_POOL_LOOPS; i++) {
		take(&p, &ids[i], i);
		assert_in_range(p.n, 1, LOOP_POOL_LOOPS);
	}
	assert_non_null(loop_pool_get(&p, dear));
	assert_non_null(loop_pool_get(&p, open));
	assert_null(loop_pool_get(&p, ids[0]));
	struct loop *last = loop_pool_get(&p, ids[2 * LOOP_POOL_LOOPS - 1]);
	assert_false(last->in.partial);

	uint32_t was = ids[0];
	struct loop *again = take(&p, &ids[0], 5);
	assert_int_equal(ids[0], was);
	assert_true(again->in.partial && again->in.total == 5);
	loop_pool_fini(&p);
}

/* However many loops have however many turns, the values are bounded, and none goes without. */
static void test_samples(void **state)
{
	(void)state;
	struct loop_pool p;
	loop_pool_init(&p, sizeof(struct loop));
	for (uint32_t i = 0; i < 2 * LOOP_POOL_LOOPS; i++) {
		uint32_t id = 0;
		struct loop *l = take(&p, &id, i);
		for (int k = 0; k < 2 * STAT_SAMPLE; k++)
			loop_pool_add(&p, &l->in.steady, k);
		assert_true(p.samples < LOOP_POOL_SAMPLES + STAT_SAMPLE);
		assert_true(stat_series_median_ns(&l->in.steady) >= 0);
		assert_int_equal(l->in.steady.n, 2 * STAT_SAMPLE);
	}
	size_t samples = 0;
	for (uint32_t id = 1; id <= p.at.n; id++) {
		const struct loop *l = loop_pool_get(&p, id);
		samples += l ? stat_series_room(&l->in.steady) : 0;
	}
	assert_int_equal(p.samples, samples);
	loop_pool_fini(&p);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_take),
		cmocka_unit_test(test_forget),
		cmocka_unit_test(test_samples),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
