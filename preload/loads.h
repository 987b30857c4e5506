/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The variable that loads this library, and may load others. */
#ifndef DWELL_PRELOAD_LOADS_H
#define DWELL_PRELOAD_LOADS_H

#include <stdbool.h>
#include <string.h>

#define LOADS "LD_PRELOAD"
#define LOADS_US "libdwell-locks"

/* Takes us out of its value, a list with colons or blanks. False: nothing is left. */
static inline bool loads_cut(char *value)
{
	char *us = strstr(value, LOADS_US);
	if (!us)
		return *value;
	char *end = us + strcspn(us, ": ");
	while (us > value && !strchr(": ", us[-1]))
		us--;
	if (*end)
		memmove(us, end + 1, strlen(end));
	else
		us[us > value ? -1 : 0] = '\0';
	return *value;
}

#endif
