/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sections of whole traces compared: the distributions of each kind side by side, out of the
 * reports. One trace each gives sizes; repeated ones medians, and an interval for the shift of
 * each kind's p50 and p99 where their number allows one. How often a kind comes is compared by
 * second of trace.
 */
#ifndef DWELL_ANALYZE_SECTION_DIFF_H
#define DWELL_ANALYZE_SECTION_DIFF_H

#include "analyze/trace_diff_item.h"

struct section_diff;

/* d lives longer; only its sides, report, lengths and what is compared are used. */
struct section_diff *section_diff_new(const struct trace_diff *d);
void section_diff_free(struct section_diff *s);

/* What changed most. */
void section_diff_answer(const struct section_diff *s, struct section *to);

void section_diff_tables(const struct section_diff *s, int64_t top);

/* The intervals, as far as there are any; returns how many. */
size_t section_diff_shifts(const struct section_diff *s, struct section *to);

#endif
