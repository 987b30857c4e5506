/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwell: finds the command, runs it, and sees its output off.
 */
#include <stddef.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/output.h"

/* From the build; a compiler called by hand has none. */
#ifndef DWELL_VERSION
#define DWELL_VERSION "(unknown version)"
#endif

struct main_options {
	bool version;
};

static const struct option main_options[] = {
	{ "version", 'V', OPTION_FLAG, offsetof(struct main_options, version), .help = "" },
	{ 0 },
};

static bool is_option(const char *arg)
{
	return arg[0] == '-' && arg[1] && strcmp(arg, "--") != 0;
}

static void print_overview(void)
{
	cleanup_strbuf struct strbuf text = { 0 };
	command_overview(&text);
	output_text(strbuf_get(&text));
}

/* `dwell --version`, `dwell --help`, and what is neither */
static int run_option(char **argv)
{
	struct main_options o = { 0 };
	char **operands;
	int n;
	struct err err;
	int ret = option_parse(main_options, &o, 2, argv, &operands, &n, &err);
	if (ret < 0)
		return command_usage_error("%s", err.msg);
	if (o.version)
		output_text(str_of("dwell " DWELL_VERSION "\n"));
	else
		print_overview();
	return COMMAND_OK;
}

/* failed: the code for what it printed and nobody got. */
static int run_command(int argc, char **argv, int *failed)
{
	struct err err;
	const struct command *c = command_find(argv[0], &err);
	if (!c)
		return command_usage_error("%s", err.msg);
	*failed = c->program ? COMMAND_NO_RUN : COMMAND_FAILED;
	return c->run(argc, argv);
}

int main(int argc, char **argv)
{
	output_start();

	int code = COMMAND_OK, failed = COMMAND_FAILED;
	if (argc < 2)
		print_overview();
	else if (is_option(argv[1]))
		code = run_option(argv);
	else
		code = run_command(argc - 1, argv + 1, &failed);

	struct err err;
	if (output_finish(&err)) {
		output_error("%s", err.msg);
		if (code == COMMAND_OK)
			code = failed;
	}
	return code;
}
