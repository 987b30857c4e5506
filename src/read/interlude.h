/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What stands between the entries of a trace, whatever its shape: notices of lost events, the
 * frames of a stack, and lines that are none of the trace's.
 */
#ifndef DWELL_READ_INTERLUDE_H
#define DWELL_READ_INTERLUDE_H

#include "core/capture.h"
#include "core/event.h"
#include "read/carrier.h"

/* "CPU:1 [LOST 16689746 EVENTS]": sets *e (but for the line) and p->lost. */
bool interlude_lost(struct str text, struct event *e, struct payload *p);
bool interlude_is_lost(struct str text);

/* " => func" */
bool interlude_is_frame(struct str text);

/* Takes the frames that follow "<stack trace>" into p->stack. 0 at the end of input, else 1. */
int interlude_stack(struct carrier *from, struct capture *c, struct names *names, struct payload *p,
		    struct err *err);
void interlude_frame(struct names *names, struct payload *p, struct str symbol);

/*
 * Lines that are none of the trace's are damage if the trace goes on after them, and text around
 * it if not. Until then they wait here.
 */
#define PENDING_MAX 16

struct pending {
	uint32_t line[PENDING_MAX];
	uint32_t n, more;
};

void pending_add(struct pending *w, const struct line *line);
void pending_confirm(struct pending *w, struct capture *c, const char *why);

#endif
