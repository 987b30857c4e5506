/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/maps.h"

#include <string.h>

static const char *hex(const char *p, const char *end, uint64_t *v)
{
	*v = 0;
	for (; p < end; p++) {
		unsigned digit = (unsigned)(*p >= 'a' ? *p - 'a' + 10 : *p - '0');
		if (digit > 15)
			break;
		*v = *v << 4 | digit;
	}
	return p < end ? p + 1 : end;
}

static struct mapping parse(const char *line, const char *end)
{
	struct mapping m = { 0 };
	const char *p = hex(line, end, &m.start);
	p = hex(p, end, &m.end);
	p = p + 5 < end ? p + 5 : end; /* "r-xp " */
	hex(p, end, &m.offset);
	m.path = memchr(p, '/', (size_t)(end - p));
	m.n = m.path ? (size_t)(end - m.path) : 0;
	return m;
}

struct reader {
	void (*each)(const struct mapping *m, void *arg);
	void *arg;
};

static void give(const char *line, const char *end, void *arg)
{
	const struct reader *r = arg;
	struct mapping m = parse(line, end);
	r->each(&m, r->arg);
}

HIDDEN bool maps_read(char text[LINES_ROOM], void (*each)(const struct mapping *m, void *arg),
		      void *arg)
{
	return lines_read("/proc/self/maps", text, give, &(struct reader){ each, arg });
}
