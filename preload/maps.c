/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/maps.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

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

static void read_lines(int fd, char *text, void (*each)(const struct mapping *, void *), void *arg)
{
	size_t n = 0;
	ssize_t got;
	while ((got = read(fd, text + n, MAPS_LINE - n)) > 0) {
		n += (size_t)got;
		char *line = text, *end;
		while ((end = memchr(line, '\n', n - (size_t)(line - text)))) {
			struct mapping m = parse(line, end);
			each(&m, arg);
			line = end + 1;
		}
		n -= (size_t)(line - text);
		memmove(text, line, n);
		if (n == MAPS_LINE)
			n = 0; /* no such line */
	}
}

HIDDEN bool maps_read(char text[MAPS_LINE], void (*each)(const struct mapping *m, void *arg),
		      void *arg)
{
	int saved = errno, cancel;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel); /* open and read are points */
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		read_lines(fd, text, each, arg);
		close(fd);
	}
	pthread_setcancelstate(cancel, NULL);
	errno = saved;
	return fd >= 0;
}
