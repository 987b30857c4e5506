/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_printk() keeps its format's address and the arguments in binary: vbin_printf() in
 * lib/vsprintf.c of the kernel. Integers lie aligned to their size, those of 8 bytes to 4;
 * strings lie in place, with their NUL. No conversion here is handed to printf() as it came.
 */
#include "read/dat_decode.h"

#include <inttypes.h>
#include <stdio.h>

#define WIDTH_MAX 64
#define TEXT_MAX 4096

struct binary {
	struct str args;
	size_t at;
	uint32_t long_size;
	bool big, bad;
};

struct conversion {
	bool left, zero, plus, hash;
	int width, precision; /* -1: none */
	unsigned size;        /* bytes of an integer */
	char letter;          /* behind %, sizes and all; 0: the format ended */
};

static uint64_t take_int(struct binary *b, unsigned size)
{
	size_t align = size > 4 ? 4 : size;
	size_t at = (b->at + align - 1) / align * align;
	if (at > b->args.n || size > b->args.n - at) {
		b->bad = true;
		return 0;
	}
	const unsigned char *p = (const unsigned char *)b->args.p + at;
	b->at = at + size;
	switch (size) {
	case 1:
		return *p;
	case 2:
		return dat_u16(p, b->big);
	case 4:
		return dat_u32(p, b->big);
	default:
		return dat_u64(p, b->big);
	}
}

static struct str take_string(struct binary *b)
{
	struct str rest = str_from(b->args, b->at);
	const char *nul = rest.n ? memchr(rest.p, 0, rest.n) : NULL;
	if (!nul) {
		b->bad = true;
		return (struct str){ "", 0 };
	}
	struct str s = str_head(rest, (size_t)(nul - rest.p));
	b->at += s.n + 1;
	return s;
}

static char take_char(struct str *f)
{
	char c = f->n ? f->p[0] : '\0';
	*f = str_from(*f, 1);
	return c;
}

static int take_number(struct str *f, struct binary *b)
{
	int64_t v = 0;
	if (f->n && f->p[0] == '*') {
		take_char(f);
		v = (int32_t)take_int(b, 4);
	} else if (f->n && f->p[0] >= '0' && f->p[0] <= '9' && !str_number(f, &v)) {
		*f = str_from(*f, f->n);
	}
	return v < 0 ? 0 : v > WIDTH_MAX ? WIDTH_MAX : (int)v;
}

static void take_size(struct str *f, const struct binary *b, struct conversion *c)
{
	c->size = 4;
	while (f->n && strchr("hlLqzt", f->p[0])) {
		char ch = take_char(f);
		if (ch == 'h')
			c->size = c->size == 2 ? 1 : 2;
		else if (ch == 'z' || ch == 't' || (ch == 'l' && c->size == 4))
			c->size = b->long_size;
		else
			c->size = 8;
	}
}

/* What stands behind a %. */
static struct conversion take_conversion(struct str *f, struct binary *b)
{
	struct conversion c = { .precision = -1 };
	for (; f->n && strchr("-0+# ", f->p[0]); *f = str_from(*f, 1)) {
		c.left |= f->p[0] == '-';
		c.zero |= f->p[0] == '0';
		c.plus |= f->p[0] == '+';
		c.hash |= f->p[0] == '#';
	}
	c.width = take_number(f, b);
	if (f->n && f->p[0] == '.') {
		take_char(f);
		c.precision = take_number(f, b);
	}
	take_size(f, b, &c);
	c.letter = take_char(f);
	return c;
}

static void put_padded(struct strbuf *to, struct str s, const struct conversion *c)
{
	int pad = c->width > (int)s.n ? c->width - (int)s.n : 0;
	if (!c->left)
		strbuf_printf(to, "%*s", pad, "");
	strbuf_add(to, s.p, s.n);
	if (c->left)
		strbuf_printf(to, "%*s", pad, "");
}

static void put_integer(struct strbuf *to, uint64_t v, const struct conversion *c)
{
	char digits[80], text[WIDTH_MAX + 88];
	bool negative = false;
	if (c->letter == 'd' || c->letter == 'i') {
		int64_t n = c->size == 1   ? (int8_t)v
			    : c->size == 2 ? (int16_t)v
			    : c->size == 4 ? (int32_t)v
					   : (int64_t)v;
		negative = n < 0;
		v = negative ? -(uint64_t)n : (uint64_t)n;
	}
	snprintf(digits, sizeof(digits),
		 c->letter == 'x'   ? "%" PRIx64
		 : c->letter == 'X' ? "%" PRIX64
		 : c->letter == 'o' ? "%" PRIo64
				    : "%" PRIu64,
		 v);
	const char *sign = negative ? "-" : c->plus ? "+" : "";
	if (c->hash && (c->letter == 'x' || c->letter == 'X'))
		sign = "0x";
	int zeros = c->precision >= 0     ? c->precision
		    : c->zero && !c->left ? c->width - (int)strlen(sign)
					  : 0;
	zeros -= (int)strlen(digits);
	snprintf(text, sizeof(text), "%s%.*s%s", sign, zeros > 0 ? zeros : 0,
		 "0000000000000000000000000000000000000000000000000000000000000000", digits);
	put_padded(to, str_of(text), c);
}

/* %ps and the like are the name of a function; other letters behind %p were formatted by the
 * kernel, so that a string stands there. */
static void put_pointer(struct dat_decoder *d, struct str *f, struct binary *b,
			const struct conversion *c)
{
	char text[24], kind = f->n ? f->p[0] : '\0';
	if (kind && strchr("sSfFB", kind)) {
		take_char(f);
		return put_padded(&d->text,
				  names_str(d->names,
					    dat_function(&d->symbols, take_int(b, b->long_size))),
				  c);
	}
	bool extended = (kind >= 'a' && kind <= 'z') || (kind >= 'A' && kind <= 'Z');
	if (extended && kind != 'x' && kind != 'K') {
		while (f->n &&
		       ((f->p[0] >= 'a' && f->p[0] <= 'z') || (f->p[0] >= 'A' && f->p[0] <= 'Z') ||
			(f->p[0] >= '0' && f->p[0] <= '9')))
			take_char(f);
		return put_padded(&d->text, take_string(b), c);
	}
	if (extended)
		take_char(f);
	snprintf(text, sizeof(text), "0x%" PRIx64, take_int(b, b->long_size));
	put_padded(&d->text, str_of(text), c);
}

static void put_conversion(struct dat_decoder *d, struct str *f, struct binary *b)
{
	struct conversion c = take_conversion(f, b);
	struct str s;
	char ch;
	switch (c.letter) {
	case '%':
		strbuf_str(&d->text, "%");
		break;
	case 'c':
		ch = (char)take_int(b, 1);
		put_padded(&d->text, (struct str){ &ch, 1 }, &c);
		break;
	case 's':
		s = take_string(b);
		put_padded(&d->text, c.precision >= 0 ? str_head(s, (size_t)c.precision) : s, &c);
		break;
	case 'p':
		put_pointer(d, f, b, &c);
		break;
	case 'd':
	case 'i':
	case 'u':
	case 'x':
	case 'X':
	case 'o':
		put_integer(&d->text, take_int(b, c.size), &c);
		break;
	default:
		b->bad = true;
	}
}

/* The file's copy of the format has \n, \t, \\ and \" as C has them (t_show() in
 * kernel/trace/trace_printk.c). */
static void put_escape(struct strbuf *to, char c, bool last)
{
	if (c == 'n' && last)
		return;
	strbuf_add(to, c == 'n' ? "\n" : c == 't' ? "\t" : &c, 1);
}

void dat_bprintf(struct dat_decoder *d, struct str format, struct str args)
{
	struct binary b = { args, 0, d->long_size, d->big, false };
	size_t begun = d->text.n;
	while (format.n && !b.bad && d->text.n - begun < TEXT_MAX) {
		size_t n = 0;
		while (n < format.n && format.p[n] != '%' && format.p[n] != '\\')
			n++;
		strbuf_add(&d->text, format.p, n);
		format = str_from(format, n);
		if (!format.n)
			break;
		if (take_char(&format) == '%') {
			put_conversion(d, &format, &b);
		} else if (format.n) {
			char c = take_char(&format);
			put_escape(&d->text, c, !format.n);
		}
	}
	if (b.bad)
		strbuf_str(&d->text, " (its arguments are cut short)");
}
