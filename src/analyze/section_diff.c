/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/section_diff.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/diff_rows.h"
#include "analyze/trace_diff_cause.h"
#include "base/sat.h"
#include "base/units.h"
#include "stat/rank.h"

/* Columns of the reports' tables: see times_table in section_report.c. */
enum figure { COUNT = 1, P50 = 3, P99 = 4, MAX = 6, RATE = 7, FIGURES = 8 };

/* A quantile is worth comparing with so many values behind it (experiments.md, 4.9). */
#define P99_VALUES 1000

struct figures {
	int64_t at[FIGURES]; /* medians over the reports that have it; UNKNOWN. RATE: thousandths
			      * of one in a second of trace */
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

struct section_diff {
	const struct trace_diff *of;
	struct pair_list kinds, names;
};

/* -- Taking the reports apart ------------------------------------------------------------------ */

static int double_order(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* The lower median, so that it is a value that was there. */
static int64_t figures_median(const double *v, size_t n)
{
	double sorted[TRACE_DIFF_MAX];
	if (!n)
		return UNKNOWN;
	memcpy(sorted, v, n * sizeof(*v));
	qsort(sorted, n, sizeof(*sorted), double_order);
	return (int64_t)sorted[(n - 1) / 2];
}

static void figures_take(const struct trace_diff *d, int side, const char *section,
			 const char *name, struct figures *f)
{
	const struct trace_diff_side *s = d->side[side];
	for (size_t i = 0; i < s->n; i++) {
		const struct row *row = diff_row(&s->reports[i], section, section, name);
		for (int k = COUNT; row && k < RATE; k++) {
			struct value v = row->cell[k];
			if (v.type == VALUE_COUNT || v.type == VALUE_TIME)
				f->runs[k][f->n[k]++] = (double)v.number;
		}
		if (row && d->by == DIFF_BY_SECOND)
			f->runs[RATE][f->n[RATE]++] = (double)trace_diff_per_s(
				d, side, i, sat_mul(row->cell[COUNT].number, 1000));
	}
	for (int k = COUNT; k < FIGURES; k++)
		f->at[k] = figures_median(f->runs[k], f->n[k]);
}

static void pairs_collect(const struct trace_diff *d, const char *section, struct pair_list *pairs)
{
	struct diff_names names = { 0 };
	for (int side = BASE; side < SIDES; side++)
		diff_names_add(&names, d->side[side], section, section);
	vec_each (name, &names) {
		vec_push(pairs, ((struct pair){ .name = *name }));
		for (int side = BASE; side < SIDES; side++)
			figures_take(d, side, section, *name, &pairs->at[pairs->n - 1].side[side]);
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

/* How many times as often, of a second of trace. */
static struct value rate_factor(const struct pair *p, struct arena *a)
{
	int64_t base = p->side[BASE].at[RATE], new = p->side[NEW].at[RATE];
	if (base == UNKNOWN || new == UNKNOWN || base <= 0)
		return value_none();
	return value_figure((double)new / (double)base,
			    arena_str(a, str_of(units_factor(new, base).s)));
}

#define RATE_COLUMN 9

static void pairs_table(const struct trace_diff *d, struct section *to, const char *key,
			const struct pair_list *pairs)
{
	static const enum figure order[] = { COUNT, P50, P99, MAX };
	struct table *t = report_table(d->report, to, key);
	struct column columns[TABLE_COLUMNS] = {
		{ "name", "", VALUE_TEXT },          { "base_count", "count", VALUE_COUNT },
		{ "new_count", "new", VALUE_COUNT }, { "base_p50_ns", "p50", VALUE_TIME },
		{ "new_p50_ns", "new", VALUE_TIME }, { "base_p99_ns", "p99", VALUE_TIME },
		{ "new_p99_ns", "new", VALUE_TIME }, { "base_max_ns", "max", VALUE_TIME },
		{ "new_max_ns", "new", VALUE_TIME }, { "rate_factor", "often", VALUE_FIGURE },
	};
	if (d->by != DIFF_BY_SECOND)
		columns[RATE_COLUMN].key = NULL;
	memcpy(t->columns, columns, sizeof(columns));
	vec_each (p, pairs) {
		struct row *row = table_row(t);
		row->cell[0] = value_text(p->name);
		for (size_t k = 0; k < sizeof(order) / sizeof(order[0]); k++) {
			for (int side = BASE; side < SIDES; side++)
				row->cell[1 + 2 * k + (size_t)side] =
					figure(&p->side[side], order[k]);
		}
		row->cell[RATE_COLUMN] = rate_factor(p, &d->report->arena);
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

/* "From sched_wakeup" is the wake-ups again. */
static bool is_twice(const struct pair *p)
{
	return strcmp(p->name, "from sched_wakeup") == 0;
}

static void answer_length(const struct trace_diff *d, struct section *to,
			  const struct pair_list *pairs)
{
	struct arena *a = &d->report->arena;
	const struct pair *most = NULL;
	vec_each (p, pairs) {
		if (!is_twice(p) && change_of(p) > (most ? change_of(most) : CHANGE_TOLD))
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

/*
 * How far two rates are apart: 0 if by no more than a quarter, or than three standard errors of
 * the counts, as if they came one by one (they do not, so that this is the least).
 */
static double rate_change(const struct pair *p)
{
	const struct figures *b = &p->side[BASE], *n = &p->side[NEW];
	if (b->at[RATE] == UNKNOWN || n->at[RATE] == UNKNOWN || b->at[RATE] <= 0 ||
	    n->at[RATE] <= 0)
		return 0;
	double size = fabs(log((double)n->at[RATE] / (double)b->at[RATE]));
	double error = sqrt(1 / (double)b->at[COUNT] + 1 / (double)n->at[COUNT]);
	return size > log(1.25) && size > 3 * error ? size : 0;
}

static void answer_rate(const struct trace_diff *d, struct section *to,
			const struct pair_list *pairs)
{
	struct arena *a = &d->report->arena;
	const struct pair *most = NULL;
	vec_each (p, pairs) {
		if (!is_twice(p) && rate_change(p) > (most ? rate_change(most) : 0))
			most = p;
	}
	if (!most)
		return;
	int64_t base = most->side[BASE].at[RATE], new = most->side[NEW].at[RATE];
	struct finding *f = report_finding(
		d->report, to, "often",
		arena_printf(a, "%s comes %s as often: %s a second against %s.", most->name,
			     units_factor(new, base).s, diff_number_text(d, new, a),
			     diff_number_text(d, base, a)));
	finding_fact(f, "kind", value_text(most->name));
	finding_fact(f, "base_per_s", value_figure((double)base / 1000, NULL));
	finding_fact(f, "new_per_s", value_figure((double)new / 1000, NULL));
}

/* The interval of a kind's figure over repeated runs. True: there is one. */
static bool shift_told(const struct trace_diff *d, struct section *to, const struct pair *p,
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

static const char *rate_text(double per_s, struct arena *a)
{
	double size = fabs(per_s);
	return arena_printf(a, "%.*f", size >= 100 ? 0 : size >= 10 ? 1 : 2, per_s);
}

/* The interval of how often a kind comes, where all traces show it. True: there is one. */
static bool rate_shift_told(const struct trace_diff *d, struct section *to, const struct pair *p)
{
	struct arena *a = &d->report->arena;
	const struct figures *b = &p->side[BASE], *n = &p->side[NEW];
	struct stat_interval shift;
	if (b->n[RATE] != d->side[BASE]->n || n->n[RATE] != d->side[NEW]->n ||
	    !stat_rank_sum_shift(b->runs[RATE], b->n[RATE], n->runs[RATE], n->n[RATE], 0.05,
				 &shift) ||
	    isnan(shift.low) || (shift.low == 0 && shift.high == 0))
		return false;
	const char *verdict = shift.low > 0    ? "more often"
			      : shift.high < 0 ? "less often"
					       : "no difference that could be told from noise";
	double mid = shift.mid / 1000, low = shift.low / 1000, high = shift.high / 1000;
	struct finding *f = report_finding(
		d->report, to, "rate_shift",
		arena_printf(a, "%s, how often: shifted by %s a second (95 %%: %s .. %s): %s",
			     p->name, rate_text(mid, a), rate_text(low, a), rate_text(high, a),
			     verdict));
	finding_fact(f, "kind", value_text(p->name));
	finding_fact(f, "shift_per_s", value_figure(mid, NULL));
	finding_fact(f, "low_per_s", value_figure(low, NULL));
	finding_fact(f, "high_per_s", value_figure(high, NULL));
	return true;
}

struct section_diff *section_diff_new(const struct trace_diff *d)
{
	struct section_diff *s = mem_alloc(sizeof(*s));
	s->of = d;
	pairs_collect(d, "sections", &s->kinds);
	pairs_collect(d, "names", &s->names);
	return s;
}

void section_diff_free(struct section_diff *s)
{
	if (!s)
		return;
	vec_fini(&s->kinds);
	vec_fini(&s->names);
	free(s);
}

void section_diff_answer(const struct section_diff *s, struct section *to)
{
	answer_length(s->of, to, &s->kinds);
	answer_rate(s->of, to, &s->kinds);
}

void section_diff_tables(const struct section_diff *s, int64_t top)
{
	struct report *r = s->of->report;
	const char *note = s->of->by == DIFF_BY_SECOND
				   ? "base, and new beside it; often: by second of trace"
				   : "base, and new beside it";
	struct section *to = report_section(r, "sections", "SECTIONS", note);
	pairs_table(s->of, to, "sections", &s->kinds);
	if (!s->names.n)
		return;
	to = report_section(r, "names", "BY NAME", note);
	pairs_table(s->of, to, "names", &s->names);
	vec_last(&to->items)->table->top = (uint32_t)top;
	vec_last(&to->items)->table->more = "--top N shows more";
}

size_t section_diff_shifts(const struct section_diff *s, struct section *to)
{
	size_t told = 0;
	vec_each (p, &s->kinds) {
		told += shift_told(s->of, to, p, P50);
		told += telling_figure(p) == P99 && shift_told(s->of, to, p, P99);
		told += !is_twice(p) && rate_shift_told(s->of, to, p);
	}
	return told;
}
