/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "read/dat_format.h"

#include "core/capture.h"

#define IDS_MAX 65536 /* common_type is a u16 */
#define FIELDS_MAX 256

struct str dat_line(struct str *text)
{
	ptrdiff_t nl = str_find_char(*text, '\n');
	struct str line = str_head(*text, nl < 0 ? text->n : (size_t)nl);
	*text = str_from(*text, line.n + 1);
	return line;
}

/* "offset:8;": the number behind the key, at most 65535. */
static bool value_of(struct str line, const char *key, uint16_t *to)
{
	ptrdiff_t at = str_find(line, key);
	int64_t v;
	if (at < 0)
		return false;
	struct str t = str_from(line, (size_t)at + strlen(key));
	if (!str_number(&t, &v) || v < 0 || v > UINT16_MAX)
		return false;
	*to = (uint16_t)v;
	return true;
}

static bool is_name(char c)
{
	return c == '_' || is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/*
 * "unsigned long args[6]", "char[] comm", "const char * fmt", "u8 addr[sizeof(x)]": the name is
 * the last word, without what stands in brackets behind it.
 */
static bool split_declaration(struct str t, struct dat_field *f)
{
	f->data_loc = str_starts(t, "__data_loc ");
	f->rel_loc = str_starts(t, "__rel_loc ");
	if (f->data_loc || f->rel_loc)
		t = str_trim(str_from(t, (size_t)str_find_char(t, ' ') + 1));
	struct str name = t;
	bool counted = name.n && name.p[name.n - 1] == ']';
	if (counted) {
		ptrdiff_t open = str_rfind_char(name, '[');
		if (open <= 0)
			return false;
		name = str_trim(str_head(name, (size_t)open));
	}
	size_t i = name.n;
	while (i && is_name(name.p[i - 1]))
		i--;
	f->type = str_trim(str_head(t, i));
	f->name = str_from(name, i);
	if (!f->name.n || !f->type.n)
		return false;
	bool pointer = f->type.p[f->type.n - 1] == '*';
	f->is_pointer = pointer;
	f->is_array = counted || f->data_loc || f->rel_loc ||
		      (f->type.n && f->type.p[f->type.n - 1] == ']');
	return true;
}

static uint16_t element_size(const struct dat_field *f, struct str declaration)
{
	static const struct {
		const char *word;
		uint16_t size;
	} words[] = {
		{ "char", 1 }, { "u8", 1 },    { "s8", 1 },  { "bool", 1 }, { "u16", 2 },
		{ "s16", 2 },  { "short", 2 }, { "u64", 8 }, { "s64", 8 },  { "long long", 8 },
		{ "u32", 4 },  { "s32", 4 },   { "int", 4 },
	};
	ptrdiff_t open = str_rfind_char(declaration, '[');
	if (open > 0 && !f->data_loc && !f->rel_loc) {
		struct str n = str_from(declaration, (size_t)open + 1);
		int64_t v;
		if (str_number(&n, &v) && v > 0 && f->size % v == 0)
			return (uint16_t)(f->size / v);
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (str_find(f->type, words[i].word) >= 0)
			return words[i].size;
	}
	return str_find(f->type, "long") >= 0 ? 0 : 1; /* 0: the kernel's long */
}

bool dat_field_parse(struct str line, struct dat_field *field)
{
	*field = (struct dat_field){ 0 };
	line = str_trim(line);
	uint16_t is_signed = 0;
	ptrdiff_t end = str_find_char(line, ';');
	if (!str_starts(line, "field:") || end < 0)
		return false;
	struct str declaration = str_trim(str_from(str_head(line, (size_t)end), 6));
	struct str rest = str_from(line, (size_t)end);
	if (!split_declaration(declaration, field) || !value_of(rest, "offset:", &field->offset) ||
	    !value_of(rest, "size:", &field->size))
		return false;
	/* Missing before 2.6.32. */
	if (value_of(rest, "signed:", &is_signed))
		field->is_signed = is_signed;
	if (field->is_array)
		field->elem = element_size(field, declaration);
	field->is_string = field->is_array && !field->data_loc && !field->rel_loc &&
			   str_find(field->type, "char") >= 0 && field->elem == 1;
	return true;
}

int64_t dat_field_int(const struct dat_field *f, const struct dat_data *d)
{
	if (!f || (uint32_t)f->offset + f->size > d->n)
		return UNKNOWN;
	const unsigned char *p = d->p + f->offset;
	switch (f->size) {
	case 1:
		return f->is_signed ? (int8_t)*p : *p;
	case 2:
		return f->is_signed ? (int16_t)dat_u16(p, d->big) : dat_u16(p, d->big);
	case 4:
		return f->is_signed ? (int32_t)dat_u32(p, d->big) : (int64_t)dat_u32(p, d->big);
	case 8:
		return (int64_t)dat_u64(p, d->big);
	default:
		return UNKNOWN;
	}
}

struct str dat_field_bytes(const struct dat_field *f, const struct dat_data *d)
{
	const struct str none = { "", 0 };
	if (!f || f->offset > d->n)
		return none;
	uint32_t at = f->offset, n = f->size;
	if (f->data_loc || f->rel_loc) {
		if (f->size != 4 || at + 4 > d->n)
			return none;
		uint32_t place = dat_u32(d->p + at, d->big);
		n = place >> 16;
		at = (place & 0xffff) + (f->rel_loc ? at + 4 : 0);
	} else if (!n) {
		n = d->n - at; /* "char buf[]", last in the record */
	}
	if (at > d->n || n > d->n - at)
		return none;
	return (struct str){ (const char *)d->p + at, n };
}

struct str dat_field_str(const struct dat_field *f, const struct dat_data *d)
{
	struct str s = dat_field_bytes(f, d);
	const char *nul = s.n ? memchr(s.p, 0, s.n) : NULL;
	return nul ? str_head(s, (size_t)(nul - s.p)) : s;
}

static void note_common(struct dat_common *c, const struct dat_field *f)
{
	const struct {
		const char *name;
		struct dat_field *to;
	} known[] = {
		{ "common_type", &c->type },
		{ "common_flags", &c->flags },
		{ "common_preempt_count", &c->preempt_count },
		{ "common_pid", &c->pid },
		{ "common_migrate_disable", &c->migrate_disable },
		{ "common_preempt_lazy_count", &c->preempt_lazy_count },
	};
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (str_eq(f->name, known[i].name) && f->size <= 4)
			*known[i].to = *f;
	}
}

const struct dat_field *dat_field_named(const struct dat_event *ev, struct str name)
{
	vec_each (f, &ev->fields) {
		if (str_same(f->name, name))
			return f;
	}
	return NULL;
}

static void event_free(struct dat_event *e)
{
	vec_fini(&e->fields);
	free(e);
}

static void set_by_id(struct dat_formats *t, struct dat_event *e)
{
	if (e->id >= t->ids) {
		uint32_t ids = t->ids ? t->ids : 512;
		while (ids <= e->id)
			ids *= 2;
		t->by_id = mem_resize(t->by_id, ids, sizeof(*t->by_id));
		memset(t->by_id + t->ids, 0, (ids - t->ids) * sizeof(*t->by_id));
		t->ids = ids;
	}
	t->by_id[e->id] = e;
}

static void read_lines(struct dat_formats *t, struct dat_event *e, struct str text,
		       struct str *name, int64_t *id)
{
	struct dat_field f;
	while (text.n) {
		struct str line = dat_line(&text), value;
		if (str_starts(line, "name:")) {
			*name = str_trim(str_from(line, 5));
		} else if (str_starts(line, "ID:")) {
			value = str_trim(str_from(line, 3));
			if (!str_number(&value, id))
				*id = -1;
		} else if (str_starts(line, "print fmt:")) {
			e->print = str_trim(str_from(line, 10));
		} else if (e->fields.n < FIELDS_MAX && dat_field_parse(line, &f)) {
			bool common = str_starts(f.name, "common_");
			if (common && !t->have_common)
				note_common(&t->common, &f);
			e->n_common += common && e->n_common == e->fields.n;
			vec_push(&e->fields, f);
		}
	}
}

struct dat_event *dat_formats_add(struct dat_formats *t, struct str system, struct str text,
				  struct names *names)
{
	struct dat_event *e = mem_alloc(sizeof(*e));
	struct str name = { 0 };
	int64_t id = -1;
	read_lines(t, e, text, &name, &id);
	if (id < 0 || id >= IDS_MAX || !name.n) {
		event_free(e);
		return NULL;
	}
	t->have_common = t->have_common || (t->common.type.size && t->common.pid.size);
	e->id = (uint32_t)id;
	e->system = system;
	e->name = names_id(names, name);
	memset(e->role, 0xff, sizeof(e->role));
	vec_push(&t->events, e);
	set_by_id(t, e);
	return e;
}

void dat_formats_fini(struct dat_formats *t)
{
	vec_each (e, &t->events)
		event_free(*e);
	vec_fini(&t->events);
	free(t->by_id);
	*t = (struct dat_formats){ 0 };
}
