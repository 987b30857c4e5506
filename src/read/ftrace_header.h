/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines above the entries of an ftrace text: of tracefs' file trace ("# tracer: nop"), and of
 * trace-cmd report ("cpus=2"). The columns that they announce are not to be trusted: rows have
 * others, or mails have moved them.
 */
#ifndef DWELL_READ_FTRACE_HEADER_H
#define DWELL_READ_FTRACE_HEADER_H

#include "core/capture.h"

enum ftrace_header {
	FTRACE_HEADER_NONE,
	FTRACE_HEADER_TRACER,
	FTRACE_HEADER_ENTRIES, /* "# entries-in-buffer/entries-written: 4/4   #P:4" */
	FTRACE_HEADER_COLUMNS, /* "#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION" */
	FTRACE_HEADER_LATENCY, /* of the latency format: not ours */
	FTRACE_HEADER_REPORT,  /* "cpus=2", "version = 6", "CPU 3 is empty" */
	FTRACE_HEADER_OTHER,   /* blank, or any other line with '#' */
};

enum ftrace_header ftrace_header_classify(struct str text);
void ftrace_header_read(struct capture *c, enum ftrace_header kind, struct str text);

/* "# tracer: function_graph": its lines have a reader of their own. */
bool ftrace_header_of_graph(struct str text);

/* Does the tracer print latency format, if nobody has told it not to? */
bool ftrace_tracer_is_latency(const char *tracer);

#endif
