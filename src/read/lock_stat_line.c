/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "read/lock_stat_line.h"

#include "core/capture.h"
#include "read/prose.h"

static bool is_hex(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = (char)(s.p[i] | 0x20);
		if (!is_digit(s.p[i]) && (c < 'a' || c > 'f'))
			return false;
	}
	return s.n > 0;
}

/* "/proc/lock_stat:      &rq->lock", from grep over several files; columns are set far apart. */
static struct str skip_file(struct str t)
{
	struct str rest = t, word = str_word(&rest);
	if (word.n > 1 && word.p[word.n - 1] == ':' && str_find_char(word, '/') >= 0 &&
	    rest.n > 2 && rest.p[0] == ' ' && rest.p[1] == ' ')
		return str_trim_left(rest);
	return t;
}

/*
 * A table copied with line numbers has them before names and rules ("  09   &mm->mmap_sem",
 * "  02----"). No name of a class begins with a number and a blank.
 */
static struct str skip_counter(struct str t)
{
	size_t n = 0;
	while (n < t.n && is_digit(t.p[n]))
		n++;
	struct str rest = str_trim_left(str_from(t, n));
	bool apart = n && n < t.n && strchr(" \t-.", t.p[n]);
	return apart && rest.n ? rest : t;
}

/* Numbers from here to the end, at most a row of them; a whole row may have a remark behind it. */
static bool read_cells(struct lock_line *l, struct str t)
{
	l->n_cells = 0;
	while (l->n_cells < LOCK_COLUMNS && lock_cell_read(&t, &l->cell[l->n_cells]))
		l->n_cells++;
	t = str_trim(t);
	l->more = t.n && prose_is_hole(t);
	return l->n_cells && (!t.n || l->more || (l->n_cells >= 10 && !is_digit(t.p[0])));
}

/*
 * seq_stats(), kernel/locking/lockdep_proc.c: "%40s:", "%38s-W:" or "%38s-R:", then numbers. A name
 * that was cut to 38 characters may end in a blank.
 */
static bool read_row(struct lock_line *l, struct str t)
{
	ptrdiff_t colon = str_rfind_char(t, ':');
	if (colon <= 0 || !read_cells(l, str_from(t, (size_t)colon + 1)))
		return false;
	l->name = skip_file(skip_counter(str_head(t, (size_t)colon)));
	return str_trim(l->name).n > 0;
}

/* -- Sites ------------------------------------------------------------------------------------- */

/* "+0xc6/0x710", "+0x4d" */
static size_t offset_length(struct str t)
{
	size_t n = 0;
	while (n < t.n && (t.p[n] == '+' || t.p[n] == '/' || t.p[n] == 'x' || is_digit(t.p[n]) ||
			   ((t.p[n] | 0x20) >= 'a' && (t.p[n] | 0x20) <= 'f')))
		n++;
	return n;
}

void lock_symbol_read(struct str text, struct str *symbol, struct str *suffix)
{
	struct str t = str_trim(text);
	size_t n = 0;
	while (n < t.n && t.p[n] != ' ' && t.p[n] != '\t' && (t.p[n] != '+' || !n))
		n++;
	*symbol = str_head(t, n);
	struct str rest = str_from(t, n);
	size_t end = offset_length(rest);
	struct str module = str_trim(str_from(rest, end));
	ptrdiff_t close = str_find_char(module, ']');
	if (module.n && module.p[0] == '[' && close > 0)
		end = (size_t)(module.p + close + 1 - rest.p);
	*suffix = str_head(rest, end);
}

/* Cuts the count off the end of what stands before an address. */
static void read_count(struct lock_point *p, struct str t)
{
	t = str_trim(t);
	size_t n = 0;
	while (n < t.n && is_digit(t.p[t.n - 1 - n]))
		n++;
	bool apart = n == t.n || t.p[t.n - 1 - n] == ' ' || t.p[t.n - 1 - n] == '\t';
	struct str number = str_from(t, t.n - n);
	int64_t v;
	if (n && apart && str_number(&number, &v)) {
		p->count = v;
		t = str_trim(str_head(t, t.n - n));
	} else if (t.n > 1 && t.p[t.n - 1] == '-' && t.p[t.n - 2] == ' ') {
		t = str_trim(str_head(t, t.n - 1)); /* not known */
	}
	p->name = skip_file(skip_counter(t));
}

/*
 * A program's site, as symbol/ names it: "work host.c:14", "IOThreadMain +0x148 [redis]", or a
 * symbol alone, which may have blanks in it.
 */
static void read_program_site(struct str t, struct str *symbol, struct str *suffix)
{
	ptrdiff_t blank = str_find(t, " +0x");
	if (blank < 0) {
		blank = str_rfind_char(t, ' ');
		struct str last = blank < 0 ? t : str_from(t, (size_t)blank);
		ptrdiff_t colon = str_rfind_char(last, ':');
		if (colon < 0 || (size_t)colon + 1 == last.n || !is_digit(last.p[colon + 1]))
			blank = -1;
	}
	*symbol = blank < 0 ? t : str_head(t, (size_t)blank);
	*suffix = str_from(t, symbol->n);
}

/* seq_stats(): "%40s %14lu %29s %pS" = name, count, "[<%p>]", symbol; of a program "[<->]" */
static bool read_point(struct lock_point *p, struct str t)
{
	ptrdiff_t open = str_find(t, "[<");
	if (open < 0)
		return false;
	struct str rest = str_from(t, (size_t)open + 2);
	ptrdiff_t close = str_find_char(rest, ']');
	if (close < 2 || rest.p[close - 1] != '>')
		return false;
	struct str address = str_head(rest, (size_t)close - 1);
	bool none = str_eq(address, "-");
	if (!none && !is_hex(address))
		return false;
	*p = (struct lock_point){ .count = UNKNOWN };
	read_count(p, str_head(t, (size_t)open));
	struct str site = str_from(rest, (size_t)close + 1);
	if (none)
		read_program_site(str_trim(site), &p->symbol, &p->suffix);
	else
		lock_symbol_read(site, &p->symbol, &p->suffix);
	p->address = none ? (struct str){ 0 } : address;
	return true;
}

bool lock_point_read(struct str text, const char *name, struct lock_point *p)
{
	struct str t = skip_counter(str_trim(text));
	if (!str_starts(t, name))
		return false;
	*p = (struct lock_point){ .name = str_head(t, strlen(name)), .count = UNKNOWN };
	t = str_from(t, p->name.n);
	if (!t.n || (t.p[0] != ' ' && t.p[0] != '\t'))
		return false;
	t = str_trim(t);
	if (!str_number(&t, &p->count) || p->count < 0)
		return false;
	lock_symbol_read(t, &p->symbol, &p->suffix);
	return !p->symbol.n || p->suffix.n;
}

/* -- Header ------------------------------------------------------------------------------------ */

static bool title_of(struct str word, enum lock_column *c)
{
	for (*c = 0; *c < LOCK_COLUMNS; ++*c) {
		if (str_eq(word, lock_column_title(*c)))
			return true;
	}
	return false;
}

size_t lock_titles_read(struct str squeezed, enum lock_column *order)
{
	size_t n = 0;
	while (squeezed.n && n < LOCK_COLUMNS) {
		size_t skip = 1;
		for (enum lock_column c = 0; c < LOCK_COLUMNS; c++) {
			const char *title = lock_column_title(c);
			if (str_starts(squeezed, title)) {
				order[n++] = c;
				skip = strlen(title);
				break;
			}
		}
		squeezed = str_from(squeezed, skip);
	}
	return n;
}

/* "class name ...", or nothing but titles; a line of prose may name one of them. */
static bool read_header(struct lock_line *l, struct str t)
{
	struct str rest = skip_counter(t);
	bool first = str_starts(rest, "class name");
	if (first)
		rest = str_from(rest, strlen("class name"));
	size_t titles = 0, words = 0;
	enum lock_column c;
	for (struct str w, left = rest; (w = str_word(&left)).n; words++) {
		titles += title_of(w, &c);
		if (!words && !first && titles && read_cells(l, left)) {
			l->kind = LOCK_LINE_COLUMN;
			l->column = c;
			return true;
		}
	}
	if (titles >= 3 || (titles == words && (first || titles > 1))) {
		l->kind = LOCK_LINE_TITLES;
		return true;
	}
	l->name = str_trim(rest);
	l->kind = LOCK_LINE_NAMES;
	return first && l->name.n && !titles;
}

/* "lock_stat version 0.4", and nothing else on the line. */
static bool read_version(struct lock_line *l, struct str t)
{
	t = skip_counter(t);
	if (!str_starts(t, "lock_stat version "))
		return false;
	t = str_trim(str_from(t, strlen("lock_stat version ")));
	l->version = str_word(&t);
	struct str v = l->version;
	int64_t n;
	return !str_trim(t).n && str_number(&v, &n) && v.n > 1 && v.p[0] == '.' && is_digit(v.p[1]);
}

static size_t count_char(struct str t, char c)
{
	size_t n = 0;
	while (n < t.n && t.p[n] == c)
		n++;
	return n;
}

static bool read_rule(struct lock_line *l, struct str t)
{
	t = skip_counter(t);
	if (t.n < 3 || (t.p[0] != '-' && t.p[0] != '.') || count_char(t, t.p[0]) != t.n)
		return false;
	bool dots = t.p[0] == '.';
	l->rule = t.n;
	l->kind = !dots ? LOCK_LINE_DASHES : t.n > 4 ? LOCK_LINE_DOTS : LOCK_LINE_HOLE;
	return true;
}

void lock_line_read(struct lock_line *l, struct str text)
{
	struct str t = str_trim(text);
	l->n_cells = 0;
	if (!t.n)
		l->kind = LOCK_LINE_BLANK;
	else if (read_point(&l->point, t)) /* before a row: "work host.c:14" ends like one */
		l->kind = LOCK_LINE_POINT;
	else if (read_row(l, t))
		l->kind = LOCK_LINE_ROW;
	else if (read_rule(l, t))
		return;
	else if (read_cells(l, t) && (l->n_cells > 1 || is_digit(t.p[0])))
		l->kind = LOCK_LINE_NUMBERS;
	else if (read_version(l, t))
		l->kind = LOCK_LINE_VERSION;
	else if (str_find(t, "*WARNING* lock debugging disabled!!") >= 0)
		l->kind = LOCK_LINE_WARNING;
	else if (read_header(l, t))
		return;
	else if (prose_is_hole(t))
		l->kind = LOCK_LINE_HOLE;
	else if (t.p[0] == '#')
		l->kind = LOCK_LINE_COMMENT;
	else
		l->kind = LOCK_LINE_TEXT;
}
