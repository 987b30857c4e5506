/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How figures of locks are written: three digits where a ratio is the point ("39.9 %",
 * "0.0114 %"), one decimal for totals ("234.6 s"), microseconds for means as lock_stat has them
 * ("0.298 us"), factors that read either way ("x 1.38", "/ 3489"). "-" for NAN and UNKNOWN.
 *
 * The text is the arena's; JSON gets the numbers, never these.
 */
#ifndef DWELL_ANALYZE_LOCK_TEXT_H
#define DWELL_ANALYZE_LOCK_TEXT_H

#include <stdint.h>

#include "core/report.h"

/* "~11.0 ms", "x ~1.38", "- ~45.6 ns": a figure that is not exact. As it is if it is exact. */
const char *lock_text_how(struct arena *a, enum value_how how, const char *figure);

const char *lock_text_count(struct arena *a, int64_t n);        /* "1,029,063,029" */
const char *lock_text_percent(struct arena *a, double part);    /* 0.399: "39.9 %" */
const char *lock_text_number(struct arena *a, double v);        /* "36.0", "3489", "0.0114" */
const char *lock_text_total(struct arena *a, double ns);        /* "11.0 ms", "234.6 s" */
const char *lock_text_mean(struct arena *a, double ns);         /* "0.298 us", "45.6 ns" */
const char *lock_text_duration(struct arena *a, double ns);     /* "114 ns", "10.6 us" */
const char *lock_text_difference(struct arena *a, double ns);   /* "- 45.6 ns" */
const char *lock_text_total_change(struct arena *a, double ns); /* "- 94.5 s" */

/* "/ 3489" for 1/3489, "x 1.38", "same" within half a percent. */
const char *lock_text_factor(struct arena *a, double factor);

/* "x 1.38 (1.21-1.57)", "/ 2.5 (2.1-3.0)"; without bounds, if low or high is NAN. */
const char *lock_text_factor_range(struct arena *a, double mid, double low, double high);

/* "1 lock", "2,345 locks" */
const char *lock_text_number_of(struct arena *a, size_t n, const char *one, const char *many);

/* Two digits, one unit, the smaller first: "35-47 s". Both of one sign. */
const char *lock_text_range(struct arena *a, double ns, double other);

#endif
