/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks at waiting threads, to a table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "record/lock_sample.h"

static const char maps[] =
	"400000-500000 r-xp 00000000 08:01 1                     /no/such/program\n"
	"500000-600000 rw-p 00100000 08:01 1                     /no/such/program\n"
	"700000-800000 rw-p 00000000 00:00 0                     [heap]\n"
	"900000-a00000 rw-s 00000000 00:01 7                     /dev/zero (deleted)\n"
	"b00000-c00000 rw-p 00000000 00:00 0 \n";

static void table_of(struct lock_sample *s, struct capture *c)
{
	struct memory_map m = { 0 };
	struct lock_sample_run run = { "program", 12, 1000, 50, true };
	memory_map_parse(&m, str_of(maps));
	capture_init(c, NULL);
	lock_sample_table(s, &m, &run, c);
	memory_map_fini(&m);
	lock_sample_free(s);
}

static void test_rows(void **state)
{
	(void)state;
	struct capture c;
	struct lock_sample *s = lock_sample_new();
	for (int i = 0; i < 100; i++) {
		lock_sample_look(s, 10);
		if (i % 2) { /* a mutex, with two that wait */
			lock_sample_waiter(s, &(struct lock_waiter){ 0x700010, 0x400100, false,
								     "worker" });
			lock_sample_waiter(s,
					   &(struct lock_waiter){ 0x700010, 0x400200, false,
								  i % 4 == 1 ? "worker" : "main" });
		}
		if (i == 5)
			lock_sample_waiter(s,
					   &(struct lock_waiter){ 0xb00010, 0x400300, true, NULL });
	}
	table_of(s, &c);
	assert_true(locktab_is_sampled(c.locks));
	assert_int_equal(c.locks->run->looks, 100);
	assert_int_equal(c.locks->run->looks_lost, 0);
	assert_int_equal(c.locks->run->pid, 12);
	assert_int_equal(c.locks->rows.n, 2);
	const struct lock_row *r = &c.locks->rows.at[0];
	assert_string_equal(r->name, "0x700010 (heap)");
	assert_string_equal(r->type, "mutex");
	assert_int_equal(r->seen, 100);
	assert_int_equal(r->value[LOCK_WAIT_TOTAL].n, 1000);
	assert_int_equal(r->value[LOCK_WAIT_TOTAL].known, LOCK_ESTIMATED);
	assert_true(r->wait_low_ns > 700 && r->wait_low_ns < 850);
	assert_true(r->wait_high_ns > 1150 && r->wait_high_ns < 1300);
	assert_int_equal(r->waiting.n, 2);
	assert_string_equal(r->waiting.at[0].symbol, "[program+0x100]");
	assert_string_equal(r->holding.at[0].symbol, "thread 'worker'");
	assert_int_equal(r->holding.at[0].count, 75);
	assert_int_equal(r->holding.at[1].count, 25);
	for (enum lock_column k = 0; k < LOCK_COLUMNS; k++)
		assert_true(k == LOCK_WAIT_TOTAL || !lock_known(r, k));
	r = &c.locks->rows.at[1];
	assert_string_equal(r->name, "0xb00010 (stack)");
	assert_string_equal(r->type, "futex");
	assert_int_equal(r->seen, 1);
	capture_fini(&c);
}

static void test_memory(void **state)
{
	(void)state;
	static const struct {
		uint64_t address;
		const char *name;
	} cases[] = {
		{ 0x500010, "0x500010 (data of program)" }, { 0x700010, "0x700010 (heap)" },
		{ 0x900010, "0x900010 (shared memory)" },   { 0xb00010, "0xb00010 (memory)" },
		{ 0xd00010, "0xd00010 (unknown memory)" },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct capture c;
		struct lock_sample *s = lock_sample_new();
		lock_sample_look(s, 10);
		lock_sample_waiter(s, &(struct lock_waiter){ .address = cases[i].address });
		table_of(s, &c);
		assert_string_equal(c.locks->rows.at[0].name, cases[i].name);
		capture_fini(&c);
	}
}

static void test_none(void **state)
{
	(void)state;
	struct capture c;
	table_of(lock_sample_new(), &c);
	assert_int_equal(c.locks->rows.n, 0);
	assert_int_equal(c.locks->run->looks, 0);
	capture_fini(&c);
}

/* More futexes and more sites than are told apart: counted, and no more memory. */
static void test_many(void **state)
{
	(void)state;
	struct capture c;
	struct lock_sample *s = lock_sample_new();
	lock_sample_look(s, 10);
	for (uint64_t i = 0; i < LOCK_SAMPLE_FUTEXES + 1000; i++)
		lock_sample_waiter(s, &(struct lock_waiter){ .address = 4096 + i * 4 });
	for (uint64_t i = 0; i < 1000; i++)
		lock_sample_waiter(s, &(struct lock_waiter){ .address = 4096, .pc = i });
	table_of(s, &c);
	assert_int_equal(c.locks->rows.n + (size_t)c.locks->run->looks_lost,
			 LOCK_SAMPLE_FUTEXES + 1000);
	assert_true(c.locks->run->looks_lost >= 1000);
	assert_int_equal(c.locks->rows.at[0].seen, 1001);
	assert_int_equal(c.locks->rows.at[0].waiting.n, LOCK_SAMPLE_SITES);
	capture_fini(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_many),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
