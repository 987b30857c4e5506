/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/json.h"

#include <math.h>

#include "core/capture.h"

void json_put_init(struct json *j, FILE *out, bool compact)
{
	*j = (struct json){ .out = out, .compact = compact };
}

static void json_indent(struct json *j)
{
	if (j->compact)
		return;
	putc('\n', j->out);
	for (int i = 0; i < j->depth; i++)
		putc(' ', j->out);
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
		putc(',', j->out);
	j->more[j->depth - 1] = true;
	json_indent(j);
}

void json_put_open(struct json *j, char bracket)
{
	json_separate(j);
	putc(bracket, j->out);
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
	putc(bracket, j->out);
}

void json_put_end(struct json *j)
{
	putc('\n', j->out);
	*j = (struct json){ .out = j->out, .compact = j->compact };
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

/* How many bytes at p stand for themselves: most names and texts do as a whole. */
static size_t plain_length(const unsigned char *p, size_t n)
{
	size_t i = 0;
	while (i < n && p[i] >= 0x20 && p[i] < 0x80 && p[i] != '"' && p[i] != '\\')
		i++;
	return i;
}

static void json_quote(struct json *j, struct str v)
{
	const unsigned char *p = (const unsigned char *)v.p;
	putc('"', j->out);
	for (size_t i = 0; i < v.n;) {
		size_t plain = plain_length(p + i, v.n - i);
		fwrite(p + i, 1, plain, j->out);
		i += plain;
		if (i == v.n)
			break;
		size_t len = utf8_length(p + i, v.n - i);
		if (!len)
			fputs("\xef\xbf\xbd", j->out);
		else if (p[i] == '"' || p[i] == '\\')
			fprintf(j->out, "\\%c", p[i]);
		else if (p[i] < 0x20)
			fprintf(j->out, "\\u%04x", p[i]);
		else
			fwrite(p + i, 1, len, j->out);
		i += len ? len : 1;
	}
	putc('"', j->out);
}

void json_put_key(struct json *j, const char *key)
{
	json_separate(j);
	json_quote(j, str_of(key));
	fputs(j->compact ? ":" : ": ", j->out);
	j->after_key = true;
}

void json_put_null(struct json *j)
{
	json_separate(j);
	fputs("null", j->out);
}

void json_put_bool(struct json *j, bool v)
{
	json_separate(j);
	fputs(v ? "true" : "false", j->out);
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
	fwrite(digits + n, 1, (size_t)(DIGITS - n), j->out);
}

void json_put_int(struct json *j, int64_t v)
{
	json_separate(j);
	if (v < 0)
		putc('-', j->out);
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
		putc('-', j->out);
	put_digits(j, all / one, 1);
	if (!decimals)
		return;
	putc('.', j->out);
	put_digits(j, frac, decimals);
}

void json_put_double(struct json *j, double v)
{
	json_separate(j);
	if (isfinite(v))
		fprintf(j->out, "%.15g", v);
	else
		fputs("null", j->out);
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
