/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whole traces compared, or two sets of them: the sections of each kind, and the functions and
 * loops that make the difference. Traces of events and function entries, or function graphs.
 *
 * Two traces are of any length. What is compared is therefore what a second of trace holds; where
 * the length of one is not known (a graph without stamps), what one call takes.
 */
#ifndef DWELL_ANALYZE_WHOLE_DIFF_H
#define DWELL_ANALYZE_WHOLE_DIFF_H

#include "analyze/trace_diff.h"

/*
 * Are all of them traces of one kind? -EINVAL: one holds nothing that can be compared, or one is
 * a graph and another is not, and so on. *whole: it is for analyze_diff_whole.
 */
int diff_check_alike(const struct trace_diff_side *base, const struct trace_diff_side *new,
		     bool *whole, struct err *err) must_check;

/* -EINVAL: no section, function or loop is shown by all of them. */
int analyze_diff_whole(const struct trace_diff_side *base, const struct trace_diff_side *new,
		       int64_t top, struct report *r, struct err *err) must_check;

#endif
