/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stat/student.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

static void assert_near(double got, double want, double relative)
{
	if (!(fabs(got - want) <= relative * fmax(fabs(want), 1e-3)))
		fail_msg("%.12g is not %.12g", got, want);
}

/* Abramowitz and Stegun, table 26.10, three decimals; a row is 0.90, 0.975, 0.995, 0.9995. */
static void test_published_table(void **state)
{
	(void)state;
	static const double p[] = { 0.90, 0.975, 0.995, 0.9995 };
	static const struct {
		double dof, t[4];
	} rows[] = {
		{ 1, { 3.078, 12.706, 63.657, 636.619 } },
		{ 2, { 1.886, 4.303, 9.925, 31.599 } },
		{ 3, { 1.638, 3.182, 5.841, 12.924 } },
		{ 5, { 1.476, 2.571, 4.032, 6.869 } },
		{ 10, { 1.372, 2.228, 3.169, 4.587 } },
		{ 30, { 1.310, 2.042, 2.750, 3.646 } },
		{ 60, { 1.296, 2.000, 2.660, 3.460 } },
		{ 120, { 1.289, 1.980, 2.617, 3.373 } },
		{ INFINITY, { 1.282, 1.960, 2.576, 3.291 } },
	};
	for (size_t i = 0; i < N_OF(rows); i++)
		for (size_t j = 0; j < N_OF(p); j++)
			if (fabs(stat_t_quantile(p[j], rows[i].dof) - rows[i].t[j]) > 0.000501)
				fail_msg("dof %g p %g: %.6f", rows[i].dof, p[j],
					 stat_t_quantile(p[j], rows[i].dof));
}

static void test_more_digits(void **state)
{
	(void)state;
	assert_near(stat_t_quantile(0.975, 1), 12.7062047361747, 1e-10);
	assert_near(stat_t_quantile(0.975, 6), 2.4469118511450, 1e-10);
	assert_near(stat_t_quantile(0.975, 29), 2.0452296421327, 1e-10);
	assert_near(stat_t_quantile(0.975, 999), 1.9623414611334, 1e-10);
	assert_near(stat_t_quantile(0.975, 1e6), 1.9599663568167, 1e-10);
	assert_near(stat_t_quantile(0.975, INFINITY), 1.959963984540054, 1e-12);
	assert_near(stat_t_quantile(0.9999, INFINITY), 3.719016485455709, 1e-12);
}

/* P(-t <= T <= t) for whole dof: the finite sums of Abramowitz and Stegun 26.7.3 and 26.7.4. */
static double within(double t, int dof)
{
	double angle = atan(t / sqrt(dof)), c2 = cos(angle) * cos(angle);
	if (dof == 1)
		return 2 * angle / M_PI;
	bool odd = dof % 2;
	double term = odd ? cos(angle) : 1, sum = term;
	for (int k = 1; k < (odd ? (dof - 1) / 2 : dof / 2); k++) {
		term *= (odd ? 2.0 * k / (2 * k + 1) : (2.0 * k - 1) / (2 * k)) * c2;
		sum += term;
	}
	return odd ? 2 / M_PI * (angle + sin(angle) * sum) : sin(angle) * sum;
}

static void test_against_finite_sums(void **state)
{
	(void)state;
	static const double p[] = { 0.5001, 0.6, 0.75, 0.9, 0.95, 0.975, 0.999, 0.9999 };
	for (int dof = 1; dof <= 1000000; dof = dof < 40 ? dof + 1 : dof * 3 + 1)
		for (size_t i = 0; i < N_OF(p); i++) {
			double t = stat_t_quantile(p[i], dof), h = 1e-4 * t;
			double slope = (within(t + h, dof) - within(t - h, dof)) / (2 * h);
			double error = (within(t, dof) - (2 * p[i] - 1)) / slope;
			if (!(fabs(error) < 1e-8 * t))
				fail_msg("dof %d, p %g: %.12g is off by %g", dof, p[i], t, error);
		}
}

static void test_shape(void **state)
{
	(void)state;
	assert_near(stat_t_quantile(0.5, 7), 0, 1e-15);
	assert_near(stat_t_quantile(0.025, 7), -stat_t_quantile(0.975, 7), 1e-15);
	/* Fractional dof lie between their neighbours. */
	assert_true(stat_t_quantile(0.975, 6.5) < stat_t_quantile(0.975, 6));
	assert_true(stat_t_quantile(0.975, 6.5) > stat_t_quantile(0.975, 7));
	/* No seam where the expansion takes over. */
	assert_near(stat_t_quantile(0.9999, 1e6), stat_t_quantile(0.9999, 1000001), 1e-10);
}

static void test_extremes(void **state)
{
	(void)state;
	assert_true(stat_t_quantile(0, 3) == -INFINITY);
	assert_true(stat_t_quantile(1, 3) == INFINITY);
	assert_true(stat_t_quantile(2, 3) == INFINITY);
	assert_true(isnan(stat_t_quantile(0.9, 0)));
	assert_true(isnan(stat_t_quantile(0.9, -1)));
	assert_true(isnan(stat_t_quantile(NAN, 3)));
	assert_true(isnan(stat_t_quantile(0.9, NAN)));
	assert_near(stat_t_quantile(1e-9, 1), -1 / tan(M_PI * 1e-9), 1e-8);
	assert_near(stat_t_quantile(1e-20, INFINITY), -9.262340089798408, 1e-8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_published_table),
		cmocka_unit_test(test_more_digits),
		cmocka_unit_test(test_against_finite_sums),
		cmocka_unit_test(test_shape),
		cmocka_unit_test(test_extremes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
