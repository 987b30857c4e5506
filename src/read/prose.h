/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What stands between captures and in their midst: holes that somebody cut, shell prompts, and
 * the line above a table that says which run it is.
 */
#ifndef DWELL_READ_PROSE_H
#define DWELL_READ_PROSE_H

#include "core/capture.h"

/* "[...]", "....", "<snip>", "[ etc - zillions of ... deleted ]": lines were cut out here. */
bool prose_is_hole(struct str text);

/* "# cat lock_stat", "$ perf lock report", "root@host:/proc# head lock_stat" */
bool prose_is_prompt(struct str text);

#define LABEL_MAX 80

/* Which line is the label of what comes next, as far as the text has been read. */
struct label {
	char text[LABEL_MAX];
	size_t n;        /* 0: none */
	unsigned blanks; /* blank lines since */
	bool near;       /* it counts only if nothing comes between */
};

/* Takes a line into account that is of no capture. */
void label_line(struct label *l, struct str text);

/* Keeps a line that the capture's reader took beyond its end: it may be the next one's label. */
void label_trailing(struct capture *c, struct str text);

static inline struct str label_get(const struct label *l)
{
	return (struct str){ l->text, l->n };
}

#endif
