/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stat/seen.h"

#include <math.h>

#define Z 1.959964

void stat_seen_add(struct stat_seen *s, double ns, uint64_t already)
{
	s->seen++;
	s->ns += ns;
	s->squares += ns * ns * (double)(2 * already + 1); /* (k + 1)^2 - k^2 */
}

void stat_seen_time(const struct stat_seen *s, struct stat_interval *out)
{
	*out = (struct stat_interval){ 0 };
	if (!(s->ns > 0) || !s->looks)
		return;
	double looks = (double)s->looks;
	double u = fmax(s->squares / s->ns - s->ns / looks, 2.4 * s->ns / looks / looks);
	double m = s->ns / u, half = Z * sqrt(m + Z * Z / 4);
	out->mid = s->ns;
	out->low = u * fmax(m + Z * Z / 2 - half, 0);
	out->high = u * (m + Z * Z / 2 + half);
}
