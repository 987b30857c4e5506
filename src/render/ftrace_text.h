/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace with full time stamps as clean text, in the manner in which it was recorded (tracefs,
 * trace-cmd report, perf script), that reads back to the same capture (`convert --to trace`).
 * Flags are the recorded ones.
 */
#ifndef DWELL_RENDER_FTRACE_TEXT_H
#define DWELL_RENDER_FTRACE_TEXT_H

#include <stdio.h>

#include "core/capture.h"
#include "core/source.h"

struct render_ftrace {
	struct sink sink;
	FILE *out;
	const struct capture *capture;
	bool begun; /* the header is written */
	struct strbuf line, payload;
};

/* Is it of a format that this renderer writes? */
bool render_ftrace_fits(const struct trace_header *h);

void render_ftrace_init(struct render_ftrace *r, FILE *out);
void render_ftrace_fini(struct render_ftrace *r);

#endif
