/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/filters.h"

#include <stdlib.h>
#include <string.h>

#include "preload/lines.h"
#include "wire/filters.h"

static void take(const char *line, const char *end, void *arg)
{
	(void)end;
	wire_filters_line(line, arg);
}

HIDDEN bool filters_may_end(void)
{
	char text[LINES_ROOM];
	int filters = 0;
	const char *harmless = getenv(WIRE_ENV_FILTERS);
	if (!harmless)
		return false;
	lines_read(WIRE_FILTERS_STATUS, text, take, &filters);
	return filters > atoi(harmless);
}

static void add_one(char *digits)
{
	for (size_t i = strlen(digits); i-- > 0;) {
		if (++digits[i] <= '9')
			return;
		digits[i] = '0';
	}
}

/*
 * The variable is written to, not set: that takes a lock of the C library, and moves the others. After a
 * deadly one, no number is small enough.
 */
HIDDEN void filters_added(bool deadly)
{
	static bool any_deadly;
	char *harmless = getenv(WIRE_ENV_FILTERS);
	any_deadly = any_deadly || deadly;
	if (!harmless)
		return;
	if (any_deadly)
		memset(harmless, '0', strlen(harmless));
	else
		add_one(harmless);
}
