/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables of locks that `dwell convert --to json` printed (schema "dwell.capture/1",
 * render/locktab_json.c), also after another tool has laid them out anew. One element of the array
 * is one capture, so that only one is in memory.
 *
 * jansson makes doubles of numbers with decimals, and 357867523236.3 must stay itself: such a
 * number is handed to it as a string.
 */
#include <errno.h>
#include <jansson.h>

#include "core/capture.h"
#include "read/format.h"
#include "read/lock_cell.h"

#define TEXT_MAX (64u << 20) /* of one element, without its layout */

/* -- One element of the array ------------------------------------------------------------------ */

struct element {
	struct strbuf text;
	unsigned depth;
	bool in_string, escaped;
};

enum fed { FED_MORE, FED_WHOLE, FED_NO_JSON };

static size_t number_length(struct str t, bool *decimals)
{
	size_t n = 0;
	*decimals = false;
	for (; n < t.n && t.p[n] && strchr("+-.0123456789eE", t.p[n]); n++)
		*decimals |= t.p[n] == '.' || (t.p[n] | 0x20) == 'e';
	return n;
}

/* Inside a string: up to its end, or to the next character that matters. */
static size_t feed_string(struct element *e, struct str t)
{
	size_t n = 0;
	while (!e->escaped && n < t.n && t.p[n] != '"' && t.p[n] != '\\')
		n++;
	if (n < t.n) {
		e->in_string = e->escaped || t.p[n] != '"';
		e->escaped = !e->escaped && t.p[n] == '\\';
		n++;
	}
	strbuf_add(&e->text, t.p, n);
	return n;
}

/* What stands outside of strings: how far it takes us; 0: it is no JSON. */
static size_t feed_token(struct element *e, struct str t)
{
	char c = t.p[0];
	bool decimals;
	size_t n = c == '-' || is_digit(c) ? number_length(t, &decimals) : 0;
	if (n) {
		strbuf_str(&e->text, decimals ? "\"" : "");
		strbuf_add(&e->text, t.p, n);
		strbuf_str(&e->text, decimals ? "\"" : "");
		return n;
	}
	if (c == ' ' || c == '\t' || c == '\r')
		return 1;
	if (!c || !strchr("{}[]:,\"truefalsn", c))
		return 0;
	strbuf_add(&e->text, &c, 1);
	e->in_string = c == '"';
	e->depth += c == '{' || c == '[';
	e->depth -= (c == '}' || c == ']') && e->depth;
	return 1;
}

/* Takes what belongs to the element off the front of *t. */
static enum fed feed(struct element *e, struct str *t)
{
	while (t->n) {
		size_t n = e->in_string ? feed_string(e, *t) : feed_token(e, *t);
		if (!n)
			return FED_NO_JSON;
		*t = str_from(*t, n);
		if (!e->depth)
			return FED_WHOLE;
	}
	return e->in_string ? FED_NO_JSON : FED_MORE; /* no string goes over a line end */
}

/* What stands before an element: the bracket of the array, the comma after the one before. */
static struct str skip_to_element(struct str t)
{
	while (t.n && strchr("[, \t\r", t.p[0]))
		t = str_from(t, 1);
	return t;
}

/* Is it one of ours, as far as can be seen without parsing it? */
static bool is_ours(struct str text)
{
	return str_find(text, "dwell.capture/") >= 0;
}

/* What was one of our elements and went wrong is an error; anything else is text: 0. */
static int not_whole(const struct element *e, const struct line *line, const struct capture *c,
		     struct err *err)
{
	if (line && line->cut && is_ours(line->text))
		return err_set(err, EFBIG,
			       "line %u is too long for JSON: lay it out anew with 'jq .'",
			       line->number);
	if (e->text.n > TEXT_MAX)
		return err_set(err, EFBIG, "line %u: JSON of more than %u MiB", c->first_line,
			       TEXT_MAX >> 20);
	if (!is_ours(strbuf_get(&e->text)))
		return 0;
	if (line)
		return err_set(err, EBADMSG, "line %u: this is no JSON, or it is cut off here",
			       line->number);
	return err_set(err, EBADMSG, "line %u: the JSON that begins here is cut off",
		       c->first_line);
}

/* 1: e holds an element; 0: what stands here is no JSON; -errno */
static int read_element(struct element *e, struct carrier *from, struct capture *c, struct err *err)
{
	struct line line;
	int ret;
	while ((ret = carrier_next(from, &line, err)) > 0) {
		bool first = !e->depth;
		struct str t = first ? skip_to_element(line.text) : line.text;
		enum fed fed = line.cut || e->text.n > TEXT_MAX ? FED_NO_JSON : feed(e, &t);
		c->last_line = line.last;
		if (fed == FED_MORE)
			continue;
		ret = fed == FED_WHOLE ? 1 : not_whole(e, &line, c, err);
		/* Back with the rest of the line, or with one that may begin something else. */
		if (fed == FED_WHOLE)
			line.text = t;
		if (fed == FED_WHOLE ? str_trim(t).n > 0 : !first)
			carrier_back(from, &line);
		return ret;
	}
	return ret ? ret : not_whole(e, NULL, c, err);
}

/* -- Fields ------------------------------------------------------------------------------------ */

static const char *get_text(struct capture *c, const json_t *from, const char *key)
{
	const char *z = json_string_value(json_object_get(from, key));
	return z ? arena_str(&c->arena, str_of(z)) : NULL;
}

static int64_t get_int(const json_t *from, const char *key)
{
	const json_t *v = json_object_get(from, key);
	return json_is_integer(v) ? json_integer_value(v) : UNKNOWN;
}

/* A number that may have decimals, times 10^places. */
static bool get_decimal(const json_t *from, const char *key, unsigned places, int64_t *v)
{
	const json_t *j = json_object_get(from, key);
	char digits[32];
	struct str t = str_of(json_string_value(j));
	if (json_is_integer(j))
		t = (struct str){ digits, (size_t)snprintf(digits, sizeof(digits), "%lld",
							   (long long)json_integer_value(j)) };
	return t.n && lock_decimal(&t, places, v) && !t.n;
}

static struct lock_site get_site(struct capture *c, const json_t *s)
{
	return (struct lock_site){
		.symbol = get_text(c, s, "sym"),
		.suffix = get_text(c, s, "suffix"),
		.address = get_text(c, s, "address"),
		.count = get_int(s, "count"),
	};
}

static void get_sites(struct capture *c, const json_t *row, const char *key, struct lock_sites *to)
{
	size_t i;
	json_t *s;
	json_array_foreach(json_object_get(row, key), i, s)
	{
		if (!lock_sites_add(to, get_site(c, s)))
			break;
	}
}

static void get_pairs(struct capture *c, const json_t *row, struct lock_waits_for *to)
{
	size_t i;
	json_t *p;
	json_array_foreach(json_object_get(row, "pairs"), i, p)
	{
		struct lock_waited_for pair = {
			.waiting = get_site(c, json_object_get(p, "waiting")),
			.holding = get_site(c, json_object_get(p, "holding")),
			.wait_ns = get_int(p, "wait_ns"),
		};
		if (!lock_waits_for_add(to, pair))
			break;
	}
}

static struct lock_stack get_stack(struct capture *c, const json_t *from)
{
	const json_t *frames = json_object_get(from, "frames");
	size_t n = json_array_size(frames);
	struct lock_site *at = NULL;
	n = n < LOCK_STACK_FRAMES ? n : LOCK_STACK_FRAMES;
	if (n)
		at = arena_alloc(&c->arena, n * sizeof(*at));
	for (size_t i = 0; i < n; i++)
		at[i] = get_site(c, json_array_get(frames, i));
	return (struct lock_stack){
		.frames = at,
		.n = (uint32_t)n,
		.cut = json_is_true(json_object_get(from, "cut")),
		.waits = get_int(from, "waits"),
		.wait_ns = get_int(from, "wait_ns"),
	};
}

static void get_stacks(struct capture *c, const json_t *row, struct lock_stacks *to)
{
	size_t i;
	json_t *s;
	json_array_foreach(json_object_get(row, "stacks"), i, s)
	{
		if (!lock_stacks_add(to, get_stack(c, s)))
			break;
	}
}

/* What dwell record locks says of the run. */
static void get_run(struct capture *c, const json_t *from)
{
	const json_t *run = json_object_get(from, "run");
	if (!json_is_object(run))
		return;
	struct lock_run_facts *f = lock_run_facts_new(&c->arena, get_text(c, run, "command"));
	for (unsigned i = 0; i < LOCK_RUN_FACTS; i++)
		*lock_run_fact(f, i) = get_int(run, lock_run_fact_key(i));
	c->locks->run = f;
}

/* -- Rows -------------------------------------------------------------------------------------- */

static enum lock_known get_known(const json_t *row, const char *key)
{
	const char *name = json_string_value(json_object_get(json_object_get(row, "known"), key));
	for (enum lock_known k = LOCK_EXACT; name && k < LOCK_KNOWN; k++) {
		if (strcmp(name, lock_known_name(k)) == 0)
			return k;
	}
	return LOCK_EXACT;
}

/* Times of lock_stat are us with decimals, those of the others whole ns. */
static void get_columns(struct capture *c, const json_t *from, struct lock_row *r)
{
	bool us = locktab_is_lock_stat(c->locks);
	for (enum lock_column k = 0; k < LOCK_COLUMNS; k++) {
		const char *key = lock_column_row_key(c->locks, k);
		const json_t *v = key ? json_object_get(from, key) : NULL;
		if (!v || json_is_null(v))
			continue;
		unsigned places = us && lock_column_is_time(k) ? 3 : 0;
		if (get_decimal(from, key, places, &r->value[k].n))
			r->value[k].known = get_known(from, key);
		else
			capture_damage(c, r->line, "a column is no number, or does not fit");
	}
}

static void get_row(struct capture *c, const json_t *from)
{
	int64_t line = get_int(from, "line");
	bool fits = line > 0 && line <= UINT32_MAX;
	uint32_t none = locktab_is_program(c->locks) ? 0 : c->first_line; /* no text had it */
	struct lock_row *r = locktab_row(c->locks, fits ? (uint32_t)line : none);
	if (!r) {
		capture_damage(c, c->first_line, "more rows than are kept of one table");
		return;
	}
	for (unsigned i = 0; i < LOCK_TEXTS; i++)
		lock_text_set(r, i, get_text(c, from, lock_text_key(i)));
	const char *rw = json_string_value(json_object_get(from, "rw"));
	if (rw && (strcmp(rw, "R") == 0 || strcmp(rw, "W") == 0))
		r->rw = rw[0];
	r->pid = get_int(from, "pid");
	r->max_pid = get_int(from, "max_pid");
	get_columns(c, from, r);
	get_sites(c, from, "contention_points", &r->waiting);
	get_sites(c, from, "contending_points", &r->holding);
	get_sites(c, from, "stack", &r->stack);
	get_pairs(c, from, &r->pairs);
	get_stacks(c, from, &r->stacks);
	r->failed = get_int(from, "failed");
	r->instances = get_int(from, "instances");
	r->unmeasured_waits = get_int(from, "unmeasured_waits");
	r->spin_ns = get_int(from, "spin_ns");
	r->seen = get_int(from, "seen");
	r->wait_low_ns = get_int(from, "wait_low_ns");
	r->wait_high_ns = get_int(from, "wait_high_ns");
}

/* -- The capture ------------------------------------------------------------------------------- */

static void get_damage(struct capture *c, const json_t *from)
{
	size_t i;
	json_t *d;
	json_array_foreach(json_object_get(from, "damage"), i, d)
	{
		int64_t line = get_int(d, "line");
		const char *why = get_text(c, d, "why");
		capture_damage(c, line > 0 && line <= UINT32_MAX ? (uint32_t)line : 0,
			       why ? why : "not told");
	}
	int64_t all = get_int(from, "damaged_lines");
	if (all > (int64_t)c->damaged)
		c->damaged = c->damage.n ? (uint64_t)all : 0;
}

/* The lines are those of the file that the table was read from. */
static void get_place(struct capture *c, const json_t *from)
{
	const json_t *lines = json_object_get(from, "lines");
	int64_t first = json_integer_value(json_array_get(lines, 0));
	int64_t last = json_integer_value(json_array_get(lines, 1));
	if (locktab_is_program(c->locks))
		c->first_line = c->last_line = 0;
	if (first < 1 || last < first || last > UINT32_MAX)
		return;
	c->first_line = (uint32_t)first;
	c->last_line = (uint32_t)last;
}

static void get_table(struct capture *c, const json_t *from, bool is_lock_stat)
{
	const char *source = get_text(c, from, is_lock_stat ? "source" : "tool");
	struct locktab *t = locktab_new(&c->arena, source ? source : "lock_stat");
	c->kind = CAPTURE_LOCKS;
	c->locks = t;
	c->label = get_text(c, from, "label");
	t->version = get_text(c, from, "version");
	t->columns = get_int(from, "columns");
	t->lockdep_disabled = json_is_true(json_object_get(from, "lockdep_disabled"));
	int64_t mended = get_int(from, "averages_mended");
	t->averages_mended = mended == UNKNOWN ? 0 : mended;
	bool events = locktab_is_events(t);
	t->bad = get_int(from, events ? "unpaired" : "bad");
	t->total = get_int(from, events ? "waits_begun" : "total");
	t->span_ns = get_int(from, "span_ns");
	int64_t left_out = get_int(from, "left_out");
	t->left_out = left_out == UNKNOWN ? 0 : left_out;
	if (!get_decimal(from, "bad_rate_pct", 6, &t->bad_rate))
		t->bad_rate = UNKNOWN;
	get_run(c, from);
	get_place(c, from);
	get_damage(c, from);

	size_t i;
	json_t *row;
	json_array_foreach(json_object_get(from, is_lock_stat ? "classes" : "rows"), i, row)
		get_row(c, row);
}

/* 1: the element is a table; 0: it is something else; -errno */
static int read_capture(struct capture *c, const struct element *e, struct err *err)
{
	if (!is_ours(strbuf_get(&e->text)))
		return 0;
	json_error_t why;
	json_auto_t *from = json_loadb(e->text.p, e->text.n, 0, &why);
	if (!from)
		return err_set(err, EBADMSG, "line %u: the JSON that begins here is damaged: %s",
			       c->first_line, why.text);
	const char *schema = json_string_value(json_object_get(from, "schema"));
	const char *kind = json_string_value(json_object_get(from, "kind"));
	if (!schema || !kind || strncmp(schema, "dwell.capture/", strlen("dwell.capture/")) != 0)
		return 0;
	if (strcmp(schema, "dwell.capture/1") != 0)
		return err_set(err, EPROTO, "line %u: '%s' is newer than this dwell: update it",
			       c->first_line, schema);
	bool is_lock_stat = strcmp(kind, "lock_stat") == 0;
	if (!is_lock_stat && strcmp(kind, "perf_lock") != 0)
		return 0;
	get_table(c, from, is_lock_stat);
	return 1;
}

/* "{", "[{", ",{" and the end of the line or a key. */
static bool json_starts(struct str text)
{
	struct str t = str_trim(skip_to_element(str_trim(text)));
	if (!t.n || t.p[0] != '{')
		return false;
	t = str_trim(str_from(t, 1));
	return !t.n || t.p[0] == '"';
}

static int json_open(struct carrier *from, struct names *names, struct capture *c,
		     struct source **s, struct err *err)
{
	(void)names;
	*s = NULL;
	struct element e = { 0 };
	int ret = read_element(&e, from, c, err);
	if (ret > 0)
		ret = read_capture(c, &e, err);
	strbuf_fini(&e.text);
	return ret;
}

const struct format format_json = {
	.looks_for = "JSON of dwell convert",
	.starts = json_starts,
	.open = json_open,
};
