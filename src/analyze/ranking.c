/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/ranking.h"

#include <stdlib.h>

#include "base/units.h"

void ranking_fini(struct ranking *k)
{
	vec_fini(&k->rows);
	arena_fini(&k->arena);
}

static const char *keep(struct ranking *k, const char *z)
{
	return z ? arena_str(&k->arena, str_of(z)) : NULL;
}

/* A loop that takes half the time or more is the cause; else the dearest entry. */
static void row_cause(struct ranking *k, struct ranking_row *row, const struct report *r)
{
	const struct finding *loop = section_get(report_get(r, "loops"), "loop");
	struct value head = finding_get(loop, "head"), share = finding_get(loop, "share");
	if (head.type == VALUE_TEXT && share.part >= share.whole - share.whole / 2) {
		row->cause = arena_printf(&k->arena, "the loop of %s, %s turns", head.text,
					  units_count(finding_get(loop, "turns").number).s);
		row->part = share.part;
		row->whole = share.whole;
		return;
	}
	const struct table *t = section_table(report_get(r, "where"), "functions");
	if (!t || !t->rows.n)
		return;
	row->cause = keep(k, t->rows.at[0].cell[0].text);
	row->part = t->rows.at[0].cell[2].part;
	row->whole = t->rows.at[0].cell[2].whole;
}

void ranking_add(struct ranking *k, const struct report *r)
{
	const struct finding *f = section_get(report_get(r, "headline"), "headline");
	struct value latency = finding_get(f, "latency_ns");
	if (latency.type != VALUE_TIME)
		return;
	struct ranking_row row = {
		.label = keep(k, r->label),
		.kind = keep(k, finding_get(f, "kind").text),
		.latency_ns = latency.number,
	};
	row_cause(k, &row, r);
	vec_push(&k->rows, row);
}

static int row_order(const void *a, const void *b)
{
	const struct ranking_row *x = a, *y = b;
	return (x->latency_ns < y->latency_ns) - (x->latency_ns > y->latency_ns);
}

void ranking_report(struct ranking *k, struct report *r)
{
	struct section *s = report_section(r, "ranking", "ALL OF THEM", "the longest first");
	struct table *t = report_table(r, s, "ranking");
	struct column columns[] = {
		{ "latency_ns", "latency", VALUE_TIME }, { "kind", "", VALUE_TEXT },
		{ "cause", "most of it", VALUE_TEXT },   { "share", "", VALUE_SHARE },
		{ "file", "file", VALUE_TEXT },
	};
	memcpy(t->columns, columns, sizeof(columns));
	vec_sort(&k->rows, row_order);
	vec_each (row, &k->rows) {
		struct row *out = table_row(t);
		out->cell[0] = value_time(row->latency_ns);
		out->cell[1] = value_text(row->kind);
		out->cell[2] = value_text(row->cause);
		out->cell[3] = row->cause ? value_share(row->part, row->whole) : value_none();
		out->cell[4] = value_text(row->label);
	}
}
