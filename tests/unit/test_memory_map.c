/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "record/memory_map.h"

static const char text[] =
	"55d0c8a3c000-55d0c8a3d000 r--p 00000000 08:01 393229                     /usr/bin/a b\n"
	"55d0c8a3d000-55d0c8a3f000 r-xp 00001000 08:01 393229                     /usr/bin/a b\n"
	"55d0c9000000-55d0c9021000 rw-p 00000000 00:00 0                          [heap]\n"
	"7f3a10000000-7f3a10021000 rw-p 00000000 00:00 0 \n"
	"7f3a20000000-7f3a20001000 rw-s 00000000 00:01 7                          /dev/zero "
	"(deleted)\n"
	"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]";

static void test_lines(void **state)
{
	(void)state;
	struct memory_map m = { 0 };
	memory_map_parse(&m, str_of(text));
	assert_int_equal(m.at.n, 6);
	const struct mapping *code = memory_map_find(&m, 0x55d0c8a3d123);
	assert_non_null(code);
	assert_true(code->start == 0x55d0c8a3d000 && code->end == 0x55d0c8a3f000);
	assert_true(code->offset == 0x1000 && !code->shared);
	assert_string_equal(code->name, "/usr/bin/a b");
	assert_string_equal(memory_map_find(&m, 0x55d0c9000000)->name, "[heap]");
	assert_string_equal(memory_map_find(&m, 0x7f3a10020fff)->name, "");
	assert_true(memory_map_find(&m, 0x7f3a20000000)->shared);
	assert_string_equal(memory_map_find(&m, UINT64_C(0xffffffffff600010))->name, "[vsyscall]");
	assert_null(memory_map_find(&m, 0x55d0c8a3f000));
	assert_null(memory_map_find(&m, 0));
	memory_map_fini(&m);
}

static void test_no_lines(void **state)
{
	(void)state;
	static const char *const bad[] = {
		"",
		"\n\n",
		"55d0c8a3c000",
		"55d0c8a3c000-",
		"55d0c8a3c000-55d0c8a3d000",
		"55d0c8a3c000-55d0c8a3d000 r--p",
		"55d0c8a3d000-55d0c8a3c000 r--p 00000000 08:01 1 /a", /* ends before it begins */
		"55d0c8a3c000-55d0c8a3d000 r-- 00000000 08:01 1 /a",
		"11111111111111111-22222222222222222 r--p 00000000 08:01 1 /a",
		"zz-zz r--p 00000000 08:01 1 /a",
		":-; r--p 0 0 0",
	};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct memory_map m = { 0 };
		memory_map_parse(&m, str_of(bad[i]));
		assert_int_equal(m.at.n, 0);
		memory_map_fini(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_no_lines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
