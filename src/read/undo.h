/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What mails, web pages and programs do to the lines of a text, and how it is undone. Each step
 * is taken only where the text shows the signs of it: a clean file must come through unharmed.
 */
#ifndef DWELL_READ_UNDO_H
#define DWELL_READ_UNDO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum undo_step {
	UNDO_QP = 1 << 0,       /* quoted-printable: =3D, soft line breaks */
	UNDO_ENTITIES = 1 << 1, /* &lt; &gt; &amp; &nbsp; */
	UNDO_TAGS = 1 << 2,     /* <pre>, <span ...>: HTML */
	UNDO_NBSP = 1 << 3,     /* no-break spaces */
	UNDO_SCRIPT = 1 << 4,   /* a string of JavaScript, C or Python: lines end in \n\ or \n" */
	UNDO_COMMENT = 1 << 5,  /* "// " or "* " before every line; Python's """ */
	UNDO_GREP = 1 << 6,     /* "120187:" or "file:120187:" before every line */
	UNDO_NUMBERS = 1 << 7,  /* "  06 ", "     6\t": a counter before every line */
	UNDO_SYSLOG = 1 << 8,   /* "Jan  2 10:11:12 host kernel: " */
	UNDO_BAR = 1 << 9,      /* "| " or ": " as a quote mark before every line, or a patch's "+" */
};

/* The steps that a piece of text (some whole lines of it) shows the signs of. */
unsigned undo_sniff(struct str text);

/* Does the line end in a soft break, so that the next one belongs to it? */
bool undo_soft_break(struct str line);

/* How far a counter before the lines has come. */
struct undo_count {
	int64_t last;
	bool gap;   /* lines may be missing since: the counter may jump */
	size_t end; /* the column where it ended; 0: none yet */
};

static inline struct undo_count undo_count_none(void)
{
	return (struct undo_count){ -1, true, 0 };
}

/*
 * Undoes the steps on one line (soft breaks are joined already) into *out and returns the text:
 * a slice of out, or of line where nothing had to be done.
 */
struct str undo_line(struct str line, unsigned steps, struct undo_count *count, struct strbuf *out);

/* "[  12.345678] ", "<6>[...", "[ 12.3][  T77] ": the kernel log's prefix; what follows it. */
struct str undo_printk(struct str line);

#endif
