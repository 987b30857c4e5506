/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two explanations of traces compared, or two sets of them: which functions, contexts and loops
 * make the difference, and whether by their number or by their cost.
 *
 * One pair gives sizes, never an inference. Sets give the shift of the latency (Hodges-Lehmann)
 * with the exact interval of the rank-sum test, where their number allows one.
 */
#ifndef DWELL_ANALYZE_TRACE_DIFF_H
#define DWELL_ANALYZE_TRACE_DIFF_H

#include "base/err.h"
#include "core/report.h"

#define TRACE_DIFF_MAX 128 /* reports a side */

struct trace_diff_side {
	const struct report *reports; /* as analyze_explain made them */
	size_t n;
	const char *label;
};

/* -EINVAL: a side has no trace or too many. The report lives no longer than the sides. */
int analyze_diff_traces(const struct trace_diff_side *base, const struct trace_diff_side *new,
			int64_t top, struct report *r, struct err *err) must_check;

#endif
