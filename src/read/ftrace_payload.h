/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a line of ftrace text says behind its time. The two commonest forms, "func <-caller" and
 * "event: text", are read here; the rest is what latency_payload.c reads of all traces.
 */
#ifndef DWELL_READ_FTRACE_PAYLOAD_H
#define DWELL_READ_FTRACE_PAYLOAD_H

#include "read/ftrace_line.h"
#include "read/latency_entry.h"
#include "read/point_text.h"

/* What a name means, beyond the points of core/event.h (smaller numbers). */
enum name_kind {
	NAME_FUNCTION = POINTS, /* "function:             mutex_unlock <-- caller" of trace-cmd */
	NAME_GRAPH,             /* funcgraph_entry, funcgraph_exit */
	NAME_STACK,             /* kernel_stack */
	NAME_USER_STACK,
	NAME_MARKER, /* text that a person or a program wrote: may have several lines */
	NAME_ODD,    /* no name at all: what there is is read with more care */
	NAME_ROW,    /* a row of timerlat, osnoise or hwlat, which has no name either */
};

struct ftrace_payload {
	struct entry_reader entry;
	struct point_reader points;
	struct memo names; /* of functions and events, to id and kind */
	uint32_t wanted;   /* POINT_BIT()s to decode */
	uint8_t kind;      /* enum point or name_kind of the entry just read */
	bool padded;       /* names are padded as trace-cmd report pads them */
	bool perf;         /* "sched:sched_switch:", perhaps with a period in front */
	bool incomplete;   /* a wanted point could not be decoded */
	bool failed;       /* "[FAILED TO PARSE]" */
};

enum entry_result ftrace_payload_parse(struct ftrace_payload *r, struct str s, struct event *e,
				       struct payload *p);

#endif
