/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The columns of one line of ftrace text with full time stamps, up to the payload:
 *
 *	comm-pid (tgid) [cpu] flags secs.usecs: payload      the kernel, trace-cmd report
 *	comm-pid cpu+flags secs.usecs: payload               trace-cmd report -l
 *	comm pid/tid [cpu] flags secs.usecs: payload         perf script
 *
 * Of perf script lines are also known that lack a column which nothing can be said without.
 *
 * tgid, flags and the decimal point are optional. Columns are found by shape, never by position.
 */
#ifndef DWELL_READ_FTRACE_LINE_H
#define DWELL_READ_FTRACE_LINE_H

#include "core/event.h"
#include "core/names.h"
#include "read/memo.h"

enum ftrace_shape {
	SHAPE_KERNEL,
	SHAPE_LATENCY_FLAGS, /* trace-cmd report -l */
	SHAPE_PERF,
};

struct ftrace_parts {
	struct str who;   /* what stands before the CPU, with all its blanks */
	struct str flags; /* empty: there is no such column */
	struct str rest;  /* the payload */
	int64_t time;     /* ns; as printed if no_point */
	uint16_t cpu;
	bool no_point;     /* the stamp counts ns or ticks */
	bool overflow;     /* the stamp has more digits than fit */
	bool brackets;     /* around the CPU */
	const char *lacks; /* which column is missing or impossible, and what helps; NULL: none */
};

bool ftrace_split(struct str line, struct ftrace_parts *p);

/* Does the line have these columns? */
bool ftrace_line_begins(struct str line);

#define FLAG_SLOTS 64

struct ftrace_columns {
	struct names *names;
	const char *why; /* what is wrong with a line */
	enum ftrace_shape shape;
	char file[64]; /* "trace.dat:", if the lines have such a column */
	size_t file_n;
	bool tgids; /* a line had a column for the process */
	struct memo who;
	struct {
		uint64_t key;
		uint32_t flags;
		uint8_t n;
	} flags[FLAG_SLOTS];
};

enum columns_result {
	COLUMNS_NONE,    /* not such a line */
	COLUMNS_DAMAGED, /* one with something unreadable in a column: see why */
	COLUMNS_OK,
};

/* Sets *e but for kind, what, arg and line. */
enum columns_result ftrace_columns_parse(struct ftrace_columns *c, struct str line,
					 struct ftrace_parts *p, struct event *e);

#endif
