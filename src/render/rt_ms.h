/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Traces of 2004 in their own style (read/rt_ms.c explains it): the header, and a line. */
#ifndef DWELL_RENDER_RT_MS_H
#define DWELL_RENDER_RT_MS_H

#include <stdio.h>

#include "core/capture.h"
#include "core/event.h"

void render_rt_ms_header(FILE *out, const struct trace_header *h);

/* The columns before the time. */
void render_rt_ms_columns(FILE *out, const struct names *names, const struct event *e,
			  enum preempt_word word, uint32_t preempt_count);

/* "0.000ms (+0.549ms): ". Which gap stands in brackets depends on the version. */
void render_rt_ms_time(FILE *out, int64_t time, int64_t delta);

/* Is it the gap since the line before, rather than until the next one? */
bool render_rt_ms_looks_back(const struct trace_header *h);

#endif
