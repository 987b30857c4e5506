/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The explanation of one function graph. */
#ifndef DWELL_ANALYZE_EXPLAIN_GRAPH_H
#define DWELL_ANALYZE_EXPLAIN_GRAPH_H

#include "analyze/explain.h"

/* Reads the source to its end. The report is the caller's, to be ended by report_fini. */
int analyze_graph(struct capture *c, struct source *s, const struct explain_options *o,
		  struct report *r, struct err *err) must_check;

#endif
