/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/lock_text.h"

#include <math.h>
#include <stdio.h>

#include "base/sat.h"
#include "base/units.h"
#include "core/capture.h"

#define NONE "-"
#define SAME 0.005
#define GROUPED 9999.5 /* from here on with commas */

const char *lock_text_how(struct arena *a, enum value_how how, const char *figure)
{
	if (how == VALUE_EXACT || !strpbrk(figure, "0123456789"))
		return figure; /* "-", "same", "from none" */
	size_t sign = figure[1] == ' ' && strchr("x/+-", figure[0]) ? 2 : 0;
	return arena_printf(a, "%.*s~%s", (int)sign, figure, figure + sign);
}

struct unit {
	double ns;
	const char *name;
};

/* The unit in which ns, as `decimals` round it, is less than a thousand. */
static struct unit unit_of(double ns, int decimals)
{
	static const struct unit units[] = { { 1, "ns" }, { 1e3, "us" }, { 1e6, "ms" } };
	double edge = 1000 - 0.5 / pow(10, decimals);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (fabs(ns) / units[i].ns < edge)
			return units[i];
	}
	return (struct unit){ 1e9, "s" };
}

/* Decimals that leave three digits: of 0.0114 four, of 36.0 one, of 3489 none. */
static int decimals_of(double v)
{
	v = fabs(v);
	if (!(v > 0) || v >= 99.95)
		return 0;
	int decimals = 2 - (int)floor(log10(v * 1.0000001));
	return decimals > 6 ? 6 : decimals;
}

const char *lock_text_count(struct arena *a, int64_t n)
{
	return n == UNKNOWN ? NONE : arena_printf(a, "%s", units_count(n).s);
}

const char *lock_text_number(struct arena *a, double v)
{
	if (!isfinite(v))
		return NONE;
	if (fabs(v) >= GROUPED && fabs(v) < 9e18)
		return lock_text_count(a, sat_round(v));
	return arena_printf(a, "%.*f", decimals_of(v), v * (1 + 1e-12)); /* 14.35 is 14.4 */
}

const char *lock_text_percent(struct arena *a, double part)
{
	return isfinite(part) ? arena_printf(a, "%s %%", lock_text_number(a, 100 * part)) : NONE;
}

const char *lock_text_total(struct arena *a, double ns)
{
	if (!isfinite(ns))
		return NONE;
	struct unit u = unit_of(ns, 1);
	return arena_printf(a, "%.*f %s", u.ns == 1 ? 0 : 1, ns / u.ns, u.name);
}

/* From 0.1 us on in microseconds, below in ns: the same unit for what is compared. */
const char *lock_text_mean(struct arena *a, double ns)
{
	if (!isfinite(ns))
		return NONE;
	struct unit u = unit_of(ns, 0);
	if (u.ns == 1 && fabs(ns) >= 100)
		u = (struct unit){ 1e3, "us" };
	return arena_printf(a, "%s %s", lock_text_number(a, ns / u.ns), u.name);
}

static const char *with_sign(struct arena *a, double v, const char *size)
{
	return isfinite(v) ? arena_printf(a, "%c %s", v < 0 ? '-' : '+', size) : NONE;
}

const char *lock_text_duration(struct arena *a, double ns)
{
	struct unit u = unit_of(ns, 0);
	return isfinite(ns) ? arena_printf(a, "%s %s", lock_text_number(a, ns / u.ns), u.name)
			    : NONE;
}

const char *lock_text_difference(struct arena *a, double ns)
{
	return with_sign(a, ns, lock_text_duration(a, fabs(ns)));
}

const char *lock_text_total_change(struct arena *a, double ns)
{
	return with_sign(a, ns, lock_text_total(a, fabs(ns)));
}

const char *lock_text_factor(struct arena *a, double factor)
{
	if (!isfinite(factor) || factor <= 0)
		return NONE;
	if (fabs(factor - 1) < SAME)
		return "same";
	return factor < 1 ? arena_printf(a, "/ %s", lock_text_number(a, 1 / factor))
			  : arena_printf(a, "x %s", lock_text_number(a, factor));
}

const char *lock_text_factor_range(struct arena *a, double mid, double low, double high)
{
	const char *factor = lock_text_factor(a, mid);
	if (!isfinite(mid) || !isfinite(low) || !isfinite(high))
		return factor;
	if (low <= 1 && high >= 1)
		return arena_printf(a, "%s (%s .. %s)", factor, lock_text_factor(a, low),
				    lock_text_factor(a, high));
	if (mid < 1)
		return arena_printf(a, "%s (%s-%s)", factor, lock_text_number(a, 1 / high),
				    lock_text_number(a, 1 / low));
	return arena_printf(a, "%s (%s-%s)", factor, lock_text_number(a, low),
			    lock_text_number(a, high));
}

const char *lock_text_number_of(struct arena *a, size_t n, const char *one, const char *many)
{
	return arena_printf(a, "%s %s", units_count((int64_t)n).s, n == 1 ? one : many);
}

const char *lock_text_range(struct arena *a, double ns, double other)
{
	double low = fmin(fabs(ns), fabs(other)), high = fmax(fabs(ns), fabs(other));
	struct unit u = unit_of(high, 0);
	int decimals = high / u.ns < 9.95 ? 1 : 0;
	const char *from = arena_printf(a, "%.*f", decimals, low / u.ns);
	const char *to = arena_printf(a, "%.*f", decimals, high / u.ns);
	if (strcmp(from, to) == 0)
		return arena_printf(a, "%s %s", to, u.name);
	return arena_printf(a, "%s-%s %s", from, to, u.name);
}
