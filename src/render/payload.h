/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a line of a trace says behind its time, in the style of the capture's generation. */
#ifndef DWELL_RENDER_PAYLOAD_H
#define DWELL_RENDER_PAYLOAD_H

#include <stdio.h>

#include "core/capture.h"
#include "core/event.h"

/* Writes it into *b, from its start: a stack with all its lines, without the last line end. */
void render_payload(struct strbuf *b, const struct capture *c, const struct event *e,
		    const struct payload *p);

/* "CPU:1 [LOST 5 EVENTS]" */
void render_lost(FILE *out, const struct event *e, const struct payload *p);

#endif
