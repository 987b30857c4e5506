/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <linux/futex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "record/thread_call.h"

static bool parse(const char *line, struct thread_call *c)
{
	return thread_call_parse(str_of(line), c);
}

static void test_waits(void **state)
{
	(void)state;
	struct thread_call c;
	assert_true(parse("202 0x55d0c8a3e0a0 0x80 0x2 0x0 0x1 0xffffffffffffffff 0x7ffd5a1b2c38 "
			  "0x7f3a12345678\n",
			  &c));
	assert_int_equal(c.number, 202);
	assert_true(c.argument[0] == 0x55d0c8a3e0a0 && c.argument[5] == UINT64_MAX);
	assert_true(c.sp == 0x7ffd5a1b2c38 && c.pc == 0x7f3a12345678);
}

static void test_no_call(void **state)
{
	(void)state;
	struct thread_call c;
	struct futex_wait w;
	assert_true(parse("-1 0x7ffd5a1b2c38 0x7f3a12345678\n", &c));
	assert_true(c.number == -1 && c.sp == 0x7ffd5a1b2c38 && c.pc == 0x7f3a12345678);
	assert_false(thread_call_futex(&c, &w));
}

static void test_no_line(void **state)
{
	(void)state;
	static const char *const lines[] = {
		"",
		"running\n",
		"202\n",
		"202 0x1 0x2 0x3 0x4 0x5 0x6 0x7\n",
		"202 0x1 0x2 0x3 0x4 0x5 0x6 0x7 0x8 0x9\n",
		"202 1 2 3 4 5 6 7 8\n",
		"202 0x1 0x2 0x3 0x4 0x5 0x6 0x7 0xG\n",
		"202 0x1 0x2 0x3 0x4 0x5 0x6 0x7 0x11111111111111111\n",
		"99999999999999999999 0x1 0x2 0x3 0x4 0x5 0x6 0x7 0x8\n",
	};
	struct thread_call c;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		assert_false(parse(lines[i], &c));
}

static void test_futex(void **state)
{
	(void)state;
	static const struct {
		int64_t number;
		unsigned op;
		bool waits;
	} cases[] = {
		{ SYS_futex, FUTEX_WAIT, true },
		{ SYS_futex, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, true },
		{ SYS_futex, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, true },
		{ SYS_futex, FUTEX_LOCK_PI | FUTEX_PRIVATE_FLAG, true },
		{ SYS_futex, FUTEX_WAKE, false },
		{ SYS_futex, FUTEX_CMP_REQUEUE, false },
		{ SYS_read, 0, false },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct thread_call c = { .number = cases[i].number,
					 .argument = { 0x1000, cases[i].op, 2 } };
		struct futex_wait w;
		assert_int_equal(thread_call_futex(&c, &w), cases[i].waits);
		if (!cases[i].waits)
			continue;
		assert_true(w.address == 0x1000 && w.value == 2);
		assert_int_equal(w.op, cases[i].op & FUTEX_CMD_MASK);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_waits),
		cmocka_unit_test(test_no_call),
		cmocka_unit_test(test_no_line),
		cmocka_unit_test(test_futex),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
