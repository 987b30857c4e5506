/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The carrier turns bytes into lines and undoes what a mail, a web page or a log did to them:
 * quote marks, carriage returns, the kernel log's prefix, and, where the text shows the signs of
 * it, the encodings of undo.h. Clean input passes through untouched: large reads, lines as slices
 * of the buffer, no copy and no allocation a line. Line numbers are those of the user's file.
 * Records that were broken in two are joined by the readers, who know the grammar.
 */
#ifndef DWELL_READ_CARRIER_H
#define DWELL_READ_CARRIER_H

#include <stdint.h>

#include "base/str.h"
#include "base/vec.h"
#include "read/bytes.h"
#include "read/undo.h"

#define CARRIER_LINE_MAX (1u << 20)

struct line {
	struct str text; /* without the line end, quote marks stripped */
	uint32_t number; /* from 1 */
	uint32_t last;   /* of the lines that a soft break joined; mostly number */
	uint16_t quote;  /* how many quote marks stood before it */
	bool cut;        /* longer than CARRIER_LINE_MAX: the rest is left out */
};

struct carrier {
	struct bytes bytes;
	char *buf;
	size_t start, end, room;
	uint32_t number;
	bool eof, skip_rest, have_back;
	struct line back;
	VEC(struct line) queue; /* to be returned after back, from queue_at on */
	size_t queue_at;
	struct strbuf held; /* their texts */
	unsigned steps;     /* enum undo_step: what this input shows the signs of */
	struct undo_count count;
	struct strbuf undone;
	struct err trouble; /* why reading ended early; code 0: it did not */
};

int carrier_open(struct carrier *c, const char *path, struct err *err) must_check;
/* The same of a file that is open; fd is taken. */
void carrier_open_fd(struct carrier *c, int fd, const char *name);
void carrier_close(struct carrier *c);

/* The first n bytes of the input (fewer, if there are no more); before the first line is read. */
int carrier_peek(struct carrier *c, size_t n, struct str *head, struct err *err) must_check;

/*
 * An fd on the whole input, before the first line is read, that can seek: the file itself, or a
 * temporary copy (of a pipe, and of what is compressed). Nothing is left to be read here.
 */
int carrier_file(struct carrier *c, struct err *err) must_check;

/*
 * 1: *line is valid until the next call; 0: end; -errno: nothing could be read. Where reading
 * fails later on, the lines before that place are given and c->trouble says why they end.
 */
int carrier_next(struct carrier *c, struct line *line, struct err *err) must_check;

/* Gives back the line that carrier_next returned last: the next call returns it again. */
static inline void carrier_back(struct carrier *c, const struct line *line)
{
	c->back = *line;
	c->have_back = true;
}

/*
 * Gives back n lines that were taken one after the other, and the one taken behind them, if it is
 * not NULL. All texts are copied.
 */
void carrier_back_all(struct carrier *c, const struct line *lines, size_t n,
		      const struct line *after);

/*
 * The bytes behind the line read last, as far as they are there and are as carrier_next would give
 * them (but for their end); empty: that is not known.
 */
static inline struct str carrier_ahead(const struct carrier *c)
{
	bool plain = !c->have_back && c->queue_at == c->queue.n && !c->steps && !c->skip_rest;
	return (struct str){ c->buf + c->start, plain ? c->end - c->start : 0 };
}

#endif
