/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/modules.h"

#include <string.h>

#include "preload/calls.h"
#include "preload/maps.h"

static bool is_known(const struct wire_locks *s, uint64_t start, uint64_t end)
{
	uint32_t n = s->modules_used;
	for (uint32_t i = 0; i < n && i < WIRE_MODULES; i++) {
		if (s->module[i].start <= start && end <= s->module[i].end)
			return true;
	}
	return false;
}

/* Only one thread is here. The names of neighbouring mappings are mostly the same. */
static void add(struct wire_locks *s, const struct mapping *m)
{
	uint32_t n = s->modules_used;
	if (n >= WIRE_MODULES || s->names_used + m->n + 1 > WIRE_NAMES ||
	    !segment_populate(&s->module[n], sizeof(s->module[n])) ||
	    !segment_populate(s->names + s->names_used, m->n + 1)) {
		__atomic_fetch_add(&s->module_overflow, 1, __ATOMIC_RELAXED);
		return;
	}
	const char *last = n ? s->names + s->module[n - 1].name : "";
	uint32_t name = n ? s->module[n - 1].name : 0;
	if (strlen(last) != m->n || memcmp(last, m->path, m->n) != 0) {
		name = s->names_used;
		memcpy(s->names + name, m->path, m->n);
		s->names_used += (uint32_t)m->n + 1;
	}
	s->module[n] = (struct wire_module){ m->start, m->end, m->offset, name, 1 };
	__atomic_store_n(&s->modules_used, n + 1, __ATOMIC_RELEASE);
}

static void add_new(const struct mapping *m, void *arg)
{
	struct wire_locks *s = arg;
	if (m->path && m->n < 4096 && !is_known(s, m->start, m->end))
		add(s, m);
}

HIDDEN void modules_read(struct wire_locks *s)
{
	/* One reader at a time; others come again with their next new site. Stacks may be small. */
	static char text[LINES_ROOM];
	if (__atomic_exchange_n(&segment_page.s.reading, 1, __ATOMIC_ACQUIRE))
		return;
	maps_read(text, add_new, s);
	__atomic_store_n(&segment_page.s.reading, 0, __ATOMIC_RELEASE);
}

/* Code without a file (a just-in-time compiler's) would be looked for again and again. */
#define READS_MAX 256

HIDDEN void modules_need(struct wire_locks *s, uint64_t pc)
{
	static unsigned reads;
	if (!pc || is_known(s, pc, pc) || !calls_begin())
		return;
	if (__atomic_fetch_add(&reads, 1, __ATOMIC_RELAXED) < READS_MAX)
		modules_read(s);
	calls_end();
}
