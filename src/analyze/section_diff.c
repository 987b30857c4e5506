/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/section_diff.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyze/diff_rows.h"
#include "base/sat.h"
#include "base/units.h"
#include "core/capture.h"
#include "stat/rank.h"

enum { BASE, NEW, SIDES };

/* Columns of the reports' tables: see times_table in section_report.c. */
enum figure { COUNT = 1, P50 = 3, P99 = 4, MAX = 6, FIGURES = 7 };

/* A quantile is worth comparing with so many values behind it (experiments.md, 4.9). */
#define P99_VALUES 1000

struct figures {
	int64_t at[FIGURES]; /* medians over the reports that have it; UNKNOWN */
	double runs[FIGURES][TRACE_DIFF_MAX];
	size_t n[FIGURES];
};

/* A kind of section, or one of its names, on both sides. */
struct pair {
	const char *name;
	struct figures side[SIDES];
};

struct pair_list {
	VEC(struct pair);
};

struct diff {
	const struct trace_diff_side *side[SIDES];
	struct report *report;
};

bool report_has_sections(const struct report *r)
{
	return section_table(report_get(r, "sections"), "sections");
}

/* -- Taking the reports apart ------------------------------------------------------------------ */

static int double_order(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* The lower median, so that it is a value that was there. */
static int64_t median(const double *v, size_t n)
{
	double sorted[TRACE_DIFF_MAX];
	if (!n)
		return UNKNOWN;
	memcpy(sorted, v, n * sizeof(*v));
	qsort(sorted, n, sizeof(*sorted), double_order);
	return (int64_t)sorted[(n - 1) / 2];
}

static void figures_take(const struct trace_diff_side *s, const char *section, const char *name,
			 struct figures *f)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct row *row = diff_row(&s->reports[i], section, section, name);
		for (int k = COUNT; row && k < FIGURES; k++) {
			struct value v = row->cell[k];
			if (v.type == VALUE_COUNT || v.type == VALUE_TIME)
				f->runs[k][f->n[k]++] = (double)v.number;
		}
	}
	for (int k = COUNT; k < FIGURES; k++)
		f->at[k] = median(f->runs[k], f->n[k]);
}

static void pairs_collect(const struct diff *d, const char *section, struct pair_list *pairs)
{
	struct diff_names names = { 0 };
	for (int side = BASE; side < SIDES; side++)
		diff_names_add(&names, d->side[side], section, section);
	vec_each (name, &names) {
		vec_push(pairs, ((struct pair){ .name = *name }));
		for (int side = BASE; side < SIDES; side++)
			figures_take(d->side[side], section, *name,
				     &pairs->at[pairs->n - 1].side[side]);
	}
	vec_fini(&names);
}

/* -- Telling ----------------------------------------------------------------------------------- */

static struct value figure(const struct figures *f, enum figure k)
{
	if (f->at[k] == UNKNOWN)
		return value_none();
	return k == COUNT ? value_count(f->at[k]) : value_time(f->at[k]);
}

static void pairs_table(const struct diff *d, struct section *to, const char *key,
			const struct pair_list *pairs)
{
	static const enum figure order[] = { COUNT, P50, P99, MAX };
	struct table *t = report_table(d->report, to, key);
	struct column columns[TABLE_COLUMNS] = {
		{ "name", "", VALUE_TEXT },          { "base_count", "count", VALUE_COUNT },
		{ "new_count", "new", VALUE_COUNT }, { "base_p50_ns", "p50", VALUE_TIME },
		{ "new_p50_ns", "new", VALUE_TIME }, { "base_p99_ns", "p99", VALUE_TIME },
		{ "new_p99_ns", "new", VALUE_TIME }, { "base_max_ns", "max", VALUE_TIME },
		{ "new_max_ns", "new", VALUE_TIME },
	};
	memcpy(t->columns, columns, sizeof(columns));
	vec_each (p, pairs) {
		struct row *row = table_row(t);
		row->cell[0] = value_text(p->name);
		for (size_t k = 0; k < sizeof(order) / sizeof(order[0]); k++) {
			for (int side = BASE; side < SIDES; side++)
				row->cell[1 + 2 * k + (size_t)side] =
					figure(&p->side[side], order[k]);
		}
	}
}

/* What is compared: p99 where both sides have the values for it, else the median. */
static enum figure telling_figure(const struct pair *p)
{
	for (int side = BASE; side < SIDES; side++) {
		const struct figures *f = &p->side[side];
		if (f->at[COUNT] < P99_VALUES || f->at[P99] == UNKNOWN)
			return P50;
	}
	return P99;
}

/* How many times as long, or as short: 1 and more. 0: it cannot be said. */
static double change_of(const struct pair *p)
{
	enum figure k = telling_figure(p);
	double b = (double)p->side[BASE].at[k], n = (double)p->side[NEW].at[k];
	if (p->side[BASE].at[k] == UNKNOWN || p->side[NEW].at[k] == UNKNOWN || b <= 0 || n <= 0)
		return 0;
	return b > n ? b / n : n / b;
}

/* Smaller changes are not worth a sentence: a histogram's two quantiles differ by 1.6 % alike. */
#define CHANGE_TOLD 1.05

static void answer(const struct diff *d, struct section *to, const struct pair_list *pairs)
{
	struct arena *a = &d->report->arena;
	const struct pair *most = NULL;
	vec_each (p, pairs) {
		bool twice = strcmp(p->name, "from sched_wakeup") == 0;
		if (!twice && change_of(p) > (most ? change_of(most) : CHANGE_TOLD))
			most = p;
	}
	if (!most) {
		report_finding(d->report, to, "answer",
			       "No kind of section is clearly longer or shorter.");
		return;
	}
	enum figure k = telling_figure(most);
	int64_t base = most->side[BASE].at[k], new = most->side[NEW].at[k];
	struct units_text b = units_time(base), n = units_time(new);
	struct finding *f = report_finding(
		d->report, to, "answer",
		arena_printf(a, "%s changes most: the %s goes from %s to %s (%s).", most->name,
			     k == P99 ? "p99" : "median", b.s, n.s, units_factor(new, base).s));
	finding_fact(f, "kind", value_text(most->name));
	finding_fact(f, "figure", value_text(k == P99 ? "p99" : "p50"));
	finding_fact(f, "base_ns", value_time(base));
	finding_fact(f, "new_ns", value_time(new));
}

/* The interval of a kind's figure over repeated runs. True: there is one. */
static bool shift_told(const struct diff *d, struct section *to, const struct pair *p,
		       enum figure k)
{
	struct arena *a = &d->report->arena;
	const struct figures *b = &p->side[BASE], *n = &p->side[NEW];
	struct stat_interval shift;
	if (!stat_rank_sum_shift(b->runs[k], b->n[k], n->runs[k], n->n[k], 0.05, &shift) ||
	    isnan(shift.low))
		return false;
	const char *verdict = shift.low > 0    ? "longer"
			      : shift.high < 0 ? "shorter"
					       : "no difference that could be told from noise";
	struct units_text mid = units_time((int64_t)shift.mid);
	struct finding *f = report_finding(
		d->report, to, "shift",
		arena_printf(a, "%s, %s: shifted by %s (95 %%: %s): %s", p->name,
			     k == P99 ? "p99" : "median", mid.s,
			     units_time_range((int64_t)shift.low, (int64_t)shift.high).s, verdict));
	finding_fact(f, "kind", value_text(p->name));
	finding_fact(f, "figure", value_text(k == P99 ? "p99" : "p50"));
	finding_fact(f, "shift_ns",
		     value_interval((int64_t)shift.mid, (int64_t)shift.low, (int64_t)shift.high));
	return true;
}

static void inference(const struct diff *d, const struct pair_list *pairs)
{
	size_t n = d->side[BASE]->n, m = d->side[NEW]->n, told = 0;
	struct section *to = report_section(d->report, "inference", "HOW SURE", NULL);
	if (n + m == 2) {
		report_finding(d->report, to, "one_each",
			       "one trace each: sizes only, nothing can be inferred from them");
		return;
	}
	vec_each (p, pairs) {
		told += shift_told(d, to, p, P50);
		told += telling_figure(p) == P99 && shift_told(d, to, p, P99);
	}
	if (!told)
		report_finding(d->report, to, "too_few",
			       arena_printf(&d->report->arena,
					    "%zu against %zu traces are too few for an interval: 4 "
					    "against 4 is the least",
					    n, m));
	else
		report_finding(d->report, to, "many",
			       arena_printf(&d->report->arena,
					    "%zu intervals, each at 95 %% for itself: of 20 that "
					    "show nothing, one is off by chance",
					    told));
}

int analyze_diff_sections(const struct trace_diff_side *base, const struct trace_diff_side *new,
			  int64_t top, struct report *r, struct err *err)
{
	struct diff d = { .side = { base, new }, .report = r };
	for (int side = BASE; side < SIDES; side++) {
		for (size_t i = 0; i < d.side[side]->n; i++) {
			if (!report_has_sections(&d.side[side]->reports[i]))
				return err_set(err, EINVAL,
					       "one of the traces shows sections and another none: "
					       "they cannot be compared");
		}
	}
	struct pair_list kinds = { 0 }, names = { 0 };
	pairs_collect(&d, "sections", &kinds);
	pairs_collect(&d, "names", &names);
	struct section *to = report_section(r, "difference", NULL, NULL);
	report_finding(r, to, "files",
		       arena_printf(&r->arena, "%s -> %s", base->label, new->label));
	answer(&d, to, &kinds);
	to = report_section(r, "sections", "SECTIONS", "base, and new beside it");
	pairs_table(&d, to, "sections", &kinds);
	if (names.n) {
		to = report_section(r, "names", "BY NAME", "base, and new beside it");
		pairs_table(&d, to, "names", &names);
		vec_last(&to->items)->table->top = (uint32_t)top;
		vec_last(&to->items)->table->more = "--top N shows more";
	}
	inference(&d, &kinds);
	vec_fini(&kinds);
	vec_fini(&names);
	return 0;
}
