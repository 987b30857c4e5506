/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace of function_graph as clean text that reads back to the same capture (`convert --to
 * trace`): the columns that were recorded, closing braces with the name of what they close (as
 * with funcgraph-tail), and no arrows around interrupts.
 */
#ifndef DWELL_RENDER_GRAPH_TEXT_H
#define DWELL_RENDER_GRAPH_TEXT_H

#include <stdio.h>

#include "base/vec.h"
#include "core/capture.h"
#include "core/source.h"

struct render_graph_text {
	struct sink sink;
	FILE *out;
	const struct capture *capture;
	bool begun;             /* the header is written */
	bool tasks;             /* printed in every line */
	VEC(uint32_t) tasks_on; /* by CPU: whose line it is, if it does not say; 0: not known */
	struct strbuf payload;
};

/* Is it of a format that this renderer writes? */
bool render_graph_text_fits(const struct trace_header *h);

void render_graph_text_init(struct render_graph_text *r, FILE *out);
void render_graph_text_fini(struct render_graph_text *r);

#endif
