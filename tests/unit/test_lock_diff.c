/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "analyze/lock_diff.h"
#include "lock_table.h"
#include "stat/rank.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))
#define RUNS_MAX 16

/* Both sides, from captures that stay. */
struct sides {
	struct capture captures[LOCK_SIDES][RUNS_MAX];
	struct lock_view views[LOCK_SIDES][RUNS_MAX];
	const struct lock_view *pointers[LOCK_SIDES][RUNS_MAX];
	struct lock_side side[LOCK_SIDES];
	struct lock_aliases aliases;
	struct lock_conditions conditions;
	struct lock_diff_options options;
	struct report report;
	enum lock_verdict verdict;
};

static void sides_view(struct sides *s)
{
	for (int i = 0; i < LOCK_SIDES; i++) {
		for (size_t run = 0; run < s->side[i].n; run++) {
			lock_view_init(&s->views[i][run], &s->captures[i][run]);
			s->pointers[i][run] = &s->views[i][run];
		}
		s->side[i].runs = s->pointers[i];
		s->side[i].label = i == LOCK_BASE ? "base" : "new";
	}
}

static void compare(struct sides *s)
{
	sides_view(s);
	s->options.aliases = &s->aliases;
	s->options.conditions = &s->conditions;
	s->options.top = 8;
	s->verdict = analyze_lock_diff(s->side, &s->options, &s->report);
}

static void sides_fini(struct sides *s)
{
	report_fini(&s->report);
	lock_aliases_fini(&s->aliases);
	lock_conditions_fini(&s->conditions);
	for (int i = 0; i < LOCK_SIDES; i++) {
		for (size_t run = 0; run < s->side[i].n; run++) {
			lock_view_fini(&s->views[i][run]);
			capture_fini(&s->captures[i][run]);
		}
	}
	*s = (struct sides){ 0 };
}

static void the_mail(struct sides *s)
{
	*s = (struct sides){ 0 };
	table_vanilla(&s->captures[LOCK_BASE][0]);
	table_revert(&s->captures[LOCK_NEW][0]);
	s->side[LOCK_BASE].n = s->side[LOCK_NEW].n = 1;
}

static const char *text_of(const struct sides *s, const char *section, const char *finding)
{
	const struct finding *f = section_get(report_get(&s->report, section), finding);
	return f && f->text ? f->text : "";
}

static int64_t fact_of(const struct sides *s, const char *section, const char *finding,
		       const char *fact)
{
	struct value v = finding_get(section_get(report_get(&s->report, section), finding), fact);
	return v.type == VALUE_NONE ? UNKNOWN : v.number;
}

static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in '%s'", part, text);
}

static const struct row *row_named(const struct table *t, const char *name)
{
	assert_non_null(t);
	vec_each (row, &t->rows) {
		if (strcmp(row->cell[0].text, name) == 0)
			return row;
	}
	fail_msg("no row '%s'", name);
	return NULL;
}

/* The re-analysis of the second mail: the notes on experiments, 8.2, and on attribution. */
static const struct {
	const char *figure, *base, *new, *change, *difference;
} mail_figures[] = {
	{ "acquisitions", "1,029,063,029", "768,253,556", "/ 1.34", "" },
	{ "bounces per acquisition", "39.9 %", "0.0114 %", "/ 3489", "" },
	{ "contentions per million", "36.0", "14.1", "/ 2.55", "" },
	{ "contentions", "37,063", "10,833", "/ 3.42", "" },
	{ "wait, mean", "0.298 us", "0.411 us", "x 1.38", "+ 113 ns" },
	{ "wait, total", "11.0 ms", "4.4 ms", "/ 2.48", "- 6.6 ms" },
	{ "hold, mean", "0.228 us", "0.182 us", "/ 1.25", "- 45.6 ns" },
	{ "hold, total", "234.6 s", "140.1 s", "/ 1.67", "- 94.5 s" },
};

static void test_mail_figures(void **state)
{
	(void)state;
	struct sides s;
	the_mail(&s);
	compare(&s);
	const struct table *t = section_table(report_get(&s.report, "class"), "figures");
	for (size_t i = 0; i < N_OF(mail_figures); i++) {
		const struct row *row = row_named(t, mail_figures[i].figure);
		assert_string_equal(row->cell[1].words, mail_figures[i].base);
		assert_string_equal(row->cell[2].words, mail_figures[i].new);
		assert_string_equal(row->cell[3].words, mail_figures[i].change);
		assert_string_equal(row->cell[4].words, mail_figures[i].difference);
	}
	const struct row *rate = row_named(t, "contentions per million");
	assert_true(fabs(rate->cell[1].figure - 1e6 * 37063 / 1029063029.0) < 1e-9);
	assert_int_equal(fact_of(&s, "class", "class", "base_acq_bounces"), 410701252);
	assert_int_equal(fact_of(&s, "class", "class", "new_hold_total_ns"), 140103672330);
	sides_fini(&s);
}

static void test_mail_sentences(void **state)
{
	(void)state;
	struct sides s;
	the_mail(&s);
	compare(&s);
	has(text_of(&s, "answer", "answer"), "&rq->lock bounces 3489 times less often");
	has(text_of(&s, "answer", "answer"), "held 45.6 ns shorter");
	has(text_of(&s, "answer", "bound"), "at most 114 ns a bounce");
	has(text_of(&s, "answer", "bound"), "would look the same");
	has(text_of(&s, "answer", "waiting"), "negligible in both: 11.0 ms and 4.4 ms");
	has(text_of(&s, "answer", "outcome"), "/ 1.34 here");
	has(text_of(&s, "class", "hold_split"), "94.5 s less; 35-47 s of it by shorter holds");
	const struct finding *compared = section_get(report_get(&s.report, "answer"), "compared");
	has(compared->aside, "one run each: sizes only, nothing can be inferred");
	sides_fini(&s);
}

static void test_mail_sites(void **state)
{
	(void)state;
	struct sides s;
	the_mail(&s);
	compare(&s);
	has(report_get(&s.report, "waiting_at")->note, "29 % and 2 % have no site");
	has(report_get(&s.report, "held_at")->note, "9 % and 59 % have no site");
	const struct table *t = section_table(report_get(&s.report, "waiting_at"), "sites");
	const struct row *queue = row_named(t, "ttwu_queue"),
			 *wake = row_named(t, "try_to_wake_up");
	assert_int_equal(queue->cell[1].number, 11810);
	assert_int_equal(queue->cell[3].type, VALUE_NONE); /* four were kept: not known, not 0 */
	assert_int_equal(wake->cell[3].number, 8688);
	assert_int_equal(wake->cell[4].whole, 10833);
	assert_string_equal(queue->cell[5].text, "possibly try_to_wake_up");
	has(text_of(&s, "waiting_at", "maybe"), "not merged");
	t = section_table(report_get(&s.report, "held_at"), "sites");
	assert_int_equal(row_named(t, "load_balance")->cell[3].number, 1154); /* three places */
	sides_fini(&s);

	/* Who knows better says so. */
	the_mail(&s);
	struct err err;
	assert_int_equal(lock_alias_add(&s.aliases, "ttwu_queue=try_to_wake_up", &err), 0);
	compare(&s);
	t = section_table(report_get(&s.report, "waiting_at"), "sites");
	wake = row_named(t, "try_to_wake_up");
	assert_int_equal(wake->cell[1].number, 11810);
	assert_int_equal(wake->cell[3].number, 8688);
	sides_fini(&s);
}

/* compare(A, A) finds nothing. */
static void test_same(void **state)
{
	(void)state;
	struct sides s = { 0 };
	table_vanilla(&s.captures[LOCK_BASE][0]);
	table_vanilla(&s.captures[LOCK_NEW][0]);
	s.side[LOCK_BASE].n = s.side[LOCK_NEW].n = 1;
	struct err err;
	assert_int_equal(lock_conditions_add(&s.conditions, "bounces/acquisitions > +0%", &err), 0);
	compare(&s);
	has(text_of(&s, "answer", "answer"), "No lock moved");
	assert_int_equal(s.verdict, LOCK_HOLDS_NOT);
	assert_string_equal(text_of(&s, "answer", "bound"), "");
	sides_fini(&s);
}

/* Classes of another kernel; those that are no locks, stand twice, or are alone. */
static void test_alignment(void **state)
{
	(void)state;
	struct sides s = { 0 };
	struct capture *a = &s.captures[LOCK_BASE][0], *b = &s.captures[LOCK_NEW][0];
	table_begin(a);
	table_begin(b);
#define ROW(c, name, rw, n)                                                                        \
	table_add(c, &(struct row_of){ name, rw, 0, 40, 1, 90, 400, 50, n, 1, 90, 10 * (n) })
	ROW(a, "&rq->lock", 0, 1000);
	ROW(b, "&rq->__lock", 0, 1000);
	ROW(a, "&mm->mmap_sem", 'W', 1000);
	ROW(a, "&mm->mmap_sem", 'R', 2000);
	ROW(b, "&mm->mmap_lock", 0, 1000); /* nobody read: no -W */
	ROW(a, "rcu_read_lock", 'R', 9000000);
	ROW(b, "rcu_read_lock", 'R', 90);
	ROW(a, "key#1", 0, 5);
	ROW(a, "key#1", 0, 6);
	ROW(b, "key#1", 0, 7);
	ROW(a, "&zone->lru_lock", 0, 300);
	ROW(b, "&lruvec->lru_lock", 0, 300);
	s.side[LOCK_BASE].n = s.side[LOCK_NEW].n = 1;
	sides_view(&s);

	struct lock_alignment al;
	lock_align(&al, s.side, &s.aliases, NULL);
	assert_int_equal(al.both, 3); /* the run queue's, writers of mmap_lock, rcu_read_lock */
	assert_int_equal(al.renamed, 2);
	assert_int_equal(al.twins, 1);
	assert_int_equal(al.maps, 1);
	assert_int_equal(al.only[LOCK_BASE], 2); /* readers of mmap_sem, zone->lru_lock */
	assert_int_equal(al.only[LOCK_NEW], 1);
	assert_string_equal(al.pairs.at[0].name, "&rq->__lock");
	assert_string_equal(al.pairs.at[0].was, "&rq->lock");
	lock_alignment_fini(&al);

	s.options.top = 8;
	s.options.aliases = &s.aliases;
	analyze_lock_diff(s.side, &s.options, &s.report);
	has(text_of(&s, "alignment", "renamed"), "&rq->lock is taken for &rq->__lock");
	has(text_of(&s, "alignment", "maybe"), "&zone->lru_lock is possibly what is now &lruvec");
	has(text_of(&s, "alignment", "twins"), "1 name is printed by several rows");
	has(text_of(&s, "alignment", "base_only"), "2 in the base alone");
	sides_fini(&s);
}

/*
 * Order: a lock with weight before one without, noise of small counts nowhere, and no bound on
 * bouncing where bounces stayed the same.
 */
static void test_order(void **state)
{
	(void)state;
	struct sides s = { 0 };
	struct capture *a = &s.captures[LOCK_BASE][0], *b = &s.captures[LOCK_NEW][0];
	table_begin(a);
	table_begin(b);
	const struct row_of base[] = {
		{ "small", 0, 0, 0, 0, 0, 0, 10, 1000, 1, 10, 3000 },
		{ "noise", 0, 0, 0, 0, 0, 0, 8, 31, 1, 1000, 3000 },
		{ "longer", 0, 0, 0, 0, 0, 0, 500000, 1000000, 10, 1000, 100000000 },
		{ "bouncing", 0, 0, 0, 0, 0, 0, 40000, 1000000, 10, 1000, 100000000 },
	};
	for (size_t i = 0; i < N_OF(base); i++)
		table_add(a, &base[i]);
	struct row_of new[N_OF(base)];
	memcpy(new, base, sizeof(new));
	new[0].acq_bounces = 900; /* 90 times, of next to nothing */
	new[1].acq_bounces = 16;
	new[2].hold_total = 150000000;
	new[3].acq_bounces = 400000; /* ten times */
	for (size_t i = 0; i < N_OF(new); i++)
		table_add(b, &new[i]);
	s.side[LOCK_BASE].n = s.side[LOCK_NEW].n = 1;
	compare(&s);
	const struct table *t = section_table(report_get(&s.report, "moved"), "moved");
	assert_int_equal(t->rows.n, 3);
	assert_string_equal(t->rows.at[0].cell[0].text, "bouncing");
	assert_string_equal(t->rows.at[1].cell[0].text, "longer");
	assert_string_equal(t->rows.at[2].cell[0].text, "small");
	has(text_of(&s, "answer", "answer"), "bouncing bounces 10.0 times more often");
	has(text_of(&s, "answer", "holds_did_not_move"), "stayed the same (0.100 us)");
	report_fini(&s.report);
	s.report = (struct report){ 0 };

	s.options.only = "longer";
	analyze_lock_diff(s.side, &s.options, &s.report);
	has(text_of(&s, "answer", "answer"), "longer is held 50.0 % longer");
	assert_string_equal(text_of(&s, "answer", "bound"), "");
	sides_fini(&s);
}

/* The error of a mean that a least and a greatest allow, and of counts. */
static void test_error(void **state)
{
	(void)state;
	struct lock_pair p = { 0 };
	for (int side = 0; side < LOCK_SIDES; side++) {
		for (int c = 0; c < LOCK_COLUMNS; c++)
			p.sum[side].n[c] = UNKNOWN;
		p.sum[side].n[LOCK_ACQUISITIONS] = 100;
		p.sum[side].n[LOCK_HOLD_TOTAL] = 1000;
		p.sum[side].n[LOCK_HOLD_MIN] = 0;
		p.sum[side].n[LOCK_HOLD_MAX] = 20;
		p.sum[side].n[LOCK_ACQ_BOUNCES] = 25;
	}
	struct lock_ratio mean = { LOCK_HOLD_TOTAL, LOCK_ACQUISITIONS };
	struct lock_change c = lock_change_of(&mean, &p);
	/* half the events at 0, half at 20: the deviation is 10 of 10, the error 1/10 */
	assert_true(fabs(c.error - sqrt(2 * 0.01)) < 1e-12 && c.factor == 1);
	struct lock_ratio bounces = { LOCK_ACQ_BOUNCES, LOCK_ACQUISITIONS };
	c = lock_change_of(&bounces, &p);
	assert_true(fabs(c.error - sqrt(2 * 0.75 / 25.5)) < 1e-12);
	p.sum[LOCK_NEW].n[LOCK_ACQ_BOUNCES] = UNKNOWN;
	c = lock_change_of(&bounces, &p);
	assert_true(isnan(c.value[LOCK_NEW]) && isnan(c.factor) && !lock_change_beyond(&c, 0));
	struct lock_ratio longest = { LOCK_HOLD_MAX, LOCK_PER_NOTHING };
	assert_true(isnan(lock_change_of(&longest, &p).error));
}

static uint64_t seed = 88172645463325252u;
static double uniform(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return ((double)(seed >> 11) + 0.5) / 9007199254740992.0;
}

static double scatter(double sd)
{
	return exp(sd * sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform()));
}

enum { CLASSES = 30, CHANGED = 2 };

/* Runs that differ by 14 %; in the new ones the first classes bounce half as often again. */
static void add_run(struct capture *c, bool is_new)
{
	static const char *const names[CLASSES] = {
		"c0",  "c1",  "c2",  "c3",  "c4",  "c5",  "c6",  "c7",  "c8",  "c9",
		"c10", "c11", "c12", "c13", "c14", "c15", "c16", "c17", "c18", "c19",
		"c20", "c21", "c22", "c23", "c24", "c25", "c26", "c27", "c28", "c29",
	};
	table_begin(c);
	for (int i = 0; i < CLASSES; i++) {
		double more = is_new && i < CHANGED ? 1.6 : 1;
		int64_t n = (int64_t)(1000000 * scatter(0.14));
		table_add(c, &(struct row_of){ names[i], 0, 0, 0, 0, 0, 0,
					       (int64_t)(0.2 * more * (double)n * scatter(0.14)), n,
					       10, 1000, n * 100 });
	}
}

static void repeated(struct sides *s, size_t runs, bool paired)
{
	*s = (struct sides){ .options = { .paired = paired } };
	s->side[LOCK_BASE].n = s->side[LOCK_NEW].n = runs;
	for (size_t i = 0; i < runs; i++) {
		add_run(&s->captures[LOCK_BASE][i], false);
		add_run(&s->captures[LOCK_NEW][i], true);
	}
}

static void test_repeated(void **state)
{
	(void)state;
	struct sides s;
	for (int paired = 0; paired < 2; paired++) {
		repeated(&s, 16, paired);
		struct err err;
		assert_int_equal(lock_conditions_add(&s.conditions,
						     "bounces/acquisitions of c0 > +10%", &err),
				 0);
		compare(&s);
		const struct section *moved = report_get(&s.report, "moved");
		assert_non_null(moved);
		const struct table *t = section_table(moved, "moved");
		row_named(t, "c0");
		row_named(t, "c1");
		assert_true(t->rows.n <= CHANGED + 1);
		has(moved->note, "false discoveries held to 5 %");
		const struct value *change = &t->rows.at[0].cell[4];
		has(change->words, "("); /* an interval */
		assert_true(change[2].figure < change->figure && change->figure < change[3].figure);
		assert_int_equal(s.verdict, LOCK_HOLDS);
		sides_fini(&s);
	}
}

static void test_too_few_runs(void **state)
{
	(void)state;
	struct sides s;
	repeated(&s, 3, false);
	compare(&s);
	has(text_of(&s, "answer", "too_few_for_intervals"), "it takes 4");
	assert_true(fact_of(&s, "answer", "too_few_to_name_one", "needed") > 4);
	has(text_of(&s, "answer", "blocked"), "drift cannot be excluded");
	sides_fini(&s);

	repeated(&s, 3, true);
	compare(&s);
	has(text_of(&s, "answer", "too_few_for_intervals"), "it takes 6");
	assert_string_equal(text_of(&s, "answer", "blocked"), "");
	sides_fini(&s);

	repeated(&s, 8, true); /* an interval, but none can be named: 2 / 2^8 > 5 % / 60 */
	compare(&s);
	assert_string_equal(text_of(&s, "answer", "too_few_for_intervals"), "");
	assert_int_equal(fact_of(&s, "answer", "too_few_to_name_one", "needed"), 12);
	assert_null(report_get(&s.report, "moved"));
	sides_fini(&s);
}

static void test_per_work(void **state)
{
	(void)state;
	struct sides s;
	static const double work[] = { 1e9, 1.5e9 };
	the_mail(&s);
	s.options.unit = LOCK_BY_WORK;
	s.options.work = work;
	compare(&s);
	const struct table *t = section_table(report_get(&s.report, "class"), "figures");
	const struct row *row = row_named(t, "acquisitions per unit of work");
	assert_string_equal(row->cell[1].words, "1.03");
	assert_string_equal(row->cell[2].words, "0.512");
	assert_string_equal(row_named(t, "hold per unit of work")->cell[1].words, "0.235 us");
	assert_string_equal(text_of(&s, "answer", "outcome"), "");
	sides_fini(&s);
}

/* perf lock contention has neither acquisitions nor bounces. */
static void test_without_acquisitions(void **state)
{
	(void)state;
	struct sides s = { 0 };
	for (int i = 0; i < LOCK_SIDES; i++) {
		struct capture *c = &s.captures[i][0];
		table_begin(c);
		c->locks->source = "contention";
		table_add(c, &(struct row_of){ "lock", 0, NONE, 1000 * (i + 1), NONE, 5000,
					       1000000 * (i + 1), NONE, NONE, NONE, NONE, NONE });
	}
	s.side[LOCK_BASE].n = s.side[LOCK_NEW].n = 1;
	compare(&s);
	has(text_of(&s, "answer", "answer"), "lock costs 2.00 times more waiting");
	has(text_of(&s, "answer", "not_normalised"), "no acquisitions");
	sides_fini(&s);
}

/* What matters is the time: bounces moved farther, of a lock that costs less waiting now. */
static void test_about_waiting(void **state)
{
	(void)state;
	struct sides s = { 0 };
	const struct row_of rows[LOCK_SIDES][2] = {
		{ { "queue", 0, 10, 1000, 1, 2000000, 200000000, 10, 100000, 1, 1000, 50000000 },
		  { "other", 0, 10, 1000, 1, 2000000, 1000000, 10, 100000, 1, 1000, 50000000 } },
		{ { "queue", 0, 10, 1000, 1, 2000000, 20000000, 50000, 100000, 1, 1000, 40000000 },
		  { "other", 0, 10, 1000, 1, 2000000, 1000000, 90000, 100000, 1, 1000, 50000000 } },
	};
	for (int i = 0; i < LOCK_SIDES; i++) {
		table_begin(&s.captures[i][0]);
		for (int k = 0; k < 2; k++)
			table_add(&s.captures[i][0], &rows[i][k]);
	}
	s.side[LOCK_BASE].n = s.side[LOCK_NEW].n = 1;
	compare(&s);
	has(text_of(&s, "answer", "answer"), "queue costs 10.0 times less waiting per acquisition");
	sides_fini(&s);
}

static void test_nothing_in_common(void **state)
{
	(void)state;
	struct sides s = { 0 };
	table_begin(&s.captures[LOCK_BASE][0]);
	table_begin(&s.captures[LOCK_NEW][0]);
	ROW(&s.captures[LOCK_BASE][0], "a", 0, 100);
	ROW(&s.captures[LOCK_NEW][0], "b", 0, 100);
	s.side[LOCK_BASE].n = s.side[LOCK_NEW].n = 1;
	compare(&s);
	has(text_of(&s, "answer", "answer"), "nothing can be compared");
	assert_string_equal(text_of(&s, "answer", "not_normalised"), "");
	sides_fini(&s);

	s = (struct sides){ 0 }; /* a spinlock that became a seqlock, maybe */
	table_begin(&s.captures[LOCK_BASE][0]);
	table_begin(&s.captures[LOCK_NEW][0]);
	ROW(&s.captures[LOCK_BASE][0], "&c->lock", 0, 100);
	ROW(&s.captures[LOCK_NEW][0], "&(&c->lock)->lock", 0, 100);
	s.side[LOCK_BASE].n = s.side[LOCK_NEW].n = 1;
	compare(&s);
	has(text_of(&s, "answer", "answer"), "--alias '&c->lock=&(&c->lock)->lock' compares them");
	sides_fini(&s);
}

static const struct {
	const char *text;
	enum lock_verdict verdict;
} verdicts[] = {
	{ "bounces/acquisitions > +10%", LOCK_HOLDS_NOT },
	{ "bounces/acquisitions < -10%", LOCK_HOLDS },
	{ "bounces/acquisitions of &rq->lock < -99%", LOCK_HOLDS },
	{ "wait/contentions > 30%", LOCK_HOLDS },
	{ "wait/contentions > 50%", LOCK_HOLDS_NOT },
	{ "hold/acquisitions of *rq* <= -19%", LOCK_HOLDS },
	{ "hold < -50%", LOCK_HOLDS_NOT },
	{ "hold<-40%", LOCK_HOLDS },
	{ "hold-max of *rq* > +10%", LOCK_HOLDS },
	{ "hold < -50%, contentions < -50%", LOCK_HOLDS },
	{ "hold of nobody > +1%", LOCK_CANNOT_SAY },
};

static void test_conditions(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_OF(verdicts); i++) {
		struct sides s;
		struct err err;
		the_mail(&s);
		if (lock_conditions_add(&s.conditions, verdicts[i].text, &err))
			fail_msg("'%s': %s", verdicts[i].text, err.msg);
		compare(&s);
		if (s.verdict != verdicts[i].verdict)
			fail_msg("'%s' gave %d", verdicts[i].text, s.verdict);
		sides_fini(&s);
	}
	static const char *const wrong[] = {
		"",
		"hold",
		"hold +10%",
		"> +10%",
		"holds > +10%",
		"hold > 10",
		"hold > 1-2%",
		"work/hold > 1%",
		"hold/ > +1%",
		"hold > +10%,",
		"hold > --1%",
		"hold/hold/hold > 1%",
	};
	for (size_t i = 0; i < N_OF(wrong); i++) {
		struct lock_conditions c = { 0 };
		struct err err;
		int ret = lock_conditions_add(&c, wrong[i], &err);
		bool trailing =
			strcmp(wrong[i], "hold > +10%,") == 0; /* a comma at the end is none */
		if (ret != (trailing ? 0 : -EINVAL))
			fail_msg("'%s' gave %d", wrong[i], ret);
		lock_conditions_fini(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mail_figures),
		cmocka_unit_test(test_mail_sentences),
		cmocka_unit_test(test_mail_sites),
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_alignment),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_error),
		cmocka_unit_test(test_repeated),
		cmocka_unit_test(test_too_few_runs),
		cmocka_unit_test(test_per_work),
		cmocka_unit_test(test_without_acquisitions),
		cmocka_unit_test(test_about_waiting),
		cmocka_unit_test(test_nothing_in_common),
		cmocka_unit_test(test_conditions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
