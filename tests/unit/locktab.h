/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of locks, for the tests of what reads and writes them. Include it after cmocka. */
#ifndef TESTS_LOCKTAB_H
#define TESTS_LOCKTAB_H

#include "trace.h"

#define TABLES_MAX 8

/* The tables of a text. Each comes from a reader of its own, so that all stay valid. */
struct tables {
	struct {
		struct reader *reader;
		struct capture capture; /* as it was; its memory is the reader's */
		uint32_t damage_line;   /* the first; 0: none */
		const struct locktab *table;
	} at[TABLES_MAX];
	size_t n, traces;
};

/* Up to the table with that index, from 0; false: there are fewer. */
static inline bool tables_reach(struct tables *t, const char *text, size_t index)
{
	struct err err = { 0 };
	struct reader *r = trace_open(str_of(text));
	struct capture *c;
	struct source *s;
	size_t n = 0;
	int ret;
	t->traces = 0;
	while ((ret = reader_next(r, &c, &s, &err)) > 0) {
		t->traces += c->kind == CAPTURE_TRACE;
		if (c->kind != CAPTURE_LOCKS || n++ < index)
			continue;
		assert_null(s);
		t->at[index].reader = r;
		t->at[index].capture = *c;
		t->at[index].damage_line = c->damage.n ? c->damage.at[0].line : 0;
		t->at[index].table = c->locks;
		return true;
	}
	assert_int_equal(ret, 0);
	reader_close(r);
	return false;
}

static inline void tables_read(struct tables *t, const char *text)
{
	*t = (struct tables){ 0 };
	while (t->n < TABLES_MAX && tables_reach(t, text, t->n))
		t->n++;
}

static inline void tables_fini(struct tables *t)
{
	for (size_t i = 0; i < t->n; i++)
		reader_close(t->at[i].reader);
}

static inline void assert_value(const struct lock_row *r, enum lock_column c, int64_t n,
				enum lock_known known)
{
	assert_int_equal(r->value[c].known, known);
	if (known != LOCK_ABSENT)
		assert_int_equal(r->value[c].n, n);
}

static inline void assert_same_text(const char *a, const char *b)
{
	assert_string_equal(a ? a : "(none)", b ? b : "(none)");
}

static inline void assert_site(const struct lock_site *s, const char *symbol, const char *suffix,
			       const char *address, int64_t count)
{
	assert_same_text(s->symbol, symbol);
	assert_same_text(s->suffix, suffix);
	assert_same_text(s->address, address);
	assert_int_equal(s->count, count);
}

static inline void assert_same_sites(const struct lock_sites *a, const struct lock_sites *b)
{
	assert_int_equal(a->n, b->n);
	for (size_t i = 0; i < a->n; i++)
		assert_site(&a->at[i], b->at[i].symbol, b->at[i].suffix, b->at[i].address,
			    b->at[i].count);
}

/* The same in everything but the lines. */
static inline void assert_same_tables(const struct locktab *a, const struct locktab *b)
{
	assert_same_text(a->version, b->version);
	assert_string_equal(a->source, b->source);
	assert_int_equal(a->columns, b->columns);
	assert_int_equal(a->lockdep_disabled, b->lockdep_disabled);
	assert_int_equal(a->averages_mended, b->averages_mended);
	assert_int_equal(a->bad, b->bad);
	assert_int_equal(a->total, b->total);
	assert_int_equal(a->bad_rate, b->bad_rate);
	assert_int_equal(a->rows.n, b->rows.n);
	for (size_t i = 0; i < a->rows.n; i++) {
		const struct lock_row *r = &a->rows.at[i], *q = &b->rows.at[i];
		for (unsigned k = 0; k < LOCK_TEXTS; k++)
			assert_same_text(lock_text(r, k), lock_text(q, k));
		assert_int_equal(r->rw, q->rw);
		assert_int_equal(r->pid, q->pid);
		assert_int_equal(r->max_pid, q->max_pid);
		for (enum lock_column c = 0; c < LOCK_COLUMNS; c++)
			assert_value(r, c, q->value[c].n, q->value[c].known);
		assert_same_sites(&r->waiting, &q->waiting);
		assert_same_sites(&r->holding, &q->holding);
		assert_same_sites(&r->stack, &q->stack);
	}
}

#endif
