/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bar for stat_turn_cost: its interval holds the true cost of a turn in at least 95 % of
 * simulated loops. Each loop has a true cost of 3 to 20 clock steps (not a whole number), turns
 * with normal noise, a random phase against the clock, and time stamps rounded down to a step.
 * The seed is fixed, so the outcome is too; the bar leaves no room for luck, so the cells whose
 * true coverage is near it get more loops: the coverage cannot be far above 95 % where the noise
 * is well above the step, since there the interval is Student's own.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stat/interval.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))
#define STEP_NS 1000
#define NOISES 4

static const double noise[NOISES] = { 0, 0.2, 0.5, 2 }; /* standard deviation of a turn, steps */

struct shape {
	int turns, runs;   /* steady turns of a run; runs merged into one series */
	int loops[NOISES]; /* simulated, for each noise */
};

static uint64_t rng;

/* Splitmix64. */
static double uniform(void)
{
	uint64_t z = rng += 0x9e3779b97f4a7c15ull;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* Marsaglia's polar method; the second value is kept for the next call. */
static double normal(void)
{
	static double spare = NAN;
	if (!isnan(spare)) {
		double value = spare;
		spare = NAN;
		return value;
	}
	double x, y, r;
	do {
		x = 2 * uniform() - 1;
		y = 2 * uniform() - 1;
		r = x * x + y * y;
	} while (r >= 1 || r == 0);
	double scale = sqrt(-2 * log(r) / r);
	spare = y * scale;
	return x * scale;
}

/* Turns of b steps on average. */
static void simulate_run(struct stat_series *s, double b, double sd, int turns)
{
	double at = uniform();
	int64_t stamp = 0;
	for (int i = 0; i < turns; i++) {
		at += b;
		if (sd > 0)
			at += sd * normal();
		int64_t next = (int64_t)floor(at);
		stat_series_add(s, (next - stamp) * STEP_NS);
		stamp = next;
	}
}

static bool simulate_covers(const struct shape *shape, double sd)
{
	double b = 3 + 17 * uniform();
	struct stat_series all = { 0 };
	if (shape->runs == 1)
		simulate_run(&all, b, sd, shape->turns);
	for (int i = 0; shape->runs > 1 && i < shape->runs; i++) {
		struct stat_series run = { 0 };
		simulate_run(&run, b, sd, shape->turns);
		stat_series_merge(&all, &run);
		stat_series_fini(&run);
	}
	struct stat_interval cost;
	assert_true(stat_turn_cost(&all, STEP_NS, &cost));
	stat_series_fini(&all);
	return cost.low <= b * STEP_NS && b * STEP_NS <= cost.high;
}

static void check_shapes(const struct shape *shapes, size_t n)
{
	int below = 0;
	rng = 20070511;
	for (size_t i = 0; i < n; i++) {
		double percent[NOISES];
		for (int j = 0; j < NOISES; j++) {
			int loops = shapes[i].loops[j], covered = 0;
			for (int k = 0; k < loops; k++)
				covered += simulate_covers(&shapes[i], noise[j]);
			percent[j] = 100.0 * covered / loops;
			below += covered * 100.0 < 95.0 * loops;
		}
		print_message("# %4d turns, %2d runs: %6.2f %6.2f %6.2f %6.2f %% covered at noise "
			      "0, 0.2, 0.5, 2 steps\n",
			      shapes[i].turns, shapes[i].runs, percent[0], percent[1], percent[2],
			      percent[3]);
	}
	assert_int_equal(below, 0);
}

static void test_one_run(void **state)
{
	(void)state;
	static const struct shape shapes[] = {
		{ 7, 1, { 10000, 10000, 10000, 40000 } },
		{ 30, 1, { 10000, 10000, 10000, 20000 } },
		{ 1000, 1, { 200, 500, 500, 5000 } },
	};
	check_shapes(shapes, N_OF(shapes));
}

static void test_few_turns(void **state)
{
	(void)state;
	static const struct shape shapes[] = {
		{ 2, 1, { 10000, 10000, 10000, 10000 } },
		{ 3, 1, { 10000, 10000, 10000, 10000 } },
		{ 4, 1, { 10000, 10000, 10000, 20000 } },
	};
	check_shapes(shapes, N_OF(shapes));
}

static void test_merged_runs(void **state)
{
	(void)state;
	static const struct shape shapes[] = {
		{ 4, 2, { 5000, 5000, 5000, 20000 } },
		{ 8, 5, { 5000, 5000, 5000, 10000 } },
		{ 2, 40, { 1000, 1000, 1000, 5000 } },
	};
	check_shapes(shapes, N_OF(shapes));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_run),
		cmocka_unit_test(test_few_turns),
		cmocka_unit_test(test_merged_runs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
