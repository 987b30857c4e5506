/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One-pass summary of a series of durations, in bounded memory: count, sum, extremes, mean,
 * standard deviation, median, MAD, and a drift with the position in the series. Knows nothing of
 * where the durations come from.
 *
 * Sums are exact integers; only the answers, and the drift of finished runs, are doubles. Unknown
 * is NAN, never 0. A series is 40 bytes until its second value, then about 220, and at most
 * 2.2 KB; less where there are so many series that the sample has to be smaller.
 *
 * The values that were added one after another form a run (one instance of a loop, say). A merge
 * ends the run on either side; stat_series_runs counts them.
 */
#ifndef DWELL_STAT_SERIES_H
#define DWELL_STAT_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STAT_SAMPLE 256 /* values kept for the median, at most */

struct stat_series {
	uint64_t n;
	int64_t sum;      /* ns; stops at the limits of its type, see stat_series_saturated */
	int64_t min, max; /* ns; meaningless while n is 0 */
	struct stat_series_more *more; /* owned; NULL until the second value or the first merge */
};

/* All zero is an empty series: `struct stat_series s = { 0 };`. Safe on NULL and twice. */
void stat_series_fini(struct stat_series *s);

/* Adds one duration in ns (any int64_t). A few ns, no division; at most 6 allocations in all. */
void stat_series_add(struct stat_series *s, int64_t v_ns);

/*
 * The same, and returns for how many values more the sample made room. Without `grow` it keeps the
 * room that it has, from now on, and what it keeps is a uniform random sample of all values
 * nevertheless.
 */
size_t stat_series_add_sized(struct stat_series *s, int64_t v_ns, bool grow);

/* What stat_series_add_sized returned in all. */
size_t stat_series_room(const struct stat_series *s);

/*
 * Adds all of `from`, which is left as it is and must not be `into`. Moments, extremes and
 * counts are as if every value had been added. The drift stays that within runs: each run keeps
 * its own mean, all share one slope.
 */
void stat_series_merge(struct stat_series *into, const struct stat_series *from);

/* What is added from now on does not follow what came before: another instance of the loop. */
void stat_series_end_run(struct stat_series *s);

/* Number of runs in the series; 0 for an empty one. */
uint64_t stat_series_runs(const struct stat_series *s);

/* The sums do not fit their types (nonsense input): mean, deviation and drift are NAN then. */
bool stat_series_saturated(const struct stat_series *s);

double stat_series_mean_ns(const struct stat_series *s); /* NAN for n = 0 */
double stat_series_sd_ns(const struct stat_series *s);   /* divisor n - 1; NAN for n < 2 */

/*
 * The median and the median absolute deviation from it (not scaled to a standard deviation), of
 * the values kept: mostly all while there are at most STAT_SAMPLE, else a uniform random sample, the
 * same one for the same input (Vitter, "Random sampling with a reservoir", ACM TOMS 11, 1985,
 * algorithm R). NAN for n = 0.
 */
double stat_series_median_ns(const struct stat_series *s);
double stat_series_mad_ns(const struct stat_series *s);
bool stat_series_sampled(const struct stat_series *s);

/*
 * Least-squares slope of the values against their index in the run, in ns a turn, and its t
 * statistic with n - runs - 1 degrees of freedom (n - 2 for one run); +-INFINITY for a perfect
 * line. False, and nothing written, when there are no degrees of freedom or the sums saturated.
 * Durations between rounded time stamps correlate negatively, so t errs on the side of no drift.
 */
bool stat_series_drift(const struct stat_series *s, double *per_turn_ns, double *t);

/*
 * There is a drift to speak of: |t| is beyond the two-sided 95 % point, and the slope amounts to
 * more than a clock step (step_ns) from the first to the last value of the longest run.
 */
bool stat_series_drifts(const struct stat_series *s, int64_t step_ns);

#endif
