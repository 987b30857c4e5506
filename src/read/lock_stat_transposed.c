/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two runs set beside one another by hand:
 *
 *	class name       &counter->lock:   &(&counter->lock)->lock
 *	con-bounces      1534627           962193
 *	contentions      1575341           976349
 */
#include "read/lock_stat_row.h"

/* The next name of the head: they may hold blanks, so two part them. */
static struct str next_name(struct str *t)
{
	struct str rest = str_trim_left(*t);
	size_t n = 0;
	while (n < rest.n && rest.p[n] != '\t' &&
	       !(rest.p[n] == ' ' && n + 1 < rest.n &&
		 (rest.p[n + 1] == ' ' || rest.p[n + 1] == '\t')))
		n++;
	*t = str_from(rest, n);
	struct str name = str_trim(str_head(rest, n));
	if (name.n > 1 && name.p[name.n - 1] == ':')
		name.n--;
	return name;
}

static void read_names(struct capture *c, struct str names, uint32_t line)
{
	for (struct str name; (name = next_name(&names)).n;) {
		struct lock_row *r = locktab_row(c->locks, line);
		if (r)
			r->name = arena_str(&c->arena, name);
	}
}

/* One number for each class, in their order. */
static void read_column(struct capture *c, const struct lock_line *l, const struct line *line)
{
	struct locktab *t = c->locks;
	if (t->columns == UNKNOWN && !t->rows.n) {
		for (size_t i = 0; i < l->n_cells; i++)
			locktab_row(t, line->number);
		capture_damage(c, line->number, "the names of the classes are missing");
	}
	t->columns = t->columns == UNKNOWN ? 1 : t->columns + 1;
	if (l->n_cells != t->rows.n)
		capture_damage(c, line->number, "there are not as many numbers as classes");
	for (size_t i = 0; i < l->n_cells && i < t->rows.n; i++) {
		const struct lock_cell *cell = &l->cell[i];
		int64_t v = cell->whole;
		bool ok = lock_column_is_time(l->column) ? lock_cell_us(cell, &v)
							 : !cell->large && !cell->dash;
		if (ok)
			lock_set(&t->rows.at[i], l->column, v);
	}
	c->last_line = line->last;
}

int lock_stat_transposed(struct carrier *from, struct capture *c, struct err *err)
{
	struct line line;
	struct lock_line l;
	int ret;
	while ((ret = carrier_next(from, &line, err)) > 0) {
		lock_line_read(&l, line.text);
		if (l.kind == LOCK_LINE_NAMES && !c->locks->rows.n)
			read_names(c, l.name, line.number);
		else if (l.kind == LOCK_LINE_COLUMN)
			read_column(c, &l, &line);
		else if (l.kind != LOCK_LINE_BLANK || !c->locks->rows.n)
			break;
	}
	if (ret > 0)
		carrier_back(from, &line);
	if (ret < 0 || !c->locks->rows.n)
		return ret < 0 ? ret : 0;
	if (c->locks->columns == UNKNOWN) { /* a line that began with "class name" */
		c->locks->rows.n = 0;
		return 0;
	}
	c->label = NULL; /* it would be that of all classes at once */
	return 1;
}
