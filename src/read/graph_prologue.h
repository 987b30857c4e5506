/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What stands before the duration in a line of function_graph. Every column is an option of the
 * tracer (print_graph_prologue in kernel/trace/trace_functions_graph.c), in this order:
 *
 *	  360.774522 |   1)   bash-1507    |  d..1 |   0.378 us    |    do_raw_spin_trylock();
 *	    4285 us |    0)   <idle>-0     |  d.h2 | + 11.006 us   |  }
 *	TIME         CPU      TASK/PID        flags    DURATION       FUNCTION CALLS
 *
 * The time is that of the clock, or, under a latency tracer, that since its beginning.
 */
#ifndef DWELL_READ_GRAPH_PROLOGUE_H
#define DWELL_READ_GRAPH_PROLOGUE_H

#include "base/str.h"
#include "core/names.h"

struct graph_prologue {
	bool have_time, relative, have_cpu, have_flags;
	int64_t time; /* ns */
	uint16_t cpu;
	struct str task; /* "bash-1507"; empty: not printed */
	uint32_t flags;
};

/* Cuts the columns that are there off *line; what is left begins with the duration. */
void graph_prologue_cut(struct str *line, struct graph_prologue *p);

/* The task of "comm-pid", split at the last '-'; false if the pid does not fit. */
bool graph_task(struct names *names, struct str who, uint32_t *task);

#endif
