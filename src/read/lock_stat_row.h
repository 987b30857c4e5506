/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The numbers of a row of lock_stat, once they are all there, to a row of the table. */
#ifndef DWELL_READ_LOCK_STAT_ROW_H
#define DWELL_READ_LOCK_STAT_ROW_H

#include "core/capture.h"
#include "read/carrier.h"
#include "read/lock_stat_line.h"

/* Which column each number of a row belongs to. */
struct lock_layout {
	enum lock_column column[LOCK_COLUMNS];
	size_t n;     /* columns that the header names; 0: no header */
	bool v02;     /* version 0.2, or none printed: ".100" may be 1.00 */
	int64_t seen; /* numbers in a whole row of this table; 0: no row yet */
};

struct lock_row_builder {
	const char *name; /* with -R or -W; NULL: cut off */
	uint32_t line;
	struct lock_cell cell[LOCK_COLUMNS];
	size_t n;
};

/* How many numbers the row has when it is whole, as far as can be told from those it has. */
size_t lock_row_wants(const struct lock_row_builder *b, const struct lock_layout *y);

/* Adds the row to the table; NULL: it is full. *why: what of the row is missing. */
struct lock_row *lock_row_build(const struct lock_row_builder *b, struct lock_layout *y,
				struct locktab *t, const char **why);

/*
 * Takes -R off the name of the row, and -W off that of the one before if they are a pair; true if
 * they are. A -W alone stays, as it may be part of the name.
 */
bool lock_row_pair(struct locktab *t, size_t at, struct arena *a);

/* Takes -W off the name if that leaves `name`. */
bool lock_row_unsuffix(struct lock_row *r, struct str name, struct arena *a);

/* Are these numbers that need no header to be known as those of a row? */
bool lock_row_is_plain(const struct lock_cell *cell, size_t n);

/* A table lying on its side, as people set two runs beside one another: 1: it was one; 0; -errno */
int lock_stat_transposed(struct carrier *from, struct capture *c, struct err *err) must_check;

#endif
