/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/noise.h"

#include <stdlib.h>

#include "base/sat.h"

void noise_fini(struct noise *n)
{
	vec_fini(&n->rows);
}

void noise_add(struct noise *n, const struct event *e, const struct payload *p, int64_t ns)
{
	struct noise_row *row = NULL;
	vec_each (r, &n->rows) {
		if (r->point == p->point && r->name == p->args.name && r->number == p->args.c)
			row = r;
	}
	if (!row && n->rows.n == NOISE_ROWS) {
		n->left_out++;
		return;
	}
	if (!row) {
		vec_push(&n->rows, ((struct noise_row){ .point = p->point,
							.name = p->args.name,
							.number = p->args.c,
							.longest_line = e->line }));
		row = vec_last(&n->rows);
	}
	row->n++;
	sat_sum(&row->total, ns);
	if (ns > row->longest) {
		row->longest = ns;
		row->longest_line = e->line;
	}
}

const char *noise_text(const struct names *names, enum point point, uint32_t name, int64_t number,
		       struct arena *a)
{
	static const char *const kinds[] = { "NMI", "irq", "softirq", "thread" };
	const char *kind = noise_is(point) ? kinds[point - POINT_NOISE_NMI] : "noise";
	struct str s = names_str(names, name);
	if (!s.n)
		return kind;
	if (number == UNKNOWN)
		return arena_printf(a, "%s %.*s", kind, STR_ARG(s));
	return arena_printf(a, "%s %.*s:%lld", kind, STR_ARG(s), (long long)number);
}

static int by_total(const void *a, const void *b)
{
	const struct noise_row *x = a, *y = b;
	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return (x->longest_line > y->longest_line) - (x->longest_line < y->longest_line);
}

void noise_report(struct noise *n, const struct names *names, int64_t top, struct report *r)
{
	if (!n->rows.n)
		return;
	struct section *s = report_section(r, "noise", "NOISE BY SOURCE",
					   "osnoise events; net of what interrupted them in turn");
	struct table *t = report_table(r, s, "sources");
	static const struct column columns[] = {
		{ "source", "", VALUE_TEXT },
		{ "total_ns", "total", VALUE_TIME },
		{ "events", "events", VALUE_COUNT },
		{ "longest_ns", "longest", VALUE_TIME },
		{ "longest_line", "at line", VALUE_LINES },
	};
	memcpy(t->columns, columns, sizeof(columns));
	t->top = (uint32_t)top;
	t->more = "--top N shows more";
	vec_sort(&n->rows, by_total);
	vec_each (row, &n->rows) {
		struct row *out = table_row(t);
		out->cell[0] = value_text(
			noise_text(names, row->point, row->name, row->number, &r->arena));
		out->cell[1] = value_time(row->total);
		out->cell[2] = value_count((int64_t)row->n);
		out->cell[3] = value_time(row->longest);
		out->cell[4] = value_lines(row->longest_line, row->longest_line);
	}
}
