/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/lock_diff.h"

#include <math.h>

#include "analyze/lock_caution.h"
#include "analyze/lock_diff_parts.h"
#include "analyze/lock_text.h"
#include "base/sat.h"
#include "base/units.h"

const char *lock_diff_figure(struct lock_diff *d, enum value_how how, const char *figure)
{
	d->said = how_both(d->said, how);
	return lock_text_how(d->arena, how, figure);
}

struct finding *lock_diff_say(struct lock_diff *d, struct section *s, const char *key,
			      const char *text)
{
	struct finding *f = report_finding(d->report, s, key, text);
	f->how = d->said;
	d->said = VALUE_EXACT;
	return f;
}

const char *lock_unit_name(const struct lock_diff *d)
{
	switch (d->options->unit) {
	case LOCK_BY_WORK:
		return "unit of work";
	case LOCK_BY_SECONDS:
		return "second";
	default:
		return d->moves.ratio[LOCK_METRIC_RATE].under == LOCK_PER_NOTHING ? ""
										  : "acquisition";
	}
}

/* Short enough for a column. */
const char *lock_metric_name(const struct lock_diff *d, int metric)
{
	static const char *const names[LOCK_METRICS][3] = {
		{ "bounces/acq.", "bounces/acq.", "bounces/acq." },
		{ "contentions/M", "contentions/unit", "contentions/s" },
		{ "wait/acq.", "wait/unit", "wait/s" },
		{ "hold, mean", "hold/unit", "hold/s" },
	};
	static const char *const bare[LOCK_METRICS] = { "bounces/acq.", "contentions", "wait",
							"hold" };
	if (d->moves.ratio[LOCK_METRIC_RATE].under == LOCK_PER_NOTHING)
		return bare[metric];
	return names[metric][d->options->unit];
}

/* As it is written: contentions per acquisition are told per million. */
static double metric_figure(const struct lock_diff *d, const struct lock_move *m, int metric,
			    int side)
{
	bool million =
		metric == LOCK_METRIC_RATE && d->moves.ratio[metric].under == LOCK_ACQUISITIONS;
	return m->change[metric].value[side] * (million ? 1e6 : 1);
}

const char *lock_metric_value(struct lock_diff *d, const struct lock_move *m, int metric, int side)
{
	double value = metric_figure(d, m, metric, side);
	const char *words = metric == LOCK_METRIC_BOUNCES ? lock_text_percent(d->arena, value)
			    : metric == LOCK_METRIC_RATE  ? lock_text_number(d->arena, value)
							  : lock_text_mean(d->arena, value);
	return lock_diff_figure(d, m->change[metric].how[side], words);
}

const char *lock_change_words(const struct lock_diff *d, const struct lock_change *c)
{
	double base = c->value[LOCK_BASE], new = c->value[LOCK_NEW];
	if (base == 0 && new == 0)
		return "same";
	if (base == 0 && new > 0)
		return "from none";
	if (base > 0 && new == 0)
		return "to none";
	return lock_text_factor(d->arena, c->factor);
}

static const char *change_words(const struct lock_diff *d, const struct lock_move *m, int metric)
{
	const struct lock_change *c = &m->change[metric];
	const struct lock_test *t = &m->test[metric];
	if (isfinite(t->shift.low))
		return lock_text_factor_range(d->arena, exp(t->shift.mid), exp(t->shift.low),
					      exp(t->shift.high));
	return lock_change_words(d, c);
}

const char *lock_metric_change(struct lock_diff *d, const struct lock_move *m, int metric)
{
	enum value_how how = lock_change_how(&m->change[metric]);
	return lock_diff_figure(d, how, change_words(d, m, metric));
}

void lock_metric_cells(struct lock_diff *d, const struct lock_move *m, int metric,
		       struct value cell[3])
{
	const struct stat_interval *shift = &m->test[metric].shift;
	bool interval = isfinite(shift->low) && isfinite(shift->high);
	enum value_how how = lock_change_how(&m->change[metric]);
	const char *words = lock_text_how(d->arena, how, change_words(d, m, metric));
	double factor = interval ? exp(shift->mid) : m->change[metric].factor;
	cell[0] = value_known(value_figure(factor, words), how);
	cell[1] = interval ? value_figure(exp(shift->low), "") : value_none();
	cell[2] = interval ? value_figure(exp(shift->high), "") : value_none();
}

/*
 * What moved
 */
static const struct column moved_columns[TABLE_COLUMNS] = {
	{ "class", "", VALUE_TEXT },          { "metric", "", VALUE_TEXT },
	{ "base", "base", VALUE_FIGURE },     { "new", "new", VALUE_FIGURE },
	{ "change", "change", VALUE_FIGURE }, { "also", "also", VALUE_TEXT },
	{ "change_low", NULL, VALUE_FIGURE }, { "change_high", NULL, VALUE_FIGURE },
	{ "unit", NULL, VALUE_TEXT },
};

/* Names wider than this leave no room for what else moved. */
#define NAME_MAX_WITH_ALSO 28

static const char *const metric_words[LOCK_METRICS] = { "bounces", "contentions", "wait", "hold" };

static const char *also(const struct lock_diff *d, const struct lock_move *m)
{
	struct strbuf cleanup_strbuf text = { 0 };
	for (int i = 0; i < LOCK_METRICS; i++) {
		if (i != m->lead && m->moved[i])
			strbuf_printf(&text, "%s%s", text.n ? ", " : "", metric_words[i]);
	}
	return arena_str(d->arena, strbuf_get(&text));
}

static bool has_room(const struct lock_diff *d)
{
	for (size_t i = 0; i < d->moves.moved && i < (size_t)d->options->top; i++) {
		if (strlen(d->moves.at.at[i].pair->name) > NAME_MAX_WITH_ALSO)
			return false;
	}
	return true;
}

/* The ratios of what moved, for JSON, in millionths; counts are with the class itself. */
static void moved_facts(struct lock_diff *d, struct section *s, const struct lock_move *m)
{
	struct finding *f = report_finding(d->report, s, "moved", NULL);
	finding_fact(f, "class", value_text(m->pair->name));
	finding_fact(f, "metric", value_text(metric_words[m->lead]));
	for (int i = 0; i < LOCK_METRICS; i++) {
		const char *key = arena_printf(d->arena, "%s_factor_ppm", metric_words[i]);
		double factor = m->change[i].factor * 1e6;
		bool fits = factor < 9e18; /* false for NAN */
		finding_fact(f, key,
			     fits ? value_known(value_count(sat_round(factor)),
						lock_change_how(&m->change[i]))
				  : value_none());
	}
}

static const char *moved_note(const struct lock_diff *d)
{
	const char *of =
		arena_printf(d->arena, "%s of %s in both", units_count((int64_t)d->moves.moved).s,
			     lock_text_number_of(d->arena, d->moves.at.n, "lock", "locks"));
	if (d->moves.testable)
		return arena_printf(d->arena, "%s; false discoveries held to 5 %% of those named",
				    of);
	return arena_printf(d->arena, "beyond what small counts explain: %s", of);
}

static struct value metric_cell(struct lock_diff *d, const struct lock_move *m, int metric,
				int side)
{
	double figure = metric_figure(d, m, metric, side);
	const char *words = lock_metric_value(d, m, metric, side);
	return value_known(value_figure(figure, words), m->change[metric].how[side]);
}

static void moved_row(struct lock_diff *d, struct table *t, const struct lock_move *m)
{
	static const char *const units[LOCK_METRICS] = { "share", "count", "ns", "ns" };
	struct row *row = table_row(t);
	struct value change[3];
	lock_metric_cells(d, m, m->lead, change);
	row->cell[0] = value_text(m->pair->name);
	row->cell[1] = value_text(lock_metric_name(d, m->lead));
	row->cell[2] = metric_cell(d, m, m->lead, LOCK_BASE);
	row->cell[3] = metric_cell(d, m, m->lead, LOCK_NEW);
	row->cell[4] = change[0];
	row->cell[5] = value_text(also(d, m));
	row->cell[6] = change[1];
	row->cell[7] = change[2];
	row->cell[8] = value_text(units[m->lead]);
}

static void moved(struct lock_diff *d)
{
	if (!d->moves.moved || d->one_class)
		return;
	struct section *s = report_section(d->report, "moved", "MOVED", moved_note(d));
	struct table *t = report_table(d->report, s, "moved");
	memcpy(t->columns, moved_columns, sizeof(t->columns));
	if (!has_room(d))
		t->columns[5].title = NULL; /* JSON has it */
	t->top = (uint32_t)d->options->top;
	t->more = "--top N";
	for (size_t i = 0; i < d->moves.moved; i++) {
		moved_row(d, t, &d->moves.at.at[i]);
		moved_facts(d, s, &d->moves.at.at[i]);
	}
	d->said = VALUE_EXACT; /* in cells, which have it themselves */
}

/*
 * What could not be compared
 */
static enum lock_column weight_column(const struct lock_pair *p, int side)
{
	return p->sum[side].n[LOCK_HOLD_TOTAL] != UNKNOWN ? LOCK_HOLD_TOTAL : LOCK_WAIT_TOTAL;
}

static int64_t weight_of(const struct lock_pair *p, int side)
{
	return p->sum[side].n[weight_column(p, side)];
}

/* The weightiest class of one side alone; NULL: there is none but maps. */
static const struct lock_pair *largest_alone(const struct lock_diff *d, int side)
{
	const struct lock_pair *best = NULL;
	vec_each (p, &d->align.pairs) {
		if (lock_pair_is_both(p) || !p->sum[side].runs || (p->flags & LOCK_MAP))
			continue;
		if (!best || weight_of(p, side) > weight_of(best, side))
			best = p;
	}
	return best;
}

static void alone_on(struct lock_diff *d, struct section *s, int side)
{
	const struct lock_pair *p = largest_alone(d, side);
	if (!d->align.only[side] || !p)
		return;
	int64_t weight = weight_of(p, side);
	enum value_how how = p->sum[side].how[weight_column(p, side)];
	const char *size =
		weight == UNKNOWN
			? ""
			: arena_printf(d->arena, " (%s in all)",
				       lock_diff_figure(d, how,
							lock_text_total(d->arena, (double)weight)));
	struct finding *f =
		lock_diff_say(d, s, side == LOCK_BASE ? "base_only" : "new_only",
			      arena_printf(d->arena, "%s in the %s alone; the largest: %s%s",
					   units_count((int64_t)d->align.only[side]).s,
					   side == LOCK_BASE ? "base" : "new", p->name, size));
	finding_fact(f, "classes", value_count((int64_t)d->align.only[side]));
}

#define MAYBE_SHOWN 3
#define MAYBE_TRIED 256 /* a side */

size_t lock_diff_maybes(const struct lock_diff *d, struct lock_maybe *out, size_t room)
{
	const struct lock_pair *news[MAYBE_TRIED];
	size_t n = 0, found = 0, tried = 0;
	vec_each (p, &d->align.pairs) {
		if (n < MAYBE_TRIED && !p->sum[LOCK_BASE].runs && !(p->flags & LOCK_MAP))
			news[n++] = p;
	}
	vec_each (base, &d->align.pairs) {
		if (base->sum[LOCK_NEW].runs || (base->flags & LOCK_MAP))
			continue;
		if (++tried > MAYBE_TRIED)
			break;
		for (size_t i = 0; i < n && found < room; i++) {
			if (lock_alias_maybe_class(base->name, news[i]->name))
				out[found++] = (struct lock_maybe){ base->name, news[i]->name };
		}
	}
	return found;
}

static void maybes(struct lock_diff *d, struct section *s)
{
	struct lock_maybe maybe[MAYBE_SHOWN];
	size_t n = lock_diff_maybes(d, maybe, MAYBE_SHOWN);
	for (size_t i = 0; i < n; i++) {
		const char *base = maybe[i].base, *new = maybe[i].new;
		report_finding(d->report, s, "maybe",
			       arena_printf(d->arena,
					    "%s is possibly what is now %s; --alias '%s=%s' would "
					    "merge them",
					    base, new, base, new));
	}
}

static void renamed(struct lock_diff *d, struct section *s)
{
	size_t shown = 0;
	vec_each (p, &d->align.pairs) {
		if (!p->was || shown++ >= MAYBE_SHOWN)
			continue;
		report_finding(d->report, s, "renamed",
			       arena_printf(d->arena, "%s is taken for %s: renamed", p->was,
					    p->name));
	}
	if (shown > MAYBE_SHOWN)
		report_finding(d->report, s, "renamed_more",
			       arena_printf(d->arena, "and %zu more were renamed",
					    shown - MAYBE_SHOWN));
}

static void left_out(struct lock_diff *d, struct section *s)
{
	struct arena *a = d->arena;
	size_t numbered = 0, cut = 0;
	vec_each (p, &d->align.pairs) {
		bool counts = lock_pair_is_both(p) && !(p->flags & LOCK_MAP);
		numbered += counts && (p->flags & LOCK_NUMBERED);
		cut += counts && (p->flags & LOCK_CUT);
	}
	if (d->align.maps)
		report_finding(d->report, s, "maps",
			       arena_printf(a,
					    "%s of lockdep and no lock (rcu_read_lock, work items, "
					    "timers, seqcounts): left out",
					    lock_text_number_of(a, d->align.maps, "is a map",
								"are maps")));
	if (d->align.twins)
		report_finding(d->report, s, "twins",
			       arena_printf(a,
					    "%zu %s printed by several rows of one table: which is "
					    "which cannot be told, left out",
					    d->align.twins,
					    d->align.twins == 1 ? "name is" : "names are"));
	if (numbered)
		report_finding(
			d->report, s, "numbered",
			arena_printf(a,
				     "%zu with a number (#2) are matched by it; it goes by "
				     "the order of first use and may mean another lock there",
				     numbered));
	if (cut)
		report_finding(d->report, s, "cut",
			       arena_printf(a,
					    "%s as long as names are printed, and maybe cut: "
					    "different locks may print the same",
					    lock_text_number_of(a, cut, "name is", "names are")));
}

static void not_compared(struct lock_diff *d)
{
	struct section *s = report_section(
		d->report, "alignment", "ALIGNED",
		arena_printf(d->arena, "%s in both",
			     lock_text_number_of(d->arena, d->align.both, "name", "names")));
	struct finding *f = report_finding(d->report, s, "counts", NULL);
	finding_fact(f, "both", value_count((int64_t)d->align.both));
	finding_fact(f, "base_only", value_count((int64_t)d->align.only[LOCK_BASE]));
	finding_fact(f, "new_only", value_count((int64_t)d->align.only[LOCK_NEW]));
	renamed(d, s);
	alone_on(d, s, LOCK_BASE);
	alone_on(d, s, LOCK_NEW);
	maybes(d, s);
	left_out(d, s);
}

/*
 * Conditions
 */
static const char *quantity_words(const struct lock_diff *d, const struct lock_ratio *r, double v)
{
	if (r->over == LOCK_ACQ_BOUNCES && r->under == LOCK_ACQUISITIONS)
		return lock_text_percent(d->arena, v);
	if (!lock_column_is_time((enum lock_column)r->over))
		return lock_text_number(d->arena, v);
	return r->under == LOCK_PER_NOTHING ? lock_text_total(d->arena, v)
					    : lock_text_mean(d->arena, v);
}

static const char *quantity_value(struct lock_diff *d, const struct lock_ratio *r,
				  const struct lock_change *x, int side)
{
	return lock_diff_figure(d, x->how[side], quantity_words(d, r, x->value[side]));
}

static const char *condition_text(struct lock_diff *d, const struct lock_condition *c,
				  enum lock_verdict verdict, const struct lock_pair *worst)
{
	if (verdict == LOCK_HOLDS_NOT)
		return arena_printf(d->arena, "does not hold: %s", c->text);
	if (verdict == LOCK_CANNOT_SAY)
		return arena_printf(d->arena,
				    "cannot be judged: %s (no such class on both sides, too few "
				    "events, or a figure is unknown)",
				    c->text);
	struct lock_change x = lock_change_of(&c->ratio, worst);
	return arena_printf(d->arena, "HOLDS: %s; %s went from %s to %s (%s)", c->text, worst->name,
			    quantity_value(d, &c->ratio, &x, LOCK_BASE),
			    quantity_value(d, &c->ratio, &x, LOCK_NEW),
			    lock_diff_figure(d, lock_change_how(&x),
					     lock_text_factor(d->arena, x.factor)));
}

static enum lock_verdict conditions(struct lock_diff *d)
{
	static const char *const words[] = { "holds_not", "holds", "cannot_say" };
	const struct lock_conditions *all = d->options->conditions;
	enum lock_verdict verdict = LOCK_HOLDS_NOT;
	if (!all || !all->at.n)
		return verdict;
	struct section *s = report_section(d->report, "conditions", "FAIL ON", NULL);
	vec_each (c, &all->at) {
		const struct lock_pair *worst;
		enum lock_verdict v = lock_condition_judge(c, &d->align, &d->moves, &worst);
		struct finding *f =
			lock_diff_say(d, s, "condition", condition_text(d, c, v, worst));
		finding_fact(f, "condition", value_text(c->text));
		finding_fact(f, "verdict", value_text(words[v]));
		finding_fact(f, "class", value_text(worst ? worst->name : NULL));
		if (v == LOCK_HOLDS || verdict == LOCK_HOLDS_NOT)
			verdict = v;
	}
	return verdict;
}

/*
 * All together
 */
static void classes(struct lock_diff *d)
{
	int64_t shown = 0;
	if (!d->options->only) {
		if (d->moves.at.n)
			lock_diff_class(d, &d->moves.at.at[0]);
		return;
	}
	vec_each (m, &d->moves.at) {
		if (shown < d->options->top && lock_name_matches(m->pair->name, d->options->only)) {
			lock_diff_class(d, m);
			shown++;
		}
	}
	if (!shown) {
		struct section *s = report_section(d->report, "class", d->options->only, NULL);
		report_finding(d->report, s, "none", "no lock of this name is in both");
	}
}

/* Tables without acquisitions (perf lock contention) have nothing to be normalised by. */
static int unit_of(const struct lock_diff *d)
{
	if (d->options->unit != LOCK_BY_ACQUISITIONS)
		return LOCK_PER_WORK;
	vec_each (p, &d->align.pairs) {
		if (lock_pair_is_both(p) && p->sum[LOCK_BASE].n[LOCK_ACQUISITIONS] != UNKNOWN)
			return LOCK_ACQUISITIONS;
	}
	return LOCK_PER_NOTHING;
}

static void cautions(struct lock_diff *d)
{
	VEC(const struct lock_view *) all = { 0 };
	for (int s = 0; s < LOCK_SIDES; s++) {
		for (size_t i = 0; i < d->side[s].n; i++)
			vec_push(&all, d->side[s].runs[i]);
	}
	lock_caution_report(all.at, all.n, d->report);
	vec_fini(&all);
}

/* What the answer is about: what moved most, of what was asked for. */
static const struct lock_move *lead_of(const struct lock_diff *d)
{
	vec_each (m, &d->moves.at) {
		if (!d->options->only || lock_name_matches(m->pair->name, d->options->only))
			return m;
	}
	return NULL;
}

enum lock_verdict analyze_lock_diff(const struct lock_side side[LOCK_SIDES],
				    const struct lock_diff_options *o, struct report *r)
{
	struct lock_diff d = { .side = side, .options = o, .report = r, .arena = &r->arena };
	lock_align(&d.align, side, o->aliases, o->work);
	lock_moves_init(&d.moves, &d.align, unit_of(&d), o->paired);
	d.one_class = d.moves.at.n == 1;

	lock_diff_answer(&d, lead_of(&d));
	enum lock_verdict verdict = conditions(&d);
	classes(&d);
	moved(&d);
	not_compared(&d);
	cautions(&d);

	lock_moves_fini(&d.moves);
	lock_alignment_fini(&d.align);
	return verdict;
}
