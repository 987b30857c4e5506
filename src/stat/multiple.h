/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Many tests at once: which of them to believe, and how many runs it takes before any of them
 * can be. Knows nothing of what was tested.
 */
#ifndef DWELL_STAT_MULTIPLE_H
#define DWELL_STAT_MULTIPLE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Benjamini and Hochberg, J. R. Stat. Soc. B 57 (1995): of the tests selected, a share q at most
 * is expected to be false. Sets selected[i] and returns how many are. A p that is NAN was no
 * test: it is not counted and not selected.
 */
size_t stat_benjamini_hochberg(const double *p, size_t n, double q, bool *selected);

/*
 * The level 1 - alpha of intervals for R selected out of m tests, so that of them too a share q at
 * most is expected to miss (Benjamini and Yekutieli, J. Am. Stat. Assoc. 100, 2005): alpha.
 */
double stat_selected_alpha(size_t selected, size_t tests, double q);

/*
 * The least number of pairs, or of runs on either side, from which R changed ones among m tests
 * can be selected at all: the smallest possible p must not exceed q R / m. 0: m is 0, or it takes
 * more than STAT_RANK_MAX.
 */
size_t stat_pairs_needed(size_t tests, size_t changed, double q);
size_t stat_runs_needed(size_t tests, size_t changed, double q);

#endif
