/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/trace_diff_item.h"

#include <math.h>
#include <stdlib.h>

#include "base/sat.h"
#include "stat/rank.h"

static int int64_order(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

int64_t diff_median(int64_t *v, size_t n)
{
	qsort(v, n, sizeof(*v), int64_order);
	return n ? v[(n - 1) / 2] : UNKNOWN;
}

struct value trace_diff_fact(const struct report *r, const char *section, const char *finding,
			     const char *key)
{
	return finding_get(section_get(report_get(r, section), finding), key);
}

static int64_t number_of(struct value v)
{
	return v.type == VALUE_TIME || v.type == VALUE_COUNT ? v.number : UNKNOWN;
}

int64_t trace_diff_number(const struct report *r, const char *section, const char *finding,
			  const char *key)
{
	return number_of(trace_diff_fact(r, section, finding, key));
}

static int64_t covered_of(const struct report *r)
{
	int64_t covered = trace_diff_number(r, "trust", "coverage", "covered_ns");
	return covered != UNKNOWN ? covered
				  : trace_diff_number(r, "headline", "headline", "latency_ns");
}

void trace_diff_windows(struct trace_diff *d, int side)
{
	int64_t length[TRACE_DIFF_MAX], covered[TRACE_DIFF_MAX], entries[TRACE_DIFF_MAX];
	const struct trace_diff_side *s = d->side[side];
	for (size_t i = 0; i < s->n; i++) {
		length[i] = trace_diff_number(&s->reports[i], "headline", "headline", "latency_ns");
		covered[i] = covered_of(&s->reports[i]);
		entries[i] = trace_diff_number(&s->reports[i], "headline", "headline", "entries");
		d->cut[side] += covered[i] < length[i] - length[i] / 20;
	}
	d->length[side] = diff_median(length, s->n);
	d->covered[side] = diff_median(covered, s->n);
	d->entries[side] = diff_median(entries, s->n);
}

/* -- What each report says --------------------------------------------------------------------- */

static void items_init(struct item_list *l)
{
	*l = (struct item_list){ 0 };
	intern_init(&l->names, DIFF_NAMES_MAX);
}

void items_fini(struct item_list *l)
{
	intern_fini(&l->names);
	vec_fini(&l->of);
	vec_fini(l);
}

/* Names beyond the cap are one, "(other)". */
static struct item_diff *item_of(struct trace_diff *d, struct item_list *l, const char *name)
{
	uint32_t id = intern_id(&l->names, str_of(name));
	while (l->of.n <= id)
		vec_push(&l->of, 0);
	if (l->of.at[id])
		return &l->at[l->of.at[id] - 1];
	struct arena *a = &d->report->arena;
	struct item_diff it = { .name = id == INTERN_OTHER ? "(other)" : name };
	for (int side = BASE; side < SIDES; side++)
		it.run[side] = arena_alloc(a, d->side[side]->n * sizeof(*it.run[side]));
	vec_push(l, it);
	l->of.at[id] = (uint32_t)l->n;
	return vec_last(l);
}

static struct value cell_of(const struct table *t, const struct row *row, const char *key)
{
	for (size_t i = 0; key && i < TABLE_COLUMNS && t->columns[i].key; i++) {
		if (strcmp(t->columns[i].key, key) == 0)
			return row->cell[i];
	}
	return value_none();
}

/* What several rows say together: what is known. */
static void sum_known(const struct run_amount *r, int64_t *sum, int64_t v)
{
	if (!r->rows || *sum == UNKNOWN)
		*sum = v;
	else if (v != UNKNOWN)
		sat_sum(sum, v);
}

static void take_row(struct run_amount *r, const struct table_source *from, const struct table *t,
		     const struct row *row)
{
	int64_t calls = number_of(cell_of(t, row, from->calls));
	sum_known(r, &r->total, number_of(cell_of(t, row, from->total)));
	sum_known(r, &r->calls, calls);
	sum_known(r, &r->timed, from->timed ? number_of(cell_of(t, row, from->timed)) : calls);
	sum_known(r, &r->inclusive, number_of(cell_of(t, row, from->inclusive)));
	sum_known(r, &r->asleep, number_of(cell_of(t, row, from->asleep)));
	r->rows++;
}

static void take_report(struct trace_diff *d, int side, size_t which,
			const struct table_source *from, struct item_list *items)
{
	const struct report *r = &d->side[side]->reports[which];
	vec_each (s, &r->sections) {
		if (strcmp((*s)->key, from->section) != 0)
			continue;
		const struct table *t = section_table(*s, from->table);
		for (size_t i = 0; t && i < t->rows.n; i++) {
			const struct row *row = &t->rows.at[i];
			struct item_diff *it = item_of(d, items, row->cell[0].text);
			take_row(&it->run[side][which], from, t, row);
		}
	}
}

static void take_loop(struct run_amount *r, const struct finding *f)
{
	sum_known(r, &r->total, finding_get(f, "total_ns").number);
	sum_known(r, &r->calls, finding_get(f, "turns").number);
	r->timed = r->calls;
	r->inclusive = r->asleep = UNKNOWN;
	/* One loop's interval is not that of several. */
	r->cost = r->rows ? value_none() : finding_get(f, "cost_ns");
	r->rows++;
}

static void take_loops(struct trace_diff *d, int side, size_t which)
{
	const struct report *r = &d->side[side]->reports[which];
	struct run_amount *last = NULL;
	vec_each (s, &r->sections) {
		if (strcmp((*s)->key, "loops") != 0)
			continue;
		vec_each (it, &(*s)->items) {
			const struct finding *f = it->finding;
			if (f && strcmp(f->key, "loop") == 0) {
				const char *path = finding_get(f, "path").text;
				last = &item_of(d, &d->loops, path)->run[side][which];
				take_loop(last, f);
			} else if (f && last && strcmp(f->key, "partial") == 0) {
				last->partial = true;
			}
		}
	}
}

/* -- What a side says -------------------------------------------------------------------------- */

#define NS_PER_S 1000000000

int64_t trace_diff_per_s(const struct trace_diff *d, int side, size_t run, int64_t v)
{
	int64_t length = d->lengths[side][run];
	__int128 per_s = ((__int128)v * NS_PER_S + length / 2) / length;
	return per_s > INT64_MAX ? INT64_MAX : per_s < -INT64_MAX ? -INT64_MAX : (int64_t)per_s;
}

/* v of the whole trace, or of a second of it, as things are compared. */
static int64_t scaled(const struct trace_diff *d, int side, size_t run, int64_t v)
{
	return d->by != DIFF_BY_SECOND || v == UNKNOWN ? v : trace_diff_per_s(d, side, run, v);
}

static int64_t each_of(const struct run_amount *r)
{
	if (r->cost.type == VALUE_INTERVAL)
		return r->cost.mid;
	if (r->total == UNKNOWN || r->timed == UNKNOWN || r->timed <= 0)
		return UNKNOWN;
	return sat_add(r->total, r->timed / 2) / r->timed;
}

enum figure { TOTAL, CALLS, NUMBER, EACH, INCLUSIVE, ASLEEP, FIGURES };

static int64_t figure_of(const struct trace_diff *d, int side, size_t run,
			 const struct run_amount *r, enum figure which)
{
	if (r->partial && which != EACH)
		return UNKNOWN;
	switch (which) {
	case TOTAL:
		return scaled(d, side, run, r->total);
	case CALLS:
		return r->calls;
	case NUMBER:
		return r->calls == UNKNOWN ? UNKNOWN
					   : scaled(d, side, run, sat_mul(r->calls, 1000));
	case EACH:
		return each_of(r);
	case INCLUSIVE:
		return scaled(d, side, run, r->inclusive);
	default:
		return scaled(d, side, run, r->asleep);
	}
}

static void side_medians(const struct trace_diff *d, int side, struct item_diff *it)
{
	int64_t v[FIGURES][TRACE_DIFF_MAX];
	size_t n[FIGURES] = { 0 };
	struct amount *a = &it->side[side];
	for (size_t i = 0; i < d->side[side]->n; i++) {
		const struct run_amount *r = &it->run[side][i];
		a->seen += r->rows > 0;
		a->partial += r->partial;
		for (int k = TOTAL; r->rows && k < FIGURES; k++) {
			int64_t figure = figure_of(d, side, i, r, (enum figure)k);
			if (figure != UNKNOWN)
				v[k][n[k]++] = figure;
		}
	}
	a->total = diff_median(v[TOTAL], n[TOTAL]);
	a->calls = diff_median(v[CALLS], n[CALLS]);
	a->thousandths = diff_median(v[NUMBER], n[NUMBER]);
	a->each = diff_median(v[EACH], n[EACH]);
	a->inclusive = diff_median(v[INCLUSIVE], n[INCLUSIVE]);
	a->asleep = diff_median(v[ASLEEP], n[ASLEEP]);
}

/*
 * How much of the difference it makes. Where the lengths are not known, so is how often a thing
 * happens: then what counts is what its new price makes of the new trace, or all that it took where
 * one side alone has it. A loop of too few turns is none: where a trace has none, there may still
 * be a turn or two.
 */
static void weigh(const struct trace_diff *d, struct item_diff *it, bool loop)
{
	const struct amount *b = &it->side[BASE], *n = &it->side[NEW];
	it->change = UNKNOWN;
	if ((!b->seen || !n->seen) && (d->by == DIFF_BY_EACH || (loop && d->by != DIFF_BY_TOTAL))) {
		it->weight = b->seen ? known(b) : known(n);
	} else if (d->by != DIFF_BY_EACH) {
		if ((b->seen && b->total == UNKNOWN) || (n->seen && n->total == UNKNOWN))
			return;
		it->change = sat_sub(known(n), known(b));
		it->weight = it->change < 0 ? -it->change : it->change;
	} else if (b->each != UNKNOWN && n->each != UNKNOWN && n->thousandths != UNKNOWN) {
		it->change = sat_sub(n->each, b->each);
		it->weight =
			sat_mul(it->change < 0 ? -it->change : it->change, n->thousandths / 1000);
	}
}

/*
 * What is compared, of each report of a side. A function that a report does not name was not
 * called; a loop that it does not name may be below what is told, and is not known. False: some
 * report does not say.
 */
static bool samples(const struct trace_diff *d, int side, const struct item_diff *it, bool loops,
		    double *v)
{
	for (size_t i = 0; i < d->side[side]->n; i++) {
		const struct run_amount *r = &it->run[side][i];
		bool absent_is_0 = d->by == DIFF_BY_TOTAL || (d->by == DIFF_BY_SECOND && !loops);
		int64_t figure = UNKNOWN;
		if (!r->rows)
			figure = absent_is_0 ? 0 : UNKNOWN;
		else
			figure = figure_of(d, side, i, r, d->by == DIFF_BY_EACH ? EACH : TOTAL);
		if (figure == UNKNOWN)
			return false;
		v[i] = (double)figure;
	}
	return true;
}

static int weight_order(const void *a, const void *b)
{
	int64_t x = ((const struct item_diff *)a)->weight,
		y = ((const struct item_diff *)b)->weight;
	return (x < y) - (x > y);
}

#define SHIFTS_MAX 64 /* of the items that changed most: each is worked out of all pairs of runs */

static void work_out(const struct trace_diff *d, struct item_list *items, bool loops)
{
	double base[TRACE_DIFF_MAX], new[TRACE_DIFF_MAX];
	size_t n = d->side[BASE]->n, m = d->side[NEW]->n;
	vec_each (it, items) {
		side_medians(d, BASE, it);
		side_medians(d, NEW, it);
		weigh(d, it, loops);
	}
	vec_sort(items, weight_order);
	for (size_t i = 0; i < items->n && i < SHIFTS_MAX && n + m > 2; i++) {
		struct item_diff *it = &items->at[i];
		it->have_shift = samples(d, BASE, it, loops, base) &&
				 samples(d, NEW, it, loops, new) &&
				 stat_rank_sum_shift(base, n, new, m, 0.05, &it->shift) &&
				 !isnan(it->shift.low);
	}
}

void trace_diff_items(struct trace_diff *d, const struct table_source *from,
		      struct item_list *items)
{
	items_init(items);
	for (int side = BASE; side < SIDES; side++) {
		for (size_t i = 0; i < d->side[side]->n; i++)
			take_report(d, side, i, from, items);
	}
	work_out(d, items, false);
}

void trace_diff_loops(struct trace_diff *d)
{
	items_init(&d->loops);
	for (int side = BASE; side < SIDES; side++) {
		for (size_t i = 0; i < d->side[side]->n; i++)
			take_loops(d, side, i);
	}
	work_out(d, &d->loops, true);
}
