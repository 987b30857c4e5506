/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "read/ms_columns.h"

struct str ms_last_word(struct str *s)
{
	struct str t = str_trim(*s);
	size_t from = t.n;
	while (from && !is_blank(t.p[from - 1]))
		from--;
	*s = str_trim(str_head(t, from));
	return str_from(t, from);
}

bool ms_hex(struct str s, uint64_t *value)
{
	uint64_t v = 0;
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		unsigned digit = is_digit(c)            ? (unsigned)(c - '0')
				 : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
							: 16;
		if (digit > 15)
			return false;
		v = v << 4 | digit;
	}
	*value = v;
	return s.n >= 1 && s.n <= 16;
}

/*
 * "%ld.%03ldms (+%ld.%03ldms): ". What stands behind '+' is the time since the line before in
 * v1.0.2, the time until the next line in v1.0.5 to v1.0.7, and unknown elsewhere: it only tells
 * that this is such a column.
 */
static bool is_delta(struct str s, size_t *n)
{
	size_t i = 0;
	while (i < s.n && (is_digit(s.p[i]) || s.p[i] == '.' || s.p[i] == '-'))
		i++;
	if (!i)
		return false;
	if (str_starts(str_from(s, i), "ms"))
		i += 2;
	*n = i + 2;
	return str_starts(str_from(s, i), "):");
}

/* Three decimals of a millisecond are microseconds: exact in ns. */
static bool stamp_time(struct ms_stamp *stamp, struct str word)
{
	stamp->ticks = word.n < 3 || word.p[word.n - 1] != 's';
	if (stamp->ticks)
		return str_number(&word, &stamp->time) && !word.n;
	int64_t ms, us;
	if (!str_number(&word, &ms) || word.n != 6 || word.p[0] != '.' || !is_digit(word.p[1]))
		return false;
	word = str_from(word, 1);
	if (!str_number(&word, &us) || !str_eq(word, "ms"))
		return false;
	return !__builtin_mul_overflow(ms, 1000000, &stamp->time) &&
	       !__builtin_add_overflow(stamp->time, us * 1000, &stamp->time);
}

bool ms_stamp_find(struct str line, struct ms_stamp *stamp)
{
	ptrdiff_t at = str_find(line, "(+");
	size_t n;
	if (at <= 0)
		return false;
	struct str delta = str_from(line, (size_t)at + 2);
	if (!is_delta(delta, &n))
		return false;
	stamp->rest = str_trim(str_from(delta, n));
	stamp->before = str_head(line, (size_t)at);
	struct str word = ms_last_word(&stamp->before);
	return word.n && is_digit(word.p[0]) && stamp_time(stamp, word);
}
