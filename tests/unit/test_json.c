/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the streaming writer writes, jansson reads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <jansson.h>

#include "core/capture.h"
#include "render/json.h"

struct doc {
	char *text;
	size_t n;
	FILE *f;
	struct json j;
};

static void doc_open(struct doc *d, bool compact)
{
	d->f = open_memstream(&d->text, &d->n);
	json_put_init(&d->j, d->f, compact);
}

static json_t *doc_read(struct doc *d)
{
	json_error_t e;
	json_put_end(&d->j);
	fclose(d->f);
	json_t *v = json_loadb(d->text, d->n,
			       JSON_DECODE_ANY | JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, &e);
	if (!v)
		fail_msg("%s: %s", e.text, d->text);
	assert_int_equal(d->text[d->n - 1], '\n');
	return v;
}

static void test_shapes(void **state)
{
	(void)state;
	for (int compact = 0; compact < 2; compact++) {
		struct doc d;
		doc_open(&d, compact);
		json_put_open(&d.j, '{');
		json_put_key(&d.j, "none");
		json_put_open(&d.j, '[');
		json_put_close(&d.j, ']');
		json_put_key(&d.j, "empty");
		json_put_open(&d.j, '{');
		json_put_close(&d.j, '}');
		json_put_key(&d.j, "some");
		json_put_open(&d.j, '[');
		json_put_int(&d.j, -1);
		json_put_null(&d.j);
		json_put_bool(&d.j, true);
		json_put_bool(&d.j, false);
		json_put_string(&d.j, NULL);
		json_put_string(&d.j, "x");
		json_put_open(&d.j, '{');
		json_put_key(&d.j, "deep");
		json_put_int(&d.j, 7);
		json_put_close(&d.j, '}');
		json_put_close(&d.j, ']');
		json_put_key(&d.j, "last");
		json_put_known(&d.j, UNKNOWN);
		json_put_close(&d.j, '}');
		json_t *v = doc_read(&d);
		if (compact) /* one line */
			assert_ptr_equal(strchr(d.text, '\n'), d.text + d.n - 1);
		assert_int_equal(json_object_size(v), 4);
		assert_int_equal(json_array_size(json_object_get(v, "none")), 0);
		json_t *some = json_object_get(v, "some");
		assert_int_equal(json_array_size(some), 7);
		assert_int_equal(json_integer_value(json_array_get(some, 0)), -1);
		assert_true(json_is_null(json_array_get(some, 1)));
		assert_true(json_is_true(json_array_get(some, 2)));
		assert_true(json_is_false(json_array_get(some, 3)));
		assert_true(json_is_null(json_array_get(some, 4)));
		assert_int_equal(
			json_integer_value(json_object_get(json_array_get(some, 6), "deep")), 7);
		assert_true(json_is_null(json_object_get(v, "last")));
		json_decref(v);
		free(d.text);
	}
}

static void test_integers(void **state)
{
	(void)state;
	static const int64_t values[] = { 0, 1, -1, 357867523236300, INT64_MAX, INT64_MIN + 1 };
	struct doc d;
	doc_open(&d, true);
	json_put_open(&d.j, '[');
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		json_put_int(&d.j, values[i]);
	json_put_close(&d.j, ']');
	json_t *v = doc_read(&d);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		assert_true(json_integer_value(json_array_get(v, i)) == values[i]);
	json_decref(v);
	free(d.text);
}

static void written(const char *bytes, size_t n, const char *want, size_t want_n)
{
	struct doc d;
	doc_open(&d, true);
	json_put_open(&d.j, '[');
	json_put_str(&d.j, (struct str){ bytes, n });
	json_put_close(&d.j, ']');
	json_t *v = doc_read(&d), *s = json_array_get(v, 0);
	if (json_string_length(s) != want_n || memcmp(json_string_value(s), want, want_n) != 0)
		fail_msg("'%.*s' is read as '%s'", (int)n, bytes, json_string_value(s));
	json_decref(v);
	free(d.text);
}

#define WRITTEN(in, out) written(in, sizeof(in) - 1, out, sizeof(out) - 1)
#define SAME(in) WRITTEN(in, in)
#define R "\xef\xbf\xbd" /* U+FFFD */

static void test_strings(void **state)
{
	(void)state;
	SAME("");
	SAME("plain");
	SAME("quote \" backslash \\ slash /");
	SAME("\n\t\r\b\f\x01\x1f\x7f");
	SAME("zero \0 byte");
	SAME("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\xa7 \xef\xbf\xbf");
	SAME("\xed\x9f\xbf\xee\x80\x80"); /* around the surrogates */
	SAME("\xf4\x8f\xbf\xbf");         /* the last there is */
}

static void test_odd_bytes(void **state)
{
	(void)state;
	WRITTEN("\xb5s", R "s");
	WRITTEN("a\xff\xfe"
		"b",
		"a" R R "b");
	WRITTEN("\xc0\x80", R R); /* overlong */
	WRITTEN("\xc1\xbf", R R);
	WRITTEN("\xe0\x80\x80", R R R);
	WRITTEN("\xf0\x80\x80\x80", R R R R);
	WRITTEN("\xed\xa0\x80", R R R);       /* a surrogate */
	WRITTEN("\xf4\x90\x80\x80", R R R R); /* beyond U+10FFFF */
	WRITTEN("\xf8\x88\x80\x80\x80", R R R R R);
	WRITTEN("\xe2\x82", R R); /* cut */
	WRITTEN("\xe2\x82x", R R "x");
	WRITTEN("\x80", R);
}

static void test_any_bytes(void **state)
{
	(void)state;
	uint32_t seed = 4711;
	for (int i = 0; i < 2000; i++) {
		char bytes[40];
		size_t n = (seed = seed * 1664525 + 1013904223) >> 24;
		n %= sizeof(bytes);
		for (size_t k = 0; k < n; k++)
			bytes[k] = (char)((seed = seed * 1664525 + 1013904223) >> 24);
		struct doc d;
		doc_open(&d, i & 1);
		json_put_open(&d.j, '[');
		json_put_str(&d.j, (struct str){ bytes, n });
		json_put_close(&d.j, ']');
		json_decref(doc_read(&d));
		free(d.text);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shapes),    cmocka_unit_test(test_integers),
		cmocka_unit_test(test_strings),   cmocka_unit_test(test_odd_bytes),
		cmocka_unit_test(test_any_bytes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
