/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The columns before the duration in a line of function_graph, in the kernel's order
 * (print_graph_prologue in kernel/trace/trace_functions_graph.c), and their legend.
 */
#ifndef DWELL_RENDER_GRAPH_COLUMNS_H
#define DWELL_RENDER_GRAPH_COLUMNS_H

#include <stdio.h>

#include "core/event.h"
#include "core/names.h"

enum graph_column {
	GRAPH_COLUMN_TIME = 1,  /* funcgraph-abstime: "  360.774522 |  " */
	GRAPH_COLUMN_SINCE = 2, /* under a latency tracer: "     4285 us |  " */
	GRAPH_COLUMN_CPU = 4,
	GRAPH_COLUMN_TASK = 8,   /* funcgraph-proc */
	GRAPH_COLUMN_FLAGS = 16, /* latency-format */
};

#define GRAPH_COLUMNS_LATENCY                                                                      \
	(GRAPH_COLUMN_SINCE | GRAPH_COLUMN_CPU | GRAPH_COLUMN_TASK | GRAPH_COLUMN_FLAGS)

void render_graph_legend(FILE *out, unsigned columns);

/* Flags that the event does not have are left out. */
void render_graph_columns(FILE *out, const struct names *names, const struct event *e,
			  unsigned columns);

/* "comm-pid", centred. */
void render_graph_task(FILE *out, const struct names *names, uint32_t task);

#endif
