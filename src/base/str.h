/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slices of text (not NUL-terminated, never owned) and a growable text buffer.
 */
#ifndef DWELL_BASE_STR_H
#define DWELL_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"

struct str {
	const char *p;
	size_t n;
};

/* For "%.*s" */
#define STR_ARG(s) (int)((s).n > 0x7fffffff ? 0x7fffffff : (s).n), (s).p

static inline struct str str_of(const char *z)
{
	return (struct str){ z, z ? strlen(z) : 0 };
}

static inline bool str_eq(struct str a, const char *z)
{
	size_t n = strlen(z);
	return a.n == n && (!n || memcmp(a.p, z, n) == 0);
}

static inline bool str_same(struct str a, struct str b)
{
	return a.n == b.n && (!a.n || memcmp(a.p, b.p, a.n) == 0);
}

static inline bool str_starts(struct str a, const char *z)
{
	size_t n = strlen(z);
	return a.n >= n && (!n || memcmp(a.p, z, n) == 0);
}

/* What is left after the first n bytes (nothing, if there are fewer). */
static inline struct str str_from(struct str a, size_t n)
{
	n = n < a.n ? n : a.n;
	return n ? (struct str){ a.p + n, a.n - n } : a; /* NULL + 0 is undefined */
}

static inline struct str str_head(struct str a, size_t n)
{
	return (struct str){ a.p, n < a.n ? n : a.n };
}

static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A space, a tab or a CR. */
static inline bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* How many blanks it begins with. Columns are mostly spaces: eight at a time. */
static inline size_t str_blanks(struct str a)
{
	size_t n = 0;
	while (n + 8 <= a.n) {
		uint64_t others;
		memcpy(&others, a.p + n, 8);
		others ^= 0x2020202020202020ull;
		if (others) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
			n += (size_t)__builtin_ctzll(others) / 8;
#else
			n += (size_t)__builtin_clzll(others) / 8;
#endif
			break;
		}
		n += 8;
	}
	while (n < a.n && is_blank(a.p[n]))
		n++;
	return n;
}

static inline struct str str_trim_left(struct str a)
{
	return str_from(a, str_blanks(a));
}

struct str str_trim(struct str a);

/* How many digits stand at its start. */
static inline size_t str_digits(struct str a)
{
	size_t n = 0;
	while (n < a.n && is_digit(a.p[n]))
		n++;
	return n;
}

/* Position of z or of c in a, the first or (rfind) the last one; -1 if absent. */
ptrdiff_t str_find(struct str a, const char *z);
ptrdiff_t str_rfind(struct str a, const char *z);
ptrdiff_t str_find_char(struct str a, char c);
ptrdiff_t str_rfind_char(struct str a, char c);

/* Position of the ')' that closes the '(' at the start of a; a.n if there is none. */
size_t str_closing(struct str a);

/* Cuts the next blank-separated word off *a; an empty slice when there is none. */
struct str str_word(struct str *a);

/*
 * A decimal number, with sign, at the start of *a; on success *a moves past it. False, with
 * *a unchanged, when there is none or when it does not fit.
 */
bool str_number(struct str *a, int64_t *value);

/* The same without a sign. */
static inline bool str_unsigned(struct str *a, int64_t *value)
{
	return a->n && is_digit(a->p[0]) && str_number(a, value);
}

struct strbuf {
	char *p; /* NUL-terminated once something was added */
	size_t n, room;
};

void strbuf_fini(struct strbuf *b);
/* Makes room for so many bytes more, and the NUL. */
void strbuf_room(struct strbuf *b, size_t more);

/* Lines are put together of short pieces, so this is inline. */
static inline void strbuf_add(struct strbuf *b, const char *p, size_t n)
{
	if (b->room - b->n <= n)
		strbuf_room(b, n);
	if (n)
		memcpy(b->p + b->n, p, n);
	b->n += n;
	b->p[b->n] = '\0';
}

static inline void strbuf_str(struct strbuf *b, const char *z)
{
	strbuf_add(b, z, strlen(z));
}

/* Keeps the first n bytes of what there is. */
void strbuf_cut(struct strbuf *b, size_t n);
void strbuf_printf(struct strbuf *b, const char *fmt, ...) printf_like(2, 3);
/* Where lines are many, without printf(): c n times; and v in decimal digits, at least `width`
 * characters with `pad` before it (blanks, or zeros of a number that is not negative). */
void strbuf_fill(struct strbuf *b, size_t n, char c);
void strbuf_number(struct strbuf *b, int64_t v, size_t width, char pad);
static inline struct str strbuf_get(const struct strbuf *b)
{
	return (struct str){ b->p, b->n };
}
#define cleanup_strbuf __attribute__((cleanup(strbuf_fini)))

#endif
