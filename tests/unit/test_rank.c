/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "stat/rank.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

static void near(double got, double want, double within)
{
	if (!(fabs(got - want) <= within))
		fail_msg("want %.12g, got %.12g", want, got);
}

/* k at 95 %, for 6 to 50 pairs: the project's notes on experiments, 4.3, which agree with the
 * critical values of Wilcoxon's signed-rank test in print (Wilcoxon and Wilcox, 1964). */
static const int critical_95[] = {
	0,   2,   3,   5,   8,   10,  13,  17,  21,  25,  29,  34,  40,  46,  52,
	58,  65,  73,  81,  89,  98,  107, 116, 126, 137, 147, 159, 170, 182, 195,
	208, 221, 235, 249, 264, 279, 294, 310, 327, 343, 361, 378, 396, 415, 434,
};

static const struct {
	size_t n;
	double alpha;
	int k;
} critical_others[] = {
	{ 5, 0.05, -1 },     { 6, 0.0125, -1 },   { 7, 0.0125, -1 },
	{ 8, 0.0125, 0 },    { 9, 0.0125, 2 },    { 10, 0.0125, 3 },
	{ 11, 0.0125, 5 },   { 12, 0.0125, 8 },   { 13, 0.0125, 10 },
	{ 14, 0.0125, 13 },  { 15, 0.0125, 17 },  { 16, 0.0125, 20 },
	{ 24, 0.0125, 63 },  { 32, 0.0125, 132 }, { 48, 0.0125, 346 },
	{ 64, 0.0125, 668 }, { 7, 0.01, -1 },     { 8, 0.01, 0 },
	{ 9, 0.01, 1 },      { 10, 0.01, 3 },     { 12, 0.01, 7 },
	{ 16, 0.01, 19 },    { 32, 0.01, 128 },   { 64, 0.01, 657 },
	{ 0, 0.05, -1 },     { 1, 0.05, -1 },     { STAT_RANK_MAX + 1, 0.05, -1 },
};

static void test_signed_rank_critical(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_OF(critical_95); i++) {
		if (stat_signed_rank_critical(i + 6, 0.05) != critical_95[i])
			fail_msg("n = %zu: want %d, got %d", i + 6, critical_95[i],
				 stat_signed_rank_critical(i + 6, 0.05));
	}
	for (size_t i = 0; i < N_OF(critical_others); i++) {
		int k = stat_signed_rank_critical(critical_others[i].n, critical_others[i].alpha);
		if (k != critical_others[i].k)
			fail_msg("n = %zu at %g: want %d, got %d", critical_others[i].n,
				 critical_others[i].alpha, critical_others[i].k, k);
	}
}

/* Darwin's maize, the pairs on which Fisher worked (The Design of Experiments, 1935, ch. III):
 * T- is 24, and 676 of the 32768 choices of signs give that or less. */
static const double maize[] = { 49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48 };

static void test_signed_rank_p(void **state)
{
	(void)state;
	near(stat_signed_rank_p(maize, 15), 2 * 676.0 / 32768, 1e-12);

	static const double same[] = { 1, 2, 3, 4, 5, 6 };
	near(stat_signed_rank_p(same, 6), 2.0 / 64, 1e-12);
	static const double mirrored[] = { 1, -1, 2, -2, 3, -3 };
	near(stat_signed_rank_p(mirrored, 6), 1, 1e-12);
	static const double tied[] = { 1, 1, 1, 1, 1, -1 }; /* T+ in mid-ranks: 5 or more heads */
	near(stat_signed_rank_p(tied, 6), 2 * 7.0 / 64, 1e-12);
	static const double zeros[] = { 0, 0, 1, 2, 3, 4, 5, 6, 0 };
	near(stat_signed_rank_p(zeros, 9), 2.0 / 64, 1e-12);
	static const double nothing[] = { 0, 0 };
	near(stat_signed_rank_p(nothing, 2), 1, 0);
	assert_true(isnan(stat_signed_rank_p(same, 0)));
	static const double holes[] = { 1, NAN };
	assert_true(isnan(stat_signed_rank_p(holes, 2)));
	near(stat_signed_rank_least_p(6), 2.0 / 64, 1e-15);
	near(stat_signed_rank_least_p(1), 1, 0);
}

static void test_signed_rank_shift(void **state)
{
	(void)state;
	static const double d[] = { 1, 2, 4, 8, 16, 32 };
	struct stat_interval out;
	assert_true(stat_signed_rank_shift(d, 6, 0.05, &out));
	near(out.mid, 8.5,
	     1e-12); /* the 11th of 21 means: 1, 1.5, 2, 2.5, 3, 4, 4.5, 5, 6, 8, 8.5 */
	near(out.low, 1, 0);
	near(out.high, 32, 0);
	assert_true(stat_signed_rank_shift(d, 5, 0.05, &out));
	assert_true(isnan(out.low) && isnan(out.high) && isfinite(out.mid));
	assert_false(stat_signed_rank_shift(d, 0, 0.05, &out));
}

/* Critical values of U, two-sided 5 %: Mann and Whitney 1947 and Auble 1953, as in Siegel,
 * Nonparametric Statistics, 1956, table K. */
static const struct {
	size_t n, m;
	int u;
} mann_whitney[] = {
	{ 3, 4, -1 },   { 3, 5, 0 },    { 4, 4, 0 },    { 4, 5, 1 },    { 4, 6, 2 },
	{ 4, 7, 3 },    { 4, 8, 4 },    { 5, 5, 2 },    { 5, 6, 3 },    { 5, 7, 5 },
	{ 5, 8, 6 },    { 6, 6, 5 },    { 6, 7, 6 },    { 6, 8, 8 },    { 7, 7, 8 },
	{ 7, 8, 10 },   { 8, 8, 13 },   { 8, 9, 15 },   { 8, 10, 17 },  { 9, 9, 17 },
	{ 9, 10, 20 },  { 10, 10, 23 }, { 12, 12, 37 }, { 15, 15, 64 }, { 20, 20, 127 },
	{ 10, 20, 55 }, { 20, 10, 55 }, { 3, 3, -1 },
};

static void test_rank_sum_critical(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_OF(mann_whitney); i++) {
		int u = stat_rank_sum_critical(mann_whitney[i].n, mann_whitney[i].m, 0.05);
		if (u != mann_whitney[i].u)
			fail_msg("%zu and %zu: want %d, got %d", mann_whitney[i].n,
				 mann_whitney[i].m, mann_whitney[i].u, u);
	}
}

static void test_rank_sum_p(void **state)
{
	(void)state;
	static const double a[] = { 1, 2, 3, 4 }, b[] = { 5, 6, 7, 8 };
	near(stat_rank_sum_p(a, 4, b, 4), 2.0 / 70, 1e-12);
	near(stat_rank_sum_p(b, 4, a, 4), 2.0 / 70, 1e-12);
	near(stat_rank_sum_p(a, 3, b, 2), 2.0 / 10, 1e-12);
	static const double mixed[] = { 1.5, 2.5, 3.5 }; /* U = 3 + 2 + 1 of 12: in the middle */
	near(stat_rank_sum_p(a, 4, mixed, 3), 1, 1e-12);
	static const double tied[] = { 1, 1, 1 }, more[] = { 1, 1 };
	near(stat_rank_sum_p(tied, 3, more, 2), 1, 1e-12);
	/* {1, 2, 2} against {2, 3}: of 10 choices two ranks sum to 8 or more (3 + 5 twice more,
	 * mid-ranks 1 3 3 3 5) in 3 + 0, and none to more. */
	static const double low[] = { 1, 2, 2 }, high[] = { 2, 3 };
	near(stat_rank_sum_p(low, 3, high, 2), 2 * 3.0 / 10, 1e-12);
	assert_true(isnan(stat_rank_sum_p(a, 0, b, 4)));
	near(stat_rank_sum_least_p(4, 4), 2.0 / 70, 1e-12);
	near(stat_rank_sum_least_p(3, 3), 2.0 / 20, 1e-12);
	near(stat_rank_sum_least_p(1, 1), 1, 0);
}

/* Every split of small samples by brute force. */
static void test_rank_sum_against_enumeration(void **state)
{
	(void)state;
	double v[9] = { 3, 1, 4, 1, 5, 9, 2, 6, 5 }, a[9], b[9];
	for (size_t n = 1; n < 9; n++) {
		double u0 = 0, below = 0, above = 0, all = 0;
		for (unsigned pass = 0; pass < 2; pass++) {
			for (unsigned set = 0; set < 512; set++) {
				size_t na = 0, nb = 0;
				if ((size_t)__builtin_popcount(set) != n)
					continue;
				for (unsigned i = 0; i < 9; i++) {
					if (set >> i & 1)
						a[na++] = v[i];
					else
						b[nb++] = v[i];
				}
				double u = 0;
				for (size_t i = 0; i < na; i++) {
					for (size_t j = 0; j < nb; j++)
						u += b[j] < a[i] ? 1 : b[j] == a[i] ? 0.5 : 0;
				}
				if (!pass) { /* the first split is the one that is tested */
					u0 = u;
					break;
				}
				below += u <= u0;
				above += u >= u0;
				all++;
			}
		}
		double want = fmin(1, 2 * fmin(below, above) / all);
		near(stat_rank_sum_p(v, n, v + n, 9 - n), want, 1e-9);
	}
}

static void test_rank_sum_shift(void **state)
{
	(void)state;
	static const double a[] = { 1, 2, 3, 4 }, b[] = { 11, 12, 13, 14 };
	struct stat_interval out;
	assert_true(stat_rank_sum_shift(a, 4, b, 4, 0.05, &out));
	near(out.mid, 10, 0);
	near(out.low, 7, 0);
	near(out.high, 13, 0);
	assert_true(stat_rank_sum_shift(a, 3, b, 3, 0.05, &out));
	assert_true(isnan(out.low) && isnan(out.high));
	assert_false(stat_rank_sum_shift(a, 0, b, 3, 0.05, &out));
}

static uint64_t seed = 88172645463325252u;
static double uniform(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (double)(seed >> 11) / 9007199254740992.0;
}

/* The intervals cover the true shift in 95 % and more, for a lopsided noise as well. */
static void test_coverage(void **state)
{
	(void)state;
	int signed_hits = 0, sum_hits = 0;
	enum { TIMES = 4000, N = 8 };
	for (int i = 0; i < TIMES; i++) {
		double d[N], a[N], b[N];
		for (int j = 0; j < N; j++) {
			d[j] = 1 + log(uniform()) - log(uniform()); /* symmetric: two arms' noise */
			a[j] = -log(uniform());
			b[j] = 1 - log(uniform());
		}
		struct stat_interval s;
		assert_true(stat_signed_rank_shift(d, N, 0.05, &s));
		signed_hits += s.low <= 1 && 1 <= s.high;
		assert_true(stat_rank_sum_shift(a, N, b, N, 0.05, &s));
		sum_hits += s.low <= 1 && 1 <= s.high;
	}
	assert_true(signed_hits >= TIMES * 0.945);
	assert_true(sum_hits >= TIMES * 0.945);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_signed_rank_critical),
		cmocka_unit_test(test_signed_rank_p),
		cmocka_unit_test(test_signed_rank_shift),
		cmocka_unit_test(test_rank_sum_critical),
		cmocka_unit_test(test_rank_sum_p),
		cmocka_unit_test(test_rank_sum_against_enumeration),
		cmocka_unit_test(test_rank_sum_shift),
		cmocka_unit_test(test_coverage),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
