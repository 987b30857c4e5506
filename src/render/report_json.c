/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/report_json.h"

#include "core/capture.h"

static void json_lines(struct json *j, uint32_t first, uint32_t last)
{
	json_open(j, '[');
	json_int(j, first);
	json_int(j, last > first ? last : first);
	json_close(j, ']');
}

static void key_int(struct json *j, const char *key, int64_t v)
{
	json_key(j, key);
	json_known(j, v);
}

static void json_value(struct json *j, const struct value *v)
{
	switch (v->type) {
	case VALUE_NONE:
		json_null(j);
		break;
	case VALUE_TEXT:
		json_string(j, v->text);
		break;
	case VALUE_COUNT:
	case VALUE_TIME:
		json_known(j, v->number);
		break;
	case VALUE_INTERVAL:
		json_open(j, '{');
		if (v->mid != UNKNOWN)
			key_int(j, "mid", v->mid);
		key_int(j, "low", v->low);
		key_int(j, "high", v->high);
		json_close(j, '}');
		break;
	case VALUE_SHARE:
		json_open(j, '{');
		key_int(j, "part", v->part);
		key_int(j, "whole", v->whole);
		json_close(j, '}');
		break;
	case VALUE_LINES:
		json_lines(j, v->first, v->last);
		break;
	case VALUE_YES:
		json_bool(j, v->number != 0);
		break;
	}
}

static void json_finding(struct json *j, const struct finding *f)
{
	json_open(j, '{');
	json_key(j, "key");
	json_string(j, f->key);
	json_key(j, "text");
	json_string(j, f->text);
	if (f->first_line) {
		json_key(j, "lines");
		json_lines(j, f->first_line, f->last_line);
	}
	if (f->facts.n) {
		json_key(j, "facts");
		json_open(j, '{');
		vec_each (fact, &f->facts) {
			json_key(j, fact->key);
			json_value(j, &fact->value);
		}
		json_close(j, '}');
	}
	json_close(j, '}');
}

static void json_table(struct json *j, const struct table *t)
{
	json_open(j, '{');
	json_key(j, "key");
	json_string(j, t->key);
	json_key(j, "rows");
	json_open(j, '[');
	vec_each (row, &t->rows) {
		json_open(j, '{');
		for (size_t i = 0; i < TABLE_COLUMNS && t->columns[i].key; i++) {
			json_key(j, t->columns[i].key);
			json_value(j, &row->cell[i]);
		}
		json_close(j, '}');
	}
	json_close(j, ']');
	json_close(j, '}');
}

static void json_section(struct json *j, const struct section *s)
{
	json_open(j, '{');
	json_key(j, "key");
	json_string(j, s->key);
	if (s->note) {
		json_key(j, "note");
		json_string(j, s->note);
	}
	json_key(j, "findings");
	json_open(j, '[');
	vec_each (it, &s->items) {
		if (it->finding)
			json_finding(j, it->finding);
	}
	json_close(j, ']');
	json_key(j, "tables");
	json_open(j, '[');
	vec_each (it, &s->items) {
		if (it->table)
			json_table(j, it->table);
	}
	json_close(j, ']');
	json_close(j, '}');
}

void render_report_json(struct json *j, const struct report *r)
{
	json_open(j, '{');
	json_key(j, "schema");
	json_string(j, "dwell.report/1");
	if (r->capture) {
		json_key(j, "file");
		json_string(j, r->file);
		key_int(j, "capture", r->capture);
		json_key(j, "lines");
		json_lines(j, r->first_line, r->last_line);
	}
	json_key(j, "sections");
	json_open(j, '[');
	vec_each (s, &r->sections)
		json_section(j, *s);
	json_close(j, ']');
	json_close(j, '}');
}
