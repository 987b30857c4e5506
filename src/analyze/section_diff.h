/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whole traces compared: the distributions of each kind of section side by side, out of their
 * reports. One trace each gives sizes; repeated ones medians, and an interval for the shift of
 * each kind's p50 and p99 where their number allows one.
 */
#ifndef DWELL_ANALYZE_SECTION_DIFF_H
#define DWELL_ANALYZE_SECTION_DIFF_H

#include "analyze/trace_diff.h"

/* Is it the report of a whole trace that shows sections? */
bool report_has_sections(const struct report *r);

/* All reports must have sections. */
int analyze_diff_sections(const struct trace_diff_side *base, const struct trace_diff_side *new,
			  int64_t top, struct report *r, struct err *err) must_check;

#endif
