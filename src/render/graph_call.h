/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The duration and the call of a function_graph line, as the kernel prints them. */
#ifndef DWELL_RENDER_GRAPH_CALL_H
#define DWELL_RENDER_GRAPH_CALL_H

#include "core/event.h"
#include "core/names.h"

/* "  0.378 us    |    do_raw_spin_trylock();" */
void render_graph_call(struct strbuf *b, const struct names *names, const struct event *e,
		       const struct payload *p);

#endif
