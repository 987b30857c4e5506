/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quantiles of Student's t distribution. Of Debian's C libraries only GSL has them, and GSL is
 * too large a dependency for one function.
 */
#ifndef DWELL_STAT_STUDENT_H
#define DWELL_STAT_STUDENT_H

/*
 * One-sided: the x with P(T <= x) = p. The factor of a two-sided 95 % interval is
 * stat_t_quantile(0.975, dof). Relative error below 1e-8 for 0.0001 <= p <= 0.9999 and dof of 1
 * and more; dof may be fractional, and INFINITY gives the normal distribution.
 * -INFINITY for p <= 0, INFINITY for p >= 1, NAN for dof <= 0 or a NAN.
 */
double stat_t_quantile(double p, double dof);

#endif
