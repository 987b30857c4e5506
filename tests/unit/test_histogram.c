/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "stat/histogram.h"

static uint64_t seed = 1;

static uint64_t random_bits(void)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return seed >> 33 << 31 ^ seed >> 17;
}

/* Of any magnitude. */
static int64_t random_time(void)
{
	return (int64_t)(random_bits() >> (1 + random_bits() % 62));
}

/* Every value lies in its bucket, the next bucket begins where this one ends, and the middle of a
 * bucket is within the stated error of all in it. */
static void buckets_tile_the_values(void **state)
{
	(void)state;
	for (size_t i = 0; i + 1 < HISTOGRAM_BUCKETS; i++)
		assert_int_equal(histogram_low(i) + histogram_width(i), histogram_low(i + 1));
	for (int i = 0; i < 200000; i++) {
		int64_t v = random_time();
		size_t b = histogram_bucket(v);
		assert_true(b < HISTOGRAM_BUCKETS);
		assert_true(histogram_low(b) <= v && v - histogram_low(b) < histogram_width(b));
		int64_t middle = histogram_low(b) + (histogram_width(b) - 1) / 2;
		assert_true((double)llabs(middle - v) <= HISTOGRAM_ERROR * (double)v);
	}
	assert_int_equal(histogram_bucket(INT64_MAX), HISTOGRAM_BUCKETS - 1);
	assert_int_equal(histogram_bucket(-5), 0);
	assert_int_equal(histogram_low(127), 127);
	assert_int_equal(histogram_width(127), 1);
}

static int order(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

/* By nearest rank on the sorted values. */
static void quantiles_are_within_the_error(void **state)
{
	(void)state;
	enum { N = 5000 };
	static int64_t v[N];
	static const uint32_t parts[] = { 1, 50, 250, 500, 900, 990, 999 };
	for (int round = 0; round < 20; round++) {
		struct histogram h = { 0 };
		for (int i = 0; i < N; i++)
			histogram_add(&h, v[i] = random_time());
		qsort(v, N, sizeof(v[0]), order);
		for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
			int64_t truth = v[(N * parts[i] + 999) / 1000 - 1];
			int64_t got = histogram_quantile(&h, parts[i], 1000);
			assert_true((double)llabs(got - truth) <= HISTOGRAM_ERROR * (double)truth);
		}
		assert_int_equal(h.min, v[0]);
		assert_int_equal(h.max, v[N - 1]);
		histogram_fini(&h);
	}
}

static void few_values_have_no_far_quantile(void **state)
{
	(void)state;
	struct histogram h = { 0 };
	assert_int_equal(histogram_quantile(&h, 1, 2), INT64_MIN);
	for (int i = 1; i <= 99; i++)
		histogram_add(&h, i);
	assert_int_equal(histogram_quantile(&h, 50, 100), 50);
	assert_int_equal(histogram_quantile(&h, 99, 100), INT64_MIN);
	histogram_add(&h, 100);
	assert_int_equal(histogram_quantile(&h, 99, 100), 99);
	assert_int_equal(histogram_quantile(&h, 999, 1000), INT64_MIN);
	histogram_fini(&h);
	histogram_fini(&h);
	histogram_fini(NULL);
}

static void a_quantile_stays_between_the_extremes(void **state)
{
	(void)state;
	struct histogram h = { 0 };
	for (int i = 0; i < 200; i++)
		histogram_add(&h, 1000003);
	assert_int_equal(histogram_quantile(&h, 1, 100), 1000003);
	assert_int_equal(histogram_quantile(&h, 99, 100), 1000003);
	histogram_fini(&h);
}

static void a_merge_is_as_if_all_had_been_added(void **state)
{
	(void)state;
	struct histogram a = { 0 }, b = { 0 }, both = { 0 }, none = { 0 };
	for (int i = 0; i < 3000; i++) {
		int64_t v = random_time() >> 20;
		histogram_add(i % 3 ? &a : &b, v);
		histogram_add(&both, v);
	}
	histogram_merge(&a, &none);
	histogram_merge(&a, &b);
	assert_int_equal(a.n, both.n);
	assert_int_equal(a.sum, both.sum);
	assert_int_equal(a.min, both.min);
	assert_int_equal(a.max, both.max);
	assert_memory_equal(a.count, both.count, HISTOGRAM_BUCKETS * sizeof(*a.count));
	histogram_merge(&none, &both);
	assert_int_equal(none.min, both.min);
	histogram_fini(&a);
	histogram_fini(&b);
	histogram_fini(&both);
	histogram_fini(&none);
}

static void a_mean_is_the_nearest_ns(void **state)
{
	(void)state;
	struct histogram h = { 0 };
	assert_int_equal(histogram_mean(&h), INT64_MIN);
	histogram_add(&h, 10);
	assert_int_equal(histogram_mean(&h), 10);
	histogram_add(&h, 11); /* 10.5 */
	assert_int_equal(histogram_mean(&h), 11);
	histogram_add(&h, 10); /* 10.33 */
	assert_int_equal(histogram_mean(&h), 10);
	histogram_add(&h, INT64_MAX - 32);
	assert_int_equal(histogram_mean(&h), INT64_C(1) << 61); /* 2^61 - 0.5 */
	histogram_fini(&h);
}

static void sums_stop_at_their_limit(void **state)
{
	(void)state;
	struct histogram h = { 0 };
	histogram_add(&h, INT64_MAX);
	histogram_add(&h, INT64_MAX);
	assert_int_equal(h.sum, INT64_MAX);
	assert_int_equal(histogram_mean(&h), INT64_MIN);
	assert_int_equal(histogram_quantile(&h, 1, 2), INT64_MAX);
	histogram_fini(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets_tile_the_values),
		cmocka_unit_test(quantiles_are_within_the_error),
		cmocka_unit_test(few_values_have_no_far_quantile),
		cmocka_unit_test(a_quantile_stays_between_the_extremes),
		cmocka_unit_test(a_merge_is_as_if_all_had_been_added),
		cmocka_unit_test(a_mean_is_the_nearest_ns),
		cmocka_unit_test(sums_stop_at_their_limit),
	};
	return cmocka_run_group_tests_name("histogram", tests, NULL, NULL);
}
