/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "locktab.h"

#define HEADER_10                                                                                  \
	"class name con-bounces contentions waittime-min waittime-max waittime-total acq-bounces " \
	"acquisitions holdtime-min holdtime-max holdtime-total\n"
#define HEADER_12                                                                                  \
	"class name con-bounces contentions waittime-min waittime-max waittime-total "             \
	"waittime-avg acq-bounces acquisitions holdtime-min holdtime-max holdtime-total "          \
	"holdtime-avg\n"
#define RULE "---------------------------------------------------------------\n"
#define ROW_10 "37062 37063 0.08 10.43 11037.66 410701252 1029063029 0.00 14.35 234556106.12\n"

static void assert_row_10(const struct lock_row *r)
{
	static const int64_t want[] = { 37062,     37063,      80, 10430, 11037660,
					410701252, 1029063029, 0,  14350, 234556106120 };
	static const enum lock_column column[] = {
		LOCK_CON_BOUNCES, LOCK_CONTENTIONS,  LOCK_WAIT_MIN, LOCK_WAIT_MAX, LOCK_WAIT_TOTAL,
		LOCK_ACQ_BOUNCES, LOCK_ACQUISITIONS, LOCK_HOLD_MIN, LOCK_HOLD_MAX, LOCK_HOLD_TOTAL,
	};
	for (size_t i = 0; i < N_OF(want); i++)
		assert_value(r, column[i], want[i], LOCK_EXACT);
	assert_false(lock_known(r, LOCK_WAIT_AVG));
	assert_false(lock_known(r, LOCK_HOLD_AVG));
}

static void test_whole(void **state)
{
	(void)state;
	struct tables t;
	tables_read(&t, "lock_stat version 0.3\n" RULE HEADER_10 RULE "\n"
			"  &rq->lock: " ROW_10 "  ---------\n"
			"  &rq->lock 14064 [<ffffffff81420a76>] __schedule+0xc6/0x710\n"
			"  &rq->lock 33 [<ffffffffa0000000>] foo.isra.0+0x4d [bar]\n"
			"  ---------\n"
			"  &rq->lock 22305 [<ffffffff8106cac7>] ttwu_queue+0x47/0xf0\n"
			"\n......................\n\n"
			"  other: 0 0 0.00 0.00 0.00 1 2 0.50 1.00 1.50\n");
	assert_int_equal(t.n, 1);
	const struct locktab *k = t.at[0].table;
	assert_string_equal(k->version, "0.3");
	assert_int_equal(k->columns, 10);
	assert_int_equal(k->rows.n, 2);
	const struct lock_row *r = &k->rows.at[0];
	assert_string_equal(r->name, "&rq->lock");
	assert_int_equal(r->rw, 0);
	assert_int_equal(r->line, 6);
	assert_row_10(r);
	assert_int_equal(r->waiting.n, 2);
	assert_site(&r->waiting.at[0], "__schedule", "+0xc6/0x710", "ffffffff81420a76", 14064);
	assert_site(&r->waiting.at[1], "foo.isra.0", "+0x4d [bar]", "ffffffffa0000000", 33);
	assert_int_equal(r->holding.n, 1);
	assert_site(&r->holding.at[0], "ttwu_queue", "+0x47/0xf0", "ffffffff8106cac7", 22305);
	assert_string_equal(k->rows.at[1].name, "other");
	assert_int_equal(t.at[0].capture.damaged, 0);
	tables_fini(&t);
}

/* Twelve numbers, whether a header says so or not. */
static void test_wide(void **state)
{
	(void)state;
	static const char *const heads[] = { "", "lock_stat version 0.4\n", HEADER_12,
					     "lock_stat version 7.12\n" RULE HEADER_12 RULE };
	for (size_t i = 0; i < N_OF(heads); i++) {
		struct tables t;
		char text[1024];
		snprintf(text, sizeof(text),
			 "%sa: 1 2 0.03 0.04 0.05 0.06 7 8 0.09 0.10 0.11 0.12\n", heads[i]);
		tables_read(&t, text);
		assert_int_equal(t.n, 1);
		assert_int_equal(t.at[0].table->columns, 12);
		const struct lock_row *r = &t.at[0].table->rows.at[0];
		assert_value(r, LOCK_WAIT_AVG, 60, LOCK_EXACT);
		assert_value(r, LOCK_ACQ_BOUNCES, 7, LOCK_EXACT);
		assert_value(r, LOCK_HOLD_AVG, 120, LOCK_EXACT);
		tables_fini(&t);
	}
}

struct name_case {
	const char *rows;
	const char *name[3]; /* up to NULL */
	const char *rw;      /* ' ': none */
};

#define NUMBERS ": 1 2 0.10 0.20 0.30 4 5 0.10 0.20 0.30\n"

static const struct name_case name_cases[] = {
	{ "&sb->s_type->i_mutex_key#12/4" NUMBERS, { "&sb->s_type->i_mutex_key#12/4" }, " " },
	{ "subsys mutex#2" NUMBERS, { "subsys mutex#2" }, " " },
	{ "(work_completion)(&(&hub->init_work)->work)" NUMBERS,
	  { "(work_completion)(&(&hub->init_work)->work)" },
	  " " },
	{ "\"warn\".lock" NUMBERS, { "\"warn\".lock" }, " " },
	{ "a: b [c], d" NUMBERS, { "a: b [c], d" }, " " },
	/* cut to 38 characters, and then ending in a blank */
	{ "&(({ do { const void *__vpp_verify = " NUMBERS,
	  { "&(({ do { const void *__vpp_verify = " },
	  " " },
	{ "m-W" NUMBERS "m-R" NUMBERS, { "m", "m" }, "WR" },
	{ "m-R" NUMBERS, { "m" }, "R" },
	/* the sibling is another class's */
	{ "m-W" NUMBERS "n-R" NUMBERS, { "m-W", "n" }, " R" },
	{ "m-W" NUMBERS, { "m-W" }, " " },
	{ "m-W" NUMBERS "---\nm 1 [<ff>] f+0x1/0x2\n", { "m" }, "W" },
	/* names that collide stay apart */
	{ "x" NUMBERS "x" NUMBERS "x" NUMBERS, { "x", "x", "x" }, "   " },
	/* line numbers, file names */
	{ "  06   &mm" NUMBERS, { "&mm" }, " " },
	{ "/proc/lock_stat:    &mm" NUMBERS, { "&mm" }, " " },
};

static void test_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_OF(name_cases); i++) {
		const struct name_case *c = &name_cases[i];
		struct tables t;
		tables_read(&t, c->rows);
		assert_int_equal(t.n, 1);
		const struct locktab *k = t.at[0].table;
		assert_int_equal(k->rows.n, strlen(c->rw));
		for (size_t n = 0; n < k->rows.n; n++) {
			assert_string_equal(k->rows.at[n].name, c->name[n]);
			assert_int_equal(k->rows.at[n].rw ? k->rows.at[n].rw : ' ', c->rw[n]);
		}
		tables_fini(&t);
	}
}

/* The points of a pair are on its first row. */
static void test_pair(void **state)
{
	(void)state;
	struct tables t;
	tables_read(&t, "m-W" NUMBERS "m-R" NUMBERS "---\n"
			"m 1 [<ff>] f+0x1/0x2\n---\nm 2 [<fe>] g+0x1/0x2\nm 3 [<fd>] h\n");
	const struct locktab *k = t.at[0].table;
	assert_int_equal(k->rows.at[0].waiting.n, 1);
	assert_int_equal(k->rows.at[0].holding.n, 2);
	assert_int_equal(k->rows.at[1].waiting.n, 0);
	assert_int_equal(k->rows.at[1].holding.n, 0);
	tables_fini(&t);
}

struct value_case {
	const char *version, *row;
	enum lock_column column;
	int64_t n;
	enum lock_known known;
};

static const struct value_case value_cases[] = {
	/* the rounding of 0.2 */
	{ "0.2", "a: 1 2 0.100 7.100 0.10 4 5 0.10 0.20 0.30", LOCK_WAIT_MIN, 1000, LOCK_EXACT },
	{ "0.2", "a: 1 2 0.100 7.100 0.10 4 5 0.10 0.20 0.30", LOCK_WAIT_MAX, 8000, LOCK_EXACT },
	{ "0.3", "a: 1 2 0.100 7.100 0.10 4 5 0.10 0.20 0.30", LOCK_WAIT_MAX, 7100, LOCK_EXACT },
	/* 14 characters: a decimal is lost, or digits may be */
	{ "0.3", "a: 1 2 0.10 0.20 357867523236.3 4 5 0.10 0.20 0.30", LOCK_WAIT_TOTAL,
	  357867523236300, LOCK_EXACT },
	{ "0.3", "a: 1 2 0.10 0.20 1768320000000. 4 5 0.10 0.20 0.30", LOCK_WAIT_TOTAL,
	  1768320000000000, LOCK_EXACT },
	{ "0.3", "a: 1 2 0.10 0.20 17683200000000 4 5 0.10 0.20 0.30", LOCK_WAIT_TOTAL,
	  17683200000000000, LOCK_ESTIMATED },
	/* no blank behind the colon */
	{ "0.3", "a:12345678901234 2 0.10 0.20 0.30 4 5 0.10 0.20 0.30", LOCK_CON_BOUNCES,
	  12345678901234, LOCK_EXACT },
	/* the average of 2^31 acquisitions and more */
	{ "0.4", "a: 1 2 0.10 0.20 0.30 0.15 4 2350439395 0.07 353.38 649647067.36 0.-32",
	  LOCK_HOLD_AVG, 276, LOCK_EXACT },
	{ "0.4", "a: 1 2 0.10 0.20 0.30 0.15 4 2350439395 0.07 353.38 649647067.36 0.28",
	  LOCK_HOLD_AVG, 280, LOCK_EXACT },
	{ "0.4", "a: 1 2 0.10 0.20 0.30 0.15 4 4294967297 0.07 353.38 649647067.36 649647067.36",
	  LOCK_HOLD_AVG, 151, LOCK_EXACT },
	/* clocks that ran apart */
	{ "0.4", "a: 1 2 -1.-32 0.20 0.30 0.15 4 5 0.07 353.38 1.36 0.28", LOCK_WAIT_MIN, -1320,
	  LOCK_EXACT },
	/* our own text: absent */
	{ "0.4", "a: - 2 - 0.20 0.30 - 4 5 0.07 353.38 1.36 -", LOCK_CON_BOUNCES, 0, LOCK_ABSENT },
	{ "0.4", "a: - 2 - 0.20 0.30 - 4 5 0.07 353.38 1.36 -", LOCK_ACQ_BOUNCES, 4, LOCK_EXACT },
	/* cut by hand */
	{ "0.3", "a: 862689 862698 ...", LOCK_CONTENTIONS, 862698, LOCK_EXACT },
	{ "0.3", "a: 862689 862698 ...", LOCK_WAIT_MIN, 0, LOCK_ABSENT },
	{ "0.3", "a: 1 2 0.10 0.20 0.30 4 5 0.10 0.20 1234", LOCK_HOLD_TOTAL, 0, LOCK_ABSENT },
	{ "0.3", "a: 1 2 0.10 0.20 0.30 4 5 0.10 0.20 1234.5", LOCK_HOLD_TOTAL, 1234500,
	  LOCK_ESTIMATED },
	/* does not fit */
	{ "0.3", "a: 99999999999999999999 2 0.10 0.20 0.30 4 5 0.10 0.20 0.30", LOCK_CON_BOUNCES, 0,
	  LOCK_ABSENT },
};

static void test_values(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_OF(value_cases); i++) {
		const struct value_case *c = &value_cases[i];
		struct tables t;
		char text[1024];
		snprintf(text, sizeof(text), "lock_stat version %s\n%s%s\n", c->version,
			 strcmp(c->version, "0.4") ? HEADER_10 : HEADER_12, c->row);
		tables_read(&t, text);
		assert_int_equal(t.n, 1);
		assert_value(&t.at[0].table->rows.at[0], c->column, c->n, c->known);
		tables_fini(&t);
	}
}

/* Columns that somebody kept by hand. */
static void test_kept_columns(void **state)
{
	(void)state;
	struct tables t;
	tables_read(&t, "class name contentions acq-bounces\n---------\na: 12 34\nb c: 56 78\n");
	assert_int_equal(t.n, 1);
	assert_int_equal(t.at[0].table->columns, 2);
	assert_value(&t.at[0].table->rows.at[1], LOCK_CONTENTIONS, 56, LOCK_EXACT);
	assert_value(&t.at[0].table->rows.at[1], LOCK_ACQ_BOUNCES, 78, LOCK_EXACT);
	tables_fini(&t);

	tables_read(&t, "acquisitions holdtime-min holdtime-max holdtime-total holdtime-avg\n"
			"------\n2350439395 0.07 353.38 649647067.36 0.-32\n");
	assert_int_equal(t.n, 1);
	assert_null(t.at[0].table->rows.at[0].name);
	assert_value(&t.at[0].table->rows.at[0], LOCK_HOLD_MAX, 353380, LOCK_EXACT);
	assert_int_equal(t.at[0].table->averages_mended, 1);
	assert_int_equal(t.at[0].capture.damaged, 1);
	assert_int_equal(t.at[0].damage_line, 3);
	tables_fini(&t);
}

/* A header that was retyped, so that it does not name all columns: their order tells. */
static void test_retyped_header(void **state)
{
	(void)state;
	struct tables t;
	tables_read(&t,
		    "class name con-bounces contentions wait min wait max wait total acq-bounces "
		    "acquisitions hold time hold max hold total\n"
		    " a: 12 34 0.1 0.2 0.3 5 6 0.0 1.2 3.4\n"
		    " b c: 12 34 0.1 0.2\n 0.3 5 6 0.0 1.2 3.4\n");
	assert_int_equal(t.n, 1);
	assert_int_equal(t.at[0].capture.damaged, 0);
	for (size_t i = 0; i < 2; i++) {
		const struct lock_row *r = &t.at[0].table->rows.at[i];
		assert_value(r, LOCK_WAIT_TOTAL, 300, LOCK_EXACT);
		assert_value(r, LOCK_ACQUISITIONS, 6, LOCK_EXACT);
		assert_value(r, LOCK_HOLD_MIN, 0, LOCK_EXACT);
		assert_value(r, LOCK_HOLD_TOTAL, 3400, LOCK_EXACT);
	}
	tables_fini(&t);
}

static void test_transposed(void **state)
{
	(void)state;
	struct tables t;
	tables_read(&t, "                 Before             After\n"
			"class name       &counter->lock:   &(&counter->lock)->lock\n"
			"con-bounces      1534627                   962193\n"
			"contentions      1575341                   976349\n"
			"waittime-min     0.57                      0.60~\n"
			"\ncon-bounces 7\n");
	assert_int_equal(t.n, 3);
	const struct lock_row *before = &t.at[0].table->rows.at[0];
	const struct lock_row *after = &t.at[1].table->rows.at[0];
	assert_int_equal(t.at[0].table->rows.n, 1);
	assert_int_equal(t.at[1].table->rows.n, 1);
	assert_string_equal(t.at[0].capture.label, "Before");
	assert_string_equal(t.at[1].capture.label, "After");
	assert_string_equal(before->name, "&counter->lock");
	assert_string_equal(after->name, "&(&counter->lock)->lock");
	assert_value(before, LOCK_CONTENTIONS, 1575341, LOCK_EXACT);
	assert_value(after, LOCK_CONTENTIONS, 976349, LOCK_EXACT);
	assert_value(after, LOCK_WAIT_MIN, 600, LOCK_ESTIMATED);
	assert_int_equal(t.at[1].capture.first_line, 2);
	assert_int_equal(t.at[1].capture.last_line, 5);
	/* a column that was there before begins another table */
	assert_value(&t.at[2].table->rows.at[0], LOCK_CON_BOUNCES, 7, LOCK_EXACT);
	assert_null(t.at[2].capture.label);
	tables_fini(&t);
}

struct beside_case {
	const char *text;
	size_t rows[3];       /* of each table */
	const char *label[3]; /* "": none */
};

/* Which columns of a transposed table are a table of their own. */
static const struct beside_case beside_cases[] = {
	{ "class name  a:  b c:\ncon-bounces  1  2\ncontentions 3 4\n", { 2 }, { "" } },
	{ "class name  a:  a:\ncon-bounces  1  2\ncontentions 3 4\n", { 1, 1 }, { "", "" } },
	{ "old new\nclass name  a:  a:\ncon-bounces  1  2\ncontentions 3 4\n",
	  { 1, 1 },
	  { "old", "new" } },
	{ "old   old   new  new\nclass name  a  b  a  b\ncon-bounces  1 2 3 4\n",
	  { 2, 2 },
	  { "old", "new" } },
	{ "old   new   old  new\nclass name  a  a  b  b\ncon-bounces  1 2 3 4\n",
	  { 2, 2 },
	  { "old", "new" } },
	{ "1st run  2nd run  3rd run\nclass name  a  a  a\ncon-bounces  1 2 3\n",
	  { 1, 1, 1 },
	  { "1st run", "2nd run", "3rd run" } },
	{ "a label of one\nclass name  a:\ncon-bounces  1\ncontentions 3\n",
	  { 1 },
	  { "a label of one" } },
	{ "three words here\nclass name  a:  b:\ncon-bounces  1 2\ncontentions 3 4\n",
	  { 2 },
	  { "" } },
};

static void test_beside(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_OF(beside_cases); i++) {
		const struct beside_case *c = &beside_cases[i];
		struct tables t;
		tables_read(&t, c->text);
		size_t n = 0;
		for (; n < 3 && c->rows[n]; n++) {
			assert_true(n < t.n);
			assert_int_equal(t.at[n].table->rows.n, c->rows[n]);
			const char *label = t.at[n].capture.label;
			assert_string_equal(label ? label : "", c->label[n]);
		}
		assert_int_equal(t.n, n);
		tables_fini(&t);
	}
	/* the readers' and writers' halves of one lock stand side by side, too */
	struct tables t;
	tables_read(&t, "class name  a-W:  a-R:\ncon-bounces  1 2\ncontentions 3 4\n");
	assert_int_equal(t.n, 1);
	assert_string_equal(t.at[0].table->rows.at[0].name, "a");
	assert_int_equal(t.at[0].table->rows.at[0].rw, 'W');
	assert_int_equal(t.at[0].table->rows.at[1].rw, 'R');
	tables_fini(&t);
}

/* The end of a rule and of a header on lines of their own; a row without a name, broken. */
static void test_broken_ends(void **state)
{
	(void)state;
	struct tables t;
	tables_read(&t, "acquisitions holdtime-min holdtime-max holdtime-total\nholdtime-avg\n\n"
			"------\n-\n  2350439395 0.07 353.38 649647067.36\n0.-32\n");
	assert_int_equal(t.n, 1);
	assert_int_equal(t.at[0].table->rows.n, 1);
	assert_value(&t.at[0].table->rows.at[0], LOCK_ACQUISITIONS, 2350439395, LOCK_EXACT);
	assert_value(&t.at[0].table->rows.at[0], LOCK_HOLD_TOTAL, 649647067360, LOCK_EXACT);
	tables_fini(&t);
}

struct several_case {
	const char *text;
	const char *label[3]; /* "": none; up to NULL */
};

static const struct several_case several_cases[] = {
	{ "3.3.0-vanilla\n" HEADER_10 "a" NUMBERS "\n3.3.0-revert\nb" NUMBERS,
	  { "3.3.0-vanilla", "3.3.0-revert" } },
	{ "unpatched:\nlock_stat version 0.3\n" HEADER_10 "a" NUMBERS
	  "\npatched:\nlock_stat version 0.3\n" HEADER_10 "a" NUMBERS,
	  { "unpatched", "patched" } },
	{ "[Before] time make -j 12 (Best time in 3 test)\nreal 2m55.170s\nuser 4m38.351s\n"
	  "lock_stat version 0.3\n" HEADER_10 "a" NUMBERS "\nyou can see this by \"head\" ;)\n\n"
	  "[After] time make -j 12 (Best in 3)\nreal    2m52.612s\n\na" NUMBERS,
	  { "[Before] time make -j 12 (Best time in 3 test)",
	    "[After] time make -j 12 (Best in 3)" } },
	/* one row a run, with the header again */
	{ HEADER_10 "a" NUMBERS HEADER_10 "a" NUMBERS, { "", "" } },
	/* prompts, prose, holes and rules are no labels */
	{ "root@h:/proc# head lock_stat\n" HEADER_10 "a" NUMBERS, { "" } },
	{ "this shows that the runqueue lock has to be taken all the time\n" HEADER_10 "a" NUMBERS,
	  { "" } },
	{ "It is slow.\n" HEADER_10 "a" NUMBERS, { "" } },
	{ "<snip>\n--- \n" HEADER_10 "a" NUMBERS, { "" } },
	{ "vanilla\n\n\n" HEADER_10 "a" NUMBERS, { "" } },
	/* the second was wrapped, and has no header that would tell */
	{ "one\n" HEADER_10 "a" NUMBERS "two\n  b: 1\n2 0.10 0.20 0.30\n4 5 0.10 0.20\n0.30\n",
	  { "one", "two" } },
	/* a reply in the midst of a quoted table; a remark before the points of a class */
	{ "> " HEADER_10 "> a" NUMBERS "look at this one\n> b" NUMBERS, { "" } },
	{ HEADER_10 "a" NUMBERS "look at this one\na 1 [<ff>] f+0x1/0x2\nb" NUMBERS, { "" } },
};

static void test_several(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_OF(several_cases); i++) {
		const struct several_case *c = &several_cases[i];
		struct tables t;
		tables_read(&t, c->text);
		size_t n = 0;
		for (; n < 3 && c->label[n]; n++) {
			assert_true(n < t.n);
			const char *label = t.at[n].capture.label;
			assert_string_equal(label ? label : "", c->label[n]);
		}
		assert_int_equal(t.n, n);
		tables_fini(&t);
	}
}

/* Mails may hold a trace and tables; the trace's reader does not take the table for damage. */
static void test_behind_trace(void **state)
{
	(void)state;
	struct tables t;
	tables_read(&t, "# tracer: irqsoff\n#\n"
			"      ps-6143    2d...    0us!: trace_hardirqs_off <-lock_sighand\n"
			"      ps-6143    2d..1  259us+: trace_hardirqs_on <-unlock_irqrestore\n"
			"\nvanilla:\n" HEADER_10 RULE "&rq->lock: " ROW_10);
	assert_int_equal(t.traces, 1);
	assert_int_equal(t.n, 1);
	assert_string_equal(t.at[0].capture.label, "vanilla");
	assert_row_10(&t.at[0].table->rows.at[0]);
	tables_fini(&t);
}

static void test_none(void **state)
{
	(void)state;
	static const char *const texts[] = {
		"Note the difference in acq-bounces. I had to stop here\n",
		"class name of the device\nfoo\n",
		"lock_stat version 0.4\nis what it prints\n",
		"Total: 12 13\nand 5\nbad: 5\n",
		"real: 0.12 0.13\n1 2 3 4 5\n",
	};
	for (size_t i = 0; i < N_OF(texts); i++) {
		struct tables t;
		tables_read(&t, texts[i]);
		assert_int_equal(t.n, 0);
		tables_fini(&t);
	}
	/* an empty table is one; so is one that lockdep has stopped */
	struct tables t;
	tables_read(&t, "lock_stat version 0.4\n*WARNING* lock debugging disabled!! - possibly\n");
	assert_int_equal(t.n, 1);
	assert_true(t.at[0].table->lockdep_disabled);
	tables_fini(&t);
}

/* -- Mails ------------------------------------------------------------------------------------- */

static const char mailed[] =
	"lock_stat version 0.4\n" RULE
	"                              class name    con-bounces    contentions   waittime-min   "
	"waittime-max waittime-total   waittime-avg    acq-bounces   acquisitions   holdtime-min   "
	"holdtime-max holdtime-total   holdtime-avg\n" RULE "\n"
	"                         &mm->mmap_sem-W:            46             84           0.26     "
	"  "
	"  939.10       16371.53         194.90          47291        2922365           0.16     "
	"2220301.69 357867523236.3        5975.99\n"
	"                         &mm->mmap_sem-R:            37            100           1.31     "
	" "
	"299502.61      325629.52        3256.30         212344       34316685           0.10      "
	"  "
	"7744.91    95016910.20           2.77\n"
	"                         ---------------\n"
	"                           &mm->mmap_sem             96          [<ffffffff815351c4>] "
	"__do_page_fault+0x1d4/0x510\n"
	"                           &mm->mmap_sem             34          [<ffffffff81113d77>] "
	"vm_mmap_pgoff+0x87/0xd0\n"
	"                         ---------------\n"
	"                           &mm->mmap_sem              1          [<ffffffff81046fda>] "
	"dup_mmap+0x2a/0x3f0\n"
	"\n......................................................\n\n"
	"                          subsys mutex#2:             0              0           0.00     "
	"  "
	"    0.00           0.00           0.00              0              1           0.12       "
	"  "
	"  0.12           0.12           0.12\n";

/* Breaks each line at blanks, as mail programs do; prefix stands before each part. */
static void wrap(struct strbuf *out, const char *text, size_t width, const char *prefix)
{
	for (struct str rest = str_of(text); rest.n;) {
		ptrdiff_t end = str_find_char(rest, '\n');
		struct str line = str_head(rest, (size_t)end);
		rest = str_from(rest, (size_t)end + 1);
		while (line.n > width) {
			size_t at = width;
			size_t indent = (size_t)(str_trim_left(line).p - line.p);
			while (at > indent && line.p[at] != ' ')
				at--;
			if (at <= indent)
				break;
			strbuf_printf(out, "%s%.*s\n", prefix, (int)at, line.p);
			line = str_trim_left(str_from(line, at));
		}
		strbuf_printf(out, "%s%.*s\n", prefix, (int)line.n, line.p);
	}
}

static void test_wrapped(void **state)
{
	(void)state;
	static const char *const prefixes[] = { "", "> ", ">> ", "> > ", "\t", "    " };
	struct tables want;
	tables_read(&want, mailed);
	assert_int_equal(want.n, 1);
	for (size_t width = 50; width < 230; width++) {
		struct strbuf cleanup_strbuf text = { 0 };
		struct tables t;
		wrap(&text, mailed, width, prefixes[width % N_OF(prefixes)]);
		tables_read(&t, text.p);
		assert_int_equal(t.n, 1);
		assert_int_equal(t.at[0].capture.damaged, 0);
		assert_same_tables(t.at[0].table, want.at[0].table);
		tables_fini(&t);
	}
	tables_fini(&want);
}

/* A word of the header in two halves. */
static void test_split_title(void **state)
{
	(void)state;
	struct tables t;
	tables_read(&t,
		    "class name con-bounces contentions waittime-min waittime-max waittime-total "
		    "acq-b\nounces acquisitions holdtime-min holdtime-max holdtime-total\n" RULE
		    "&rq->lock: " ROW_10);
	assert_int_equal(t.n, 1);
	assert_row_10(&t.at[0].table->rows.at[0]);
	tables_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),          cmocka_unit_test(test_wide),
		cmocka_unit_test(test_names),          cmocka_unit_test(test_pair),
		cmocka_unit_test(test_values),         cmocka_unit_test(test_kept_columns),
		cmocka_unit_test(test_retyped_header), cmocka_unit_test(test_transposed),
		cmocka_unit_test(test_beside),         cmocka_unit_test(test_broken_ends),
		cmocka_unit_test(test_several),        cmocka_unit_test(test_behind_trace),
		cmocka_unit_test(test_none),           cmocka_unit_test(test_wrapped),
		cmocka_unit_test(test_split_title),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
