/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "read/dat_pointer.h"

#include <stdio.h>

#define ADDRESS4_N 4
#define ADDRESS6_N 16
#define GROUPS 8 /* of an IPv6 address */
#define MAC_N 6
#define UUID_N 16
#define HEX_MAX 64 /* hex_string() prints no more bytes */

typedef void put_fn(struct dat_eval *e, struct str bytes, struct str how, int width,
		    struct strbuf *to);

struct str dat_pointer_take(struct str *f)
{
	size_t n = 0;
	while (n < f->n &&
	       ((f->p[n] >= 'a' && f->p[n] <= 'z') || (f->p[n] >= 'A' && f->p[n] <= 'Z') ||
		(f->p[n] >= '0' && f->p[n] <= '9')))
		n++;
	struct str how = str_head(*f, n);
	*f = str_from(*f, n);
	return how;
}

static bool is_address(struct str how)
{
	return !how.n || str_eq(how, "x") || str_eq(how, "K");
}

/* f and F: until v5.5 */
static bool is_symbol(struct str how)
{
	return how.n == 1 && strchr("sSfFB", how.p[0]);
}

void dat_put_address(struct strbuf *to, uint64_t address, uint32_t long_size)
{
	const struct dat_conversion c = { .precision = (int16_t)(2 * long_size),
					  .size = (uint8_t)long_size,
					  .letter = 'x' };
	dat_put_integer(to, address, &c);
}

void dat_put_symbol(struct strbuf *to, struct dat_symbols *symbols, uint64_t address, bool full)
{
	struct dat_place place = dat_place(symbols, address);
	if (!place.name.n)
		return strbuf_printf(to, "0x%llx", (unsigned long long)address);
	strbuf_add(to, place.name.p, place.name.n);
	if (full)
		strbuf_printf(to, "+0x%llx/0x%llx", (unsigned long long)place.offset,
			      (unsigned long long)place.size);
	if (place.module.n)
		strbuf_printf(to, " %.*s", STR_ARG(place.module));
}

/* -- What the kernel reads at the address ------------------------------------------------------ */

static void put_ip4(struct strbuf *to, const unsigned char *a)
{
	strbuf_printf(to, "%u.%u.%u.%u", a[0], a[1], a[2], a[3]);
}

static bool is_mapped(const unsigned char *a)
{
	static const unsigned char prefix[12] = { [10] = 0xff, [11] = 0xff };
	return memcmp(a, prefix, sizeof(prefix)) == 0;
}

static unsigned group(const unsigned char *a, int i)
{
	return (unsigned)a[2 * i] << 8 | a[2 * i + 1];
}

/* The longest run of more than one group of zeros, the first of several; its length, 0: none. */
static int longest_zeros(const unsigned char *a, int groups, int *from)
{
	int longest = 1, n = 0;
	for (int i = 0; i < groups; i++) {
		n = group(a, i) ? 0 : n + 1;
		if (n > longest) {
			longest = n;
			*from = i - n + 1;
		}
	}
	return longest > 1 ? longest : 0;
}

/* ip6_compressed_string() */
static void put_ip6_short(struct strbuf *to, const unsigned char *a)
{
	bool mapped = is_mapped(a);
	int groups = mapped ? GROUPS - 2 : GROUPS, from = -1,
	    zeros = longest_zeros(a, groups, &from);
	bool colon = false;
	for (int i = 0; i < groups; i++) {
		if (zeros && i == from) {
			strbuf_str(to, colon || !i ? "::" : ":");
			colon = false;
			i += zeros - 1;
			continue;
		}
		strbuf_printf(to, colon ? ":%x" : "%x", group(a, i));
		colon = true;
	}
	if (!mapped)
		return;
	strbuf_str(to, colon ? ":" : "");
	put_ip4(to, a + ADDRESS6_N - ADDRESS4_N);
}

static void put_ip6(struct strbuf *to, const unsigned char *a, bool shortly)
{
	if (shortly)
		return put_ip6_short(to, a);
	for (int i = 0; i < GROUPS; i++)
		strbuf_printf(to, i ? ":%04x" : "%04x", group(a, i));
}

/* I4, I6, I6c */
static void put_ip(struct dat_eval *e, struct str bytes, struct str how, int width,
		   struct strbuf *to)
{
	(void)width;
	bool six = how.p[1] == '6';
	if (bytes.n < (six ? ADDRESS6_N : ADDRESS4_N))
		e->bad = true;
	else if (six)
		put_ip6(to, (const unsigned char *)bytes.p, how.n > 2);
	else
		put_ip4(to, (const unsigned char *)bytes.p);
}

/* IS with p (the port) and c: struct sockaddr_in, struct sockaddr_in6 */
static void put_sockaddr(struct dat_eval *e, struct str bytes, struct str how, int width,
			 struct strbuf *to)
{
	(void)width;
	const unsigned char *a = (const unsigned char *)bytes.p;
	unsigned family = bytes.n >= 8 ? dat_u16(a, e->data->big) : 0;
	bool port = str_find_char(how, 'p') > 0;
	if (family == 2) {
		put_ip4(to, a + 4);
	} else if (family == 10 && bytes.n >= 8 + ADDRESS6_N) {
		strbuf_str(to, port ? "[" : "");
		put_ip6(to, a + 8, str_find_char(how, 'c') > 0);
		strbuf_str(to, port ? "]" : "");
	} else {
		e->bad = true;
		return;
	}
	if (port)
		strbuf_printf(to, ":%u", dat_u16(a + 2, true));
}

static void put_bytes(struct strbuf *to, struct str bytes, char between)
{
	for (size_t i = 0; i < bytes.n; i++) {
		if (i && between)
			strbuf_add(to, &between, 1);
		strbuf_printf(to, "%02x", (unsigned char)bytes.p[i]);
	}
}

/* M, MF, m */
static void put_mac(struct dat_eval *e, struct str bytes, struct str how, int width,
		    struct strbuf *to)
{
	(void)width;
	e->bad = e->bad || bytes.n < MAC_N;
	put_bytes(to, str_head(bytes, MAC_N), how.p[0] == 'm' ? '\0' : how.n > 1 ? '-' : ':');
}

/* h with C, D, N: `width` bytes in hex */
static void put_buffer(struct dat_eval *e, struct str bytes, struct str how, int width,
		       struct strbuf *to)
{
	size_t n = width > 0 ? (size_t)width : 1;
	char between = how.n < 2 ? ' ' : how.p[1] == 'C' ? ':' : how.p[1] == 'D' ? '-' : '\0';
	n = n < HEX_MAX ? n : HEX_MAX;
	e->bad = e->bad || bytes.n < n;
	put_bytes(to, str_head(bytes, n), between);
}

/* U, Ub, Ul: the first three groups are turned round in the last */
static void put_uuid(struct dat_eval *e, struct str bytes, struct str how, int width,
		     struct strbuf *to)
{
	static const unsigned char as_is[UUID_N] = { 0, 1, 2,  3,  4,  5,  6,  7,
						     8, 9, 10, 11, 12, 13, 14, 15 };
	static const unsigned char turned[UUID_N] = { 3, 2, 1,  0,  5,  4,  7,  6,
						      8, 9, 10, 11, 12, 13, 14, 15 };
	(void)width;
	const unsigned char *order = str_eq(how, "Ul") ? turned : as_is;
	e->bad = e->bad || bytes.n < UUID_N;
	for (int i = 0; i < UUID_N && !e->bad; i++)
		strbuf_printf(to, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x",
			      (unsigned char)bytes.p[order[i]]);
}

static bool bit(const struct dat_eval *e, struct str bytes, int i)
{
	/* The bytes of the kernel's longs stand the other way round on big endian. */
	size_t at = (size_t)i / 8, turn = e->data->big ? e->long_size - 1 : 0;
	return (unsigned char)bytes.p[at ^ turn] >> (i % 8) & 1;
}

/* bl: of the first `width` bits those that are set, "0-3,7" */
static void put_bits(struct dat_eval *e, struct str bytes, struct str how, int width,
		     struct strbuf *to)
{
	(void)how;
	size_t begun = to->n, whole = bytes.n / e->long_size * e->long_size;
	if (width <= 0 || (size_t)width > whole * 8) {
		e->bad = e->bad || width > 0;
		return;
	}
	for (int i = 0; i < width; i++) {
		int from = i;
		if (!bit(e, bytes, i))
			continue;
		while (i + 1 < width && bit(e, bytes, i + 1))
			i++;
		strbuf_printf(to, to->n > begun ? ",%d" : "%d", from);
		if (i > from)
			strbuf_printf(to, "-%d", i);
	}
}

/* Others are not known here, or need what is not in the record. */
static put_fn *put_of(struct str how)
{
	static const struct {
		const char *how;
		put_fn *put;
	} known[] = {
		{ "I4", put_ip },         { "I6", put_ip },        { "I6c", put_ip },
		{ "IS", put_sockaddr },   { "ISp", put_sockaddr }, { "ISc", put_sockaddr },
		{ "ISpc", put_sockaddr }, { "M", put_mac },        { "MF", put_mac },
		{ "m", put_mac },         { "U", put_uuid },       { "Ub", put_uuid },
		{ "Ul", put_uuid },       { "h", put_buffer },     { "hC", put_buffer },
		{ "hD", put_buffer },     { "hN", put_buffer },    { "bl", put_bits },
	};
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (str_eq(how, known[i].how))
			return known[i].put;
	}
	return NULL;
}

bool dat_pointer_fits(struct str how, bool is_int, enum dat_op op)
{
	if (is_address(how) || is_symbol(how))
		return is_int;
	return op == DAT_OP_BYTES && put_of(how);
}

void dat_put_pointer(struct dat_eval *e, const struct dat_step *s, const struct dat_conversion *c,
		     const struct dat_printer *p)
{
	size_t from = p->to->n;
	put_fn *put = put_of(s->how);
	if (put) {
		put(e, dat_eval_bytes(e, s->value), s->how, c->width, p->to);
		if (s->how.p[0] == 'h' || s->how.p[0] == 'b')
			return; /* the width is that of the bytes */
	} else if (is_address(s->how)) {
		dat_put_address(p->to, dat_eval_int(e, s->value), p->long_size);
	} else {
		dat_put_symbol(p->to, p->symbols, dat_eval_int(e, s->value),
			       strchr("SFB", s->how.p[0]));
	}
	dat_put_padding(p->to, from, c);
}
