/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where text leaves the program: results to standard output, unless a program that is run has that,
 * sentences about trouble to standard error. Only cmd/ uses this; everything below it returns its errors and its text.
 *
 * A reader that goes away (`dwell ... | head`) ends the program as it ends cat, grep and git: by
 * SIGPIPE, without a word; the shell sees 141. Not by exit code 0: under pipefail, and for a
 * command whose code 3 means "found", an output cut short must not pass for "all is well".
 * A command that has settings to restore blocks SIGPIPE while they are changed; its writes then
 * fail, output_text says so, and output_finish ends the program once all is restored.
 */
#ifndef DWELL_CMD_OUTPUT_H
#define DWELL_CMD_OUTPUT_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

/*
 * First thing in main: SIGPIPE as above whatever the parent had set, and no file that is opened
 * later can land on a standard descriptor that came in closed.
 */
void output_start(void);

/* Results, too, go to standard error from now on: standard output is another program's. */
void output_to_stderr(void);

/* A terminal that wants colour: NO_COLOR unset or empty, TERM neither unset nor "dumb". */
bool output_colour(void);

/*
 * False once writing has failed: a long output may stop, output_finish says why. Names come from files and
 * programs: control characters in them become '?', but for newlines and tabs.
 */
bool output_text(struct str s);

/*
 * A line on standard error that says how things go, until anything else is printed here; it must
 * be a terminal. Each replaces the one before; NULL: none.
 */
void output_status(const char *text);

/* Flushes and closes standard output: nothing may be written after it. */
int output_finish(struct err *err) must_check;

/* "dwell: ..." and "dwell: warning: ..."; control characters in them become '?'. */
void output_error(const char *fmt, ...) printf_like(1, 2);
void output_warning(const char *fmt, ...) printf_like(1, 2);

#endif
