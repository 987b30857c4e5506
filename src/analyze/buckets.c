/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/buckets.h"

void buckets_report(const struct histogram *h, const char *key, const char *name,
		    struct section *to, struct report *r)
{
	for (size_t b = 0; h->n && b < HISTOGRAM_BUCKETS; b += 1u << HISTOGRAM_BITS) {
		uint64_t n = 0;
		for (size_t k = b; k < b + (1u << HISTOGRAM_BITS); k++)
			n += h->count[k];
		if (!n)
			continue;
		struct finding *f = report_finding(r, to, "bucket", NULL);
		finding_fact(f, key, value_text(name));
		finding_fact(f, "from_ns", value_time(histogram_low(b)));
		finding_fact(f, "count", value_count((int64_t)n));
	}
}
