/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/diff_rows.h"

const struct row *diff_row(const struct report *r, const char *section, const char *table,
			   const char *name)
{
	const struct table *t = section_table(report_get(r, section), table);
	if (!t)
		return NULL;
	vec_each (row, &t->rows) {
		if (strcmp(row->cell[0].text, name) == 0)
			return row;
	}
	return NULL;
}

void diff_name_add(struct diff_names *names, const char *name)
{
	vec_each (n, names) {
		if (strcmp(*n, name) == 0)
			return;
	}
	if (names->n < DIFF_KINDS_MAX)
		vec_push(names, name);
}

void diff_names_add(struct diff_names *names, const struct trace_diff_side *s, const char *section,
		    const char *table)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct table *t = section_table(report_get(&s->reports[i], section), table);
		if (!t)
			continue;
		vec_each (row, &t->rows)
			diff_name_add(names, row->cell[0].text);
	}
}
