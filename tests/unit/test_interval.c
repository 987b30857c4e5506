/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The values of the seed trace are those of the notes on attribution. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stat/interval.h"
#include "stat/student.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))
#define US 1000

static const int64_t seed_starts_us[] = { 3, 13, 19, 25, 30, 36, 42, 48, 53 };

static void assert_near(double got, double want, double margin)
{
	if (!(fabs(got - want) <= margin))
		fail_msg("%.12g is not %.12g", got, want);
}

/* The complete turns but for the first, in ns. */
static struct stat_series seed_steady(void)
{
	struct stat_series s = { 0 };
	for (size_t i = 2; i < N_OF(seed_starts_us); i++)
		stat_series_add(&s, (seed_starts_us[i] - seed_starts_us[i - 1]) * US);
	return s;
}

static struct stat_interval seed_cost(void)
{
	struct stat_series s = seed_steady();
	struct stat_interval b = { 0 };
	assert_true(stat_turn_cost(&s, US, &b));
	stat_series_fini(&s);
	return b;
}

static struct stat_series series_of(const int64_t *v, size_t n)
{
	struct stat_series s = { 0 };
	for (size_t i = 0; i < n; i++)
		stat_series_add(&s, v[i]);
	return s;
}

static void test_seed_turn_cost(void **state)
{
	(void)state;
	struct stat_interval b = seed_cost();
	assert_near(b.mid / US, 5.714, 0.001);
	assert_near(b.low / US, 5.26, 0.01);
	assert_near(b.high / US, 6.17, 0.01);
	double half = stat_t_quantile(0.975, 6) * sqrt(10.0 / 42) / sqrt(7);
	assert_near(b.high / US, 40.0 / 7 + half, 1e-12);
	assert_near(b.low / US, 40.0 / 7 - half, 1e-12);
}

static void test_turn_cost_clock(void **state)
{
	(void)state;
	struct stat_series s = series_of((const int64_t[]){ 6000, 6000, 6000, 6000, 6000 }, 5);
	struct stat_interval b;
	assert_true(stat_turn_cost(&s, US, &b));
	assert_near(b.mid, 6000, 0);
	/* Equal by chance: s is that of rounding, t(4) = 2.776445. */
	double half = 2.776445 * US / sqrt(12) / sqrt(5);
	assert_near(b.low, 6000 - half, 1e-3);
	assert_near(b.high, 6000 + half, 1e-3);

	/* Ten runs of two: ten first and ten last stamps over twenty turns outweigh the noise. */
	struct stat_series pair = series_of((const int64_t[]){ 6000, 6000 }, 2), many = { 0 };
	for (int i = 0; i < 10; i++)
		stat_series_merge(&many, &pair);
	assert_true(stat_turn_cost(&many, US, &b));
	assert_near(b.high, 6000 + 1.3581 * sqrt(10) * US / 20, 1e-9);
	stat_series_fini(&pair);
	stat_series_fini(&many);

	/* A clock without steps, turns without noise. */
	assert_true(stat_turn_cost(&s, 0, &b));
	assert_true(b.low == 6000 && b.high == 6000);
	stat_series_fini(&s);
}

static void test_turn_cost_few(void **state)
{
	(void)state;
	struct stat_interval b = { 1, 2, 3 };
	struct stat_series s = { 0 };
	assert_false(stat_turn_cost(&s, US, &b));
	stat_series_add(&s, 6000);
	assert_false(stat_turn_cost(&s, US, &b));
	assert_true(b.mid == 1 && b.low == 2 && b.high == 3);

	/* Two equal durations prove little: 12.7 * 1000 / sqrt(12) / sqrt(2). */
	stat_series_add(&s, 6000);
	assert_true(stat_turn_cost(&s, US, &b));
	assert_near(b.high - 6000, 12.7062047 * US / sqrt(24), 0.001);
	assert_near(b.low, 6000 - 12.7062047 * US / sqrt(24), 0.001);
	stat_series_fini(&s);

	/* A duration is not negative, however far the interval reaches. */
	s = series_of((const int64_t[]){ 0, 9000 }, 2);
	assert_true(stat_turn_cost(&s, US, &b));
	assert_true(b.low == 0 && b.high > 40000);
	stat_series_fini(&s);

	s = series_of((const int64_t[]){ INT64_MAX, INT64_MAX, 1 }, 3);
	assert_false(stat_turn_cost(&s, US, &b));
	stat_series_fini(&s);
}

static void test_cold_first(void **state)
{
	(void)state;
	struct stat_series seed = seed_steady();
	assert_true(stat_cold_first(10 * US, &seed, US));
	assert_true(stat_cold_first(8 * US + 1, &seed, US));
	assert_false(stat_cold_first(8 * US, &seed, US)); /* no more than two steps */
	assert_false(stat_cold_first(2 * US, &seed, US));
	stat_series_fini(&seed);

	struct stat_series three = series_of((const int64_t[]){ 6, 6, 6 }, 3);
	assert_false(stat_cold_first(1000, &three, 1));
	stat_series_add(&three, 6);
	assert_true(stat_cold_first(1000, &three, 1));
	stat_series_fini(&three);

	/* median 20, MAD 10 */
	struct stat_series loud = series_of((const int64_t[]){ 0, 10, 20, 30, 40 }, 5);
	assert_false(stat_cold_first(50, &loud, 1));
	assert_true(stat_cold_first(51, &loud, 1));
	stat_series_fini(&loud);
}

static void test_extrapolate(void **state)
{
	(void)state;
	struct stat_interval b = seed_cost(), t;
	stat_extrapolate(60 * US, b, 9, 192, &t);
	assert_near(t.mid / US, 1105.7, 0.05);
	assert_near(t.low / US, 1023, 1);
	assert_near(t.high / US, 1188, 1);

	stat_extrapolate(60 * US, b, 9, 9, &t);
	assert_true(t.mid == 60000 && t.low == 60000 && t.high == 60000);

	stat_extrapolate(60 * US, b, 9, 1, &t);
	assert_near(t.mid / US, 60 - 8 * 40.0 / 7, 1e-9);
	assert_true(t.low < t.mid && t.mid < t.high);
	assert_near(t.high / US, 60 - 8 * b.low / US, 1e-9);

	stat_extrapolate(10 * US, b, 9, 0, &t);
	assert_true(t.low == 0 && t.mid == 0 && t.high == 0);

	stat_extrapolate(INT64_MAX, b, INT64_MIN, INT64_MAX, &t);
	assert_true(isfinite(t.mid) && t.low <= t.mid && t.mid <= t.high);
}

static void test_seed_budget(void **state)
{
	(void)state;
	struct stat_turns n;
	stat_turns_within(60 * US, seed_cost(), 9, 100 * US, &n);
	assert_int_equal(n.low, 15);
	assert_int_equal(n.mid, 16);
	assert_int_equal(n.high, 16);
	assert_near(n.exact, 16, 1e-9);
	assert_true(n.edge);
}

static void test_budget(void **state)
{
	(void)state;
	const struct stat_interval b = { .mid = 10, .low = 8, .high = 12 };
	struct stat_turns n;
	stat_turns_within(100, b, 5, 125, &n); /* 7.5; 8.1, 7.1 */
	assert_true(n.low == 7 && n.mid == 7 && n.high == 8 && !n.edge);
	stat_turns_within(100, b, 5, 100, &n);
	assert_true(n.low == 5 && n.mid == 5 && n.high == 5 && n.edge);
	/* Below the section: 2.5; cheap turns have to go in greater number. 1.875, 2.92 */
	stat_turns_within(100, b, 5, 75, &n);
	assert_true(n.low == 1 && n.mid == 2 && n.high == 2 && !n.edge);
	/* Without a turn 50 (40 to 60) are left. */
	stat_turns_within(100, b, 5, 55, &n);
	assert_true(n.low == STAT_TURNS_NONE && n.mid == 0 && n.high == 1);
	stat_turns_within(100, b, 5, 50, &n);
	assert_true(n.low == STAT_TURNS_NONE && n.mid == 0 && n.edge);
	stat_turns_within(100, b, 5, 30, &n);
	assert_true(n.low == -1 && n.mid == -1 && n.high == -1 && !n.edge);
	stat_turns_within(10, b, 5, -1, &n);
	assert_true(n.low == -1 && n.mid == -1 && n.high == -1);
	/* Rounding down agrees with T(n). */
	for (int64_t budget = 0; budget < 300; budget++) {
		struct stat_interval t;
		stat_turns_within(100, b, 5, budget, &n);
		assert_true(n.low <= n.mid && n.mid <= n.high);
		if (n.low != STAT_TURNS_NONE) {
			stat_extrapolate(100, b, 5, n.low, &t);
			assert_true(t.high <= (double)budget);
		}
		stat_extrapolate(100, b, 5, n.high + 1, &t);
		assert_true(t.low > (double)budget);
		stat_extrapolate(100, b, 5, n.mid + 1, &t);
		assert_true(t.mid > (double)budget);
	}
}

static void test_budget_extremes(void **state)
{
	(void)state;
	struct stat_interval b = { .mid = 1, .low = 0, .high = 2 };
	struct stat_turns n;
	stat_turns_within(100, b, 5, 200, &n);
	assert_true(n.low == 55 && n.mid == 105 && n.high == STAT_TURNS_ANY);
	stat_turns_within(100, b, 5, 99, &n);
	assert_true(n.low == STAT_TURNS_NONE && n.mid == 4 && n.high == 4);
	b = (struct stat_interval){ 0 };
	stat_turns_within(100, b, 5, 100, &n);
	assert_true(n.low == STAT_TURNS_ANY && n.exact == INFINITY && !n.edge);
	stat_turns_within(100, b, 5, 99, &n);
	assert_true(n.high == STAT_TURNS_NONE && n.exact == -INFINITY && !n.edge);
	b = (struct stat_interval){ .mid = 1e-30, .low = 1e-300, .high = 1 };
	stat_turns_within(INT64_MIN, b, INT64_MAX, INT64_MAX, &n);
	assert_true(n.mid == STAT_TURNS_ANY && n.high == STAT_TURNS_ANY);
	stat_turns_within(INT64_MAX, b, INT64_MIN, 0, &n);
	assert_true(n.low == STAT_TURNS_NONE);
}

/* sxx 10, sxy 10, syy 10.8. */
static void test_line(void **state)
{
	(void)state;
	struct stat_line l = { 0 };
	struct stat_fit fit = { .a = 42 };
	assert_false(stat_line_fit(&l, &fit));
	stat_line_add(&l, 1, 2);
	assert_false(stat_line_fit(&l, &fit));
	stat_line_add(&l, 1, 3);
	assert_false(stat_line_fit(&l, &fit)); /* x does not vary */
	assert_true(fit.a == 42);

	static const int64_t y[] = { 1, 2, 2, 4, 5 };
	l = (struct stat_line){ 0 };
	for (int64_t x = 0; x < 2; x++)
		stat_line_add(&l, x, y[x]);
	assert_true(stat_line_fit(&l, &fit));
	assert_true(fit.a == 1 && fit.c == 1 && isnan(fit.a_se) && isnan(fit.c_se));
	for (int64_t x = 2; x < 5; x++)
		stat_line_add(&l, x, y[x]);
	assert_true(stat_line_fit(&l, &fit));
	assert_near(fit.c, 1, 1e-15);
	assert_near(fit.a, 0.8, 1e-15);
	assert_near(fit.c_se, sqrt(0.8 / 3 / 10), 1e-12);
	assert_near(fit.a_se, sqrt(0.8 / 3 * (1.0 / 5 + 4.0 / 10)), 1e-12);
	assert_near(fit.dof, 3, 0);
}

/* 200 ns an outer turn and 35 ns an inner one, far from the origin. */
static void test_line_exact(void **state)
{
	(void)state;
	struct stat_line l = { 0 };
	struct stat_fit fit;
	for (int64_t i = 0; i < 1000; i++)
		stat_line_add(&l, 1000000000 + i % 7, 200 + 35 * (1000000000 + i % 7));
	assert_true(stat_line_fit(&l, &fit));
	assert_near(fit.c, 35, 1e-12);
	assert_near(fit.a, 200, 1e-4);

	l = (struct stat_line){ 0 };
	for (int i = 0; i < 8; i++)
		stat_line_add(&l, i % 2 ? INT64_MAX : INT64_MIN, i % 3 ? INT64_MIN : INT64_MAX);
	assert_true(l.saturated);
	assert_false(stat_line_fit(&l, &fit));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_seed_turn_cost), cmocka_unit_test(test_turn_cost_clock),
		cmocka_unit_test(test_turn_cost_few),  cmocka_unit_test(test_cold_first),
		cmocka_unit_test(test_extrapolate),    cmocka_unit_test(test_seed_budget),
		cmocka_unit_test(test_budget),         cmocka_unit_test(test_budget_extremes),
		cmocka_unit_test(test_line),           cmocka_unit_test(test_line_exact),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
