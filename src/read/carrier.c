/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "read/carrier.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "read/temporary.h"
#include "read/undo.h"

#define CARRIER_BLOCK (1u << 18)
#define UTF8_MARK "\xef\xbb\xbf" /* U+FEFF: what editors of Windows put before a text */
#define SNIFF_LATER 4096         /* of every block after the first */

int carrier_open(struct carrier *c, const char *path, struct err *err)
{
	*c = (struct carrier){ .count = undo_count_none() };
	int ret = bytes_open(&c->bytes, path, err);
	if (ret)
		return ret;
	c->room = CARRIER_BLOCK;
	c->buf = mem_resize(NULL, c->room, 1);
	return 0;
}

void carrier_open_fd(struct carrier *c, int fd, const char *name)
{
	*c = (struct carrier){ .bytes = { .fd = fd, .name = name },
			       .room = CARRIER_BLOCK,
			       .count = undo_count_none() };
	c->buf = mem_resize(NULL, c->room, 1);
}

void carrier_close(struct carrier *c)
{
	bytes_close(&c->bytes);
	free(c->buf);
	c->buf = NULL;
	strbuf_fini(&c->undone);
	strbuf_fini(&c->held);
	vec_fini(&c->queue);
}

void carrier_back_all(struct carrier *c, const struct line *lines, size_t n,
		      const struct line *after)
{
	size_t waiting = c->queue.n - c->queue_at, all = n + (after ? 1 : 0);
	vec_reserve(&c->queue, all + waiting + 1);
	struct line *q = c->queue.at;
	memmove(q + all, q + c->queue_at, waiting * sizeof(*q));
	for (size_t i = 0; i < all; i++)
		q[i] = i < n ? lines[i] : *after;
	c->queue.n = all + waiting;
	c->queue_at = 0;

	struct strbuf held = { 0 };
	for (size_t i = 0; i < c->queue.n; i++)
		strbuf_add(&held, q[i].text.p, q[i].text.n);
	size_t at = 0;
	for (size_t i = 0; i < c->queue.n; at += q[i++].text.n)
		q[i].text.p = held.p + at;
	strbuf_fini(&c->held);
	c->held = held;
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

	ssize_t n = bytes_read(&c->bytes, c->buf + c->end, c->room - c->end, &c->trouble);
	if (n < 0 && !c->number && !c->end) {
		if (err)
			*err = c->trouble;
		return (int)n;
	}
	c->eof = n <= 0;
	if (n <= 0)
		return 0;
	struct str fresh = { c->buf + c->end, (size_t)n };
	c->steps |= undo_sniff(c->number ? str_head(fresh, SNIFF_LATER) : fresh);
	c->end += (size_t)n;
	return 0;
}

int carrier_peek(struct carrier *c, size_t n, struct str *head, struct err *err)
{
	int ret = 0;
	while (!ret && !c->eof && c->end - c->start < n)
		ret = carrier_fill(c, err);
	*head = str_head((struct str){ c->buf + c->start, c->end - c->start }, n);
	return ret;
}

/* Copies all that is still to come; where reading fails, trouble says so. */
static int carrier_spool(struct carrier *c, int to, struct err *err)
{
	int ret = temporary_write(to, c->buf + c->start, c->end - c->start, err);
	while (!ret && !c->eof) {
		ssize_t n = bytes_read(&c->bytes, c->buf, c->room, &c->trouble);
		c->eof = n <= 0;
		if (n > 0)
			ret = temporary_write(to, c->buf, (size_t)n, err);
	}
	return ret;
}

int carrier_file(struct carrier *c, struct err *err)
{
	const struct bytes *b = &c->bytes;
	int fd;
	if (!b->inflate && lseek(b->fd, 0, SEEK_CUR) == (off_t)b->raw) {
		fd = fcntl(b->fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		if (fd < 0)
			err_set(err, errno, "cannot read '%s': %s", b->name, strerror(errno));
	} else {
		fd = temporary_open(err);
		int ret = fd < 0 ? fd : carrier_spool(c, fd, err);
		if (ret && fd >= 0)
			close(fd);
		fd = ret ? ret : fd;
	}
	c->start = c->end = 0;
	c->eof = true;
	return fd < 0 && err ? -err->code : fd;
}

/* The next line as it stands in the file. */
static int carrier_raw(struct carrier *c, struct line *line, struct err *err)
{
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
				struct str text = { from, cut ? CARRIER_LINE_MAX : n };
				if (c->number == 1 && str_starts(text, UTF8_MARK))
					text = str_from(text, strlen(UTF8_MARK));
				while (text.n && text.p[text.n - 1] == '\r')
					text.n--;
				*line = (struct line){ text, c->number, c->number, 0, cut };
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

/* The line with the steps undone that this input needs; a soft break takes in the next line. */
static int carrier_undo(struct carrier *c, struct line *line, struct err *err)
{
	struct strbuf cleanup_strbuf whole = { 0 };
	strbuf_add(&whole, line->text.p, line->text.n);
	while (c->steps & UNDO_QP && undo_soft_break(strbuf_get(&whole)) &&
	       whole.n < CARRIER_LINE_MAX) {
		struct line next;
		int ret = carrier_raw(c, &next, err);
		if (ret < 0)
			return ret;
		whole.n--;
		if (!ret)
			break;
		strbuf_add(&whole, next.text.p, next.text.n);
		line->last = next.number;
		line->cut |= next.cut;
	}
	line->text = undo_line(strbuf_get(&whole), c->steps, &c->count, &c->undone);
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

int carrier_next(struct carrier *c, struct line *line, struct err *err)
{
	if (c->have_back) {
		*line = c->back;
		c->have_back = false;
		return 1;
	}
	if (c->queue_at < c->queue.n) {
		*line = c->queue.at[c->queue_at++];
		return 1;
	}
	int ret = carrier_raw(c, line, err);
	if (ret <= 0)
		return ret;
	if (c->steps) {
		ret = carrier_undo(c, line, err);
		if (ret)
			return ret;
	}
	if (line->text.n && (line->text.p[0] == '>' || line->text.p[0] == ' '))
		line_unquote(line);
	if (line->text.n && (line->text.p[0] == '[' || line->text.p[0] == '<'))
		line->text = undo_printk(line->text);
	return 1;
}
