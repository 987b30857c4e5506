/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "core/names.h"

static void test_ids(void **state)
{
	(void)state;
	struct intern t;
	intern_init(&t, 1000);
	assert_int_equal(intern_id(&t, str_of("")), 0);
	assert_int_equal(intern_id(&t, (struct str){ NULL, 0 }), 0);
	uint32_t a = intern_id(&t, str_of("schedule")), b = intern_id(&t, str_of("schedulf"));
	assert_true(a > INTERN_OTHER && b > INTERN_OTHER && a != b);
	assert_int_equal(intern_id(&t, (struct str){ "schedule()", 8 }), a);
	assert_string_equal(intern_name(&t, a).p, "schedule");
	assert_int_equal(intern_name(&t, 4711).n, 0);

	/* Zero bytes are bytes like any other. */
	uint32_t c = intern_id(&t, (struct str){ "a\0b", 3 }),
		 d = intern_id(&t, (struct str){ "a\0c", 3 });
	assert_int_not_equal(c, d);
	assert_int_not_equal(c, intern_id(&t, str_of("a")));
	intern_fini(&t);
	intern_fini(&t);
}

static void test_many(void **state)
{
	(void)state;
	struct intern t;
	char name[64];
	intern_init(&t, 100000);
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < 50000; i++) {
			snprintf(name, sizeof(name), "a_function_of_some_length_%u", i);
			assert_int_equal(intern_id(&t, str_of(name)), i + 2);
		}
	}
	assert_string_equal(intern_name(&t, 12345 + 2).p, "a_function_of_some_length_12345");
	assert_int_equal(t.refused, 0);
	intern_fini(&t);
}

static void test_cap(void **state)
{
	(void)state;
	struct intern t;
	intern_init(&t, 4); /* "", "(other)" and two more */
	uint32_t a = intern_id(&t, str_of("a"));
	intern_id(&t, str_of("b"));
	assert_int_equal(intern_id(&t, str_of("c")), INTERN_OTHER);
	assert_int_equal(intern_id(&t, str_of("d")), INTERN_OTHER);
	assert_int_equal(intern_id(&t, str_of("a")), a);
	assert_int_equal(t.refused, 2);
	intern_fini(&t);
}

static void test_tasks(void **state)
{
	(void)state;
	struct names n;
	names_init(&n);
	uint32_t a = names_task(&n, str_of("bash"), 7), b = names_task(&n, str_of("bash"), 8);
	uint32_t c = names_task(&n, str_of("sh"), 7); /* one pid under two names: two tasks */
	assert_true(a && b && c && a != b && a != c && b != c);
	assert_int_equal(names_task(&n, str_of("bash"), 7), a);
	assert_int_equal(names_task_of(&n, b).pid, 8);
	assert_int_equal(names_task_of(&n, 0).pid, -1);
	assert_int_equal(names_task_of(&n, 4711).pid, -1);
	for (int i = 0; i < 5000; i++)
		names_task(&n, str_of("x"), i);
	assert_int_equal(names_task(&n, str_of("bash"), 8), b);
	assert_int_equal(names_task_of(&n, names_task(&n, str_of("x"), 4321)).pid, 4321);
	names_fini(&n);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_cap),
		cmocka_unit_test(test_tasks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
