/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_printk() keeps its format's address and the arguments in binary: vbin_printf() in
 * lib/vsprintf.c of the kernel. Integers lie aligned to their size, those of 8 bytes to 4;
 * strings lie in place, with their NUL. No conversion here is handed to printf() as it came.
 */
#include "read/dat_decode.h"
#include "read/dat_pointer.h"

#define TEXT_MAX 4096

struct binary {
	struct str args;
	size_t at;
	uint32_t long_size;
	bool big, bad;
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

/* %ps and the like are the name of a function; other letters behind %p were formatted by the
 * kernel, so that a string stands there. */
static void put_pointer(struct dat_decoder *d, struct str how, struct binary *b,
			const struct dat_conversion *c)
{
	size_t from = d->text.n;
	if (how.n && strchr("sSfFB", how.p[0]))
		dat_put_symbol(&d->text, &d->symbols, take_int(b, b->long_size),
			       strchr("SFB", how.p[0]));
	else if (!how.n || how.p[0] == 'x' || how.p[0] == 'K')
		dat_put_address(&d->text, take_int(b, b->long_size), b->long_size);
	else
		return dat_put_padded(&d->text, take_string(b), c);
	dat_put_padding(&d->text, from, c);
}

/* "*": an int among the arguments */
static void take_star(struct binary *b, int16_t *width)
{
	if (*width == DAT_WIDTH_ARG)
		*width = dat_conversion_width((int32_t)take_int(b, 4));
}

static void put_conversion(struct dat_decoder *d, struct str *f, struct binary *b)
{
	struct dat_conversion c = dat_conversion_take(f, b->long_size);
	struct str s;
	char ch;
	take_star(b, &c.width);
	take_star(b, &c.precision);
	switch (c.letter) {
	case '%':
		strbuf_str(&d->text, "%");
		break;
	case 'c':
		ch = (char)take_int(b, 1);
		dat_put_padded(&d->text, (struct str){ &ch, 1 }, &c);
		break;
	case 's':
		s = take_string(b);
		dat_put_padded(&d->text, c.precision >= 0 ? str_head(s, (size_t)c.precision) : s,
			       &c);
		break;
	case 'p':
		put_pointer(d, dat_pointer_take(f), b, &c);
		break;
	case 'd':
	case 'i':
	case 'u':
	case 'x':
	case 'X':
	case 'o':
		dat_put_integer(&d->text, take_int(b, c.size), &c);
		break;
	default:
		b->bad = true;
	}
}

static char take_char(struct str *f)
{
	char c = f->n ? f->p[0] : '\0';
	*f = str_from(*f, 1);
	return c;
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
