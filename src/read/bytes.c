/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "read/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "read/inflate.h"

#define IN_ROOM (1u << 17)

/* Text of traces compresses 10 to 100 times; what expands more than this, and to more than
 * BOMB_BYTES, was made to fill a disk. (gzip cannot exceed 1032.) */
#define BOMB_RATIO 500
#define BOMB_BYTES (1ull << 30)

int bytes_open(struct bytes *b, const char *path, struct err *err)
{
	struct stat st;
	if (!path || strcmp(path, "-") == 0) {
		*b = (struct bytes){ .fd = STDIN_FILENO, .name = "standard input" };
		if (fstat(b->fd, &st) == 0 && S_ISREG(st.st_mode))
			b->size = (unsigned long long)st.st_size;
		return 0;
	}

	*b = (struct bytes){ .fd = open(path, O_RDONLY | O_CLOEXEC), .name = path };
	if (b->fd < 0)
		return err_set(err, errno, "cannot open '%s': %s", path, strerror(errno));

	int known = fstat(b->fd, &st);
	if (known == 0 && S_ISDIR(st.st_mode)) {
		bytes_close(b);
		return err_set(err, EISDIR, "'%s' is a directory: name the files in it", path);
	}
	if (known == 0 && S_ISREG(st.st_mode))
		b->size = (unsigned long long)st.st_size;
	posix_fadvise(b->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	return 0;
}

void bytes_close(struct bytes *b)
{
	if (b->fd > STDIN_FILENO)
		close(b->fd);
	b->fd = -1;
	if (b->stream)
		b->inflate->close(b->stream);
	b->stream = NULL;
	free(b->in);
	b->in = NULL;
}

static ssize_t read_raw(struct bytes *b, void *to, size_t room, struct err *err)
{
	for (;;) {
		ssize_t n = read(b->fd, to, room);
		if (n >= 0) {
			b->raw += (unsigned long long)n;
			bytes_watch_add(b->watch, (size_t)n);
			return n;
		}
		if (errno != EINTR)
			return err_set(err, errno, "cannot read '%s': %s", b->name,
				       strerror(errno));
	}
}

/* Reads the first bytes, and sees whether they are compressed. */
static int bytes_look(struct bytes *b, struct err *err)
{
	b->looked = true;
	b->in = mem_alloc(IN_ROOM);
	while (b->in_end < 6) {
		ssize_t n = read_raw(b, b->in + b->in_end, IN_ROOM - b->in_end, err);
		if (n < 0)
			return (int)n;
		if (n == 0)
			break;
		b->in_end += (size_t)n;
	}
	const char *missing = inflate_missing(b->in, b->in_end);
	if (missing)
		return err_set(err, ENOTSUP,
			       "'%s' is compressed with %s, which this dwell cannot read: "
			       "decompress it first",
			       b->name, missing);
	b->inflate = inflate_find(b->in, b->in_end);
	if (!b->inflate)
		return 0;
	b->stream = b->inflate->open();
	return b->stream
		       ? 0
		       : err_set(err, ENOMEM, "cannot start the %s decompressor", b->inflate->name);
}

/* 1: there are raw bytes; 0: end; -errno. */
static int fill_in(struct bytes *b, struct err *err)
{
	if (b->in_start < b->in_end)
		return 1;
	if (b->in_eof)
		return 0;
	ssize_t n = read_raw(b, b->in, IN_ROOM, err);
	if (n < 0)
		return (int)n;
	b->in_start = 0;
	b->in_end = (size_t)n;
	b->in_eof = n == 0;
	return n > 0;
}

static int check_bomb(const struct bytes *b, struct err *err)
{
	if (b->out < BOMB_BYTES || b->out / BOMB_RATIO < b->raw)
		return 0;
	return err_set(err, EFBIG, "'%s' expands more than %d times: this is no trace", b->name,
		       BOMB_RATIO);
}

static int damaged(const struct bytes *b, const char *how, struct err *err)
{
	return err_set(err, EIO, "'%s': the %s data are %s after %llu bytes of text", b->name,
		       b->inflate->name, how, b->out);
}

static ssize_t read_inflated(struct bytes *b, char *to, size_t room, struct err *err)
{
	char *out = to;
	size_t left = room;
	while (left == room) {
		int have = fill_in(b, err);
		if (have < 0)
			return have;
		if (!have)
			return b->member_open ? damaged(b, "cut short", err) : 0;
		const unsigned char *in = b->in + b->in_start;
		size_t n = b->in_end - b->in_start, before = n;
		enum inflate_result got = b->inflate->run(b->stream, &in, &n, &out, &left);
		b->in_start = b->in_end - n;
		b->member_open = got != INFLATE_END;
		bool stuck = n == before && left == room && got == INFLATE_OK;
		if ((got == INFLATE_DAMAGED || stuck) && left == room)
			return damaged(b, "damaged", err);
	}
	b->out += room - left;
	int ret = check_bomb(b, err);
	return ret ? ret : (ssize_t)(room - left);
}

ssize_t bytes_read(struct bytes *b, char *to, size_t room, struct err *err)
{
	if (!b->looked) {
		int ret = bytes_look(b, err);
		if (ret)
			return ret;
	}
	if (b->inflate)
		return read_inflated(b, to, room, err);
	if (b->in_start == b->in_end)
		return read_raw(b, to, room, err);
	size_t n = b->in_end - b->in_start < room ? b->in_end - b->in_start : room;
	memcpy(to, b->in + b->in_start, n);
	b->in_start += n;
	return (ssize_t)n;
}
