/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What stands before the text of a line in tracefs' default format (print_lat_context's sibling
 * trace_print_context in kernel/trace/trace_output.c):
 *
 *	     timerlat/6-79756   [006] .......   426.271264: #58634 context thread ...
 *	          <...>-1729    (-----) [001] d...   678.473449: #1     inner/outer(us): ...
 *
 * comm-pid, perhaps the thread group in parentheses, the CPU, perhaps 4 to 7 flags, the time.
 * Columns are found by shape, from the CPU's brackets: comms may hold blanks and dashes.
 */
#ifndef DWELL_READ_ROW_PREFIX_H
#define DWELL_READ_ROW_PREFIX_H

#include "base/str.h"
#include "core/names.h"

struct row_prefix {
	struct str comm;
	int32_t pid;
	uint16_t cpu;
	uint32_t flags;  /* 0 where none are printed */
	int64_t time;    /* ns */
	struct str rest; /* behind the time's colon, without blanks around */
};

bool row_prefix_cut(struct str line, struct row_prefix *p);

#endif
