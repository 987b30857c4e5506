/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/text.h"

#include <stdio.h>

#include "base/units.h"

#define COLUMNS 100
#define GAP 2

#define BOLD "\033[1m"
#define PLAIN "\033[0m"

/* Columns that a text takes: continuation bytes of UTF-8 take none. */
static size_t width_of(const char *z)
{
	size_t n = 0;
	for (; *z; z++)
		n += ((unsigned char)*z & 0xc0) != 0x80;
	return n;
}

static void pad(struct strbuf *out, size_t n)
{
	while (n--)
		strbuf_add(out, " ", 1);
}

static void lines_text(uint32_t first, uint32_t last, char *to, size_t room)
{
	if (!first)
		to[0] = '\0';
	else if (last > first)
		snprintf(to, room, "lines %u-%u", first, last);
	else
		snprintf(to, room, "line %u", first);
}

/* Is the word a unit, that no line should begin with? */
static bool is_unit(const char *word)
{
	static const char *const units[] = { "ns", "us", "ms", "s", "%" };
	size_t n = strcspn(word, " ;,)");
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (n == strlen(units[i]) && memcmp(word, units[i], n) == 0)
			return true;
	}
	return false;
}

/* Bytes of the next word; a figure and its unit are one. */
static size_t word_length(const char *text)
{
	size_t n = strcspn(text, " ");
	if (is_digit(text[0]) && text[n] == ' ' && is_unit(text + n + 1))
		n += 1 + strcspn(text + n + 1, " ");
	return n;
}

/*
 * Words of a sentence from column `indent` on, the first line `aside_width` columns shorter.
 * Blanks in a row stay, so that a sentence can set figures apart.
 */
static void wrap(struct strbuf *out, const char *text, size_t indent, size_t hang, size_t room)
{
	size_t column = indent;
	pad(out, indent);
	while (*text) {
		size_t blanks = strspn(text, " "), n = word_length(text + blanks);
		char word[512];
		snprintf(word, sizeof(word), "%.*s", (int)(n < 500 ? n : 500), text + blanks);
		if (column > indent && column + blanks + width_of(word) > room) {
			strbuf_add(out, "\n", 1);
			pad(out, hang);
			column = hang;
			room = COLUMNS;
			blanks = 0;
		}
		pad(out, blanks);
		strbuf_add(out, text + strspn(text, " "), n);
		column += blanks + width_of(word);
		text += strspn(text, " ") + n;
	}
}

/*
 * Marks of figures that are not exact. They are explained where the first of them stands, and again
 * where another sort comes.
 */
struct marks {
	unsigned seen, told; /* bits: 1 << enum value_how */
};

static void marks_see(struct marks *m, enum value_how how)
{
	m->seen |= how == VALUE_EXACT ? 0 : 1u << how;
}

static void marks_tell(struct marks *m, unsigned indent, struct strbuf *out)
{
	static const char *const words[] = {
		"sampled: from a part of the events",
		"estimated",
		"sampled or estimated",
	};
	if (!(m->seen & ~m->told))
		return;
	m->told = m->seen;
	pad(out, indent);
	strbuf_printf(out, "~ %s, not exact\n", words[(m->seen >> VALUE_SAMPLED) - 1]);
}

static void finding_text(const struct finding *f, unsigned base, bool strong, bool colour,
			 struct strbuf *out)
{
	if (!f->text)
		return;
	char lines[40];
	lines_text(f->first_line, f->last_line, lines, sizeof(lines));
	const char *aside = f->aside ? f->aside : lines;
	size_t indent = 2 * (base + f->indent), margin = width_of(aside);
	size_t room = COLUMNS - (margin ? margin + GAP : 0);

	size_t start = out->n;
	if (strong && colour)
		strbuf_str(out, BOLD);
	wrap(out, f->text, indent, indent + 2, room);
	if (strong && colour)
		strbuf_str(out, PLAIN);
	if (margin) {
		/* At the end of the first line, which was kept short for it. */
		const char *nl = memchr(out->p + start, '\n', out->n - start);
		struct strbuf rest = { 0 };
		if (nl) {
			strbuf_str(&rest, nl);
			out->n = (size_t)(nl - out->p);
			out->p[out->n] = '\0';
		}
		size_t used = width_of(out->p + start) -
			      (strong && colour ? strlen(BOLD) + (nl ? 0 : strlen(PLAIN)) : 0);
		pad(out, used + margin < COLUMNS ? COLUMNS - margin - used : GAP);
		strbuf_str(out, aside);
		if (rest.n)
			strbuf_add(out, rest.p, rest.n);
		strbuf_fini(&rest);
	}
	strbuf_add(out, "\n", 1);
}

static void value_text_of(const struct value *v, char *to, size_t room)
{
	bool marked = v->how != VALUE_EXACT && v->type != VALUE_NONE && v->type != VALUE_FIGURE;
	if (marked) {
		*to++ = '~';
		room--;
	}
	switch (v->type) {
	case VALUE_NONE:
		snprintf(to, room, "-");
		break;
	case VALUE_TEXT:
		snprintf(to, room, "%s", v->text);
		break;
	case VALUE_COUNT:
		snprintf(to, room, "%s", units_count(v->number).s);
		break;
	case VALUE_TIME:
		snprintf(to, room, "%s", units_time(v->number).s);
		break;
	case VALUE_INTERVAL:
		snprintf(to, room, "%s (%s)", units_time(v->mid).s,
			 units_time_range(v->low, v->high).s);
		break;
	case VALUE_SHARE:
		snprintf(to, room, "%s", units_share(v->part, v->whole).s);
		break;
	case VALUE_FIGURE:
		snprintf(to, room, "%s", v->words);
		break;
	case VALUE_LINES:
		if (v->last > v->first)
			snprintf(to, room, "%u-%u", v->first, v->last);
		else
			snprintf(to, room, "%u", v->first);
		break;
	case VALUE_YES:
		snprintf(to, room, "%s", v->number ? "yes" : "no");
		break;
	}
}

/* Those that text shows: what is for JSON alone comes last. */
static size_t columns_of(const struct table *t)
{
	size_t n = 0;
	while (n < TABLE_COLUMNS && t->columns[n].key && t->columns[n].title)
		n++;
	return n;
}

/* Text to the left, figures to the right. */
static bool is_left(const struct column *c)
{
	return c->type == VALUE_TEXT;
}

#define CELL 160
#define INDENT_MAX 60

static void table_line(const struct table *t, const size_t *width, char cell[][CELL], size_t indent,
		       struct strbuf *out)
{
	size_t columns = columns_of(t);
	pad(out, indent);
	for (size_t i = 0; i < columns; i++) {
		size_t have = width_of(cell[i]), room = width[i] > have ? width[i] - have : 0;
		if (i)
			pad(out, GAP);
		if (!is_left(&t->columns[i]))
			pad(out, room);
		strbuf_str(out, cell[i]);
		if (is_left(&t->columns[i]))
			pad(out, room);
	}
	while (out->n && out->p[out->n - 1] == ' ')
		out->n--;
	strbuf_add(out, "\n", 1);
}

static void row_cells(const struct table *t, size_t row, char cell[][CELL])
{
	for (size_t i = 0; i < columns_of(t); i++) {
		size_t indent = is_left(&t->columns[i]) ? 2 * t->rows.at[row].indent : 0;
		indent = indent < INDENT_MAX ? indent : INDENT_MAX;
		memset(cell[i], ' ', indent);
		value_text_of(&t->rows.at[row].cell[i], cell[i] + indent, CELL - indent);
	}
}

static void table_text(const struct table *t, struct marks *marks, struct strbuf *out)
{
	size_t columns = columns_of(t), width[TABLE_COLUMNS] = { 0 };
	size_t shown = t->top && t->rows.n > t->top ? t->top : t->rows.n;
	char cell[TABLE_COLUMNS][CELL];
	bool titled = false, none = false;

	for (size_t i = 0; i < columns; i++) {
		width[i] = width_of(t->columns[i].title);
		titled |= width[i] > 0;
	}
	for (size_t row = 0; row < shown; row++) {
		row_cells(t, row, cell);
		for (size_t i = 0; i < columns; i++) {
			width[i] = width_of(cell[i]) > width[i] ? width_of(cell[i]) : width[i];
			none |= strcmp(cell[i], "-") == 0;
			marks_see(marks, t->rows.at[row].cell[i].how);
		}
	}
	if (titled) {
		for (size_t i = 0; i < columns; i++)
			snprintf(cell[i], CELL, "%s", t->columns[i].title);
		table_line(t, width, cell, 2, out);
	}
	for (size_t row = 0; row < shown; row++) {
		row_cells(t, row, cell);
		table_line(t, width, cell, 2, out);
	}
	if (shown < t->rows.n && t->more)
		strbuf_printf(out, "  and %zu more (%s)\n", t->rows.n - shown, t->more);
	if (none && t->none)
		strbuf_printf(out, "  - %s\n", t->none);
}

static void section_text(const struct section *s, bool colour, struct marks *marks,
			 struct strbuf *out)
{
	if (s->title) {
		strbuf_printf(out, "%s%s%s", colour ? BOLD : "", s->title, colour ? PLAIN : "");
		if (s->note)
			strbuf_printf(out, "   %s", s->note);
		strbuf_add(out, "\n", 1);
	}
	bool first = !s->title;
	vec_each (it, &s->items) {
		if (it->finding) {
			finding_text(it->finding, s->title ? 1 : 0, first, colour, out);
			marks_see(marks, it->finding->how);
			first = false;
		} else {
			table_text(it->table, marks, out);
		}
	}
	marks_tell(marks, s->title ? 2 : 0, out);
}

void render_text(const struct report *r, bool colour, struct strbuf *out)
{
	struct marks marks = { 0 };
	if (r->label)
		strbuf_printf(out, "%s\n", r->label);
	for (size_t i = 0; i < r->sections.n; i++) {
		if (i)
			strbuf_add(out, "\n", 1);
		section_text(r->sections.at[i], colour, &marks, out);
	}
}
