/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwell completion: what a shell needs to complete dwell's command lines, made from the tables
 * of commands and options, so that it is never behind them.
 */
#include <stddef.h>

#include "cmd/command.h"
#include "cmd/output.h"

static void add_commands(struct strbuf *out, const char *format)
{
	for (int i = 0; commands[i]; i++)
		strbuf_printf(out, format, commands[i]->name);
}

/* What the first operand can be, unless it is a file. */
static void add_first(struct strbuf *out, const struct command *c)
{
	if (c == &cmd_help)
		add_commands(out, "%s ");
	else if (c->first)
		strbuf_str(out, c->first);
}

static void add_choices(struct strbuf *out, const struct option *o)
{
	for (const char *const *c = o->choices; c && *c; c++)
		strbuf_printf(out, "%s%s", c == o->choices ? "" : " ", *c);
}

/* -- bash ---------------------------------------------------------------------------------------- */

/* "explain:--format) words of it ;;" */
static void bash_values(struct strbuf *out, const struct command *c)
{
	for (const struct option *o = c->options; o->name; o++) {
		if (o->type == OPTION_FLAG || o->type == OPTION_STRING)
			continue;
		strbuf_printf(out, "\t%s:--%s", c->name, o->name);
		if (o->letter)
			strbuf_printf(out, "|%s:-%c", c->name, o->letter);
		strbuf_str(out, ") COMPREPLY=($(compgen -W \"");
		add_choices(out, o);
		strbuf_str(out, "\" -- \"$cur\")); return ;;\n");
	}
}

static void bash_options(struct strbuf *out, const struct command *c)
{
	strbuf_printf(out, "\t%s) words=\"--help", c->name);
	for (const struct option *o = c->options; o->name; o++)
		strbuf_printf(out, " --%s", o->name);
	strbuf_str(out, "\" first=\"");
	add_first(out, c);
	strbuf_str(out, "\" ;;\n");
}

static void bash_script(struct strbuf *out)
{
	strbuf_str(out, "# bash completion for dwell: source <(dwell completion bash)\n"
			"_dwell()\n{\n"
			"\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
			"\tlocal cmd=${COMP_WORDS[1]} words= first=\n"
			"\tif [ \"$COMP_CWORD\" = 1 ]; then\n"
			"\t\tCOMPREPLY=($(compgen -W \"");
	add_commands(out, "%s ");
	strbuf_str(out, "--help --version\" -- \"$cur\"))\n\t\treturn\n\tfi\n\tcase $cmd:$prev in\n");
	for (int i = 0; commands[i]; i++)
		bash_values(out, commands[i]);
	strbuf_str(out, "\tesac\n\tcase $cmd in\n");
	for (int i = 0; commands[i]; i++)
		bash_options(out, commands[i]);
	strbuf_str(out, "\tesac\n"
			"\t[ \"$COMP_CWORD\" = 2 ] || first=\n"
			"\tif [[ $cur == -* ]]; then\n"
			"\t\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
			"\telif [ \"$first\" ]; then\n"
			"\t\tCOMPREPLY=($(compgen -W \"$first\" -- \"$cur\"))\n"
			"\telse\n"
			"\t\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n"
			"\tfi\n}\ncomplete -o filenames -F _dwell dwell\n");
}

/* -- zsh ----------------------------------------------------------------------------------------- */

/* Inside '...[text]' of _arguments: quotes and brackets would end it. */
static void zsh_text(struct strbuf *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			strbuf_str(out, "'\\''");
		else if (strchr("[]:\\", *text))
			strbuf_printf(out, "\\%c", *text);
		else
			strbuf_add(out, text, 1);
	}
}

static void zsh_spec(struct strbuf *out, const struct option *o, const char *dash, const char *name)
{
	strbuf_printf(out, "\t\t\t'%s%s[", dash, name);
	zsh_text(out, o->help);
	strbuf_str(out, "]");
	if (o->type != OPTION_FLAG) {
		strbuf_str(out, ":");
		zsh_text(out, o->arg ? o->arg : o->name);
		strbuf_str(out, ":");
		if (o->choices) {
			strbuf_str(out, "(");
			add_choices(out, o);
			strbuf_str(out, ")");
		}
	}
	strbuf_str(out, "' \\\n");
}

static void zsh_command(struct strbuf *out, const struct command *c)
{
	strbuf_printf(out, "\t%s)\n\t\t_arguments '--help[print a summary of the options]' \\\n",
		      c->name);
	for (const struct option *o = c->options; o->name; o++) {
		char letter[2] = { o->letter, '\0' };
		zsh_spec(out, o, "--", o->name);
		if (o->letter)
			zsh_spec(out, o, "-", letter);
	}
	if (c->first || c == &cmd_help) {
		strbuf_str(out, "\t\t\t'1:operand:(");
		add_first(out, c);
		strbuf_str(out, ")' \\\n");
	}
	strbuf_str(out, "\t\t\t'*:file:_files' ;;\n");
}

static void zsh_script(struct strbuf *out)
{
	strbuf_str(out, "#compdef dwell\n"
			"# zsh completion for dwell: source <(dwell completion zsh)\n"
			"_dwell()\n{\n"
			"\tif (( CURRENT == 2 )); then\n"
			"\t\t_values 'command'");
	for (int i = 0; commands[i]; i++) {
		strbuf_printf(out, " \\\n\t\t\t'%s[", commands[i]->name);
		zsh_text(out, commands[i]->purpose);
		strbuf_str(out, "]'");
	}
	strbuf_str(out,
		   "\n\t\treturn\n\tfi\n"
		   "\tlocal cmd=$words[2]\n\tshift words\n\t(( CURRENT-- ))\n\tcase $cmd in\n");
	for (int i = 0; commands[i]; i++)
		zsh_command(out, commands[i]);
	strbuf_str(out, "\tesac\n}\ncompdef _dwell dwell\n");
}

static int completion_run(int argc, char **argv)
{
	struct operands shell;
	int code = command_begin(&cmd_completion, NULL, argc, argv, &shell);
	if (code != COMMAND_GOES_ON)
		return code;
	if (shell.n != 1)
		return command_usage_error(
			"'dwell completion' takes the name of a shell: bash or zsh");

	cleanup_strbuf struct strbuf out = { 0 };
	if (strcmp(shell.at[0], "bash") == 0)
		bash_script(&out);
	else if (strcmp(shell.at[0], "zsh") == 0)
		zsh_script(&out);
	else
		return command_usage_error("no completion for '%s': bash and zsh have one",
					   shell.at[0]);
	output_text(strbuf_get(&out));
	return COMMAND_OK;
}

static const struct option completion_options[] = { { 0 } };

static const char *const details[] = {
	"To try it in this shell:",
	"  source <(dwell completion bash)",
	"'make install' puts both where the shells look for them.",
	NULL,
};

const struct command cmd_completion = {
	.name = "completion",
	.purpose = "print what bash or zsh need to complete dwell's command lines",
	.group = "About dwell",
	.operands = "bash|zsh",
	.first = "bash zsh",
	.details = details,
	.options = completion_options,
	.run = completion_run,
};
