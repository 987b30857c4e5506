/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The explanation of a whole trace, one that times no single section: the sections that its
 * events show, and the profile of the functions where functions were traced. Both watch the
 * events go by; what saw something reports.
 */
#ifndef DWELL_ANALYZE_EXPLAIN_TRACE_H
#define DWELL_ANALYZE_EXPLAIN_TRACE_H

#include "analyze/explain.h"

/* Is it a whole trace, and no snapshot of a latency tracer? */
bool capture_is_whole_trace(const struct capture *c);

/* Reads the source to its end. The report is the caller's, to be ended by report_fini. */
int analyze_explain_trace(struct capture *c, struct source *s, const struct explain_options *o,
			  struct report *r, struct err *err) must_check;

#endif
