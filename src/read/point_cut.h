/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fields of an event's text are cut off its end: a comm may hold blanks and '=', and stands first
 * in every event that has one, so what is left in front is the comm, whatever it holds.
 */
#ifndef DWELL_READ_POINT_CUT_H
#define DWELL_READ_POINT_CUT_H

#include "base/str.h"
#include "read/memo.h"

static inline bool cut_tail(struct str *s, const char *tail, size_t n)
{
	if (s->n < n || !memo_same(s->p + s->n - n, tail, n))
		return false;
	s->n -= n;
	return true;
}

/* "0x6c73 (27763)", of the trace option fields since 6.4, to "27763": what stands before is cut
 * from *s, and the slice of the digits returned. */
static inline struct str cut_field_number(struct str *s)
{
	ptrdiff_t open = str_rfind_char(*s, '(');
	struct str digits = str_from(*s, (size_t)open + 1);
	if (open < 2)
		return (struct str){ 0 };
	digits.n--;
	size_t n = (size_t)open - 1;
	while (n && s->p[n - 1] != '=')
		n--;
	s->n = n;
	return digits;
}

/* " key=123" at the end of *s: cut off; key holds the blank before and the '=' behind. */
static inline bool cut_number_field(struct str *s, const char *key, size_t n, int64_t *value)
{
	struct str t = *s, number = { 0 };
	while (t.n && t.p[t.n - 1] == ' ')
		t.n--;
	if (t.n && t.p[t.n - 1] == ')')
		number = cut_field_number(&t);
	const char *p = number.p ? number.p + number.n : t.p + t.n;
	const char *from = number.p ? number.p : t.p;
	uint64_t v = 0, scale = 1;
	const char *end = p;
	for (; p > from && is_digit(p[-1]) && end - p < 18; p--, scale *= 10)
		v += scale * (uint64_t)(p[-1] - '0');
	if (p == end)
		return false;
	bool minus = p > from && p[-1] == '-';
	if (!number.p)
		t.n = (size_t)(p - minus - t.p);
	if (!cut_tail(&t, key, n))
		return false;
	*value = minus ? -(int64_t)v : (int64_t)v;
	*s = t;
	return true;
}

#define CUT_NUMBER(s, key, value) cut_number_field(s, key, sizeof(key) - 1, value)

#endif
