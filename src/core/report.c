/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/report.h"

void report_fini(struct report *r)
{
	vec_each (s, &r->sections) {
		vec_each (it, &(*s)->items) {
			if (it->finding)
				vec_fini(&it->finding->facts);
			if (it->table)
				vec_fini(&it->table->rows);
		}
		vec_fini(&(*s)->items);
	}
	vec_fini(&r->sections);
	arena_fini(&r->arena);
}

struct section *report_section(struct report *r, const char *key, const char *title,
			       const char *note)
{
	struct section *s = arena_alloc(&r->arena, sizeof(*s));
	*s = (struct section){ .key = key, .title = title, .note = note };
	vec_push(&r->sections, s);
	return s;
}

struct finding *report_finding(struct report *r, struct section *s, const char *key,
			       const char *text)
{
	struct finding *f = arena_alloc(&r->arena, sizeof(*f));
	*f = (struct finding){ .key = key, .text = text };
	vec_push(&s->items, ((struct item){ .finding = f }));
	return f;
}

struct table *report_table(struct report *r, struct section *s, const char *key)
{
	struct table *t = arena_alloc(&r->arena, sizeof(*t));
	*t = (struct table){ .key = key };
	vec_push(&s->items, ((struct item){ .table = t }));
	return t;
}

struct row *table_row(struct table *t)
{
	vec_push(&t->rows, ((struct row){ 0 }));
	return vec_last(&t->rows);
}

const char *value_how_name(enum value_how how)
{
	static const char *const names[] = { "exact", "sampled", "estimated" };
	return names[how];
}

void finding_fact(struct finding *f, const char *key, struct value v)
{
	vec_push(&f->facts, ((struct fact){ key, v }));
}

struct section *report_get(const struct report *r, const char *key)
{
	vec_each (s, &r->sections) {
		if (strcmp((*s)->key, key) == 0)
			return *s;
	}
	return NULL;
}

struct finding *section_get(const struct section *s, const char *key)
{
	if (!s)
		return NULL;
	vec_each (it, &s->items) {
		if (it->finding && strcmp(it->finding->key, key) == 0)
			return it->finding;
	}
	return NULL;
}

struct table *section_table(const struct section *s, const char *key)
{
	if (!s)
		return NULL;
	vec_each (it, &s->items) {
		if (it->table && strcmp(it->table->key, key) == 0)
			return it->table;
	}
	return NULL;
}

struct value finding_get(const struct finding *f, const char *key)
{
	if (!f)
		return value_none();
	vec_each (fact, &f->facts) {
		if (strcmp(fact->key, key) == 0)
			return fact->value;
	}
	return value_none();
}
