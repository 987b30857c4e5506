/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/json.h"

#include <math.h>

#include "core/capture.h"

void json_put_init(struct json *j, FILE *out, bool compact)
{
	j->out = out;
	j->compact = compact;
	j->after_key = false;
	j->depth = 0;
	j->n = 0;
}

void json_put_flush(struct json *j)
{
	fwrite(j->buffer, 1, j->n, j->out);
	j->n = 0;
}

static void put(struct json *j, const void *p, size_t n)
{
	if (n > sizeof(j->buffer) - j->n)
		json_put_flush(j);
	if (n > sizeof(j->buffer)) {
		fwrite(p, 1, n, j->out);
		return;
	}
	memcpy(j->buffer + j->n, p, n);
	j->n += n;
}

static void put_char(struct json *j, char c)
{
	if (j->n == sizeof(j->buffer))
		json_put_flush(j);
	j->buffer[j->n++] = c;
}

void json_put_raw(struct json *j, const char *z)
{
	put(j, z, strlen(z));
}

static void json_indent(struct json *j)
{
	if (j->compact)
		return;
	put_char(j, '\n');
	for (int i = 0; i < j->depth; i++)
		put_char(j, ' ');
}

/* Before a value or a key: a comma if one stands before it. */
static void json_separate(struct json *j)
{
	if (j->after_key) {
		j->after_key = false;
		return;
	}
	if (!j->depth)
		return;
	if (j->more[j->depth - 1])
		put_char(j, ',');
	j->more[j->depth - 1] = true;
	json_indent(j);
}

void json_put_open(struct json *j, char bracket)
{
	json_separate(j);
	put_char(j, bracket);
	if (j->depth < JSON_DEPTH - 1)
		j->depth++;
	j->more[j->depth - 1] = false;
}

void json_put_close(struct json *j, char bracket)
{
	bool had = j->depth && j->more[j->depth - 1];
	if (j->depth)
		j->depth--;
	if (had)
		json_indent(j);
	put_char(j, bracket);
}

void json_put_end(struct json *j)
{
	put_char(j, '\n');
	json_put_flush(j);
	j->depth = 0;
	j->after_key = false;
}

/* Length of the UTF-8 sequence at p (RFC 3629, table 3-7 of Unicode); 0: none. */
static size_t utf8_length(const unsigned char *p, size_t n)
{
	unsigned char c = p[0];
	if (c < 0x80)
		return 1;
	size_t want = c >= 0xc2 && c < 0xe0   ? 2
		      : c >= 0xe0 && c < 0xf0 ? 3
		      : c >= 0xf0 && c < 0xf5 ? 4
					      : 0;
	if (!want || want > n)
		return 0;
	for (size_t i = 1; i < want; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	}
	if ((c == 0xe0 && p[1] < 0xa0) || (c == 0xed && p[1] > 0x9f) ||
	    (c == 0xf0 && p[1] < 0x90) || (c == 0xf4 && p[1] > 0x8f))
		return 0;
	return want;
}

/* Bytes that stand for themselves: most names and texts do as a whole. */
static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

static void put_escaped(struct json *j, unsigned char c)
{
	static const char digits[] = "0123456789abcdef";
	char text[] = { '\\', 'u', '0', '0', digits[c >> 4], digits[c & 15] };
	if (c >= 0x20)
		text[1] = (char)c; /* a quote or a backslash */
	put(j, text, c >= 0x20 ? 2 : sizeof(text));
}

static void json_quote(struct json *j, struct str v)
{
	const unsigned char *p = (const unsigned char *)v.p, *end = v.n ? p + v.n : p;
	put_char(j, '"');
	while (p < end) {
		const unsigned char *from = p;
		while (p < end && is_plain(*p))
			p++;
		put(j, from, (size_t)(p - from));
		if (p == end)
			break;
		size_t len = utf8_length(p, (size_t)(end - p));
		if (!len)
			put(j, "\xef\xbf\xbd", 3);
		else if (len == 1)
			put_escaped(j, *p);
		else
			put(j, p, len);
		p += len ? len : 1;
	}
	put_char(j, '"');
}

void json_put_key(struct json *j, const char *key)
{
	json_separate(j);
	json_quote(j, str_of(key));
	put_char(j, ':');
	if (!j->compact)
		put_char(j, ' ');
	j->after_key = true;
}

void json_put_null(struct json *j)
{
	json_separate(j);
	json_put_raw(j, "null");
}

void json_put_bool(struct json *j, bool v)
{
	json_separate(j);
	json_put_raw(j, v ? "true" : "false");
}

#define DIGITS 20

/* At least `width` digits of v, with zeros before them. printf would take most of a line's time. */
static void put_digits(struct json *j, uint64_t v, int width)
{
	char digits[DIGITS];
	int n = DIGITS;
	do {
		digits[--n] = (char)('0' + v % 10);
		v /= 10;
	} while (v || DIGITS - n < width);
	put(j, digits + n, (size_t)(DIGITS - n));
}

void json_put_int(struct json *j, int64_t v)
{
	json_separate(j);
	if (v < 0)
		put_char(j, '-');
	put_digits(j, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, 1);
}

void json_put_decimal(struct json *j, int64_t v, int scale, int least)
{
	uint64_t all = v < 0 ? 0 - (uint64_t)v : (uint64_t)v, one = 1;
	for (int i = 0; i < scale; i++)
		one *= 10;
	uint64_t frac = all % one;
	int decimals = scale;
	for (; decimals > least && frac % 10 == 0; decimals--)
		frac /= 10;
	json_separate(j);
	if (v < 0)
		put_char(j, '-');
	put_digits(j, all / one, 1);
	if (!decimals)
		return;
	put_char(j, '.');
	put_digits(j, frac, decimals);
}

void json_put_double(struct json *j, double v)
{
	json_separate(j);
	char text[32] = "null";
	if (isfinite(v))
		snprintf(text, sizeof(text), "%.15g", v);
	json_put_raw(j, text);
}

void json_put_str(struct json *j, struct str v)
{
	json_separate(j);
	json_quote(j, v);
}

void json_put_string(struct json *j, const char *v)
{
	if (v)
		json_put_str(j, str_of(v));
	else
		json_put_null(j);
}

void json_put_known(struct json *j, int64_t v)
{
	if (v == UNKNOWN)
		json_put_null(j);
	else
		json_put_int(j, v);
}
