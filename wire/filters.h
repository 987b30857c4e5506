/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How many filters of system calls (seccomp) a thread is under: see WIRE_ENV_FILTERS. */
#ifndef DWELL_WIRE_FILTERS_H
#define DWELL_WIRE_FILTERS_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define WIRE_FILTERS_STATUS "/proc/thread-self/status"

/*
 * Takes it from a line of that file, which ends with a newline. Before Linux 5.9 it tells only that there
 * are some (proc(5)): then it is 1.
 */
static inline void wire_filters_line(const char *line, int *filters)
{
	static const char number[] = "Seccomp_filters:", mode[] = "Seccomp:\t2\n";
	if (strncmp(line, number, sizeof(number) - 1) == 0)
		*filters = atoi(line + sizeof(number) - 1);
	else if (strncmp(line, mode, sizeof(mode) - 1) == 0)
		*filters = 1;
}

#endif
