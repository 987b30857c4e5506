/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What may be concluded from the measured turns of a loop: the cost of a turn with its interval,
 * whether the first turn was cold, and what other numbers of turns would take. Knows nothing of
 * traces or text; the rules are those of the project's notes on attribution ("Loops", "What if").
 * A failed function leaves its output untouched.
 */
#ifndef DWELL_STAT_INTERVAL_H
#define DWELL_STAT_INTERVAL_H

#include <stdbool.h>
#include <stdint.h>

#include "stat/series.h"

struct stat_interval {
	double mid, low, high; /* low <= mid <= high */
};

/*
 * The cost of a turn in ns, with its 95 % interval, from the start-to-start durations of the m
 * steady, complete turns (no cold first turn, no last one), read off a clock that counts in
 * steps of step_ns:
 *
 *	mean +- max(t(m-1) * s / sqrt(m), q * k / m)
 *
 * s is the standard deviation. Within a run of consecutive turns the errors of the stamps cancel
 * but for the first and the last, so the sum is off by less than one step a run: k = 1 for one
 * run. The errors of r runs add up like random phases: k = min(r, 1.36 sqrt(r)), by Hoeffding's
 * inequality (J. Am. Stat. Assoc. 58, 1963) at 95 %.
 *
 * s is taken to be no less than that of rounding to a step, q / sqrt(12): a few durations
 * are often equal by chance, and without this the interval covered the truth in 87 % of simulated
 * runs at m = 4 and an awkward fraction of a step. tests/unit/test_coverage.c has the coverage.
 *
 * False for m < 2: one turn has no interval (stat_series_mean_ns gives its duration), and false
 * for sums that saturated.
 */
bool stat_turn_cost(const struct stat_series *steady, int64_t step_ns, struct stat_interval *out);

/*
 * The first turn is cold: there are at least 5 measured turns with it, and its excess over the
 * median of the others is more than max(3 MAD, 2 clock steps).
 */
bool stat_cold_first(int64_t first_ns, const struct stat_series *others, int64_t step_ns);

/*
 * What a section that took section_ns with turns_seen turns would take with n, in ns:
 * T(n) = section + b (n - turns_seen), never below 0. The interval is that of b alone: it covers
 * noise, neither a bend nor the step of the clock in section_ns itself.
 */
void stat_extrapolate(int64_t section_ns, struct stat_interval b, int64_t turns_seen, int64_t n,
		      struct stat_interval *out);

#define STAT_TURNS_NONE (-1)     /* over the budget even without a turn */
#define STAT_TURNS_ANY INT64_MAX /* no number of turns reaches the budget */
#define STAT_TURNS_EDGE 0.05     /* turns */

/* The largest n with T(n) <= budget; low <= mid <= high. */
struct stat_turns {
	int64_t low, mid, high; /* over the interval of b, and with its mean; or STAT_TURNS_* */
	double exact;           /* with the mean, before rounding down: "16.0"; may be +-INFINITY */
	bool edge;              /* exact is within STAT_TURNS_EDGE of an integer: mid could tip */
};

void stat_turns_within(int64_t section_ns, struct stat_interval b, int64_t turns_seen,
		       int64_t budget_ns, struct stat_turns *out);

/*
 * A straight line y = a + c x through independent points, by ordinary least squares: "an outer
 * turn costs a + c per inner turn". Not for cumulative times, whose errors are correlated. All
 * zero is an empty line.
 */
struct stat_line {
	uint64_t n;
	int64_t sx, sy;
	__int128 sxx, sxy, syy;
	bool saturated;
};

struct stat_fit {
	double a, c;       /* unit of y, unit of y per unit of x */
	double a_se, c_se; /* standard errors; NAN when dof is 0 */
	double dof;        /* n - 2, for stat_t_quantile */
};

void stat_line_add(struct stat_line *l, int64_t x, int64_t y);

/* False when x does not vary (or n < 2), or when the sums do not fit. */
bool stat_line_fit(const struct stat_line *l, struct stat_fit *out);

#endif
