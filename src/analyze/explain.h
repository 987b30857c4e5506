/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The explanation of one trace: runs the analyses over its events and collects their report. */
#ifndef DWELL_ANALYZE_EXPLAIN_H
#define DWELL_ANALYZE_EXPLAIN_H

#include "analyze/locks.h"
#include "analyze/section.h"
#include "analyze/what_if.h"

struct explain_options {
	int64_t cpu;  /* UNKNOWN: the header's */
	int64_t top;  /* rows of a table in text */
	bool tree;    /* the call tree too */
	bool compare; /* for a comparison of whole traces: functions of each CPU, all loops */
	struct what_if what_if;
	struct section_options sections;   /* of a whole trace; its cpu and top are those above */
	struct lock_explain_options locks; /* of the table out of its events; likewise */
};

/* Reads the source to its end. The report is the caller's, to be ended by report_fini. */
int analyze_explain(struct capture *c, struct source *s, const struct explain_options *o,
		    struct report *r, struct err *err) must_check;

#endif
