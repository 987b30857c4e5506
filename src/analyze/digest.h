/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts the entries of a trace, keeps its first and last, and finds the longest gap. */
#ifndef DWELL_ANALYZE_DIGEST_H
#define DWELL_ANALYZE_DIGEST_H

#include "core/digest.h"
#include "core/source.h"

struct analyze_digest {
	struct sink sink;
	struct digest digest;
	VEC(struct event) last_of_cpu; /* kind EVENT_KIND_MASK: none yet */
};

void analyze_digest_init(struct analyze_digest *d);
void analyze_digest_fini(struct analyze_digest *d);

#endif
