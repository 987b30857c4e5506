/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A log-linear histogram of durations, in the manner of HdrHistogram: exact counts in buckets
 * whose width grows with the value, so that quantiles of any range of times come from one pass
 * and fixed memory. Knows nothing of where the durations come from.
 *
 * Values below 128 ns have a bucket each. Every octave above is cut into 64 buckets, so a bucket
 * is at most 1/64 of its lowest value wide, and a quantile, given as the middle of its bucket, is
 * off by at most 1/128 (0.8 %) of the value. Count, sum, minimum and maximum are exact.
 */
#ifndef DWELL_STAT_HISTOGRAM_H
#define DWELL_STAT_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#define HISTOGRAM_BITS 6
#define HISTOGRAM_BUCKETS ((64u - HISTOGRAM_BITS) << HISTOGRAM_BITS)
#define HISTOGRAM_ERROR (1.0 / (2 << HISTOGRAM_BITS)) /* of the value, at most */

struct histogram {
	uint64_t n;
	int64_t sum;      /* ns; stops at the limit of its type */
	int64_t min, max; /* ns; meaningless while n is 0 */
	uint64_t *count;  /* HISTOGRAM_BUCKETS of them; owned, NULL while n is 0 */
};

/* All zero is an empty histogram. Safe on NULL and twice. */
void histogram_fini(struct histogram *h);

/* Adds one duration; a negative one counts as 0. */
void histogram_add(struct histogram *h, int64_t ns);

/* Adds all of `from`, which is left as it is and must not be `into`. */
void histogram_merge(struct histogram *into, const struct histogram *from);

/*
 * The smallest value that part/whole of all are not above (nearest rank), within the error and
 * never outside min .. max. INT64_MIN when there are fewer than whole / (whole - part) values: the
 * quantile of too few is their maximum under another name. 0 < part < whole.
 */
int64_t histogram_quantile(const struct histogram *h, uint32_t part, uint32_t whole);

/* To the nearest ns. INT64_MIN when there are no values, or their sum reached its limit. */
int64_t histogram_mean(const struct histogram *h);

static inline size_t histogram_bucket(int64_t ns)
{
	uint64_t v = ns > 0 ? (uint64_t)ns : 0;
	unsigned top = 63u - (unsigned)__builtin_clzll(v | 1);
	unsigned shift = top > HISTOGRAM_BITS ? top - HISTOGRAM_BITS : 0;
	return ((size_t)shift << HISTOGRAM_BITS) + (size_t)(v >> shift);
}

/* The lowest value of a bucket, and how many values it holds. */
static inline int64_t histogram_low(size_t bucket)
{
	size_t octave = bucket >> HISTOGRAM_BITS;
	if (octave < 2)
		return (int64_t)bucket;
	size_t in = (bucket & ((1u << HISTOGRAM_BITS) - 1)) | 1u << HISTOGRAM_BITS;
	return (int64_t)((uint64_t)in << (octave - 1));
}

static inline int64_t histogram_width(size_t bucket)
{
	size_t octave = bucket >> HISTOGRAM_BITS;
	return octave < 2 ? 1 : (int64_t)1 << (octave - 1);
}

#endif
