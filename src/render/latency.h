/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace in clean latency format, in the style of its generation, that reads back to the same
 * capture (`convert --to trace`). Traces of 2004 and lines of display-graph keep their shape.
 * Verbose lines come out as ordinary ones, without the raw stamp and the number of the record:
 * what reads back differs in `format` alone.
 */
#ifndef DWELL_RENDER_LATENCY_H
#define DWELL_RENDER_LATENCY_H

#include <stdio.h>

#include "core/capture.h"
#include "core/source.h"

struct render_latency {
	struct sink sink;
	FILE *out;
	const struct capture *capture;
	bool begun; /* the header is written */
	bool have;  /* an entry waits: its mark depends on the next one */
	struct event event;
	struct strbuf payload;
	enum preempt_word preempt_word; /* of the entry that waits */
	uint32_t preempt_count;
	int64_t before; /* time of the entry before it; NO_DURATION: none */
};

void render_latency_init(struct render_latency *r, FILE *out);
void render_latency_fini(struct render_latency *r);

#endif
