/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A command line, one argument a line, against a table with every type of option. */
#include <errno.h>

#include "cmd/option.h"
#include "fuzz.h"

#define ARGUMENTS 32

struct options {
	bool flag, quiet;
	int64_t count, any, time;
	int choice, cpu;
	const char *string;
	struct option_overhead overhead;
};

#define OPT(member) offsetof(struct options, member)

static const char *const choices[] = { "text", "json", "jsonl", NULL };

static const struct option table[] = {
	{ "flag", 'f', OPTION_FLAG, OPT(flag), 0, 0, NULL, NULL, "a flag", NULL },
	{ "quiet", 'q', OPTION_FLAG, OPT(quiet), 0, 0, NULL, NULL, "another", NULL },
	{ "count", 'n', OPTION_COUNT, OPT(count), 1, 1000, NULL, "N", "a count", NULL },
	{ "any", 'a', OPTION_COUNT, OPT(any), 0, 0, NULL, NULL, "any count", NULL },
	{ "time", 't', OPTION_TIME, OPT(time), 1, 0, NULL, "TIME", "a time", "More" },
	{ "choice", 'c', OPTION_ENUM, OPT(choice), 0, 0, choices, NULL, "one of them", "More" },
	{ "string", 's', OPTION_STRING, OPT(string), 0, 0, NULL, NULL, "a string", "More" },
	{ "overhead", 0, OPTION_OVERHEAD, OPT(overhead), 0, 0, NULL, NULL, "overhead", "More" },
	{ "cpu", 'C', OPTION_CPU, OPT(cpu), 0, 65535, NULL, NULL, "a CPU", "More" },
	{ 0 },
};

static void check_options(const struct options *o)
{
	fuzz_require(o->count >= 1 && o->count <= 1000);
	fuzz_require(o->any >= 0 && o->time >= 1);
	fuzz_require(o->choice >= 0 && o->choice <= 2);
	fuzz_require(o->cpu >= -1 && o->cpu <= 65535);
	fuzz_require(!o->overhead.given ||
		     (o->overhead.low >= 0 && o->overhead.low <= o->overhead.high));
	fuzz_touch_string(o->string);
}

static void parse(char *text, size_t size)
{
	char program[] = "dwell";
	char *argv[ARGUMENTS + 2] = { program };
	int argc = 1;
	for (char *p = text; p < text + size && argc <= ARGUMENTS; p += strlen(p) + 1)
		argv[argc++] = p;

	struct options o = { .count = 1, .time = 1 };
	struct err err = { 0 };
	char **operands = NULL;
	int n = -1, ret = option_parse(table, &o, argc, argv, &operands, &n, &err);
	fuzz_require(ret == 0 || ret == OPTION_HELP || ret == -EINVAL);
	fuzz_require(ret >= 0 || (err.code == EINVAL && err.msg[0]));
	if (ret)
		return;
	check_options(&o);
	fuzz_require(n >= 0 && n < argc);
	for (int i = 0; i < n; i++)
		fuzz_touch_string(operands[i]);
}

int fuzz_one(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	fuzz_require(text);
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	for (size_t i = 0; i < size; i++) {
		if (text[i] == '\n')
			text[i] = '\0';
	}
	parse(text, size);

	struct strbuf cleanup_strbuf wrapped = { 0 };
	option_wrap(&wrapped, text, size % 7, size % 5);
	struct option_guess g = { .word = text };
	for (size_t i = 0; table[i].name; i++)
		option_guess_try(&g, table[i].name);
	free(text);
	return 0;
}
