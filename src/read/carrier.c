/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "read/carrier.h"

#include <stdlib.h>

#include "base/mem.h"

#define CARRIER_BLOCK (1u << 18)

int carrier_open(struct carrier *c, const char *path, struct err *err)
{
	*c = (struct carrier){ 0 };
	int ret = bytes_open(&c->bytes, path, err);
	if (ret)
		return ret;
	c->room = CARRIER_BLOCK;
	c->buf = mem_resize(NULL, c->room, 1);
	return 0;
}

void carrier_close(struct carrier *c)
{
	bytes_close(&c->bytes);
	free(c->buf);
	c->buf = NULL;
}

/* Moves what is left to the front of the buffer and reads more behind it. */
static int carrier_fill(struct carrier *c, struct err *err)
{
	memmove(c->buf, c->buf + c->start, c->end - c->start);
	c->end -= c->start;
	c->start = 0;
	if (c->end == c->room) {
		c->room *= 2;
		c->buf = mem_resize(c->buf, c->room, 1);
	}

	ssize_t n = bytes_read(&c->bytes, c->buf + c->end, c->room - c->end, err);
	if (n < 0)
		return (int)n;
	c->eof = n == 0;
	c->end += (size_t)n;
	return 0;
}

/* "> ", ">> ", "> > ", " >": the marks of quoting, of any depth. */
static void line_unquote(struct line *l)
{
	struct str t = l->text;
	for (;;) {
		size_t i = t.n && t.p[0] == ' ' ? 1 : 0;
		if (t.n <= i || t.p[i] != '>')
			break;
		t = str_from(t, i + 1);
		l->quote++;
	}
	if (l->quote && t.n && t.p[0] == ' ')
		t = str_from(t, 1);
	l->text = t;
}

static void carrier_line(struct carrier *c, struct line *line, size_t n, bool cut)
{
	*line = (struct line){ { c->buf + c->start, n }, c->number, 0, cut };
	if (n && line->text.p[n - 1] == '\r')
		line->text.n--;
	if (n && (line->text.p[0] == '>' || line->text.p[0] == ' '))
		line_unquote(line);
}

int carrier_next(struct carrier *c, struct line *line, struct err *err)
{
	if (c->have_back) {
		*line = c->back;
		c->have_back = false;
		return 1;
	}

	size_t searched = 0;
	for (;;) {
		char *from = c->buf + c->start;
		size_t have = c->end - c->start;
		char *nl = have > searched ? memchr(from + searched, '\n', have - searched) : NULL;
		size_t n = nl ? (size_t)(nl - from) : have;
		bool cut = n > CARRIER_LINE_MAX;

		if (nl || (c->eof && have) || cut) {
			bool skip = c->skip_rest;
			if (!skip) {
				c->number++;
				carrier_line(c, line, cut ? CARRIER_LINE_MAX : n, cut);
			}
			c->skip_rest = !nl && !c->eof;
			c->start += n + (nl ? 1 : 0);
			searched = 0;
			if (skip)
				continue;
			return 1;
		}
		if (c->eof)
			return 0;
		searched = have;
		int ret = carrier_fill(c, err);
		if (ret)
			return ret;
	}
}
