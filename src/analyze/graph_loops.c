/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loops of a function graph: a child that one call calls again and again. A turn goes from one
 * start of the loop's head to the next, as in calltree.c, less what was slept in it and what
 * interrupted it. A graph may print no time (funcgraph-abstime), but it prints what each call in
 * the turn took, and what the caller took beside them: then the cost of a turn is that of its
 * calls, and the caller's own time comes on top.
 */
#include <math.h>

#include "analyze/graph_profile.h"
#include "analyze/loops.h"
#include "base/sat.h"
#include "base/units.h"

#define MEMBERS 64
#define LOOPS_SHOWN 4
#define LOOPS_ALL 256
#define PATH_SHOWN 3

/* The calls of one node in a round. */
struct member {
	uint32_t node;
	uint64_t count;
	size_t first, last; /* places in the round */
};

static size_t members_find(struct graph_profile *g, const struct graph_round *round,
			   struct member *m)
{
	size_t n = 0;
	for (size_t i = 0; i < round->n; i++) {
		struct graph_node *node = &g->nodes.at[round->calls[i].node];
		if (!node->seen && n < MEMBERS) {
			m[n++] = (struct member){ .node = round->calls[i].node, .first = i };
			node->seen = (uint32_t)n;
		}
		if (node->seen) {
			m[node->seen - 1].count++;
			m[node->seen - 1].last = i;
		}
	}
	size_t kept = 0;
	for (size_t i = 0; i < n; i++) {
		g->nodes.at[m[i].node].seen = 0;
		if (m[i].count >= GRAPH_TURNS)
			m[kept++] = m[i];
	}
	return kept;
}

/* The head is called once a turn: the first member that has the most common number of calls. */
static const struct member *group_head(const struct member *m, size_t n)
{
	const struct member *head = m;
	size_t most = 0;
	for (size_t i = 0; i < n; i++) {
		size_t same = 0;
		for (size_t k = 0; k < n; k++)
			same += m[k].count == m[i].count;
		if (same > most) {
			most = same;
			head = &m[i];
		}
	}
	return head;
}

/* What is kept of the node's loop, or NULL. */
static const struct graph_loop *loop_of(const struct graph_profile *g, uint32_t node)
{
	return loop_pool_get(&g->loops, g->nodes.at[node].loop);
}

/* A turn under way. */
struct turn {
	int64_t start; /* of the head; UNKNOWN */
	int64_t calls, off, interrupted;
};

static int64_t turn_calls(const struct turn *t)
{
	return sat_sub(sat_sub(t->calls, t->off), t->interrupted);
}

/* From start to start, or what its calls took. Negative: by a clock that went back. */
static int64_t turn_length(const struct turn *t, const struct graph_called *next, bool stamped)
{
	if (!stamped)
		return turn_calls(t);
	return sat_sub(sat_sub(sat_sub(next->start, t->start), t->off), t->interrupted);
}

static void turn_add(struct turn *t, const struct graph_called *c)
{
	sat_sum(&t->calls, c->dur);
	sat_sum(&t->off, c->off);
	sat_sum(&t->interrupted, c->interrupted);
}

/* The turn counts in the loop's totals; the next one begins. */
static void turn_end(struct graph_loop *l, struct turn *t, int64_t length,
		     const struct graph_called *next)
{
	sat_sum(&l->in.total, length > 0 ? length : 0);
	sat_sum(&l->off, t->off);
	sat_sum(&l->interrupted, t->interrupted);
	*t = (struct turn){ .start = next ? next->start : UNKNOWN };
}

static bool is_stamped(const struct graph_round *round, const struct member *head, size_t end)
{
	for (size_t i = head->first; i <= end; i++) {
		if (round->calls[i].node == head->node && round->calls[i].start == UNKNOWN)
			return false;
	}
	return true;
}

/*
 * The turns of a group: the last has no next start, and is left out of the cost. Where the caller
 * itself slept, nobody knows in which turn, and none of the round counts for a cost from start to
 * start.
 */
static void loop_turns(struct loop_pool *pool, struct graph_loop *l,
		       const struct graph_round *round, const struct member *head, size_t end)
{
	bool stamped = is_stamped(round, head, end), begun = false, first = true;
	bool counts = !stamped || !round->slept;
	struct turn t = { .start = round->calls[head->first].start };
	l->calls_only |= !stamped;
	for (size_t i = head->first; i <= end; i++) {
		const struct graph_called *c = &round->calls[i];
		if (c->node == head->node && begun) {
			int64_t length = turn_length(&t, c, stamped);
			if (counts && length >= 0)
				loop_pool_add(pool, first ? &l->in.first : &l->in.steady, length);
			first = false;
			turn_end(l, &t, length, c);
		}
		begun = true;
		l->calls += c->calls;
		turn_add(&t, c);
	}
	turn_end(l, &t, turn_calls(&t), NULL);
	stat_series_end_run(&l->in.first);
	stat_series_end_run(&l->in.steady);
}

static void loop_add(struct graph_profile *g, const struct graph_round *round,
		     const struct member *m, size_t n)
{
	const struct member *head = group_head(m, n);
	struct graph_loop *l = loop_pool_take(&g->loops, &g->nodes.at[head->node].loop);
	size_t end = head->last;
	for (size_t i = 0; i < n; i++)
		end = m[i].last > end ? m[i].last : end;
	loop_turns(&g->loops, l, round, head, end);
	if (!l->rounds || head->count < l->min_turns)
		l->min_turns = head->count;
	if (head->count > l->max_turns)
		l->max_turns = head->count;
	if (!l->rounds)
		l->first_line = round->first_line;
	l->last_line = round->last_line;
	l->rounds++;
	l->turns += head->count;
	l->caller = round->caller;
	l->caller_calls = round->caller_calls;
	if (round->own == UNKNOWN)
		l->own = UNKNOWN;
	else if (l->own != UNKNOWN)
		sat_sum(&l->own, round->own);
}

static int by_place(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	return (x->first > y->first) - (x->first < y->first);
}

/* Children that were called often, in places that overlap, are one loop. */
void graph_loops_close(struct graph_profile *g, const struct graph_round *round)
{
	if (round->n < GRAPH_TURNS)
		return;
	struct member m[MEMBERS];
	size_t n = members_find(g, round, m), from = 0;
	if (!n)
		return;
	qsort(m, n, sizeof(m[0]), by_place);
	size_t end = m[0].last;
	for (size_t i = 1; i <= n; i++) {
		if (i < n && m[i].first <= end) {
			end = m[i].last > end ? m[i].last : end;
			continue;
		}
		loop_add(g, round, m + from, i - from);
		from = i;
		end = i < n ? m[i].last : 0;
	}
}

/* -- The report ----------------------------------------------------------------------------- */

static const char *name_of(const struct graph_profile *g, uint32_t node)
{
	return symbols_text(g->symbols, g->nodes.at[node].symbol);
}

static const char *path_of(const struct graph_profile *g, uint32_t node, struct arena *a)
{
	const char *path = name_of(g, node);
	uint32_t up = g->nodes.at[node].parent;
	for (int i = 1; i < PATH_SHOWN && up; i++, up = g->nodes.at[up].parent)
		path = arena_printf(a, "%s > %s", name_of(g, up), path);
	return path;
}

/* The steps of the clock that turns are measured with: durations are printed to the ns. */
static int64_t step_of(const struct graph_profile *g, const struct graph_loop *l)
{
	return l->calls_only || g->fine ? 1 : 1000;
}

/* The turns that count for the cost, to be ended by the caller. True: the first is cold, and not
 * among them. */
static bool turns_of(const struct graph_profile *g, const struct graph_loop *l,
		     struct stat_series *turns)
{
	int64_t first = loop_ns(stat_series_mean_ns(&l->in.first));
	bool cold = first != UNKNOWN && stat_cold_first(first, &l->in.steady, step_of(g, l));
	*turns = (struct stat_series){ 0 };
	stat_series_merge(turns, &l->in.steady);
	if (!cold)
		stat_series_merge(turns, &l->in.first);
	return cold;
}

static bool cost_of(const struct graph_profile *g, const struct graph_loop *l,
		    struct stat_interval *cost)
{
	struct stat_series turns;
	turns_of(g, l, &turns);
	bool known = stat_turn_cost(&turns, step_of(g, l), cost);
	stat_series_fini(&turns);
	return known;
}

static void report_cost(const struct graph_profile *g, const struct graph_loop *l,
			struct finding *facts, struct report *r, struct section *s)
{
	struct arena *a = &r->arena;
	struct stat_series turns;
	int64_t first = loop_ns(stat_series_mean_ns(&l->in.first));
	bool cold = turns_of(g, l, &turns);
	finding_fact(facts, "first_turn_ns", value_time(first));
	finding_fact(facts, "first_turn_cold", value_yes(cold));
	finding_fact(facts, "turns_measured", value_count((int64_t)turns.n));
	finding_fact(facts, "from_start_to_start", value_yes(!l->calls_only));

	const char *lead = "", *extremes = "";
	struct stat_interval cost;
	if (cold)
		lead = arena_printf(a, "first turn %s (cold), then ", units_time(first).s);
	if (turns.n > 1 && turns.max > sat_mul(turns.min, 2))
		extremes = arena_printf(a, "; turns took %s",
					units_time_range(turns.min, turns.max).s);
	struct finding *f = report_finding(r, s, "turn_cost", NULL);
	f->indent = 1;
	if (stat_turn_cost(&turns, step_of(g, l), &cost)) {
		const char *each = l->calls_only ? " in the calls of each turn" : " each";
		finding_fact(facts, "cost_ns",
			     value_interval(loop_ns(cost.mid), loop_ns(cost.low),
					    loop_ns(cost.high)));
		const char *drift =
			l->rounds == 1 ? loop_drift_text(&l->in.steady, step_of(g, l), facts, a)
				       : "";
		f->text =
			arena_printf(a, "%s%s%s%s", lead,
				     loop_interval_text(cost, each, "95 %: ", a), drift, extremes);
	} else {
		f->text = arena_printf(a, "%stoo few complete turns for a cost with an interval",
				       lead);
	}
	stat_series_fini(&turns);
}

/* What is in no figure of the loop. */
static void report_apart(const struct graph_loop *l, struct finding *facts, struct report *r,
			 struct section *s)
{
	struct arena *a = &r->arena;
	finding_fact(facts, "asleep_ns", value_time(l->off));
	finding_fact(facts, "interrupted_ns", value_time(l->interrupted));
	if (!l->off && !l->interrupted)
		return;
	const char *asleep = l->off ? arena_printf(a, "asleep %s", units_time(l->off).s) : "";
	const char *interrupted =
		l->interrupted ? arena_printf(a, "interrupted %s", units_time(l->interrupted).s)
			       : "";
	struct finding *f =
		report_finding(r, s, "apart",
			       arena_printf(a, "%s%s%s meanwhile, not in these figures", asleep,
					    *asleep && *interrupted ? ", " : "", interrupted));
	f->indent = 1;
}

/* What the caller takes beside the calls is part of what a turn costs, and of what tracing
 * costs. */
static void report_own(const struct graph_profile *g, uint32_t node, struct report *r,
		       struct section *s)
{
	const struct graph_loop *l = loop_of(g, node);
	uint32_t parent = g->nodes.at[node].parent;
	if (!parent || l->own == UNKNOWN || !l->turns || !l->calls_only)
		return;
	struct finding *f = report_finding(
		r, s, "caller_own",
		arena_printf(&r->arena, "%s's own time in it: %s, %s a turn", name_of(g, parent),
			     units_time(l->own).s, units_time(l->own / (int64_t)l->turns).s));
	f->indent = 1;
	finding_fact(f, "own_ns", value_time(l->own));
	finding_fact(f, "own_per_turn_ns", value_time(l->own / (int64_t)l->turns));
}

static void report_loop(const struct graph_profile *g, uint32_t node, int64_t whole,
			struct report *r, struct section *s)
{
	struct arena *a = &r->arena;
	const struct graph_loop *l = loop_of(g, node);
	const char *in = "";
	if (l->rounds > 1 && l->min_turns == l->max_turns)
		in = arena_printf(a, " in %s rounds of %s", units_count((int64_t)l->rounds).s,
				  units_count((int64_t)l->min_turns).s);
	else if (l->rounds > 1)
		in = arena_printf(a, " in %s rounds of %s to %s", units_count((int64_t)l->rounds).s,
				  units_count((int64_t)l->min_turns).s,
				  units_count((int64_t)l->max_turns).s);
	struct finding *f = report_finding(r, s, "loop",
					   arena_printf(a, "%s  x%s%s  %s  %s", path_of(g, node, a),
							units_count((int64_t)l->turns).s, in,
							units_time(l->in.total).s,
							units_share(l->in.total, whole).s));
	f->first_line = l->first_line;
	f->last_line = l->last_line;
	finding_fact(f, "head", value_text(name_of(g, node)));
	finding_fact(f, "path", value_text(path_of(g, node, a)));
	finding_fact(f, "turns", value_count((int64_t)l->turns));
	finding_fact(f, "rounds", value_count((int64_t)l->rounds));
	finding_fact(f, "total_ns", value_time(l->in.total));
	finding_fact(f, "share", value_share(l->in.total, whole));
	loop_partial_report(&l->in, l->first_line, r, s, 1);
	report_cost(g, l, f, r, s);
	report_apart(l, f, r, s);
	report_own(g, node, r, s);
}

/* The loops that take most, and `least` ns or more. */
static size_t loops_pick(const struct graph_profile *g, int64_t least, uint32_t *pick, size_t room)
{
	size_t n = 0;
	for (uint32_t i = 1; i < g->nodes.n; i++) {
		const struct graph_loop *l = loop_of(g, i);
		if (!l || !l->in.total || l->in.total < least)
			continue;
		size_t at = n < room ? n++ : room;
		for (; at && loop_of(g, pick[at - 1])->in.total < l->in.total; at--) {
			if (at < room)
				pick[at] = pick[at - 1];
		}
		if (at < room)
			pick[at] = i;
	}
	return n;
}

/* -- Another number of turns ------------------------------------------------------------------ */

/* The one of that name, or else of all, that takes most and has a cost; 0: none. */
static uint32_t loop_asked(const struct graph_profile *g, const char *head,
			   struct stat_interval *cost)
{
	uint32_t best = 0;
	for (uint32_t i = 1; i < g->nodes.n; i++) {
		const struct graph_loop *l = loop_of(g, i);
		struct stat_interval known;
		if (!l || (head && strcmp(name_of(g, i), head) != 0))
			continue;
		if (best && loop_of(g, best)->in.total >= l->in.total)
			continue;
		if (cost_of(g, l, &known)) {
			best = i;
			*cost = known;
		}
	}
	return best;
}

/*
 * T(n) is that of the one call that ran the loop: its time on the CPU. Of several such calls there
 * is no one section, and of a call whose time is not known none either.
 */
static void report_what_if(const struct graph_profile *g, const struct what_if *what,
			   struct report *r)
{
	struct arena *a = &r->arena;
	struct stat_interval cost;
	uint32_t node = loop_asked(g, what->loop, &cost);
	if (!node) {
		what_if_answer(NULL, what, NULL, r);
		return;
	}
	const struct graph_loop *l = loop_of(g, node);
	uint32_t parent = g->nodes.at[node].parent;
	bool one = l->rounds == 1 && !l->in.partial && parent && l->caller != UNKNOWN;
	struct what_if_loop asked = {
		.head = name_of(g, node),
		.cost = cost,
		.turns = (int64_t)(l->turns / l->rounds),
		.section = one ? l->caller : UNKNOWN,
		.entries = l->caller_calls,
		.entries_per_turn = (double)l->calls / (double)l->turns,
	};
	if (one)
		asked.note = arena_printf(a, "the call of %s, %s on the CPU", name_of(g, parent),
					  units_time(l->caller).s);
	const char *own = "";
	if (l->calls_only && l->own != UNKNOWN)
		own = arena_printf(a, "the caller's own time, %s a turn at most, is not in it; ",
				   units_time(l->own / (int64_t)l->turns).s);
	what_if_answer(&asked, what,
		       arena_printf(a,
				    "%s%sthe interval covers noise, not a bend; what a batch costs "
				    "beyond its turns is not in one trace: record it at several n",
				    one ? "" : "several calls ran the loop; ", own),
		       r);
}

void graph_loops_report(const struct graph_profile *g, int64_t whole,
			const struct graph_report_options *o, struct report *r)
{
	uint32_t pick[LOOPS_ALL];
	size_t n = o->all_loops ? loops_pick(g, 0, pick, LOOPS_ALL)
				: loops_pick(g, whole / 50, pick, LOOPS_SHOWN);
	bool stamped = n > 0;
	for (size_t i = 0; i < n; i++)
		stamped &= !loop_of(g, pick[i])->calls_only;
	if (n) {
		struct section *s = report_section(r, "loops", n > 1 ? "LOOPS" : "LOOP",
						   stamped ? "from start to start of a turn"
							   : "the durations of the calls, turn by "
							     "turn");
		for (size_t i = 0; i < n; i++)
			report_loop(g, pick[i], whole, r, s);
	}
	if (what_if_asked(o->what_if))
		report_what_if(g, o->what_if, r);
}
