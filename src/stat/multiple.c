/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stat/multiple.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "stat/rank.h"

static int compare(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;
	return (a > b) - (a < b);
}

/* The largest p that is still selected; -1: none is. */
static double threshold(const double *p, size_t n, double q)
{
	double limit = -1;
	size_t tests = 0;
	double *sorted = mem_array(n, sizeof(*sorted));
	for (size_t i = 0; i < n; i++) {
		if (!isnan(p[i]))
			sorted[tests++] = p[i];
	}
	qsort(sorted, tests, sizeof(*sorted), compare);
	for (size_t r = tests; r > 0; r--) {
		if (sorted[r - 1] <= stat_selected_alpha(r, tests, q)) {
			limit = sorted[r - 1];
			break;
		}
	}
	free(sorted);
	return limit;
}

size_t stat_benjamini_hochberg(const double *p, size_t n, double q, bool *selected)
{
	size_t count = 0;
	if (!n)
		return 0;
	double limit = threshold(p, n, q);
	for (size_t i = 0; i < n; i++) {
		selected[i] = p[i] <= limit; /* false for NAN */
		count += selected[i];
	}
	return count;
}

double stat_selected_alpha(size_t selected, size_t tests, double q)
{
	return tests ? q * (double)selected / (double)tests : NAN;
}

size_t stat_pairs_needed(size_t tests, size_t changed, double q)
{
	double want = stat_selected_alpha(changed, tests, q);
	for (size_t n = 1; n <= STAT_RANK_MAX; n++) {
		if (stat_signed_rank_least_p(n) <= want)
			return n;
	}
	return 0;
}

size_t stat_runs_needed(size_t tests, size_t changed, double q)
{
	double want = stat_selected_alpha(changed, tests, q);
	for (size_t n = 1; n <= STAT_RANK_MAX; n++) {
		if (stat_rank_sum_least_p(n, n) <= want)
			return n;
	}
	return 0;
}
