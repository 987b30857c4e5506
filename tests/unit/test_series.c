/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "stat/series.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

static uint64_t rng = 20071;

static uint64_t next(void)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return rng;
}

static void assert_near(double got, double want, double relative)
{
	if (!(fabs(got - want) <= relative * fmax(fabs(want), 1)))
		fail_msg("%.15g is not %.15g", got, want);
}

static void fill(struct stat_series *s, const int64_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		stat_series_add(s, v[i]);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double naive_median(const double *v, size_t n)
{
	double *sorted = malloc(n * sizeof(*v));
	for (size_t i = 0; i < n; i++)
		sorted[i] = v[i];
	qsort(sorted, n, sizeof(*v), compare);
	double m = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
	free(sorted);
	return m;
}

/* Two passes, in doubles. */
static void check_naive(const struct stat_series *s, const int64_t *v, size_t n)
{
	double sum = 0, squares = 0, *d = malloc(n * sizeof(*d));
	int64_t min = INT64_MAX, max = INT64_MIN, total = 0;
	for (size_t i = 0; i < n; i++) {
		d[i] = (double)v[i];
		sum += d[i];
		total += v[i];
		min = v[i] < min ? v[i] : min;
		max = v[i] > max ? v[i] : max;
	}
	double mean = sum / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += (d[i] - mean) * (d[i] - mean);

	assert_int_equal(s->n, n);
	assert_true(s->sum == total && s->min == min && s->max == max);
	assert_near(stat_series_mean_ns(s), mean, 1e-12);
	if (n > 1)
		assert_near(stat_series_sd_ns(s), sqrt(squares / (double)(n - 1)), 1e-9);
	assert_true(stat_series_sampled(s) == (n > STAT_SAMPLE));
	if (n <= STAT_SAMPLE) {
		double median = naive_median(d, n);
		assert_near(stat_series_median_ns(s), median, 0);
		for (size_t i = 0; i < n; i++)
			d[i] = fabs(d[i] - median);
		assert_near(stat_series_mad_ns(s), naive_median(d, n), 0);
	}
	free(d);
}

static void test_empty_and_one(void **state)
{
	(void)state;
	struct stat_series s = { 0 };
	double slope = 7, t = 7;
	assert_true(isnan(stat_series_mean_ns(&s)) && isnan(stat_series_sd_ns(&s)));
	assert_true(isnan(stat_series_median_ns(&s)) && isnan(stat_series_mad_ns(&s)));
	assert_int_equal(stat_series_runs(&s), 0);
	assert_false(stat_series_sampled(&s));
	assert_false(stat_series_drift(&s, &slope, &t));
	assert_false(stat_series_drifts(&s, 0));

	stat_series_add(&s, -5);
	assert_null(s.more);
	assert_true(s.n == 1 && s.sum == -5 && s.min == -5 && s.max == -5);
	assert_near(stat_series_mean_ns(&s), -5, 0);
	assert_near(stat_series_median_ns(&s), -5, 0);
	assert_near(stat_series_mad_ns(&s), 0, 0);
	assert_true(isnan(stat_series_sd_ns(&s)));
	assert_int_equal(stat_series_runs(&s), 1);
	assert_false(stat_series_drift(&s, &slope, &t));
	assert_true(slope == 7 && t == 7);

	stat_series_fini(&s);
	stat_series_fini(&s);
	stat_series_fini(NULL);
}

static void test_known_values(void **state)
{
	(void)state;
	static const int64_t turns[] = { 6000, 6000, 5000, 6000, 6000, 6000, 5000 };
	struct stat_series s = { 0 };
	fill(&s, turns, N_OF(turns));
	assert_near(stat_series_mean_ns(&s), 40000.0 / 7, 1e-15);
	assert_near(stat_series_sd_ns(&s), 487.950036474, 1e-11);
	assert_near(stat_series_median_ns(&s), 6000, 0);
	assert_near(stat_series_mad_ns(&s), 0, 0);
	assert_false(stat_series_drifts(&s, 1000));
	stat_series_fini(&s);
}

static void test_random_against_naive(void **state)
{
	(void)state;
	int64_t v[1000];
	for (int round = 0; round < 200; round++) {
		size_t n = 1 + next() % (round % 2 ? N_OF(v) : 20);
		uint64_t range = 1ull << (1 + next() % 40);
		struct stat_series s = { 0 };
		for (size_t i = 0; i < n; i++)
			v[i] = (int64_t)(next() % range) - (round % 3 ? 0 : (int64_t)(range / 2));
		fill(&s, v, n);
		check_naive(&s, v, n);
		stat_series_fini(&s);
	}
}

/* However the values are cut into series, also empty ones and ones of one value. */
static void test_merge_against_naive(void **state)
{
	(void)state;
	int64_t v[1000];
	for (int round = 0; round < 300; round++) {
		size_t n = 1 + next() % (round % 2 ? N_OF(v) : 60);
		size_t part = 1 + next() % (round % 3 ? n : 4);
		uint64_t runs = 0;
		struct stat_series all = { 0 };
		for (size_t i = 0; i < n;) {
			struct stat_series one = { 0 };
			stat_series_merge(&all, &one);
			size_t end = i + 1 + next() % part;
			for (; i < end && i < n; i++) {
				v[i] = (int64_t)(next() % 10000);
				stat_series_add(&one, v[i]);
			}
			stat_series_merge(&all, &one);
			stat_series_fini(&one);
			assert_int_equal(stat_series_runs(&all), ++runs);
		}
		check_naive(&all, v, n);
		stat_series_fini(&all);
	}
}

/* A value that goes on after a merge starts a run. */
static void test_add_after_merge(void **state)
{
	(void)state;
	static const int64_t v[] = { 5, 7, 9, 5, 7, 9 };
	struct stat_series a = { 0 }, b = { 0 };
	double slope, t;
	fill(&a, v, 3);
	stat_series_merge(&b, &a);
	fill(&b, v, 3);
	check_naive(&b, v, 6);
	assert_int_equal(stat_series_runs(&b), 2);
	assert_true(stat_series_drift(&b, &slope, &t));
	assert_near(slope, 2, 1e-15);
	assert_true(t == INFINITY);
	stat_series_fini(&a);
	stat_series_fini(&b);
}

/* The moments are exact where doubles would have lost the spread: 1, 2, 3 ns around 1000 s. */
static void test_no_cancellation(void **state)
{
	(void)state;
	struct stat_series s = { 0 };
	for (int i = 0; i < 3000; i++)
		stat_series_add(&s, 1000000000000 + i % 3);
	assert_near(stat_series_sd_ns(&s), sqrt(2000.0 / 2999), 1e-14);
	stat_series_fini(&s);
}

static double uniform(void)
{
	return (double)(next() >> 11) * 0x1p-53;
}

/* The share of values below the estimate is 1/2 to five standard errors, merged or not. */
static void check_rank(double median, double n)
{
	double rank = median / n;
	if (!(fabs(rank - 0.5) < 5 * 0.5 / sqrt(STAT_SAMPLE)))
		fail_msg("median %g of 0..%g", median, n);
}

static void test_sampled_median(void **state)
{
	(void)state;
	enum { N = 20000 };
	struct stat_series up = { 0 }, again = { 0 }, low = { 0 }, high = { 0 }, few = { 0 };
	for (int i = 0; i < N; i++) {
		stat_series_add(&up, i);
		stat_series_add(&again, i);
		stat_series_add(i < N / 4 ? &low : &high, i);
	}
	fill(&few, (const int64_t[]){ N, N, N }, 3);
	check_rank(stat_series_median_ns(&up), N);
	assert_near(stat_series_mad_ns(&up), N / 4, 0.2);
	assert_near(stat_series_median_ns(&up), stat_series_median_ns(&again), 0);

	stat_series_merge(&low, &high); /* sampled, sampled: 1 to 3 */
	check_rank(stat_series_median_ns(&low), N);
	stat_series_merge(&low, &few); /* sampled, exact */
	check_rank(stat_series_median_ns(&low), N);
	stat_series_merge(&few, &up); /* exact, sampled */
	check_rank(stat_series_median_ns(&few), N);
	assert_int_equal(few.n, N + 3);

	stat_series_fini(&up);
	stat_series_fini(&again);
	stat_series_fini(&low);
	stat_series_fini(&high);
	stat_series_fini(&few);
}

/* A sample that may not grow is small, but it is of all values, and so is what it is merged into. */
static void test_sized(void **state)
{
	(void)state;
	enum { N = 4000, SERIES = 200 };
	double rank = 0, merged = 0;
	for (int i = 0; i < SERIES; i++) {
		struct stat_series small = { 0 }, large = { 0 };
		size_t room = 0, n = N / 2 + next() % N;
		for (size_t k = 0; k < n; k++) {
			assert_int_equal(stat_series_add_sized(&small, (int64_t)k, false), 0);
			room += stat_series_add_sized(&large, (int64_t)k, k < n / 2);
		}
		assert_int_equal(stat_series_room(&small), 0);
		assert_int_equal(stat_series_room(&large), room);
		assert_in_range(room, STAT_SAMPLE / 2, STAT_SAMPLE);
		assert_true(stat_series_sampled(&small));
		rank += stat_series_median_ns(&small) / (double)n;

		struct stat_series *into = i % 2 ? &small : &large;
		stat_series_merge(into, i % 2 ? &large : &small);
		assert_int_equal(into->n, 2 * n);
		merged += stat_series_median_ns(into) / (double)n;
		stat_series_fini(&small);
		stat_series_fini(&large);
	}
	print_message("# mean rank of the median: %.3f, merged %.3f\n", rank / SERIES,
		      merged / SERIES);
	assert_true(fabs(rank / SERIES - 0.5) < 0.1);
	assert_true(fabs(merged / SERIES - 0.5) < 0.1);
}

/* Slope and t by the textbook. */
static void test_drift_by_hand(void **state)
{
	(void)state;
	static const int64_t v[] = { 1, 2, 2, 4, 5 };
	struct stat_series s = { 0 };
	double slope, t;
	fill(&s, v, N_OF(v));
	assert_true(stat_series_drift(&s, &slope, &t));
	/* sxx 10, sxy 10, syy 10.8: residual 0.8, se sqrt(0.8 / 3 / 10) */
	assert_near(slope, 1, 1e-15);
	assert_near(t, 1 / sqrt(0.8 / 30), 1e-12);
	assert_true(stat_series_drifts(&s, 3));
	assert_false(stat_series_drifts(&s, 4)); /* 1 a turn over 4 turns is no more than a step */
	stat_series_fini(&s);

	struct stat_series flat = { 0 };
	fill(&flat, (const int64_t[]){ 6, 6, 6, 6 }, 4);
	assert_true(stat_series_drift(&flat, &slope, &t));
	assert_true(slope == 0 && t == 0);
	assert_false(stat_series_drifts(&flat, 0));
	stat_series_fini(&flat);
}

/* Runs on quite different levels share one slope, and the levels are not taken for a drift. */
static void test_drift_within_runs(void **state)
{
	(void)state;
	struct stat_series drifting = { 0 }, level = { 0 };
	for (int run = 0; run < 5; run++) {
		struct stat_series a = { 0 }, b = { 0 };
		for (int i = 0; i < 20; i++) {
			stat_series_add(&a, 90000 - run * 10000 + i * 100 + (int64_t)(next() % 50));
			stat_series_add(&b, 50000 + run * 10000 + (int64_t)(next() % 50));
		}
		stat_series_merge(&drifting, &a);
		stat_series_merge(&level, &b);
		stat_series_fini(&a);
		stat_series_fini(&b);
	}
	double slope, t;
	assert_true(stat_series_drift(&drifting, &slope, &t));
	assert_near(slope, 100, 0.02);
	assert_true(t > 100);
	assert_true(stat_series_drifts(&drifting, 1000));
	assert_false(stat_series_drifts(&drifting, 2000));
	assert_true(stat_series_drift(&level, &slope, &t));
	assert_true(fabs(slope) < 2);
	assert_false(stat_series_drifts(&level, 100));
	stat_series_fini(&drifting);
	stat_series_fini(&level);
}

/* Independent values pass for a drift in 5 % of series. */
static void test_drift_false_alarms(void **state)
{
	(void)state;
	enum { N = 4000 };
	int alarms = 0;
	for (int i = 0; i < N; i++) {
		struct stat_series s = { 0 };
		for (int j = 0; j < 12; j++)
			stat_series_add(&s, (int64_t)(1e6 * (uniform() + uniform() + uniform())));
		alarms += stat_series_drifts(&s, 0);
		stat_series_fini(&s);
	}
	print_message("# drift found in %.2f %% of series without one\n", 100.0 * alarms / N);
	assert_in_range(alarms, N * 35 / 1000, N * 65 / 1000);
}

static void check_survives(const struct stat_series *s)
{
	double slope, t;
	stat_series_mean_ns(s);
	stat_series_sd_ns(s);
	stat_series_drift(s, &slope, &t);
	stat_series_drifts(s, INT64_MAX);
	if (s->n) {
		double median = stat_series_median_ns(s);
		assert_true(median >= (double)s->min && median <= (double)s->max);
		assert_true(stat_series_mad_ns(s) >= 0);
	}
}

static void test_extremes(void **state)
{
	(void)state;
	const int64_t big = INT64_C(1) << 62;
	struct stat_series s = { 0 };
	stat_series_add(&s, big);
	stat_series_add(&s, big - 2);
	assert_false(stat_series_saturated(&s));
	assert_near(stat_series_mean_ns(&s), 0x1p62, 1e-15);
	stat_series_add(&s, big);
	assert_true(stat_series_saturated(&s));
	assert_true(s.sum == INT64_MAX);
	assert_true(isnan(stat_series_mean_ns(&s)) && isnan(stat_series_sd_ns(&s)));
	check_survives(&s);
	stat_series_fini(&s);

	stat_series_add(&s, big);
	stat_series_add(&s, 0);
	assert_near(stat_series_sd_ns(&s), 0x1p62 / sqrt(2), 1e-15);
	stat_series_fini(&s);
}

static void test_hostile(void **state)
{
	(void)state;
	static const int64_t odd[] = {
		INT64_MIN, INT64_MAX, INT64_MIN, 0, -1, 1, INT64_C(1) << 62, -(INT64_C(1) << 62)
	};
	struct stat_series all = { 0 };
	for (int round = 0; round < 2000; round++) {
		struct stat_series s = { 0 };
		for (uint64_t n = next() % 12; n; n--)
			stat_series_add(&s, next() % 3 ? odd[next() % N_OF(odd)] : (int64_t)next());
		check_survives(&s);
		stat_series_merge(&all, &s);
		check_survives(&all);
		stat_series_fini(&s);
	}
	stat_series_fini(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty_and_one),
		cmocka_unit_test(test_known_values),
		cmocka_unit_test(test_random_against_naive),
		cmocka_unit_test(test_merge_against_naive),
		cmocka_unit_test(test_add_after_merge),
		cmocka_unit_test(test_no_cancellation),
		cmocka_unit_test(test_sampled_median),
		cmocka_unit_test(test_sized),
		cmocka_unit_test(test_drift_by_hand),
		cmocka_unit_test(test_drift_within_runs),
		cmocka_unit_test(test_drift_false_alarms),
		cmocka_unit_test(test_extremes),
		cmocka_unit_test(test_hostile),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
