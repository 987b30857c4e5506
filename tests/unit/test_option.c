/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cmd/option.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))
#define MAX_ARGS 16

struct sample {
	bool quiet, verbose;
	int64_t top, turns, budget, window;
	int format;
	const char *label;
	struct option_overhead overhead;
	int cpu;
	struct option_list files, pairs;
};

enum { FORMAT_TEXT, FORMAT_JSON, FORMAT_HTML };
static const char *const formats[] = { "text", "json", "html", NULL };

#define FIELD(name) offsetof(struct sample, name)
static const struct option table[] = {
	{ "quiet", 'q', OPTION_FLAG, FIELD(quiet), .help = "say less" },
	{ "verbose", 'v', OPTION_FLAG, FIELD(verbose), .help = "say more" },
	{ "top", 't', OPTION_COUNT, FIELD(top), .min = 1, .max = 1000, .arg = "N",
	  .help = "show the N dearest (1 to 1000, default 10)" },
	{ "turns", 0, OPTION_COUNT, FIELD(turns), .help = "so many turns", .group = "Questions" },
	{ "budget", 'b', OPTION_TIME, FIELD(budget), .min = 1000, .help = "the time there is",
	  .group = "Questions" },
	{ "window", 0, OPTION_TIME, FIELD(window), .min = 1000, .max = 10000000000,
	  .group = "Questions" },
	{ "format", 'f', OPTION_ENUM, FIELD(format), .choices = formats, .help = "how to print",
	  .group = "Output" },
	{ "label", 'l', OPTION_STRING, FIELD(label), .arg = "NAME",
	  .help = "a name that is printed above what this command finds, so that one can tell two "
		  "reports apart once they lie side by side",
	  .group = "Output" },
	{ "overhead", 'o', OPTION_OVERHEAD, FIELD(overhead), .help = "what tracing cost",
	  .group = "Input" },
	{ "cpu", 'c', OPTION_CPU, FIELD(cpu), .max = 8191, .help = "only this one",
	  .group = "Input" },
	{ 0 },
};

static const struct option list_table[] = {
	{ "files", 'F', OPTION_LIST, FIELD(files), .arg = "FILE..." },
	{ "pair", 'P', OPTION_LIST, FIELD(pairs), .max = 1, .arg = "OLD=NEW" },
	{ "quiet", 'q', OPTION_FLAG, FIELD(quiet), .help = "say less" },
	{ 0 },
};

/* A command line as one string; blanks separate, '_' stands for an empty argument. */
struct line {
	char text[256];
	char *argv[MAX_ARGS + 1];
	int argc;
	char **operands;
	int n_operands;
	struct sample o;
	struct err err;
};

static int parse_table(struct line *l, const struct option *t, const char *text)
{
	*l = (struct line){ .o = { .top = 10, .label = "none" } };
	snprintf(l->text, sizeof(l->text), "cmd %s", text);
	for (char *p = strtok(l->text, " "); p && l->argc < MAX_ARGS; p = strtok(NULL, " ")) {
		if (strcmp(p, "_") == 0)
			*p = '\0';
		l->argv[l->argc++] = p;
	}
	return option_parse(t, &l->o, l->argc, l->argv, &l->operands, &l->n_operands, &l->err);
}

static int parse(struct line *l, const char *text)
{
	return parse_table(l, table, text);
}

static void parse_well(struct line *l, const char *text)
{
	if (parse(l, text))
		fail_msg("'%s': %s", text, l->err.msg);
}

static void test_defaults_stay(void **state)
{
	(void)state;
	struct line l;
	parse_well(&l, "");
	assert_false(l.o.quiet);
	assert_int_equal(l.o.top, 10);
	assert_string_equal(l.o.label, "none");
	assert_false(l.o.overhead.given);
	assert_int_equal(l.o.cpu, -1);
	assert_int_equal(l.n_operands, 0);
}

static void test_spellings(void **state)
{
	(void)state;
	static const char *const lines[] = {
		"--top 5", "--top=5", "-t 5", "-t5", "-qt5", "-qt 5", "--top 7 --top 5", "a -t5 b",
	};
	for (size_t i = 0; i < N_OF(lines); i++) {
		struct line l;
		parse_well(&l, lines[i]);
		if (l.o.top != 5)
			fail_msg("'%s' gave %lld", lines[i], (long long)l.o.top);
	}
}

static void test_types(void **state)
{
	(void)state;
	struct line l;
	parse_well(&l, "-qv --turns 1.2e6 -b100us --window=1.5ms -fjson -l_ --cpu 3");
	assert_true(l.o.quiet && l.o.verbose);
	assert_int_equal(l.o.turns, 1200000);
	assert_int_equal(l.o.budget, 100000);
	assert_int_equal(l.o.window, 1500000);
	assert_int_equal(l.o.format, FORMAT_JSON);
	assert_string_equal(l.o.label, "_");
	assert_int_equal(l.o.cpu, 3);

	parse_well(&l, "--label=");
	assert_string_equal(l.o.label, "");
	parse_well(&l, "--label _ --format html");
	assert_string_equal(l.o.label, "");
	assert_int_equal(l.o.format, FORMAT_HTML);
	parse_well(&l, "--label=a=b");
	assert_string_equal(l.o.label, "a=b");
	parse_well(&l, "--label --top");
	assert_string_equal(l.o.label, "--top");
	parse_well(&l, "-t 1000 --cpu 0");
	assert_int_equal(l.o.top, 1000);
	assert_int_equal(l.o.cpu, 0);
}

static void test_overhead(void **state)
{
	(void)state;
	struct line l;
	parse_well(&l, "--overhead 20-30%");
	assert_true(l.o.overhead.given && l.o.overhead.percent);
	assert_int_equal(l.o.overhead.low, 20000);
	assert_int_equal(l.o.overhead.high, 30000);

	parse_well(&l, "--overhead 20% --overhead=150ns");
	assert_true(l.o.overhead.given && !l.o.overhead.percent);
	assert_int_equal(l.o.overhead.low, 150);
	assert_int_equal(l.o.overhead.high, 150);
}

static void test_operands(void **state)
{
	(void)state;
	struct line l;
	parse_well(&l, "one -q - two --top 3 -- -v --top three --");
	const char *const want[] = { "one", "-", "two", "-v", "--top", "three", "--" };
	assert_int_equal(l.n_operands, N_OF(want));
	for (size_t i = 0; i < N_OF(want); i++)
		assert_string_equal(l.operands[i], want[i]);
	assert_true(l.o.quiet);
	assert_false(l.o.verbose);
	assert_int_equal(l.o.top, 3);

	parse_well(&l, "_ a");
	assert_int_equal(l.n_operands, 2);
	assert_string_equal(l.operands[0], "");
}

static void test_help_is_asked_for(void **state)
{
	(void)state;
	struct line l;
	static const char *const yes[] = { "--help", "-h", "-qh", "a --top 3 --help --nonsense" };
	for (size_t i = 0; i < N_OF(yes); i++)
		assert_int_equal(parse(&l, yes[i]), OPTION_HELP);
	assert_int_equal(parse(&l, "-- --help"), 0);
	assert_int_equal(parse(&l, "--label --help"), 0);
	assert_int_equal(parse(&l, "--nonsense --help"), -EINVAL);
}

static const struct {
	const char *line, *sentence;
} refusals[] = {
	{ "--bugdet 1us", "unknown option '--bugdet': did you mean '--budget'?" },
	{ "--budge 1us", "unknown option '--budge': did you mean '--budget'?" },
	{ "--bud=1us", "unknown option '--bud': did you mean '--budget'?" },
	{ "--budgets", "unknown option '--budgets': did you mean '--budget'?" },
	{ "--tpo", "unknown option '--tpo': did you mean '--top'?" },
	{ "--hlep", "unknown option '--hlep': did you mean '--help'?" },
	{ "--frobnicate", "unknown option '--frobnicate': --help lists them" },
	{ "--=x", "unknown option '--': --help lists them" },
	{ "-x", "unknown option '-x': --help lists them" },
	{ "-qx", "unknown option '-x' in '-qx': --help lists them" },
	{ "-window", "unknown option '-window': did you mean '--window'?" },
	{ "-\xc3\xa9", "unknown option '-\xc3\xa9': --help lists them" },

	{ "--top x", "option '--top' wants a number from 1 to 1000, not 'x'" },
	{ "--top=0", "option '--top' wants a number from 1 to 1000, not '0'" },
	{ "-t1001", "option '-t' wants a number from 1 to 1000, not '1001'" },
	{ "-t -5", "option '-t' wants a number from 1 to 1000, not '-5'" },
	{ "--top 1.5", "option '--top' wants a number from 1 to 1000, not '1.5'" },
	{ "--top=", "option '--top' wants a number from 1 to 1000, not ''" },
	{ "--top", "option '--top' has no value: it wants a number from 1 to 1000" },
	{ "-qt", "option '-t' has no value: it wants a number from 1 to 1000" },
	{ "--turns many", "option '--turns' wants a number, not 'many'" },

	{ "--budget 100",
	  "option '--budget' wants a time such as 100us or 1.5ms: '100' has no unit" },
	{ "-bx", "option '-b' wants a time such as 100us or 1.5ms: 'x' is not a number" },
	{ "--budget 5parsecs",
	  "option '--budget' wants a time such as 100us or 1.5ms: '5parsecs' has an unknown unit" },
	{ "--budget -1us",
	  "option '--budget' wants a time such as 100us or 1.5ms: '-1us' is negative" },
	{ "--budget 1ns", "option '--budget' wants a time of at least 1 us, not '1ns'" },
	{ "--window 1h", "option '--window' wants a time from 1 us to 10 s, not '1h'" },
	{ "--budget", "option '--budget' has no value: it wants a time such as 100us or 1.5ms" },

	{ "--format jsn",
	  "option '--format' wants text, json or html, not 'jsn': did you mean 'json'?" },
	{ "--format yaml", "option '--format' wants text, json or html, not 'yaml'" },
	{ "-f", "option '-f' has no value: it wants text, json or html" },
	{ "--label", "option '--label' has no value: it wants NAME" },
	{ "--quiet=yes", "option '--quiet' takes no value: drop '=yes'" },
	{ "--help=top", "option '--help' takes no value: drop '=top'" },

	{ "--overhead 20",
	  "option '--overhead' wants a share such as 20-30% or a time per entry such as 150ns: "
	  "'20' has no unit" },
	{ "--overhead 30-20%",
	  "option '--overhead' wants a share such as 20-30% or a time per entry such as 150ns: "
	  "'30-20%' is upside down" },
	{ "--overhead 20-30",
	  "option '--overhead' wants a share such as 20-30% or a time per entry such as 150ns: "
	  "'20-30' does not end in '%'" },
	{ "--cpu x", "option '--cpu' wants the number of a CPU from 0 to 8191, not 'x'" },
	{ "--cpu -1", "option '--cpu' wants the number of a CPU from 0 to 8191, not '-1'" },
	{ "-c8192", "option '-c' wants the number of a CPU from 0 to 8191, not '8192'" },
};

/* The values of a list, with blanks between. */
static const char *joined(const struct option_list *list)
{
	static char text[256];
	text[0] = '\0';
	for (size_t i = 0; i < list->n; i++) {
		strncat(text, i ? " " : "", sizeof(text) - strlen(text) - 1);
		strncat(text, list->at[i], sizeof(text) - strlen(text) - 1);
	}
	return text;
}

static const struct {
	const char *line, *files, *pairs;
	int operands;
} lists[] = {
	{ "a b", "", "", 2 },
	{ "--files a b -q c", "a b", "", 1 },
	{ "x --files a b --pair c d e", "a b", "c", 3 },
	{ "--files=a b", "a b", "", 0 },
	{ "-Fa b -- c", "a b", "", 1 },
	{ "--files - a", "- a", "", 0 },
	{ "--files a --files b c", "a b c", "", 0 },
	{ "--pair a --pair=b -Pc d", "", "a b c", 1 },
	{ "o p --files a b -q r s", "a b", "", 4 },
};

static void test_lists(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_OF(lists); i++) {
		struct line l;
		int ret = parse_table(&l, list_table, lists[i].line);
		if (ret || l.n_operands != lists[i].operands)
			fail_msg("'%s': %d, %d operands", lists[i].line, ret, l.n_operands);
		assert_string_equal(joined(&l.o.files), lists[i].files);
		assert_string_equal(joined(&l.o.pairs), lists[i].pairs);
		option_list_fini(&l.o.files);
		option_list_fini(&l.o.pairs);
	}
	static const char *const empty[] = { "--files", "--files --pair a", "-F -q a",
					     "--files --" };
	for (size_t i = 0; i < N_OF(empty); i++) {
		struct line l;
		assert_int_equal(parse_table(&l, list_table, empty[i]), -EINVAL);
		assert_non_null(strstr(l.err.msg, "has no value: it wants FILE..."));
		option_list_fini(&l.o.files);
		option_list_fini(&l.o.pairs);
	}
}

static void test_refusals(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_OF(refusals); i++) {
		struct line l;
		int ret = parse(&l, refusals[i].line);
		if (ret != -EINVAL)
			fail_msg("'%s' gave %d", refusals[i].line, ret);
		if (strcmp(l.err.msg, refusals[i].sentence) != 0)
			fail_msg("'%s':\nwant %s\ngot  %s", refusals[i].line, refusals[i].sentence,
				 l.err.msg);
	}
}

/* What a refused option was to set stays as it was. */
static void test_refused_values_are_not_stored(void **state)
{
	(void)state;
	struct line l;
	assert_int_equal(parse(&l, "--top 2000"), -EINVAL);
	assert_int_equal(l.o.top, 10);
	assert_int_equal(parse(&l, "--overhead 30-20%"), -EINVAL);
	assert_false(l.o.overhead.given);
}

/* The options of a program that is run are its own, "--" among them. */
static void test_until(void **state)
{
	(void)state;
	const char *words[] = { "cmd", "-t", "3", "locks", "ls", "-t", "--top", "--", "x" };
	char *argv[sizeof(words) / sizeof(words[0])];
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		argv[i] = (char *)(uintptr_t)words[i];
	char **operands;
	int n;
	struct sample o = { 0 };
	struct err err;
	assert_int_equal(option_parse_until(table, &o, 9, argv, &operands, &n, 2, &err), 0);
	assert_int_equal(o.top, 3);
	assert_int_equal(n, 6);
	for (int i = 0; i < n; i++)
		assert_string_equal(operands[i], words[3 + i]);
}

static void test_long_arguments(void **state)
{
	(void)state;
	static char word[4000] = "--";
	memset(word + 2, 'x', sizeof(word) - 3);
	char *argv[] = { (char[]){ "cmd" }, word, NULL };
	char **operands;
	int n;
	struct sample o;
	struct err err;
	assert_int_equal(option_parse(table, &o, 2, argv, &operands, &n, &err), -EINVAL);
	memcpy(word, "-t", 2);
	assert_int_equal(option_parse(table, &o, 2, argv, &operands, &n, &err), -EINVAL);
}

static void test_empty_table(void **state)
{
	(void)state;
	static const struct option none[] = { { 0 } };
	struct line l;
	assert_int_equal(parse_table(&l, none, "a b"), 0);
	assert_int_equal(l.n_operands, 2);
	assert_int_equal(parse_table(&l, none, "-q"), -EINVAL);
	assert_int_equal(parse_table(&l, none, "-h"), OPTION_HELP);

	struct strbuf out = { 0 };
	option_help(none, &out);
	assert_string_equal(out.p, "Options:\n  -h, --help  print this help\n");
	strbuf_fini(&out);
}

static void test_help(void **state)
{
	(void)state;
	struct strbuf out = { 0 };
	option_help(table, &out);
	assert_string_equal(
		out.p,
		"Options:\n"
		"  -q, --quiet                  say less\n"
		"  -v, --verbose                say more\n"
		"  -t, --top N                  show the N dearest (1 to 1000, default 10)\n"
		"\n"
		"Questions:\n"
		"      --turns N                so many turns\n"
		"  -b, --budget TIME            the time there is\n"
		"      --window TIME\n"
		"\n"
		"Output:\n"
		"  -f, --format text|json|html  how to print\n"
		"  -l, --label NAME             a name that is printed above what this command "
		"finds, so that one can\n"
		"                               tell two reports apart once they lie side by side\n"
		"\n"
		"Input:\n"
		"  -o, --overhead SHARE|TIME    what tracing cost\n"
		"  -c, --cpu CPU                only this one\n"
		"\n"
		"  -h, --help                   print this help\n");
	strbuf_fini(&out);
}

static void test_wide_options_get_their_own_line(void **state)
{
	(void)state;
	static const struct option wide[] = {
		{ "top", 'h', OPTION_COUNT, 0, .help = "short" },
		{ "per-work", 'p', OPTION_STRING, 0, .arg = "LABEL=COUNT,LABEL=COUNT",
		  .help = "long" },
		{ 0 },
	};
	struct strbuf out = { 0 };
	option_help(wide, &out);
	assert_string_equal(out.p, "Options:\n"
				   "  -h, --top N  short\n"
				   "  -p, --per-work LABEL=COUNT,LABEL=COUNT\n"
				   "               long\n"
				   "      --help   print this help\n");
	strbuf_fini(&out);
}

static void test_wrap(void **state)
{
	(void)state;
	struct strbuf out = { 0 };
	for (int i = 0; i < 30; i++)
		strbuf_str(&out, "a23456789 ");
	struct strbuf wrapped = { 0 };
	option_wrap(&wrapped, out.p, 5, 10);
	size_t column = 5;
	for (const char *p = wrapped.p; *p; p++) {
		column = *p == '\n' ? 0 : column + 1;
		assert_true(column <= OPTION_COLUMNS);
	}
	strbuf_fini(&out);
	strbuf_fini(&wrapped);
}

static const struct {
	const char *word, *best;
} guesses[] = {
	{ "explian", "explain" }, /* a swap is one error */
	{ "exlain", "explain" },
	{ "explainn", "explain" },
	{ "ex", "explain" },
	{ "xplan", "explain" },
	{ "cnovert", "convert" },
	{ "halp", "help" },
	{ "Help", "help" },
	{ "x", NULL },
	{ "", NULL },
	{ "trace.txt", NULL },
	{ "complain", NULL },
	{ "elp", "help" },
};

static void test_guess(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_OF(guesses); i++) {
		struct option_guess g = { .word = guesses[i].word };
		option_guess_try(&g, "explain");
		option_guess_try(&g, "convert");
		option_guess_try(&g, "help");
		const char *want = guesses[i].best ? guesses[i].best : "(none)";
		const char *got = g.best ? g.best : "(none)";
		if (strcmp(want, got) != 0)
			fail_msg("'%s': want %s, got %s", guesses[i].word, want, got);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults_stay),
		cmocka_unit_test(test_spellings),
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_overhead),
		cmocka_unit_test(test_operands),
		cmocka_unit_test(test_help_is_asked_for),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_refused_values_are_not_stored),
		cmocka_unit_test(test_long_arguments),
		cmocka_unit_test(test_until),
		cmocka_unit_test(test_empty_table),
		cmocka_unit_test(test_help),
		cmocka_unit_test(test_wide_options_get_their_own_line),
		cmocka_unit_test(test_wrap),
		cmocka_unit_test(test_guess),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
