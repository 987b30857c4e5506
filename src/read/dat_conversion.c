/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "read/dat_conversion.h"

static char take_char(struct str *f)
{
	char c = f->n ? f->p[0] : '\0';
	*f = str_from(*f, 1);
	return c;
}

int16_t dat_conversion_width(int64_t v)
{
	return v < 0 ? 0 : v > INT16_MAX ? INT16_MAX : (int16_t)v;
}

static int16_t take_number(struct str *f)
{
	int64_t v = 0;
	if (f->n && f->p[0] == '*') {
		take_char(f);
		return DAT_WIDTH_ARG;
	}
	/* A number that does not fit is none that a kernel has. */
	if (f->n && f->p[0] >= '0' && f->p[0] <= '9' && !str_number(f, &v))
		*f = str_from(*f, f->n);
	return dat_conversion_width(v);
}

static uint8_t take_size(struct str *f, uint32_t long_size)
{
	uint8_t size = 4;
	char before = '\0';
	while (f->n && strchr("hlLqzt", f->p[0])) {
		char ch = take_char(f);
		if (ch == 'h')
			size = before == 'h' ? 1 : 2;
		else if (ch == 'L' || ch == 'q' || (ch == 'l' && before == 'l'))
			size = 8;
		else
			size = (uint8_t)long_size;
		before = ch;
	}
	return size;
}

struct dat_conversion dat_conversion_take(struct str *f, uint32_t long_size)
{
	struct dat_conversion c = { .precision = DAT_WIDTH_NONE };
	for (; f->n && strchr("-0+# ", f->p[0]); take_char(f)) {
		c.left |= f->p[0] == '-';
		c.zero |= f->p[0] == '0';
		c.plus |= f->p[0] == '+';
		c.hash |= f->p[0] == '#';
	}
	c.width = take_number(f);
	if (f->n && f->p[0] == '.') {
		take_char(f);
		c.precision = take_number(f);
	}
	c.size = take_size(f, long_size);
	c.letter = take_char(f);
	return c;
}

void dat_put_padding(struct strbuf *to, size_t from, const struct dat_conversion *c)
{
	static const char blanks[DAT_WIDTH_MAX] =
		"                                                                ";
	size_t n = to->n - from, width = c->width > 0 ? (size_t)c->width : 0;
	width = width < DAT_WIDTH_MAX ? width : DAT_WIDTH_MAX;
	if (n >= width)
		return;
	strbuf_add(to, blanks, width - n);
	if (c->left)
		return;
	memmove(to->p + from + (width - n), to->p + from, n);
	memset(to->p + from, ' ', width - n);
}

void dat_put_padded(struct strbuf *to, struct str s, const struct dat_conversion *c)
{
	size_t from = to->n;
	strbuf_add(to, s.p, s.n);
	dat_put_padding(to, from, c);
}

/* The digits of v, backwards from `end`; their first. */
static char *digits_before(char *end, uint64_t v, char letter)
{
	const char *figures = letter == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
	if (letter == 'x' || letter == 'X') {
		do
			*--end = figures[v & 15];
		while (v >>= 4);
	} else if (letter == 'o') {
		do
			*--end = figures[v & 7];
		while (v >>= 3);
	} else {
		do
			*--end = figures[v % 10];
		while (v /= 10);
	}
	return end;
}

/* v as the type that the conversion names; *negative if that has a sign, and v is its amount. */
static uint64_t narrow(uint64_t v, const struct dat_conversion *c, bool *negative)
{
	unsigned drop = 64 - 8 * c->size;
	*negative = false;
	if (c->letter != 'd' && c->letter != 'i')
		return v << drop >> drop;
	int64_t n = (int64_t)(v << drop) >> drop;
	*negative = n < 0;
	return *negative ? -(uint64_t)n : (uint64_t)n;
}

void dat_put_integer(struct strbuf *to, uint64_t v, const struct dat_conversion *c)
{
	char room[2 * DAT_WIDTH_MAX], *end = room + sizeof(room);
	bool negative;
	v = narrow(v, c, &negative);
	char *p = digits_before(end, v, c->letter);
	const char *sign = negative ? "-" : c->plus ? "+" : "";
	if (c->hash && (c->letter == 'x' || c->letter == 'X'))
		sign = "0x";
	int least = c->precision >= 0     ? c->precision
		    : c->zero && !c->left ? c->width - (int)strlen(sign)
					  : 0;
	while (end - p < least && end - p < DAT_WIDTH_MAX)
		*--p = '0';
	for (size_t i = strlen(sign); i-- > 0;)
		*--p = sign[i];
	size_t from = to->n;
	strbuf_add(to, p, (size_t)(end - p));
	dat_put_padding(to, from, c);
}
