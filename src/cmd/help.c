/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwell help: the same texts as --help.
 */
#include <stddef.h>

#include "cmd/command.h"
#include "cmd/output.h"

static int run_help(int argc, char **argv)
{
	struct operands operands;
	int code = command_begin(&cmd_help, NULL, argc, argv, &operands);
	if (code != COMMAND_GOES_ON)
		return code;
	if (operands.n > 1)
		return command_usage_error("'dwell help' takes one command, not '%s' too",
					   operands.at[1]);

	cleanup_strbuf struct strbuf text = { 0 };
	if (operands.n) {
		struct err err;
		const struct command *c = command_find(operands.at[0], &err);
		if (!c)
			return command_usage_error("%s", err.msg);
		command_help(c, &text);
	} else {
		command_overview(&text);
	}
	output_text(strbuf_get(&text));
	return COMMAND_OK;
}

static const struct option help_options[] = { { 0 } };

const struct command cmd_help = {
	.name = "help",
	.purpose = "say what dwell, or one of its commands, is for and takes",
	.group = "About dwell",
	.operands = "[COMMAND]",
	.options = help_options,
	.run = run_help,
};
