/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/loops.h"

#include <math.h>

#include "base/units.h"

#define LOOPS_SHOWN 4
#define INNER_SHOWN 2
#define PATH_SHOWN 3

/* One loop with its figures worked out. */
struct loop {
	uint32_t node;
	const struct calltree_node *n;
	const struct loop_stats *stats;
	struct stat_series turns; /* those that count for the cost */
	bool cold, have_cost;
	int64_t first_ns; /* mean of the first turns */
	struct stat_interval cost;
	uint64_t entries; /* traced entries in all its turns */
	uint32_t dearest; /* node; 0: none */
};

static int64_t whole_ns(double v)
{
	return isfinite(v) && fabs(v) < 9e18 ? (int64_t)llround(v) : UNKNOWN;
}

/* Is the node called in this loop's turns (by the head, or by a sibling in the same turns)? */
static bool in_turns(const struct calltree *t, uint32_t node, uint32_t head)
{
	uint32_t parent = t->nodes.at[head].parent;
	for (; node; node = t->nodes.at[node].parent) {
		const struct calltree_node *n = &t->nodes.at[node];
		if (n->parent == parent && (node == head || n->head == head))
			return true;
	}
	return false;
}

static void loop_inside(const struct calltree *t, struct loop *l)
{
	for (uint32_t i = 1; i < t->nodes.n; i++) {
		if (!in_turns(t, i, l->node))
			continue;
		l->entries += t->nodes.at[i].calls;
		if (!l->dearest || t->nodes.at[i].self > t->nodes.at[l->dearest].self)
			l->dearest = i;
	}
}

static void loop_measure(const struct calltree *t, const struct timeline *timeline, struct loop *l)
{
	const struct loop_stats *s = l->stats;
	int64_t step = timeline_step(timeline);
	l->first_ns = whole_ns(stat_series_mean_ns(&s->first));
	l->cold = l->first_ns != UNKNOWN && stat_cold_first(l->first_ns, &s->steady, step);
	stat_series_merge(&l->turns, &s->steady);
	if (!l->cold)
		stat_series_merge(&l->turns, &s->first);
	l->have_cost = stat_turn_cost(&l->turns, step, &l->cost);
	loop_inside(t, l);
}

struct loop_list {
	VEC(struct loop);
};

static int loop_order(const void *a, const void *b)
{
	const struct loop *x = a, *y = b;
	if (x->stats->total != y->stats->total)
		return x->stats->total < y->stats->total ? 1 : -1;
	return (x->node > y->node) - (x->node < y->node);
}

/* Loops worth telling: a fiftieth of the time or more. */
static void loops_collect(const struct calltree *t, const struct timeline *timeline,
			  struct loop_list *loops)
{
	int64_t least = timeline_whole(timeline) / 50;
	for (uint32_t i = 1; i < t->nodes.n; i++) {
		const struct calltree_node *n = &t->nodes.at[i];
		if (!n->loop || !n->loop->instances || n->loop->total < least || !n->loop->total)
			continue;
		vec_push(loops, ((struct loop){ .node = i, .n = n, .stats = n->loop }));
	}
	if (!loops->n)
		return;
	qsort(loops->at, loops->n, sizeof(*loops->at), loop_order);
	vec_each (l, loops)
		loop_measure(t, timeline, l);
}

static const char *name_of(const struct calltree *t, uint32_t node)
{
	return symbols_text(t->symbols, t->nodes.at[node].symbol);
}

static const char *loop_path(const struct calltree *t, uint32_t node, struct arena *a)
{
	const char *path = name_of(t, node);
	uint32_t up = t->nodes.at[node].parent;
	for (int i = 1; i < PATH_SHOWN && !calltree_is_root(up); i++, up = t->nodes.at[up].parent)
		path = arena_printf(a, "%s > %s", name_of(t, up), path);
	return path;
}

/* "5.71 us each (95 %: 5.26-6.17)" */
static const char *interval_text(struct stat_interval v, const char *between, const char *label,
				 struct arena *a)
{
	struct units_text mid = units_time(whole_ns(v.mid));
	struct units_text range = units_time_range(whole_ns(v.low), whole_ns(v.high));
	const char *unit = strrchr(mid.s, ' ');
	char *range_unit = strrchr(range.s, ' ');
	/* "1.11 ms (1.02-1.19)": the unit once, where it is the same. */
	if (unit && range_unit && strcmp(unit, range_unit) == 0)
		*range_unit = '\0';
	return arena_printf(a, "%s%s (%s%s)", mid.s, between, label, range.s);
}

/* "no drift", or how much dearer each turn is than the one before. */
static const char *drift_text(const struct loop *l, const struct timeline *timeline,
			      struct finding *f, struct arena *a)
{
	double per_turn, t;
	if (l->stats->instances > 1 || !stat_series_drift(&l->stats->steady, &per_turn, &t))
		return "";
	bool drifts = stat_series_drifts(&l->stats->steady, timeline_step(timeline));
	finding_fact(f, "drifts", value_yes(drifts));
	finding_fact(f, "drift_per_turn_ns", value_time(whole_ns(per_turn)));
	if (!drifts)
		return "; no drift";
	return arena_printf(a, "; each turn %s %s than the one before",
			    units_time(whole_ns(fabs(per_turn))).s,
			    per_turn > 0 ? "dearer" : "cheaper");
}

static void report_cost(const struct loop *l, const struct timeline *timeline, struct report *r,
			struct section *s, unsigned indent, struct finding *facts)
{
	struct arena *a = &r->arena;
	struct finding *f = report_finding(r, s, "turn_cost", NULL);
	f->indent = indent;
	finding_fact(facts, "first_turn_ns", value_time(l->first_ns));
	finding_fact(facts, "first_turn_cold", value_yes(l->cold));
	finding_fact(facts, "turns_measured", value_count((int64_t)l->turns.n));
	const char *first = "";
	if (l->cold)
		first = arena_printf(a, "first turn %s (cold), then ", units_time(l->first_ns).s);
	if (!l->have_cost) {
		f->text = arena_printf(a, "%stoo few complete turns for a cost with an interval",
				       first);
		return;
	}
	finding_fact(facts, "cost_ns",
		     value_interval(whole_ns(l->cost.mid), whole_ns(l->cost.low),
				    whole_ns(l->cost.high)));
	const char *extremes = "";
	if (l->turns.n > 1 && l->turns.max > 2 * l->turns.min)
		extremes = arena_printf(a, "; turns took %s",
					units_time_range(l->turns.min, l->turns.max).s);
	f->text = arena_printf(a, "%s%s%s%s", first, interval_text(l->cost, " each", "95 %: ", a),
			       drift_text(l, timeline, facts, a), extremes);
}

static void report_dearest(const struct calltree *t, const struct loop *l, struct report *r,
			   struct section *s, unsigned indent)
{
	if (!l->dearest || l->stats->turns == 0)
		return;
	struct arena *a = &r->arena;
	const struct calltree_node *d = &t->nodes.at[l->dearest];
	bool drop_first =
		l->cold && d->calls == l->stats->turns && d->calls > 1 && l->stats->instances == 1;
	int64_t each = drop_first ? (d->self - d->first_self) / (int64_t)(d->calls - 1)
				  : d->self / (int64_t)l->stats->turns;
	const char *until =
		d->next ? arena_printf(a, " until %s", symbols_text(t->symbols, d->next))
			: " until the next entry";
	struct finding *f = report_finding(r, s, "dearest_inside",
					   arena_printf(a, "dearest inside: from %s%s, %s a turn%s",
							symbols_text(t->symbols, d->symbol), until,
							units_time(each).s,
							drop_first ? " after the first" : ""));
	f->indent = indent;
	finding_fact(f, "entry", value_text(symbols_text(t->symbols, d->symbol)));
	finding_fact(f, "per_turn_ns", value_time(each));
	finding_fact(f, "total_ns", value_time(d->self));
}

/* What can be said of a long turn. With interrupts off it was an NMI, an SMI, the hypervisor or
 * the hardware: the function is not to blame. */
static bool outlier_interrupted(const struct loop_worst *w, int64_t median)
{
	return w->interrupted * 2 > w->wall - median;
}

static const char *outlier_text(const struct loop_worst *w, size_t n, int64_t median,
				struct arena *a)
{
	bool interrupted = outlier_interrupted(w, median);
	const char *cause =
		interrupted ? arena_printf(a, "interrupted for %s", units_time(w->interrupted).s)
			    : "nothing visible explains it";
	const char *text = arena_printf(a, "one turn took %s: %s", units_time(w->wall).s, cause);
	for (size_t i = 1; i < n; i++)
		text = arena_printf(a, "%s%s %s (line %u%s)", text, i == 1 ? "; next" : ",",
				    units_time(w[i].wall).s, w[i].line,
				    outlier_interrupted(&w[i], median) ? ", interrupted" : "");
	return text;
}

/* Turns far beyond the others. */
static void report_outliers(const struct loop *l, const struct timeline *timeline, struct report *r,
			    struct section *s, unsigned indent)
{
	const struct loop_worst *w = l->stats->worst;
	int64_t median = whole_ns(stat_series_median_ns(&l->turns));
	int64_t mad = whole_ns(stat_series_mad_ns(&l->turns)), step = timeline_step(timeline);
	if (median == UNKNOWN || mad == UNKNOWN || l->turns.n < 8)
		return;
	int64_t far = sat_add(median, mad * 8 > step * 4 ? mad * 8 : step * 4);
	size_t n = 0;
	while (n < LOOP_WORST && w[n].wall > far)
		n++;
	if (!n)
		return;
	struct finding *f = report_finding(r, s, "outliers", outlier_text(w, n, median, &r->arena));
	f->indent = indent;
	f->first_line = f->last_line = w->line;
	finding_fact(f, "median_ns", value_time(median));
	finding_fact(f, "longest_ns", value_time(w->wall));
	finding_fact(f, "interrupted_ns", value_time(w->interrupted));
}

/* An outer turn against the turns of the loop inside it: a + c * inner turns. */
static void report_outer_inner(const struct calltree *t, const struct loop *l, struct report *r,
			       struct section *s, unsigned indent)
{
	struct stat_fit fit;
	if (l->stats->inner_mixed || !l->stats->inner_node ||
	    !stat_line_fit(&l->stats->inner, &fit) || fit.dof < 3 || !(fit.c > 2 * fit.c_se))
		return;
	const char *outer = symbols_text(t->symbols, l->n->symbol);
	const char *inner = name_of(t, l->stats->inner_node);
	struct finding *f = report_finding(
		r, s, "outer_against_inner",
		arena_printf(&r->arena,
			     "a turn of %s costs about %s and %s more for each %s inside it", outer,
			     units_time(whole_ns(fmax(fit.a, 0))).s, units_time(whole_ns(fit.c)).s,
			     inner));
	f->indent = indent;
	finding_fact(f, "per_outer_turn_ns", value_time(whole_ns(fit.a)));
	finding_fact(f, "per_inner_turn_ns", value_time(whole_ns(fit.c)));
	finding_fact(f, "inner", value_text(inner));
}

static void report_loop(const struct calltree *t, const struct loop *l,
			const struct timeline *timeline, struct report *r, struct section *s,
			unsigned indent)
{
	struct arena *a = &r->arena;
	const struct loop_stats *st = l->stats;
	int64_t whole = timeline_whole(timeline);
	const char *in = "";
	if (st->instances > 1)
		in = arena_printf(a, " in %s rounds of %s to %s",
				  units_count((int64_t)st->instances).s,
				  units_count((int64_t)st->min_turns).s,
				  units_count((int64_t)st->max_turns).s);
	struct finding *f = report_finding(
		r, s, "loop",
		arena_printf(a, "%s  x%s%s  %s  %s",
			     indent ? name_of(t, l->node) : loop_path(t, l->node, a),
			     units_count((int64_t)st->turns).s, in, units_time(st->total).s,
			     units_share(st->total, whole).s));
	f->indent = indent;
	f->first_line = st->first_line;
	f->last_line = st->last_line;
	finding_fact(f, "head", value_text(symbols_text(t->symbols, l->n->symbol)));
	finding_fact(f, "path", value_text(loop_path(t, l->node, a)));
	finding_fact(f, "turns", value_count((int64_t)st->turns));
	finding_fact(f, "rounds", value_count((int64_t)st->instances));
	finding_fact(f, "total_ns", value_time(st->total));
	finding_fact(f, "share", value_share(st->total, whole));
	report_cost(l, timeline, r, s, indent + 1, f);
	report_outer_inner(t, l, r, s, indent + 1);
	report_outliers(l, timeline, r, s, indent + 1);
	report_dearest(t, l, r, s, indent + 1);
}

/* Is it inside a loop that was told already? */
static const struct loop *outer_of(const struct calltree *t, const struct loop_list *loops,
				   size_t i)
{
	for (size_t k = 0; k < loops->n; k++) {
		if (k != i && loops->at[k].node != loops->at[i].node &&
		    in_turns(t, t->nodes.at[loops->at[i].node].parent, loops->at[k].node))
			return &loops->at[k];
	}
	return NULL;
}

static void report_all(const struct calltree *t, const struct loop_list *loops,
		       const struct timeline *timeline, struct report *r)
{
	struct section *s = report_section(r, "loops", loops->n > 1 ? "LOOPS" : "LOOP", NULL);
	size_t shown = 0;
	for (size_t i = 0; i < loops->n && shown < LOOPS_SHOWN; i++) {
		if (outer_of(t, loops, i))
			continue;
		report_loop(t, &loops->at[i], timeline, r, s, 0);
		shown++;
		size_t inner = 0;
		for (size_t k = 0; k < loops->n && inner < INNER_SHOWN; k++) {
			if (outer_of(t, loops, k) == &loops->at[i]) {
				report_loop(t, &loops->at[k], timeline, r, s, 1);
				inner++;
			}
		}
	}
}

/* -- What if ---------------------------------------------------------------------------------- */

/* The figures of a trace with what tracing adds taken out, for one loop. */
struct model {
	int64_t section; /* ns */
	uint64_t entries;
	double entries_per_turn;
	const struct loop *loop;
	const struct overhead *overhead;
};

static struct stat_interval model_section(const struct model *m, int64_t n)
{
	struct stat_interval out;
	stat_extrapolate(m->section, m->loop->cost, (int64_t)m->loop->stats->turns, n, &out);
	return out;
}

/* A traced time with so much overhead (thousandths of a percent) taken out: divide. */
static int64_t without_percent(double traced, int64_t overhead)
{
	return whole_ns(traced / (1 + (double)overhead / 100000));
}

static double entries_at(const struct model *m, int64_t n)
{
	return (double)m->entries +
	       m->entries_per_turn * ((double)n - (double)m->loop->stats->turns);
}

static const char *corrected_text(const struct model *m, struct stat_interval traced, int64_t n,
				  struct finding *facts, struct arena *a)
{
	const struct overhead *o = m->overhead;
	if (!o->given)
		return "";
	if (o->percent) {
		int64_t low = without_percent(traced.mid, o->high);
		int64_t high = without_percent(traced.mid, o->low);
		finding_fact(facts, "without_overhead_ns", value_interval(UNKNOWN, low, high));
		return arena_str(a, str_of(low == high ? units_time(low).s
						       : units_time_range(low, high).s));
	}
	int64_t v = whole_ns(fmax(traced.mid - (double)o->low * entries_at(m, n), 0));
	finding_fact(facts, "without_overhead_ns", value_time(v));
	return arena_str(a, str_of(units_time(v).s));
}

/* Neither "not even without the loop" nor "any" is a number. */
static struct value turns_value(int64_t n)
{
	return n == STAT_TURNS_NONE || n == STAT_TURNS_ANY ? value_none() : value_count(n);
}

static const char *turns_text(const struct stat_turns *n, struct arena *a)
{
	if (n->high == STAT_TURNS_NONE)
		return "not even without the loop";
	if (n->low == STAT_TURNS_ANY)
		return "any n";
	if (n->high == STAT_TURNS_ANY)
		return arena_printf(a, "n = %s or more", units_count(n->low).s);
	int64_t low = n->low == STAT_TURNS_NONE ? 0 : n->low;
	if (low == n->high)
		return arena_printf(a, "n = %s", units_count(low).s);
	return arena_printf(a, "n = %s to %s", units_count(low).s, units_count(n->high).s);
}

/* The budget in traced time: what the trace may show for the true time to stay within. */
static const char *corrected_turns(const struct model *m, int64_t budget, struct finding *facts,
				   struct arena *a)
{
	const struct overhead *o = m->overhead;
	int64_t seen = (int64_t)m->loop->stats->turns;
	struct stat_turns low, high;
	struct stat_interval b = m->loop->cost;
	if (!o->given)
		return "";
	if (o->percent) {
		b.low = b.high = b.mid;
		double k = 1 + (double)o->low / 100000, l = 1 + (double)o->high / 100000;
		stat_turns_within(m->section, b, seen, whole_ns((double)budget * k), &low);
		stat_turns_within(m->section, b, seen, whole_ns((double)budget * l), &high);
	} else {
		double per = (double)o->low;
		int64_t section = m->section - whole_ns(per * (double)m->entries);
		b.mid -= per * m->entries_per_turn;
		b.low = b.high = b.mid;
		stat_turns_within(section > 0 ? section : 0, b, seen, budget, &low);
		high = low;
	}
	low.high = high.mid;
	low.low = low.mid;
	finding_fact(facts, "without_overhead_turns_low", turns_value(low.low));
	finding_fact(facts, "without_overhead_turns_high", turns_value(low.high));
	return turns_text(&low, a);
}

static void what_if_row(struct table *t, const char *question, const char *traced,
			const char *corrected, const char *reach)
{
	struct row *row = table_row(t);
	row->cell[0] = value_text(question);
	row->cell[1] = value_text(traced);
	row->cell[2] = value_text(corrected);
	row->cell[3] = value_text(reach);
}

/* How far outside what was seen an answer is. */
static const char *reach_text(int64_t n, int64_t seen, struct arena *a)
{
	if (n > seen) {
		struct units_text times = units_factor(n, seen); /* "21x" */
		times.s[strlen(times.s) - 1] = '\0';
		return arena_printf(a, "%s times beyond the data", times.s);
	}
	return n < seen ? "fewer than seen" : "as seen";
}

static void answer_turns(const struct model *m, const struct what_if *what, struct report *r,
			 struct section *s, struct table *t)
{
	struct arena *a = &r->arena;
	struct stat_interval v = model_section(m, what->turns);
	struct finding *facts = report_finding(r, s, "what_if_turns", NULL);
	finding_fact(facts, "turns", value_count(what->turns));
	finding_fact(facts, "as_traced_ns",
		     value_interval(whole_ns(v.mid), whole_ns(v.low), whole_ns(v.high)));
	finding_fact(facts, "turns_seen", value_count((int64_t)m->loop->stats->turns));
	what_if_row(t, arena_printf(a, "n = %s", units_count(what->turns).s),
		    interval_text(v, "", "", a), corrected_text(m, v, what->turns, facts, a),
		    reach_text(what->turns, (int64_t)m->loop->stats->turns, a));
}

static const char *edge_text(const struct stat_turns *n, struct arena *a)
{
	if (!n->edge)
		return "";
	return arena_printf(a, "on the edge: %.1f with the mean", n->exact);
}

static void answer_budget(const struct model *m, const struct what_if *what, struct report *r,
			  struct section *s, struct table *t)
{
	struct arena *a = &r->arena;
	struct stat_turns n;
	stat_turns_within(m->section, m->loop->cost, (int64_t)m->loop->stats->turns,
			  what->budget_ns, &n);
	struct finding *facts = report_finding(r, s, "what_if_budget", NULL);
	finding_fact(facts, "budget_ns", value_time(what->budget_ns));
	finding_fact(facts, "possible", value_yes(n.high != STAT_TURNS_NONE));
	finding_fact(facts, "unlimited", value_yes(n.low == STAT_TURNS_ANY));
	finding_fact(facts, "turns_low", turns_value(n.low));
	finding_fact(facts, "turns_mean", turns_value(n.mid));
	finding_fact(facts, "turns_high", turns_value(n.high));
	finding_fact(facts, "on_the_edge", value_yes(n.edge));
	what_if_row(t, arena_printf(a, "within %s", units_time(what->budget_ns).s),
		    turns_text(&n, a), corrected_turns(m, what->budget_ns, facts, a),
		    edge_text(&n, a));
}

static const char *overhead_title(const struct overhead *o, struct arena *a)
{
	if (!o->given)
		return "";
	if (!o->percent)
		return arena_printf(a, "%s an entry taken out", units_time(o->low).s);
	double low = (double)o->low / 1000, high = (double)o->high / 1000;
	if (o->low == o->high)
		return arena_printf(a, "tracing's %g %% taken out", low);
	return arena_printf(a, "tracing's %g-%g %% taken out", low, high);
}

static const struct loop *what_if_loop(const struct calltree *t, const struct loop_list *loops,
				       const struct what_if *what)
{
	vec_each (l, loops) {
		if (!l->have_cost)
			continue;
		if (!what->loop || strcmp(symbols_text(t->symbols, l->n->symbol), what->loop) == 0)
			return l;
	}
	return NULL;
}

static void report_what_if(const struct calltree *t, const struct loop_list *loops,
			   const struct timeline *timeline, const struct what_if *what,
			   struct report *r)
{
	struct arena *a = &r->arena;
	const struct loop *l = what_if_loop(t, loops, what);
	if (!l) {
		struct section *none = report_section(r, "what_if", "WHAT IF", NULL);
		report_finding(
			r, none, "no_loop",
			what->loop ? arena_printf(a,
						  "no loop with %s at its head was found: --loop "
						  "takes a function named above",
						  what->loop)
				   : "no loop was found to change the turns of");
		return;
	}
	struct model m = { timeline_whole(timeline), timeline->entries,
			   (double)l->entries / (double)l->stats->turns, l, &what->overhead };
	struct section *s = report_section(r, "what_if",
					   arena_printf(a, "IF THE LOOP OF %s RAN n TURNS",
							symbols_text(t->symbols, l->n->symbol)),
					   NULL);
	struct table *table = report_table(r, s, "what_if");
	struct column columns[] = { { "question", "", VALUE_TEXT },
				    { "as_traced", "as traced", VALUE_TEXT },
				    { "without_overhead", overhead_title(&what->overhead, a),
				      VALUE_TEXT },
				    { "reach", "", VALUE_TEXT } };
	memcpy(table->columns, columns, sizeof(columns));
	if (what->turns != UNKNOWN)
		answer_turns(&m, what, r, s, table);
	if (what->budget_ns != UNKNOWN)
		answer_budget(&m, what, r, s, table);
	report_finding(
		r, s, "what_if_limits",
		timeline_is_cut(timeline)
			? "of the part of the window that is in the file; the interval covers "
			  "noise, not a bend; what a batch costs beyond its turns is not in "
			  "one trace"
			: "the interval covers noise, not a bend; what a batch costs beyond its "
			  "turns is not in one trace: record it at several n");
}

void loops_report(const struct calltree *t, const struct timeline *timeline,
		  const struct what_if *what, struct report *r)
{
	struct loop_list loops = { 0 };
	loops_collect(t, timeline, &loops);
	if (loops.n)
		report_all(t, &loops, timeline, r);
	if (what->turns != UNKNOWN || what->budget_ns != UNKNOWN)
		report_what_if(t, &loops, timeline, what, r);
	vec_each (l, &loops)
		stat_series_fini(&l->turns);
	vec_fini(&loops);
}
