/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/trace_diff.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyze/diff_rows.h"
#include "analyze/loops.h"
#include "base/sat.h"
#include "base/units.h"
#include "core/capture.h"
#include "stat/rank.h"

enum { BASE, NEW, SIDES };

/* What one side's reports say of one function, context or loop. */
struct amount {
	int64_t total, calls; /* ns, number: medians over the reports that have it */
	size_t seen;          /* in so many reports */
};

/* A function, context or loop on both sides. */
struct item_diff {
	const char *name;
	struct amount side[SIDES];
	struct value cost[SIDES]; /* loops: per turn, with its interval */
	int64_t change;           /* ns */
};

struct item_list {
	VEC(struct item_diff);
};

struct diff {
	const struct trace_diff_side *side[SIDES];
	struct report *report;
	int64_t length[SIDES], covered[SIDES], entries[SIDES]; /* medians */
	size_t cut[SIDES];                                     /* files that lack a part */
	struct item_list functions, contexts, loops;
};

/* -- Taking the reports apart ------------------------------------------------------------------ */

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

static struct value fact(const struct report *r, const char *section, const char *finding,
			 const char *key)
{
	return finding_get(section_get(report_get(r, section), finding), key);
}

static int64_t fact_number(const struct report *r, const char *section, const char *finding,
			   const char *key)
{
	struct value v = fact(r, section, finding, key);
	return v.type == VALUE_TIME || v.type == VALUE_COUNT ? v.number : UNKNOWN;
}

static int64_t covered_of(const struct report *r)
{
	int64_t covered = fact_number(r, "trust", "coverage", "covered_ns");
	return covered != UNKNOWN ? covered : fact_number(r, "headline", "headline", "latency_ns");
}

static void diff_windows(struct diff *d, int side)
{
	int64_t length[TRACE_DIFF_MAX], covered[TRACE_DIFF_MAX], entries[TRACE_DIFF_MAX];
	const struct trace_diff_side *s = d->side[side];
	for (size_t i = 0; i < s->n; i++) {
		length[i] = fact_number(&s->reports[i], "headline", "headline", "latency_ns");
		covered[i] = covered_of(&s->reports[i]);
		entries[i] = fact_number(&s->reports[i], "headline", "headline", "entries");
		d->cut[side] += covered[i] < length[i] - length[i] / 20;
	}
	d->length[side] = median(length, s->n);
	d->covered[side] = median(covered, s->n);
	d->entries[side] = median(entries, s->n);
}

/* A name's rows in one side's reports: column 0 is the name, `total` and `calls` its figures. */
struct table_source {
	const char *section, *table;
	int total, calls; /* columns; calls -1: none */
};

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

static int64_t known(const struct amount *a)
{
	return a->seen ? a->total : 0;
}

static void items_collect(struct diff *d, const struct table_source *from, struct item_list *items)
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

static void loop_side(struct diff *d, int side, struct item_diff *it)
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

static void diff_loops(struct diff *d)
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

static int change_order(const void *a, const void *b)
{
	int64_t x = ((const struct item_diff *)a)->change,
		y = ((const struct item_diff *)b)->change;
	x = x < 0 ? -x : x;
	y = y < 0 ? -y : y;
	return (x < y) - (x > y);
}

/* -- Sentences --------------------------------------------------------------------------------- */

static const char *time_text(int64_t ns, struct arena *a)
{
	return ns == UNKNOWN ? "-" : arena_str(a, str_of(units_time(ns).s));
}

static const char *change_text(int64_t change, struct arena *a)
{
	return arena_printf(a, "%s%s",
			    change > 0   ? "+ "
			    : change < 0 ? "- "
					 : "",
			    units_time(change < 0 ? -change : change).s);
}

static int64_t each_of(const struct item_diff *it, int side)
{
	const struct amount *a = &it->side[side];
	if (it->cost[side].type == VALUE_INTERVAL)
		return it->cost[side].mid;
	return a->seen && a->calls > 0 ? sat_add(a->total, a->calls / 2) / a->calls : UNKNOWN;
}

/* By their number, or by what each costs? The two ways of sharing out the rest give a range. */
static const char *why_text(const struct item_diff *it, const char *what, struct arena *a)
{
	const struct amount *b = &it->side[BASE], *n = &it->side[NEW];
	int64_t eb = each_of(it, BASE), en = each_of(it, NEW);
	if (!b->seen || !n->seen)
		return b->seen ? "it is not in the new one" : "it is not in the base";
	if (eb == UNKNOWN || en == UNKNOWN)
		return "";
	double by_number = (double)(n->calls - b->calls) * ((double)eb + (double)en) / 2;
	double by_cost = ((double)en - (double)eb) * ((double)n->calls + (double)b->calls) / 2;
	const char *number =
		b->calls == n->calls
			? arena_printf(a, "%s %s in both", units_count(b->calls).s, what)
			: arena_printf(a, "%s %s against %s", units_count(b->calls).s, what,
				       units_count(n->calls).s);
	const char *cost =
		arena_printf(a, "%s each against %s", time_text(eb, a), time_text(en, a));
	if (fabs(by_cost) > 4 * fabs(by_number))
		return arena_printf(a, "by what each costs: %s, %s", cost, number);
	if (fabs(by_number) > 4 * fabs(by_cost))
		return arena_printf(a, "by their number: %s, %s", number, cost);
	return arena_printf(a, "by both: %s, %s", number, cost);
}

static void headline(struct diff *d, struct section *s)
{
	struct arena *a = &d->report->arena;
	int64_t base = d->length[BASE], new = d->length[NEW];
	struct finding *f = report_finding(d->report, s, "difference", NULL);
	finding_fact(f, "base_latency_ns", value_time(base));
	finding_fact(f, "new_latency_ns", value_time(new));
	finding_fact(f, "base_covered_ns", value_time(d->covered[BASE]));
	finding_fact(f, "new_covered_ns", value_time(d->covered[NEW]));
	const char *median = d->side[BASE]->n + d->side[NEW]->n > 2 ? "in the median " : "";
	if (base == new) {
		f->text = arena_printf(a, "%sthe sections are equally long: %s", median,
				       time_text(base, a));
		return;
	}
	int64_t change = sat_sub(new, base);
	f->text = arena_printf(a, "%sthe new section is %s %s: %s against %s (%s)", median,
			       time_text(change < 0 ? -change : change, a),
			       change < 0 ? "shorter" : "longer", time_text(new, a),
			       time_text(base, a), units_factor(new, base).s);
}

static void cut_sentence(struct diff *d, struct section *s)
{
	struct arena *a = &d->report->arena;
	if (!d->cut[BASE] && !d->cut[NEW])
		return;
	report_finding(
		d->report, s, "cut",
		arena_printf(
			a,
			"of that, %s holds %s and %s %s (%s and %s entries): compare what things "
			"cost, not their totals",
			d->side[BASE]->label, time_text(d->covered[BASE], a), d->side[NEW]->label,
			time_text(d->covered[NEW], a), units_count(d->entries[BASE]).s,
			units_count(d->entries[NEW]).s));
}

static void kinds_sentence(struct diff *d, struct section *s)
{
	const char *kind[SIDES];
	for (int side = BASE; side < SIDES; side++)
		kind[side] = fact(&d->side[side]->reports[0], "headline", "headline", "kind").text;
	if (!kind[BASE] || !kind[NEW] || strcmp(kind[BASE], kind[NEW]) == 0)
		return;
	report_finding(
		d->report, s, "kinds",
		arena_printf(&d->report->arena,
			     "they are sections of different kinds, %s and %s: a difference in "
			     "length says little",
			     kind[BASE], kind[NEW]));
}

/* The dearest changes: loops say more than functions, so they come first. */
static void cause_sentences(struct diff *d, struct section *s)
{
	struct arena *a = &d->report->arena;
	int64_t total = sat_sub(d->covered[NEW], d->covered[BASE]);
	total = total < 0 ? -total : total;
	if (d->loops.n) {
		const struct item_diff *it = &d->loops.at[0];
		struct finding *f = report_finding(d->report, s, "loop",
						   arena_printf(a, "the loop %s: %s, %s", it->name,
								change_text(it->change, a),
								why_text(it, "turns", a)));
		finding_fact(f, "change_ns", value_time(it->change));
	}
	size_t told = 0;
	vec_each (it, &d->functions) {
		int64_t size = it->change < 0 ? -it->change : it->change;
		if (told == 3 || sat_mul(size, 10) < total || !size)
			break;
		struct finding *f = report_finding(d->report, s, "function",
						   arena_printf(a, "%s: %s, %s", it->name,
								change_text(it->change, a),
								why_text(it, "calls", a)));
		finding_fact(f, "change_ns", value_time(it->change));
		told++;
	}
}

/* Latencies of a side's reports, as the statistics want them. */
static size_t latencies(const struct trace_diff_side *s, double *v)
{
	for (size_t i = 0; i < s->n; i++)
		v[i] = (double)fact_number(&s->reports[i], "headline", "headline", "latency_ns");
	return s->n;
}

static void inference(struct diff *d, struct section *s)
{
	struct arena *a = &d->report->arena;
	double base[TRACE_DIFF_MAX], new[TRACE_DIFF_MAX];
	size_t n = latencies(d->side[BASE], base), m = latencies(d->side[NEW], new);
	if (n == 1 && m == 1) {
		report_finding(d->report, s, "one_each",
			       "one trace each: sizes only, nothing can be inferred from them");
		return;
	}
	struct stat_interval shift;
	if (!stat_rank_sum_shift(base, n, new, m, 0.05, &shift))
		return;
	if (isnan(shift.low)) {
		report_finding(
			d->report, s, "too_few",
			arena_printf(
				a,
				"%zu against %zu traces are too few for an interval: 4 against "
				"4 is the least",
				n, m));
		return;
	}
	int64_t mid = loop_ns(shift.mid), low = loop_ns(shift.low), high = loop_ns(shift.high);
	if (mid == UNKNOWN || low == UNKNOWN || high == UNKNOWN)
		return;
	const char *verdict = low > 0    ? "the new ones are longer"
			      : high < 0 ? "the new ones are shorter"
					 : "no difference that could be told from noise";
	struct finding *f =
		report_finding(d->report, s, "shift",
			       arena_printf(a, "shift of the latency: %s (95 %%: %s to %s): %s",
					    change_text(mid, a), change_text(low, a),
					    change_text(high, a), verdict));
	finding_fact(f, "shift_ns", value_interval(mid, low, high));
}

/* -- Tables ------------------------------------------------------------------------------------- */

static struct value amount_time(const struct amount *a)
{
	return a->seen ? value_time(a->total) : value_none();
}

static struct value amount_calls(const struct amount *a)
{
	return a->seen && a->calls != UNKNOWN ? value_count(a->calls) : value_none();
}

static void items_table(struct diff *d, const struct item_list *items, const char *key,
			const char *title, const char *number, int64_t top)
{
	if (!items->n)
		return;
	struct report *r = d->report;
	struct section *s = report_section(r, key, title, NULL);
	struct table *t = report_table(r, s, key);
	struct column columns[] = {
		{ "name", "", VALUE_TEXT },
		{ "base_ns", "base", VALUE_TIME },
		{ "new_ns", "new", VALUE_TIME },
		{ "change", "change", VALUE_TEXT },
		{ "base_number", number ? number : "", VALUE_COUNT },
		{ "new_number", number ? "new" : "", VALUE_COUNT },
		{ "base_each_ns", number ? "each" : "", VALUE_TIME },
		{ "new_each_ns", number ? "new" : "", VALUE_TIME },
	};
	memcpy(t->columns, columns, sizeof(columns));
	if (!number)
		t->columns[4].key = NULL;
	t->top = (uint32_t)top;
	t->more = "--top N shows more";
	vec_each (it, items) {
		struct row *row = table_row(t);
		row->cell[0] = value_text(it->name);
		row->cell[1] = amount_time(&it->side[BASE]);
		row->cell[2] = amount_time(&it->side[NEW]);
		row->cell[3] = value_text(change_text(it->change, &r->arena));
		for (int side = BASE; side < SIDES; side++) {
			int64_t each = each_of(it, side);
			row->cell[4 + side] = amount_calls(&it->side[side]);
			row->cell[6 + side] = each == UNKNOWN ? value_none() : value_time(each);
		}
	}
}

static void trust(struct diff *d)
{
	struct section *s = report_section(d->report, "trust", "TRUST", NULL);
	for (int side = BASE; side < SIDES; side++) {
		size_t poor = 0;
		for (size_t i = 0; i < d->side[side]->n; i++) {
			const struct section *t = report_get(&d->side[side]->reports[i], "trust");
			poor += t && t->note && strcmp(t->note, "poor") == 0;
		}
		if (poor)
			report_finding(
				d->report, s, "poor",
				arena_printf(
					&d->report->arena,
					"%s: %zu of %zu traces are of poor trust (dwell explain "
					"says why)",
					d->side[side]->label, poor, d->side[side]->n));
	}
	inference(d, s);
}

int analyze_diff_traces(const struct trace_diff_side *base, const struct trace_diff_side *new,
			int64_t top, struct report *r, struct err *err)
{
	if (!base->n || !new->n || base->n > TRACE_DIFF_MAX || new->n > TRACE_DIFF_MAX)
		return err_set(err, EINVAL,
			       "each side of a comparison takes 1 to %d traces, not %zu "
			       "and %zu",
			       TRACE_DIFF_MAX, base->n, new->n);
	static const struct table_source functions = { "where", "functions", 1, 3 };
	static const struct table_source contexts = { "where", "contexts", 1, -1 };
	struct diff d = { .side = { base, new }, .report = r };
	diff_windows(&d, BASE);
	diff_windows(&d, NEW);
	items_collect(&d, &functions, &d.functions);
	items_collect(&d, &contexts, &d.contexts);
	diff_loops(&d);
	vec_sort(&d.functions, change_order);
	vec_sort(&d.contexts, change_order);
	vec_sort(&d.loops, change_order);

	r->label = arena_printf(&r->arena, "%s -> %s", base->label, new->label);
	struct section *s = report_section(r, "difference", NULL, NULL);
	headline(&d, s);
	kinds_sentence(&d, s);
	cut_sentence(&d, s);
	cause_sentences(&d, s);
	items_table(&d, &d.functions, "functions", "FROM ENTRY TO NEXT ENTRY", "calls", top);
	items_table(&d, &d.loops, "loops", "LOOPS", "turns", top);
	items_table(&d, &d.contexts, "contexts", "IN CONTEXT", NULL, top);
	trust(&d);
	vec_fini(&d.functions);
	vec_fini(&d.contexts);
	vec_fini(&d.loops);
	return 0;
}
