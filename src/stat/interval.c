/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stat/interval.h"

#include <math.h>

#include "stat/exact.h"
#include "stat/student.h"

#define COLD_TURNS 5
#define HOEFFDING_95 1.3581 /* sqrt(ln(2 / 0.05) / 2) */

bool stat_turn_cost(const struct stat_series *steady, int64_t step_ns, struct stat_interval *out)
{
	double m = (double)steady->n;
	double mean = stat_series_mean_ns(steady), sd = stat_series_sd_ns(steady);
	if (isnan(mean) || isnan(sd))
		return false;

	double runs = (double)stat_series_runs(steady);
	sd = fmax(sd, (double)step_ns / sqrt(12));
	double clock = (double)step_ns * fmin(runs, HOEFFDING_95 * sqrt(runs)) / m;
	double noise = stat_t_quantile(0.975, m - 1) * sd / sqrt(m);
	double half = fmax(noise, clock);
	double low = mean - half;
	if (low < 0 && mean >= 0)
		low = 0; /* a duration */
	*out = (struct stat_interval){ .mid = mean, .low = low, .high = mean + half };
	return true;
}

bool stat_cold_first(int64_t first_ns, const struct stat_series *others, int64_t step_ns)
{
	if (others->n < COLD_TURNS - 1)
		return false;
	double excess = (double)first_ns - stat_series_median_ns(others);
	return excess > fmax(3 * stat_series_mad_ns(others), 2 * (double)step_ns);
}

void stat_extrapolate(int64_t section_ns, struct stat_interval b, int64_t turns_seen, int64_t n,
		      struct stat_interval *out)
{
	double section = (double)section_ns, more = (double)n - (double)turns_seen;
	*out = (struct stat_interval){
		.mid = fmax(section + b.mid * more, 0),
		.low = fmax(section + (more < 0 ? b.high : b.low) * more, 0),
		.high = fmax(section + (more < 0 ? b.low : b.high) * more, 0),
	};
}

/* The n at which T(n) is the budget, as a real number; INFINITY for never, below 0 for none. */
static double turns_exact(int64_t section_ns, double b, int64_t turns_seen, int64_t budget_ns)
{
	double spare = (double)budget_ns - (double)section_ns;
	if (budget_ns < 0)
		return -INFINITY; /* T(n) is never below 0 */
	if (!(b > 0))
		return spare >= 0 ? INFINITY : -INFINITY;
	return (double)turns_seen + spare / b;
}

/* Rounded down; what the division itself may have lost (1e-9 turns) does not tip it. */
static int64_t turns_whole(double exact)
{
	double whole = floor(exact + 1e-9);
	if (whole >= 0x1p63)
		return STAT_TURNS_ANY;
	return whole >= 0 ? (int64_t)whole : STAT_TURNS_NONE;
}

void stat_turns_within(int64_t section_ns, struct stat_interval b, int64_t turns_seen,
		       int64_t budget_ns, struct stat_turns *out)
{
	double exact = turns_exact(section_ns, b.mid, turns_seen, budget_ns);
	/* Dear turns leave room for fewer; but within a shorter section, leaving them out saves more. */
	bool shorter = budget_ns < section_ns;
	double dear = turns_exact(section_ns, b.high, turns_seen, budget_ns);
	double cheap = turns_exact(section_ns, b.low, turns_seen, budget_ns);
	*out = (struct stat_turns){
		.low = turns_whole(shorter ? cheap : dear),
		.mid = turns_whole(exact),
		.high = turns_whole(shorter ? dear : cheap),
		.exact = exact,
		.edge = isfinite(exact) && exact > -STAT_TURNS_EDGE &&
			fabs(exact - nearbyint(exact)) <= STAT_TURNS_EDGE,
	};
}

void stat_line_add(struct stat_line *l, int64_t x, int64_t y)
{
	if (__builtin_add_overflow(l->sx, x, &l->sx) || __builtin_add_overflow(l->sy, y, &l->sy) ||
	    !exact_add_product(&l->sxx, x, x) || !exact_add_product(&l->sxy, x, y) ||
	    !exact_add_product(&l->syy, y, y))
		l->saturated = true;
	l->n++;
}

bool stat_line_fit(const struct stat_line *l, struct stat_fit *out)
{
	if (l->saturated)
		return false;
	double sxx = exact_centred(l->n, l->sx, l->sx, l->sxx);
	double sxy = exact_centred(l->n, l->sx, l->sy, l->sxy);
	double syy = exact_centred(l->n, l->sy, l->sy, l->syy);
	if (!(sxx > 0) || isnan(sxy) || isnan(syy))
		return false;

	double n = (double)l->n, x = (double)l->sx / n, c = sxy / sxx;
	double variance = n > 2 ? fmax(syy - c * sxy, 0) / (n - 2) : NAN;
	*out = (struct stat_fit){
		.a = (double)l->sy / n - c * x,
		.c = c,
		.a_se = sqrt(variance * (1 / n + x * x / sxx)),
		.c_se = sqrt(variance / sxx),
		.dof = n - 2,
	};
	return true;
}
