/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyze/lock_alias.h"
#include "analyze/lock_class.h"
#include "analyze/lock_text.h"
#include "analyze/locks.h"
#include "lock_table.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

/* Names in lock_stat tables of 2.6.31 to 6.1, and what they are. */
static const struct {
	const char *name;
	bool map;
} names[] = {
	{ "rcu_read_lock", true },
	{ "rcu_read_lock_bh", true },
	{ "rcu_callback", true },
	{ "(wq_completion)events", true },
	{ "(work_completion)(&(&hub->init_work)->work)", true },
	{ "(&timer.timer)", true },
	{ "(&tcp_orphan_timer)", true },
	{ "(shepherd).work", true },
	{ "(check_lifetime_work).work", true },
	{ "&(&tbl->gc_work)->timer", true },
	{ "&____s->seqcount#7", true },
	{ "tk_core.seq.seqcount", true },
	{ "drivers/char/random.c:1014", true },
	{ "fs_reclaim", true },
	{ "kn->active#2", true },
	{ "tracepoint_srcu", true },
	{ "&rq->__lock", false },
	{ "&(&x->lock)->rlock", false },
	{ "&(&sig->stats_lock)->lock", false },
	{ "(inetaddr_chain).rwsem", false },
	{ "(console_sem).lock", false },
	{ "rcu_node_0", false },
	{ "&rcu_state.gp_wq", false },
	{ "sk_lock-AF_INET", false },
	{ "sb_writers#3", false },
	{ "&x->wait#3", false },
	{ "&table->hash[i].lock", false },
	{ "", false },
};

static void test_maps(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_OF(names); i++) {
		if (lock_name_is_map(str_of(names[i].name)) != names[i].map)
			fail_msg("'%s'", names[i].name);
	}
}

static void test_patterns(void **state)
{
	(void)state;
	assert_true(lock_name_matches("&mm->mmap_lock-R", "*mmap_lock*"));
	assert_true(lock_name_matches("&table->hash[i].lock", "&table->hash[i].lock"));
	assert_true(lock_name_matches("aab", "*a?"));
	assert_true(lock_name_matches("", "**"));
	assert_false(lock_name_matches("&mm->mmap_lock", "mmap_lock"));
	assert_false(lock_name_matches("abc", "a*d"));
	assert_false(lock_name_matches("ab", "ab?"));
}

static void test_names(void **state)
{
	(void)state;
	struct lock_name n = lock_name_split(str_of("&sb->s_type->i_mutex_key#12/4"));
	assert_true(str_eq(n.base, "&sb->s_type->i_mutex_key"));
	assert_true(str_eq(n.number, "#12"));
	assert_true(str_eq(n.subclass, "/4"));
	n = lock_name_split(str_of("mm/vmstat.c"));
	assert_true(str_eq(n.base, "mm/vmstat.c") && !n.number.n && !n.subclass.n);
	n = lock_name_split(str_of("#1"));
	assert_true(str_eq(n.base, "#1"));
}

static const struct {
	const char *old, *new;
} renamed[] = {
	{ "&rq->lock", "&rq->__lock" },
	{ "&(&rq->lock)->rlock", "&rq->__lock" },
	{ "&mm->mmap_sem#2/1", "&mm->mmap_lock#2/1" },
	{ "&(&dentry->d_lockref.lock)->rlock", "&dentry->d_lock" },
	{ "&(&zone->lock)->rlock#3", "&zone->lock#3" },
	{ "&cfs_rq->lock", "&cfs_rq->lock" },
	{ "&(&x)->rlock", "&x" },
	{ "&()->rlock", "&()->rlock" },
};

static void test_aliases(void **state)
{
	(void)state;
	struct lock_aliases a = { 0 };
	struct arena arena = { 0 };
	struct err err;
	for (size_t i = 0; i < N_OF(renamed); i++) {
		const char *want = renamed[i].new;
		if (strcmp(renamed[i].old, "&(&x)->rlock") == 0)
			want = "&x"; /* the '&' is the text's own */
		assert_string_equal(lock_alias_class(&a, &arena, renamed[i].old), want);
	}
	assert_int_equal(lock_alias_add(&a, "my_*_lock=lock_of_*", &err), 0);
	assert_int_equal(lock_alias_add(&a, " ttwu_queue = try_to_wake_up", &err), 0);
	assert_string_equal(lock_alias_class(&a, &arena, "my_first_lock#2"), "lock_of_first#2");
	assert_string_equal(lock_alias_site(&a, &arena, "ttwu_queue"), "try_to_wake_up");
	assert_string_equal(lock_alias_site(&a, &arena, "__schedule"), "__schedule");
	/* A circle ends. */
	assert_int_equal(lock_alias_add(&a, "a=b", &err), 0);
	assert_int_equal(lock_alias_add(&a, "b=a", &err), 0);
	assert_non_null(lock_alias_class(&a, &arena, "a"));

	static const char *const wrong[] = { "", "=", "a", "a=", "=b", "*a*=b", "a=*", "a*=*b*" };
	for (size_t i = 0; i < N_OF(wrong); i++) {
		if (lock_alias_add(&a, wrong[i], &err) != -EINVAL)
			fail_msg("'%s' was taken", wrong[i]);
	}
	lock_aliases_fini(&a);
	arena_fini(&arena);
}

static void test_suspicions(void **state)
{
	(void)state;
	assert_true(lock_alias_maybe_site("ttwu_queue", "try_to_wake_up"));
	assert_true(lock_alias_maybe_site("try_to_wake_up", "ttwu_queue"));
	assert_false(lock_alias_maybe_site("__schedule", "try_to_wake_up"));
	assert_true(lock_alias_maybe_class("lock#3", "lock#4"));
	assert_true(lock_alias_maybe_class("&zone->lru_lock", "&lruvec->lru_lock"));
	assert_true(lock_alias_maybe_class("a_name_that_the_kernel_cuts_somewhere_1",
					   "a_name_that_the_kernel_cuts_somewhe"));
	assert_false(lock_alias_maybe_class("&zone->lock", "&lruvec->lru_lock"));
}

static void test_text(void **state)
{
	(void)state;
	struct arena arena = { 0 };
	struct arena *a = &arena;
	assert_string_equal(lock_text_percent(a, 410701252.0 / 1029063029), "39.9 %");
	assert_string_equal(lock_text_percent(a, 87877.0 / 768253556), "0.0114 %");
	assert_string_equal(lock_text_percent(a, 0), "0 %");
	assert_string_equal(lock_text_factor(a, 1 / 3489.17), "/ 3489");
	assert_string_equal(lock_text_factor(a, 1.38), "x 1.38");
	assert_string_equal(lock_text_factor(a, 1.003), "same");
	assert_string_equal(lock_text_factor(a, -1), "-");
	assert_string_equal(lock_text_factor_range(a, 1.38, 1.21, 1.57), "x 1.38 (1.21-1.57)");
	assert_string_equal(lock_text_factor_range(a, 0.5, 0.4, 0.625), "/ 2.00 (1.60-2.50)");
	assert_string_equal(lock_text_factor_range(a, 0.9, 0.8, 1.1), "/ 1.11 (/ 1.25 .. x 1.10)");
	assert_string_equal(lock_text_total(a, 11037660), "11.0 ms");
	assert_string_equal(lock_text_total(a, 234556106120.0), "234.6 s");
	assert_string_equal(lock_text_total(a, 999960), "1.0 ms");
	assert_string_equal(lock_text_total(a, 12), "12 ns");
	assert_string_equal(lock_text_mean(a, 297.8), "0.298 us");
	assert_string_equal(lock_text_mean(a, 45.6), "45.6 ns");
	assert_string_equal(lock_text_mean(a, 14350), "14.4 us");
	assert_string_equal(lock_text_duration(a, 114.2), "114 ns");
	assert_string_equal(lock_text_difference(a, -45.6), "- 45.6 ns");
	assert_string_equal(lock_text_range(a, 35e9, 46.9e9), "35-47 s");
	assert_string_equal(lock_text_range(a, -46.9e9, -35e9), "35-47 s");
	assert_string_equal(lock_text_range(a, 1.2e6, 4.2e6), "1.2-4.2 ms");
	assert_string_equal(lock_text_number(a, 17543.2), "17,543");
	assert_string_equal(lock_text_number(a, 0.0 / 0.0), "-");
	arena_fini(&arena);
}

static const char *text_of(const struct report *r, const char *section, const char *finding)
{
	const struct finding *f = section_get(report_get(r, section), finding);
	return f && f->text ? f->text : "";
}

static void explain(struct capture *c, const char *only, struct report *r)
{
	struct lock_explain_options o = { only, 8, LOCK_SORT_WAIT };
	*r = (struct report){ 0 };
	analyze_locks(c, &o, r);
}

static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in '%s'", part, text);
}

static void test_explain_vanilla(void **state)
{
	(void)state;
	struct capture c;
	struct report r;
	table_vanilla(&c);
	explain(&c, NULL, &r);
	has(text_of(&r, "answer", "answer"),
	    "Waiting is negligible, 0.00471 % of holding: 11.0 ms in 37,063");
	has(text_of(&r, "class", "waits"), "36.0 per million");
	has(text_of(&r, "class", "waits"), "0.298 us on average");
	has(text_of(&r, "class", "bounces"), "39.9 %");
	has(text_of(&r, "class", "negligible"), "0.00471 %");
	has(report_get(&r, "waiting_at")->note, "29 % have no site");
	has(report_get(&r, "held_at")->note, "9 % have no site");
	assert_int_equal(section_table(report_get(&r, "waiting_at"), "sites")->rows.n, 4);
	has(text_of(&r, "caution", "nested"), "holds nest");
	report_fini(&r);
	capture_fini(&c);
}

/* A map has the largest hold of all, a pair has readers and writers, a name stands twice. */
static void build_mixed(struct capture *c)
{
	table_begin(c);
	struct lock_row *w =
		table_add(c, &(struct row_of){ "&mm->mmap_lock", 'W', 80, 84, 260, 939100, 16371530,
					       47291, 2922365, 160, 2000000, 900000000 });
	site_add(&w->waiting, "vm_munmap", "+0x41/0x80", 100);
	site_add(&w->waiting, "vm_mmap_pgoff.isra.0", "+0x41/0x80", 10);
	site_add(&w->waiting, "vm_mmap_pgoff", "+0x51/0x80", 10);
	table_add(c, &(struct row_of){ "&mm->mmap_lock", 'R', 90, 100, 1310, 299502610, 325629520,
				       212344, 34316685, 100, 7740000, 95000000000 });
	table_add(c, &(struct row_of){ "rcu_read_lock", 'R', 0, 0, 0, 0, 0, 0, 300000000, 10,
				       9000000, 7000000000000 });
	table_add(c, &(struct row_of){ "lock#1", 0, 0, 0, 0, 0, 0, 0, 5, 1, 9, 12 });
	table_add(c, &(struct row_of){ "lock#1", 0, 0, 0, 0, 0, 0, 0, 7, 1, 9, 12 });
	struct lock_row *rq =
		table_add(c, &(struct row_of){ "&rq->__lock", 0, 10, 10, 100, 900, 3000, 50, 45767,
					       720, 1603730, 578596000 });
	site_add(&rq->waiting, "raw_spin_rq_lock_nested", "+0x26/0x30", 10);
}

static void test_explain_mixed(void **state)
{
	(void)state;
	struct capture c;
	struct report r;
	build_mixed(&c);
	explain(&c, NULL, &r);
	has(text_of(&r, "answer", "answer"), "&mm->mmap_lock-R costs the most waiting");
	has(text_of(&r, "answer", "maps"), "1 row is a map");
	has(text_of(&r, "class", "halves"), "readers 100 of 34,316,685 waited, on average 3.26 ms");
	has(text_of(&r, "class", "longer_than_holds"), "7.74 ms");
	has(text_of(&r, "caution", "names_repeated"), "2 rows share");
	const struct table *held = section_table(report_get(&r, "held"), "held");
	vec_each (row, &held->rows)
		assert_string_not_equal(row->cell[0].text, "rcu_read_lock-R");
	/* Shares are of readers' and writers' contentions; a function's places are summed. */
	const struct table *sites = section_table(report_get(&r, "waiting_at"), "sites");
	assert_int_equal(sites->rows.n, 2);
	assert_int_equal(sites->rows.at[0].cell[2].whole, 184);
	assert_int_equal(sites->rows.at[1].cell[1].number, 20);
	has(sites->rows.at[1].cell[0].text, "vm_mmap_pgoff (2 places)");
	report_fini(&r);

	explain(&c, "&rq*", &r);
	has(text_of(&r, "waiting_at", "wrapper"), "cannot say who waits");
	report_fini(&r);
	explain(&c, "rcu_*", &r); /* asked for by name, a map is shown */
	has(text_of(&r, "answer", "answer"), "Nobody waited");
	report_fini(&r);
	explain(&c, "nothing", &r);
	has(text_of(&r, "answer", "answer"), "No class of this table matches 'nothing'");
	report_fini(&r);
	capture_fini(&c);
}

static void test_explain_damaged(void **state)
{
	(void)state;
	struct capture c;
	struct report r;
	table_begin(&c);
	c.locks->lockdep_disabled = true;
	struct lock_row *row =
		table_add(&c, &(struct row_of){ "a", 0, 1, 10, 1, 900, 100, 1, 100, 1, 9, 500 });
	lock_set(row, LOCK_HOLD_AVG, -32);
	table_add(&c, &(struct row_of){ "b", 0, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE,
					NONE, NONE });
	table_add(&c, &(struct row_of){ "c", 0, 0, 0, 0, 0, 387000000, 0, NONE, NONE, NONE, NONE });
	explain(&c, NULL, &r);
	has(text_of(&r, "caution", "lockdep_disabled"), "switched itself off");
	has(text_of(&r, "caution", "averages_wrong"), "1 row has an average");
	has(text_of(&r, "caution", "totals_wrong"), "2 rows have figures that contradict");
	report_fini(&r);
	capture_fini(&c);

	table_begin(&c);
	explain(&c, NULL, &r);
	assert_string_equal(text_of(&r, "answer", "answer"), "The table is empty.");
	report_fini(&r);
	capture_fini(&c);
}

/* perf lock's tables have no class, some no acquisitions; unknown is never 0. */
static void test_explain_perf(void **state)
{
	(void)state;
	struct capture c;
	struct report r;
	table_begin(&c);
	c.locks->source = "contention";
	struct lock_row *row =
		table_add(&c, &(struct row_of){ NULL, 0, NONE, 6, NONE, 6030000000, 6030000000,
						NONE, NONE, NONE, NONE, NONE });
	row->type = "spinlock";
	row->caller = "rcu_core+0xec";
	row = table_add(&c, &(struct row_of){ NULL, 0, NONE, 2, NONE, NONE, NONE, NONE, NONE, NONE,
					      NONE, NONE });
	row->caller = "second";
	lock_set(row, LOCK_WAIT_AVG, 1000);
	explain(&c, NULL, &r);
	has(text_of(&r, "answer", "answer"),
	    "rcu_core+0xec (spinlock) costs the most waiting: 6.0 s");
	const struct table *t = section_table(report_get(&r, "waited"), "waited");
	assert_int_equal(t->rows.n, 2);
	assert_int_equal(t->rows.at[1].cell[1].number, 2000); /* the mean times the number */
	assert_null(report_get(&r, "held"));
	report_fini(&r);
	capture_fini(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_maps),
		cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_aliases),
		cmocka_unit_test(test_suspicions),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_explain_vanilla),
		cmocka_unit_test(test_explain_mixed),
		cmocka_unit_test(test_explain_damaged),
		cmocka_unit_test(test_explain_perf),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
