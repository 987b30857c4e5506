/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers in a trace.dat, which are in the byte order of the traced machine, and a cursor that
 * never leaves its bytes: past their end it gives zeros and turns bad, and stays so.
 */
#ifndef DWELL_READ_DAT_BYTES_H
#define DWELL_READ_DAT_BYTES_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/str.h"

static inline uint16_t dat_u16(const unsigned char *p, bool big)
{
	uint16_t v;
	memcpy(&v, p, sizeof(v));
	return big ? be16toh(v) : le16toh(v);
}

static inline uint32_t dat_u32(const unsigned char *p, bool big)
{
	uint32_t v;
	memcpy(&v, p, sizeof(v));
	return big ? be32toh(v) : le32toh(v);
}

static inline uint64_t dat_u64(const unsigned char *p, bool big)
{
	uint64_t v;
	memcpy(&v, p, sizeof(v));
	return big ? be64toh(v) : le64toh(v);
}

struct dat_cursor {
	const unsigned char *p, *end;
	bool big, bad;
};

static inline struct dat_cursor dat_cursor_of(const void *p, size_t n, bool big)
{
	const unsigned char *from = p ? p : (const unsigned char *)"";
	return (struct dat_cursor){ from, from + n, big, false };
}

/* The next n bytes; NULL if there are not as many. */
static inline const unsigned char *dat_take(struct dat_cursor *c, uint64_t n)
{
	if (c->bad || n > (uint64_t)(c->end - c->p)) {
		c->bad = true;
		return NULL;
	}
	const unsigned char *p = c->p;
	c->p += n;
	return p;
}

static inline uint16_t dat_take_u16(struct dat_cursor *c)
{
	const unsigned char *p = dat_take(c, 2);
	return p ? dat_u16(p, c->big) : 0;
}

static inline uint32_t dat_take_u32(struct dat_cursor *c)
{
	const unsigned char *p = dat_take(c, 4);
	return p ? dat_u32(p, c->big) : 0;
}

static inline uint64_t dat_take_u64(struct dat_cursor *c)
{
	const unsigned char *p = dat_take(c, 8);
	return p ? dat_u64(p, c->big) : 0;
}

/* A NUL-terminated string; empty and bad if no NUL comes. */
static inline struct str dat_take_str(struct dat_cursor *c)
{
	size_t have = c->bad ? 0 : (size_t)(c->end - c->p);
	const unsigned char *nul = have ? memchr(c->p, 0, have) : NULL;
	if (!nul) {
		c->bad = true;
		return (struct str){ "", 0 };
	}
	struct str s = { (const char *)c->p, (size_t)(nul - c->p) };
	c->p = nul + 1;
	return s;
}

/* A slice with what its size says, or nothing. */
static inline struct str dat_take_sized(struct dat_cursor *c, uint64_t n)
{
	const unsigned char *p = dat_take(c, n);
	return p ? (struct str){ (const char *)p, (size_t)n } : (struct str){ "", 0 };
}

#endif
