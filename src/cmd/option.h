/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Typed option tables: one table gives a command its parsing, its --help and, in tests, the
 * comparison with its man page. Knows no command; prints nothing.
 *
 *	struct explain_options {
 *		int64_t top;
 *		struct option_overhead overhead;
 *	};
 *	static const struct option options[] = {
 *		{ "top", 't', OPTION_COUNT, offsetof(struct explain_options, top),
 *		  .min = 1, .max = 1000, .arg = "N", .help = "show the N dearest (default: 10)" },
 *		{ 0 },
 *	};
 *
 * Accepted are --name VALUE, --name=VALUE, -n VALUE, -nVALUE and bundles of flags such as -qv,
 * before, between and behind operands; `--` ends the options and a lone `-` is an operand.
 * Abbreviations of long names are refused: scripts must not break when an option is added.
 * Given twice, the last one holds; a list grows.
 */
#ifndef DWELL_CMD_OPTION_H
#define DWELL_CMD_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

/* The type of the field at `offset`, and what the command line may say. */
enum option_type {
	OPTION_FLAG,     /* bool: takes no value */
	OPTION_COUNT,    /* int64_t, from min to max */
	OPTION_TIME,     /* int64_t in ns, from min to max */
	OPTION_ENUM,     /* int: index into choices */
	OPTION_STRING,   /* const char *, pointing into argv */
	OPTION_OVERHEAD, /* struct option_overhead */
	OPTION_CPU,      /* int, from 0 to max; -1 unless given */
	OPTION_LIST,     /* struct option_list: max values each time, 0: up to the next option */
};

/*
 * Values in their order, pointing into argv; given again, the option adds to them. The array is
 * the user's to free: option_list_fini, also after a failure.
 */
struct option_list {
	const char **at;
	size_t n, room;
};
void option_list_fini(struct option_list *l);
#define cleanup_option_list __attribute__((cleanup(option_list_fini)))

/* What tracing cost: a share of the time, or a time for every entry. */
struct option_overhead {
	bool given;
	bool percent; /* low and high in thousandths of a percent; else in ns, low == high */
	int64_t low, high;
};

struct option {
	const char *name; /* without dashes; NULL ends the table */
	char letter;      /* 0: none */
	enum option_type type;
	size_t offset;              /* into the command's own options */
	int64_t min, max;           /* max 0: no upper limit */
	const char *const *choices; /* OPTION_ENUM: ends with NULL */
	const char *arg;            /* the value's name in --help; NULL: one that fits the type */
	const char *help;           /* with range and default, where a reader wants them */
	const char *group; /* heading in --help, the same for neighbours; NULL: "Options" */
};

enum { OPTION_HELP = 1 };

/*
 * Fills *opts, which comes with the defaults in it, from argv[1] on; only fields of OPTION_CPU
 * are set to -1 first. Operands are moved to the front of argv, in their order.
 *
 * Returns 0, OPTION_HELP as soon as it meets --help or -h, or -EINVAL.
 */
int option_parse(const struct option *table, void *opts, int argc, char **argv, char ***operands,
		 int *n_operands, struct err *err) must_check;

/* As above; behind so many operands all are operands: they are another program's options. */
int option_parse_until(const struct option *table, void *opts, int argc, char **argv,
		       char ***operands, int *n_operands, int until, struct err *err) must_check;

/* The options as --help shows them, --help itself at the end. */
void option_help(const struct option *table, struct strbuf *out);

/*
 * Adds text, broken at blanks so that no line is wider than OPTION_COLUMNS, and a newline. The
 * first line goes on at `column`, the others start at `indent`.
 */
#define OPTION_COLUMNS 100
void option_wrap(struct strbuf *out, const char *text, size_t column, size_t indent);

/*
 * The known name that a mistyped word most likely stands for:
 *
 *	struct option_guess g = { .word = "explian" };
 *	option_guess_try(&g, "explain");
 *	if (g.best) ...
 */
struct option_guess {
	const char *word;
	const char *best; /* NULL: none is near */
	int distance;     /* of best */
};
void option_guess_try(struct option_guess *g, const char *name);

#endif
