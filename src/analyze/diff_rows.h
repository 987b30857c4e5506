/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds what both sides of a comparison of reports speak of: rows of a table, by name. */
#ifndef DWELL_ANALYZE_DIFF_ROWS_H
#define DWELL_ANALYZE_DIFF_ROWS_H

#include "analyze/trace_diff.h"
#include "base/vec.h"

#define DIFF_KINDS_MAX 4096

struct diff_names {
	VEC(const char *); /* as long as the reports live */
};

/* The row of the section's table whose first cell is the name; NULL: there is none. */
const struct row *diff_row(const struct report *r, const char *section, const char *table,
			   const char *name);

/* Adds a name, unless it is there. */
void diff_name_add(struct diff_names *names, const char *name);

/* Adds the names of the table's rows in all reports of the side. */
void diff_names_add(struct diff_names *names, const struct trace_diff_side *s, const char *section,
		    const char *table);

#endif
