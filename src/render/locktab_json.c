/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/locktab_json.h"

#include "render/digest.h"

static void site(struct json *j, const struct lock_site *s)
{
	json_put_open(j, '{');
	json_key_string(j, "sym", s->symbol);
	if (s->count != UNKNOWN)
		json_key_known(j, "count", s->count);
	if (s->suffix)
		json_key_string(j, "suffix", s->suffix);
	if (s->address)
		json_key_string(j, "address", s->address);
	json_put_close(j, '}');
}

static void sites(struct json *j, const char *key, const struct lock_sites *list)
{
	json_put_key(j, key);
	json_put_open(j, '[');
	vec_each (s, list)
		site(j, s);
	json_put_close(j, ']');
}

/* Columns that are not exact, by how they are known. */
static void how_known(struct json *j, const struct locktab *t, const struct lock_row *r)
{
	bool any = false;
	for (enum lock_column c = 0; c < LOCK_COLUMNS; c++) {
		if (!lock_known(r, c) || r->value[c].known == LOCK_EXACT)
			continue;
		if (!any) {
			json_put_key(j, "known");
			json_put_open(j, '{');
		}
		any = true;
		json_key_string(j, lock_column_row_key(t, c), lock_known_name(r->value[c].known));
	}
	if (any)
		json_put_close(j, '}');
}

static void read_or_write(struct json *j, const struct lock_row *r)
{
	if (r->rw)
		json_put_str(j, (struct str){ &r->rw, 1 });
	else
		json_put_null(j);
}

static void pairs(struct json *j, const struct lock_waits_for *list)
{
	json_put_key(j, "pairs");
	json_put_open(j, '[');
	vec_each (p, list) {
		json_put_open(j, '{');
		json_put_key(j, "waiting");
		site(j, &p->waiting);
		json_put_key(j, "holding");
		site(j, &p->holding);
		json_key_known(j, "wait_ns", p->wait_ns);
		json_put_close(j, '}');
	}
	json_put_close(j, ']');
}

static void stacks(struct json *j, const struct lock_stacks *list)
{
	json_put_key(j, "stacks");
	json_put_open(j, '[');
	vec_each (s, list) {
		json_put_open(j, '{');
		json_key_known(j, "waits", s->waits);
		json_key_known(j, "wait_ns", s->wait_ns);
		json_put_key(j, "cut");
		json_put_bool(j, s->cut);
		json_put_key(j, "frames");
		json_put_open(j, '[');
		for (uint32_t i = 0; i < s->n; i++)
			site(j, &s->frames[i]);
		json_put_close(j, ']');
		json_put_close(j, '}');
	}
	json_put_close(j, ']');
}

/* What only a table of a program's locks or of a trace's has. */
static void more_of_row(struct json *j, const struct lock_row *r)
{
	if (r->type)
		json_key_string(j, "type", r->type);
	if (r->caller)
		json_key_string(j, "caller", r->caller);
	if (r->address)
		json_key_string(j, "address", r->address);
	if (r->failed != UNKNOWN)
		json_key_known(j, "failed", r->failed);
	if (r->instances != UNKNOWN)
		json_key_known(j, "instances", r->instances);
	if (r->seen != UNKNOWN) {
		json_key_known(j, "seen", r->seen);
		json_key_known(j, "wait_low_ns", r->wait_low_ns);
		json_key_known(j, "wait_high_ns", r->wait_high_ns);
	}
	if (r->unmeasured_waits != UNKNOWN)
		json_key_known(j, "unmeasured_waits", r->unmeasured_waits);
	if (r->spin_ns != UNKNOWN)
		json_key_known(j, "spin_ns", r->spin_ns);
	if (r->pairs.n)
		pairs(j, &r->pairs);
	if (r->stacks.n)
		stacks(j, &r->stacks);
}

static void class_row(struct json *j, const struct locktab *t, const struct lock_row *r)
{
	json_put_open(j, '{');
	json_key_string(j, "name", r->name);
	json_put_key(j, "rw");
	read_or_write(j, r);
	json_key_known(j, "line", r->line);
	for (enum lock_column c = 0; c < LOCK_COLUMNS; c++) {
		json_put_key(j, lock_column_key(c));
		if (!lock_known(r, c))
			json_put_null(j);
		else if (lock_column_is_time(c))
			json_put_decimal(j, r->value[c].n, 3, 2);
		else
			json_put_int(j, r->value[c].n);
	}
	how_known(j, t, r);
	sites(j, "contention_points", &r->waiting);
	sites(j, "contending_points", &r->holding);
	more_of_row(j, r);
	json_put_close(j, '}');
}

/* A row of perf lock or klockstat has the keys that were printed. */
static void perf_row(struct json *j, const struct locktab *t, const struct lock_row *r)
{
	json_put_open(j, '{');
	for (unsigned i = 0; i < LOCK_TEXTS; i++) {
		const char *v = lock_text(r, i);
		if (v)
			json_key_string(j, lock_text_key(i), v);
	}
	if (r->rw) {
		json_put_key(j, "rw");
		read_or_write(j, r);
	}
	if (r->pid != UNKNOWN)
		json_key_known(j, "pid", r->pid);
	if (r->max_pid != UNKNOWN)
		json_key_known(j, "max_pid", r->max_pid);
	json_key_known(j, "line", r->line);
	for (enum lock_column c = 0; c < LOCK_COLUMNS; c++) {
		if (lock_known(r, c) && lock_column_row_key(t, c))
			json_key_known(j, lock_column_row_key(t, c), r->value[c].n);
	}
	how_known(j, t, r);
	if (r->stack.n)
		sites(j, "stack", &r->stack);
	json_put_close(j, '}');
}

static void run_facts(struct json *j, struct lock_run_facts *f)
{
	json_put_key(j, "run");
	json_put_open(j, '{');
	json_key_string(j, "command", f->command);
	for (unsigned i = 0; i < LOCK_RUN_FACTS; i++) {
		int64_t n = *lock_run_fact(f, i);
		if (n != UNKNOWN || lock_run_fact_is_any(i))
			json_key_known(j, lock_run_fact_key(i), n);
	}
	json_put_close(j, '}');
}

static void lock_stat(struct json *j, const struct locktab *t)
{
	json_key_string(j, "source", t->source);
	json_key_string(j, "version", t->version);
	json_key_known(j, "columns", t->columns);
	json_put_key(j, "lockdep_disabled");
	json_put_bool(j, t->lockdep_disabled);
	if (t->averages_mended)
		json_key_known(j, "averages_mended", t->averages_mended);
	if (t->run)
		run_facts(j, t->run);
	if (locktab_is_events(t)) {
		json_key_known(j, "unpaired", t->bad);
		json_key_known(j, "waits_begun", t->total);
		json_key_known(j, "left_out", t->left_out);
		json_key_known(j, "span_ns", t->span_ns);
	}
	json_put_key(j, "classes");
	json_put_open(j, '[');
	vec_each (r, &t->rows)
		class_row(j, t, r);
	json_put_close(j, ']');
}

static void perf_lock(struct json *j, const struct locktab *t)
{
	json_key_string(j, "tool", t->source);
	json_key_known(j, "bad", t->bad);
	json_key_known(j, "total", t->total);
	json_put_key(j, "bad_rate_pct");
	if (t->bad_rate == UNKNOWN)
		json_put_null(j);
	else
		json_put_decimal(j, t->bad_rate, 6, 2);
	json_put_key(j, "rows");
	json_put_open(j, '[');
	vec_each (r, &t->rows)
		perf_row(j, t, r);
	json_put_close(j, ']');
}

void render_locktab_json(struct json *j, const struct capture *c)
{
	const struct locktab *t = c->locks;
	bool is_lock_stat = locktab_is_lock_stat(t);
	json_put_open(j, '{');
	render_capture(j, c, is_lock_stat ? "lock_stat" : "perf_lock");
	render_damage(j, c);
	json_key_string(j, "label", c->label);
	if (is_lock_stat)
		lock_stat(j, t);
	else
		perf_lock(j, t);
	json_put_close(j, '}');
}
