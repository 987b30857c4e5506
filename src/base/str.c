/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE 1
#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

struct str str_trim(struct str a)
{
	a = str_trim_left(a);
	while (a.n && is_blank(a.p[a.n - 1]))
		a.n--;
	return a;
}

ptrdiff_t str_find(struct str a, const char *z)
{
	size_t n = strlen(z);
	if (a.n < n)
		return -1;
	const char *hit = memmem(a.p, a.n, z, n);
	return hit ? hit - a.p : -1;
}

ptrdiff_t str_rfind(struct str a, const char *z)
{
	size_t n = strlen(z);
	for (size_t i = a.n < n ? 0 : a.n - n + 1; i-- > 0;) {
		if (memcmp(a.p + i, z, n) == 0)
			return (ptrdiff_t)i;
	}
	return -1;
}

ptrdiff_t str_find_char(struct str a, char c)
{
	const char *hit = a.n ? memchr(a.p, c, a.n) : NULL;
	return hit ? hit - a.p : -1;
}

ptrdiff_t str_rfind_char(struct str a, char c)
{
	const char *hit = a.n ? memrchr(a.p, c, a.n) : NULL;
	return hit ? hit - a.p : -1;
}

size_t str_closing(struct str a)
{
	size_t level = 0;
	for (size_t i = 0; i < a.n; i++) {
		if (a.p[i] == '(')
			level++;
		else if (a.p[i] == ')' && --level == 0)
			return i;
	}
	return a.n;
}

struct str str_word(struct str *a)
{
	struct str rest = str_trim_left(*a);
	size_t n = 0;
	while (n < rest.n && !is_blank(rest.p[n]))
		n++;
	*a = str_from(rest, n);
	return str_head(rest, n);
}

bool str_number(struct str *a, int64_t *value)
{
	struct str s = *a;
	bool minus = s.n && s.p[0] == '-';
	if (s.n && (minus || s.p[0] == '+'))
		s = str_from(s, 1);

	size_t digits = 0;
	int64_t v = 0;
	for (; digits < s.n && is_digit(s.p[digits]); digits++) {
		int d = s.p[digits] - '0';
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, minus ? -d : d, &v))
			return false;
	}
	if (!digits)
		return false;
	*a = str_from(s, digits);
	*value = v;
	return true;
}

void strbuf_fini(struct strbuf *b)
{
	free(b->p);
	*b = (struct strbuf){ 0 };
}

void strbuf_room(struct strbuf *b, size_t more)
{
	size_t want = b->n + more + 1;
	if (want <= b->room)
		return;
	size_t room = b->room ? b->room : 64;
	while (room < want)
		room *= 2;
	b->p = mem_resize(b->p, room, 1);
	b->room = room;
}

void strbuf_cut(struct strbuf *b, size_t n)
{
	if (n >= b->n)
		return;
	b->n = n;
	b->p[n] = '\0';
}

void strbuf_fill(struct strbuf *b, size_t n, char c)
{
	strbuf_room(b, n);
	memset(b->p + b->n, c, n);
	b->n += n;
	b->p[b->n] = '\0';
}

#define NUMBER_N 20 /* of INT64_MIN, with its sign */

void strbuf_number(struct strbuf *b, int64_t v, size_t width, char pad)
{
	char text[NUMBER_N], *end = text + sizeof(text), *p = end;
	uint64_t left = v < 0 ? -(uint64_t)v : (uint64_t)v;
	do
		*--p = (char)('0' + left % 10);
	while (left /= 10);
	if (v < 0)
		*--p = '-';
	while (p > text && (size_t)(end - p) < width)
		*--p = pad;
	size_t n = (size_t)(end - p);
	if (n < width)
		strbuf_fill(b, width - n, pad);
	strbuf_add(b, p, n);
}

void strbuf_printf(struct strbuf *b, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	strbuf_room(b, (size_t)n);
	va_start(ap, fmt);
	vsnprintf(b->p + b->n, (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->n += (size_t)n;
}
