/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stat/student.h"

#include <math.h>

#define DOF_LARGE 1e6 /* from here on the normal expansion is the more accurate */
#define STEPS_MAX 1000
#define FRACTION_MAX 20000

/*
 * The continued fraction of the incomplete beta function, DLMF 8.17.22:
 * I_x(a, b) = x^a (1-x)^b / (a B(a, b)) * beta_fraction(a, b, x), quick for
 * x < (a+1) / (a+b+2). Evaluated forwards by Lentz's method as modified by Thompson and Barnett,
 * J. Comput. Phys. 64 (1986).
 */
static double beta_fraction(double a, double b, double x)
{
	const double tiny = 1e-300;
	double f = 1, c = INFINITY, d = 1;
	for (int i = 1; i < FRACTION_MAX; i++) {
		double m = i / 2, term;
		if (i % 2)
			term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		else
			term = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		d = 1 + term * d;
		d = 1 / (d == 0 ? tiny : d);
		c = 1 + term / c;
		c = c == 0 ? tiny : c;
		f *= c * d;
		if (fabs(c * d - 1) < 1e-15)
			break;
	}
	return f;
}

/*
 * Gamma(a + 1/2) / Gamma(a): the expansion for large a (from DLMF 5.11.8), reached by
 * Gamma(a + 1) = a Gamma(a). Unlike a difference of lgamma it loses nothing at large a, and it
 * does not write to signgam.
 */
static double gamma_ratio(double a)
{
	double factor = 1;
	for (; a < 20; a++)
		factor *= a / (a + 0.5);
	double r = 1 / a, r2 = r * r;
	return factor * sqrt(a) *
	       exp(r * (-1.0 / 8 + r2 * (1.0 / 192 + r2 * (-1.0 / 640 + r2 * 17.0 / 14336))));
}

/* P(T > x) for x >= 0; DLMF 8.17.4 where the complement is the quick side. */
static double t_tail(double x, double dof, double ratio)
{
	double a = dof / 2, b = 0.5, x2 = x * x;
	double lower = x2 / (dof + x2), upper = dof / (dof + x2);
	double front = exp(-a * log1p(x2 / dof)) * sqrt(lower) * ratio / sqrt(M_PI);
	if (upper < (a + 1) / (a + b + 2))
		return 0.5 * front * beta_fraction(a, b, upper) / a;
	return 0.5 - 0.5 * front * beta_fraction(b, a, lower) / b;
}

static double t_density(double x, double dof, double ratio)
{
	return exp(-(dof + 1) / 2 * log1p(x * x / dof)) * ratio / sqrt(M_PI * dof);
}

/*
 * The x >= 0 with P(T > x) = tail <= 1/2, by Newton's method from 0 or from the quantile of the
 * normal distribution, which is smaller. The tail is convex and falls, so that the steps climb to
 * the root from the left and cannot overshoot.
 */
static double normal_upper(double tail)
{
	double x = 0;
	for (int i = 0; i < STEPS_MAX; i++) {
		double density = exp(-x * x / 2) / sqrt(2 * M_PI);
		double step = (0.5 * erfc(x / M_SQRT2) - tail) / density;
		x += step;
		if (!(step > 1e-15 * x))
			break;
	}
	return x;
}

static double t_upper(double tail, double dof)
{
	double z = normal_upper(tail);
	if (dof > DOF_LARGE) /* Abramowitz and Stegun 26.7.5, two terms */
		return z + z * (z * z + 1) / (4 * dof) +
		       z * ((5 * z * z + 16) * z * z + 3) / (96 * dof * dof);
	double ratio = gamma_ratio(dof / 2), x = z;
	for (int i = 0; i < STEPS_MAX; i++) {
		double step = (t_tail(x, dof, ratio) - tail) / t_density(x, dof, ratio);
		x += step;
		if (!(step > 1e-15 * x))
			break;
	}
	return x;
}

double stat_t_quantile(double p, double dof)
{
	if (isnan(p) || !(dof > 0))
		return NAN;
	if (p <= 0 || p >= 1)
		return p <= 0 ? -INFINITY : INFINITY;
	return p < 0.5 ? -t_upper(p, dof) : t_upper(1 - p, dof);
}
