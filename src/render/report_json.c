/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/report_json.h"

#include "core/capture.h"

static void json_lines(struct json *j, uint32_t first, uint32_t last)
{
	json_put_open(j, '[');
	json_put_int(j, first);
	json_put_int(j, last > first ? last : first);
	json_put_close(j, ']');
}

static void json_value(struct json *j, const struct value *v)
{
	switch (v->type) {
	case VALUE_NONE:
		json_put_null(j);
		break;
	case VALUE_TEXT:
		json_put_string(j, v->text);
		break;
	case VALUE_COUNT:
	case VALUE_TIME:
		json_put_known(j, v->number);
		break;
	case VALUE_INTERVAL:
		json_put_open(j, '{');
		if (v->mid != UNKNOWN)
			json_key_known(j, "mid", v->mid);
		json_key_known(j, "low", v->low);
		json_key_known(j, "high", v->high);
		json_put_close(j, '}');
		break;
	case VALUE_SHARE:
		json_put_open(j, '{');
		json_key_known(j, "part", v->part);
		json_key_known(j, "whole", v->whole);
		json_put_close(j, '}');
		break;
	case VALUE_FIGURE:
		json_put_double(j, v->figure);
		break;
	case VALUE_LINES:
		json_lines(j, v->first, v->last);
		break;
	case VALUE_YES:
		json_put_bool(j, v->number != 0);
		break;
	}
}

/* The figures that are not exact, by their keys; nothing if there are none. */
struct how_known {
	struct json *j;
	bool any;
};

static void how_add(struct how_known *h, const char *key, const struct value *v)
{
	if (v->how == VALUE_EXACT || v->type == VALUE_NONE)
		return;
	if (!h->any) {
		json_put_key(h->j, "known");
		json_put_open(h->j, '{');
	}
	h->any = true;
	json_key_string(h->j, key, value_how_name(v->how));
}

static void how_end(struct how_known *h)
{
	if (h->any)
		json_put_close(h->j, '}');
}

static void json_facts(struct json *j, const struct finding *f)
{
	if (!f->facts.n)
		return;
	json_put_key(j, "facts");
	json_put_open(j, '{');
	vec_each (fact, &f->facts) {
		json_put_key(j, fact->key);
		json_value(j, &fact->value);
	}
	json_put_close(j, '}');
	struct how_known how = { .j = j };
	vec_each (fact, &f->facts)
		how_add(&how, fact->key, &fact->value);
	how_end(&how);
}

static void json_finding(struct json *j, const struct finding *f)
{
	json_put_open(j, '{');
	json_key_string(j, "key", f->key);
	json_key_string(j, "text", f->text);
	if (f->first_line) {
		json_put_key(j, "lines");
		json_lines(j, f->first_line, f->last_line);
	}
	json_facts(j, f);
	json_put_close(j, '}');
}

static void json_table(struct json *j, const struct table *t)
{
	json_put_open(j, '{');
	json_key_string(j, "key", t->key);
	json_put_key(j, "rows");
	json_put_open(j, '[');
	vec_each (row, &t->rows) {
		json_put_open(j, '{');
		for (size_t i = 0; i < TABLE_COLUMNS && t->columns[i].key; i++) {
			json_put_key(j, t->columns[i].key);
			json_value(j, &row->cell[i]);
		}
		struct how_known how = { .j = j };
		for (size_t i = 0; i < TABLE_COLUMNS && t->columns[i].key; i++)
			how_add(&how, t->columns[i].key, &row->cell[i]);
		how_end(&how);
		json_put_close(j, '}');
	}
	json_put_close(j, ']');
	json_put_close(j, '}');
}

static void json_section(struct json *j, const struct section *s)
{
	json_put_open(j, '{');
	json_key_string(j, "key", s->key);
	if (s->note) {
		json_key_string(j, "note", s->note);
	}
	json_put_key(j, "findings");
	json_put_open(j, '[');
	vec_each (it, &s->items) {
		if (it->finding)
			json_finding(j, it->finding);
	}
	json_put_close(j, ']');
	json_put_key(j, "tables");
	json_put_open(j, '[');
	vec_each (it, &s->items) {
		if (it->table)
			json_table(j, it->table);
	}
	json_put_close(j, ']');
	json_put_close(j, '}');
}

void render_report_json(struct json *j, const struct report *r)
{
	json_put_open(j, '{');
	json_key_string(j, "schema", "dwell.report/1");
	if (r->capture) {
		json_key_string(j, "file", r->file);
		json_key_known(j, "capture", r->capture);
		json_put_key(j, "lines");
		json_lines(j, r->first_line, r->last_line);
	}
	json_put_key(j, "sections");
	json_put_open(j, '[');
	vec_each (s, &r->sections)
		json_section(j, *s);
	json_put_close(j, ']');
	json_put_close(j, '}');
}
