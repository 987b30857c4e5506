/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One line of /proc/lock_stat, by its shape alone: mails move its columns, cut its front and break
 * it in two. What a line means in its table is lock_stat.c's affair.
 */
#ifndef DWELL_READ_LOCK_STAT_LINE_H
#define DWELL_READ_LOCK_STAT_LINE_H

#include "read/lock_cell.h"

enum lock_line_kind {
	LOCK_LINE_TEXT, /* none of these; or the half of one */
	LOCK_LINE_BLANK,
	LOCK_LINE_COMMENT, /* "# ...": ours, or a prompt */
	LOCK_LINE_HOLE,    /* "...", "<snip>" */
	LOCK_LINE_VERSION, /* "lock_stat version 0.4" */
	LOCK_LINE_WARNING, /* "*WARNING* lock debugging disabled!! ..." */
	LOCK_LINE_TITLES,  /* "class name con-bounces contentions ...", or a part of it */
	LOCK_LINE_NAMES,   /* "class name" and names: the head of a transposed table */
	LOCK_LINE_COLUMN,  /* "con-bounces 1534627 962193": a column lying on its side */
	LOCK_LINE_DASHES,
	LOCK_LINE_DOTS,
	LOCK_LINE_ROW,     /* "&rq->lock: 37062 ..." */
	LOCK_LINE_NUMBERS, /* the rest of one */
	LOCK_LINE_POINT,   /* "&rq->lock 14064 [<ffffffff81420a76>] __schedule+0xc6/0x710" */
};

/* A site, as far as its line goes. */
struct lock_point {
	struct str name; /* empty: not on this line */
	int64_t count;   /* UNKNOWN: not on this line */
	struct str address, symbol, suffix;
};

struct lock_line {
	enum lock_line_kind kind;
	struct str name;         /* ROW; NAMES: all of them */
	enum lock_column column; /* COLUMN */
	struct lock_cell cell[LOCK_COLUMNS];
	size_t n_cells;
	bool more; /* ROW, NUMBERS: "..." stands behind the numbers: somebody cut them off */
	struct str version;
	size_t rule; /* DASHES, DOTS: how long */
	struct lock_point point;
};

void lock_line_read(struct lock_line *l, struct str text);

/* The columns that a header names, in its order. Blanks in it do not count: a mail splits words. */
size_t lock_titles_read(struct str squeezed, enum lock_column *order);

/* "sym+0xoff/0xsize [module]" into symbol and suffix; what stands behind them is dropped. */
void lock_symbol_read(struct str text, struct str *symbol, struct str *suffix);

/* "name 12", "name 12 sym+0x1/0x2": a point without its address, if the name is the class's. */
bool lock_point_read(struct str text, const char *name, struct lock_point *p);

#endif
