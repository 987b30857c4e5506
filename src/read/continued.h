/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text in a trace that goes on on the lines behind its entry: a marker or trace_printk with a
 * newline in it, or a line that a mail broke. Which lines may belong to it, the reader knows; they
 * are taken, looked at together, and joined or given back.
 */
#ifndef DWELL_READ_CONTINUED_H
#define DWELL_READ_CONTINUED_H

#include "read/carrier.h"

#define CONTINUED_LINES 64
#define CONTINUED_BYTES 65536

struct continued {
	/* Set by the reader: may this line belong to the entry, as far as it can tell? */
	struct carrier *from;
	bool (*may)(const void *reader, const struct line *next);
	const void *reader;
	bool (*begins)(struct str text); /* does an entry begin here? For continued_text alone */

	struct line lines[CONTINUED_LINES]; /* the entry's own is the first */
	size_t at[CONTINUED_LINES];         /* where their texts begin in raw */
	size_t n;
	struct line after;
	bool have_after;
	struct strbuf raw, joined;
};

/*
 * Takes the entry's line, and those behind it that may belong to it, as long as there is room.
 * c->after is the line behind them; c->have_after false: the input ends there. 0 or -errno; then
 * they must be settled.
 */
int continued_read(struct continued *c, const struct line *entry, struct err *err) must_check;

/*
 * They are the entry's, or are given back to the carrier; so is the line behind them. Returns the
 * entry's text with all its lines: with their newlines or, broken, as it was before a mail broke
 * it. Valid until the next one is read.
 */
struct str continued_settle(struct continued *c, bool accept, bool broken);

/*
 * Settles what a program wrote, which may hold newlines: the entry goes on to the next one. Of a
 * marker that is taken for granted. Behind any other text there must be a line of the trace again,
 * and it must be as the kernel wrote it (verbatim), or the break where a mail would have made it.
 */
struct str continued_text(struct continued *c, bool marker, bool verbatim);

/* Does the first break stand where a mail would have made it? */
bool continued_is_broken(const struct continued *c);

/* The last line of the file that belongs to it. */
uint32_t continued_last(const struct continued *c);

void continued_fini(struct continued *c);

#endif
