/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a function graph says, answer first: see graph_profile.h for what the figures are. */
#include <stdlib.h>

#include "analyze/buckets.h"
#include "analyze/graph_profile.h"
#include "analyze/verdict.h"
#include "base/sat.h"
#include "base/units.h"

struct graph_out {
	struct graph_profile *g;
	const struct capture *capture;
	const struct graph_report_options *options;
	struct report *report;
	int64_t whole; /* ns on the CPU in complete calls: what shares are of */
};

/* Closings alone: option tracing_thresh shows no others. */
static bool only_closings(const struct graph_profile *g)
{
	return !g->entries && !g->leaves && g->exits;
}

static int by_self(const void *a, const void *b)
{
	const struct graph_row *x = a, *y = b;
	if (x->self != y->self)
		return x->self < y->self ? 1 : -1;
	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	if (x->calls != y->calls)
		return x->calls < y->calls ? 1 : -1;
	return (x->symbol > y->symbol) - (x->symbol < y->symbol);
}

static int by_begun(const void *a, const void *b)
{
	const struct graph_row *x = a, *y = b;
	if (x->begun_total != y->begun_total)
		return x->begun_total < y->begun_total ? 1 : -1;
	return (x->symbol > y->symbol) - (x->symbol < y->symbol);
}

static const char *name_of(const struct graph_out *o, uint32_t symbol)
{
	const char *name = symbols_text(o->g->symbols, symbol);
	return *name ? name : "(not named)";
}

/* -- Headline ------------------------------------------------------------------------------- */

static const char *headline_text(const struct graph_out *o)
{
	const struct graph_profile *g = o->g;
	struct arena *a = &o->report->arena;
	if (only_closings(g))
		return arena_printf(a, "Function graph of %s closings without their openings",
				    units_count((int64_t)g->exits).s);
	if (!g->complete && !g->entries)
		return arena_printf(a, "A function graph without calls: %s remark%s alone",
				    units_count((int64_t)g->comments).s,
				    g->comments == 1 ? "" : "s");
	const char *calls =
		arena_printf(a, "%s complete call%s", units_count((int64_t)g->complete).s,
			     g->complete == 1 ? "" : "s");
	if (g->untimed == g->complete)
		return arena_printf(a, "Function graph of %s, without durations", calls);
	const char *asleep = "";
	if (g->off)
		asleep = arena_printf(a, " (and %s asleep)", units_time(g->off).s);
	return arena_printf(a, "Function graph: %s on the CPU in %s%s", units_time(o->whole).s,
			    calls, asleep);
}

static void headline_dearest(const struct graph_out *o, struct section *s)
{
	const struct graph_profile *g = o->g;
	struct arena *a = &o->report->arena;
	const struct graph_row *top = g->rows.n ? &g->rows.at[0] : NULL;
	if (top && top->self) {
		struct finding *f = report_finding(
			o->report, s, "dearest",
			arena_printf(a, "most time of its own: %s, %s (%s) in %s call%s",
				     name_of(o, top->symbol), units_time(top->self).s,
				     units_share(top->self, o->whole).s,
				     units_count((int64_t)top->calls).s,
				     top->calls == 1 ? "" : "s"));
		f->indent = 1;
		finding_fact(f, "function", value_text(name_of(o, top->symbol)));
		finding_fact(f, "self_ns", value_time(top->self));
	}
	const struct graph_calls *outer = &g->outermost;
	if (outer->n && outer->longest != UNKNOWN) {
		struct finding *f = report_finding(
			o->report, s, "longest_outermost",
			arena_printf(a, "longest of %s outermost call%s: %s, %s",
				     units_count((int64_t)outer->n).s, outer->n == 1 ? "" : "s",
				     name_of(o, outer->longest_symbol),
				     units_time(outer->longest).s));
		f->indent = 1;
		f->first_line = f->last_line = outer->longest_line;
		finding_fact(f, "function", value_text(name_of(o, outer->longest_symbol)));
		finding_fact(f, "duration_ns", value_time(outer->longest));
	}
}

static void report_headline(const struct graph_out *o)
{
	const struct graph_profile *g = o->g;
	struct section *s = report_section(o->report, "headline", NULL, NULL);
	struct finding *f = report_finding(o->report, s, "headline", headline_text(o));
	f->first_line = g->first_line;
	f->last_line = g->last_line;
	finding_fact(f, "kind", value_text("function_graph"));
	finding_fact(f, "complete_calls", value_count((int64_t)g->complete));
	if (g->untimed < g->complete) {
		finding_fact(f, "on_cpu_ns", value_time(o->whole));
		finding_fact(f, "asleep_ns", value_time(g->off));
	}
	if (g->have_time)
		finding_fact(f, "clock_ns", value_time(sat_sub(g->to, g->from)));
	headline_dearest(o, s);
}

/* -- Where ---------------------------------------------------------------------------------- */

static void table_of(struct table *t, const struct column *columns, size_t n, int64_t top)
{
	memcpy(t->columns, columns, n * sizeof(*columns));
	t->top = (uint32_t)top;
	t->more = "--top N shows more";
}

/* Of a call's duration, asleep or not; so few that it means nothing: none. */
static struct value quantile_of(const struct graph_row *row, uint32_t permille)
{
	int64_t ns = histogram_quantile(&row->times, permille, 1000);
	return ns == INT64_MIN ? value_none() : value_time(ns);
}

static void report_functions(const struct graph_out *o)
{
	static const struct column columns[] = {
		{ "function", "", VALUE_TEXT },
		{ "self_ns", "self", VALUE_TIME },
		{ "share", "", VALUE_SHARE },
		{ "total_ns", "total", VALUE_TIME },
		{ "calls", "calls", VALUE_COUNT },
		{ "p50_ns", "p50", VALUE_TIME },
		{ "p99_ns", "p99", VALUE_TIME },
		{ "p999_ns", "p99.9", VALUE_TIME },
		{ "longest_ns", "longest", VALUE_TIME },
		{ "longest_line", "at line", VALUE_LINES },
		{ "asleep_ns", "asleep", VALUE_TIME },
		{ "self_calls", NULL, VALUE_COUNT },
	};
	const struct graph_profile *g = o->g;
	struct section *s =
		report_section(o->report, "where", "WHERE THE TIME WENT",
			       "self: a call's duration less those of the calls traced in it");
	struct table *t = report_table(o->report, s, "functions");
	table_of(t, columns, 12, o->options->top);
	if (!g->off)
		t->columns[10].title = NULL;
	vec_each (row, &g->rows) {
		if (!row->calls)
			continue;
		struct row *out = table_row(t);
		bool timed = row->timed > 0, parted = row->parted > 0;
		out->cell[0] = value_text(name_of(o, row->symbol));
		out->cell[1] = parted ? value_time(row->self) : value_none();
		out->cell[2] = parted ? value_share(row->self, o->whole) : value_none();
		/* Asleep from end to end: what it took before and after is not known. */
		bool awake = timed && row->total > row->off;
		out->cell[3] = awake || (timed && !row->off)
				       ? value_time(sat_sub(row->total, row->off))
				       : value_none();
		out->cell[4] = value_count((int64_t)row->calls);
		out->cell[5] = quantile_of(row, 500);
		out->cell[6] = quantile_of(row, 990);
		out->cell[7] = quantile_of(row, 999);
		out->cell[8] = timed ? value_time(row->longest) : value_none();
		out->cell[9] = value_lines(row->longest_line, row->longest_line);
		out->cell[10] = row->off ? value_time(row->off) : value_none();
		out->cell[11] = value_count((int64_t)row->parted);
		buckets_report(&row->times, "function", name_of(o, row->symbol), s, o->report);
	}
}

static void report_counts(const struct graph_out *o)
{
	static const struct column columns[] = { { "function", "", VALUE_TEXT },
						 { "calls", "calls", VALUE_COUNT } };
	struct section *s = report_section(o->report, "where", "CALLS",
					   "no durations are printed: nothing is known of times");
	struct table *t = report_table(o->report, s, "functions");
	table_of(t, columns, 2, o->options->top);
	vec_each (row, &o->g->rows) {
		if (!row->calls)
			continue;
		struct row *out = table_row(t);
		out->cell[0] = value_text(name_of(o, row->symbol));
		out->cell[1] = value_count((int64_t)row->calls);
	}
}

/* With tracing_thresh a call within another is in both: no sum over functions makes sense. */
static void report_closings(const struct graph_out *o)
{
	static const struct column columns[] = {
		{ "function", "", VALUE_TEXT },
		{ "calls", "calls", VALUE_COUNT },
		{ "total_ns", "total", VALUE_TIME },
		{ "longest_ns", "longest", VALUE_TIME },
		{ "longest_line", "at line", VALUE_LINES },
	};
	struct section *s = report_section(
		o->report, "where", "CALLS",
		"closings alone, as with tracing_thresh; calls inside others are in both");
	struct table *t = report_table(o->report, s, "closings");
	table_of(t, columns, 5, o->options->top);
	vec_sort(&o->g->rows, by_begun);
	vec_each (row, &o->g->rows) {
		if (!row->begun)
			continue;
		struct row *out = table_row(t);
		out->cell[0] = value_text(name_of(o, row->symbol));
		out->cell[1] = value_count((int64_t)row->begun);
		out->cell[2] = row->begun_line ? value_time(row->begun_total) : value_none();
		out->cell[3] = row->begun_line ? value_time(row->begun_longest) : value_none();
		out->cell[4] = value_lines(row->begun_line, row->begun_line);
	}
}

static void report_interrupts(const struct graph_out *o)
{
	static const char *const names[CONTEXT_COUNT] = { NULL, "softirq", "hardirq", "NMI" };
	const struct graph_profile *g = o->g;
	struct table *t = NULL;
	for (int c = CONTEXT_COUNT - 1; c > CONTEXT_TASK; c--) {
		const struct graph_calls *in = &g->interrupts[c];
		if (!in->n)
			continue;
		if (!t) {
			struct section *s = report_section(
				o->report, "interruptions", "INTERRUPTIONS",
				"in the total of the calls that they landed in, in nobody's self");
			static const struct column columns[] = {
				{ "context", "", VALUE_TEXT },
				{ "total_ns", "total", VALUE_TIME },
				{ "share", "", VALUE_SHARE },
				{ "calls", "calls", VALUE_COUNT },
				{ "longest_ns", "longest", VALUE_TIME },
				{ "function", "in", VALUE_TEXT },
				{ "line", "at line", VALUE_LINES },
			};
			t = report_table(o->report, s, "interruptions");
			table_of(t, columns, 7, 0);
		}
		struct row *row = table_row(t);
		row->cell[0] = value_text(names[c]);
		row->cell[1] = value_time(g->interrupt_time[c]);
		row->cell[2] = value_share(g->interrupt_time[c], o->whole);
		row->cell[3] = value_count((int64_t)in->n);
		row->cell[4] = value_time(in->longest);
		row->cell[5] = value_text(name_of(o, in->longest_symbol));
		row->cell[6] = value_lines(in->longest_line, in->longest_line);
	}
}

/* -- Trust ---------------------------------------------------------------------------------- */

struct trust {
	const struct graph_out *o;
	struct verdict verdict;
};

static struct finding *reason(struct trust *t, enum trust_grade grade, const char *key,
			      const char *text)
{
	return verdict_reason(&t->verdict, grade, key, text);
}

static void trust_partial(struct trust *t, const char *key, const struct graph_calls *calls,
			  const char *what)
{
	const struct graph_profile *g = t->o->g;
	struct arena *a = &t->o->report->arena;
	if (!calls->n)
		return;
	const char *longest = "";
	if (calls->longest != UNKNOWN)
		longest = arena_printf(a, " (the longest: %s, %s)",
				       name_of(t->o, calls->longest_symbol),
				       units_time(calls->longest).s);
	struct finding *f = reason(t, calls->n > g->complete / 4 ? TRUST_POOR : TRUST_FAIR, key,
				   arena_printf(a, "%s call%s without %s%s: not in the figures",
						units_count((int64_t)calls->n).s,
						calls->n == 1 ? "" : "s", what, longest));
	f->first_line = f->last_line = calls->longest_line;
	finding_fact(f, "calls", value_count((int64_t)calls->n));
	finding_fact(f, "longest_ns",
		     calls->longest == UNKNOWN ? value_none() : value_time(calls->longest));
}

static void trust_missing(struct trust *t)
{
	const struct graph_profile *g = t->o->g;
	const struct capture *c = t->o->capture;
	struct arena *a = &t->o->report->arena;
	if (c->lost_events == -1)
		reason(t, TRUST_POOR, "lost_events",
		       "events were lost, the trace does not say how many");
	else if (c->lost_events != UNKNOWN)
		reason(t, TRUST_POOR, "lost_events",
		       arena_printf(a, "%s events were lost", units_count(c->lost_events).s));
	if (c->holes)
		reason(t, TRUST_FAIR, "holes",
		       arena_printf(a, "lines were cut out by hand in %s place%s",
				    units_count((int64_t)c->holes).s, c->holes == 1 ? "" : "s"));
	if (!only_closings(g))
		trust_partial(t, "begun_before", &g->begun, "a beginning in the text");
	trust_partial(t, "not_over", &g->unclosed, "an end in the text");
	if (g->torn)
		reason(t, TRUST_FAIR, "self_unknown",
		       arena_printf(a,
				    "%s complete call%s of which a part is missing: no self time",
				    units_count((int64_t)g->torn).s, g->torn == 1 ? "" : "s"));
	verdict_damage(&t->verdict, c->damaged > g->lines / 20 ? TRUST_POOR : TRUST_FAIR, c);
}

/* A function that calls others elsewhere has none where the nest is deepest. */
static const struct graph_row *cut_by_depth(const struct graph_profile *g)
{
	vec_each (row, &g->rows) {
		if (row->leaf && row->caller && row->leaf_depth == g->deepest && g->deepest)
			return row;
	}
	return NULL;
}

static void trust_figures(struct trust *t)
{
	const struct graph_profile *g = t->o->g;
	struct arena *a = &t->o->report->arena;
	if (g->contradictions)
		reason(t, TRUST_POOR, "contradictions",
		       arena_printf(a, "%s call%s shorter than those in it: lines were changed",
				    units_count((int64_t)g->contradictions).s,
				    g->contradictions == 1 ? " is" : "s are"));
	const struct graph_row *cut = cut_by_depth(g);
	if (cut)
		reason(t, TRUST_FAIR, "max_depth",
		       arena_printf(a,
				    "the graph seems cut at a depth of %u (max_graph_depth): what "
				    "%s calls there counts as its own",
				    g->deepest + 1u, name_of(t->o, cut->symbol)));
	if (g->off && !g->switches)
		reason(t, TRUST_FAIR, "asleep_by_name",
		       "no switch of tasks is shown: the time in schedule is taken for sleep");
	if (g->complete > g->untimed)
		reason(t, TRUST_FAIR, "tracing",
		       "what is not traced counts as its caller's own time, and so does most of "
		       "what "
		       "tracing costs, call by call");
	if (g->other_cpu)
		reason(t, TRUST_GOOD, "other_cpus",
		       arena_printf(a, "%s lines of other CPUs are left out",
				    units_count((int64_t)g->other_cpu).s));
	if (g->left_out || g->logs_left_out)
		reason(t, TRUST_FAIR, "full",
		       "there are more paths or longer loops than fit: the tree and the loops may "
		       "be "
		       "incomplete");
}

static void report_trust(const struct graph_out *o)
{
	struct trust t = { .o = o };
	verdict_begin(&t.verdict, o->report);
	trust_missing(&t);
	trust_figures(&t);
	verdict_end(&t.verdict);
}

void graph_report(struct graph_profile *g, const struct capture *c,
		  const struct graph_report_options *options, struct report *r)
{
	struct graph_out o = { g, c, options, r, sat_sub(g->shown, g->off) };
	vec_sort(&g->rows, by_self);
	report_headline(&o);
	if (only_closings(g))
		report_closings(&o);
	else if (g->complete && g->untimed == g->complete)
		report_counts(&o);
	else if (g->complete)
		report_functions(&o);
	report_interrupts(&o);
	graph_worst_report(&g->worst, g->symbols, options->top, r);
	graph_loops_report(g, o.whole, options, r);
	if (options->tree)
		graph_tree_report(g, o.whole, r);
	report_trust(&o);
}
