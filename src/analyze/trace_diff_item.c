/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/trace_diff_item.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/diff_rows.h"
#include "base/sat.h"
#include "core/capture.h"
#include "stat/rank.h"

static int int64_order(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

/* The lower median, so that it is a value that was there. Sorts v. */
static int64_t median(int64_t *v, size_t n)
{
	qsort(v, n, sizeof(*v), int64_order);
	return n ? v[(n - 1) / 2] : UNKNOWN;
}

struct value trace_diff_fact(const struct report *r, const char *section, const char *finding,
			     const char *key)
{
	return finding_get(section_get(report_get(r, section), finding), key);
}

int64_t trace_diff_number(const struct report *r, const char *section, const char *finding,
			  const char *key)
{
	struct value v = trace_diff_fact(r, section, finding, key);
	return v.type == VALUE_TIME || v.type == VALUE_COUNT ? v.number : UNKNOWN;
}

static int64_t covered_of(const struct report *r)
{
	int64_t covered = trace_diff_number(r, "trust", "coverage", "covered_ns");
	return covered != UNKNOWN ? covered
				  : trace_diff_number(r, "headline", "headline", "latency_ns");
}

void trace_diff_windows(struct trace_diff *d, int side)
{
	int64_t length[TRACE_DIFF_MAX], covered[TRACE_DIFF_MAX], entries[TRACE_DIFF_MAX];
	const struct trace_diff_side *s = d->side[side];
	for (size_t i = 0; i < s->n; i++) {
		length[i] = trace_diff_number(&s->reports[i], "headline", "headline", "latency_ns");
		covered[i] = covered_of(&s->reports[i]);
		entries[i] = trace_diff_number(&s->reports[i], "headline", "headline", "entries");
		d->cut[side] += covered[i] < length[i] - length[i] / 20;
	}
	d->length[side] = median(length, s->n);
	d->covered[side] = median(covered, s->n);
	d->entries[side] = median(entries, s->n);
}

static struct amount amount_of(const struct trace_diff_side *s, const struct table_source *from,
			       const char *name)
{
	int64_t total[TRACE_DIFF_MAX], calls[TRACE_DIFF_MAX];
	size_t n = 0;
	for (size_t i = 0; i < s->n; i++) {
		const struct row *row = diff_row(&s->reports[i], from->section, from->table, name);
		if (!row)
			continue;
		total[n] = row->cell[from->total].number;
		calls[n++] = from->calls < 0 ? UNKNOWN : row->cell[from->calls].number;
	}
	return (struct amount){ median(total, n), median(calls, n), n };
}

void trace_diff_items(struct trace_diff *d, const struct table_source *from,
		      struct item_list *items)
{
	struct diff_names names = { 0 };
	for (int side = BASE; side < SIDES; side++)
		diff_names_add(&names, d->side[side], from->section, from->table);
	vec_each (name, &names) {
		struct item_diff it = { .name = *name };
		for (int side = BASE; side < SIDES; side++)
			it.side[side] = amount_of(d->side[side], from, *name);
		it.change = sat_sub(known(&it.side[NEW]), known(&it.side[BASE]));
		vec_push(items, it);
	}
	vec_fini(&names);
}

static const struct finding *loop_named(const struct report *r, const char *path)
{
	const struct section *s = report_get(r, "loops");
	if (!s)
		return NULL;
	vec_each (it, &s->items) {
		if (it->finding && strcmp(it->finding->key, "loop") == 0 &&
		    strcmp(finding_get(it->finding, "path").text, path) == 0)
			return it->finding;
	}
	return NULL;
}

static void loop_side(struct trace_diff *d, int side, struct item_diff *it)
{
	int64_t total[TRACE_DIFF_MAX], turns[TRACE_DIFF_MAX];
	size_t n = 0;
	for (size_t i = 0; i < d->side[side]->n; i++) {
		const struct finding *f = loop_named(&d->side[side]->reports[i], it->name);
		if (!f)
			continue;
		total[n] = finding_get(f, "total_ns").number;
		turns[n++] = finding_get(f, "turns").number;
		it->cost[side] = finding_get(f, "cost_ns");
	}
	if (n > 1)
		it->cost[side].type = VALUE_NONE; /* one report's interval is not the set's */
	it->side[side] = (struct amount){ median(total, n), median(turns, n), n };
}

void trace_diff_loops(struct trace_diff *d)
{
	struct diff_names paths = { 0 };
	for (int side = BASE; side < SIDES; side++) {
		for (size_t i = 0; i < d->side[side]->n; i++) {
			const struct section *s = report_get(&d->side[side]->reports[i], "loops");
			if (!s)
				continue;
			vec_each (it, &s->items) {
				if (it->finding && strcmp(it->finding->key, "loop") == 0)
					diff_name_add(&paths,
						      finding_get(it->finding, "path").text);
			}
		}
	}
	vec_each (path, &paths) {
		struct item_diff it = { .name = *path };
		loop_side(d, BASE, &it);
		loop_side(d, NEW, &it);
		it.change = sat_sub(known(&it.side[NEW]), known(&it.side[BASE]));
		vec_push(&d->loops, it);
	}
	vec_fini(&paths);
}

/* Its total in each report of a side: 0 where it did not occur. No source: a loop's. */
static void totals_of(const struct trace_diff_side *s, const struct table_source *from,
		      const char *name, double *v)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct report *r = &s->reports[i];
		const struct row *row = from ? diff_row(r, from->section, from->table, name) : NULL;
		const struct finding *f = from ? NULL : loop_named(r, name);
		v[i] = row ? (double)row->cell[from->total].number
		       : f ? (double)finding_get(f, "total_ns").number
			   : 0;
	}
}

#define SHIFTS_MAX 64 /* of the items that changed most: each is worked out of all pairs of runs */

void trace_diff_shifts(struct trace_diff *d, const struct table_source *from,
		       struct item_list *items)
{
	double base[TRACE_DIFF_MAX], new[TRACE_DIFF_MAX];
	size_t n = d->side[BASE]->n, m = d->side[NEW]->n;
	for (size_t i = 0; i < items->n && i < SHIFTS_MAX && n + m > 2; i++) {
		struct item_diff *it = &items->at[i];
		totals_of(d->side[BASE], from, it->name, base);
		totals_of(d->side[NEW], from, it->name, new);
		it->have_shift = stat_rank_sum_shift(base, n, new, m, 0.05, &it->shift) &&
				 !isnan(it->shift.low);
	}
}
