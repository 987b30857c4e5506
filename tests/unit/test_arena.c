/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"

static void test_alloc(void **state)
{
	(void)state;
	struct arena a = { 0 };
	unsigned char *kept[500];
	for (size_t i = 0; i < 500; i++) {
		size_t n = i * 7 % 113;
		kept[i] = arena_alloc(&a, n);
		assert_int_equal((uintptr_t)kept[i] % sizeof(max_align_t) % 16, 0);
		for (size_t k = 0; k < n; k++)
			assert_int_equal(kept[i][k], 0);
		memset(kept[i], (int)i, n);
	}
	for (size_t i = 0; i < 500; i++) {
		for (size_t k = 0; k < i * 7 % 113; k++)
			assert_int_equal(kept[i][k], (unsigned char)i);
	}
	arena_fini(&a);
	arena_fini(&a);
}

static void test_large(void **state)
{
	(void)state;
	struct arena a = { 0 };
	char *small = arena_alloc(&a, 10), *large = arena_alloc(&a, 1 << 20);
	small[9] = large[(1 << 20) - 1] = 'x';
	small = arena_alloc(&a, 10);
	small[9] = 'y';
	arena_fini(&a);
}

static void test_text(void **state)
{
	(void)state;
	struct arena a = { 0 };
	const char *one = arena_str(&a, str_of("one")), *none = arena_str(&a, (struct str){ 0 });
	const char *two = arena_printf(&a, "%s and %d", one, 2);
	assert_string_equal(one, "one");
	assert_string_equal(none, "");
	assert_string_equal(two, "one and 2");
	arena_fini(&a);
}

static void test_adopt(void **state)
{
	(void)state;
	struct arena to = { 0 }, from = { 0 }, none = { 0 };
	const char *mine = arena_str(&to, str_of("mine")),
		   *yours = arena_str(&from, str_of("yours"));
	arena_alloc(&from, 1 << 20);
	arena_adopt(&to, &none);
	arena_adopt(&to, &from);
	arena_fini(&from);
	arena_alloc(&from, 8);
	arena_fini(&from);
	assert_string_equal(mine, "mine");
	assert_string_equal(yours, "yours");
	arena_fini(&to);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alloc),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_adopt),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
