/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE /* O_TMPFILE, mkostemp */
#include "read/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"

int temporary_open(struct err *err)
{
	const char *folder = getenv("TMPDIR");
	if (!folder || !*folder)
		folder = "/tmp";
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
	/* Not every file system has files without a name. */
	struct strbuf cleanup_strbuf path = { 0 };
	strbuf_printf(&path, "%s/dwell-XXXXXX", folder);
	fd = mkostemp(path.p, O_CLOEXEC);
	if (fd < 0)
		return err_set(err, errno, "cannot make a temporary file in '%s': %s", folder,
			       strerror(errno));
	unlink(path.p);
	return fd;
}

int temporary_write(int fd, const void *p, size_t n, struct err *err)
{
	const char *from = p;
	while (n) {
		ssize_t put = write(fd, from, n);
		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return err_set(err, put ? errno : EIO,
				       "cannot write to a temporary file: %s (is there room in "
				       "$TMPDIR?)",
				       strerror(put ? errno : EIO));
		from += put;
		n -= (size_t)put;
	}
	return 0;
}
