/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tables of perf lock, klockstat and futexctn have in common: a header, then records of
 * a line each, which a mail may have broken in two, with text around and between them.
 */
#ifndef DWELL_READ_TOOL_TABLE_H
#define DWELL_READ_TOOL_TABLE_H

#include "read/format.h"

enum record_result {
	RECORD_NONE, /* no line of this table */
	RECORD_OPEN, /* its end is missing, perhaps on the next line; nothing was done */
	RECORD_OK,
};

struct tool_table {
	const struct format *format;
	struct carrier *from;
	struct capture *capture;
	struct locktab *table;
	/* Would the line be a further part of the header? NULL: it has one line. */
	bool (*header_more)(struct str text);
	/* Takes the header, joined if it was broken. False: it was none after all. NULL: no header. */
	bool (*header)(struct tool_table *t, struct str text, uint32_t line);
	/* Takes a record into the table. */
	enum record_result (*record)(struct tool_table *t, struct str text, uint32_t line);
};

/* As format.open: 1, 0 or -errno. A line that the header's starts() knows ends the table. */
int tool_table_read(struct tool_table *t, struct err *err) must_check;

/* The text as a string of the capture's; NULL for none. */
static inline const char *tool_text(struct tool_table *t, struct str text)
{
	return text.n ? arena_str(&t->capture->arena, text) : NULL;
}

/* A new row, or NULL and damage. */
struct lock_row *tool_row(struct tool_table *t, uint32_t line);

/* "0xffffffff9a23f4b5  sock_sendmsg+0x5c", "sock_sendmsg+0x5c" to the stack of the last row. */
void tool_frame(struct tool_table *t, struct str text, uint32_t line);

#endif
