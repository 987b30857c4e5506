/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How far the figures of a trace can be trusted, and why not further. */
#ifndef DWELL_ANALYZE_TRUST_H
#define DWELL_ANALYZE_TRUST_H

#include "analyze/calltree.h"
#include "analyze/headline.h"

struct trust_input {
	const struct capture *capture;
	const struct timeline *timeline;
	const struct headline *headline;
	const struct calltree *tree;
	uint64_t entries; /* in the text, on any CPU, as the kernel counts them: with stack dumps */
	int64_t longest_gap; /* ns */
	int64_t idle_after;  /* ns: from entries of the idle task to the next one; 0: not asked */
	bool overhead_given;
};

void trust_report(const struct trust_input *in, struct report *r);

#endif
