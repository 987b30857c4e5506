/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The header of a trace in latency format, line by line. Any subset of its lines may be there,
 * with or without '#', with or without the box around the task.
 */
#ifndef DWELL_READ_LATENCY_HEADER_H
#define DWELL_READ_LATENCY_HEADER_H

#include "core/capture.h"

enum header_line {
	HEADER_NONE,   /* not of a header */
	HEADER_TRACER, /* "# tracer: irqsoff" */
	HEADER_TITLE,  /* "irqsoff latency trace v1.1.5 on 6.1.192" */
	HEADER_LATENCY,
	HEADER_TASK,
	HEADER_PLACE,   /* started at, ended at */
	HEADER_DRAWING, /* legend, rules, '#' lines without content, vim:ft=help */
};

enum header_line header_classify(struct str text);

/* Takes over what the line says. NULL, or what is wrong with it. */
const char *header_read(struct capture *c, enum header_line kind, struct str text);

#endif
