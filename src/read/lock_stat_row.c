/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "read/lock_stat_row.h"

#include "base/sat.h"

#define COLUMNS_OLD 10 /* 0.2 and 0.3: without the averages */

static const enum lock_column old_layout[COLUMNS_OLD] = {
	LOCK_CON_BOUNCES, LOCK_CONTENTIONS,  LOCK_WAIT_MIN, LOCK_WAIT_MAX, LOCK_WAIT_TOTAL,
	LOCK_ACQ_BOUNCES, LOCK_ACQUISITIONS, LOCK_HOLD_MIN, LOCK_HOLD_MAX, LOCK_HOLD_TOTAL,
};

/* The sixth number tells old rows from new: acq-bounces is whole, waittime-avg is not. */
static bool is_wide(const struct lock_row_builder *b, const struct lock_layout *y)
{
	if (b->n > COLUMNS_OLD || (b->n > 5 && b->cell[5].point))
		return true;
	return y->n > COLUMNS_OLD && (b->n <= 5 || b->cell[5].dash);
}

/* Does the header name the columns of these numbers? Somebody may have retyped its words. */
static bool header_fits(const struct lock_row_builder *b, const struct lock_layout *y)
{
	for (size_t i = 0; i < b->n && i < y->n; i++) {
		if (b->cell[i].point && !lock_column_is_time(y->column[i]))
			return false;
	}
	return y->n > 0;
}

size_t lock_row_wants(const struct lock_row_builder *b, const struct lock_layout *y)
{
	if (header_fits(b, y))
		return y->n;
	return b->n <= 5 || is_wide(b, y) ? LOCK_COLUMNS : COLUMNS_OLD;
}

/* The layout of this row; the header's where it fits, as some cut columns out of both. */
static size_t choose_layout(const struct lock_row_builder *b, const struct lock_layout *y,
			    enum lock_column *column)
{
	if (header_fits(b, y) && (y->n == b->n || (y->n < COLUMNS_OLD && b->n < y->n))) {
		memcpy(column, y->column, sizeof(y->column));
		return y->n;
	}
	bool wide = is_wide(b, y);
	for (size_t i = 0; i < LOCK_COLUMNS; i++)
		column[i] = wide || i >= COLUMNS_OLD ? (enum lock_column)i : old_layout[i];
	return wide ? LOCK_COLUMNS : COLUMNS_OLD;
}

/* -- Values ------------------------------------------------------------------------------------ */

static const char *set_count(struct lock_row *r, enum lock_column c, const struct lock_cell *cell)
{
	if (cell->large)
		return "a count does not fit into 63 bits";
	if (cell->point || cell->whole < 0)
		return "a count is no whole number: a column may be missing";
	lock_set(r, c, cell->whole);
	if (cell->about)
		r->value[c].known = LOCK_ESTIMATED;
	return NULL;
}

/*
 * Times are us with two decimals, printed into 14 characters (seq_time(), lockdep_proc.c): from
 * 10^11 us they lose a decimal, from 10^14 us digits before the point, and nothing shows it.
 */
#define TIME_WIDTH 14

static const char *set_time(struct lock_row *r, enum lock_column c, const struct lock_cell *cell,
			    bool v02, bool cut)
{
	int64_t ns;
	if (!lock_cell_us(cell, &ns))
		return "a time does not fit";
	if (cut && !cell->point)
		return "the last number is cut";
	/* The rounding of 0.2 made 100 hundredths of a remainder of 995 ns and more. */
	if (v02 && cell->decimals == 3 && cell->frac == 100)
		ns = sat_add(ns, 900);
	lock_set(r, c, ns);
	if (cell->about || cut || (!cell->point && cell->width >= TIME_WIDTH))
		r->value[c].known = LOCK_ESTIMATED;
	return NULL;
}

/* Is the last number shorter than the other times of the row for no reason of the kernel's? */
static bool is_cut(const struct lock_row_builder *b, size_t i)
{
	const struct lock_cell *c = &b->cell[i];
	if (i + 1 < b->n || c->decimals >= 2 || c->width >= TIME_WIDTH)
		return false;
	for (size_t k = 0; k < i; k++) {
		if (b->cell[k].decimals == 2)
			return true;
	}
	return false;
}

/*
 * Before commit a7ef9b28aa8d an average was divided by 32 bits of the count: past 2^31 it is
 * negative ("0.-32"), past 2^32 too large. It is computed anew from the total.
 */
static void mend_average(struct locktab *t, struct lock_row *r, enum lock_column avg,
			 enum lock_column total, enum lock_column count)
{
	if (!lock_known(r, avg))
		return;
	struct lock_value *v = &r->value[avg];
	int64_t n = lock_known(r, count) ? r->value[count].n : 0;
	bool whole = lock_known(r, total) && r->value[total].known == LOCK_EXACT;
	if (v->n >= 0 && (n <= INT32_MAX || !whole)) /* a total that lost digits proves nothing */
		return;
	if (n <= 0 || !whole) {
		v->known = LOCK_ABSENT;
		return;
	}
	int64_t mean = r->value[total].n / n, off = sat_sub(v->n, mean);
	if (off >= -10 && off <= 10)
		return;
	*v = (struct lock_value){ mean, LOCK_EXACT };
	t->averages_mended++;
}

static const char *set_values(const struct lock_row_builder *b, const struct lock_layout *y,
			      const enum lock_column *column, struct lock_row *r)
{
	const char *why = NULL;
	for (size_t i = 0; i < b->n; i++) {
		const struct lock_cell *cell = &b->cell[i];
		if (cell->dash)
			continue;
		const char *wrong = lock_column_is_time(column[i])
					    ? set_time(r, column[i], cell, y->v02, is_cut(b, i))
					    : set_count(r, column[i], cell);
		if (wrong)
			why = wrong;
	}
	return why;
}

struct lock_row *lock_row_build(const struct lock_row_builder *b, struct lock_layout *y,
				struct locktab *t, const char **why)
{
	enum lock_column column[LOCK_COLUMNS];
	size_t n = choose_layout(b, y, column);
	struct lock_row *r = locktab_row(t, b->line);
	if (!r) {
		*why = "more rows than are kept of one table";
		return NULL;
	}
	r->name = b->name;
	*why = set_values(b, y, column, r);
	mend_average(t, r, LOCK_WAIT_AVG, LOCK_WAIT_TOTAL, LOCK_CONTENTIONS);
	mend_average(t, r, LOCK_HOLD_AVG, LOCK_HOLD_TOTAL, LOCK_ACQUISITIONS);
	if (!*why && b->n < n)
		*why = "the row is cut: its last columns are missing";
	if (!b->name)
		*why = "the name of the class and the columns after it are cut off";
	y->seen = (int64_t)n > y->seen ? (int64_t)n : y->seen;
	return r;
}

/* -- Names ------------------------------------------------------------------------------------- */

static bool has_suffix(struct str name, const char *suffix)
{
	size_t n = strlen(suffix);
	return name.n > n && memcmp(name.p + name.n - n, suffix, n) == 0;
}

static struct str without_suffix(const char *name)
{
	struct str s = str_of(name);
	return str_head(s, s.n - 2);
}

bool lock_row_unsuffix(struct lock_row *r, struct str name, struct arena *a)
{
	if (r->rw || !has_suffix(str_of(r->name), "-W"))
		return false;
	struct str base = without_suffix(r->name);
	if (!str_same(base, name))
		return false;
	r->name = arena_str(a, base);
	r->rw = 'W';
	return true;
}

bool lock_row_pair(struct locktab *t, size_t at, struct arena *a)
{
	struct lock_row *r = &t->rows.at[at];
	if (!r->name || !has_suffix(str_of(r->name), "-R"))
		return false;
	r->name = arena_str(a, without_suffix(r->name));
	r->rw = 'R';
	struct lock_row *before = at ? r - 1 : NULL;
	return before && before->name && lock_row_unsuffix(before, str_of(r->name), a);
}

bool lock_row_is_plain(const struct lock_cell *cell, size_t n)
{
	for (size_t i = 0; i < 5 && i < n; i++) {
		bool time = cell[i].decimals >= 2 || cell[i].width >= TIME_WIDTH;
		if (cell[i].dash || (i < 2 ? cell[i].point : !time))
			return false;
	}
	return n > 2;
}
