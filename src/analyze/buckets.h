/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A distribution in a report, for JSON: how many of each octave. */
#ifndef DWELL_ANALYZE_BUCKETS_H
#define DWELL_ANALYZE_BUCKETS_H

#include "core/report.h"
#include "stat/histogram.h"

/* Findings "bucket" with the facts from_ns and count, and what of: key and name. */
void buckets_report(const struct histogram *h, const char *key, const char *name,
		    struct section *to, struct report *r);

#endif
