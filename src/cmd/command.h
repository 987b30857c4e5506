/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of commands, and what every command begins with.
 *
 * A new command:
 *
 *  1. cmd/<name>.c: its own options struct on its own stack, a table of options with ranges, and
 *     `const struct command cmd_<name>`. run() only reads, analyses and renders; the analysis
 *     lives in analyze/, prints nothing, and serves text, JSON and comparison alike.
 *  2. Its extern below and its line in commands[] (command.c), beside those of its group; its
 *     source in src/meson.build.
 *  3. A parse test on the options struct in tests/unit.
 *  4. Golden cases: success, empty input, malformed input, usage error; each asserts the exit code.
 *  5. man/dwell-<name>, with an example that runs; it lists the options that --help lists.
 *  6. Whatever it changes in the system is journalled, restored and verified; it blocks SIGPIPE
 *     meanwhile (output.h).
 *  7. A line in NEWS; in the README if a newcomer would want it.
 */
#ifndef DWELL_CMD_COMMAND_H
#define DWELL_CMD_COMMAND_H

#include "base/err.h"
#include "base/str.h"
#include "cmd/option.h"

/* Exit codes, of every command */
enum {
	COMMAND_OK = 0, /* also when damaged input was read in part, with a warning */
	COMMAND_FAILED = 1,
	COMMAND_USAGE = 2,
	COMMAND_FOUND = 3, /* the condition that the user asked to fail on holds */
	COMMAND_NO_RUN = 125, /* of commands that run a program and pass on its status: dwell failed */
};

struct command {
	const char *name;
	const char *purpose;        /* one line, lower case, no full stop */
	const char *group;          /* heading in the list of commands, the same for neighbours */
	const char *operands;       /* "FILE..."; NULL: takes none */
	const char *first;          /* what the first can be, with blanks between; NULL: a file */
	int program;                /* of this operand on all is another program's; 0: none is */
	const char *const *details; /* paragraphs for --help, ends with NULL; NULL: none. One that
				     * begins with a blank is printed as it is, for examples. */
	const struct option *options;
	int (*run)(int argc, char **argv); /* argv[0] is the name; returns an exit code */
};

extern const struct command cmd_explain;
extern const struct command cmd_convert;
extern const struct command cmd_record;
extern const struct command cmd_diff;
extern const struct command cmd_completion;
extern const struct command cmd_help;

extern const struct command *const commands[]; /* ends with NULL */

/* What is left of a command line when its options are gone. */
struct operands {
	char **at;
	int n;
};

enum { COMMAND_GOES_ON = -1 };

/*
 * The beginning of every run(): parses the options, or prints help, or the usage error.
 *
 *	struct explain_options o = { .top = 10 };
 *	struct operands files;
 *	int code = command_begin(&cmd_explain, &o, argc, argv, &files);
 *	if (code == COMMAND_GOES_ON)
 *		code = command_inputs(&cmd_explain, &files);
 *	if (code != COMMAND_GOES_ON)
 *		return code;
 */
int command_begin(const struct command *c, void *opts, int argc, char **argv,
		  struct operands *operands) must_check;

/*
 * For commands that read files: with no operand given they read standard input ("-"), unless
 * that is a terminal, where waiting for it would look like hanging.
 */
int command_inputs(const struct command *c, struct operands *operands) must_check;

/* Prints "dwell: ..." and the like; returns COMMAND_USAGE. */
int command_usage_error(const char *fmt, ...) printf_like(1, 2);

/* NULL, and *err names the nearest one, when there is none of this name. */
const struct command *command_find(const char *name, struct err *err);

/* What --help prints: of one command, and of dwell itself. */
void command_help(const struct command *c, struct strbuf *out);
void command_overview(struct strbuf *out);

#endif
