/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables of locks as JSON, as text of lock_stat and as CSV. The JSON of a table reads back to the
 * same table, but for its place in the file and what of it was damaged.
 */
#include "captures.h"
#include "json_check.h"
#include "read/undo.h"
#include "render/locktab_csv.h"
#include "render/locktab_json.h"
#include "render/locktab_text.h"

struct converting {
	struct captures captures;
	struct json json;
	FILE *text;
	bool others; /* captures that are no tables */
};

static int convert_capture(struct captures *to, struct capture *c, struct source *s,
			   struct err *err)
{
	(void)s, (void)err;
	struct converting *x = (struct converting *)to;
	if (c->kind != CAPTURE_LOCKS) {
		x->others = true;
		return 0;
	}
	render_locktab_text(x->text, c);
	render_locktab_csv(x->text, c, "input", 1);
	c->first_line = c->last_line = 0;
	c->damaged = c->damage.n = 0;
	vec_each (r, &c->locks->rows)
		r->line = 0;
	render_locktab_json(&x->json, c);
	return 0;
}

struct converted {
	char *json, *text;
	size_t json_size, text_size;
};

static bool convert(const uint8_t *data, size_t size, struct converted *out)
{
	struct converting x = { .captures = { convert_capture } };
	FILE *f = open_memstream(&out->json, &out->json_size);
	x.text = open_memstream(&out->text, &out->text_size);
	fuzz_require(f && x.text);
	json_put_init(&x.json, f, false);
	json_put_open(&x.json, '[');
	struct err err = { 0 };
	int ret = captures_read(data, size, &x.captures, &err);
	json_put_close(&x.json, ']');
	json_put_end(&x.json);
	fclose(f);
	fclose(x.text);
	return ret == 0 && !x.others;
}

/* The next line that says something, without the comma behind it: "key": null does not. */
static bool next_line(struct str *text, struct str *line)
{
	while (fuzz_line(text, line)) {
		if (line->n && line->p[line->n - 1] == ',')
			line->n--;
		if (line->n < 6 || memcmp(line->p + line->n - 6, ": null", 6) != 0)
			return true;
	}
	return false;
}

static bool same(const struct converted *a, const struct converted *b)
{
	struct str x = { a->json, a->json_size }, y = { b->json, b->json_size }, one, other;
	for (;;) {
		bool more = next_line(&x, &one);
		if (next_line(&y, &other) != more)
			break;
		if (!more)
			return true;
		if (one.n != other.n || memcmp(one.p, other.p, one.n) != 0)
			break;
	}
	fprintf(stderr, "--- read\n%s--- read back\n%s", a->json, b->json);
	return false;
}

int fuzz_one(const uint8_t *data, size_t size)
{
	struct converted first = { 0 }, second = { 0 };
	/* Where the JSON itself looks like a mail or a web page, it is taken for one. */
	if (convert(data, size, &first) &&
	    !undo_sniff((struct str){ first.json, first.json_size })) {
		fuzz_require(json_check((struct str){ first.json, first.json_size }));
		fuzz_require(convert((const uint8_t *)first.json, first.json_size, &second));
		fuzz_require(same(&first, &second));
	}
	free(first.json);
	free(first.text);
	free(second.json);
	free(second.text);
	return 0;
}
