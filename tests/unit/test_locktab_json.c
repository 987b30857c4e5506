/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "locktab.h"
#include "render/locktab_csv.h"
#include "render/locktab_json.h"
#include "render/locktab_text.h"

/* What a renderer prints, as a string that the caller frees. */
static char *print(void (*render)(FILE *out, const struct capture *c), const struct capture *c)
{
	char *text;
	size_t n;
	FILE *out = open_memstream(&text, &n);
	assert_non_null(out);
	render(out, c);
	fclose(out);
	return text;
}

static void as_json(FILE *out, const struct capture *c)
{
	struct json j;
	json_put_init(&j, out, false);
	json_put_open(&j, '[');
	render_locktab_json(&j, c);
	json_put_close(&j, ']');
	json_put_end(&j);
}

static void as_compact_json(FILE *out, const struct capture *c)
{
	struct json j;
	json_put_init(&j, out, true);
	json_put_open(&j, '[');
	render_locktab_json(&j, c);
	render_locktab_json(&j, c);
	json_put_close(&j, ']');
	json_put_end(&j);
}

static void as_csv(FILE *out, const struct capture *c)
{
	render_locktab_csv(out, c, "a \"file\", so", 2);
}

/* -- A table with something in every field ----------------------------------------------------- */

static struct capture *odd_capture(const char *source)
{
	static struct capture c;
	capture_init(&c, NULL);
	c.kind = CAPTURE_LOCKS;
	c.label = "3.3.0 \"vanilla\"";
	c.first_line = 7;
	c.last_line = 4000000000u;
	c.locks = locktab_new(&c.arena, source);
	capture_damage(&c, 9, "the row is cut");
	return &c;
}

static struct capture *odd_lock_stat(void)
{
	struct capture *c = odd_capture("lock_stat");
	struct locktab *t = c->locks;
	t->version = "0.4";
	t->columns = 12;
	t->lockdep_disabled = true;
	t->averages_mended = 1;
	struct lock_row *r = locktab_row(t, 12);
	r->name = "&(&x->lock)->rlock \xc3\xa9\t\"";
	r->rw = 'R';
	lock_set(r, LOCK_CON_BOUNCES, INT64_MAX);
	lock_set(r, LOCK_WAIT_MIN, -320);
	lock_set(r, LOCK_WAIT_MAX, 1);
	lock_set(r, LOCK_WAIT_TOTAL, 357867523236300);
	lock_set(r, LOCK_HOLD_TOTAL, INT64_MAX);
	lock_set(r, LOCK_HOLD_MIN, 0);
	r->value[LOCK_HOLD_MAX] = (struct lock_value){ 1234, LOCK_SAMPLED };
	r->value[LOCK_ACQUISITIONS] = (struct lock_value){ 5, LOCK_ESTIMATED };
	for (int i = 0; i < 6; i++)
		lock_sites_add(&r->waiting, (struct lock_site){ "f", "+0x1/0x2 [m]", "ff", i });
	lock_sites_add(&r->holding, (struct lock_site){ NULL, NULL, "ffff", 3 });
	locktab_row(t, 13);
	return c;
}

static struct capture *odd_klockstat(void)
{
	struct capture *c = odd_capture("klockstat");
	struct locktab *t = c->locks;
	t->bad = 1;
	t->total = 3;
	t->bad_rate = 33333333;
	struct lock_row *r = locktab_row(t, 12);
	for (unsigned i = 0; i < LOCK_TEXTS; i++)
		lock_text_set(r, i, lock_text_key(i));
	r->pid = -1;
	r->max_pid = 7;
	lock_set(r, LOCK_ACQUISITIONS, 5421);
	lock_set(r, LOCK_WAIT_MAX, 1768320000000000);
	r->value[LOCK_WAIT_AVG] = (struct lock_value){ 1, LOCK_ESTIMATED };
	lock_sites_add(&r->stack, (struct lock_site){ "f", "+0x1", NULL, UNKNOWN });
	return c;
}

static void assert_reads_back(const struct capture *c, const char *json, size_t n)
{
	struct tables t;
	tables_read(&t, json);
	assert_int_equal(t.n, n);
	for (size_t i = 0; i < n; i++) {
		const struct capture *got = &t.at[i].capture;
		assert_same_tables(t.at[i].table, c->locks);
		assert_same_text(got->label, c->label);
		assert_int_equal(got->first_line, c->first_line);
		assert_int_equal(got->last_line, c->last_line);
		assert_int_equal(got->damaged, c->damaged);
		assert_int_equal(t.at[i].damage_line, 9);
		assert_int_equal(t.at[i].table->rows.at[0].line, 12);
	}
	tables_fini(&t);
}

static void test_lossless(void **state)
{
	(void)state;
	struct capture *(*const odd[])(void) = { odd_lock_stat, odd_klockstat };
	for (size_t i = 0; i < N_OF(odd); i++) {
		struct capture *c = odd[i]();
		cleanup_free char *json = print(as_json, c);
		cleanup_free char *compact = print(as_compact_json, c);
		assert_reads_back(c, json, 1);
		assert_reads_back(c, compact, 2);
		capture_fini(c);
	}
}

static void assert_holds(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in: %s", part, text);
}

/* Numbers as they are, absent ones as null. */
static void test_json_numbers(void **state)
{
	(void)state;
	struct capture *c = odd_lock_stat();
	cleanup_free char *json = print(as_json, c);
	assert_holds(json, "\"wait_total\": 357867523236.30,");
	assert_holds(json, "\"wait_min\": -0.32,");
	assert_holds(json, "\"wait_max\": 0.001,");
	assert_holds(json, "\"hold_total\": 9223372036854775.807,");
	assert_holds(json, "\"hold_min\": 0.00,");
	assert_holds(json, "\"contentions\": null,");
	assert_holds(json, "\"hold_max\": \"sampled\"");
	capture_fini(c);
}

struct number_case {
	const char *json;
	int64_t ns; /* of wait_total */
	enum lock_known known;
};

static const struct number_case number_cases[] = {
	{ "12", 12000, LOCK_EXACT },    { "0.3", 300, LOCK_EXACT },
	{ "\"0.3\"", 300, LOCK_EXACT }, { "-7.25", -7250, LOCK_EXACT },
	{ "null", 0, LOCK_ABSENT },     { "1e3", 0, LOCK_ABSENT },
	{ "true", 0, LOCK_ABSENT },     { "99999999999999999.5", 0, LOCK_ABSENT },
};

/* What other tools may make of our JSON. */
static void test_foreign_json(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_OF(number_cases); i++) {
		const struct number_case *c = &number_cases[i];
		char text[512];
		snprintf(text, sizeof(text),
			 "noise\n{\"classes\": [{\"wait_total\": %s, \"name\": \"a\"}], "
			 "\"kind\": \"lock_stat\",\n\"schema\": \"dwell.capture/1\"} more\n",
			 c->json);
		struct tables t;
		tables_read(&t, text);
		assert_int_equal(t.n, 1);
		assert_value(&t.at[0].table->rows.at[0], LOCK_WAIT_TOTAL, c->ns, c->known);
		bool damaged = c->known == LOCK_ABSENT && strcmp(c->json, "null") != 0;
		assert_int_equal(t.at[0].capture.damaged, damaged);
		tables_fini(&t);
	}
}

static void assert_refused(const char *text, const char *why)
{
	struct err err = { 0 };
	struct reader *r = trace_open(str_of(text));
	struct capture *c;
	struct source *s;
	assert_true(reader_next(r, &c, &s, &err) < 0);
	assert_string_equal(err.msg, why);
	reader_close(r);
}

static void test_refused(void **state)
{
	(void)state;
	assert_refused("[\n{\"schema\": \"dwell.capture/1\",\n \"classes\": [",
		       "line 2: the JSON that begins here is cut off");
	assert_refused("[\n{\"schema\": \"dwell.capture/1\",\n \"kind",
		       "line 3: this is no JSON, or it is cut off here");
	assert_refused("{\"schema\": \"dwell.capture/1\", \"kind\" 1}\n",
		       "line 1: the JSON that begins here is damaged: ':' expected near '1'");
	assert_refused("{\"schema\": \"dwell.capture/9\", \"kind\": \"lock_stat\"}\n",
		       "line 1: 'dwell.capture/9' is newer than this dwell: update it");

	/* neither ours nor an error */
	static const char *const texts[] = {
		"{\n\treturn 0;\n}\n", "{\"a\": 1}\n", "{ \"\n[\n",
		"{\"schema\": \"dwell.capture/1\", \"kind\": \"trace\"}\n"
	};
	for (size_t i = 0; i < N_OF(texts); i++) {
		struct tables t;
		tables_read(&t, texts[i]);
		assert_int_equal(t.n, 0);
		tables_fini(&t);
	}
}

/* -- Text -------------------------------------------------------------------------------------- */

static void test_text(void **state)
{
	(void)state;
	struct capture *c = odd_lock_stat();
	cleanup_free char *text = print(render_locktab_text, c);
	assert_holds(text, "# 2 sites are left out: this format has four a block\n");
	assert_holds(text, "# 1 value is sampled, not exact: ~ is behind it\n");
	assert_holds(text, "# 1 value is estimated, not exact: ~ is behind it\n");
	assert_holds(text, " 5~ ");
	assert_holds(text, " 1.23~ ");
	assert_holds(text, "\n*WARNING* lock debugging disabled!!");
	assert_holds(text, " 357867523236.3              - ");
	assert_holds(text, "          0.-32 ");

	struct tables t;
	tables_read(&t, text);
	assert_int_equal(t.n, 1);
	assert_same_text(t.at[0].capture.label, c->label);
	const struct lock_row *r = &t.at[0].table->rows.at[0];
	assert_int_equal(r->rw, 'R');
	assert_value(r, LOCK_CON_BOUNCES, INT64_MAX, LOCK_EXACT);
	assert_value(r, LOCK_CONTENTIONS, 0, LOCK_ABSENT);
	assert_value(r, LOCK_WAIT_MIN, -320, LOCK_EXACT);
	assert_value(r, LOCK_ACQUISITIONS, 5, LOCK_ESTIMATED);
	assert_value(r, LOCK_HOLD_MAX, 1230, LOCK_ESTIMATED);
	assert_int_equal(r->waiting.n, 4);
	tables_fini(&t);
	capture_fini(c);
}

static void test_csv(void **state)
{
	(void)state;
	struct capture *c = odd_lock_stat();
	cleanup_free char *text = print(as_csv, c);
	assert_string_equal(
		text,
		"\"a \"\"file\"\", so\",2,\"3.3.0 \"\"vanilla\"\"\",lock_stat,"
		"\"&(&x->lock)->rlock \xc3\xa9\t\"\"\",R,"
		"9223372036854775807,,-320,1,357867523236300,,,5,0,1234,9223372036854775807,,,,,,,,"
		",,,"
		"f 0; f 1; f 2; f 3; f 4; f 5,ffff 3,,acquisitions estimated; hold_max sampled\n"
		"\"a \"\"file\"\", so\",2,\"3.3.0 \"\"vanilla\"\"\",lock_stat,,,"
		",,,,,,,,,,,,,,,,,,,,,,,,\n");
	capture_fini(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lossless),     cmocka_unit_test(test_json_numbers),
		cmocka_unit_test(test_foreign_json), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_text),         cmocka_unit_test(test_csv),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
