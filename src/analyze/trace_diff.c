/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/trace_diff.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyze/loops.h"
#include "analyze/trace_diff_cause.h"
#include "base/sat.h"
#include "base/units.h"
#include "core/capture.h"
#include "stat/rank.h"

/* -- Sentences --------------------------------------------------------------------------------- */

static const char *time_text(int64_t ns, struct arena *a)
{
	return ns == UNKNOWN ? "-" : arena_str(a, str_of(units_time(ns).s));
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
					    diff_change_text(mid, a), diff_change_text(low, a),
					    diff_change_text(high, a), verdict));
	finding_fact(f, "shift_ns", value_interval(mid, low, high));
}

static void trust(struct trace_diff *d)
{
	struct section *s = report_section(d->report, "trust", "TRUST", NULL);
	diff_poor_report(d, s);
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
	static const struct table_source functions = {
		.section = "where", .table = "functions", .total = "total_ns", .calls = "calls"
	};
	static const struct table_source contexts = { .section = "where",
						      .table = "contexts",
						      .total = "total_ns" };
	struct trace_diff d = { .side = { base, new }, .report = r };
	trace_diff_windows(&d, BASE);
	trace_diff_windows(&d, NEW);
	trace_diff_items(&d, &functions, &d.functions);
	trace_diff_items(&d, &contexts, &d.contexts);
	trace_diff_loops(&d);

	r->label = arena_printf(&r->arena, "%s -> %s", base->label, new->label);
	struct section *s = report_section(r, "difference", NULL, NULL);
	headline(&d, s);
	kinds_sentence(&d, s);
	cut_sentence(&d, s);
	diff_causes_report(&d, s);
	diff_table_report(&d, &d.functions,
			  &(struct diff_table){ .key = "functions",
						.title = "FROM ENTRY TO NEXT ENTRY",
						.number = "calls",
						.top = top });
	diff_table_report(&d, &d.loops,
			  &(struct diff_table){ .key = "loops",
						.title = "LOOPS",
						.number = "turns",
						.loops = true,
						.top = top });
	diff_table_report(
		&d, &d.contexts,
		&(struct diff_table){ .key = "contexts", .title = "IN CONTEXT", .top = top });
	trust(&d);
	items_fini(&d.functions);
	items_fini(&d.contexts);
	items_fini(&d.loops);
	return 0;
}
