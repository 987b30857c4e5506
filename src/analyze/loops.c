/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/loops.h"

#include <math.h>

#include "base/units.h"

#define LOOPS_SHOWN 4
#define LOOPS_KEPT 256 /* the dearest; measuring one goes through all nodes */
#define INNER_SHOWN 2
#define PATH_SHOWN 3

int64_t loop_ns(double v)
{
	return isfinite(v) && fabs(v) < 9e18 ? (int64_t)llround(v) : UNKNOWN;
}

const char *loop_interval_text(struct stat_interval v, const char *between, const char *label,
			       struct arena *a)
{
	struct units_text mid = units_time(loop_ns(v.mid));
	struct units_text range = units_time_range(loop_ns(v.low), loop_ns(v.high));
	const char *unit = strrchr(mid.s, ' ');
	char *range_unit = strrchr(range.s, ' ');
	/* "1.11 ms (1.02-1.19)": the unit once, where it is the same. */
	if (unit && range_unit && strcmp(unit, range_unit) == 0)
		*range_unit = '\0';
	return arena_printf(a, "%s%s (%s%s)", mid.s, between, label, range.s);
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
	l->first_ns = loop_ns(stat_series_mean_ns(&s->in.first));
	l->cold = l->first_ns != UNKNOWN && stat_cold_first(l->first_ns, &s->in.steady, step);
	stat_series_merge(&l->turns, &s->in.steady);
	if (!l->cold)
		stat_series_merge(&l->turns, &s->in.first);
	l->have_cost = stat_turn_cost(&l->turns, step, &l->cost);
	loop_inside(t, l);
}

static int loop_order(const void *a, const void *b)
{
	const struct loop *x = a, *y = b;
	if (x->stats->in.total != y->stats->in.total)
		return x->stats->in.total < y->stats->in.total ? 1 : -1;
	return (x->node > y->node) - (x->node < y->node);
}

/* Loops worth telling: a fiftieth of the time or more. */
void loops_collect(const struct calltree *t, const struct timeline *timeline,
		   enum loops_which which, struct loop_list *loops)
{
	int64_t least = which == LOOPS_ALL ? 0 : timeline_whole(timeline) / 50;
	for (uint32_t i = 1; i < t->nodes.n; i++) {
		const struct loop_stats *l = calltree_loop(t, i);
		if (!l || !l->instances || l->in.total < least || !l->in.total)
			continue;
		vec_push(loops, ((struct loop){ .node = i, .n = &t->nodes.at[i], .stats = l }));
	}
	if (!loops->n)
		return;
	vec_sort(loops, loop_order);
	if (loops->n > LOOPS_KEPT)
		loops->n = LOOPS_KEPT;
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

const char *loop_drift_text(const struct stat_series *steady, int64_t step, struct finding *f,
			    struct arena *a)
{
	double per_turn, t;
	if (!stat_series_drift(steady, &per_turn, &t))
		return "";
	bool drifts = stat_series_drifts(steady, step);
	finding_fact(f, "drifts", value_yes(drifts));
	finding_fact(f, "drift_per_turn_ns", value_time(loop_ns(per_turn)));
	if (!drifts)
		return "; no drift";
	return arena_printf(a, "; each turn %s %s than the one before",
			    units_time(loop_ns(fabs(per_turn))).s,
			    per_turn > 0 ? "dearer" : "cheaper");
}

static const char *drift_text(const struct loop *l, const struct timeline *timeline,
			      struct finding *f, struct arena *a)
{
	/* Where the turns of a loop inside vary, so do these: that is no drift. */
	struct stat_fit inner;
	bool varies = l->stats->inner_node &&
		      (l->stats->inner_mixed || stat_line_fit(&l->stats->inner, &inner));
	if (l->stats->instances > 1 || varies)
		return "";
	return loop_drift_text(&l->stats->in.steady, timeline_step(timeline), f, a);
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
		     value_interval(loop_ns(l->cost.mid), loop_ns(l->cost.low),
				    loop_ns(l->cost.high)));
	const char *extremes = "";
	if (l->turns.n > 1 && l->turns.max > sat_mul(l->turns.min, 2))
		extremes = arena_printf(a, "; turns took %s",
					units_time_range(l->turns.min, l->turns.max).s);
	f->text = arena_printf(a, "%s%s%s%s", first,
			       loop_interval_text(l->cost, " each", "95 %: ", a),
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
	return w->interrupted > (w->wall - median) / 2;
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
	int64_t median = loop_ns(stat_series_median_ns(&l->turns));
	int64_t mad = loop_ns(stat_series_mad_ns(&l->turns)), step = timeline_step(timeline);
	if (median == UNKNOWN || mad == UNKNOWN || l->turns.n < 8)
		return;
	int64_t far = sat_add(median, mad > step / 2 ? sat_mul(mad, 8) : sat_mul(step, 4));
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
	const char *own = "";
	if (fit.a > 2 * fit.a_se)
		own = arena_printf(&r->arena, "%s and ", units_time(loop_ns(fit.a)).s);
	struct finding *f = report_finding(
		r, s, "outer_against_inner",
		arena_printf(&r->arena, "a turn of %s costs about %s%s for each %s inside it",
			     outer, own, units_time(loop_ns(fit.c)).s, inner));
	f->indent = indent;
	finding_fact(f, "per_outer_turn_ns", value_time(loop_ns(fit.a)));
	finding_fact(f, "per_inner_turn_ns", value_time(loop_ns(fit.c)));
	finding_fact(f, "inner", value_text(inner));
}

void loop_partial_report(const struct pooled_loop *l, uint32_t first_line, struct report *r,
			 struct section *s, unsigned indent)
{
	if (!l->partial)
		return;
	struct finding *f = report_finding(
		r, s, "partial",
		arena_printf(&r->arena,
			     "its turns before line %u are left out: it took little time until "
			     "then, and there were too many loops to keep all",
			     first_line));
	f->indent = indent;
	f->first_line = f->last_line = first_line;
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
			     units_count((int64_t)st->turns).s, in, units_time(st->in.total).s,
			     units_share(st->in.total, whole).s));
	f->indent = indent;
	f->first_line = st->first_line;
	f->last_line = st->last_line;
	finding_fact(f, "head", value_text(symbols_text(t->symbols, l->n->symbol)));
	finding_fact(f, "path", value_text(loop_path(t, l->node, a)));
	finding_fact(f, "turns", value_count((int64_t)st->turns));
	finding_fact(f, "rounds", value_count((int64_t)st->instances));
	finding_fact(f, "total_ns", value_time(st->in.total));
	finding_fact(f, "share", value_share(st->in.total, whole));
	loop_partial_report(&st->in, st->first_line, r, s, indent + 1);
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

void loops_report(const struct calltree *t, const struct timeline *timeline,
		  const struct loop_list *loops, struct report *r)
{
	if (loops->n)
		report_all(t, loops, timeline, r);
}

void loops_list(const struct calltree *t, const struct timeline *timeline,
		const struct loop_list *loops, struct report *r)
{
	if (!loops->n)
		return;
	struct section *s = report_section(r, "loops", "LOOPS", NULL);
	vec_each (l, loops)
		report_loop(t, l, timeline, r, s, 0);
}

void loops_fini(struct loop_list *loops)
{
	vec_each (l, loops)
		stat_series_fini(&l->turns);
	vec_fini(loops);
}
