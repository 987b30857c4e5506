/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE 1
#include "record/lock_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "wire/locks.h"

#define PREFIX "dwell-"
#define ALIVE "alive"

bool lock_folder_has_counts(const char *name)
{
	size_t n = strlen(name), m = strlen(WIRE_FILE_SUFFIX);
	return n > m && strcmp(name + n - m, WIRE_FILE_SUFFIX) == 0;
}

/* What somebody else has put there stays, and so does the folder. */
static void remove_files(const char *folder)
{
	DIR *d = opendir(folder);
	for (struct dirent *e; d && (e = readdir(d));) {
		if (lock_folder_has_counts(e->d_name))
			unlinkat(dirfd(d), e->d_name, 0);
	}
	if (d) {
		unlinkat(dirfd(d), ALIVE, 0);
		closedir(d);
	}
	rmdir(folder);
}

/* The lock of a folder; -EAGAIN: it is held, or is gone; -errno: there is none. */
static int take(const char *folder, int flags)
{
	char name[320];
	struct stat st;
	snprintf(name, sizeof(name), "%s/" ALIVE, folder);
	int fd = open(name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | flags, 0600);
	if (fd < 0)
		return -errno;
	if (!flock(fd, LOCK_EX | LOCK_NB) && !fstat(fd, &st) && st.st_nlink == 1)
		return fd; /* and nobody took it for one that was left */
	close(fd);
	return -EAGAIN;
}

static void remove_left(const char *where)
{
	DIR *d = opendir(where);
	for (struct dirent *e; d && (e = readdir(d));) {
		char folder[300];
		struct stat st;
		snprintf(folder, sizeof(folder), "%s/%.80s", where, e->d_name);
		if (strncmp(e->d_name, PREFIX, strlen(PREFIX)) || lstat(folder, &st) ||
		    !S_ISDIR(st.st_mode) || st.st_uid != geteuid())
			continue;
		int fd = take(folder, 0);
		if (fd < 0)
			continue;
		remove_files(folder);
		close(fd);
	}
	if (d)
		closedir(d);
}

static int make_in(struct lock_folder *f, const char *where)
{
	char name[256];
	snprintf(name, sizeof(name), "%.200s/" PREFIX "XXXXXX", where);
	if (!mkdtemp(name))
		return -errno;
	f->alive = take(name, O_CREAT | O_EXCL);
	if (f->alive < 0) {
		rmdir(name);
		return f->alive;
	}
	f->path = mem_strdup(name);
	return 0;
}

int lock_folder_make(struct lock_folder *f, struct err *err)
{
	/* Shared memory before a disk: what is counted must not be written back. */
	const char *tmp = getenv("TMPDIR");
	const char *const may[] = { "/dev/shm", tmp && tmp[0] == '/' ? tmp : "/tmp", "/tmp" };
	int ret = 0;
	for (size_t i = 0; i < sizeof(may) / sizeof(may[0]); i++) {
		remove_left(may[i]);
		ret = make_in(f, may[i]);
		if (!ret)
			return 0;
	}
	return err_set(err, -ret, "cannot make a folder in /dev/shm or /tmp: %s", strerror(-ret));
}

void lock_folder_remove(struct lock_folder *f)
{
	if (!f->path)
		return;
	remove_files(f->path);
	close(f->alive);
	free(f->path);
	f->path = NULL;
}
