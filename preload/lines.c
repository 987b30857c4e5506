/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static void read_lines(int fd, char *text,
		       void (*each)(const char *line, const char *end, void *arg), void *arg)
{
	size_t n = 0;
	ssize_t got;
	while ((got = read(fd, text + n, LINES_ROOM - n)) > 0) {
		n += (size_t)got;
		char *line = text, *end;
		while ((end = memchr(line, '\n', n - (size_t)(line - text)))) {
			each(line, end, arg);
			line = end + 1;
		}
		n -= (size_t)(line - text);
		memmove(text, line, n);
		if (n == LINES_ROOM)
			n = 0; /* no such line */
	}
}

HIDDEN bool lines_read(const char *file, char text[LINES_ROOM],
		       void (*each)(const char *line, const char *end, void *arg), void *arg)
{
	int saved = errno, cancel;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel); /* open and read are points */
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		read_lines(fd, text, each, arg);
		close(fd);
	}
	pthread_setcancelstate(cancel, NULL);
	errno = saved;
	return fd >= 0;
}
