/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "cmd/output.h"

const struct command *const commands[] = {
	&cmd_explain,
	&cmd_diff,
	&cmd_convert,
	&cmd_record,
	&cmd_completion,
	&cmd_help,
	NULL,
};

int command_usage_error(const char *fmt, ...)
{
	char sentence[ERR_MAX];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(sentence, sizeof(sentence), fmt, ap);
	va_end(ap);
	output_error("%s", sentence);
	return COMMAND_USAGE;
}

int command_begin(const struct command *c, void *opts, int argc, char **argv,
		  struct operands *operands)
{
	struct err err;
	int ret = option_parse_until(c->options, opts, argc, argv, &operands->at, &operands->n,
				     c->program ? c->program : argc, &err);
	if (ret == OPTION_HELP) {
		cleanup_strbuf struct strbuf text = { 0 };
		command_help(c, &text);
		output_text(strbuf_get(&text));
		return COMMAND_OK;
	}
	if (ret)
		return command_usage_error("%s", err.msg);
	if (!c->operands && operands->n)
		return command_usage_error("'dwell %s' takes no operand: drop '%s'", c->name,
					   operands->at[0]);
	return COMMAND_GOES_ON;
}

int command_inputs(const struct command *c, struct operands *operands)
{
	static char dash[] = "-";
	static char *standard_input[] = { dash, NULL };

	if (operands->n)
		return COMMAND_GOES_ON;
	if (isatty(STDIN_FILENO))
		return command_usage_error("no file given: name one, or pipe it into 'dwell %s'",
					   c->name);
	*operands = (struct operands){ standard_input, 1 };
	return COMMAND_GOES_ON;
}

const struct command *command_find(const char *name, struct err *err)
{
	struct option_guess g = { .word = name };
	for (int i = 0; commands[i]; i++) {
		if (strcmp(name, commands[i]->name) == 0)
			return commands[i];
		option_guess_try(&g, commands[i]->name);
	}

	if (g.best)
		err_set(err, EINVAL, "unknown command '%s': did you mean '%s'?", name, g.best);
	else if (access(name, F_OK) == 0)
		err_set(err, EINVAL, "unknown command '%s': did you mean 'dwell explain %s'?", name,
			name);
	else
		err_set(err, EINVAL, "unknown command '%s': 'dwell help' lists them", name);
	return NULL;
}

void command_help(const struct command *c, struct strbuf *out)
{
	strbuf_printf(out, "usage: dwell %s [options]%s%s\n\n", c->name, c->operands ? " " : "",
		      c->operands ? c->operands : "");
	option_wrap(out, c->purpose, 0, 0);
	strbuf_str(out, "\n");
	for (const char *const *p = c->details; p && *p; p++) {
		if (**p == ' ')
			strbuf_printf(out, "%s\n", *p);
		else
			option_wrap(out, *p, 0, 0);
		strbuf_str(out, "\n");
	}
	option_help(c->options, out);
}

static const char overview_head[] =
	"dwell says why something took so long, what would fix it, and whether a fix helped.\n"
	"It reads kernel latency traces and lock tables, also inside the mails that quote them.\n"
	"Every figure has its unit, how it was got (exact or estimated), and what was lost.\n"
	"\n"
	"usage: dwell COMMAND [options] [operands]\n";

static const char overview_tail[] =
	"\n"
	"'dwell help COMMAND' says more about one of them, 'dwell --version' which dwell this is.\n"
	"Exit codes: 0 fine, 1 could not, 2 usage, 3 the condition you asked to fail on holds.\n";

void command_overview(struct strbuf *out)
{
	strbuf_str(out, overview_head);
	const char *group = NULL;
	for (int i = 0; commands[i]; i++) {
		const struct command *c = commands[i];
		if (!group || strcmp(group, c->group) != 0)
			strbuf_printf(out, "\n%s:\n", c->group);
		group = c->group;
		strbuf_printf(out, "  %-12s", c->name);
		option_wrap(out, c->purpose, 14, 14);
	}
	strbuf_str(out, overview_tail);
}
