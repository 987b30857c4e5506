/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs set beside one another by hand, or classes:
 *
 *	                 Before           After
 *	class name       &counter->lock:  &(&counter->lock)->lock
 *	con-bounces      1534627          962193
 *	contentions      1575341          976349
 *
 * A label over each column makes each a table of its own, and so does a class that comes twice.
 */
#include "base/mem.h"
#include "read/lock_stat_row.h"

struct transposed {
	struct capture *capture;
	struct locktab *table;     /* a row for each column of the text */
	bool column[LOCK_COLUMNS]; /* those that were given */
	size_t columns;
};

/* The next cell of the head: names may hold blanks, so two part them. */
static struct str next_cell(struct str *t)
{
	struct str rest = str_trim_left(*t);
	size_t n = 0;
	while (n < rest.n && rest.p[n] != '\t' &&
	       !(rest.p[n] == ' ' && n + 1 < rest.n &&
		 (rest.p[n + 1] == ' ' || rest.p[n + 1] == '\t')))
		n++;
	*t = str_from(rest, n);
	struct str cell = str_trim(str_head(rest, n));
	if (cell.n > 1 && cell.p[cell.n - 1] == ':')
		cell.n--;
	return cell;
}

static void read_names(struct transposed *x, struct str names, uint32_t line)
{
	for (struct str name; (name = next_cell(&names)).n;) {
		struct lock_row *r = locktab_row(x->table, line);
		if (r)
			r->name = arena_str(&x->capture->arena, name);
	}
}

/* One number for each class, in their order. */
static void read_column(struct transposed *x, const struct lock_line *l, const struct line *line)
{
	struct locktab *t = x->table;
	if (!x->columns++ && !t->rows.n) {
		for (size_t i = 0; i < l->n_cells; i++)
			locktab_row(t, line->number);
		capture_damage(x->capture, line->number, "the names of the classes are missing");
	}
	x->column[l->column] = true;
	if (l->n_cells != t->rows.n)
		capture_damage(x->capture, line->number,
			       "there are not as many numbers as classes");
	for (size_t i = 0; i < l->n_cells && i < t->rows.n; i++) {
		const struct lock_cell *cell = &l->cell[i];
		int64_t v = cell->whole;
		bool ok = lock_column_is_time(l->column) ? lock_cell_us(cell, &v)
							 : !cell->large && !cell->dash;
		if (!ok)
			continue;
		lock_set(&t->rows.at[i], l->column, v);
		if (cell->about)
			t->rows.at[i].value[l->column].known = LOCK_ESTIMATED;
	}
	x->capture->last_line = line->last;
}

/* -- Tables side by side ----------------------------------------------------------------------- */

/* The labels over the columns, one each; false: there are none. */
static bool read_labels(const struct transposed *x, struct str text, struct str *label)
{
	struct str cells = text, words = text;
	size_t n = x->table->rows.n, n_cells = 0, n_words = 0;
	for (struct str cell; (cell = next_cell(&cells)).n; n_cells++) {
		if (n_cells < n)
			label[n_cells] = cell;
	}
	if (n_cells == n)
		return true;
	for (struct str word; (word = str_word(&words)).n; n_words++) {
		if (n_words < n)
			label[n_words] = word;
	}
	return n_words == n;
}

static struct str name_of(const struct lock_row *r)
{
	return str_of(r->name ? r->name : "");
}

/* Which table column i belongs to: that of its label, or the k-th for a class's k-th column. */
static size_t table_of(const struct transposed *x, const struct str *label, size_t i)
{
	const struct lock_row *rows = x->table->rows.at;
	size_t before = 0;
	for (size_t k = 0; k < i; k++) {
		if (label && str_same(label[k], label[i]))
			return table_of(x, label, k);
		bool first = true; /* of its label */
		for (size_t m = 0; label && m < k; m++)
			first &= !str_same(label[m], label[k]);
		before += label ? first : str_same(name_of(&rows[k]), name_of(&rows[i]));
	}
	return before;
}

static struct capture *capture_after(struct capture *c)
{
	struct capture *next = mem_alloc(sizeof(*next));
	capture_init(next, c->names);
	next->kind = CAPTURE_LOCKS;
	next->first_line = c->first_line;
	next->last_line = c->last_line;
	next->locks = locktab_new(&next->arena, c->locks->source);
	next->locks->columns = c->locks->columns;
	c->beside = next;
	return next;
}

static void move_row(struct capture *to, const struct lock_row *from)
{
	struct lock_row *r = locktab_row(to->locks, from->line);
	if (!r)
		return;
	*r = *from;
	r->name = from->name ? arena_str(&to->arena, str_of(from->name)) : NULL;
}

/* The first table keeps the rows that are its own; each other one is a capture after it. */
static void part(struct transposed *x, const struct str *label)
{
	struct capture *c = x->capture;
	struct locktab *t = x->table;
	size_t n = t->rows.n, kept = 0;
	for (size_t i = 0; i < n; i++) {
		size_t at = table_of(x, label, i);
		if (!at) {
			if (label)
				c->label = arena_str(&c->arena, label[i]);
			t->rows.at[kept++] = t->rows.at[i];
			continue;
		}
		struct capture *to = c;
		for (size_t k = 0; k < at; k++)
			to = to->beside ? to->beside : capture_after(to);
		if (label)
			to->label = arena_str(&to->arena, label[i]);
		move_row(to, &t->rows.at[i]);
	}
	t->rows.n = kept;
}

static void part_tables(struct transposed *x)
{
	struct str label[LOCK_COLUMNS]; /* a line has no more numbers than that */
	const char *over = x->capture->label;
	size_t n = x->table->rows.n;
	bool labelled = n > 1 && n <= LOCK_COLUMNS && over && read_labels(x, str_of(over), label);
	if (n > 1)
		x->capture->label = NULL; /* it would be that of all columns at once */
	if (n <= LOCK_COLUMNS)
		part(x, labelled ? label : NULL);
	for (struct capture *c = x->capture; c; c = c->beside) {
		for (size_t i = 0; i < c->locks->rows.n; i++)
			lock_row_pair(c->locks, i, &c->arena);
	}
}

int lock_stat_transposed(struct carrier *from, struct capture *c, struct err *err)
{
	struct transposed x = { .capture = c, .table = c->locks };
	struct line line;
	struct lock_line l;
	int ret;
	while ((ret = carrier_next(from, &line, err)) > 0) {
		lock_line_read(&l, line.text);
		if (l.kind == LOCK_LINE_NAMES && !x.table->rows.n)
			read_names(&x, l.name, line.number);
		else if (l.kind == LOCK_LINE_COLUMN && !x.column[l.column])
			read_column(&x, &l, &line);
		else if (l.kind != LOCK_LINE_BLANK || !x.table->rows.n)
			break;
	}
	if (ret > 0)
		carrier_back(from, &line);
	if (ret < 0 || !x.table->rows.n)
		return ret < 0 ? ret : 0;
	if (!x.columns) { /* a line that began with "class name" */
		x.table->rows.n = 0;
		return 0;
	}
	x.table->columns = (int64_t)x.columns;
	part_tables(&x);
	return 1;
}
