/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/str.h"

static void check(struct str got, const char *want)
{
	if (!str_eq(got, want))
		fail_msg("'%.*s' is not '%s'", STR_ARG(got), want);
}

static void test_slices(void **state)
{
	(void)state;
	struct str s = str_of("abcdef");
	check(str_from(s, 2), "cdef");
	check(str_from(s, 6), "");
	check(str_from(s, 7), "");
	check(str_head(s, 2), "ab");
	check(str_head(s, 60), "abcdef");
	check(str_of(NULL), "");
	check(str_trim(str_of(" \t a b \r")), "a b");
	check(str_trim(str_of(" \t\r")), "");
	check(str_trim_left(str_of("  a ")), "a ");
	assert_true(str_starts(s, "abc"));
	assert_false(str_starts(s, "abcdefg"));
	assert_true(str_starts(s, ""));
}

/* Of every length, and wherever another blank or the text stands among the spaces. */
static void test_blanks(void **state)
{
	(void)state;
	char text[24];
	for (size_t n = 0; n <= sizeof(text); n++) {
		memset(text, ' ', sizeof(text));
		assert_int_equal(str_blanks((struct str){ text, n }), n);
		for (size_t at = 0; at < n; at++) {
			memset(text, ' ', sizeof(text));
			text[at] = '\t';
			assert_int_equal(str_blanks((struct str){ text, n }), n);
			text[at] = '!'; /* one bit more than a space */
			assert_int_equal(str_blanks((struct str){ text, n }), at);
		}
	}
	assert_int_equal(str_blanks((struct str){ 0 }), 0);
}

static void test_find(void **state)
{
	(void)state;
	struct str s = str_of("a-b-c");
	assert_int_equal(str_find(s, "-c"), 3);
	assert_int_equal(str_find(s, "-d"), -1);
	assert_int_equal(str_find(s, "a-b-c-d"), -1);
	assert_int_equal(str_rfind(s, "-"), 3);
	assert_int_equal(str_rfind(s, "a-"), 0);
	assert_int_equal(str_rfind(s, "-d"), -1);
	assert_int_equal(str_rfind(s, "a-b-c-d"), -1);
	assert_int_equal(str_find_char(s, '-'), 1);
	assert_int_equal(str_rfind_char(s, '-'), 3);
	assert_int_equal(str_find_char((struct str){ 0 }, '-'), -1);
	assert_int_equal(str_rfind_char((struct str){ 0 }, '-'), -1);
}

static void test_closing(void **state)
{
	(void)state;
	assert_int_equal(str_closing(str_of("(a(b)c) d)")), 6);
	assert_int_equal(str_closing(str_of("(a(b)")), 5);
	assert_int_equal(str_closing(str_of("")), 0);
}

static void test_words(void **state)
{
	(void)state;
	struct str s = str_of("  one\ttwo  ");
	check(str_word(&s), "one");
	check(str_word(&s), "two");
	check(str_word(&s), "");
	check(str_word(&s), "");
}

static void test_numbers(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		bool ok;
		int64_t value;
		const char *rest;
	} cases[] = {
		{ "12us", true, 12, "us" },
		{ "-7:", true, -7, ":" },
		{ "+7", true, 7, "" },
		{ "007", true, 7, "" },
		{ "9223372036854775807", true, INT64_MAX, "" },
		{ "-9223372036854775808", true, INT64_MIN, "" },
		{ "9223372036854775808", false, 0, "9223372036854775808" },
		{ "-9223372036854775809", false, 0, "-9223372036854775809" },
		{ "99999999999999999999999", false, 0, "99999999999999999999999" },
		{ "", false, 0, "" },
		{ "-", false, 0, "-" },
		{ "--1", false, 0, "--1" },
		{ " 1", false, 0, " 1" },
		{ "x1", false, 0, "x1" },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str s = str_of(cases[i].text);
		int64_t v = 0;
		assert_int_equal(str_number(&s, &v), cases[i].ok);
		assert_true(v == cases[i].value);
		check(s, cases[i].rest);
	}
}

static void test_buffer(void **state)
{
	(void)state;
	struct strbuf b = { 0 };
	strbuf_add(&b, "", 0);
	assert_string_equal(b.p, "");
	for (int i = 0; i < 1000; i++)
		strbuf_printf(&b, "%d,", i % 10);
	strbuf_str(&b, "end");
	strbuf_add(&b, "\0x", 2);
	assert_int_equal(b.n, 2005);
	assert_memory_equal(b.p + 1996, "8,9,end\0x", 9);
	assert_int_equal(b.p[b.n], 0);
	strbuf_fini(&b);
	strbuf_fini(&b);
}

static void test_written_numbers(void **state)
{
	(void)state;
	struct strbuf cleanup_strbuf b = { 0 };
	strbuf_number(&b, INT64_MIN, 0, ' ');
	strbuf_number(&b, -7, 4, ' ');
	strbuf_number(&b, 0, 1, '0');
	strbuf_number(&b, 42, 5, '0');
	strbuf_number(&b, 12345, 3, ' ');
	strbuf_fill(&b, 2, '.');
	check(strbuf_get(&b), "-9223372036854775808  -700004212345..");
	strbuf_cut(&b, 100);
	strbuf_cut(&b, 3);
	check(strbuf_get(&b), "-92");
	assert_string_equal(b.p, "-92");
	strbuf_cut(&b, 0);
	strbuf_number(&b, -7, 24, ' '); /* wider than any number */
	check(strbuf_get(&b), "                      -7");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slices),  cmocka_unit_test(test_blanks),
		cmocka_unit_test(test_find),    cmocka_unit_test(test_closing),
		cmocka_unit_test(test_words),   cmocka_unit_test(test_written_numbers),
		cmocka_unit_test(test_numbers), cmocka_unit_test(test_buffer),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
