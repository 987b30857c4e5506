/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The numbers in a row of a table of locks, to integers: counts, and times in ns. What a cell
 * means depends on its column, which may be known only once the row is whole; so a cell keeps
 * both readings.
 */
#ifndef DWELL_READ_LOCK_CELL_H
#define DWELL_READ_LOCK_CELL_H

#include "base/str.h"
#include "core/locktab.h"

struct lock_cell {
	int64_t whole;    /* before the point, with the sign */
	int32_t frac;     /* behind the point, in thousandths, with the sign */
	uint8_t decimals; /* digits behind the point */
	uint8_t width;    /* characters, at most 255 */
	bool point;
	bool dash;  /* "-": absent */
	bool large; /* does not fit */
	bool about; /* "12.34~": not exact, as `convert --to lock_stat` marks it */
};

/*
 * Cuts a number off the front of *text: "46", "16371.53", "0.-32", "7.1~", "-". False, with *text where
 * it was, if the next word is none.
 */
bool lock_cell_read(struct str *text, struct lock_cell *c);

/* The cell as a time in us; *ns is untouched if it is none or does not fit. */
bool lock_cell_us(const struct lock_cell *c, int64_t *ns);

/*
 * A decimal number at the front of *t, times 10^places; further digits are dropped. False: there is
 * none, or it does not fit.
 */
bool lock_decimal(struct str *t, unsigned places, int64_t *v);

/* Is *t one number with decimals and no unit, to the end? A mail broke its unit off. */
bool lock_decimal_ends(struct str t);

/* "12.3 us", " 568 ns", "491.2 h", or ns where no unit stands: a cell of perf and klockstat. */
bool lock_cell_scaled(struct str *text, int64_t *ns);

/*
 * The n cells at the end of *text, times where is_time says so and counts elsewhere; *text is
 * what stands before them.
 */
bool lock_cells_at_end(struct str *text, const bool *is_time, size_t n, int64_t *value);

#endif
