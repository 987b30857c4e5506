/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of the timerlat, osnoise and hwlat tracers: what stands behind the time of a line in
 * default format.
 */
#ifndef DWELL_READ_TRACER_ROW_H
#define DWELL_READ_TRACER_ROW_H

#include "core/event.h"
#include "core/names.h"

enum row_result {
	ROW_NONE, /* not a row */
	ROW_OPEN, /* its values are missing, perhaps on the next line */
	ROW_OK,   /* e->what (0 for rows, which have no name), p->point and p->args are set */
};

/* A row, which has no name before a colon. */
enum row_result tracer_row_parse(struct names *names, struct str s, struct event *e,
				 struct payload *p);

#endif
