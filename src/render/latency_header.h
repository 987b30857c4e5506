/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The header of a trace in latency format, of whatever tracer (print_trace_header in
 * kernel/trace/trace.c, and the -rt patches' of 2005): who, how long, from where to where. The
 * legend of the columns is left to those who write the lines.
 */
#ifndef DWELL_RENDER_LATENCY_HEADER_H
#define DWELL_RENDER_LATENCY_HEADER_H

#include <stdio.h>

#include "core/capture.h"

/* Will the header tell where this trace begins? If not, the one before must be ended: "--". */
bool render_latency_has_title(const struct trace_header *h);

/* What stands before each of its lines: "#", of -rt kernels nothing. */
const char *render_latency_prefix(const struct trace_header *h);

/* "# tracer: name" and the line behind it, if the header names a tracer. */
void render_tracer(FILE *out, const struct trace_header *h);

/* "# entries-in-buffer/entries-written: 13/13   #P:8", if the header has such a line. */
void render_entries(FILE *out, const struct trace_header *h);

/* From the title on; what is not known is left out. */
void render_latency_title(FILE *out, const struct trace_header *h);

#endif
