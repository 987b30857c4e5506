/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "read/tool_table.h"

#include "read/lock_stat_line.h"
#include "read/prose.h"

#define JOIN_MAX 4 /* lines of one record */

/* A record whose end has not come yet. */
struct open_record {
	struct strbuf text;
	unsigned lines; /* 0: there is none */
	uint32_t first;
};

struct lock_row *tool_row(struct tool_table *t, uint32_t line)
{
	struct lock_row *r = locktab_row(t->table, line);
	if (!r)
		capture_damage(t->capture, line, "more rows than are kept of one table");
	return r;
}

void tool_frame(struct tool_table *t, struct str text, uint32_t line)
{
	struct lock_site site = { .count = UNKNOWN };
	struct str symbol, suffix;
	text = str_trim(text);
	if (str_starts(text, "0x"))
		site.address = tool_text(t, str_from(str_word(&text), 2));
	lock_symbol_read(text, &symbol, &suffix);
	site.symbol = tool_text(t, symbol);
	site.suffix = tool_text(t, suffix);
	if (!t->table->rows.n || !lock_sites_add(&vec_last(&t->table->rows)->stack, site))
		capture_damage(t->capture, line, "more frames than are kept of one stack");
}

static void open_add(struct open_record *o, const struct line *line)
{
	struct str more = str_trim(line->text);
	if (!o->lines)
		o->first = line->number;
	o->lines++;
	/* One soft break in a mail is too little for the carrier; here it is plain. */
	if (o->text.n && o->text.p[o->text.n - 1] == '=')
		o->text.n--;
	else if (o->text.n)
		strbuf_str(&o->text, " ");
	strbuf_add(&o->text, more.p, more.n);
}

/* The record goes no further: its lines could not be read. */
static void open_drop(struct tool_table *t, struct open_record *o)
{
	if (o->lines)
		capture_damage(t->capture, o->first, "the row is not complete");
	o->lines = 0;
	o->text.n = 0;
}

/* Does the line complete the record that is open? */
static enum record_result open_goes_on(struct tool_table *t, struct open_record *o,
				       const struct line *line)
{
	if (!o->lines || o->lines == JOIN_MAX)
		return RECORD_NONE;
	size_t before = o->text.n;
	open_add(o, line);
	enum record_result got = t->record(t, strbuf_get(&o->text), o->first);
	if (got == RECORD_NONE) {
		o->text.n = before;
		o->lines--;
	} else if (got == RECORD_OK) {
		o->lines = 0;
		o->text.n = 0;
	}
	return got;
}

static enum record_result read_line(struct tool_table *t, struct open_record *o,
				    const struct line *line)
{
	enum record_result got = open_goes_on(t, o, line);
	if (got != RECORD_NONE)
		return got;
	open_drop(t, o);
	got = t->record(t, line->text, line->number);
	if (got == RECORD_OPEN)
		open_add(o, line);
	return got;
}

static int read_records(struct tool_table *t, struct open_record *o, struct err *err)
{
	struct line line;
	int ret;
	while ((ret = carrier_next(t->from, &line, err)) > 0) {
		struct str text = str_trim(line.text);
		enum record_result got = read_line(t, o, &line);
		if (got != RECORD_NONE) {
			t->capture->last_line = line.last;
			t->capture->n_trailing = 0;
		} else if (t->format->starts(line.text) ||
			   format_begins_other(t->format, line.text)) {
			carrier_back(t->from, &line);
			break;
		} else if (text.n && prose_is_hole(text)) {
			t->capture->holes++;
		} else {
			label_trailing(t->capture, text);
		}
	}
	open_drop(t, o);
	return ret < 0 ? ret : 0;
}

static int read_header(struct tool_table *t, struct open_record *o, bool *taken, struct err *err)
{
	struct line line;
	int ret = carrier_next(t->from, &line, err);
	while (ret > 0) {
		open_add(o, &line);
		t->capture->last_line = line.last;
		ret = carrier_next(t->from, &line, err);
		if (ret > 0 && (!t->header_more || o->lines == JOIN_MAX || !str_trim(line.text).n ||
				!t->header_more(line.text))) {
			carrier_back(t->from, &line);
			break;
		}
	}
	*taken = ret >= 0 && t->header(t, strbuf_get(&o->text), o->first);
	o->lines = 0;
	o->text.n = 0;
	return ret < 0 ? ret : 0;
}

int tool_table_read(struct tool_table *t, struct err *err)
{
	struct open_record o = { 0 };
	bool taken = true;
	t->capture->kind = CAPTURE_LOCKS;
	int ret = t->header ? read_header(t, &o, &taken, err) : 0;
	if (!ret && taken)
		ret = read_records(t, &o, err);
	strbuf_fini(&o.text);
	return ret ? ret : taken;
}
