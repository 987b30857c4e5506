/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/trace_diff_cause.h"

#include <math.h>
#include <string.h>

#include "analyze/loops.h"
#include "base/sat.h"
#include "base/units.h"

static const char *time_text(int64_t ns, struct arena *a)
{
	return ns == UNKNOWN ? "-" : arena_str(a, str_of(units_time(ns).s));
}

const char *diff_change_text(int64_t change, struct arena *a)
{
	if (change == UNKNOWN)
		return "-";
	return arena_printf(a, "%s%s",
			    change > 0   ? "+ "
			    : change < 0 ? "- "
					 : "",
			    units_time(change < 0 ? -change : change).s);
}

/* With the interval of the shift, where there is one; unit: " a second". */
static const char *shift_text(const struct item_diff *it, const char *unit, struct arena *a)
{
	const char *change = diff_change_text(it->change, a);
	int64_t low = loop_ns(it->shift.low), high = loop_ns(it->shift.high);
	if (!it->have_shift || (!it->change && !low && !high))
		return arena_printf(a, "%s%s", change, unit);
	return arena_printf(a, "%s%s (95 %%: %s)", change, unit, units_time_range(low, high).s);
}

static struct value shift_value(const struct item_diff *it)
{
	if (!it->have_shift)
		return value_none();
	return value_interval(loop_ns(it->shift.mid), loop_ns(it->shift.low),
			      loop_ns(it->shift.high));
}

static struct value time_value(int64_t ns)
{
	return ns == UNKNOWN ? value_none() : value_time(ns);
}

static void shift_facts(struct finding *f, const struct item_diff *it)
{
	finding_fact(f, "change_ns", time_value(it->change));
	if (it->have_shift)
		finding_fact(f, "shift_ns", shift_value(it));
}

const char *diff_number_text(const struct trace_diff *d, int64_t thousandths, struct arena *a)
{
	if (d->by != DIFF_BY_SECOND || thousandths >= 100 * 1000)
		return arena_str(a, str_of(units_count(sat_add(thousandths, 500) / 1000).s));
	if (thousandths < 10)
		return thousandths ? "<0.01" : "0";
	return arena_printf(a, "%.*f", thousandths < 10000 ? 2 : 1, (double)thousandths / 1000);
}

/* -- Sentences --------------------------------------------------------------------------------- */

static const char *one_sided_text(const struct trace_diff *d, const struct item_diff *it,
				  const char *what, struct arena *a)
{
	int missing = it->side[BASE].seen ? NEW : BASE;
	const struct amount *there = &it->side[!missing];
	bool loop = strcmp(what, "turns") == 0;
	const char *per = d->by == DIFF_BY_SECOND ? " a second" : "";
	const char *took = "";
	if (it->change == UNKNOWN)
		took = arena_printf(a, "; in the %s it takes %s%s", missing ? "base" : "new one",
				    time_text(there->total, a), per);
	return arena_printf(a, "it is not %s %s%s", loop ? "among the loops of" : "in",
			    missing ? "the new one" : "the base", took);
}

/* By their number, or by what each costs? The two ways of sharing out the rest give a range. */
static const char *why_text(const struct trace_diff *d, const struct item_diff *it,
			    const char *what, struct arena *a)
{
	const struct amount *b = &it->side[BASE], *n = &it->side[NEW];
	if (!b->seen || !n->seen)
		return one_sided_text(d, it, what, a);
	if (b->each == UNKNOWN || n->each == UNKNOWN)
		return "what each costs is not known";
	double by_number = (double)(n->thousandths - b->thousandths) / 1000 *
			   ((double)b->each + (double)n->each) / 2;
	double by_cost = ((double)n->each - (double)b->each) *
			 ((double)n->thousandths + (double)b->thousandths) / 2000;
	const char *per = d->by == DIFF_BY_SECOND ? " a second" : "";
	const char *number =
		b->thousandths == n->thousandths
			? arena_printf(a, "%s %s%s in both", diff_number_text(d, b->thousandths, a),
				       what, per)
			: arena_printf(a, "%s %s%s against %s",
				       diff_number_text(d, n->thousandths, a), what, per,
				       diff_number_text(d, b->thousandths, a));
	const char *cost = arena_printf(a, "%s each against %s (%s)", time_text(n->each, a),
					time_text(b->each, a), units_factor(n->each, b->each).s);
	if (!it->change)
		return arena_printf(a, "%s, %s", number, cost);
	if (fabs(by_cost) > 4 * fabs(by_number))
		return arena_printf(a, "by what each costs: %s, at %s", cost, number);
	if (fabs(by_number) > 4 * fabs(by_cost))
		return arena_printf(a, "by their number: %s, at %s", number, cost);
	return arena_printf(a, "by both: %s, %s", number, cost);
}

/* What it changed by, and why. */
static const char *change_sentence(const struct trace_diff *d, const struct item_diff *it,
				   bool loop, struct arena *a)
{
	const char *what = loop ? "turns" : "calls";
	if (it->change == UNKNOWN)
		return why_text(d, it, what, a);
	if (d->by != DIFF_BY_EACH)
		return arena_printf(a, "%s, %s",
				    shift_text(it, d->by == DIFF_BY_SECOND ? " a second" : "", a),
				    why_text(d, it, what, a));
	const struct amount *b = &it->side[BASE], *n = &it->side[NEW];
	return arena_printf(a, "%s, %s against %s (%s): over the new one's %s %s that is %s",
			    shift_text(it, loop ? " a turn" : " a call", a), time_text(n->each, a),
			    time_text(b->each, a), units_factor(n->each, b->each).s,
			    diff_number_text(d, n->thousandths, a), what, time_text(it->weight, a));
}

/* How much of what is there the item is, on both sides: of windows. */
static const char *fills_text(const struct trace_diff *d, const struct item_diff *it,
			      struct arena *a)
{
	if (!it->side[BASE].seen || !it->side[NEW].seen || d->by != DIFF_BY_TOTAL)
		return "";
	return arena_printf(a, " (%s of the new, %s of the base)",
			    units_share(it->side[NEW].total, d->covered[NEW]).s,
			    units_share(it->side[BASE].total, d->covered[BASE]).s);
}

/* Is the function's time nearly all in the loop? Then it is far more than stands outside of it. */
static bool in_loop(const struct trace_diff *d, const struct item_diff *loop,
		    const struct item_diff *it)
{
	for (int side = BASE; side < SIDES && d->by == DIFF_BY_TOTAL; side++) {
		int64_t outside = sat_sub(d->covered[side], known(&loop->side[side]));
		if (!it->side[side].seen || known(&it->side[side]) < sat_mul(outside, 5))
			return false;
	}
	return d->by == DIFF_BY_TOTAL;
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
	if (!b->seen || !n->seen ||
	    fabs((double)(n->thousandths - b->thousandths)) > 0.1 * (double)b->thousandths)
		return;
	vec_each (it, &d->functions) {
		double eb = (double)it->side[BASE].each, en = (double)it->side[NEW].each;
		if (it->side[BASE].thousandths < ALIKE_CALLS * 1000 ||
		    it->side[NEW].thousandths < ALIKE_CALLS * 1000 || !it->side[BASE].seen ||
		    !it->side[NEW].seen || eb <= 0 || en <= 0)
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

#define FUNCTIONS_TOLD 3

/* A tenth of the whole change of a window, or of what changed most. */
static int64_t least_told(const struct trace_diff *d)
{
	int64_t whole = d->functions.n ? d->functions.at[0].weight : 0;
	if (d->by == DIFF_BY_TOTAL)
		whole = llabs(sat_sub(d->covered[NEW], d->covered[BASE]));
	return whole;
}

static bool is_partial(const struct item_diff *it)
{
	return it->side[BASE].partial || it->side[NEW].partial;
}

static int64_t count_partial(const struct item_list *items)
{
	int64_t n = 0;
	vec_each (it, items)
		n += is_partial(it);
	return n;
}

void diff_causes_report(struct trace_diff *d, struct section *s)
{
	struct arena *a = &d->report->arena;
	const struct item_diff *loop = d->loops.n && d->loops.at[0].weight ? &d->loops.at[0] : NULL;
	if (loop) {
		struct finding *f = report_finding(d->report, s, "loop",
						   arena_printf(a, "the loop %s%s: %s", loop->name,
								fills_text(d, loop, a),
								change_sentence(d, loop, true, a)));
		shift_facts(f, loop);
	}
	size_t told = 0;
	vec_each (it, &d->functions) {
		if (told == FUNCTIONS_TOLD || sat_mul(it->weight, 10) < least_told(d) ||
		    !it->weight)
			break;
		bool inside = loop && in_loop(d, loop, it);
		struct finding *f =
			report_finding(d->report, s, "function",
				       arena_printf(a, "%s%s: %s", inside ? "of that, " : "",
						    it->name, change_sentence(d, it, false, a)));
		shift_facts(f, it);
		f->indent = inside;
		told++;
	}
	if (loop && d->by == DIFF_BY_TOTAL)
		price_sentence(d, loop, s);
	if (!loop && !told && d->functions.n && d->by != DIFF_BY_TOTAL && !count_partial(&d->loops))
		report_finding(d->report, s, "alike",
			       "no function and no loop takes more or less than before");
}

static bool is_poor(const struct report *r)
{
	bool poor = false;
	vec_each (s, &r->sections) /* one of each CPU whose functions were traced */
		poor |= strcmp((*s)->key, "trust") == 0 && (*s)->note &&
			strcmp((*s)->note, "poor") == 0;
	return poor;
}

void diff_poor_report(struct trace_diff *d, struct section *s)
{
	for (int side = BASE; side < SIDES; side++) {
		size_t poor = 0;
		for (size_t i = 0; i < d->side[side]->n; i++)
			poor += is_poor(&d->side[side]->reports[i]);
		if (poor)
			report_finding(
				d->report, s, "poor",
				arena_printf(
					&d->report->arena,
					"%s: %zu of %zu traces are of poor trust (dwell explain "
					"says why)",
					d->side[side]->label, poor, d->side[side]->n));
	}
}

/* -- Tables ------------------------------------------------------------------------------------- */

enum shown { SHOWN_TOTAL, SHOWN_NUMBER, SHOWN_EACH, SHOWN_INCLUSIVE };

/* Two columns, of the base and of the new one. */
struct twin {
	enum shown what;
	const char *base, *new, *title;
};

#define TWINS 4

/* The second of them is by number, and the last for graphs alone. */
static const struct twin twins[][TWINS] = {
	[DIFF_BY_TOTAL] = {
		{ SHOWN_TOTAL, "base_ns", "new_ns", "base" },
		{ SHOWN_NUMBER, "base_number", "new_number", NULL },
		{ SHOWN_EACH, "base_each_ns", "new_each_ns", "each" },
	},
	[DIFF_BY_SECOND] = {
		{ SHOWN_TOTAL, "base_ns_per_s", "new_ns_per_s", "base" },
		{ SHOWN_NUMBER, "base_number_per_s", "new_number_per_s", NULL },
		{ SHOWN_EACH, "base_each_ns", "new_each_ns", "each" },
		{ SHOWN_INCLUSIVE, "base_total_ns_per_s", "new_total_ns_per_s", "total" },
	},
	[DIFF_BY_EACH] = {
		{ SHOWN_EACH, "base_each_ns", "new_each_ns", "each" },
		{ SHOWN_NUMBER, "base_number", "new_number", NULL },
		{ SHOWN_TOTAL, "base_ns", "new_ns", "in all" },
		{ SHOWN_INCLUSIVE, "base_total_ns", "new_total_ns", "total" },
	},
};

static struct value count_value(const struct amount *a)
{
	return a->seen && a->calls != UNKNOWN ? value_count(a->calls) : value_none();
}

static struct value twin_cell(const struct trace_diff *d, const struct amount *a, enum shown what,
			      struct arena *arena)
{
	if (!a->seen)
		return value_none();
	switch (what) {
	case SHOWN_TOTAL:
		return time_value(a->total);
	case SHOWN_EACH:
		return time_value(a->each);
	case SHOWN_INCLUSIVE:
		return time_value(a->inclusive);
	default:
		if (d->by != DIFF_BY_SECOND)
			return count_value(a);
		if (a->thousandths == UNKNOWN)
			return value_none();
		return value_figure((double)a->thousandths / 1000,
				    diff_number_text(d, a->thousandths, arena));
	}
}

static size_t twins_shown(const struct diff_table *how)
{
	return !how->number ? 1 : how->graph ? TWINS : TWINS - 1;
}

/* Where the numbers shown are of a second, how many there are stands beside them in JSON. */
static bool has_counts(const struct trace_diff *d, const struct diff_table *how)
{
	return how->number && d->by == DIFF_BY_SECOND;
}

static void table_head(const struct trace_diff *d, struct table *t, const struct diff_table *how)
{
	struct column *c = t->columns;
	*c++ = (struct column){ "name", "", VALUE_TEXT };
	for (size_t i = 0; i < twins_shown(how); i++) {
		const struct twin *w = &twins[d->by][i];
		enum value_type type = w->what != SHOWN_NUMBER   ? VALUE_TIME
				       : d->by == DIFF_BY_SECOND ? VALUE_FIGURE
								 : VALUE_COUNT;
		const char *title = w->what == SHOWN_NUMBER                ? how->number
				    : how->graph && w->what == SHOWN_TOTAL ? "self"
									   : w->title;
		if (w->what == SHOWN_INCLUSIVE && d->side[BASE]->n + d->side[NEW]->n > 2)
			title = NULL; /* the intervals take its room; JSON has it */
		*c++ = (struct column){ w->base, title, type };
		*c++ = (struct column){ w->new, title ? "new" : NULL, type };
		if (!i)
			*c++ = (struct column){ "change", "change", VALUE_TEXT };
	}
	*c++ = (struct column){ "change_ns", NULL, VALUE_TIME };
	*c++ = (struct column){ "shift_ns", NULL, VALUE_INTERVAL };
	if (has_counts(d, how)) {
		*c++ = (struct column){ "base_number", NULL, VALUE_COUNT };
		*c++ = (struct column){ "new_number", NULL, VALUE_COUNT };
	}
	if (how->loops)
		*c++ = (struct column){ "partial", NULL, VALUE_YES };
}

/* Of a loop that was forgotten once, neither the number nor the time of all turns is known. */
static void partial_report(struct trace_diff *d, const struct item_list *items, struct section *s)
{
	int64_t n = count_partial(items);
	if (!n)
		return;
	struct finding *f = report_finding(
		d->report, s, "partial",
		arena_printf(
			&d->report->arena,
			"%s loop%s partial: a trace held too many loops to keep all, and some "
			"of its turns are in no figure; what a turn costs is compared, not how "
			"many there are",
			units_count(n).s, n == 1 ? " is" : "s are"));
	finding_fact(f, "loops", value_count(n));
}

void diff_table_report(struct trace_diff *d, const struct item_list *items,
		       const struct diff_table *how)
{
	if (!items->n)
		return;
	struct arena *a = &d->report->arena;
	struct section *s = report_section(d->report, how->key, how->title, how->note);
	struct table *t = report_table(d->report, s, how->key);
	table_head(d, t, how);
	t->top = (uint32_t)how->top;
	t->more = "--top N shows more";
	vec_each (it, items) {
		struct value *cell = table_row(t)->cell;
		*cell++ = value_text(it->name);
		for (size_t i = 0; i < twins_shown(how); i++) {
			for (int side = BASE; side < SIDES; side++)
				*cell++ = twin_cell(d, &it->side[side], twins[d->by][i].what, a);
			if (!i)
				*cell++ = value_text(is_partial(it) ? "partial"
								    : shift_text(it, "", a));
		}
		*cell++ = time_value(it->change);
		*cell++ = shift_value(it);
		for (int side = BASE; side < SIDES && has_counts(d, how); side++)
			*cell++ = count_value(&it->side[side]);
		if (how->loops)
			*cell++ = value_yes(is_partial(it));
	}
	if (how->loops)
		partial_report(d, items, s);
}

/* Of a second of trace, or of a call. */
static int64_t asleep_of(const struct trace_diff *d, const struct amount *a)
{
	if (!a->seen || a->asleep == UNKNOWN || d->by == DIFF_BY_SECOND)
		return a->seen ? a->asleep : UNKNOWN;
	return a->thousandths > 0 ? sat_mul(a->asleep, 1000) / a->thousandths : UNKNOWN;
}

struct sleeper {
	const char *name;
	int64_t ns[SIDES], change;
};

static int sleeper_order(const void *a, const void *b)
{
	const struct sleeper *x = a, *y = b;
	int64_t cx = x->change == UNKNOWN ? 0 : llabs(x->change),
		cy = y->change == UNKNOWN ? 0 : llabs(y->change);
	return cx != cy ? (cx < cy ? 1 : -1) : strcmp(x->name, y->name);
}

void diff_asleep_report(struct trace_diff *d, int64_t top)
{
	struct arena *a = &d->report->arena;
	VEC(struct sleeper) all = { 0 };
	vec_each (it, &d->functions) {
		struct sleeper z = { it->name,
				     { asleep_of(d, &it->side[BASE]),
				       asleep_of(d, &it->side[NEW]) },
				     UNKNOWN };
		if (z.ns[BASE] == UNKNOWN && z.ns[NEW] == UNKNOWN)
			continue;
		if (z.ns[BASE] != UNKNOWN && z.ns[NEW] != UNKNOWN)
			z.change = sat_sub(z.ns[NEW], z.ns[BASE]);
		vec_push(&all, z);
	}
	if (!all.n)
		return;
	bool second = d->by == DIFF_BY_SECOND;
	struct section *s =
		report_section(d->report, "asleep", "ASLEEP",
			       second ? "off the CPU, in a second of trace; in no figure above"
				      : "off the CPU, in each call; in no figure above");
	struct table *t = report_table(d->report, s, "asleep");
	const struct column columns[] = {
		{ "name", "", VALUE_TEXT },
		{ second ? "base_asleep_ns_per_s" : "base_asleep_each_ns", "base", VALUE_TIME },
		{ second ? "new_asleep_ns_per_s" : "new_asleep_each_ns", "new", VALUE_TIME },
		{ "change", "change", VALUE_TEXT },
		{ "change_ns", NULL, VALUE_TIME },
	};
	memcpy(t->columns, columns, sizeof(columns));
	t->top = (uint32_t)top;
	t->more = "--top N shows more";
	vec_sort(&all, sleeper_order);
	vec_each (z, &all) {
		struct value *cell = table_row(t)->cell;
		cell[0] = value_text(z->name);
		cell[1] = time_value(z->ns[BASE]);
		cell[2] = time_value(z->ns[NEW]);
		cell[3] = value_text(diff_change_text(z->change, a));
		cell[4] = time_value(z->change);
	}
	vec_fini(&all);
}
