/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "json_check.h"

#include <stdlib.h>

#include "fuzz.h"

#define DEPTH 100

static bool value(struct str *s, int depth);

static bool take(struct str *s, char c)
{
	if (!s->n || s->p[0] != c)
		return false;
	*s = str_from(*s, 1);
	return true;
}

static void blanks(struct str *s)
{
	while (s->n && strchr(" \t\r\n", s->p[0]) && s->p[0])
		*s = str_from(*s, 1);
}

static bool digits(struct str *s)
{
	size_t n = 0;
	while (n < s->n && s->p[n] >= '0' && s->p[n] <= '9')
		n++;
	*s = str_from(*s, n);
	return n > 0;
}

static bool number(struct str *s)
{
	take(s, '-');
	if (!take(s, '0') && !digits(s))
		return false;
	if (take(s, '.') && !digits(s))
		return false;
	if (take(s, 'e') || take(s, 'E')) {
		if (!take(s, '-'))
			take(s, '+');
		return digits(s);
	}
	return true;
}

/* Bytes of the character that s begins with: no overlong form, no surrogate; 0: it is none. */
static size_t utf8(struct str s)
{
	const unsigned char *p = (const unsigned char *)s.p;
	size_t n = p[0] < 0x80   ? 1
		   : p[0] < 0xc2 ? 0
		   : p[0] < 0xe0 ? 2
		   : p[0] < 0xf0 ? 3
		   : p[0] < 0xf5 ? 4
				 : 0;
	if (!n || n > s.n)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	}
	bool bad = (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] >= 0xa0) ||
		   (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] >= 0x90);
	return bad ? 0 : n;
}

static bool escape(struct str *s)
{
	if (!s->n)
		return false;
	char c = s->p[0];
	*s = str_from(*s, 1);
	if (c != 'u')
		return c && strchr("\"\\/bfnrt", c);
	for (int i = 0; i < 4; i++) {
		if (!s->n || !s->p[0] || !strchr("0123456789abcdefABCDEF", s->p[0]))
			return false;
		*s = str_from(*s, 1);
	}
	return true;
}

static bool string(struct str *s)
{
	if (!take(s, '"'))
		return false;
	while (s->n) {
		if (take(s, '"'))
			return true;
		if (take(s, '\\')) {
			if (!escape(s))
				return false;
			continue;
		}
		size_t n = utf8(*s);
		if (!n || (unsigned char)s->p[0] < 0x20)
			return false;
		*s = str_from(*s, n);
	}
	return false;
}

static bool member(struct str *s, bool object, int depth)
{
	blanks(s);
	if (object) {
		if (!string(s))
			return false;
		blanks(s);
		if (!take(s, ':'))
			return false;
	}
	return value(s, depth);
}

static bool members(struct str *s, bool object, int depth)
{
	char end = object ? '}' : ']';
	blanks(s);
	if (take(s, end))
		return true;
	do {
		if (!member(s, object, depth))
			return false;
		blanks(s);
	} while (take(s, ','));
	return take(s, end);
}

static bool word(struct str *s, const char *z)
{
	if (!str_starts(*s, z))
		return false;
	*s = str_from(*s, strlen(z));
	return true;
}

static bool value(struct str *s, int depth)
{
	blanks(s);
	if (!s->n || depth > DEPTH)
		return false;
	switch (s->p[0]) {
	case '{':
	case '[': {
		bool object = s->p[0] == '{';
		*s = str_from(*s, 1);
		return members(s, object, depth + 1);
	}
	case '"':
		return string(s);
	case 't':
		return word(s, "true");
	case 'f':
		return word(s, "false");
	case 'n':
		return word(s, "null");
	default:
		return number(s);
	}
}

bool json_check(struct str text)
{
	if (!value(&text, 0))
		return false;
	blanks(&text);
	return !text.n;
}

void json_memory_begin(struct json_memory *m)
{
	m->file = open_memstream(&m->text, &m->n);
	fuzz_require(m->file);
	json_put_init(&m->json, m->file, true);
}

void json_memory_end(struct json_memory *m)
{
	json_put_flush(&m->json);
	fclose(m->file);
	struct str text = { m->text, m->n };
	bool good = json_check(text);
	if (!good)
		fprintf(stderr, "%.*s\n", STR_ARG(text));
	fuzz_require(good);
	free(m->text);
}
