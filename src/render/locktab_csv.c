/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/locktab_csv.h"

#include <inttypes.h>

#include "base/str.h"

static void quoted(FILE *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, out);
		return;
	}
	putc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', out);
		putc(*text, out);
	}
	putc('"', out);
}

/* Every field but the first of a line. */
static void field(FILE *out, const char *text)
{
	putc(',', out);
	if (text)
		quoted(out, text);
}

static void field_known(FILE *out, int64_t v)
{
	putc(',', out);
	if (v != UNKNOWN)
		fprintf(out, "%" PRId64, v);
}

static void field_sites(FILE *out, const struct lock_sites *sites)
{
	struct strbuf cleanup_strbuf text = { 0 };
	vec_each (s, sites) {
		strbuf_str(&text, text.n ? "; " : "");
		strbuf_str(&text, s->symbol ? s->symbol : s->address ? s->address : "?");
		if (s->count != UNKNOWN)
			strbuf_printf(&text, " %" PRId64, s->count);
	}
	field(out, text.p);
}

/* "wait_total sampled; wait_max estimated" */
static void field_how_known(FILE *out, const struct lock_row *r)
{
	struct strbuf cleanup_strbuf text = { 0 };
	for (enum lock_column c = 0; c < LOCK_COLUMNS; c++) {
		if (lock_known(r, c) && r->value[c].known != LOCK_EXACT)
			strbuf_printf(&text, "%s%s %s", text.n ? "; " : "", lock_column_key(c),
				      lock_known_name(r->value[c].known));
	}
	field(out, text.p);
}

void render_locktab_csv_head(FILE *out)
{
	fputs("file,capture,label,source,name,rw", out);
	for (enum lock_column c = 0; c < LOCK_COLUMNS; c++)
		fprintf(out, ",%s%s", lock_column_key(c), lock_column_is_time(c) ? "_ns" : "");
	for (unsigned i = 1; i < LOCK_TEXTS; i++)
		fprintf(out, ",%s", lock_text_key(i));
	fputs(",pid,max_pid,contention_points,contending_points,stack,not_exact\n", out);
}

void render_locktab_csv(FILE *out, const struct capture *c, const char *file, unsigned index)
{
	vec_each (r, &c->locks->rows) {
		quoted(out, file);
		field_known(out, index);
		field(out, c->label);
		field(out, c->locks->source);
		field(out, r->name);
		field(out, (const char[2]){ r->rw, '\0' });
		for (enum lock_column k = 0; k < LOCK_COLUMNS; k++)
			field_known(out, lock_known(r, k) ? r->value[k].n : UNKNOWN);
		for (unsigned i = 1; i < LOCK_TEXTS; i++)
			field(out, lock_text(r, i));
		field_known(out, r->pid);
		field_known(out, r->max_pid);
		field_sites(out, &r->waiting);
		field_sites(out, &r->holding);
		field_sites(out, &r->stack);
		field_how_known(out, r);
		putc('\n', out);
	}
}
