/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stat/multiple.h"
#include "stat/rank.h"

#define Q 0.05

/* Benjamini and Hochberg's own example: 15 tests of thrombolysis, four are selected. */
static void test_published(void **state)
{
	(void)state;
	static const double p[] = { 0.0298, 0.0001, 0.4262, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278,
				    0.0344, 0.0459, 0.3240, 0.5719, 0.6528, 0.7590, 1.0000 };
	bool selected[15];
	assert_int_equal(stat_benjamini_hochberg(p, 15, Q, selected), 4);
	for (int i = 0; i < 15; i++)
		assert_int_equal(selected[i], p[i] <= 0.0095);
}

static void test_edges(void **state)
{
	(void)state;
	/* A larger p pulls in smaller ones that would fail on their own. */
	static const double steps[] = { 0.049, 0.04, 0.03, 0.045 };
	bool selected[4];
	assert_int_equal(stat_benjamini_hochberg(steps, 4, Q, selected), 4);
	static const double holes[] = { NAN, 0.04, NAN, 0.9 };
	assert_int_equal(stat_benjamini_hochberg(holes, 4, Q, selected), 0);
	assert_int_equal(stat_benjamini_hochberg(holes, 2, Q, selected), 1);
	assert_false(selected[0]);
	assert_true(selected[1]);
	assert_int_equal(stat_benjamini_hochberg(holes, 0, Q, selected), 0);
	assert_int_equal(stat_benjamini_hochberg(holes, 1, Q, selected), 0);
}

/* The notes on experiments, 4.8: n >= 1 + log2(m / (q R)). */
static void test_needed(void **state)
{
	(void)state;
	assert_int_equal(stat_pairs_needed(120, 6, Q), 10);
	assert_int_equal(stat_pairs_needed(120, 1, Q), 13);
	assert_int_equal(stat_pairs_needed(1, 1, Q), 6);
	assert_int_equal(stat_pairs_needed(0, 1, Q), 0);
	for (size_t m = 1; m < 2000; m += 7)
		assert_int_equal(stat_pairs_needed(m, 1, Q),
				 (size_t)ceil(1 + log2((double)m / Q) - 1e-9));
	assert_int_equal(stat_runs_needed(1, 1, Q), 4); /* 2 of 70 arrangements */
	assert_int_equal(stat_runs_needed(120, 1, Q), 8);
	assert_true(stat_rank_sum_least_p(8, 8) <= Q / 120);
	assert_true(stat_rank_sum_least_p(7, 7) > Q / 120);
}

static uint64_t seed = 88172645463325252u;
static double uniform(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return ((double)(seed >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

struct outcome {
	double power, fdr;
};

/* 120 classes of locks of which 6 changed by half, log ratios with a deviation of 0.14. */
static struct outcome simulate(size_t pairs, int times)
{
	enum { CLASSES = 120, TRUE = 6 };
	struct outcome o = { 0, 0 };
	for (int t = 0; t < times; t++) {
		double p[CLASSES], d[64];
		bool selected[CLASSES];
		for (int c = 0; c < CLASSES; c++) {
			for (size_t i = 0; i < pairs; i++)
				d[i] = 0.14 * normal() + (c < TRUE ? log(1.5) : 0);
			p[c] = stat_signed_rank_p(d, pairs);
		}
		size_t n = stat_benjamini_hochberg(p, CLASSES, Q, selected), right = 0;
		for (int c = 0; c < TRUE; c++)
			right += selected[c];
		o.power += (double)right / TRUE / times;
		o.fdr += n ? (double)(n - right) / (double)n / times : 0;
	}
	return o;
}

static void test_false_discoveries(void **state)
{
	(void)state;
	struct outcome few = simulate(8, 100), enough = simulate(12, 200), many = simulate(16, 200);
	assert_true(few.power == 0 && few.fdr == 0); /* 8 pairs cannot name any */
	assert_true(enough.power > 0.97 && enough.fdr <= 0.06);
	assert_true(many.power > 0.99 && many.fdr <= 0.06);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_published),
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_needed),
		cmocka_unit_test(test_false_discoveries),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
