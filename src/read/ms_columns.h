/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Columns that the traces of 2004 and the verbose form share: a time in milliseconds with what
 * stands in brackets behind it, and, before it, words that are read from the right, because the
 * comm at their left may hold blanks.
 */
#ifndef DWELL_READ_MS_COLUMNS_H
#define DWELL_READ_MS_COLUMNS_H

#include "base/str.h"

struct ms_stamp {
	struct str before; /* what stands before the time, without blanks around */
	struct str rest;   /* behind "): " */
	int64_t time;      /* ns, or ticks */
	bool ticks;        /* "16 (+3): ", of a clock that does not count ns */
};

/* "... 1077389.400ms (+0.020ms): ...": false if the line holds no such thing. */
bool ms_stamp_find(struct str line, struct ms_stamp *stamp);

/* Cuts the last word off *s; empty when there is none. */
struct str ms_last_word(struct str *s);

/* The whole of s as a hexadecimal number of at most 16 digits. */
bool ms_hex(struct str s, uint64_t *value);

#endif
