/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All that a comparison says of one class: its figures side by side, and its sites. */
#include <math.h>

#include "analyze/lock_diff_parts.h"
#include "analyze/lock_text.h"
#include "base/sat.h"
#include "base/units.h"

#define LABEL_MAX 14
#define NEGLIGIBLE 0.001
#define SAME 0.005

typedef const char *figure_text(struct arena *a, double v);

static const char *count_text(struct arena *a, double v)
{
	return isfinite(v) ? lock_text_count(a, sat_round(v)) : "-";
}

/* Of a ratio that is told per million. */
static const char *millionths_text(struct arena *a, double v)
{
	return lock_text_number(a, v);
}

/* A line of the table of figures. */
struct figure {
	const char *name;
	struct lock_ratio ratio;
	figure_text *text;       /* of a value */
	const char *unit;        /* of the number in JSON: "count", "share" (1 is all), "ns" */
	figure_text *difference; /* NULL: the factor says enough */
	int metric;              /* enum lock_metric, or -1 */
	bool quiet;              /* no line when it is 0 on both sides */
};

bool lock_diff_waits_little(const struct lock_move *m)
{
	for (int s = 0; s < LOCK_SIDES; s++) {
		const int64_t *n = m->pair->sum[s].n;
		if (n[LOCK_WAIT_TOTAL] == UNKNOWN || n[LOCK_HOLD_TOTAL] == UNKNOWN ||
		    (double)n[LOCK_WAIT_TOTAL] > NEGLIGIBLE * (double)n[LOCK_HOLD_TOTAL])
			return false;
	}
	return true;
}

/* A label that fits its column, or what it stands for. */
static const char *heading(const struct lock_diff *d, int side)
{
	const char *label = d->side[side].label;
	return strlen(label) <= LABEL_MAX ? label : side == LOCK_BASE ? "base" : "new";
}

/* The factor, and the bounds of its interval. */
static void change_cells(struct lock_diff *d, const struct lock_move *m, const struct figure *f,
			 const struct lock_change *c, struct value cell[3])
{
	if (f->metric >= 0) {
		lock_metric_cells(d, m, f->metric, cell);
		return;
	}
	enum value_how how = lock_change_how(c);
	const char *words = lock_change_words(d, c);
	cell[0] = value_known(value_figure(c->factor, lock_text_how(d->arena, how, words)), how);
	cell[1] = cell[2] = value_none();
}

static struct value figure_cell(struct lock_diff *d, figure_text *text, double v,
				enum value_how how)
{
	return value_known(value_figure(v, lock_text_how(d->arena, how, text(d->arena, v))), how);
}

/* Where counting alone makes as much of a difference. */
static const char *remark(const struct lock_diff *d, const struct figure *f,
			  const struct lock_change *c)
{
	double z = d->moves.z > 0 ? d->moves.z : 2;
	if (f->ratio.under == LOCK_PER_NOTHING || d->moves.testable || !isfinite(c->error))
		return NULL;
	if (c->value[LOCK_BASE] == c->value[LOCK_NEW])
		return NULL;
	return lock_change_beyond(c, z) ? NULL : "within counting error";
}

static void add_figure(struct lock_diff *d, struct table *t, const struct lock_move *m,
		       const struct figure *f)
{
	struct lock_change c = lock_change_of(&f->ratio, m->pair);
	double a = c.value[LOCK_BASE], b = c.value[LOCK_NEW];
	double by = f->text == millionths_text ? 1e6 : 1;
	if ((isnan(a) && isnan(b)) || (a == 0 && b == 0 && f->quiet))
		return;
	struct row *row = table_row(t);
	struct value change[3];
	const char *why = remark(d, f, &c);
	change_cells(d, m, f, &c, change);
	row->cell[0] = value_text(f->name);
	row->cell[1] = figure_cell(d, f->text, by * a, c.how[LOCK_BASE]);
	row->cell[2] = figure_cell(d, f->text, by * b, c.how[LOCK_NEW]);
	row->cell[3] = change[0];
	row->cell[4] = f->difference && isfinite(b - a) && a != b
			       ? figure_cell(d, f->difference, b - a, lock_change_how(&c))
			       : value_figure(b - a, "");
	row->cell[5] = value_text(why ? why : "");
	row->cell[6] = change[1];
	row->cell[7] = change[2];
	row->cell[8] = value_text(f->unit);
}

static void add_per_unit(struct lock_diff *d, struct table *t, const struct lock_move *m)
{
	const char *unit = lock_unit_name(d);
	const struct figure figures[] = {
		{ arena_printf(d->arena, "acquisitions per %s", unit),
		  { LOCK_ACQUISITIONS, LOCK_PER_WORK },
		  lock_text_number,
		  "count",
		  NULL,
		  -1,
		  false },
		{ arena_printf(d->arena, "contentions per %s", unit),
		  { LOCK_CONTENTIONS, LOCK_PER_WORK },
		  lock_text_number,
		  "count",
		  NULL,
		  LOCK_METRIC_RATE,
		  true },
		{ arena_printf(d->arena, "wait per %s", unit),
		  { LOCK_WAIT_TOTAL, LOCK_PER_WORK },
		  lock_text_mean,
		  "ns",
		  NULL,
		  LOCK_METRIC_WAIT,
		  true },
		{ arena_printf(d->arena, "hold per %s", unit),
		  { LOCK_HOLD_TOTAL, LOCK_PER_WORK },
		  lock_text_mean,
		  "ns",
		  NULL,
		  LOCK_METRIC_HOLD,
		  false },
	};
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
		add_figure(d, t, m, &figures[i]);
}

static void add_figures(struct lock_diff *d, struct table *t, const struct lock_move *m)
{
	bool by_acquisition = d->moves.ratio[LOCK_METRIC_HOLD].under == LOCK_ACQUISITIONS;
	const struct figure figures[] = {
		{ "acquisitions",
		  { LOCK_ACQUISITIONS, LOCK_PER_NOTHING },
		  count_text,
		  "count",
		  NULL,
		  -1,
		  false },
		{ "bounces per acquisition",
		  { LOCK_ACQ_BOUNCES, LOCK_ACQUISITIONS },
		  lock_text_percent,
		  "share",
		  NULL,
		  LOCK_METRIC_BOUNCES,
		  false },
		{ "contentions per million",
		  { LOCK_CONTENTIONS, LOCK_ACQUISITIONS },
		  millionths_text,
		  "count",
		  NULL,
		  by_acquisition ? LOCK_METRIC_RATE : -1,
		  true },
		{ "contentions",
		  { LOCK_CONTENTIONS, LOCK_PER_NOTHING },
		  count_text,
		  "count",
		  NULL,
		  -1,
		  false },
		{ "wait, mean",
		  { LOCK_WAIT_TOTAL, LOCK_CONTENTIONS },
		  lock_text_mean,
		  "ns",
		  lock_text_difference,
		  -1,
		  true },
		{ "wait, longest",
		  { LOCK_WAIT_MAX, LOCK_PER_NOTHING },
		  lock_text_mean,
		  "ns",
		  NULL,
		  -1,
		  true },
		{ "wait, total",
		  { LOCK_WAIT_TOTAL, LOCK_PER_NOTHING },
		  lock_text_total,
		  "ns",
		  lock_text_total_change,
		  -1,
		  true },
		{ "hold, mean",
		  { LOCK_HOLD_TOTAL, LOCK_ACQUISITIONS },
		  lock_text_mean,
		  "ns",
		  lock_text_difference,
		  by_acquisition ? LOCK_METRIC_HOLD : -1,
		  false },
		{ "hold, longest",
		  { LOCK_HOLD_MAX, LOCK_PER_NOTHING },
		  lock_text_mean,
		  "ns",
		  NULL,
		  -1,
		  false },
		{ "hold, total",
		  { LOCK_HOLD_TOTAL, LOCK_PER_NOTHING },
		  lock_text_total,
		  "ns",
		  lock_text_total_change,
		  -1,
		  false },
	};
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
		add_figure(d, t, m, &figures[i]);
}

static const struct column figure_columns[TABLE_COLUMNS] = {
	{ "figure", "", VALUE_TEXT },         { "base", "", VALUE_FIGURE },
	{ "new", "", VALUE_FIGURE },          { "change", "change", VALUE_FIGURE },
	{ "difference", "", VALUE_FIGURE },   { "remark", "", VALUE_TEXT },
	{ "change_low", NULL, VALUE_FIGURE }, { "change_high", NULL, VALUE_FIGURE },
	{ "unit", NULL, VALUE_TEXT },
};

static void figures(struct lock_diff *d, struct section *s, const struct lock_move *m)
{
	struct table *t = report_table(d->report, s, "figures");
	memcpy(t->columns, figure_columns, sizeof(t->columns));
	t->columns[1].title = heading(d, LOCK_BASE);
	t->columns[2].title = heading(d, LOCK_NEW);
	t->none = "none, or not known";
	if (d->options->unit != LOCK_BY_ACQUISITIONS)
		add_per_unit(d, t, m);
	add_figures(d, t, m);
}

/* The exact figures, for JSON: everything above follows from them. */
static void facts(struct lock_diff *d, struct section *s, const struct lock_pair *p)
{
	struct finding *f = report_finding(d->report, s, "class", NULL);
	finding_fact(f, "name", value_text(p->name));
	finding_fact(f, "base_name", value_text(p->was));
	for (int side = 0; side < LOCK_SIDES; side++) {
		for (int c = 0; c < LOCK_COLUMNS; c++) {
			const char *key = lock_column_key((enum lock_column)c);
			bool time = lock_column_is_time((enum lock_column)c);
			int64_t n = p->sum[side].n[c];
			if (c == LOCK_WAIT_AVG || c == LOCK_HOLD_AVG)
				continue;
			key = arena_printf(d->arena, "%s_%s%s", side == LOCK_BASE ? "base" : "new",
					   key, time ? "_ns" : "");
			finding_fact(f, key,
				     n == UNKNOWN
					     ? value_none()
					     : value_known(value_count(n), p->sum[side].how[c]));
		}
	}
}

/*
 * Number and duration
 */
struct split_words {
	const char *key, *name, *longer, *shorter, *more, *fewer;
	enum lock_column count, total;
};

static const char *split_sentence(struct lock_diff *d, const struct split_words *w,
				  const struct lock_split *x)
{
	struct arena *a = d->arena;
	const char *duration = x->duration_factor < 1 ? w->shorter : w->longer;
	const char *number = x->number_factor < 1 ? w->fewer : w->more;
	const char *by_duration = lock_diff_figure(
		d, x->how, lock_text_range(a, x->by_duration[0], x->by_duration[1]));
	const char *by_number =
		lock_diff_figure(d, x->how, lock_text_range(a, x->by_number[0], x->by_number[1]));
	bool agree = (x->duration_factor < 1) == (x->number_factor < 1);
	const char *size = lock_diff_figure(d, x->how, lock_text_total(a, fabs(x->total)));
	const char *way = x->total < 0 ? "less" : "more";
	if (fabs(x->duration_factor - 1) < SAME)
		return arena_printf(a, "%s: %s %s, by %s", w->name, size, way, number);
	if (fabs(x->number_factor - 1) < SAME)
		return arena_printf(a, "%s: %s %s, by %s", w->name, size, way, duration);
	if (agree)
		return arena_printf(a, "%s: %s %s; %s of it by %s, the rest by %s", w->name, size,
				    way, by_duration, duration, number);
	return arena_printf(a, "%s: %s %s; %s %s by %s, %s %s by %s", w->name, size, way,
			    by_duration, x->duration_factor < 1 ? "less" : "more", duration,
			    by_number, x->number_factor < 1 ? "less" : "more", number);
}

static void split(struct lock_diff *d, struct section *s, const struct lock_move *m,
		  const struct split_words *w)
{
	struct lock_split x;
	if (!lock_split_of(m->pair, w->count, w->total, &x) || fabs(x.total) < 1 ||
	    (fabs(x.duration_factor - 1) < SAME && fabs(x.number_factor - 1) < SAME))
		return;
	struct finding *f = lock_diff_say(d, s, w->key, split_sentence(d, w, &x));
	finding_fact(f, "change_ns", value_known(value_count(sat_round(x.total)), x.how));
	finding_fact(f, "by_duration_at_new_number_ns",
		     value_known(value_count(sat_round(x.by_duration[0])), x.how));
	finding_fact(f, "by_duration_at_base_number_ns",
		     value_known(value_count(sat_round(x.by_duration[1])), x.how));
}

static void splits(struct lock_diff *d, struct section *s, const struct lock_move *m)
{
	static const struct split_words hold = {
		"hold_split",        "hold, total",        "longer holds",    "shorter holds",
		"more acquisitions", "fewer acquisitions", LOCK_ACQUISITIONS, LOCK_HOLD_TOTAL,
	};
	static const struct split_words wait = {
		"wait_split", "wait, total", "longer waits",   "shorter waits",
		"more waits", "fewer waits", LOCK_CONTENTIONS, LOCK_WAIT_TOTAL,
	};
	split(d, s, m, &wait);
	split(d, s, m, &hold);
}

/*
 * Sites
 */
static const char *without_words(const struct lock_diff *d, const struct lock_places_pair *p)
{
	const char *share[LOCK_SIDES];
	for (int s = 0; s < LOCK_SIDES; s++) {
		int64_t n = p->without[s];
		if (n == UNKNOWN)
			share[s] = "an unknown part";
		else
			share[s] =
				lock_text_how(d->arena, p->how[s],
					      arena_printf(d->arena, "%s",
							   units_share(n < 0 ? 0 : n, p->of[s]).s));
	}
	if (p->without[LOCK_BASE] == 0 && p->without[LOCK_NEW] == 0)
		return "of all contentions";
	if (p->without[LOCK_BASE] == UNKNOWN && p->without[LOCK_NEW] == UNKNOWN)
		return "how many contentions have no site is not known";
	const struct lock_view *view = d->side[LOCK_BASE].runs[0];
	bool keeps_four = view->lock_stat && !view->run;
	return arena_printf(d->arena, "of all contentions; %s and %s have no site%s",
			    share[LOCK_BASE], share[LOCK_NEW],
			    keeps_four ? ": lock_stat keeps four" : "");
}

static const char *site_remark(const struct lock_diff *d, const struct lock_place_pair *p)
{
	if (p->maybe)
		return arena_printf(d->arena, "possibly %s", p->maybe);
	return p->wrapper ? "a wrapper" : "";
}

static void add_site(struct lock_diff *d, struct table *t, const struct lock_places_pair *all,
		     const struct lock_place_pair *p)
{
	struct row *row = table_row(t);
	row->cell[0] = value_text(p->symbol);
	for (int s = 0; s < LOCK_SIDES; s++) {
		bool listed = p->count[s] != UNKNOWN;
		row->cell[1 + 2 * s] = listed ? value_count(p->count[s]) : value_none();
		row->cell[2 + 2 * s] =
			listed && all->of[s] > 0
				? value_known(value_share(p->count[s], all->of[s]), all->how[s])
				: value_figure(NAN, "");
	}
	row->cell[5] = value_text(site_remark(d, p));
}

static const struct column site_columns[TABLE_COLUMNS] = {
	{ "site", "", VALUE_TEXT },        { "base", "", VALUE_COUNT },
	{ "base_share", "", VALUE_SHARE }, { "new", "", VALUE_COUNT },
	{ "new_share", "", VALUE_SHARE },  { "remark", "", VALUE_TEXT },
};

static void site_findings(struct lock_diff *d, struct section *s,
			  const struct lock_places_pair *all, bool holding)
{
	bool wrapper = false;
	for (size_t i = 0; i < all->n; i++) {
		const struct lock_place_pair *p = &all->at[i];
		wrapper |= p->wrapper;
		if (!p->maybe || p->count[LOCK_BASE] <= 0)
			continue;
		report_finding(d->report, s, "maybe",
			       arena_printf(d->arena,
					    "%s is possibly the same site as %s, seen through "
					    "inlining; not merged (--alias '%s=%s' would).",
					    p->symbol, p->maybe, p->symbol, p->maybe));
	}
	if (all->n == 1 && wrapper)
		report_finding(
			d->report, s, "wrapper",
			arena_printf(d->arena,
				     "Its one site, %s, is a wrapper that takes the lock for "
				     "its callers: the table cannot say who %s.",
				     all->at[0].symbol, holding ? "holds it" : "waits"));
	else if (wrapper)
		report_finding(d->report, s, "wrappers",
			       "A wrapper takes the lock for its callers: who they are is not "
			       "told.");
}

static void sites(struct lock_diff *d, const struct lock_move *m, bool holding)
{
	struct lock_places_pair p =
		lock_align_places(d->arena, &d->align, m->pair, holding, d->options->aliases);
	if (!p.n)
		return;
	struct section *s =
		report_section(d->report, holding ? "held_at" : "waiting_at",
			       holding ? "HELD AT" : "WAITING AT", without_words(d, &p));
	struct table *t = report_table(d->report, s, "sites");
	memcpy(t->columns, site_columns, sizeof(t->columns));
	t->columns[1].title = heading(d, LOCK_BASE);
	t->columns[3].title = heading(d, LOCK_NEW);
	t->none = "not listed, which is not 0";
	t->top = (uint32_t)d->options->top;
	t->more = "--top N";
	for (size_t i = 0; i < p.n; i++)
		add_site(d, t, &p, &p.at[i]);
	site_findings(d, s, &p, holding);
}

/* "lines 3 and 13", of the first run on either side that has it */
static const char *lines(const struct lock_diff *d, const struct lock_pair *p)
{
	const struct lock_class *base = NULL, *new = NULL;
	for (size_t i = 0; i < d->align.runs[LOCK_BASE]; i++)
		base = base ? base : p->run[i];
	for (size_t i = 0; i < d->align.runs[LOCK_NEW]; i++)
		new = new ? new : p->run[d->align.runs[LOCK_BASE] + i];
	if (!base || !new || !base->line || !new->line)
		return NULL;
	return arena_printf(d->arena, "line %u of the base, line %u of the new", base->line,
			    new->line);
}

void lock_diff_class(struct lock_diff *d, const struct lock_move *m)
{
	const struct lock_pair *p = m->pair;
	struct section *s = report_section(d->report, "class", p->name, lines(d, p));
	if (p->was)
		report_finding(d->report, s, "renamed",
			       arena_printf(d->arena, "the base calls it %s", p->was));
	figures(d, s, m);
	splits(d, s, m);
	facts(d, s, p);
	sites(d, m, false);
	sites(d, m, true);
}
