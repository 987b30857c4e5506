/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that wait and run in turn, for random times, are looked at as `dwell record locks
 * --attach` does it: at random times. How often does the interval have the time in it that they
 * really waited?
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/vec.h"
#include "stat/seen.h"

static uint64_t seed;

static double uniform(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (double)(seed >> 11) / 9007199254740992.0;
}

static double exponential(double mean)
{
	return -mean * log(1 - uniform());
}

#define EVERY 5e6 /* ns between looks */
#define LOOKS 1000
#define THREADS 8

struct thread {
	double until; /* it changes then */
	bool waits;
	double waited;
};

/* On to a time; waits of all threads may be the same (one long holder) or each its own. */
static void go(struct thread *t, double from, double to, double wait, double run)
{
	while (t->until <= to) {
		if (t->waits)
			t->waited += t->until - from;
		from = t->until;
		t->waits = !t->waits;
		t->until += exponential(t->waits ? wait : run);
	}
	if (t->waits)
		t->waited += to - from;
}

/* Has the interval the truth in it? -1: too low, 1: too high; 2: nothing was seen. */
static int simulate(double wait, double run, int threads, bool together)
{
	struct thread thread[THREADS] = { 0 };
	struct stat_seen s = { 0 };
	int each = together ? 1 : threads;
	double t = 0, waited = 0;
	for (int i = 0; i < each; i++) {
		thread[i].waits = uniform() < wait / (wait + run);
		thread[i].until = exponential(thread[i].waits ? wait : run);
	}
	for (int k = 0; k < LOOKS; k++) {
		double gap = EVERY * (0.5 + uniform());
		uint64_t now = 0;
		for (int i = 0; i < each; i++) {
			go(&thread[i], t, t + gap, wait, run);
			now += thread[i].waits;
		}
		now *= (uint64_t)(together ? threads : 1);
		t += gap;
		s.looks++;
		for (uint64_t i = 0; i < now; i++)
			stat_seen_add(&s, gap, i);
	}
	for (int i = 0; i < each; i++)
		waited += thread[i].waited * (together ? threads : 1);
	struct stat_interval is;
	stat_seen_time(&s, &is);
	if (!s.seen)
		return 2;
	assert_true(is.low <= is.mid && is.mid <= is.high);
	return waited < is.low ? 1 : waited > is.high ? -1 : 0;
}

static void covers(double wait, double run, int threads, bool together)
{
	int in = 0, all = 0;
	for (int i = 0; i < 2000; i++) {
		int how = simulate(wait, run, threads, together);
		in += how == 0;
		all += how != 2;
	}
	print_message("# waits of %g us in %g us, %d threads%s: covered %.1f %%\n", wait / 1e3,
		      (wait + run) / 1e3, threads, together ? " together" : "", 100.0 * in / all);
	assert_true(in >= 0.94 * all);
}

/* Far shorter than the time between looks: these are independent. */
static void test_short(void **state)
{
	(void)state;
	seed = 1;
	covers(20e3, 80e3, 1, false);
	covers(20e3, 2e6, 1, false);
	covers(20e3, 80e3, 4, false);
	covers(20e3, 80e3, 4, true);
}

/* As long as it, or longer: one wait is seen many times. */
static void test_long(void **state)
{
	(void)state;
	seed = 2;
	covers(5e6, 20e6, 1, false);
	covers(50e6, 200e6, 4, true);
	covers(50e6, 1e6, 2, false);
}

static void test_edges(void **state)
{
	(void)state;
	struct stat_interval is;
	struct stat_seen none = { .looks = 100 }, all = { .looks = 100 }, once = { .looks = 1000 };
	stat_seen_time(&none, &is);
	assert_true(is.low == 0 && is.mid == 0 && is.high == 0);
	/* Always: off by no more than three looks of a hundred. */
	for (int i = 0; i < 100; i++) {
		stat_seen_add(&all, 10, 0);
		stat_seen_add(&all, 10, 1);
	}
	stat_seen_time(&all, &is);
	assert_true(is.low < 1980 && is.low > 1930 && is.mid == 2000 && is.high > 2000);
	/* Once: the limits of a Poisson count of one (the score interval). */
	stat_seen_add(&once, 10, 0);
	stat_seen_time(&once, &is);
	assert_true(is.low > 1.7 && is.low < 1.8 && is.mid == 10 && is.high > 56 && is.high < 57);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_short),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_edges),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
