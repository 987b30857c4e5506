/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What makes the difference between two sides: the functions and loops that changed most, in
 * sentences and in tables.
 */
#ifndef DWELL_ANALYZE_TRACE_DIFF_CAUSE_H
#define DWELL_ANALYZE_TRACE_DIFF_CAUSE_H

#include "analyze/trace_diff_item.h"

/* "+ 3 us"; "-" if it is not known. */
const char *diff_change_text(int64_t change_ns, struct arena *a);

/* A number of calls or turns, given in thousandths; of a second of trace: three digits of it. */
const char *diff_number_text(const struct trace_diff *d, int64_t thousandths, struct arena *a);

/* The dearest changes, of loops first, since they say more than functions. */
void diff_causes_report(struct trace_diff *d, struct section *s);

/* A section with a table of that key, unless there is nothing. */
struct diff_table {
	const char *key, *title, *note;
	const char *number; /* what is counted: "calls"; NULL: nothing */
	bool graph;         /* self and total times */
	bool loops;         /* some may be partial */
	int64_t top;
};
void diff_table_report(struct trace_diff *d, const struct item_list *items,
		       const struct diff_table *how);

/* Traces of poor trust. */
void diff_poor_report(struct trace_diff *d, struct section *s);

/* What slept, apart. Nothing if nothing did. */
void diff_asleep_report(struct trace_diff *d, int64_t top);

#endif
