/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/locktab.h"

#include <stddef.h>

#include "core/capture.h"

static const struct {
	const char *key, *title, *perf_key;
	bool time;
} columns[LOCK_COLUMNS] = {
	[LOCK_CON_BOUNCES] = { "con_bounces", "con-bounces", NULL, false },
	[LOCK_CONTENTIONS] = { "contentions", "contentions", "contended", false },
	[LOCK_WAIT_MIN] = { "wait_min", "waittime-min", "min_wait_ns", true },
	[LOCK_WAIT_MAX] = { "wait_max", "waittime-max", "max_wait_ns", true },
	[LOCK_WAIT_TOTAL] = { "wait_total", "waittime-total", "total_wait_ns", true },
	[LOCK_WAIT_AVG] = { "wait_avg", "waittime-avg", "avg_wait_ns", true },
	[LOCK_ACQ_BOUNCES] = { "acq_bounces", "acq-bounces", NULL, false },
	[LOCK_ACQUISITIONS] = { "acquisitions", "acquisitions", "acquired", false },
	[LOCK_HOLD_MIN] = { "hold_min", "holdtime-min", "min_hold_ns", true },
	[LOCK_HOLD_MAX] = { "hold_max", "holdtime-max", "max_hold_ns", true },
	[LOCK_HOLD_TOTAL] = { "hold_total", "holdtime-total", "total_hold_ns", true },
	[LOCK_HOLD_AVG] = { "hold_avg", "holdtime-avg", "avg_hold_ns", true },
};

static const struct {
	const char *key;
	size_t at;
} texts[LOCK_TEXTS] = {
	{ "name", offsetof(struct lock_row, name) },
	{ "type", offsetof(struct lock_row, type) },
	{ "caller", offsetof(struct lock_row, caller) },
	{ "comm", offsetof(struct lock_row, comm) },
	{ "address", offsetof(struct lock_row, address) },
	{ "symbol", offsetof(struct lock_row, symbol) },
	{ "cgroup", offsetof(struct lock_row, cgroup) },
	{ "max_comm", offsetof(struct lock_row, max_comm) },
};

struct locktab *locktab_new(struct arena *a, const char *source)
{
	struct locktab *t = arena_alloc(a, sizeof(*t));
	t->source = source;
	t->columns = t->bad = t->total = t->bad_rate = t->span_ns = UNKNOWN;
	return t;
}

void locktab_fini(struct locktab *t)
{
	if (!t)
		return;
	vec_each (r, &t->rows) {
		vec_fini(&r->waiting);
		vec_fini(&r->holding);
		vec_fini(&r->stack);
		vec_fini(&r->pairs);
		vec_fini(&r->stacks);
	}
	vec_fini(&t->rows);
}

#define FACT(member, any) { #member, offsetof(struct lock_run_facts, member), any }

static const struct {
	const char *key;
	size_t at;
	bool any; /* any run has it */
} facts[LOCK_RUN_FACTS] = {
	FACT(ns, true),
	FACT(cpu_ns, true),
	FACT(processes, true),
	FACT(still_running, true),
	FACT(locks_lost, true),
	FACT(pairs_lost, true),
	FACT(processes_lost, true),
	FACT(files_lost, true),
	FACT(ended_unseen, false),
	FACT(stacks_lost, false),
	FACT(looks, false),
	FACT(looks_lost, false),
	FACT(looks_cpu_ns, false),
	FACT(pid, false),
};

const char *lock_run_fact_key(unsigned i)
{
	return facts[i].key;
}

int64_t *lock_run_fact(struct lock_run_facts *f, unsigned i)
{
	return (int64_t *)(void *)((char *)f + facts[i].at);
}

bool lock_run_fact_is_any(unsigned i)
{
	return facts[i].any;
}

struct lock_run_facts *lock_run_facts_new(struct arena *a, const char *command)
{
	struct lock_run_facts *f = arena_alloc(a, sizeof(*f));
	f->command = command;
	for (unsigned i = 0; i < LOCK_RUN_FACTS; i++)
		*lock_run_fact(f, i) = UNKNOWN;
	return f;
}

struct lock_row lock_row_none(void)
{
	return (struct lock_row){
		.pid = UNKNOWN,
		.max_pid = UNKNOWN,
		.failed = UNKNOWN,
		.instances = UNKNOWN,
		.spin_ns = UNKNOWN,
		.unmeasured_waits = UNKNOWN,
		.seen = UNKNOWN,
		.wait_low_ns = UNKNOWN,
		.wait_high_ns = UNKNOWN,
	};
}

struct lock_row *locktab_row(struct locktab *t, uint32_t line)
{
	if (t->rows.n >= LOCKTAB_ROWS_MAX)
		return NULL;
	vec_push(&t->rows, lock_row_none());
	vec_last(&t->rows)->line = line;
	return vec_last(&t->rows);
}

bool lock_sites_add(struct lock_sites *s, struct lock_site site)
{
	if (s->n >= LOCK_SITES_MAX)
		return false;
	vec_push(s, site);
	return true;
}

static int by_count(const void *x, const void *y)
{
	const struct lock_site *a = x, *b = y;
	return (a->count < b->count) - (a->count > b->count);
}

void lock_sites_sort(struct lock_sites *s)
{
	vec_sort(s, by_count);
}

bool lock_waits_for_add(struct lock_waits_for *s, struct lock_waited_for pair)
{
	if (s->n >= LOCK_SITES_MAX)
		return false;
	vec_push(s, pair);
	return true;
}

bool lock_stacks_add(struct lock_stacks *s, struct lock_stack stack)
{
	if (s->n >= LOCK_SITES_MAX)
		return false;
	vec_push(s, stack);
	return true;
}

bool lock_row_is_event(const struct lock_row *r)
{
	static const char *const events[] = { "cond", "barrier", "sem", "futex" };
	for (size_t i = 0; r->type && i < sizeof(events) / sizeof(events[0]); i++) {
		if (strcmp(r->type, events[i]) == 0)
			return true;
	}
	return false;
}

bool locktab_is_program(const struct locktab *t)
{
	return t->source && strcmp(t->source, LOCKTAB_PROGRAM) == 0;
}

bool locktab_is_events(const struct locktab *t)
{
	return t->source && strcmp(t->source, LOCKTAB_EVENTS) == 0;
}

bool locktab_is_sampled(const struct locktab *t)
{
	return locktab_is_program(t) && t->run && t->run->looks != UNKNOWN;
}

bool locktab_is_lock_stat(const struct locktab *t)
{
	static const char *const others[] = { "contention", "report", "klockstat", "futexctn" };
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (strcmp(t->source, others[i]) == 0)
			return false;
	}
	return true;
}

bool lock_column_is_time(enum lock_column c)
{
	return columns[c].time;
}

const char *lock_column_key(enum lock_column c)
{
	return columns[c].key;
}

const char *lock_column_title(enum lock_column c)
{
	return columns[c].title;
}

const char *lock_column_row_key(const struct locktab *t, enum lock_column c)
{
	if (locktab_is_lock_stat(t))
		return columns[c].key;
	if (c == LOCK_ACQUISITIONS && strcmp(t->source, "klockstat") == 0)
		return "count";
	return columns[c].perf_key;
}

const char *lock_known_name(enum lock_known k)
{
	static const char *const names[LOCK_KNOWN] = { "absent", "exact", "sampled", "estimated" };
	return names[k];
}

const char *lock_text_key(unsigned i)
{
	return texts[i].key;
}

const char *lock_text(const struct lock_row *r, unsigned i)
{
	return *(const char *const *)((const char *)r + texts[i].at);
}

void lock_text_set(struct lock_row *r, unsigned i, const char *text)
{
	*(const char **)((char *)r + texts[i].at) = text;
}
