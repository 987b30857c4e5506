/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of one trace as a block of lines: its header, what stands between its entries (holes,
 * losses, remarks, damage) and where it ends. What an entry looks like, the reader knows.
 */
#ifndef DWELL_READ_BLOCK_H
#define DWELL_READ_BLOCK_H

#include "core/event.h"
#include "read/format.h"
#include "read/interlude.h"

struct block {
	struct carrier *from;
	struct capture *capture;
	const struct format *format;
	struct names *names;
	const char *not_an_entry; /* what damage is called */

	bool have_tracer, have_title, in_body, ended;
	bool after_hole, after_blank;
	uint16_t quote; /* depth of the block's quoting */

	struct pending pending;
};

/* "# tracer: function_graph": the name; empty: not such a line. */
struct str block_tracer(struct str text);

/* An entry stands in this line: the block goes on. */
void block_entry(struct block *b, const struct line *line);

/* The entry is read: gives it its place. */
void block_stamp(struct block *b, const struct line *line, struct event *e);

/*
 * A line that is no entry. True: it is an event all the same, a loss. b->ended may be set: then
 * the line, if it may begin something else, is next in the carrier.
 */
bool block_other(struct block *b, const struct line *line, struct event *e, struct payload *p);

/* Reads the " => func" lines that follow into p->stack. 0 or -errno. */
int block_stack(struct block *b, struct payload *p, struct err *err) must_check;

/* Is the line " => func"? */
bool block_is_frame(struct str text);

#endif
