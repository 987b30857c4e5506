/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The other shapes that a line of a latency trace may have. Which one it is, each line tells by
 * itself: traces of several shapes are legal. All of them go on from the payload as the ordinary
 * lines of latency_entry.h do, and return what entry_parse returns.
 */
#ifndef DWELL_READ_LATENCY_SHAPES_H
#define DWELL_READ_LATENCY_SHAPES_H

#include "read/latency_entry.h"

/* x_begins: is this line of the shape, as far as its columns go? x_parse reads it. */

/* rt_ms.c: -rt kernels of 2004, v1.0 to v1.1.1. */
bool rt_ms_begins(struct str line);
enum entry_result rt_ms_parse(struct entry_reader *r, struct str line, struct event *e,
			      struct payload *p);

/* latency_verbose.c: with trace_verbose or the option verbose set. */
bool verbose_begins(struct str line);
enum entry_result verbose_parse(struct entry_reader *r, struct str line, struct event *e,
				struct payload *p);

/* latency_graph.c: with the option display-graph set. Lines with secs.usecs are those of the
 * tracer function_graph, too: ours only in a trace of a latency. */
bool latency_graph_begins(struct str line, bool of_latency);
enum entry_result latency_graph_parse(struct entry_reader *r, struct str line, struct event *e,
				      struct payload *p);

#endif
