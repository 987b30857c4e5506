/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The explanation of a trace of timerlat, osnoise or hwlat. */
#ifndef DWELL_ANALYZE_EXPLAIN_TRACER_H
#define DWELL_ANALYZE_EXPLAIN_TRACER_H

#include "analyze/explain.h"

/* Is it such a trace? */
bool analyze_is_tracer(const struct capture *c);

/* Reads the source to its end. The report is the caller's, to be ended by report_fini. */
int analyze_tracer(struct capture *c, struct source *s, const struct explain_options *o,
		   struct report *r, struct err *err) must_check;

#endif
