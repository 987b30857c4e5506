/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a line of function_graph says behind its prologue: the duration and the call, nested by
 * indentation. Whose line it is (time, CPU, task, flags) is the affair of the reader.
 */
#ifndef DWELL_READ_GRAPH_CALL_H
#define DWELL_READ_GRAPH_CALL_H

#include "core/event.h"
#include "core/names.h"

enum graph_result {
	GRAPH_MARKER,  /* an interrupt begins or ends here: no call */
	GRAPH_DAMAGED, /* no call either */
	GRAPH_OPEN,    /* its end is missing, perhaps on the next line */
	GRAPH_OK,
};

/* From the duration's column on. Sets kind, depth and what of *e, and p->graph. */
enum graph_result graph_call_parse(struct names *names, struct str s, struct event *e,
				   struct payload *p);

/*
 * The calls that are open, by who is in them and depth: what a closing brace closes that does not
 * say so. A cache of fixed size: what has been overwritten is not known.
 */
#define GRAPH_OPEN_SLOTS 1024

struct graph_open {
	struct {
		uint32_t name, who;
		uint8_t depth;
	} slot[GRAPH_OPEN_SLOTS];
};

/* Notes an opening, names a closing. */
void graph_open_follow(struct graph_open *o, const struct names *names, struct event *e);

/* The calls that are open on a CPU, whose task was not known so far, are e's. */
void graph_open_adopt(struct graph_open *o, const struct names *names, const struct event *e);

#endif
