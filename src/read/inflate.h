/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The decompressors behind bytes.c, one struct of functions each. */
#ifndef DWELL_READ_INFLATE_H
#define DWELL_READ_INFLATE_H

#include <stdbool.h>
#include <stddef.h>

enum inflate_result {
	INFLATE_OK,  /* go on, with more input if all was taken */
	INFLATE_END, /* a member is complete; another one may follow */
	INFLATE_DAMAGED,
};

struct inflate_ops {
	const char *name;
	unsigned char magic[6];
	size_t magic_n;
	void *(*open)(void);
	void (*close)(void *stream);
	/* Takes bytes from *in and gives bytes to *out; both counts go down by what was used. */
	enum inflate_result (*run)(void *stream, const unsigned char **in, size_t *in_n, char **out,
				   size_t *out_n);
};

/* The decompressor for an input that begins so; NULL: plain, or too short to tell. */
const struct inflate_ops *inflate_find(const unsigned char *head, size_t n);

/* The name of a compression that is known but not built in; NULL. */
const char *inflate_missing(const unsigned char *head, size_t n);

#endif
