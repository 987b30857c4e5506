/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/trace_diff.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyze/loops.h"
#include "analyze/trace_diff_item.h"
#include "base/sat.h"
#include "base/units.h"
#include "core/capture.h"
#include "stat/rank.h"

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

/* With the interval of the shift, where there is one. */
static const char *shift_text(const struct item_diff *it, struct arena *a)
{
	const char *change = change_text(it->change, a);
	int64_t low = loop_ns(it->shift.low), high = loop_ns(it->shift.high);
	if (!it->have_shift || (!it->change && !low && !high))
		return change;
	return arena_printf(a, "%s (95 %%: %s)", change, units_time_range(low, high).s);
}

static void shift_facts(struct finding *f, const struct item_diff *it)
{
	finding_fact(f, "change_ns", value_time(it->change));
	if (it->have_shift)
		finding_fact(f, "shift_ns",
			     value_interval(loop_ns(it->shift.mid), loop_ns(it->shift.low),
					    loop_ns(it->shift.high)));
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
			: arena_printf(a, "%s %s against %s", units_count(n->calls).s, what,
				       units_count(b->calls).s);
	const char *cost = arena_printf(a, "%s each against %s (%s)", time_text(en, a),
					time_text(eb, a), units_factor(en, eb).s);
	if (!it->change)
		return arena_printf(a, "%s, %s", number, cost);
	if (fabs(by_cost) > 4 * fabs(by_number))
		return arena_printf(a, "by what each costs: %s, at %s", cost, number);
	if (fabs(by_number) > 4 * fabs(by_cost))
		return arena_printf(a, "by their number: %s, at %s", number, cost);
	return arena_printf(a, "by both: %s, %s", number, cost);
}

static void headline(struct trace_diff *d, struct section *s)
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

static void cut_sentence(struct trace_diff *d, struct section *s)
{
	struct arena *a = &d->report->arena;
	if (!d->cut[BASE] && !d->cut[NEW])
		return;
	report_finding(
		d->report, s, "cut",
		arena_printf(
			a,
			"%s holds %s of its %s (%s entries) and %s %s of %s (%s): what things cost "
			"can be compared, their totals cannot",
			d->side[NEW]->label, time_text(d->covered[NEW], a),
			time_text(d->length[NEW], a), units_count(d->entries[NEW]).s,
			d->side[BASE]->label, time_text(d->covered[BASE], a),
			time_text(d->length[BASE], a), units_count(d->entries[BASE]).s));
}

static void kinds_sentence(struct trace_diff *d, struct section *s)
{
	const char *kind[SIDES];
	for (int side = BASE; side < SIDES; side++)
		kind[side] =
			trace_diff_fact(&d->side[side]->reports[0], "headline", "headline", "kind")
				.text;
	if (!kind[BASE] || !kind[NEW] || strcmp(kind[BASE], kind[NEW]) == 0)
		return;
	report_finding(
		d->report, s, "kinds",
		arena_printf(&d->report->arena,
			     "it is of another kind, %s against %s: the difference in length says "
			     "little",
			     kind[NEW], kind[BASE]));
}

/* How much of what is there the item is, on both sides. */
static const char *fills_text(const struct trace_diff *d, const struct item_diff *it,
			      struct arena *a)
{
	if (!it->side[BASE].seen || !it->side[NEW].seen)
		return "";
	return arena_printf(a, " (%s of the new, %s of the base)",
			    units_share(it->side[NEW].total, d->covered[NEW]).s,
			    units_share(it->side[BASE].total, d->covered[BASE]).s);
}

/* Is the function's time nearly all in the loop? Then it is far more than stands outside of it. */
static bool in_loop(const struct trace_diff *d, const struct item_diff *loop,
		    const struct item_diff *it)
{
	for (int side = BASE; side < SIDES; side++) {
		int64_t outside = sat_sub(d->covered[side], known(&loop->side[side]));
		if (!it->side[side].seen || known(&it->side[side]) < sat_mul(outside, 5))
			return false;
	}
	return true;
}

#define ALIKE_CALLS 10 /* so many on both sides, for the mean to tell something */

/*
 * The same work, which cost more or less: the loop's turns hardly changed in number, and every
 * function that was called often changed in the same direction.
 */
static void price_sentence(struct trace_diff *d, const struct item_diff *loop, struct section *s)
{
	struct arena *a = &d->report->arena;
	const struct amount *b = &loop->side[BASE], *n = &loop->side[NEW];
	double low = INFINITY, high = 0;
	if (!b->seen || !n->seen || fabs((double)(n->calls - b->calls)) > 0.1 * (double)b->calls)
		return;
	vec_each (it, &d->functions) {
		double eb = (double)each_of(it, BASE), en = (double)each_of(it, NEW);
		if (it->side[BASE].calls < ALIKE_CALLS || it->side[NEW].calls < ALIKE_CALLS ||
		    !it->side[BASE].seen || !it->side[NEW].seen || eb <= 0 || en <= 0)
			continue;
		low = fmin(low, en / eb);
		high = fmax(high, en / eb);
	}
	if (!(high < 0.8 || (low > 1.25 && isfinite(low))) || high <= 0)
		return;
	struct finding *f = report_finding(
		d->report, s, "price",
		arena_printf(a,
			     "so it is the same work, %s: each function called %d times or more "
			     "takes %s to %s as long; why (the CPU's clock, tracing, neighbours), "
			     "these traces do not show",
			     high < 1 ? "cheaper" : "dearer", ALIKE_CALLS,
			     units_factor(loop_ns(low * 1000), 1000).s,
			     units_factor(loop_ns(high * 1000), 1000).s));
	finding_fact(f, "low_factor_ppm", value_count(loop_ns(low * 1e6)));
	finding_fact(f, "high_factor_ppm", value_count(loop_ns(high * 1e6)));
}

/* The dearest changes: loops say more than functions, so they come first. */
static void cause_sentences(struct trace_diff *d, struct section *s)
{
	struct arena *a = &d->report->arena;
	int64_t total = sat_sub(d->covered[NEW], d->covered[BASE]);
	const struct item_diff *loop = d->loops.n ? &d->loops.at[0] : NULL;
	total = total < 0 ? -total : total;
	if (loop) {
		struct finding *f = report_finding(
			d->report, s, "loop",
			arena_printf(a, "the loop %s%s: %s, %s", loop->name, fills_text(d, loop, a),
				     shift_text(loop, a), why_text(loop, "turns", a)));
		shift_facts(f, loop);
	}
	size_t told = 0;
	vec_each (it, &d->functions) {
		int64_t size = it->change < 0 ? -it->change : it->change;
		if (told == 3 || sat_mul(size, 10) < total || !size)
			break;
		bool inside = loop && in_loop(d, loop, it);
		struct finding *f = report_finding(
			d->report, s, "function",
			arena_printf(a, "%s%s: %s, %s", inside ? "of that, " : "", it->name,
				     shift_text(it, a), why_text(it, "calls", a)));
		shift_facts(f, it);
		f->indent = inside;
		told++;
	}
	if (loop)
		price_sentence(d, loop, s);
}

/* Latencies of a side's reports, as the statistics want them. */
static size_t latencies(const struct trace_diff_side *s, double *v)
{
	for (size_t i = 0; i < s->n; i++)
		v[i] = (double)trace_diff_number(&s->reports[i], "headline", "headline",
						 "latency_ns");
	return s->n;
}

static void inference(struct trace_diff *d, struct section *s)
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

static void items_table(struct trace_diff *d, const struct item_list *items, const char *key,
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
		row->cell[3] = value_text(shift_text(it, &r->arena));
		for (int side = BASE; side < SIDES; side++) {
			int64_t each = each_of(it, side);
			row->cell[4 + side] = amount_calls(&it->side[side]);
			row->cell[6 + side] = each == UNKNOWN ? value_none() : value_time(each);
		}
	}
}

static void trust(struct trace_diff *d)
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
	struct trace_diff d = { .side = { base, new }, .report = r };
	trace_diff_windows(&d, BASE);
	trace_diff_windows(&d, NEW);
	trace_diff_items(&d, &functions, &d.functions);
	trace_diff_items(&d, &contexts, &d.contexts);
	trace_diff_loops(&d);
	vec_sort(&d.functions, change_order);
	vec_sort(&d.contexts, change_order);
	vec_sort(&d.loops, change_order);
	trace_diff_shifts(&d, &functions, &d.functions);
	trace_diff_shifts(&d, &contexts, &d.contexts);
	trace_diff_shifts(&d, NULL, &d.loops);

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
