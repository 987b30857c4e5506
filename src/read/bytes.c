/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "read/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int bytes_open(struct bytes *b, const char *path, struct err *err)
{
	if (!path || strcmp(path, "-") == 0) {
		*b = (struct bytes){ .fd = STDIN_FILENO, .name = "standard input" };
		return 0;
	}

	*b = (struct bytes){ .fd = open(path, O_RDONLY | O_CLOEXEC), .name = path };
	if (b->fd < 0)
		return err_set(err, errno, "cannot open '%s': %s", path, strerror(errno));

	struct stat st;
	if (fstat(b->fd, &st) == 0 && S_ISDIR(st.st_mode)) {
		bytes_close(b);
		return err_set(err, EISDIR, "'%s' is a directory: name the files in it", path);
	}
	posix_fadvise(b->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	return 0;
}

void bytes_close(struct bytes *b)
{
	if (b->fd > STDIN_FILENO)
		close(b->fd);
	b->fd = -1;
}

ssize_t bytes_read(struct bytes *b, char *to, size_t room, struct err *err)
{
	for (;;) {
		ssize_t n = read(b->fd, to, room);
		if (n >= 0)
			return n;
		if (errno != EINTR)
			return err_set(err, errno, "cannot read '%s': %s", b->name,
				       strerror(errno));
	}
}
