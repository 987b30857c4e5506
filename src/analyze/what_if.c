/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/what_if.h"

#include <math.h>

#include "base/units.h"

/* The figures of a trace with what tracing adds taken out, for one loop. */
struct model {
	int64_t section, turns; /* ns, and turns in it; 0 and 0: the turns alone */
	uint64_t entries;       /* traced entries in it */
	const struct what_if_loop *loop;
	const struct overhead *overhead;
};

static struct stat_interval model_section(const struct model *m, int64_t n)
{
	struct stat_interval out;
	stat_extrapolate(m->section, m->loop->cost, m->turns, n, &out);
	return out;
}

/* A traced time with so much overhead (thousandths of a percent) taken out: divide. */
static int64_t without_percent(double traced, int64_t overhead)
{
	return loop_ns(traced / (1 + (double)overhead / 100000));
}

static double entries_at(const struct model *m, int64_t n)
{
	return (double)m->entries + m->loop->entries_per_turn * (double)(n - m->turns);
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
	int64_t v = loop_ns(fmax(traced.mid - (double)o->low * entries_at(m, n), 0));
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
	struct stat_turns low, high;
	struct stat_interval b = m->loop->cost;
	if (!o->given)
		return "";
	if (o->percent) {
		b.low = b.high = b.mid;
		double k = 1 + (double)o->low / 100000, l = 1 + (double)o->high / 100000;
		stat_turns_within(m->section, b, m->turns, loop_ns((double)budget * k), &low);
		stat_turns_within(m->section, b, m->turns, loop_ns((double)budget * l), &high);
	} else {
		double per = (double)o->low;
		int64_t section = sat_sub(m->section, loop_ns(per * (double)m->entries));
		b.mid -= per * m->loop->entries_per_turn;
		b.low = b.high = b.mid;
		stat_turns_within(section > 0 ? section : 0, b, m->turns, budget, &low);
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
		     value_interval(loop_ns(v.mid), loop_ns(v.low), loop_ns(v.high)));
	finding_fact(facts, "turns_seen", value_count(m->loop->turns));
	what_if_row(t, arena_printf(a, "n = %s", units_count(what->turns).s),
		    loop_interval_text(v, "", "", a), corrected_text(m, v, what->turns, facts, a),
		    reach_text(what->turns, m->loop->turns, a));
}

static const char *budget_reach(const struct stat_turns *n, int64_t seen, struct arena *a)
{
	bool number = n->high != STAT_TURNS_NONE && n->high != STAT_TURNS_ANY;
	return number ? reach_text(n->high, seen, a) : "";
}

static void answer_budget(const struct model *m, const struct what_if *what, struct report *r,
			  struct section *s, struct table *t)
{
	struct arena *a = &r->arena;
	struct stat_turns n;
	int64_t seen = m->loop->turns;
	stat_turns_within(m->section, m->loop->cost, m->turns, what->budget_ns, &n);
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
		    budget_reach(&n, seen, a));
	facts->text = n.edge ? arena_printf(a, "%s is on the edge: %.1f turns with the mean cost",
					    units_time(what->budget_ns).s, n.exact)
			     : NULL;
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

/* Of a section that is not here whole, only the turns can be told. */
static struct model model_of(const struct what_if_loop *l, const struct overhead *overhead)
{
	struct model m = { .loop = l, .overhead = overhead };
	if (l->section == UNKNOWN)
		return m;
	m.section = l->section;
	m.turns = l->turns;
	m.entries = l->entries;
	return m;
}

static void answer_none(const struct what_if *what, struct report *r)
{
	struct section *none = report_section(r, "what_if", "WHAT IF", NULL);
	const char *text = "no loop was found to change the turns of";
	if (what->loop)
		text = arena_printf(&r->arena,
				    "no loop with %s at its head was found: --loop takes a "
				    "function named above",
				    what->loop);
	report_finding(r, none, "no_loop", text);
}

void what_if_answer(const struct what_if_loop *l, const struct what_if *what, const char *limits,
		    struct report *r)
{
	struct arena *a = &r->arena;
	if (!l) {
		answer_none(what, r);
		return;
	}
	struct model m = model_of(l, &what->overhead);
	struct section *s =
		report_section(r, "what_if",
			       arena_printf(a, "IF THE LOOP OF %s RAN n TURNS", l->head),
			       m.turns ? l->note : "the turns alone");
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
	report_finding(r, s, "what_if_limits", limits);
}

void what_if_report(const struct calltree *t, const struct loop_list *loops,
		    const struct timeline *timeline, const struct what_if *what, struct report *r)
{
	if (!what_if_asked(what))
		return;
	const struct loop *l = what_if_loop(t, loops, what);
	if (!l) {
		what_if_answer(NULL, what, NULL, r);
		return;
	}
	bool partial = l->stats->in.partial, cut = partial || timeline_is_cut(timeline);
	struct what_if_loop asked = {
		.head = symbols_text(t->symbols, l->n->symbol),
		.cost = l->cost,
		.turns = (int64_t)l->stats->turns,
		.section = cut ? UNKNOWN : timeline_length(timeline),
		.entries = timeline->entries,
		.entries_per_turn = (double)l->entries / (double)l->stats->turns,
	};
	what_if_answer(
		&asked, what,
		partial ? "some of its turns were left out, so this is what the turns take "
			  "by themselves; the interval covers noise, not a bend"
		: cut   ? "the rest of the window is not in this text, so this is what the "
			  "turns take by themselves; the interval covers noise, not a bend"
			: "the interval covers noise, not a bend; what a batch costs beyond its "
			  "turns is not in one trace: record it at several n",
		r);
}
