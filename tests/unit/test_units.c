/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/units.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))
#define UNTOUCHED 424242

struct parse_case {
	const char *in;
	int64_t want;
	const char *refusal; /* NULL: fine */
};

static const struct parse_case time_cases[] = {
	{ "100us", 100000, NULL },
	{ "1.5ms", 1500000, NULL },
	{ "150 ns", 150, NULL },
	{ " \t2s ", 2000000000, NULL },
	{ "3 min", 180000000000, NULL },
	{ "3m", 180000000000, NULL },
	{ "1h", 3600000000000, NULL },
	{ "0ns", 0, NULL },
	{ "007us", 7000, NULL },
	{ ".5ms", 500000, NULL },
	{ "100\xc2\xb5s", 100000, NULL },
	{ "100\xce\xbcs", 100000, NULL },
	{ "10usec", 10000, NULL },
	{ "1,500us", 1500000, NULL },
	{ "1,234,567 ns", 1234567, NULL },
	{ "1,234.5us", 1234500, NULL },
	{ "9223372036854775807ns", INT64_MAX, NULL },
	{ "9223372036.854775807s", INT64_MAX, NULL },

	/* finer than a nanosecond: to the nearest, halves up */
	{ "5.7142857us", 5714, NULL },
	{ "0.4ns", 0, NULL },
	{ "0.5ns", 1, NULL },
	{ "1.0005us", 1001, NULL },
	{ "0.49999999999999999999999ns", 0, NULL },
	{ "1.50000000000000000000000000000000000000000001ns", 2, NULL },
	/* what a double would get wrong */
	{ "0.000000001s", 1, NULL },
	{ "4503599627370497.5ns", 4503599627370498, NULL },
	{ "9007199254740993ns", 9007199254740993, NULL },

	{ "100", 0, "'100' has no unit" },
	{ "1.5", 0, "'1.5' has no unit" },
	{ "0", 0, "'0' has no unit" },
	{ "-5us", 0, "'-5us' is negative" },
	{ "-.5us", 0, "'-.5us' is negative" },
	{ "", 0, "'' is not a number" },
	{ "  ", 0, "'  ' is not a number" },
	{ "us", 0, "'us' is not a number" },
	{ "-", 0, "'-' is not a number" },
	{ ".", 0, "'.' is not a number" },
	{ ".us", 0, "'.us' is not a number" },
	{ "+5us", 0, "'+5us' is not a number" },
	{ "nan s", 0, "'nan s' is not a number" },
	{ "5 parsecs", 0, "'5 parsecs' has an unknown unit" },
	{ "5US", 0, "'5US' has an unknown unit" },
	{ "5u", 0, "'5u' has an unknown unit" },
	{ "5.us", 0, "'5.us' has an unknown unit" },
	{ "1.2.3us", 0, "'1.2.3us' has an unknown unit" },
	{ "0x10us", 0, "'0x10us' has an unknown unit" },
	{ "5us 6us", 0, "'5us 6us' has an unknown unit" },
	{ "1,5ms", 0, "'1,5ms' has a comma out of place" },
	{ "1000,000us", 0, "'1000,000us' has a comma out of place" },
	{ "1,0000us", 0, "'1,0000us' has a comma out of place" },
	{ "1,000,us", 0, "'1,000,us' has a comma out of place" },
	{ "9223372036854775808ns", 0, "'9223372036854775808ns' is too large" },
	{ "9223372036.854775808s", 0, "'9223372036.854775808s' is too large" },
	{ "9223372036854775807.5ns", 0, "'9223372036854775807.5ns' is too large" },
	{ "99999999999999999999h", 0, "'99999999999999999999h' is too large" },
	{ "9223372036854775807h", 0, "'9223372036854775807h' is too large" },
};

static const struct parse_case count_cases[] = {
	{ "192", 192, NULL },
	{ "0", 0, NULL },
	{ "1.2e6", 1200000, NULL },
	{ "1e0", 1, NULL },
	{ "2E3", 2000, NULL },
	{ "64k", 64000, NULL },
	{ "64 K", 64000, NULL },
	{ "1.5M", 1500000, NULL },
	{ "2G", 2000000000, NULL },
	{ "1,000", 1000, NULL },
	{ "1,029,063,029", 1029063029, NULL },
	{ "2.0", 2, NULL },
	{ "9223372036854775807", INT64_MAX, NULL },
	{ "9.223372036854775807e18", INT64_MAX, NULL },

	{ "1.5", 0, "'1.5' is not a whole number" },
	{ "1.2345k", 0, "'1.2345k' is not a whole number" },
	{ "1.0000000000000000001", 0, "'1.0000000000000000001' is not a whole number" },
	{ "x", 0, "'x' is not a number" },
	{ "", 0, "'' is not a number" },
	{ "12 apples", 0, "'12 apples' is not a number" },
	{ "1e", 0, "'1e' is not a number" },
	{ "1e-3", 0, "'1e-3' is not a number" },
	{ "1e19", 0, "'1e19' is not a number" },
	{ "1e3k", 0, "'1e3k' is not a number" },
	{ "64Ki", 0, "'64Ki' is not a number" },
	{ "-3", 0, "'-3' is negative" },
	{ "1,00", 0, "'1,00' has a comma out of place" },
	{ ",100", 0, "',100' is not a number" },
	{ "9223372036854775808", 0, "'9223372036854775808' is too large" },
	{ "10e18", 0, "'10e18' is too large" },
	{ "9223372036854776k", 0, "'9223372036854776k' is too large" },
};

/* The outcome of reading `in`: NULL, or the refusal is what was expected and nothing changed. */
static void check_outcome(const char *in, const char *refusal, int ret, struct err *err)
{
	if (!refusal) {
		if (ret)
			fail_msg("'%s' is refused: %s", in, err->msg);
		return;
	}
	if (!ret)
		fail_msg("'%s' is accepted", in);
	assert_int_equal(ret, -err->code);
	if (strncmp(err->msg, refusal, strlen(refusal)) != 0)
		fail_msg("want \"%s\", got \"%s\"", refusal, err->msg);
}

static void check_value(const char *in, int64_t got, int64_t want)
{
	if (got != want)
		fail_msg("'%s': want %lld, got %lld", in, (long long)want, (long long)got);
}

typedef int parse_fn(struct str s, int64_t *v, struct err *err);

static void check_parse(parse_fn *parse, const struct parse_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct parse_case *c = &cases[i];
		struct err err = { 0 };
		int64_t got = UNTOUCHED;
		int ret = parse(str_of(c->in), &got, &err);
		check_outcome(c->in, c->refusal, ret, &err);
		check_value(c->in, got, c->refusal ? UNTOUCHED : c->want);
	}
}

static void test_parse_time(void **state)
{
	(void)state;
	check_parse(units_parse_time, time_cases, N_OF(time_cases));
}

static void test_parse_count(void **state)
{
	(void)state;
	check_parse(units_parse_count, count_cases, N_OF(count_cases));
}

static const struct {
	const char *in;
	int64_t low, high;
	const char *refusal;
} percent_cases[] = {
	{ "20-30%", 20000, 30000, NULL },
	{ "25%", 25000, 25000, NULL },
	{ "20%-30%", 20000, 30000, NULL },
	{ "2.5-3%", 2500, 3000, NULL },
	{ " 20 - 30 % ", 20000, 30000, NULL },
	{ "20 % - 30 %", 20000, 30000, NULL },
	{ "20\342\200\22330%", 20000, 30000, NULL },
	{ "0%", 0, 0, NULL },
	{ "250%", 250000, 250000, NULL },
	{ "0.0005%", 1, 1, NULL },
	{ "0.00049%", 0, 0, NULL },
	{ "30-30%", 30000, 30000, NULL },

	{ "20-30", 0, 0, "'20-30' does not end in '%'" },
	{ "20", 0, 0, "'20' does not end in '%'" },
	{ "20%-30", 0, 0, "'20%-30' does not end in '%'" },
	{ "30-20%", 0, 0, "'30-20%' is upside down" },
	{ "-5%", 0, 0, "'-5%' is negative" },
	{ "20--30%", 0, 0, "'20--30%' is negative" },
	{ "%", 0, 0, "'%' is not a number" },
	{ "20-%", 0, 0, "'20-%' is not a number" },
	{ "", 0, 0, "'' is not a number" },
	{ "20%%", 0, 0, "'20%%' is not a percentage" },
	{ "20-30-40%", 0, 0, "'20-30-40%' is not a percentage" },
	{ "20us", 0, 0, "'20us' is not a percentage" },
	{ "9300000000000000%", 0, 0, "'9300000000000000%' is too large" },
	{ "1-9300000000000000%", 0, 0, "'1-9300000000000000%' is too large" },
};

static void test_parse_percent(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_OF(percent_cases); i++) {
		__typeof__(&percent_cases[0]) c = &percent_cases[i];
		struct err err = { 0 };
		int64_t low = UNTOUCHED, high = UNTOUCHED;
		int ret = units_parse_percent(str_of(c->in), &low, &high, &err);
		check_outcome(c->in, c->refusal, ret, &err);
		check_value(c->in, low, c->refusal ? UNTOUCHED : c->low);
		check_value(c->in, high, c->refusal ? UNTOUCHED : c->high);
	}
}

static void test_read_seconds(void **state)
{
	(void)state;
	static const char zeros[] =
		"0.00000000000000000000000000000000000000000000000000000000000000000000001";
	int64_t ns = UNTOUCHED;
	assert_null(units_read_seconds(str_of("9.055187"), &ns));
	assert_int_equal(ns, 9055187000);
	assert_null(units_read_seconds(str_of(" 1,500 "), &ns));
	assert_int_equal(ns, 1500000000000);
	assert_null(units_read_seconds(str_of("1.5 ms"), &ns));
	assert_int_equal(ns, 1500000);
	assert_null(units_read_seconds(str_of(zeros), &ns));
	assert_int_equal(ns, 0);
	ns = UNTOUCHED;
	assert_string_equal(units_read_seconds(str_of("5x"), &ns), "has an unknown unit");
	assert_string_equal(units_read_seconds(str_of("-5"), &ns), "is negative");
	assert_string_equal(units_read_seconds(str_of("9300000000"), &ns), "is too large");
	assert_string_equal(units_read_seconds(str_of(""), &ns), "is not a number");
	assert_int_equal(ns, UNTOUCHED);
}

static void test_refusals_end_in_the_next_step(void **state)
{
	(void)state;
	struct err err;
	int64_t v;
	assert_true(units_parse_time(str_of("100"), &v, &err) < 0);
	assert_string_equal(err.msg, "'100' has no unit: write 100us, 1.5ms, 2s or the like");
	assert_true(units_parse_percent(str_of("20"), &v, &v, &err) < 0);
	assert_string_equal(err.msg, "'20' does not end in '%': write 25% or 20-30%");
	assert_true(units_parse_count(str_of("x"), &v, &err) < 0);
	assert_string_equal(err.msg, "'x' is not a number: write 192, 1,000, 1.2e6 or 64k");
	assert_true(units_parse_time((struct str){ NULL, 0 }, &v, NULL) < 0);
}

/* Slices are not NUL-terminated: what follows must not be read. */
static void test_parse_stops_at_the_end_of_the_slice(void **state)
{
	(void)state;
	int64_t v;
	assert_int_equal(units_parse_time((struct str){ "100us0", 5 }, &v, NULL), 0);
	assert_int_equal(v, 100000);
	assert_int_equal(units_parse_count((struct str){ "1923", 3 }, &v, NULL), 0);
	assert_int_equal(v, 192);
	assert_true(units_parse_time((struct str){ "1.5us", 2 }, &v, NULL) < 0);
	assert_true(units_parse_count((struct str){ "1e6", 2 }, &v, NULL) < 0);
}

struct text_case {
	int64_t a, b;
	const char *want;
};

static const struct text_case time_texts[] = {
	{ 0, 0, "0 ns" },
	{ 1, 0, "1 ns" },
	{ 999, 0, "999 ns" },
	{ 1000, 0, "1 us" },
	{ 1004, 0, "1 us" },
	{ 1005, 0, "1.01 us" },
	{ 3780, 0, "3.78 us" },
	{ 5714, 0, "5.71 us" },
	{ 5700, 0, "5.70 us" },
	{ 9994, 0, "9.99 us" },
	{ 9995, 0, "10 us" },
	{ 10049, 0, "10 us" },
	{ 10050, 0, "10.1 us" },
	{ 60000, 0, "60 us" },
	{ 99949, 0, "99.9 us" },
	{ 99950, 0, "100 us" },
	{ 999499, 0, "999 us" },
	{ 999500, 0, "1 ms" },
	{ 999999, 0, "1 ms" },
	{ 1110000, 0, "1.11 ms" },
	{ 2439000, 0, "2.44 ms" },
	{ 17482000, 0, "17.5 ms" },
	{ 999500000, 0, "1 s" },
	{ 1500000000, 0, "1.50 s" },
	{ 234600000000, 0, "235 s" },
	{ 1234567000000, 0, "1235 s" },
	{ INT64_MAX, 0, "9223372037 s" },
	{ -5714, 0, "-5.71 us" },
	{ -999999, 0, "-1 ms" },
	{ INT64_MIN, 0, "-9223372037 s" },
};

static const struct text_case range_texts[] = {
	{ 5260, 6170, "5.26-6.17 us" },
	{ 850000, 920000, "0.85-0.92 ms" },
	{ 1020000, 1190000, "1.02-1.19 ms" },
	{ 850000, 1020000, "0.85-1.02 ms" },
	{ 854321, 924987, "0.85-0.92 ms" },
	{ 850000, 999900, "0.85-1.00 ms" },
	{ 420000, 480000, "420-480 us" },
	{ 60000, 900000, "60-900 us" },
	{ 600, 700, "600-700 ns" },
	{ 900, 1200, "0.90-1.20 us" },
	{ 35000000000, 47000000000, "35-47 s" },
	{ 5000, 9996, "5-10 us" },
	{ 5100, 9996, "5.1-10.0 us" },
	{ 5000, 10000, "5-10 us" },
	{ 0, 6170, "0-6.17 us" },
	{ 3000, 2440000, "0.003-2.44 ms" },
	{ 15000, 2440000, "0.015-2.44 ms" },
	{ 15678, 2440000, "0.016-2.44 ms" },
	{ 3456, 2440000, "0.0035-2.44 ms" },
	{ 300, 2440000000, "300 ns .. 2.44 s" },
	{ 5714, 5714, "5.71 us" },
	{ -1200, 3400, "-1.20 .. 3.40 us" },
	{ -3400, -1200, "-3.40 .. -1.20 us" },
	{ 0, 0, "0 ns" },
	{ 0, 5, "0-5 ns" },
	{ INT64_MIN, INT64_MAX, "-9223372037 .. 9223372037 s" },
};

static const struct text_case count_texts[] = {
	{ 0, 0, "0" },
	{ 7, 0, "7" },
	{ 999, 0, "999" },
	{ 1000, 0, "1,000" },
	{ 1178, 0, "1,178" },
	{ 100000, 0, "100,000" },
	{ 1029063029, 0, "1,029,063,029" },
	{ -1178, 0, "-1,178" },
	{ -100, 0, "-100" },
	{ INT64_MAX, 0, "9,223,372,036,854,775,807" },
	{ INT64_MIN, 0, "-9,223,372,036,854,775,808" },
};

static const struct text_case share_texts[] = {
	{ 34, 60, "57 %" },
	{ 56, 60, "93 %" },
	{ 3, 1000, "0.3 %" },
	{ 0, 60, "0 %" },
	{ 1, 1000000, "<0.1 %" },
	{ 1, 2001, "<0.1 %" },
	{ 1, 2000, "0.1 %" },
	{ 1, 100, "1 %" },
	{ 73, 1000, "7.3 %" },
	{ 994, 10000, "9.9 %" },
	{ 996, 10000, "10 %" },
	{ 985, 1000, "99 %" },
	{ 995, 1000, "99.5 %" },
	{ 99999, 100000, ">99.9 %" },
	{ 100, 100, "100 %" },
	{ 150, 100, "150 %" },
	{ 5, 0, "-" },
	{ 0, 0, "-" },
	{ 5, -1, "-" },
	{ -5, 100, "-5 %" },
	{ -1, 1000000, ">-0.1 %" },
	{ INT64_MAX, INT64_MAX, "100 %" },
	{ INT64_MAX - 1, INT64_MAX, ">99.9 %" },
	{ 1, INT64_MAX, "<0.1 %" },
};

static const struct text_case factor_texts[] = {
	{ 192, 9, "21x" },
	{ 3489, 1, "3489x" },
	{ 134, 100, "1.3x" },
	{ 2, 1, "2x" },
	{ 1, 1, "1x" },
	{ 994, 100, "9.9x" },
	{ 996, 100, "10x" },
	{ 995, 1000, "1x" },
	{ 34, 100, "0.34x" },
	{ 5, 10, "0.5x" },
	{ 55, 1000, "0.055x" },
	{ 1, 100, "0.01x" },
	{ 1, 1000, "<0.01x" },
	{ 0, 5, "0x" },
	{ 5, 0, "-" },
	{ 5, -2, "-" },
	{ -13, 10, "-1.3x" },
	{ -1, 1000, ">-0.01x" },
	{ INT64_MAX, 1, "9223372036854775807x" },
};

static void check_text(const char *what, const char *got, const char *want)
{
	if (strcmp(got, want) != 0)
		fail_msg("%s: want '%s', got '%s'", what, want, got);
}

static void test_time(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_OF(time_texts); i++)
		check_text("time", units_time(time_texts[i].a).s, time_texts[i].want);
}

static void test_time_range(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_OF(range_texts); i++)
		check_text("range", units_time_range(range_texts[i].a, range_texts[i].b).s,
			   range_texts[i].want);
}

static void test_count(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_OF(count_texts); i++)
		check_text("count", units_count(count_texts[i].a).s, count_texts[i].want);
}

static void test_share(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_OF(share_texts); i++)
		check_text("share", units_share(share_texts[i].a, share_texts[i].b).s,
			   share_texts[i].want);
}

static void test_factor(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_OF(factor_texts); i++)
		check_text("factor", units_factor(factor_texts[i].a, factor_texts[i].b).s,
			   factor_texts[i].want);
}

/* A small generator, so that the numbers are the same everywhere. */
static uint64_t next_random(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

/* What is written reads back to within half of its last digit, and never as 1000 of a unit. */
static void test_written_times_read_back(void **state)
{
	(void)state;
	uint64_t x = 88172645463325252;
	for (int i = 0; i < 200000; i++) {
		int64_t ns = (int64_t)(next_random(&x) >> (1 + next_random(&x) % 63));
		struct units_text t = units_time(ns);
		int64_t back;
		if (units_parse_time(str_of(t.s), &back, NULL))
			fail_msg("'%s' does not read back", t.s);
		int64_t off = back > ns ? back - ns : ns - back;
		int64_t limit = ns >= 1000000000000 ? 500000000 : ns / 200;
		if (off > limit)
			fail_msg("%lld became '%s'", (long long)ns, t.s);
		if (strncmp(t.s, "1000 ", 5) == 0 && !strstr(t.s, " s"))
			fail_msg("%lld became '%s'", (long long)ns, t.s);
	}
}

static void test_written_counts_read_back(void **state)
{
	(void)state;
	uint64_t x = 1;
	for (int i = 0; i < 100000; i++) {
		int64_t n = (int64_t)(next_random(&x) >> (1 + next_random(&x) % 63));
		int64_t back;
		assert_int_equal(units_parse_count(str_of(units_count(n).s), &back, NULL), 0);
		assert_int_equal(back, n);
	}
}

/* Anything at all may be read and formatted: no overflow, no overrun (the sanitizers watch). */
static void test_arbitrary_input(void **state)
{
	(void)state;
	static const char alphabet[] = "0123456789.,-%eknumsM \xc2\xb5\xe2\x80\x93";
	uint64_t x = 7;
	for (int i = 0; i < 300000; i++) {
		char text[24];
		size_t n = next_random(&x) % sizeof(text);
		for (size_t k = 0; k < n; k++)
			text[k] = alphabet[next_random(&x) % (sizeof(alphabet) - 1)];
		struct str s = { text, n };
		int64_t a = 0, b = 0;
		if (units_read_time(s, &a) == NULL)
			assert_true(a >= 0);
		if (units_read_count(s, &a) == NULL)
			assert_true(a >= 0);
		if (units_read_percent(s, &a, &b) == NULL)
			assert_true(a >= 0 && a <= b);

		int64_t v = (int64_t)next_random(&x), w = (int64_t)next_random(&x);
		v >>= next_random(&x) % 64;
		w >>= next_random(&x) % 64;
		assert_true(strlen(units_time_range(v, w).s) < sizeof(struct units_text) - 1);
		assert_true(strlen(units_share(v, w).s) < sizeof(struct units_text) - 1);
		assert_true(strlen(units_factor(v, w).s) < sizeof(struct units_text) - 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse_time),
		cmocka_unit_test(test_read_seconds),
		cmocka_unit_test(test_parse_percent),
		cmocka_unit_test(test_parse_count),
		cmocka_unit_test(test_refusals_end_in_the_next_step),
		cmocka_unit_test(test_parse_stops_at_the_end_of_the_slice),
		cmocka_unit_test(test_time),
		cmocka_unit_test(test_time_range),
		cmocka_unit_test(test_count),
		cmocka_unit_test(test_share),
		cmocka_unit_test(test_factor),
		cmocka_unit_test(test_written_times_read_back),
		cmocka_unit_test(test_written_counts_read_back),
		cmocka_unit_test(test_arbitrary_input),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
