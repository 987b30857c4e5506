/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/modules.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

/* A line of maps: "start-end perms offset dev inode   path" */
struct mapping {
	uint64_t start, end, offset;
	const char *path; /* not terminated */
	size_t n;
};

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

static bool parse(const char *line, const char *end, struct mapping *m)
{
	const char *p = hex(line, end, &m->start);
	p = hex(p, end, &m->end);
	p = p + 5 < end ? p + 5 : end; /* "r-xp " */
	hex(p, end, &m->offset);
	m->path = memchr(p, '/', (size_t)(end - p));
	m->n = m->path ? (size_t)(end - m->path) : 0;
	return m->path && m->n < 4096;
}

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
	if (n >= WIRE_MODULES || s->names_used + m->n + 1 > WIRE_NAMES) {
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

static void read_maps(struct wire_locks *s, int fd)
{
	char text[5120];
	size_t n = 0;
	ssize_t got;
	while ((got = read(fd, text + n, sizeof(text) - n)) > 0) {
		n += (size_t)got;
		char *line = text, *end;
		while ((end = memchr(line, '\n', n - (size_t)(line - text)))) {
			struct mapping m;
			if (parse(line, end, &m) && !is_known(s, m.start, m.end))
				add(s, &m);
			line = end + 1;
		}
		n -= (size_t)(line - text);
		memmove(text, line, n);
		if (n == sizeof(text))
			n = 0; /* no such line */
	}
}

HIDDEN void modules_read(struct wire_locks *s)
{
	/* One reader at a time; others come again with their next new site. */
	if (__atomic_exchange_n(&segment_page.s.reading, 1, __ATOMIC_ACQUIRE))
		return;
	int saved = errno, cancel;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel); /* open and read are points */
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		read_maps(s, fd);
		close(fd);
	}
	pthread_setcancelstate(cancel, NULL);
	errno = saved;
	__atomic_store_n(&segment_page.s.reading, 0, __ATOMIC_RELEASE);
}

/* Code without a file (a just-in-time compiler's) would be looked for again and again. */
#define READS_MAX 256

HIDDEN void modules_need(struct wire_locks *s, uint64_t pc)
{
	static unsigned reads;
	if (!pc || is_known(s, pc, pc) ||
	    __atomic_fetch_add(&reads, 1, __ATOMIC_RELAXED) >= READS_MAX)
		return;
	modules_read(s);
}
