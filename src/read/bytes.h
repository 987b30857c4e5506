/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bytes of an input: a file or standard input, opened, checked, and read in blocks.
 * Compressed input (gzip, zstd, xz; known by its first bytes) is decompressed on the way, as a
 * stream: memory does not follow its size.
 */
#ifndef DWELL_READ_BYTES_H
#define DWELL_READ_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

/* Who wants to know how far reading has come: block is called after each block. */
struct bytes_watch {
	void (*block)(struct bytes_watch *w); /* NULL: nobody */
	unsigned long long done, size;        /* bytes as they are stored; size 0: not known */
};

static inline void bytes_watch_add(struct bytes_watch *w, size_t n)
{
	if (!w || !w->block)
		return;
	w->done += n;
	w->block(w);
}

struct bytes {
	int fd;
	const char *name;                  /* as the user wrote it; "standard input" for "-" */
	const struct inflate_ops *inflate; /* NULL: not compressed, or not looked at yet */
	void *stream;                      /* its state */
	unsigned char *in;                 /* raw bytes waiting */
	size_t in_start, in_end;
	bool looked, in_eof, member_open; /* a compressed member has begun and not ended */
	unsigned long long raw, out;      /* bytes so far, for the guard against bombs */
	unsigned long long size;          /* of a regular file; 0: not known */
	struct bytes_watch *watch;
};

/* path "-" or NULL is standard input. A directory is an error here, not at the first read. */
int bytes_open(struct bytes *b, const char *path, struct err *err) must_check;
void bytes_close(struct bytes *b);

/*
 * Up to room bytes; 0 at the end, -errno on error: also when compressed data are damaged or cut,
 * after all bytes before that place were returned.
 */
ssize_t bytes_read(struct bytes *b, char *to, size_t room, struct err *err) must_check;

#endif
