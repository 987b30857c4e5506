/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/option.h"

#include <errno.h>
#include <stdio.h>

#include "base/units.h"
#include "base/vec.h"

static const char help_text[] = "print this help";

/*
 * Guessing what was meant
 */
#define WORD_MAX 63

static int min_of(int a, int b)
{
	return a < b ? a : b;
}

/*
 * Damerau-Levenshtein distance, the restricted kind: insertions, deletions, substitutions and
 * swaps of neighbours, no part edited twice. Three rows of the matrix are enough.
 */
static int edit_distance(const char *a, const char *b)
{
	int rows[3][WORD_MAX + 1];
	int len = (int)strlen(b);
	int *before = rows[0], *last = rows[1], *row = rows[2];

	for (int j = 0; j <= len; j++)
		before[j] = last[j] = j;
	for (int i = 1; a[i - 1]; i++) {
		row[0] = i;
		for (int j = 1; j <= len; j++) {
			int d = last[j - 1] + (a[i - 1] != b[j - 1]);
			d = min_of(d, min_of(last[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d = min_of(d, before[j - 2] + 1);
			row[j] = d;
		}
		int *spare = before;
		before = last;
		last = row;
		row = spare;
	}
	return last[len];
}

void option_guess_try(struct option_guess *g, const char *name)
{
	int n = (int)strnlen(g->word, WORD_MAX + 1), m = (int)strnlen(name, WORD_MAX + 1);
	if (!n || n > WORD_MAX || m > WORD_MAX)
		return;

	/* one error in three letters is a typo, more is another word; an abbreviation is near */
	int d = 0;
	if (strncmp(g->word, name, (size_t)n) != 0) {
		d = edit_distance(g->word, name);
		int limit = (n > m ? n : m) / 3;
		limit = limit < 1 ? 1 : min_of(limit, 3);
		if (d > limit || d >= n)
			return;
	}
	if (g->best && d >= g->distance)
		return;
	g->best = name;
	g->distance = d;
}

/*
 * Parsing
 */
struct parser {
	const struct option *table;
	void *opts;
	int argc, next; /* argv[next] is the first argument not yet looked at */
	char **argv;
	struct err *err;
};

static bool is_end(const struct option *o)
{
	return !o->name;
}

static void *field(const struct parser *p, const struct option *o)
{
	return (char *)p->opts + o->offset;
}

/* "--top" or "-t", as the user wrote it */
struct spelling {
	char s[WORD_MAX + 4];
};

static struct spelling spell(const struct option *o, bool by_letter)
{
	struct spelling sp = { { '-', o->letter } };
	if (!by_letter)
		snprintf(sp.s, sizeof(sp.s), "--%.*s", WORD_MAX, o->name);
	return sp;
}

/* A bound as one would type it */
static void add_bound(const struct option *o, int64_t v, struct strbuf *out)
{
	if (o->type == OPTION_TIME)
		strbuf_str(out, units_time(v).s);
	else
		strbuf_printf(out, "%lld", (long long)v);
}

static void describe_limits(const struct option *o, struct strbuf *out)
{
	if (o->max) {
		strbuf_str(out, " from ");
		add_bound(o, o->min, out);
		strbuf_str(out, " to ");
		add_bound(o, o->max, out);
	} else if (o->min) {
		strbuf_str(out, " of at least ");
		add_bound(o, o->min, out);
	}
}

static void describe_choices(const struct option *o, struct strbuf *out)
{
	for (int i = 0; o->choices[i]; i++) {
		if (i)
			strbuf_str(out, o->choices[i + 1] ? ", " : " or ");
		strbuf_str(out, o->choices[i]);
	}
}

/* What the option wants: "a number from 1 to 1000" */
static void describe_value(const struct option *o, struct strbuf *out)
{
	switch (o->type) {
	case OPTION_FLAG:
		strbuf_str(out, "no value");
		break;
	case OPTION_COUNT:
		strbuf_str(out, "a number");
		describe_limits(o, out);
		break;
	case OPTION_TIME:
		strbuf_str(out, "a time such as 100us or 1.5ms");
		break;
	case OPTION_ENUM:
		describe_choices(o, out);
		break;
	case OPTION_STRING:
	case OPTION_LIST:
		strbuf_str(out, o->arg ? o->arg : "TEXT");
		break;
	case OPTION_OVERHEAD:
		strbuf_str(out, "a share such as 20-30% or a time per entry such as 150ns");
		break;
	case OPTION_CPU:
		strbuf_str(out, "the number of a CPU");
		if (o->max)
			describe_limits(o, out);
		break;
	}
}

/* A value to be stored, and what to say if it is not fit. */
struct value {
	const struct option *o;
	const char *s;
	struct spelling as;
};

static int refuse(struct parser *p, const struct value *v, const char *why)
{
	cleanup_strbuf struct strbuf want = { 0 };
	describe_value(v->o, &want);
	if (why)
		return err_set(p->err, EINVAL, "option '%s' wants %s: '%s' %s", v->as.s, want.p,
			       v->s, why);
	return err_set(p->err, EINVAL, "option '%s' wants %s, not '%s'", v->as.s, want.p, v->s);
}

static bool in_range(const struct option *o, int64_t v)
{
	return v >= o->min && (!o->max || v <= o->max);
}

static int store_count(struct parser *p, const struct value *v)
{
	int64_t n;
	if (units_read_count(str_of(v->s), &n) || !in_range(v->o, n))
		return refuse(p, v, NULL);
	*(int64_t *)field(p, v->o) = n;
	return 0;
}

static int store_cpu(struct parser *p, const struct value *v)
{
	int64_t n;
	if (units_read_count(str_of(v->s), &n) || !in_range(v->o, n) || n > INT32_MAX)
		return refuse(p, v, NULL);
	*(int *)field(p, v->o) = (int)n;
	return 0;
}

static int store_time(struct parser *p, const struct value *v)
{
	int64_t ns;
	const char *why = units_read_time(str_of(v->s), &ns);
	if (why)
		return refuse(p, v, why);
	if (!in_range(v->o, ns)) {
		cleanup_strbuf struct strbuf limits = { 0 };
		describe_limits(v->o, &limits);
		return err_set(p->err, EINVAL, "option '%s' wants a time%s, not '%s'", v->as.s,
			       limits.p, v->s);
	}
	*(int64_t *)field(p, v->o) = ns;
	return 0;
}

static int store_enum(struct parser *p, const struct value *v)
{
	struct option_guess g = { .word = v->s };
	for (int i = 0; v->o->choices[i]; i++) {
		if (strcmp(v->s, v->o->choices[i]) == 0) {
			*(int *)field(p, v->o) = i;
			return 0;
		}
		option_guess_try(&g, v->o->choices[i]);
	}

	cleanup_strbuf struct strbuf want = { 0 };
	describe_choices(v->o, &want);
	if (g.best)
		return err_set(p->err, EINVAL, "option '%s' wants %s, not '%s': did you mean '%s'?",
			       v->as.s, want.p, v->s, g.best);
	return refuse(p, v, NULL);
}

static int store_overhead(struct parser *p, const struct value *v)
{
	/* only shares come as ranges, with a dash of ASCII or of UTF-8 */
	struct option_overhead got = { .given = true, .percent = strpbrk(v->s, "%-\xe2") };
	const char *why;
	if (got.percent) {
		why = units_read_percent(str_of(v->s), &got.low, &got.high);
	} else {
		why = units_read_time(str_of(v->s), &got.low);
		got.high = got.low;
	}
	if (why)
		return refuse(p, v, why);
	*(struct option_overhead *)field(p, v->o) = got;
	return 0;
}

void option_list_fini(struct option_list *l)
{
	vec_fini(l);
}

static int store(struct parser *p, const struct value *v)
{
	struct option_list *list;
	switch (v->o->type) {
	case OPTION_FLAG:
		*(bool *)field(p, v->o) = true;
		return 0;
	case OPTION_COUNT:
		return store_count(p, v);
	case OPTION_TIME:
		return store_time(p, v);
	case OPTION_ENUM:
		return store_enum(p, v);
	case OPTION_STRING:
		*(const char **)field(p, v->o) = v->s;
		return 0;
	case OPTION_OVERHEAD:
		return store_overhead(p, v);
	case OPTION_CPU:
		return store_cpu(p, v);
	case OPTION_LIST:
		list = field(p, v->o);
		vec_push(list, v->s);
		return 0;
	}
	return err_set(p->err, EINVAL, "option '%s' has no type", v->as.s);
}

/* A lone "-" is an operand, or a value. */
static bool looks_like_option(const char *arg)
{
	return arg[0] == '-' && arg[1];
}

/* The arguments that follow, up to the next option or as many as the list takes. */
static int take_more(struct parser *p, struct value v)
{
	for (int64_t n = 1; p->next < p->argc && (!v.o->max || n < v.o->max); n++) {
		v.s = p->argv[p->next];
		if (looks_like_option(v.s))
			break;
		p->next++;
		int ret = store(p, &v);
		if (ret)
			return ret;
	}
	return 0;
}

/* Stores `attached`, or the next argument if there is nothing attached. */
static int take_value(struct parser *p, const struct option *o, bool by_letter,
		      const char *attached)
{
	struct value v = { .o = o, .s = attached, .as = spell(o, by_letter) };
	bool list = o->type == OPTION_LIST;
	if (!v.s && p->next < p->argc && !(list && looks_like_option(p->argv[p->next])))
		v.s = p->argv[p->next++];
	if (v.s) {
		int ret = store(p, &v);
		return ret || !list ? ret : take_more(p, v);
	}

	cleanup_strbuf struct strbuf want = { 0 };
	describe_value(o, &want);
	return err_set(p->err, EINVAL, "option '%s' has no value: it wants %s", v.as.s, want.p);
}

static int unknown_long(struct parser *p, struct str name)
{
	char word[WORD_MAX + 2];
	snprintf(word, sizeof(word), "%.*s", STR_ARG(name));

	struct option_guess g = { .word = word };
	for (const struct option *o = p->table; !is_end(o); o++)
		option_guess_try(&g, o->name);
	option_guess_try(&g, "help");
	if (g.best)
		return err_set(p->err, EINVAL, "unknown option '--%.*s': did you mean '--%s'?",
			       STR_ARG(name), g.best);
	return err_set(p->err, EINVAL, "unknown option '--%.*s': --help lists them", STR_ARG(name));
}

static int parse_long(struct parser *p, const char *arg)
{
	const char *equals = strchr(arg, '=');
	struct str name = { arg, equals ? (size_t)(equals - arg) : strlen(arg) };
	const char *value = equals ? equals + 1 : NULL;

	const struct option *o = p->table;
	while (!is_end(o) && !str_eq(name, o->name))
		o++;

	bool help = str_eq(name, "help");
	if (!help && is_end(o))
		return unknown_long(p, name);
	if (value && (help || o->type == OPTION_FLAG))
		return err_set(p->err, EINVAL, "option '--%.*s' takes no value: drop '=%s'",
			       STR_ARG(name), value);
	if (help)
		return OPTION_HELP;
	if (o->type == OPTION_FLAG)
		value = "";
	return take_value(p, o, false, value);
}

/* -x is unknown; -budget was perhaps meant to be --budget */
static int unknown_letter(struct parser *p, const char *arg, char letter)
{
	for (const struct option *o = p->table; !is_end(o); o++)
		if (strcmp(arg, o->name) == 0)
			return err_set(p->err, EINVAL, "unknown option '-%s': did you mean '--%s'?",
				       arg, o->name);
	if (arg[1] && (unsigned char)letter < 0x80)
		return err_set(p->err, EINVAL, "unknown option '-%c' in '-%s': --help lists them",
			       letter, arg);
	return err_set(p->err, EINVAL, "unknown option '-%s': --help lists them", arg);
}

static int parse_letters(struct parser *p, const char *arg)
{
	for (const char *c = arg; *c; c++) {
		const struct option *o = p->table;
		while (!is_end(o) && o->letter != *c)
			o++;
		if (is_end(o) && *c == 'h')
			return OPTION_HELP;
		if (is_end(o))
			return unknown_letter(p, arg, *c);

		bool flag = o->type == OPTION_FLAG;
		int ret = take_value(p, o, true, flag ? "" : c[1] ? c + 1 : NULL);
		if (ret || !flag)
			return ret;
	}
	return 0;
}

int option_parse(const struct option *table, void *opts, int argc, char **argv, char ***operands,
		 int *n_operands, struct err *err)
{
	return option_parse_until(table, opts, argc, argv, operands, n_operands, argc, err);
}

int option_parse_until(const struct option *table, void *opts, int argc, char **argv,
		       char ***operands, int *n_operands, int until, struct err *err)
{
	struct parser p = {
		.table = table,
		.opts = opts,
		.argc = argc,
		.next = 1,
		.argv = argv,
		.err = err,
	};
	int kept = 1;
	bool all_operands = false;

	for (const struct option *o = table; !is_end(o); o++)
		if (o->type == OPTION_CPU)
			*(int *)field(&p, o) = -1;

	while (p.next < argc) {
		char *arg = argv[p.next++];
		int ret = 0;
		if (all_operands || kept > until || !looks_like_option(arg))
			argv[kept++] = arg;
		else if (strcmp(arg, "--") == 0)
			all_operands = true;
		else if (arg[1] == '-')
			ret = parse_long(&p, arg + 2);
		else
			ret = parse_letters(&p, arg + 1);
		if (ret)
			return ret;
	}
	*operands = argv + 1;
	*n_operands = kept - 1;
	return 0;
}

/*
 * Help
 */
#define LEFT_MAX 34 /* an option wider than this gets a line of its own */

static void add_blanks(struct strbuf *out, size_t n)
{
	strbuf_printf(out, "%*s", (int)n, "");
}

void option_wrap(struct strbuf *out, const char *text, size_t column, size_t indent)
{
	struct str rest = str_of(text);
	bool first = true;
	for (struct str word = str_word(&rest); word.n; word = str_word(&rest)) {
		if (!first && column + 1 + word.n > OPTION_COLUMNS) {
			strbuf_str(out, "\n");
			add_blanks(out, indent);
			column = indent;
		} else if (!first) {
			strbuf_str(out, " ");
			column++;
		}
		strbuf_add(out, word.p, word.n);
		column += word.n;
		first = false;
	}
	strbuf_str(out, "\n");
}

static const char *default_arg(const struct option *o)
{
	switch (o->type) {
	case OPTION_COUNT:
		return "N";
	case OPTION_TIME:
		return "TIME";
	case OPTION_OVERHEAD:
		return "SHARE|TIME";
	case OPTION_CPU:
		return "CPU";
	default:
		return "TEXT";
	}
}

/* "  -t, --top N" */
static void add_left(const struct option *o, struct strbuf *out)
{
	if (o->letter)
		strbuf_printf(out, "  -%c, --%s", o->letter, o->name);
	else
		strbuf_printf(out, "      --%s", o->name);
	if (o->type == OPTION_FLAG)
		return;
	if (o->arg || o->type != OPTION_ENUM) {
		strbuf_printf(out, " %s", o->arg ? o->arg : default_arg(o));
		return;
	}
	for (int i = 0; o->choices[i]; i++)
		strbuf_printf(out, "%s%s", i ? "|" : " ", o->choices[i]);
}

static void add_option(const struct option *o, size_t indent, struct strbuf *out)
{
	size_t start = out->n;
	add_left(o, out);
	size_t width = out->n - start;
	if (!o->help || !*o->help) {
		strbuf_str(out, "\n");
		return;
	}
	if (width + 2 > indent) {
		strbuf_str(out, "\n");
		width = 0;
	}
	add_blanks(out, indent - width);
	option_wrap(out, o->help, indent, indent);
}

static size_t help_indent(const struct option *table)
{
	size_t widest = strlen("  -h, --help");
	for (const struct option *o = table; !is_end(o); o++) {
		cleanup_strbuf struct strbuf left = { 0 };
		add_left(o, &left);
		if (left.n > widest && left.n <= LEFT_MAX)
			widest = left.n;
	}
	return widest + 2;
}

static const char *group_of(const struct option *o)
{
	return o->group ? o->group : "Options";
}

void option_help(const struct option *table, struct strbuf *out)
{
	size_t indent = help_indent(table);
	const char *group = NULL;
	bool letter_free = true;

	for (const struct option *o = table; !is_end(o); o++) {
		if (!group || strcmp(group, group_of(o)) != 0)
			strbuf_printf(out, "%s%s:\n", group ? "\n" : "", group_of(o));
		group = group_of(o);
		letter_free &= o->letter != 'h';
		add_option(o, indent, out);
	}
	if (!group)
		strbuf_str(out, "Options:\n");
	else if (strcmp(group, "Options") != 0)
		strbuf_str(out, "\n");

	const struct option help = {
		.name = "help",
		.letter = letter_free ? 'h' : 0,
		.help = help_text,
	};
	add_option(&help, indent, out);
}
