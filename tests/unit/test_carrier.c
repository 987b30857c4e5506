/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "read/carrier.h"
#include "trace.h"

static struct carrier open_bytes(const char *bytes, size_t n)
{
	struct carrier c;
	struct err err = { 0 };
	const char *path = trace_file(bytes, n);
	assert_int_equal(carrier_open(&c, path, &err), 0);
	unlink(path);
	return c;
}

static void expect_line(struct carrier *c, const char *text, unsigned quote)
{
	struct line l;
	struct err err = { 0 };
	uint32_t before = c->number - c->have_back - (uint32_t)(c->queue.n - c->queue_at);
	assert_int_equal(carrier_next(c, &l, &err), 1);
	assert_text(l.text, text);
	assert_int_equal(l.quote, quote);
	assert_int_equal(l.number, before + 1);
	assert_false(l.cut);
}

static void expect_end(struct carrier *c)
{
	struct line l;
	struct err err = { 0 };
	assert_int_equal(carrier_next(c, &l, &err), 0);
	assert_int_equal(carrier_next(c, &l, &err), 0);
	carrier_close(c);
}

static void test_plain(void **state)
{
	(void)state;
	struct carrier c = open_bytes("one\n\n two \nlast", 15);
	expect_line(&c, "one", 0);
	expect_line(&c, "", 0);
	expect_line(&c, " two ", 0);
	expect_line(&c, "last", 0);
	expect_end(&c);

	c = open_bytes("", 0);
	expect_end(&c);
	c = open_bytes("\n", 1);
	expect_line(&c, "", 0);
	expect_end(&c);
}

static void test_line_ends(void **state)
{
	(void)state;
	struct carrier c = open_bytes("one\r\n\r\ntwo\rthree\r", 17);
	expect_line(&c, "one", 0);
	expect_line(&c, "", 0);
	expect_line(&c, "two\rthree", 0);
	expect_end(&c);
	c = open_bytes("\xef\xbb\xbfone\r\r\n\xef\xbb\xbftwo\n", 16); /* the mark counts once */
	expect_line(&c, "one", 0);
	expect_line(&c, "\xef\xbb\xbftwo", 0);
	expect_end(&c);
}

static void test_quotes(void **state)
{
	(void)state;
	static const char text[] = "> one\n"
				   ">one\n"
				   ">> two\n"
				   "> > two\n"
				   " > one\n"
				   ">\n"
				   "> >\n"
				   ">  > two\n" /* two blanks: not a mark any more */
				   "> => frame\n"
				   ">  => frame\n"
				   " => frame\n"
				   "> \t<idle>-0\n";
	struct carrier c = open_bytes(text, sizeof(text) - 1);
	expect_line(&c, "one", 1);
	expect_line(&c, "one", 1);
	expect_line(&c, "two", 2);
	expect_line(&c, "two", 2);
	expect_line(&c, "one", 1);
	expect_line(&c, "", 1);
	expect_line(&c, "", 2);
	expect_line(&c, " > two", 1);
	expect_line(&c, "=> frame", 1);
	expect_line(&c, " => frame", 1);
	expect_line(&c, " => frame", 0);
	expect_line(&c, "\t<idle>-0", 1);
	expect_end(&c);
}

static void test_zero_bytes(void **state)
{
	(void)state;
	struct carrier c = open_bytes("a\0b\n\0\n\0", 7);
	struct line l;
	struct err err = { 0 };
	assert_int_equal(carrier_next(&c, &l, &err), 1);
	assert_int_equal(l.text.n, 3);
	assert_memory_equal(l.text.p, "a\0b", 3);
	assert_int_equal(carrier_next(&c, &l, &err), 1);
	assert_int_equal(l.text.n, 1);
	assert_int_equal(carrier_next(&c, &l, &err), 1);
	assert_int_equal(l.text.n, 1);
	assert_int_equal(l.number, 3);
	expect_end(&c);
}

static void test_give_back(void **state)
{
	(void)state;
	struct carrier c = open_bytes("> one\ntwo\n", 10);
	struct line l;
	struct err err = { 0 };
	assert_int_equal(carrier_next(&c, &l, &err), 1);
	for (int i = 0; i < 3; i++) {
		carrier_back(&c, &l);
		l = (struct line){ 0 };
		assert_int_equal(carrier_next(&c, &l, &err), 1);
		assert_text(l.text, "one");
		assert_int_equal(l.quote, 1);
		assert_int_equal(l.number, 1);
	}
	expect_line(&c, "two", 0);
	expect_end(&c);
}

static void test_give_back_all(void **state)
{
	(void)state;
	struct carrier c = open_bytes("a\n> b\nc\nd\n", 10);
	struct line l[3];
	struct err err = { 0 };
	char texts[3];
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 3; i++) {
			assert_int_equal(carrier_next(&c, &l[i], &err), 1);
			texts[i] = l[i].text.p[0];
			l[i].text.p = &texts[i];
		}
		assert_int_equal(carrier_ahead(&c).n, 2);
		/* With one of them, or none, still to be read again. */
		carrier_back_all(&c, l, 2, &l[2]);
		memset(texts, '-', sizeof(texts));
		assert_int_equal(carrier_ahead(&c).n, 0);
		assert_int_equal(carrier_next(&c, &l[0], &err), 1);
		carrier_back_all(&c, l, 1, NULL);
	}
	expect_line(&c, "a", 0);
	expect_line(&c, "b", 1);
	expect_line(&c, "c", 0);
	expect_line(&c, "d", 0);
	expect_end(&c);
}

/* A line of n bytes between two short ones, for n around the limits of buffer and line. */
static void long_line(size_t n, bool final_newline)
{
	char *bytes = malloc(n + 16);
	memcpy(bytes, "one\n", 4);
	for (size_t i = 0; i < n; i++)
		bytes[4 + i] = (char)('a' + i % 26);
	strcpy(bytes + 4 + n, final_newline ? "\nend\n" : "");
	struct carrier c = open_bytes(bytes, 4 + n + (final_newline ? 5 : 0));
	expect_line(&c, "one", 0);

	struct line l;
	struct err err = { 0 };
	size_t want = n > CARRIER_LINE_MAX ? CARRIER_LINE_MAX : n;
	assert_int_equal(carrier_next(&c, &l, &err), 1);
	assert_int_equal(l.number, 2);
	assert_int_equal(l.text.n, want);
	assert_int_equal(l.cut, n > CARRIER_LINE_MAX);
	assert_memory_equal(l.text.p, bytes + 4, want);
	if (final_newline)
		expect_line(&c, "end", 0);
	expect_end(&c);
	free(bytes);
}

static void test_long_lines(void **state)
{
	(void)state;
	static const size_t limits[] = { 1 << 18, 1 << 19, CARRIER_LINE_MAX, 2 * CARRIER_LINE_MAX,
					 3 * CARRIER_LINE_MAX };
	for (size_t i = 0; i < N_OF(limits); i++) {
		for (int d = -6; d <= 2; d++) {
			long_line(limits[i] + (size_t)d, true);
			long_line(limits[i] + (size_t)d, false);
		}
	}
}

/* Many lines, so that they lie across the ends of blocks in every way. */
static void test_many_lines(void **state)
{
	(void)state;
	struct strbuf text = { 0 };
	for (unsigned i = 0; i < 60000; i++)
		strbuf_printf(&text, "x%*u\n", (int)(i % 37), i);
	struct carrier c = open_bytes(text.p, text.n);
	for (unsigned i = 0; i < 60000; i++) {
		char want[64];
		snprintf(want, sizeof(want), "x%*u", (int)(i % 37), i);
		expect_line(&c, want, 0);
	}
	expect_end(&c);
	strbuf_fini(&text);
}

/* What comes out of a pipe comes in pieces. */
static void test_pipe(void **state)
{
	(void)state;
	int ends[2], old = dup(STDIN_FILENO);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
	close(ends[0]);
	struct carrier c;
	struct err err = { 0 };
	assert_int_equal(carrier_open(&c, "-", &err), 0);
	assert_int_equal(write(ends[1], "one\ntw", 6), 6);
	expect_line(&c, "one", 0);
	assert_int_equal(write(ends[1], "o\nthr", 5), 5);
	expect_line(&c, "two", 0);
	assert_int_equal(write(ends[1], "ee", 2), 2);
	close(ends[1]);
	expect_line(&c, "three", 0);
	expect_end(&c);
	assert_int_equal(dup2(old, STDIN_FILENO), STDIN_FILENO);
	close(old);
}

static void test_errors(void **state)
{
	(void)state;
	struct carrier c;
	struct err err = { 0 };
	assert_int_equal(carrier_open(&c, "/nonexistent/file", &err), -ENOENT);
	assert_non_null(strstr(err.msg, "/nonexistent/file"));
	assert_int_equal(carrier_open(&c, "/tmp", &err), -EISDIR);
	assert_non_null(strstr(err.msg, "directory"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),      cmocka_unit_test(test_line_ends),
		cmocka_unit_test(test_quotes),     cmocka_unit_test(test_zero_bytes),
		cmocka_unit_test(test_give_back),  cmocka_unit_test(test_give_back_all),
		cmocka_unit_test(test_long_lines), cmocka_unit_test(test_many_lines),
		cmocka_unit_test(test_pipe),       cmocka_unit_test(test_errors),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
