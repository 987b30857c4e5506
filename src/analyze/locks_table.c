/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lists of locks: waited for, and held. */
#include <math.h>
#include <stdlib.h>

#include "analyze/lock_text.h"
#include "analyze/locks_parts.h"
#include "base/sat.h"

#define COLUMNS 100
#define COLUMN_WIDTH 9 /* of a figure, with the gap before it */
#define FEW 30         /* acquisitions, below which a ratio of them comes last */

double locks_ratio(const struct lock_class *c, enum lock_column over, enum lock_column under)
{
	int64_t a = c->n[over], b = c->n[under];
	return a == UNKNOWN || b == UNKNOWN || b <= 0 ? NAN : (double)a / (double)b;
}

/*
 * Order
 */
static double figure(const struct lock_class *c, enum lock_column column)
{
	return c->n[column] == UNKNOWN ? NAN : (double)c->n[column];
}

static double sort_value(const struct lock_class *c, enum lock_sort sort)
{
	switch (sort) {
	case LOCK_SORT_WAIT:
		return figure(c, LOCK_WAIT_TOTAL);
	case LOCK_SORT_WAIT_MAX:
		return figure(c, LOCK_WAIT_MAX);
	case LOCK_SORT_WAIT_MEAN:
		return locks_ratio(c, LOCK_WAIT_TOTAL, LOCK_CONTENTIONS);
	case LOCK_SORT_CONTENTIONS:
		return figure(c, LOCK_CONTENTIONS);
	case LOCK_SORT_RATE:
		return locks_ratio(c, LOCK_CONTENTIONS, LOCK_ACQUISITIONS);
	case LOCK_SORT_BOUNCES:
		return locks_ratio(c, LOCK_ACQ_BOUNCES, LOCK_ACQUISITIONS);
	case LOCK_SORT_HOLD:
		return figure(c, LOCK_HOLD_TOTAL);
	case LOCK_SORT_HOLD_MAX:
		return figure(c, LOCK_HOLD_MAX);
	case LOCK_SORT_HOLD_MEAN:
		return locks_ratio(c, LOCK_HOLD_TOTAL, LOCK_ACQUISITIONS);
	case LOCK_SORT_ACQUISITIONS:
		return figure(c, LOCK_ACQUISITIONS);
	}
	return NAN;
}

static bool is_ratio(enum lock_sort sort)
{
	return sort == LOCK_SORT_RATE || sort == LOCK_SORT_BOUNCES || sort == LOCK_SORT_HOLD_MEAN;
}

struct sorted {
	const struct lock_class *class;
	double first, then;
	bool few;
};

static int descending(double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(a) - isnan(b);
	return (a < b) - (a > b);
}

static int compare_sorted(const void *x, const void *y)
{
	const struct sorted *a = x, *b = y;
	if (a->few != b->few)
		return a->few ? 1 : -1;
	int order = descending(a->first, b->first);
	if (!order)
		order = descending(a->then, b->then);
	if (!order)
		order = strcmp(a->class->name, b->class->name);
	if (!order)
		order = (a->class->line > b->class->line) - (a->class->line < b->class->line);
	return order;
}

void locks_sort(struct locks *l, enum lock_sort sort)
{
	size_t n = l->locks.n;
	if (!n)
		return;
	struct sorted *s = mem_array(n, sizeof(*s));
	enum lock_sort then = sort == LOCK_SORT_HOLD ? LOCK_SORT_ACQUISITIONS : LOCK_SORT_HOLD;
	for (size_t i = 0; i < n; i++) {
		const struct lock_class *c = l->locks.at[i];
		int64_t count = c->n[LOCK_ACQUISITIONS];
		s[i] = (struct sorted){ c, sort_value(c, sort), sort_value(c, then),
					is_ratio(sort) && count != UNKNOWN && count < FEW };
	}
	qsort(s, n, sizeof(*s), compare_sorted);
	for (size_t i = 0; i < n; i++)
		l->locks.at[i] = s[i].class;
	free(s);
}

/*
 * Columns
 */
struct list_column {
	struct column head;
	enum lock_column over;
	int under;    /* enum lock_column; -1: none */
	bool million; /* as a rate per million */
};

static struct value cell(struct locks *l, const struct lock_class *c,
			 const struct list_column *column)
{
	int64_t over = c->n[column->over];
	enum value_how how = c->how[column->over];
	if (over == UNKNOWN)
		return value_none();
	if (column->under < 0)
		return value_known(column->head.type == VALUE_TIME ? value_time(over)
								   : value_count(over),
				   how);
	int64_t under = c->n[column->under];
	if (under == UNKNOWN || under <= 0)
		return value_none();
	how = how_both(how, c->how[column->under]);
	if (column->head.type == VALUE_SHARE)
		return value_known(value_share(over, under), how);
	double ratio = (double)over / (double)under;
	if (!column->million)
		return value_known(value_time(sat_round(ratio)), how);
	const char *words = lock_text_number(l->arena, 1e6 * ratio);
	return value_known(value_figure(1e6 * ratio, lock_text_how(l->arena, how, words)), how);
}

static bool is_known(const struct locks *l, const struct list_column *column)
{
	vec_each (c, &l->locks) {
		if ((*c)->n[column->over] != UNKNOWN &&
		    (column->under < 0 || (*c)->n[column->under] != UNKNOWN))
			return true;
	}
	return false;
}

#define NAME_MAX_BESIDE 64 /* a longer name must not cost all columns */

/* The columns that are known: those that fit beside the longest name first, *fit of them. */
static size_t choose(const struct locks *l, const struct list_column *from, size_t n,
		     const struct list_column **to, size_t *fit)
{
	const struct list_column *others[TABLE_COLUMNS];
	size_t widest = 0, kept = 0, left = 0, shown = (size_t)l->options->top;
	for (size_t i = 0; i < l->locks.n && i < shown; i++) {
		size_t width = strlen(l->locks.at[i]->name);
		widest = width > widest ? width : widest;
	}
	widest = widest < NAME_MAX_BESIDE ? widest : NAME_MAX_BESIDE;
	for (size_t i = 0; i < n && kept + left + 1 < TABLE_COLUMNS; i++) {
		size_t end = 2 + widest + (kept + 1) * COLUMN_WIDTH;
		if (is_known(l, &from[i]) && end <= COLUMNS)
			to[kept++] = &from[i];
		else if (is_known(l, &from[i]))
			others[left++] = &from[i];
	}
	*fit = kept;
	for (size_t i = 0; i < left; i++)
		to[kept++] = others[i];
	return kept;
}

/* waited: without the classes for which nobody did. */
static void list(struct locks *l, struct section *s, const char *key,
		 const struct list_column *columns, size_t n, bool waited)
{
	const struct list_column *use[TABLE_COLUMNS];
	size_t fit, kept = choose(l, columns, n, use, &fit);
	struct table *t = report_table(l->report, s, key);
	t->top = (uint32_t)l->options->top;
	t->more = "--top N; --class PATTERN for one in full";
	t->none = "none, or not known";
	t->columns[0] = (struct column){ "class", "", VALUE_TEXT };
	for (size_t i = 0; i < kept; i++) {
		t->columns[i + 1] = use[i]->head;
		if (i >= fit)
			t->columns[i + 1].title = NULL; /* JSON has them all */
	}
	vec_reserve(&t->rows, l->locks.n);
	vec_each (c, &l->locks) {
		if (waited && (*c)->n[LOCK_CONTENTIONS] == 0)
			continue;
		struct row *row = table_row(t);
		row->cell[0] = value_text((*c)->name);
		for (size_t i = 0; i < kept; i++)
			row->cell[i + 1] = cell(l, *c, use[i]);
	}
}

const char *const lock_sort_names[] = {
	[LOCK_SORT_WAIT] = "wait",
	[LOCK_SORT_WAIT_MAX] = "wait-max",
	[LOCK_SORT_WAIT_MEAN] = "wait-mean",
	[LOCK_SORT_CONTENTIONS] = "contentions",
	[LOCK_SORT_RATE] = "rate",
	[LOCK_SORT_BOUNCES] = "bounces",
	[LOCK_SORT_HOLD] = "hold",
	[LOCK_SORT_HOLD_MAX] = "hold-max",
	[LOCK_SORT_HOLD_MEAN] = "hold-mean",
	[LOCK_SORT_ACQUISITIONS] = "acquisitions",
	NULL,
};

static const char *const sort_words[] = {
	[LOCK_SORT_WAIT] = "by total wait",
	[LOCK_SORT_WAIT_MAX] = "by the longest wait",
	[LOCK_SORT_WAIT_MEAN] = "by mean wait",
	[LOCK_SORT_CONTENTIONS] = "by number of waits",
	[LOCK_SORT_RATE] = "by waits per acquisition",
	[LOCK_SORT_BOUNCES] = "by bounces per acquisition",
	[LOCK_SORT_HOLD] = "by total hold",
	[LOCK_SORT_HOLD_MAX] = "by the longest hold",
	[LOCK_SORT_HOLD_MEAN] = "by mean hold",
	[LOCK_SORT_ACQUISITIONS] = "by acquisitions",
};

void locks_waited(struct locks *l, enum lock_sort sort)
{
	static const struct list_column columns[] = {
		{ { "wait_total_ns", "wait", VALUE_TIME }, LOCK_WAIT_TOTAL, -1, false },
		{ { "wait_mean_ns", "mean", VALUE_TIME },
		  LOCK_WAIT_TOTAL,
		  LOCK_CONTENTIONS,
		  false },
		{ { "wait_max_ns", "longest", VALUE_TIME }, LOCK_WAIT_MAX, -1, false },
		{ { "contentions", "waits", VALUE_COUNT }, LOCK_CONTENTIONS, -1, false },
		{ { "bounces", "bounces", VALUE_SHARE },
		  LOCK_ACQ_BOUNCES,
		  LOCK_ACQUISITIONS,
		  false },
		{ { "contentions_per_million", "waits/M", VALUE_FIGURE },
		  LOCK_CONTENTIONS,
		  LOCK_ACQUISITIONS,
		  true },
		{ { "hold_total_ns", "held", VALUE_TIME }, LOCK_HOLD_TOTAL, -1, false },
		{ { "wait_per_acquisition_ns", "per acq.", VALUE_TIME },
		  LOCK_WAIT_TOTAL,
		  LOCK_ACQUISITIONS,
		  false },
	};
	const struct lock_class *first = l->locks.at[0];
	if (sort == LOCK_SORT_WAIT && !(first->n[LOCK_WAIT_TOTAL] > 0))
		return; /* nobody waited: there is nothing to list */
	bool rates = l->view.lock_stat && is_known(l, &columns[5]);
	const char *note = rates ? arena_printf(l->arena,
						"%s; bounces, and waits per million (/M), of "
						"acquisitions",
						sort_words[sort])
				 : sort_words[sort];
	struct section *s = report_section(l->report, "waited", "WAITED FOR", note);
	/* The last one is for those who count no waits (klockstat). */
	size_t n = sizeof(columns) / sizeof(columns[0]) - is_known(l, &columns[3]);
	list(l, s, "waited", columns, n, sort != LOCK_SORT_BOUNCES);
}

void locks_held(struct locks *l, enum lock_sort sort)
{
	static const struct list_column columns[] = {
		{ { "hold_total_ns", "held", VALUE_TIME }, LOCK_HOLD_TOTAL, -1, false },
		{ { "hold_mean_ns", "mean", VALUE_TIME },
		  LOCK_HOLD_TOTAL,
		  LOCK_ACQUISITIONS,
		  false },
		{ { "hold_max_ns", "longest", VALUE_TIME }, LOCK_HOLD_MAX, -1, false },
		{ { "acquisitions", "acquisitions", VALUE_COUNT }, LOCK_ACQUISITIONS, -1, false },
		{ { "bounces", "bounces", VALUE_SHARE },
		  LOCK_ACQ_BOUNCES,
		  LOCK_ACQUISITIONS,
		  false },
	};
	bool known = false;
	vec_each (c, &l->locks)
		known |= (*c)->n[LOCK_HOLD_TOTAL] != UNKNOWN;
	if (!known)
		return;
	struct section *s = report_section(
		l->report, "held", "HELD",
		arena_printf(l->arena, "%s; holds nest, and count in each lock that is held",
			     sort_words[sort]));
	list(l, s, "held", columns, sizeof(columns) / sizeof(columns[0]), false);
}
