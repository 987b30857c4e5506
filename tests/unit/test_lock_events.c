/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of locks out of a trace's events: each rule of lock_stat with a known answer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyze/lock_tally.h"
#include "analyze/section.h"
#include "locktab.h"

struct run {
	struct strbuf text;
	struct reader *reader;
	struct locktab *table;
};

static void ev(struct run *r, const char *who, int cpu, int64_t us, const char *payload)
{
	if (!r->text.n)
		strbuf_str(&r->text, "# tracer: nop\n#\n"
				     "# entries-in-buffer/entries-written: 9/9   #P:2\n#\n");
	strbuf_printf(&r->text, "%16s [%03d] ..... %5lld.%06lld: %s\n", who, cpu,
		      (long long)(us / 1000000), (long long)(us % 1000000), payload);
}

static void stack(struct run *r, const char *who, int cpu, const char *frames)
{
	strbuf_printf(&r->text, "%16s [%03d] .....     0.000001: <stack trace>\n%s", who, cpu,
		      frames);
}

static void run(struct run *r)
{
	struct capture *c;
	struct source *s;
	struct err err = { 0 };
	r->reader = trace_first(r->text.p, &c, &s);
	if (trace_locktab(c, s, NULL, &err))
		fail_msg("%s", err.msg);
	r->table = c->locks;
}

static void end(struct run *r)
{
	reader_close(r->reader);
	strbuf_fini(&r->text);
}

static const struct lock_row *row(const struct run *r, size_t n, size_t i)
{
	assert_non_null(r->table);
	assert_int_equal(r->table->rows.n, n);
	return &r->table->rows.at[i];
}

/* -- Waits ------------------------------------------------------------------------------------- */

/* Of two processes, in two places; a wait that gave up is no contention. */
static void contention_makes_a_row_a_place(void **state)
{
	(void)state;
	struct run r = { 0 };
	static const int64_t begin[] = { 100, 200, 300, 400 }, ns[] = { 10000, 30000, 5000, 7000 };
	static const char *const locks[] = { "aaaa", "aaaa", "bbbb", "aaaa" };
	static const char *const frames[] = {
		" => __down_write\n => vm_mmap\n",
		" => __down_write\n => vm_mmap\n",
		" => __down_write\n => vm_mmap\n",
		" => __down_write\n => exit_mm\n",
	};
	for (int i = 0; i < 4; i++) {
		char text[96];
		snprintf(text, sizeof(text), "contention_begin: 0xff%s (flags=WRITE)", locks[i]);
		ev(&r, "a-1", i == 1, begin[i], text);
		stack(&r, "a-1", i == 1, frames[i]);
		snprintf(text, sizeof(text), "contention_end: 0xff%s (ret=%d)", locks[i],
			 i == 2 ? -4 : 0);
		ev(&r, "a-1", i == 1, begin[i] + ns[i] / 1000, text);
	}
	run(&r);
	const struct lock_row *exit = row(&r, 2, 0), *map = row(&r, 2, 1);
	assert_string_equal(r.table->source, "events");
	assert_null(map->name);
	assert_string_equal(map->type, "rwsem:W");
	assert_string_equal(map->caller, "vm_mmap");
	assert_int_equal(map->rw, 'W');
	assert_value(map, LOCK_CONTENTIONS, 2, LOCK_EXACT);
	assert_value(map, LOCK_WAIT_MIN, 10000, LOCK_EXACT);
	assert_value(map, LOCK_WAIT_MAX, 30000, LOCK_EXACT);
	assert_value(map, LOCK_WAIT_TOTAL, 40000, LOCK_EXACT);
	assert_value(map, LOCK_WAIT_AVG, 20000, LOCK_EXACT);
	assert_int_equal(map->failed, 1);
	assert_int_equal(map->instances, 2);
	assert_null(map->address);
	assert_int_equal(map->waiting.n, 1);
	assert_site(&map->waiting.at[0], "vm_mmap", NULL, NULL, 2);
	/* What no event tells stays unknown. */
	assert_value(map, LOCK_ACQUISITIONS, 0, LOCK_ABSENT);
	assert_value(map, LOCK_HOLD_TOTAL, 0, LOCK_ABSENT);
	assert_value(map, LOCK_ACQ_BOUNCES, 0, LOCK_ABSENT);
	/* The second wait came from another CPU than the one that got it before. */
	assert_value(map, LOCK_CON_BOUNCES, 1, LOCK_ESTIMATED);
	assert_site(&map->holding.at[0], "vm_mmap", NULL, NULL, 1);
	assert_string_equal(exit->caller, "exit_mm");
	assert_value(exit, LOCK_CON_BOUNCES, 1, LOCK_ESTIMATED);
	assert_string_equal(exit->address, "0xffaaaa");
	end(&r);
}

/* Without stacks the type is all that holds beyond this trace. */
static void without_stacks_the_type_is_the_class(void **state)
{
	(void)state;
	struct run r = { 0 };
	ev(&r, "a-1", 0, 100, "contention_begin: 00000000aaaa0001 (flags=SPIN|MUTEX)");
	ev(&r, "a-1", 0, 104, "contention_begin: 00000000aaaa0001 (flags=MUTEX)");
	ev(&r, "a-1", 0, 105, "contention_end: 00000000aaaa0001 (ret=0)");
	ev(&r, "a-1", 0, 110, "contention_begin: 00000000bbbb0001 (flags=MUTEX)");
	ev(&r, "a-1", 0, 112, "contention_end: 00000000bbbb0001 (ret=0)");
	ev(&r, "a-1", 0, 120, "contention_begin: (____ptrval____) (flags=SPIN)");
	ev(&r, "a-1", 0, 121, "contention_end: (____ptrval____) (ret=0)");
	run(&r);
	const struct lock_row *mutex = row(&r, 2, 1);
	assert_string_equal(mutex->type, "mutex");
	assert_null(mutex->caller);
	assert_value(mutex, LOCK_CONTENTIONS, 2, LOCK_EXACT);
	assert_int_equal(mutex->spin_ns, 4000);
	assert_int_equal(mutex->instances, 2);
	assert_int_equal(row(&r, 2, 0)->instances, UNKNOWN);
	assert_int_equal(row(&r, 2, 0)->spin_ns, UNKNOWN);
	assert_int_equal(r.table->bad, 0);
	assert_int_equal(r.table->total, 4);
	end(&r);
}

/* -- lockdep ----------------------------------------------------------------------------------- */

/*
 * a takes it on CPU 0, b waits for it on CPU 1 and gets it, then tries again and succeeds at once:
 * a trylock counts as an acquisition, and neither bounces nor moves the lock.
 */
static void lockdep_counts_as_lock_stat_does(void **state)
{
	(void)state;
	struct run r = { 0 };
	ev(&r, "a-1", 0, 100, "lock_acquire: 0xff01 &q->lock");
	ev(&r, "a-1", 0, 101, "lock_acquired: 0xff01 &q->lock");
	ev(&r, "b-2", 1, 105, "lock_acquire: 0xff01 &q->lock");
	ev(&r, "b-2", 1, 106, "lock_contended: 0xff01 &q->lock");
	ev(&r, "a-1", 0, 110, "lock_release: 0xff01 &q->lock");
	ev(&r, "b-2", 1, 116, "lock_acquired: 0xff01 &q->lock");
	ev(&r, "b-2", 1, 120, "lock_release: 0xff01 &q->lock");
	ev(&r, "a-1", 0, 130, "lock_acquire: 0xff01 try &q->lock");
	ev(&r, "a-1", 0, 131, "lock_release: 0xff01 &q->lock");
	ev(&r, "b-2", 1, 140, "lock_acquire: 0xff01 &q->lock");
	ev(&r, "b-2", 1, 141, "lock_acquired: 0xff01 &q->lock");
	ev(&r, "b-2", 1, 142, "lock_release: 0xff01 &q->lock");
	/* Held when the trace ends: not counted, as in lock_stat. */
	ev(&r, "b-2", 1, 150, "lock_acquire: 0xff01 &q->lock");
	run(&r);
	const struct lock_row *q = row(&r, 1, 0);
	assert_string_equal(q->name, "&q->lock");
	assert_int_equal(q->rw, 0);
	assert_value(q, LOCK_ACQUISITIONS, 4, LOCK_EXACT);
	assert_value(q, LOCK_ACQ_BOUNCES, 1, LOCK_ESTIMATED);
	assert_value(q, LOCK_CONTENTIONS, 1, LOCK_EXACT);
	assert_value(q, LOCK_CON_BOUNCES, 1, LOCK_ESTIMATED);
	assert_value(q, LOCK_WAIT_TOTAL, 10000, LOCK_EXACT);
	/* 10 us from acquire, 4 from acquired, 1 and 2 from acquire. */
	assert_value(q, LOCK_HOLD_TOTAL, 17000, LOCK_EXACT);
	assert_value(q, LOCK_HOLD_MIN, 1000, LOCK_EXACT);
	assert_value(q, LOCK_HOLD_MAX, 10000, LOCK_EXACT);
	end(&r);
}

static void readers_and_writers_are_two_rows(void **state)
{
	(void)state;
	struct run r = { 0 };
	ev(&r, "a-1", 0, 100, "lock_acquire: 0xff01 read &s->sem");
	ev(&r, "a-1", 0, 101, "lock_acquired: 0xff01 &s->sem");
	ev(&r, "b-2", 1, 102, "lock_acquire: 0xff01 &s->sem");
	ev(&r, "b-2", 1, 103, "lock_contended: 0xff01 &s->sem");
	stack(&r, "b-2", 1, " => down_write\n => writer\n");
	ev(&r, "a-1", 0, 105, "lock_release: 0xff01 &s->sem");
	ev(&r, "b-2", 1, 106, "lock_acquired: 0xff01 &s->sem");
	ev(&r, "b-2", 1, 107, "lock_release: 0xff01 &s->sem");
	ev(&r, "a-1", 0, 110, "lock_acquire: 0xff02 read only");
	ev(&r, "a-1", 0, 111, "lock_release: 0xff02 only");
	run(&r);
	const struct lock_row *writes = row(&r, 3, 0), *reads = row(&r, 3, 1);
	assert_string_equal(writes->name, "&s->sem");
	assert_int_equal(writes->rw, 'W');
	assert_int_equal(reads->rw, 'R');
	assert_value(writes, LOCK_CONTENTIONS, 1, LOCK_EXACT);
	assert_value(reads, LOCK_CONTENTIONS, 0, LOCK_EXACT);
	assert_value(reads, LOCK_ACQUISITIONS, 1, LOCK_EXACT);
	assert_site(&writes->waiting.at[0], "writer", NULL, NULL, 1);
	assert_int_equal(row(&r, 3, 2)->rw, 'R');
	end(&r);
}

/* The idle task is one for each CPU; an interrupt's lock is not the interrupted one's. */
static void locks_nest_and_idle_tasks_differ(void **state)
{
	(void)state;
	struct run r = { 0 };
	ev(&r, "<idle>-0", 0, 100, "lock_acquire: 0xff01 a");
	ev(&r, "<idle>-0", 1, 101, "lock_acquire: 0xff02 b");
	ev(&r, "<idle>-0", 0, 102, "lock_acquire: 0xff02 b");
	ev(&r, "<idle>-0", 0, 103, "lock_contended: 0xff02 b");
	ev(&r, "<idle>-0", 1, 105, "lock_release: 0xff02 b");
	ev(&r, "<idle>-0", 0, 106, "lock_acquired: 0xff02 b");
	/* Let go in another order than taken. */
	ev(&r, "<idle>-0", 0, 107, "lock_release: 0xff01 a");
	ev(&r, "<idle>-0", 0, 109, "lock_release: 0xff02 b");
	run(&r);
	assert_value(row(&r, 2, 0), LOCK_HOLD_TOTAL, 7000, LOCK_EXACT);
	assert_value(row(&r, 2, 1), LOCK_HOLD_TOTAL, 4000 + 3000, LOCK_EXACT);
	assert_value(row(&r, 2, 1), LOCK_WAIT_TOTAL, 3000, LOCK_EXACT);
	end(&r);
}

/* A release while it waits: the wait was interrupted, and nothing was held. */
static void a_wait_that_fails_is_no_acquisition(void **state)
{
	(void)state;
	struct run r = { 0 };
	ev(&r, "a-1", 0, 99, "lock_acquired: 0xff09 other");
	ev(&r, "a-1", 0, 100, "lock_acquire: 0xff01 m");
	ev(&r, "a-1", 0, 101, "lock_contended: 0xff01 m");
	ev(&r, "a-1", 0, 105, "lock_release: 0xff01 m");
	run(&r);
	assert_value(row(&r, 1, 0), LOCK_ACQUISITIONS, 0, LOCK_EXACT);
	assert_value(row(&r, 1, 0), LOCK_CONTENTIONS, 0, LOCK_EXACT);
	assert_int_equal(row(&r, 1, 0)->failed, 1);
	end(&r);
}

/* Some of the four events alone: what they cannot tell is absent, what they tell in part estimated. */
static void fewer_events_tell_less(void **state)
{
	(void)state;
	struct run r = { 0 };
	ev(&r, "a-1", 0, 100, "lock_acquire: 0xff01 m");
	ev(&r, "a-1", 0, 105, "lock_release: 0xff01 m");
	run(&r);
	assert_value(row(&r, 1, 0), LOCK_ACQUISITIONS, 1, LOCK_EXACT);
	assert_value(row(&r, 1, 0), LOCK_HOLD_TOTAL, 5000, LOCK_ESTIMATED);
	assert_value(row(&r, 1, 0), LOCK_CONTENTIONS, 0, LOCK_ABSENT);
	assert_value(row(&r, 1, 0), LOCK_CON_BOUNCES, 0, LOCK_ABSENT);
	assert_value(row(&r, 1, 0), LOCK_ACQ_BOUNCES, 0, LOCK_ABSENT);
	end(&r);
}

/* Both kinds of events tell of the same wait: it counts once, by its name. */
static void contention_beside_lockdep_counts_once(void **state)
{
	(void)state;
	struct run r = { 0 };
	ev(&r, "a-1", 0, 100, "lock_acquire: 0xff51 m");
	ev(&r, "a-1", 0, 101, "contention_begin: 0xff01 (flags=MUTEX)");
	ev(&r, "a-1", 0, 102, "lock_contended: 0xff51 m");
	ev(&r, "a-1", 0, 110, "contention_end: 0xff01 (ret=0)");
	ev(&r, "a-1", 0, 111, "lock_acquired: 0xff51 m");
	ev(&r, "a-1", 0, 112, "lock_release: 0xff51 m");
	run(&r);
	assert_value(row(&r, 1, 0), LOCK_CONTENTIONS, 1, LOCK_EXACT);
	assert_value(row(&r, 1, 0), LOCK_WAIT_TOTAL, 9000, LOCK_EXACT);
	end(&r);
}

/* -- Losses and limits ------------------------------------------------------------------------- */

static void nothing_is_paired_across_a_loss(void **state)
{
	(void)state;
	struct run r = { 0 };
	ev(&r, "a-1", 0, 100, "lock_acquire: 0xff01 m");
	ev(&r, "a-1", 0, 101, "lock_acquired: 0xff01 m");
	strbuf_str(&r.text, "CPU:0 [LOST 7 EVENTS]\n");
	ev(&r, "a-1", 0, 300, "lock_release: 0xff01 m");
	ev(&r, "a-1", 0, 310, "lock_acquire: 0xff01 m");
	ev(&r, "a-1", 0, 312, "lock_release: 0xff01 m");
	run(&r);
	assert_value(row(&r, 1, 0), LOCK_ACQUISITIONS, 1, LOCK_EXACT);
	assert_value(row(&r, 1, 0), LOCK_HOLD_TOTAL, 2000, LOCK_EXACT);
	end(&r);
}

static void a_trace_without_locks_has_no_table(void **state)
{
	(void)state;
	struct run r = { 0 };
	ev(&r, "a-1", 0, 100, "tick: cpu");
	run(&r);
	assert_null(r.table);
	end(&r);
}

/* Beyond the caps it counts what is left out, and what it has stays right. */
static void what_is_beyond_the_caps_is_counted(void **state)
{
	(void)state;
	struct names names;
	struct symbols symbols;
	struct lock_tally t;
	struct arena a = { 0 };
	names_init(&names);
	symbols_init(&symbols, &names);
	lock_tally_init(&t, &names, &symbols);
	for (uint32_t i = 0; i < LOCK_TALLY_CLASSES + 5; i++)
		lock_tally_wait(&t, &(struct tally_wait){ .type = i << 16, .lock = i, .ns = 10 });
	for (int64_t i = 0; i < LOCK_TALLY_LOCKS + 7; i++)
		lock_tally_wait(&t, &(struct tally_wait){ .type = 1 << 16, .lock = i, .ns = 1 });
	assert_int_equal(t.classes_left_out, 5);
	assert_int_equal(t.locks_left_out, 7);
	assert_int_equal(t.classes.at[1].waits.n, 1 + LOCK_TALLY_LOCKS + 7);
	assert_int_equal(t.classes.at[1].waits.total, 10 + LOCK_TALLY_LOCKS + 7);
	static const struct tally_known known = { 0 };
	struct locktab *table = lock_tally_table(&t, &known, &a);
	assert_int_equal(table->rows.n, LOCK_TALLY_CLASSES);
	locktab_fini(table);
	arena_fini(&a);
	lock_tally_fini(&t);
	symbols_fini(&symbols);
	names_fini(&names);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(contention_makes_a_row_a_place),
		cmocka_unit_test(without_stacks_the_type_is_the_class),
		cmocka_unit_test(lockdep_counts_as_lock_stat_does),
		cmocka_unit_test(readers_and_writers_are_two_rows),
		cmocka_unit_test(locks_nest_and_idle_tasks_differ),
		cmocka_unit_test(a_wait_that_fails_is_no_acquisition),
		cmocka_unit_test(fewer_events_tell_less),
		cmocka_unit_test(contention_beside_lockdep_counts_once),
		cmocka_unit_test(nothing_is_paired_across_a_loss),
		cmocka_unit_test(a_trace_without_locks_has_no_table),
		cmocka_unit_test(what_is_beyond_the_caps_is_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
