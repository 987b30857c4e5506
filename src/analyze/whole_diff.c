/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/whole_diff.h"

#include <errno.h>
#include <string.h>

#include "analyze/section_diff.h"
#include "analyze/trace_diff_cause.h"
#include "base/units.h"

/* -- What can be compared ---------------------------------------------------------------------- */

enum kind {
	KIND_EMPTY,
	KIND_SAMPLES,
	KIND_WINDOW,
	KIND_WHOLE,
	KIND_GRAPH,
	KIND_CLOSINGS,
	KIND_UNTIMED,
	KINDS,
};

static const char *const kind_texts[KINDS] = {
	[KIND_WINDOW] = "a latency trace, of one window",
	[KIND_WHOLE] = "a whole trace without durations of calls",
	[KIND_GRAPH] = "a function graph with durations",
	[KIND_CLOSINGS] = "a function graph of closings alone (tracing_thresh)",
	[KIND_UNTIMED] = "a function graph without durations (funcgraph-duration is off)",
};

static bool has_table(const struct report *r, const char *section, const char *table)
{
	return section_table(report_get(r, section), table);
}

static enum kind kind_of(const struct report *r)
{
	const char *kind = trace_diff_fact(r, "headline", "headline", "kind").text;
	if (!kind)
		return KIND_EMPTY;
	bool samples = strcmp(kind, "timerlat") == 0 || strcmp(kind, "osnoise") == 0 ||
		       strcmp(kind, "hwlat") == 0;
	if (samples && !has_table(r, "sections", "sections") && !has_table(r, "where", "functions"))
		return KIND_SAMPLES;
	if (samples || strcmp(kind, "whole_trace") == 0)
		return KIND_WHOLE;
	if (strcmp(kind, "function_graph") != 0)
		return KIND_WINDOW;
	if (has_table(r, "where", "closings"))
		return KIND_CLOSINGS;
	if (trace_diff_number(r, "headline", "headline", "complete_calls") <= 0)
		return KIND_EMPTY;
	return trace_diff_number(r, "headline", "headline", "on_cpu_ns") == UNKNOWN ? KIND_UNTIMED
										    : KIND_GRAPH;
}

int diff_check_alike(const struct trace_diff_side *base, const struct trace_diff_side *new,
		     bool *whole, struct err *err)
{
	const struct trace_diff_side *side[SIDES] = { base, new };
	const struct report *first = &base->reports[0];
	for (int s = BASE; s < SIDES; s++) {
		for (size_t i = 0; i < side[s]->n; i++) {
			const struct report *r = &side[s]->reports[i];
			enum kind kind = kind_of(r);
			if (kind == KIND_EMPTY)
				return err_set(err, EINVAL,
					       "'%s' line %u: this trace holds no entry or call "
					       "that could be compared",
					       r->file, r->first_line);
			if (kind == KIND_SAMPLES)
				return err_set(err, EINVAL,
					       "'%s' line %u holds samples of timerlat, osnoise or "
					       "hwlat alone: there are no sections or functions to "
					       "compare",
					       r->file, r->first_line);
			if (kind == KIND_UNTIMED)
				return err_set(err, EINVAL,
					       "'%s' is %s: there is nothing to compare, record it "
					       "with that option on",
					       r->file, kind_texts[kind]);
			if (kind != kind_of(first))
				return err_set(err, EINVAL,
					       "'%s' is %s and '%s' is %s: they cannot be compared",
					       first->file, kind_texts[kind_of(first)], r->file,
					       kind_texts[kind]);
		}
	}
	*whole = kind_of(first) != KIND_WINDOW;
	return 0;
}

/* -- Lengths ----------------------------------------------------------------------------------- */

struct whole {
	struct trace_diff diff; /* first */
	enum kind kind;
	bool functions, sections; /* all traces show them */
};

/* A tracer's rows have a headline of their own, before that of the events among them. */
static int64_t length_of(const struct whole *w, const struct report *r)
{
	const char *key = w->kind == KIND_WHOLE ? "length_ns" : "clock_ns";
	vec_each (s, &r->sections) {
		struct value v = value_none();
		if (strcmp((*s)->key, "headline") == 0)
			v = finding_get(section_get(*s, "headline"), key);
		if (v.type == VALUE_TIME)
			return v.number;
	}
	return UNKNOWN;
}

/* By second, if all lengths are known. */
static void lengths_take(struct whole *w)
{
	struct trace_diff *d = &w->diff;
	d->by = DIFF_BY_SECOND;
	for (int side = BASE; side < SIDES; side++) {
		int64_t sorted[TRACE_DIFF_MAX];
		for (size_t i = 0; i < d->side[side]->n; i++) {
			int64_t length = length_of(w, &d->side[side]->reports[i]);
			d->lengths[side][i] = sorted[i] = length;
			if (length == UNKNOWN || length <= 0)
				d->by = DIFF_BY_EACH;
		}
		d->length[side] = diff_median(sorted, d->side[side]->n);
	}
}

static void lengths_report(const struct whole *w, struct section *s)
{
	const struct trace_diff *d = &w->diff;
	struct arena *a = &d->report->arena;
	struct finding *f = report_finding(d->report, s, "lengths", NULL);
	bool second = d->by == DIFF_BY_SECOND;
	finding_fact(f, "by", value_text(second ? "second" : "call"));
	if (!second) {
		f->text = "how long these traces are is not known (no stamps of time), nor how "
			  "often a thing comes: compared is what each takes";
		return;
	}
	const char *median = d->side[BASE]->n + d->side[NEW]->n > 2 ? ", in the median" : "";
	f->text = arena_printf(a,
			       "%s of trace against %s%s: compared is what a second of them holds, "
			       "not what they hold in all",
			       units_time(d->length[NEW]).s, units_time(d->length[BASE]).s, median);
	finding_fact(f, "base_length_ns", value_time(d->length[BASE]));
	finding_fact(f, "new_length_ns", value_time(d->length[NEW]));
}

/* What the calls of graphs take together. */
static void on_cpu_report(const struct whole *w, struct section *s)
{
	const struct trace_diff *d = &w->diff;
	struct arena *a = &d->report->arena;
	int64_t awake[SIDES], asleep[SIDES], v[TRACE_DIFF_MAX], z[TRACE_DIFF_MAX];
	if (w->kind != KIND_GRAPH || d->by != DIFF_BY_SECOND)
		return;
	for (int side = BASE; side < SIDES; side++) {
		size_t n = d->side[side]->n;
		for (size_t i = 0; i < n; i++) {
			const struct report *r = &d->side[side]->reports[i];
			v[i] = trace_diff_per_s(d, side, i,
						trace_diff_number(r, "headline", "headline",
								  "on_cpu_ns"));
			z[i] = trace_diff_per_s(d, side, i,
						trace_diff_number(r, "headline", "headline",
								  "asleep_ns"));
		}
		awake[side] = diff_median(v, n);
		asleep[side] = diff_median(z, n);
	}
	const char *slept = asleep[BASE] || asleep[NEW] ? arena_printf(a, "; asleep %s against %s",
								       units_time(asleep[NEW]).s,
								       units_time(asleep[BASE]).s)
							: "";
	struct finding *f = report_finding(
		d->report, s, "on_cpu",
		arena_printf(a, "the calls traced take %s a second on the CPU against %s (%s)%s",
			     units_time(awake[NEW]).s, units_time(awake[BASE]).s,
			     units_factor(awake[NEW], awake[BASE]).s, slept));
	finding_fact(f, "base_on_cpu_ns_per_s", value_time(awake[BASE]));
	finding_fact(f, "new_on_cpu_ns_per_s", value_time(awake[NEW]));
	finding_fact(f, "base_asleep_ns_per_s", value_time(asleep[BASE]));
	finding_fact(f, "new_asleep_ns_per_s", value_time(asleep[NEW]));
}

/* -- The report -------------------------------------------------------------------------------- */

static bool all_have(const struct trace_diff *d, const char *section, const char *table, bool *none)
{
	bool all = true;
	*none = true;
	for (int side = BASE; side < SIDES; side++) {
		for (size_t i = 0; i < d->side[side]->n; i++) {
			bool has = has_table(&d->side[side]->reports[i], section, table);
			all &= has;
			*none &= !has;
		}
	}
	return all;
}

/* What some traces show and others do not is left out, and told. */
static int shown_take(struct whole *w, struct section *s, struct err *err)
{
	struct trace_diff *d = &w->diff;
	const char *where = w->kind == KIND_CLOSINGS ? "closings" : "functions";
	bool no_sections, no_functions;
	w->sections = all_have(d, "sections", "sections", &no_sections);
	w->functions = all_have(d, "where", where, &no_functions);
	if (!w->sections && !w->functions)
		return err_set(
			err, EINVAL,
			"no kind of section and no function is shown by all of these traces: "
			"there is nothing to compare");
	if (!w->sections && !no_sections)
		report_finding(d->report, s, "sections_left_out",
			       "some of the traces show sections and others none: sections are not "
			       "compared");
	if (!w->functions && !no_functions)
		report_finding(
			d->report, s, "functions_left_out",
			"functions were traced in some of the traces and in others not: they "
			"are not compared");
	return 0;
}

static void functions_take(struct whole *w)
{
	static const struct table_source sources[KINDS] = {
		[KIND_WHOLE] = { .section = "where",
				 .table = "functions",
				 .total = "total_ns",
				 .calls = "calls",
				 .timed = "timed_calls" },
		[KIND_GRAPH] = { .section = "where",
				 .table = "functions",
				 .total = "self_ns",
				 .calls = "calls",
				 .timed = "self_calls",
				 .inclusive = "total_ns",
				 .asleep = "asleep_ns" },
		[KIND_CLOSINGS] = { .section = "where",
				    .table = "closings",
				    .total = "total_ns",
				    .calls = "calls" },
	};
	trace_diff_items(&w->diff, &sources[w->kind], &w->diff.functions);
	trace_diff_loops(&w->diff);
}

static void functions_tables(struct whole *w, int64_t top)
{
	static const char *const titles[KINDS] = {
		[KIND_WHOLE] = "FROM ENTRY TO NEXT ENTRY",
		[KIND_GRAPH] = "FUNCTIONS",
		[KIND_CLOSINGS] = "CALLS",
	};
	struct trace_diff *d = &w->diff;
	bool graph = w->kind == KIND_GRAPH;
	const char *unit = d->by == DIFF_BY_SECOND
				   ? "in a second of trace, all CPUs together; each: of a call"
				   : "each: of a call; what is in all goes with the traces' length";
	if (graph)
		unit = arena_printf(&d->report->arena, "on the CPU; %s", unit);
	if (w->kind == KIND_CLOSINGS)
		unit = arena_printf(&d->report->arena, "awake or asleep, those inside included; %s",
				    unit);
	struct diff_table functions = {
		.key = "functions",
		.title = titles[w->kind],
		.note = unit,
		.number = "calls",
		.graph = graph,
		.top = top,
	};
	struct diff_table loops = {
		.key = "loops", .title = "LOOPS", .number = "turns", .loops = true, .top = top
	};
	diff_table_report(d, &d->functions, &functions);
	if (graph)
		diff_asleep_report(d, top);
	diff_table_report(d, &d->loops, &loops);
}

static size_t count_shifts(const struct item_list *items)
{
	size_t n = 0;
	vec_each (it, items)
		n += it->have_shift;
	return n;
}

static void inference(struct whole *w, const struct section_diff *sections)
{
	struct trace_diff *d = &w->diff;
	struct arena *a = &d->report->arena;
	size_t n = d->side[BASE]->n, m = d->side[NEW]->n;
	struct section *to = report_section(d->report, "inference", "HOW SURE", NULL);
	diff_poor_report(d, to);
	if (n + m == 2) {
		report_finding(d->report, to, "one_each",
			       "one trace each: sizes only, nothing can be inferred from them");
		return;
	}
	size_t told = count_shifts(&d->functions) + count_shifts(&d->loops);
	told += sections ? section_diff_shifts(sections, to) : 0;
	report_finding(
		d->report, to, told ? "many" : "too_few",
		told ? arena_printf(a,
				    "%zu interval%s, each at 95 %% for itself: of 20 that show "
				    "nothing, one is off by chance",
				    told, told == 1 ? "" : "s")
		     : arena_printf(a,
				    "%zu against %zu traces are too few for an interval: 4 "
				    "against 4 is the least",
				    n, m));
}

int analyze_diff_whole(const struct trace_diff_side *base, const struct trace_diff_side *new,
		       int64_t top, struct report *r, struct err *err)
{
	struct whole w = {
		.diff = { .side = { base, new }, .report = r },
		.kind = kind_of(&base->reports[0]),
	};
	struct trace_diff *d = &w.diff;
	struct section *s = report_section(r, "difference", NULL, NULL);
	report_finding(r, s, "files", arena_printf(&r->arena, "%s -> %s", base->label, new->label));
	lengths_take(&w);
	lengths_report(&w, s);
	on_cpu_report(&w, s);
	int ret = shown_take(&w, s, err);
	if (ret)
		return ret;
	struct section_diff *sections = w.sections ? section_diff_new(d) : NULL;
	if (w.functions)
		functions_take(&w);
	if (sections) {
		section_diff_answer(sections, s);
		section_diff_tables(sections, top);
	}
	diff_causes_report(d, s);
	functions_tables(&w, top);
	inference(&w, sections);
	section_diff_free(sections);
	items_fini(&d->functions);
	items_fini(&d->loops);
	return 0;
}
