/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /proc/lock_stat of every version (kernel/locking/lockdep_proc.c), clean or as people post it:
 * quoted, wrapped, without its header, cut by hand. A table is
 *
 *	lock_stat version 0.4
 *	----------------------
 *	   class name    con-bounces    contentions   waittime-min ...
 *	----------------------
 *
 *	    &rq->lock:         37062          37063           0.08 ...
 *	    ---------
 *	    &rq->lock          14064          [<ffffffff81420a76>] __schedule+0xc6/0x710
 *	    ---------
 *	    &rq->lock          22305          [<ffffffff8106cac7>] ttwu_queue+0x47/0xf0
 *
 *	......................
 *
 * and any of its lines may be missing. The first block has the sites that waited, the second
 * (since 0.3) those that had the lock. Versions 0.2 and 0.3 have 10 numbers in a row, 0.4 has 12:
 * it adds the two averages.
 */
#include "read/format.h"
#include "read/lock_stat_row.h"
#include "read/prose.h"

#define NO_ROW SIZE_MAX
#define TITLES_MAX 256 /* the twelve titles have 150 characters */

struct lock_stat {
	struct carrier *from;
	struct capture *capture;
	struct locktab *table;
	uint16_t quote; /* depth of the table's quoting */

	struct strbuf titles; /* the words of the header, run together */
	bool in_titles;       /* the header is not over yet */
	struct lock_layout layout;

	struct lock_row_builder row;
	bool row_open; /* numbers of the row may still come */

	/* The class whose points come: one row, or the -W and the -R row of a pair. */
	size_t class_row;
	unsigned block;        /* rules of dashes since the row */
	bool rule_before;      /* the line before was one: a mail may have broken its end off */
	struct lock_site site; /* begun on a line before */
	enum { SITE_NONE, SITE_COUNT, SITE_ADDRESS } site_open;

	bool sure;             /* it is a table: there was a header, a plain row or a point */
	bool text_between;     /* text has come that may part two tables */
	const char *name_open; /* "name:" without numbers; NULL */
};

enum took { TOOK, NOT_OURS, ENDS };

/* -- Rows -------------------------------------------------------------------------------------- */

static void damage(struct lock_stat *s, uint32_t line, const char *why)
{
	capture_damage(s->capture, line, why);
}

/* The row is whole, or nothing more will come. */
static void row_end(struct lock_stat *s)
{
	if (!s->row_open)
		return;
	s->row_open = false;
	s->sure |= lock_row_is_plain(s->row.cell, s->row.n);
	const char *why = NULL;
	struct lock_row *r = lock_row_build(&s->row, &s->layout, s->table, &why);
	if (why)
		damage(s, s->row.line, why);
	if (!r) {
		s->class_row = NO_ROW;
		return;
	}
	size_t at = s->table->rows.n - 1;
	s->class_row = lock_row_pair(s->table, at, &s->capture->arena) ? at - 1 : at;
	s->block = 0;
	s->site_open = SITE_NONE;
}

static void row_cells(struct lock_stat *s, const struct lock_line *l)
{
	for (size_t i = 0; i < l->n_cells && s->row.n < LOCK_COLUMNS; i++)
		s->row.cell[s->row.n++] = l->cell[i];
	if (l->more || s->row.n >= lock_row_wants(&s->row, &s->layout))
		row_end(s);
}

static void row_begin(struct lock_stat *s, const char *name, uint32_t line)
{
	row_end(s);
	s->row = (struct lock_row_builder){ .name = name, .line = line };
	s->row_open = true;
}

/* Numbers alone: the rest of a row, or a row whose name stands above or was cut off. */
static enum took numbers(struct lock_stat *s, const struct lock_line *l, const struct line *line)
{
	const char *name = s->name_open;
	s->name_open = NULL;
	if (s->text_between && !name)
		return NOT_OURS;
	bool first = !s->table->rows.n && l->n_cells > 1 && l->n_cells < s->layout.n;
	if (!s->row_open && (name || l->n_cells == s->layout.n || first))
		row_begin(s, name, line->number);
	if (s->row_open && s->row.n + l->n_cells <= LOCK_COLUMNS)
		row_cells(s, l);
	else
		damage(s, line->number, "numbers without the name of a class");
	return TOOK;
}

/* -- Points ------------------------------------------------------------------------------------ */

/* The name that the points of the class bear; NULL: there is no class. */
static const char *class_name(const struct lock_stat *s)
{
	return s->class_row == NO_ROW ? NULL : s->table->rows.at[s->class_row].name;
}

static bool is_of_class(struct lock_stat *s, struct str name)
{
	const char *class = class_name(s);
	if (!class)
		return false;
	struct str bare = str_trim(str_of(class));
	if (!name.n || str_same(name, bare))
		return true;
	/* A -W row without its -R row: the points tell that the suffix is none of the name. */
	return lock_row_unsuffix(&s->table->rows.at[s->class_row], name, &s->capture->arena);
}

static void site_end(struct lock_stat *s, uint32_t line)
{
	struct lock_row *r = &s->table->rows.at[s->class_row];
	s->site_open = SITE_NONE;
	if (!lock_sites_add(s->block > 1 ? &r->holding : &r->waiting, s->site))
		damage(s, line, "more sites than are kept of one class");
}

static const char *keep(struct lock_stat *s, struct str text)
{
	return text.n ? arena_str(&s->capture->arena, text) : NULL;
}

/* A whole point, or the parts of one that stand on this line. */
static bool point(struct lock_stat *s, const struct lock_point *p, uint32_t line)
{
	if (!is_of_class(s, p->name))
		return false;
	s->sure |= p->address.n > 0;
	if (p->count != UNKNOWN || s->site_open != SITE_COUNT)
		s->site = (struct lock_site){ .count = p->count };
	if (p->address.n)
		s->site.address = keep(s, p->address);
	s->site.symbol = keep(s, p->symbol);
	s->site.suffix = keep(s, p->suffix);
	if (p->symbol.n)
		site_end(s, line);
	else
		s->site_open = p->address.n ? SITE_ADDRESS : SITE_COUNT;
	if (!s->site_open && s->site.count == UNKNOWN)
		damage(s, line, "the count of a site is missing");
	return true;
}

/* A line of text in a table: the end of a point that a mail broke, or a point without address? */
static bool point_text(struct lock_stat *s, struct str text, uint32_t line)
{
	const char *name = class_name(s);
	struct lock_point p;
	if (!name)
		return false;
	if (s->site_open == SITE_ADDRESS) {
		struct str symbol, suffix;
		lock_symbol_read(text, &symbol, &suffix);
		s->site.symbol = keep(s, symbol);
		s->site.suffix = keep(s, suffix);
		site_end(s, line);
		return true;
	}
	return lock_point_read(text, name, &p) && point(s, &p, line);
}

/*
 * The rule before each block of points is as long as the name, and two longer if the class has
 * readers. Behind text that may have ended the table no other rule counts.
 */
static bool rule(struct lock_stat *s, const struct lock_line *l)
{
	row_end(s);
	const char *name = class_name(s);
	size_t n = name ? strlen(name) : 0;
	if (s->text_between && l->rule != n && l->rule != n + 2)
		return false;
	s->block += l->kind == LOCK_LINE_DASHES;
	return true;
}

/* -- Header ------------------------------------------------------------------------------------ */

static bool have_header(const struct lock_stat *s)
{
	return s->table->version || s->titles.n || s->table->lockdep_disabled;
}

/* False: there is too much of it for a header. */
static bool titles(struct lock_stat *s, struct str text)
{
	if (s->titles.n >= TITLES_MAX)
		return false;
	for (struct str w; (w = str_word(&text)).n && s->titles.n < TITLES_MAX;)
		strbuf_add(&s->titles, w.p, w.n < TITLES_MAX ? w.n : TITLES_MAX);
	s->in_titles = true;
	s->layout.n = lock_titles_read(strbuf_get(&s->titles), s->layout.column);
	return true;
}

/* Would this line of a header begin another table? */
static bool begins_next(const struct lock_stat *s, const struct lock_line *l)
{
	if (s->table->rows.n || s->row_open)
		return true;
	if (l->kind == LOCK_LINE_VERSION)
		return have_header(s);
	return s->titles.n && !s->in_titles;
}

/* The table is none of a kernel: dwell wrote it for a program's locks. */
static bool of_program(struct lock_stat *s, struct str text)
{
	if (s->table->rows.n || !str_starts(str_trim(text), LOCKTAB_PROGRAM_MARK))
		return false;
	s->table->source = LOCKTAB_PROGRAM;
	s->table->run = lock_run_facts_new(&s->capture->arena, NULL);
	return true;
}

/* -- The table --------------------------------------------------------------------------------- */

static enum took text(struct lock_stat *s, const struct line *line)
{
	struct str t = str_trim(line->text);
	if (format_begins_other(&format_lock_stat, line->text))
		return ENDS;
	if (s->in_titles && line->quote == s->quote && titles(s, t))
		return TOOK;
	s->in_titles = false;
	if (point_text(s, t, line->number))
		return TOOK;
	if (s->rule_before && t.n < 3 && (t.p[0] == '-' || t.p[0] == '.') && t.p[t.n - 1] == t.p[0])
		return TOOK;
	bool name = t.p[t.n - 1] == ':';
	if (!s->table->rows.n && !name)
		return ENDS;
	row_end(s);
	if (!s->text_between && name)
		s->name_open = arena_str(&s->capture->arena, str_head(t, t.n - 1));
	/* A reply in the midst of a quoted table does not end it. */
	s->text_between |= line->quote >= s->quote;
	label_trailing(s->capture, t);
	return NOT_OURS;
}

static enum took row(struct lock_stat *s, const struct lock_line *l, const struct line *line)
{
	bool any = s->table->rows.n || s->row_open;
	if (any && (s->text_between || line->quote != s->quote)) {
		s->capture->followed = true;
		return ENDS;
	}
	s->quote = line->quote;
	row_begin(s, arena_str(&s->capture->arena, l->name), line->number);
	row_cells(s, l);
	return TOOK;
}

static enum took header(struct lock_stat *s, const struct lock_line *l, const struct line *line)
{
	if (begins_next(s, l))
		return ENDS;
	s->quote = line->quote;
	s->sure = true;
	if (l->kind == LOCK_LINE_TITLES) {
		titles(s, line->text);
		return TOOK;
	}
	s->table->version = keep(s, l->version);
	s->layout.v02 = str_eq(l->version, "0.2") || str_eq(l->version, "0.1");
	return TOOK;
}

static enum took table_line(struct lock_stat *s, const struct lock_line *l, const struct line *line)
{
	s->in_titles &= l->kind == LOCK_LINE_TEXT || l->kind == LOCK_LINE_TITLES;
	if (l->kind != LOCK_LINE_NUMBERS)
		s->name_open = NULL;
	switch (l->kind) {
	case LOCK_LINE_BLANK:
		row_end(s);
		return NOT_OURS;
	case LOCK_LINE_COMMENT:
		if (of_program(s, line->text))
			return TOOK;
		return format_begins_other(&format_lock_stat, line->text) ? ENDS : NOT_OURS;
	case LOCK_LINE_HOLE:
		s->capture->holes += s->table->rows.n > 0;
		return NOT_OURS;
	case LOCK_LINE_DOTS:
	case LOCK_LINE_DASHES:
		return rule(s, l) ? TOOK : NOT_OURS;
	case LOCK_LINE_VERSION:
	case LOCK_LINE_TITLES:
		return header(s, l, line);
	case LOCK_LINE_WARNING:
		s->table->lockdep_disabled = true;
		return TOOK;
	case LOCK_LINE_ROW:
		return row(s, l, line);
	case LOCK_LINE_NUMBERS:
		return numbers(s, l, line);
	case LOCK_LINE_POINT:
		row_end(s);
		if (point(s, &l->point, line->number))
			return TOOK;
		damage(s, line->number, "a site of a class that is not in the table");
		return NOT_OURS;
	case LOCK_LINE_NAMES:
	case LOCK_LINE_COLUMN:
		return s->table->rows.n ? ENDS : text(s, line);
	default:
		return text(s, line);
	}
}

/* Reads on to the end of the table; the line that ends it goes back. */
static int read_table(struct lock_stat *s, struct err *err)
{
	struct line line;
	struct lock_line l;
	int ret;
	while ((ret = carrier_next(s->from, &line, err)) > 0) {
		lock_line_read(&l, line.text);
		enum took took = table_line(s, &l, &line);
		s->rule_before =
			took == TOOK && (l.kind == LOCK_LINE_DASHES || l.kind == LOCK_LINE_DOTS);
		if (took == ENDS) {
			carrier_back(s->from, &line);
			break;
		}
		if (took == TOOK) {
			s->capture->last_line = line.last;
			s->text_between = false;
			s->capture->n_trailing = 0;
			if (line.cut)
				damage(s, line.number, "the line is too long: its end is left out");
		}
	}
	row_end(s);
	return ret < 0 ? ret : 0;
}

static bool lock_stat_starts(struct str text)
{
	struct lock_line l;
	lock_line_read(&l, text);
	switch (l.kind) {
	case LOCK_LINE_VERSION:
	case LOCK_LINE_TITLES:
	case LOCK_LINE_NAMES:
		return true;
	case LOCK_LINE_ROW:
		return lock_row_is_plain(l.cell, l.n_cells);
	case LOCK_LINE_COLUMN:
		return l.column != LOCK_CONTENTIONS && l.column != LOCK_ACQUISITIONS;
	default:
		return false;
	}
}

/* A row that was broken after its counts, without a header before it. */
static bool lock_stat_may_start(struct str text)
{
	struct lock_line l;
	lock_line_read(&l, text);
	return l.kind == LOCK_LINE_ROW && l.n_cells <= 2 && !l.cell[0].point &&
	       !l.cell[l.n_cells - 1].point;
}

static int lock_stat_open(struct carrier *from, struct names *names, struct capture *c,
			  struct source **source, struct err *err)
{
	(void)names;
	*source = NULL;
	c->kind = CAPTURE_LOCKS;
	c->locks = locktab_new(&c->arena, "lock_stat");

	int ret = lock_stat_transposed(from, c, err);
	if (ret)
		return ret;
	struct lock_stat s = { .from = from,
			       .capture = c,
			       .table = c->locks,
			       .layout.v02 = true,
			       .class_row = NO_ROW };
	ret = read_table(&s, err);
	strbuf_fini(&s.titles);
	if (ret)
		return ret;
	c->locks->columns = s.layout.seen ? s.layout.seen : UNKNOWN;
	/* A title in a line of prose is no table; an empty one has its version, too. */
	return (s.sure && c->locks->rows.n) ||
	       (c->locks->version && (s.layout.n || c->locks->lockdep_disabled));
}

const struct format format_lock_stat = {
	.looks_for = "a table of lock_stat",
	.starts = lock_stat_starts,
	.may_start = lock_stat_may_start,
	.open = lock_stat_open,
};
