/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE 1
#include "record/lock_left.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ENVIRON_MAX (256u << 10) /* bytes of an environment that are looked at */

static bool is_counted(const struct lock_run *r, long pid)
{
	vec_each (p, &r->processes) {
		if ((long)(*p)->pid == pid)
			return true;
	}
	return false;
}

/* Another user's cannot be read, and one that is over has none. */
static size_t read_environ(const char *pid, char *to)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%.20s/environ", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t n = 0;
	ssize_t more = 0;
	while (fd >= 0 && n < ENVIRON_MAX && (more = read(fd, to + n, ENVIRON_MAX - n)) > 0)
		n += (size_t)more;
	if (fd >= 0)
		close(fd);
	return n;
}

uint64_t lock_left(const struct lock_run *r)
{
	char want[512];
	int length = snprintf(want, sizeof(want), WIRE_ENV_FOLDER "=%s", r->folder.path);
	DIR *d = opendir("/proc");
	char *env = mem_alloc(ENVIRON_MAX);
	uint64_t left = 0;
	for (struct dirent *e; d && (e = readdir(d));) {
		if (!isdigit((unsigned char)e->d_name[0]) ||
		    is_counted(r, strtol(e->d_name, NULL, 10)))
			continue;
		size_t n = read_environ(e->d_name, env);
		left += memmem(env, n, want, (size_t)length + 1) != NULL; /* with its NUL */
	}
	if (d)
		closedir(d);
	free(env);
	return left;
}
