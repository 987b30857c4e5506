/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <jansson.h>

#include "core/report.h"
#include "render/report_json.h"
#include "render/text.h"

static void test_building(void **state)
{
	(void)state;
	struct report r = { 0 };
	struct section *s = report_section(&r, "one", "ONE", NULL);
	report_section(&r, "two", "TWO", "a note");
	struct finding *f = report_finding(&r, s, "f", "text");
	finding_fact(f, "n", value_count(7));
	finding_fact(f, "t", value_time(-5));
	assert_ptr_equal(report_get(&r, "one"), s);
	assert_null(report_get(&r, "three"));
	assert_ptr_equal(section_get(s, "f"), f);
	assert_null(section_get(s, "g"));
	assert_null(section_get(NULL, "f"));
	assert_int_equal(finding_get(f, "n").number, 7);
	assert_int_equal(finding_get(f, "t").type, VALUE_TIME);
	assert_int_equal(finding_get(f, "x").type, VALUE_NONE);
	assert_int_equal(finding_get(NULL, "x").type, VALUE_NONE);
	report_fini(&r);
}

static void test_unknown_is_not_zero(void **state)
{
	(void)state;
	assert_int_equal(value_text(NULL).type, VALUE_NONE);
	assert_int_equal(value_lines(0, 0).type, VALUE_NONE);

	struct report r = { 0 };
	struct section *s = report_section(&r, "one", "ONE", NULL);
	struct table *t = report_table(&r, s, "t");
	t->columns[0] = (struct column){ "name", "", VALUE_TEXT };
	t->columns[1] = (struct column){ "t_ns", "took", VALUE_TIME };
	t->columns[2] = (struct column){ "lines", "lines", VALUE_LINES };
	struct row *row = table_row(t);
	row->cell[0] = value_text("x");
	struct strbuf text = { 0 };
	render_text(&r, false, &text);
	assert_non_null(strstr(text.p, "-"));
	assert_null(strchr(text.p, '0'));
	strbuf_fini(&text);
	report_fini(&r);
}

static void fill(struct report *r)
{
	r->label = "a \"file\"";
	r->first_line = 3;
	r->last_line = 9;
	struct section *s = report_section(r, "one", "ONE", "note");
	struct finding *f = report_finding(r, s, "f", "a sentence");
	f->first_line = 4;
	f->last_line = 4;
	finding_fact(f, "count", value_count(7));
	finding_fact(f, "time_ns", value_time(1500));
	finding_fact(f, "text", value_text("odd \xff byte"));
	finding_fact(f, "none", value_none());
	finding_fact(f, "yes", value_yes(true));
	finding_fact(f, "share", value_share(1, 3));
	finding_fact(f, "lines", value_lines(4, 8));
	finding_fact(f, "interval_ns", value_interval(5, 1, 9));
	struct table *t = report_table(r, s, "t");
	t->columns[0] = (struct column){ "name", "", VALUE_TEXT };
	t->columns[1] = (struct column){ "n", "calls", VALUE_COUNT };
	t->top = 2;
	t->more = "--top N shows more";
	for (int i = 0; i < 5; i++) {
		struct row *row = table_row(t);
		row->cell[0] = value_text("x");
		row->cell[1] = value_count(1000 * i);
	}
}

static char *json_of(const struct report *r, bool compact, size_t *n)
{
	struct json j;
	char *text;
	FILE *out = open_memstream(&text, n);
	json_put_init(&j, out, compact);
	render_report_json(&j, r);
	json_put_end(&j);
	fclose(out);
	return text;
}

static void test_json(void **state)
{
	(void)state;
	struct report r = { 0 };
	size_t n;
	fill(&r);
	char *text = json_of(&r, false, &n);
	json_error_t e;
	json_t *v = json_loadb(text, n, JSON_REJECT_DUPLICATES, &e);
	assert_non_null(v);
	json_t *s = json_array_get(json_object_get(v, "sections"), 0);
	json_t *f = json_array_get(json_object_get(s, "findings"), 0);
	json_t *facts = json_object_get(f, "facts");
	assert_int_equal(json_object_size(facts), 8);
	assert_int_equal(json_integer_value(json_object_get(facts, "time_ns")), 1500);
	assert_true(json_is_null(json_object_get(facts, "none")));
	assert_true(json_is_true(json_object_get(facts, "yes")));
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(facts, "interval_ns"), "high")),
		9);
	json_t *rows = json_object_get(json_array_get(json_object_get(s, "tables"), 0), "rows");
	assert_int_equal(json_array_size(rows), 5); /* all of them, whatever text shows */
	json_decref(v);
	free(text);
	report_fini(&r);
}

/* A table with figures that are not exact, and one that is not known. */
static void fill_marks(struct report *r)
{
	struct section *s = report_section(r, "one", NULL, NULL);
	report_finding(r, s, "f", "nothing marked");
	s = report_section(r, "two", "TWO", NULL);
	struct table *t = report_table(r, s, "t");
	t->columns[0] = (struct column){ "n", "calls", VALUE_COUNT };
	t->columns[1] = (struct column){ "ratio", "per call", VALUE_FIGURE };
	t->columns[2] = (struct column){ "unit", NULL, VALUE_TEXT };
	t->none = "not known";
	t->top = 2;
	struct row *row = table_row(t);
	row->cell[0] = value_known(value_count(1000), VALUE_SAMPLED);
	row->cell[1] = value_known(value_figure(1.0 / 3, "~0.33"), VALUE_SAMPLED);
	row->cell[2] = value_text("hidden");
	row = table_row(t);
	row->cell[1] = value_known(value_figure(NAN, "-"), VALUE_ESTIMATED); /* still unknown */
	row = table_row(t); /* beyond what text shows */
	row->cell[0] = value_known(value_count(7), VALUE_ESTIMATED);
	s = report_section(r, "three", "THREE", NULL);
	struct finding *f = report_finding(r, s, "g", "about ~7");
	f->how = VALUE_ESTIMATED;
	finding_fact(f, "n", value_known(value_count(7), VALUE_ESTIMATED));
	finding_fact(f, "m", value_count(8));
	s = report_section(r, "four", "FOUR", NULL);
	f = report_finding(r, s, "h", "again ~8");
	f->how = VALUE_ESTIMATED;
}

/* The legend stands where a mark is first seen, and again where another sort comes; only there. */
static void test_marks_in_text(void **state)
{
	(void)state;
	struct report r = { 0 };
	struct strbuf text = { 0 };
	fill_marks(&r);
	render_text(&r, false, &text);
	assert_string_equal(text.p, "nothing marked\n"
				    "\n"
				    "TWO\n"
				    "   calls  per call\n"
				    "  ~1,000     ~0.33\n"
				    "       -         -\n"
				    "  - not known\n"
				    "  ~ sampled: from a part of the events, not exact\n"
				    "\n"
				    "THREE\n"
				    "  about ~7\n"
				    "  ~ sampled or estimated, not exact\n"
				    "\n"
				    "FOUR\n"
				    "  again ~8\n");
	strbuf_fini(&text);
	report_fini(&r);
}

static void test_marks_in_json(void **state)
{
	(void)state;
	struct report r = { 0 };
	size_t n;
	fill_marks(&r);
	char *text = json_of(&r, true, &n);
	assert_non_null(strstr(text, "[{\"n\":1000,\"ratio\":0.333333333333333,\"unit\":\"hidden\","
				     "\"known\":{\"n\":\"sampled\",\"ratio\":\"sampled\"}},"
				     "{\"n\":null,\"ratio\":null,\"unit\":null},"));
	assert_non_null(
		strstr(text, "\"facts\":{\"n\":7,\"m\":8},\"known\":{\"n\":\"estimated\"}}"));
	free(text);
	report_fini(&r);
}

static void test_text(void **state)
{
	(void)state;
	struct report r = { 0 };
	struct strbuf text = { 0 };
	fill(&r);
	render_text(&r, false, &text);
	assert_non_null(strstr(text.p, "ONE   note\n"));
	assert_non_null(strstr(text.p, "a sentence"));
	assert_non_null(strstr(text.p, "line 4\n"));
	assert_non_null(strstr(text.p, "1,000"));
	assert_null(strstr(text.p, "2,000"));
	assert_non_null(strstr(text.p, "and 3 more (--top N shows more)"));
	for (const char *l = text.p; *l;) {
		const char *nl = strchr(l, '\n');
		assert_non_null(nl);
		assert_true(nl - l <= 100);
		assert_true(nl == l || nl[-1] != ' ');
		l = nl + 1;
	}
	strbuf_fini(&text);
	report_fini(&r);
}

/* Words of any length, in lines of a hundred columns. */
static void test_wrapping(void **state)
{
	(void)state;
	for (size_t words = 1; words < 60; words++) {
		struct report r = { 0 };
		struct strbuf in = { 0 }, text = { 0 };
		for (size_t i = 0; i < words; i++)
			strbuf_printf(&in, "%s%.*s", i ? " " : "", (int)(1 + i * 7 % 12),
				      "abcdefghijklmnop");
		struct section *s = report_section(&r, "one", "ONE", NULL);
		struct finding *f = report_finding(&r, s, "f", in.p);
		f->first_line = 1;
		f->last_line = 1000;
		render_text(&r, false, &text);
		for (const char *l = text.p; *l; l = strchr(l, '\n') + 1)
			assert_true(strchr(l, '\n') - l <= 100);
		strbuf_fini(&in);
		strbuf_fini(&text);
		report_fini(&r);
	}
	/* one that fits no line */
	char word[3000];
	memset(word, 'x', sizeof(word));
	word[sizeof(word) - 1] = '\0';
	struct report r = { 0 };
	struct strbuf text = { 0 };
	report_finding(&r, report_section(&r, "one", "ONE", NULL), "f", word);
	render_text(&r, true, &text);
	assert_non_null(strstr(text.p, word));
	strbuf_fini(&text);
	report_fini(&r);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_building),      cmocka_unit_test(test_unknown_is_not_zero),
		cmocka_unit_test(test_json),          cmocka_unit_test(test_text),
		cmocka_unit_test(test_marks_in_text), cmocka_unit_test(test_marks_in_json),
		cmocka_unit_test(test_wrapping),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
