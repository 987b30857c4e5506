/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stat/histogram.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/sat.h"

void histogram_fini(struct histogram *h)
{
	if (!h)
		return;
	free(h->count);
	*h = (struct histogram){ 0 };
}

static void range_extend(struct histogram *h, int64_t min, int64_t max)
{
	if (!h->n || min < h->min)
		h->min = min;
	if (!h->n || max > h->max)
		h->max = max;
}

void histogram_add(struct histogram *h, int64_t ns)
{
	if (!h->count)
		h->count = mem_array(HISTOGRAM_BUCKETS, sizeof(*h->count));
	if (ns < 0)
		ns = 0;
	range_extend(h, ns, ns);
	h->count[histogram_bucket(ns)]++;
	h->n++;
	sat_sum(&h->sum, ns);
}

void histogram_merge(struct histogram *into, const struct histogram *from)
{
	if (!from->n)
		return;
	if (!into->count)
		into->count = mem_array(HISTOGRAM_BUCKETS, sizeof(*into->count));
	range_extend(into, from->min, from->max);
	for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
		into->count[i] += from->count[i];
	into->n += from->n;
	sat_sum(&into->sum, from->sum);
}

static int64_t clamp(int64_t v, int64_t low, int64_t high)
{
	return v < low ? low : v > high ? high : v;
}

int64_t histogram_quantile(const struct histogram *h, uint32_t part, uint32_t whole)
{
	if (h->n * (whole - part) < whole)
		return INT64_MIN;
	/* ceil(n * part / whole), without the product that could overflow. */
	uint64_t rank = h->n / whole * part + (h->n % whole * part + whole - 1) / whole;
	uint64_t seen = 0;
	for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
		seen += h->count[i];
		if (seen >= rank)
			return clamp(histogram_low(i) + (histogram_width(i) - 1) / 2, h->min,
				     h->max);
	}
	return h->max;
}

int64_t histogram_mean(const struct histogram *h)
{
	if (!h->n || h->sum == INT64_MAX)
		return INT64_MIN;
	int64_t n = (int64_t)h->n;
	return h->sum / n + (h->sum % n >= n - n / 2);
}
