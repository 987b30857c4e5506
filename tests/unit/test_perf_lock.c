/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "locktab.h"

static const struct lock_row *row(const struct tables *t, size_t table, size_t n)
{
	assert_true(table < t->n);
	assert_true(n < t->at[table].table->rows.n);
	return &t->at[table].table->rows.at[n];
}

static void test_caller(void **state)
{
	(void)state;
	struct tables t;
	tables_read(
		&t,
		" contended   total wait     max wait     avg wait         type   caller\n\n"
		"         6      6.03 s       6.03 s       1.00 s      spinlock   rcu_core+0xec\n"
		"         1    702.63 us    702.63 us    702.63 us      rwsem:W   tree_lock+0x2c\n"
		"\t\t\t0xffffffff9a23f4b5  down_write+0x45\n"
		"\t\t\t0xffffffff99bbd4dd  tree_lock+0x2c\n"
		"         2       568 ns      1.20 m        2.00 h     rt=mutex   Unknown\n\n"
		"=== output for debug ===\n\nbad: 3, total: 14\nbad rate: 21.43 %\n"
		"histogram of failure reasons\n       task: 3\n      stack: 0\n");
	assert_int_equal(t.n, 1);
	const struct locktab *k = t.at[0].table;
	assert_string_equal(k->source, "contention");
	assert_int_equal(k->rows.n, 3);
	assert_int_equal(k->bad, 3);
	assert_int_equal(k->total, 14);
	assert_int_equal(k->bad_rate, 21430000);
	assert_value(row(&t, 0, 0), LOCK_CONTENTIONS, 6, LOCK_EXACT);
	assert_value(row(&t, 0, 0), LOCK_WAIT_TOTAL, 6030000000, LOCK_EXACT);
	assert_string_equal(row(&t, 0, 0)->type, "spinlock");
	assert_string_equal(row(&t, 0, 0)->caller, "rcu_core+0xec");
	assert_int_equal(row(&t, 0, 1)->rw, 'W');
	assert_int_equal(row(&t, 0, 1)->stack.n, 2);
	assert_site(&row(&t, 0, 1)->stack.at[1], "tree_lock", "+0x2c", "ffffffff99bbd4dd", UNKNOWN);
	assert_value(row(&t, 0, 2), LOCK_WAIT_TOTAL, 568, LOCK_EXACT);
	assert_value(row(&t, 0, 2), LOCK_WAIT_MAX, 72000000000, LOCK_EXACT);
	assert_value(row(&t, 0, 2), LOCK_WAIT_AVG, 7200000000000, LOCK_EXACT);
	assert_string_equal(row(&t, 0, 2)->type, "rt=mutex");
	assert_int_equal(t.at[0].capture.damaged, 0);
	tables_fini(&t);
}

/* -t, -l, -g, and columns in another order */
static void test_modes(void **state)
{
	(void)state;
	struct tables t;
	tables_read(
		&t,
		" contended   total wait     max wait     avg wait          pid   comm\n\n"
		"         3     76.79 us     26.89 us     25.60 us         1234   nvidia-modeset/\n"
		" contended   total wait     max wait     avg wait            address   symbol\n\n"
		"         3     14.99 us     14.44 us      5.00 us   ffffffff851c0940   pack "
		"(mutex)\n"
		"         1       929 ns       929 ns       929 ns   ffff98d7031fb538    (rwlock)\n"
		"   avg wait     min wait  contended   cgroup\n\n"
		"   25.60 us        12 ns          3   /user.slice/a b\n");
	assert_int_equal(t.n, 3);
	assert_int_equal(row(&t, 0, 0)->pid, 1234);
	assert_string_equal(row(&t, 0, 0)->comm, "nvidia-modeset/");
	assert_string_equal(row(&t, 1, 0)->address, "ffffffff851c0940");
	assert_string_equal(row(&t, 1, 0)->symbol, "pack");
	assert_string_equal(row(&t, 1, 0)->type, "mutex");
	assert_null(row(&t, 1, 1)->symbol);
	assert_string_equal(row(&t, 1, 1)->type, "rwlock");
	assert_string_equal(row(&t, 2, 0)->cgroup, "/user.slice/a b");
	assert_value(row(&t, 2, 0), LOCK_WAIT_MIN, 12, LOCK_EXACT);
	assert_value(row(&t, 2, 0), LOCK_CONTENTIONS, 3, LOCK_EXACT);
	tables_fini(&t);
}

static void test_report(void **state)
{
	(void)state;
	struct tables t;
	tables_read(
		&t,
		"Before:\n  $ perf lock report\n\n"
		"                Name   acquired  contended   avg wait (ns) total wait (ns)   "
		"max wait (ns)   min wait (ns)\n\n"
		"        jiffies_lock        433         32            2778           88908        "
		" "
		"  13570             692\n"
		" hrtimer_bases.lo...       2626          0               0               0        "
		" "
		"      0               0\n"
		" hrtimer_bases.lo...       1953          0               0               0        "
		" "
		"      0               0\n\n"
		"After:\n"
		"                Name   acquired  contended     avg wait   total wait     max wait "
		"    min wait\n\n"
		"        subsys mutex        433         32      2.78 us     88.91 us     13.57 us "
		"      692 ns\n\n"
		"=== output for debug===\n\nbad: 10, total: 246\nbad rate: 4.065041 %\n"
		"histogram of events caused bad sequence\n    acquire: 0\n");
	assert_int_equal(t.n, 2);
	assert_string_equal(t.at[0].table->source, "report");
	assert_string_equal(t.at[0].capture.label, "Before");
	assert_int_equal(t.at[0].table->rows.n, 3);
	assert_value(row(&t, 0, 0), LOCK_ACQUISITIONS, 433, LOCK_EXACT);
	assert_value(row(&t, 0, 0), LOCK_WAIT_MIN, 692, LOCK_EXACT);
	assert_value(row(&t, 0, 2), LOCK_ACQUISITIONS, 1953, LOCK_EXACT);
	assert_string_equal(t.at[1].capture.label, "After");
	assert_string_equal(row(&t, 1, 0)->name, "subsys mutex");
	assert_value(row(&t, 1, 0), LOCK_WAIT_TOTAL, 88910, LOCK_EXACT);
	assert_int_equal(t.at[1].table->bad_rate, 4065041);
	tables_fini(&t);
}

/* Rows and headers that a mail broke; the first half of a header cut off. */
static void test_broken(void **state)
{
	(void)state;
	struct tables t;
	tables_read(&t, "Name acquired contended avg wait (ns) total\nwait (ns) max wait (ns) min "
			"wait (ns)\n  slock-AF_INET6 7 1 23543\n23543 23543 22\n");
	assert_int_equal(t.n, 1);
	assert_value(row(&t, 0, 0), LOCK_WAIT_AVG, 23543, LOCK_EXACT);
	assert_value(row(&t, 0, 0), LOCK_WAIT_MIN, 22, LOCK_EXACT);
	tables_fini(&t);

	tables_read(&t, " contended total wait max wait avg wait type\ncaller\n\n"
			"  3 76.79 us 26.89 us 25.60 us rwlock:R\n  ep_poll+0x2d\n"
			"  4 76.79 us 26.89 us 25.60 us rwlock:R   ep_pol=\nl_callback+0x2d\n"
			"  5 76.79 us 26.89 us\n");
	assert_int_equal(t.n, 1);
	assert_int_equal(t.at[0].table->rows.n, 2);
	assert_string_equal(row(&t, 0, 0)->caller, "ep_poll+0x2d");
	assert_string_equal(row(&t, 0, 1)->caller, "ep_poll_callback+0x2d");
	assert_int_equal(t.at[0].capture.damaged, 1);
	assert_int_equal(t.at[0].damage_line, 8);
	tables_fini(&t);

	tables_read(&t, "ns)   max wait (ns)   min wait (ns)\n\n&fs->lock  64  0   0   12   5\n");
	assert_int_equal(t.n, 1);
	assert_string_equal(row(&t, 0, 0)->name, "&fs->lock");
	assert_value(row(&t, 0, 0), LOCK_WAIT_MAX, 12, LOCK_EXACT);
	assert_value(row(&t, 0, 0), LOCK_ACQUISITIONS, 0, LOCK_ABSENT);
	assert_int_equal(t.at[0].damage_line, 1);
	tables_fini(&t);
}

/* Between a number and its unit, in a header's last title, and in a frame. */
static void test_broken_inside(void **state)
{
	(void)state;
	struct tables t;
	tables_read(&t, "Name acquired contended avg wait total wait max wait min wait\n\n"
			"  jiffies_lock 433 32 2.78 us 88.91 us 13.57\nus 692 ns\n");
	assert_int_equal(t.n, 1);
	assert_value(row(&t, 0, 0), LOCK_WAIT_MAX, 13570, LOCK_EXACT);
	assert_value(row(&t, 0, 0), LOCK_WAIT_MIN, 692, LOCK_EXACT);
	tables_fini(&t);

	tables_read(&t, " contended total wait max wait avg wait type caller\n\n"
			"   3 76.79 us 26.89\nus 25.60 us spinlock f+0x2d\n"
			"\t\t\t0xff01\n_raw_read_lock+0x1\n\t\t\t0xff02 g+0x2\n");
	assert_int_equal(t.n, 1);
	assert_value(row(&t, 0, 0), LOCK_WAIT_MAX, 26890, LOCK_EXACT);
	assert_int_equal(row(&t, 0, 0)->stack.n, 2);
	assert_site(&row(&t, 0, 0)->stack.at[0], "_raw_read_lock", "+0x1", "ff01", UNKNOWN);
	assert_site(&row(&t, 0, 0)->stack.at[1], "g", "+0x2", "ff02", UNKNOWN);
	tables_fini(&t);

	tables_read(&t, "Caller  Avg Hold Count Max Hold Total\nHold\n"
			" down_write_killable+0x5 5.4 m 5421 491.2 h 491.2\nh\n");
	assert_int_equal(t.n, 1);
	assert_value(row(&t, 0, 0), LOCK_HOLD_TOTAL, INT64_C(1768320000000000), LOCK_EXACT);
	tables_fini(&t);
}

static void test_csv(void **state)
{
	(void)state;
	struct tables t;
	tables_read(
		&t,
		"# output: contended, total wait, max wait, avg wait, type, caller, stacktrace\n"
		"6, 6030000000, 6030000000, 1005000000, spinlock, rcu_core+0xec, "
		"0xffffffff9a23f4b5 _raw+0x45: 0xffffffff99bbd4dd rcu_core+0xec\n"
		"# debug: total=10, bad=2, bad_task=1, bad_stack=0, bad_time=1, bad_data=0\n"
		"# output: contended;; total wait;; pid;; comm\n3;; 14990;; 12;; foo;; bar\n"
		"# output: contended\t total wait\t address\t symbol\t type\n"
		"3\t 14990\t ffffffff851c0940\t pack_mutex\t mutex\n"
		"# output: contended, total wait, address, symbol, type\n"
		"3, 14990, ffffffff851c0940, a, b, rwlock\n1, 2, ff, , mutex\n");
	assert_int_equal(t.n, 4);
	assert_string_equal(row(&t, 3, 0)->symbol, "a, b");
	assert_string_equal(row(&t, 3, 0)->type, "rwlock");
	assert_null(row(&t, 3, 1)->symbol);
	assert_string_equal(row(&t, 3, 1)->type, "mutex");
	assert_value(row(&t, 0, 0), LOCK_WAIT_AVG, 1005000000, LOCK_EXACT);
	assert_string_equal(row(&t, 0, 0)->caller, "rcu_core+0xec");
	assert_int_equal(row(&t, 0, 0)->stack.n, 2);
	assert_site(&row(&t, 0, 0)->stack.at[0], "_raw", "+0x45", "ffffffff9a23f4b5", UNKNOWN);
	assert_int_equal(t.at[0].table->bad, 2);
	assert_int_equal(t.at[0].table->total, 10);
	assert_int_equal(row(&t, 1, 0)->pid, 12);
	assert_string_equal(row(&t, 1, 0)->comm, "foo;; bar");
	assert_string_equal(row(&t, 2, 0)->symbol, "pack_mutex");
	assert_string_equal(row(&t, 2, 0)->type, "mutex");
	tables_fini(&t);
}

static void test_klockstat(void **state)
{
	(void)state;
	struct tables t;
	tables_read(
		&t,
		"\n                               Caller  Avg Wait    Count   Max Wait   Total "
		"Wait\n"
		"                       mutex_lock+0x5    12.3 us        54    1.2 ms       3.4 s\n"
		"                            do_foo+0x1\n"
		"                             [unknown]\n"
		"                              Max PID 19, COMM a, b, Lock foo (0xffff1234)\n"
		"                     down_write+0x5    5.4 m      5421   491.2 h      491.2 h\n"
		"                              Max PID 1983644, COMM edgeworker/sbox\n"
		"\n                Tid              Comm  Avg Hold    Count   Max Hold   Total "
		"Hold\n"
		"             1234            foo bar        5 ns       1      5 ns         5 ns\n"
		"         Caller   Avg Spin  Count   Max spin Total spin\n"
		"          b'mutex_lock+0x1'         12     34        100        408\n");
	assert_int_equal(t.n, 3);
	assert_string_equal(t.at[0].table->source, "klockstat");
	const struct lock_row *r = row(&t, 0, 0);
	assert_string_equal(r->caller, "mutex_lock+0x5");
	assert_value(r, LOCK_WAIT_AVG, 12300, LOCK_EXACT);
	assert_value(r, LOCK_ACQUISITIONS, 54, LOCK_EXACT);
	assert_value(r, LOCK_WAIT_TOTAL, 3400000000, LOCK_EXACT);
	assert_value(r, LOCK_CONTENTIONS, 0, LOCK_ABSENT);
	assert_int_equal(r->stack.n, 2);
	assert_string_equal(r->stack.at[1].symbol, "[unknown]");
	assert_int_equal(r->max_pid, 19);
	assert_string_equal(r->max_comm, "a, b");
	assert_string_equal(r->symbol, "foo");
	assert_string_equal(r->address, "ffff1234");
	assert_value(row(&t, 0, 1), LOCK_WAIT_MAX, 1768320000000000, LOCK_EXACT);
	assert_string_equal(row(&t, 0, 1)->max_comm, "edgeworker/sbox");
	assert_int_equal(row(&t, 1, 0)->pid, 1234);
	assert_string_equal(row(&t, 1, 0)->comm, "foo bar");
	assert_value(row(&t, 1, 0), LOCK_HOLD_MAX, 5, LOCK_EXACT);
	assert_string_equal(row(&t, 2, 0)->caller, "mutex_lock+0x1");
	assert_value(row(&t, 2, 0), LOCK_WAIT_TOTAL, 408, LOCK_EXACT);
	tables_fini(&t);
}

static void test_futexctn(void **state)
{
	(void)state;
	struct tables t;
	tables_read(
		&t,
		"\n\nfoo bar[123] lock 0x7f00aa contended 12 times, 34 avg usecs [max: 56 usecs, "
		"min 7 usecs]\n    -\n    #0  0x00007f0000000001 __lll_lock_wait+0x1d (libc+0x12)\n"
		"    [unknown]\n    -\n     usecs               : count    distribution\n"
		"         0 -> 1          : 0        |      |\n"
		"x[1] lock 0x1 contended 1 times, 1 avg msecs [max: 1 msecs, min 1 msecs]\n");
	assert_int_equal(t.n, 1);
	assert_int_equal(t.at[0].table->rows.n, 2);
	const struct lock_row *r = row(&t, 0, 0);
	assert_string_equal(r->comm, "foo bar");
	assert_int_equal(r->pid, 123);
	assert_string_equal(r->address, "7f00aa");
	assert_value(r, LOCK_CONTENTIONS, 12, LOCK_EXACT);
	assert_value(r, LOCK_WAIT_AVG, 34000, LOCK_EXACT);
	assert_value(r, LOCK_WAIT_MAX, 56000, LOCK_EXACT);
	assert_value(r, LOCK_WAIT_TOTAL, 0, LOCK_ABSENT);
	assert_int_equal(r->stack.n, 1);
	assert_site(&r->stack.at[0], "__lll_lock_wait", "+0x1d", "00007f0000000001", UNKNOWN);
	assert_value(row(&t, 0, 1), LOCK_WAIT_MIN, 1000000, LOCK_EXACT);
	tables_fini(&t);
}

/* Text that has the words, and is no table. */
static void test_none(void **state)
{
	(void)state;
	static const char *const texts[] = {
		"the total wait and the max wait are what counts\n",
		"Name\n5 6 7\n",
		"type caller\n",
		"# output: nothing\n1, 2, 3\n",
		"Caller of the function\n",
		"[ 1.0] lock 0x12 contended often\n",
	};
	for (size_t i = 0; i < N_OF(texts); i++) {
		struct tables t;
		tables_read(&t, texts[i]);
		assert_int_equal(t.n, 0);
		tables_fini(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_caller),        cmocka_unit_test(test_modes),
		cmocka_unit_test(test_report),        cmocka_unit_test(test_broken),
		cmocka_unit_test(test_broken_inside), cmocka_unit_test(test_csv),
		cmocka_unit_test(test_klockstat),     cmocka_unit_test(test_futexctn),
		cmocka_unit_test(test_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
