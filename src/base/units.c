/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/units.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

/*
 * Reading
 *
 * A number is kept as its whole part and 18 decimals. Dropping what comes after those never
 * changes a rounding of halves up.
 */
#define FRAC_DIGITS 18
#define FRAC_ONE 1000000000000000000 /* 10^18 */

struct decimal {
	int64_t whole;
	int64_t frac; /* in 10^-18 */
	bool cut;     /* there were more digits than that, not all of them zero */
};

static bool push_digit(int64_t *v, char c)
{
	return !__builtin_mul_overflow(*v, 10, v) && !__builtin_add_overflow(*v, c - '0', v);
}

/* Digits, in groups of three if there are commas. */
static const char *read_whole(struct str *s, int64_t *whole)
{
	size_t n = str_digits(*s);
	bool grouped = n < s->n && s->p[n] == ',';
	if (grouped && (n < 1 || n > 3))
		return "has a comma out of place";

	*whole = 0;
	for (;;) {
		for (size_t i = 0; i < n; i++)
			if (!push_digit(whole, s->p[i]))
				return "is too large";
		*s = str_from(*s, n);
		if (!s->n || s->p[0] != ',')
			return NULL;
		*s = str_from(*s, 1);
		n = str_digits(*s);
		if (!grouped || n != 3)
			return "has a comma out of place";
	}
}

static void read_frac(struct str *s, struct decimal *d)
{
	size_t n = str_digits(*s);
	for (size_t i = 0; i < FRAC_DIGITS; i++)
		push_digit(&d->frac, i < n ? s->p[i] : '0');
	for (size_t i = FRAC_DIGITS; i < n; i++)
		d->cut |= s->p[i] != '0';
	*s = str_from(*s, n);
}

/* An unsigned decimal number at the start of *s, which moves past it and the blanks around. */
static const char *read_decimal(struct str *s, struct decimal *d)
{
	*d = (struct decimal){ 0 };
	*s = str_trim_left(*s);
	if (s->n > 1 && s->p[0] == '-' && (is_digit(s->p[1]) || s->p[1] == '.'))
		return "is negative";

	bool point = s->n && s->p[0] == '.';
	if (!str_digits(point ? str_from(*s, 1) : *s))
		return "is not a number";
	const char *why = read_whole(s, &d->whole);
	if (why)
		return why;
	if (s->n > 1 && s->p[0] == '.' && is_digit(s->p[1])) {
		*s = str_from(*s, 1);
		read_frac(s, d);
	}
	*s = str_trim_left(*s);
	return NULL;
}

/* d in units of which `unit` make one, rounded to the nearest, halves up. */
static const char *scale(const struct decimal *d, int64_t unit, int64_t *v)
{
	int64_t rest = (int64_t)(((__int128)d->frac * unit + FRAC_ONE / 2) / FRAC_ONE);
	int64_t sum;
	if (__builtin_mul_overflow(d->whole, unit, &sum) || __builtin_add_overflow(sum, rest, &sum))
		return "is too large";
	*v = sum;
	return NULL;
}

static const struct {
	const char *name;
	int64_t ns;
} time_names[] = {
	{ "ns", 1 },
	{ "us", 1000 },
	{ "\xc2\xb5s", 1000 }, /* U+00B5, micro sign */
	{ "\xce\xbcs", 1000 }, /* U+03BC, Greek mu */
	{ "ms", 1000000 },
	{ "s", 1000000000 },
	{ "m", 60000000000 },
	{ "min", 60000000000 },
	{ "h", 3600000000000 },
	/* as kernel and perf documents have them */
	{ "nsec", 1 },
	{ "usec", 1000 },
	{ "msec", 1000000 },
	{ "sec", 1000000000 },
};

/* A bare number is in units of `bare` ns; 0: it is refused. */
static const char *read_time(struct str s, int64_t bare, int64_t *ns)
{
	struct decimal d;
	struct str rest = str_trim(s);
	const char *why = read_decimal(&rest, &d);
	if (why)
		return why;
	if (!rest.n)
		return bare ? scale(&d, bare, ns) : "has no unit";
	for (size_t i = 0; i < N_OF(time_names); i++)
		if (str_eq(rest, time_names[i].name))
			return scale(&d, time_names[i].ns, ns);
	return "has an unknown unit";
}

const char *units_read_time(struct str s, int64_t *ns)
{
	return read_time(s, 0, ns);
}

const char *units_read_seconds(struct str s, int64_t *ns)
{
	return read_time(s, 1000000000, ns);
}

static bool skip(struct str *s, const char *z)
{
	if (!str_starts(*s, z))
		return false;
	*s = str_trim_left(str_from(*s, strlen(z)));
	return true;
}

const char *units_read_percent(struct str s, int64_t *low, int64_t *high)
{
	struct decimal a, b;
	struct str rest = str_trim(s);
	const char *why = read_decimal(&rest, &a);
	if (why)
		return why;

	b = a;
	bool sign = skip(&rest, "%");
	if (skip(&rest, "-") || skip(&rest, "\xe2\x80\x93")) { /* U+2013, en dash */
		why = read_decimal(&rest, &b);
		if (why)
			return why;
		sign = skip(&rest, "%");
	}
	if (rest.n)
		return "is not a percentage";
	if (!sign)
		return "does not end in '%'";

	int64_t from, to;
	why = scale(&a, 1000, &from);
	if (!why)
		why = scale(&b, 1000, &to);
	if (why)
		return why;
	if (from > to)
		return "is upside down";
	*low = from;
	*high = to;
	return NULL;
}

/* What stands behind the digits of a count: "", "k", "e6". */
static bool read_multiplier(struct str s, int64_t *unit)
{
	static const struct {
		const char *name;
		int64_t n;
	} names[] = {
		{ "", 1 }, { "k", 1000 }, { "K", 1000 }, { "M", 1000000 }, { "G", 1000000000 },
	};

	for (size_t i = 0; i < N_OF(names); i++) {
		if (str_eq(s, names[i].name)) {
			*unit = names[i].n;
			return true;
		}
	}
	if (s.p[0] != 'e' && s.p[0] != 'E')
		return false;

	int64_t exponent;
	s = str_from(s, 1);
	if (!str_number(&s, &exponent) || s.n || exponent < 0 || exponent > 18)
		return false;
	for (*unit = 1; exponent; exponent--)
		*unit *= 10;
	return true;
}

const char *units_read_count(struct str s, int64_t *n)
{
	struct decimal d;
	int64_t unit;
	struct str rest = str_trim(s);
	const char *why = read_decimal(&rest, &d);
	if (why)
		return why;
	if (!read_multiplier(rest, &unit))
		return "is not a number";
	if (d.cut || (__int128)d.frac * unit % FRAC_ONE)
		return "is not a whole number";
	return scale(&d, unit, n);
}

static int refuse(struct str s, const char *why, const char *hint, struct err *err)
{
	return err_set(err, EINVAL, "'%.*s' %s: write %s", STR_ARG(s), why, hint);
}

int units_parse_time(struct str s, int64_t *ns, struct err *err)
{
	const char *why = units_read_time(s, ns);
	return why ? refuse(s, why, "100us, 1.5ms, 2s or the like", err) : 0;
}

int units_parse_percent(struct str s, int64_t *low, int64_t *high, struct err *err)
{
	const char *why = units_read_percent(s, low, high);
	return why ? refuse(s, why, "25% or 20-30%", err) : 0;
}

int units_parse_count(struct str s, int64_t *n, struct err *err)
{
	const char *why = units_read_count(s, n);
	return why ? refuse(s, why, "192, 1,000, 1.2e6 or 64k", err) : 0;
}

/*
 * Writing
 */
static const uint64_t powers[] = {
	1, 10, 100, 1000, 10000, 100000, 1000000,
};
#define MAX_DECIMALS ((int)N_OF(powers) - 1)

static const struct {
	uint64_t ns;
	const char *name;
} time_units[] = {
	{ 1, "ns" },
	{ 1000, "us" },
	{ 1000000, "ms" },
	{ 1000000000, "s" },
};
enum { UNIT_US = 1, UNIT_S = 3 };

static void text_add(struct units_text *t, const char *fmt, ...) printf_like(2, 3);
static void text_add(struct units_text *t, const char *fmt, ...)
{
	size_t n = strlen(t->s);
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(t->s + n, sizeof(t->s) - n, fmt, ap);
	va_end(ap);
}

static struct units_text text_of(const char *z)
{
	struct units_text t = { "" };
	text_add(&t, "%s", z);
	return t;
}

/* value is in units of 10^-decimals */
static void text_add_decimal(struct units_text *t, uint64_t value, int decimals)
{
	uint64_t one = powers[decimals];
	text_add(t, "%llu", (unsigned long long)(value / one));
	if (decimals)
		text_add(t, ".%0*llu", decimals, (unsigned long long)(value % one));
}

static uint64_t magnitude(int64_t v)
{
	return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

/* times * v / unit to the nearest, halves away from zero; saturates */
static uint64_t divide(uint64_t v, uint64_t times, uint64_t unit)
{
	unsigned __int128 q = ((unsigned __int128)v * times + unit / 2) / unit;
	return q > UINT64_MAX ? UINT64_MAX : (uint64_t)q;
}

static uint64_t round_time(uint64_t ns, int unit, int decimals)
{
	return divide(ns, powers[decimals], time_units[unit].ns);
}

/* The unit and the decimals that leave three digits after rounding: never "1000 us". */
static void choose_unit(uint64_t ns, int *unit, int *decimals)
{
	for (*unit = 0;; ++*unit) {
		for (*decimals = 2; *decimals >= 0; --*decimals)
			if (round_time(ns, *unit, *decimals) < 1000)
				return;
		if (*unit == UNIT_S) {
			*decimals = 0;
			return;
		}
	}
}

struct units_text units_time(int64_t ns)
{
	struct units_text t = { "" };
	int unit, decimals;
	choose_unit(magnitude(ns), &unit, &decimals);
	uint64_t value = round_time(magnitude(ns), unit, decimals);
	if (value % powers[decimals] == 0) {
		value /= powers[decimals];
		decimals = 0;
	}
	if (ns < 0)
		text_add(&t, "-");
	text_add_decimal(&t, value, decimals);
	text_add(&t, " %s", time_units[unit].name);
	return t;
}

static void choose_range_unit(uint64_t small, uint64_t large, int *unit, int *decimals)
{
	choose_unit(large, unit, decimals);
	if (*unit < UNIT_US || *unit == UNIT_S)
		return;
	uint64_t next = time_units[*unit + 1].ns;
	if (large >= next / 2 && small >= next / 10) {
		++*unit;
		*decimals = 2;
	}
}

/* One end of a range; the smaller gets more decimals where the larger's would leave it bare. */
static void text_add_end(struct units_text *t, int64_t ns, int unit, int decimals)
{
	uint64_t v = magnitude(ns);
	while (decimals < MAX_DECIMALS && round_time(v, unit, decimals) < 10 &&
	       v * powers[decimals] % time_units[unit].ns)
		decimals++;
	if (ns < 0)
		text_add(t, "-");
	text_add_decimal(t, v ? round_time(v, unit, decimals) : 0, v ? decimals : 0);
}

struct units_text units_time_range(int64_t low, int64_t high)
{
	if (low == high)
		return units_time(low);

	uint64_t a = magnitude(low), b = magnitude(high);
	uint64_t small = a < b ? a : b, large = a < b ? b : a;
	int unit, decimals;
	choose_range_unit(small, large, &unit, &decimals);

	struct units_text t = { "" };
	if (small && small < time_units[unit].ns / 1000) {
		text_add(&t, "%s .. ", units_time(low).s);
		text_add(&t, "%s", units_time(high).s);
		return t;
	}
	uint64_t one = powers[decimals];
	if (a % time_units[unit].ns == 0 && round_time(b, unit, decimals) % one == 0)
		decimals = 0;
	text_add_end(&t, low, unit, decimals);
	text_add(&t, low < 0 ? " .. " : "-");
	text_add_end(&t, high, unit, decimals);
	text_add(&t, " %s", time_units[unit].name);
	return t;
}

struct units_text units_count(int64_t n)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)magnitude(n));

	struct units_text t = { "" };
	char *p = t.s;
	if (n < 0)
		*p++ = '-';
	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			*p++ = ',';
		*p++ = digits[i];
	}
	return t;
}

struct units_text units_share(int64_t part, int64_t whole)
{
	if (whole <= 0)
		return text_of("-");

	uint64_t v = magnitude(part), all = (uint64_t)whole;
	uint64_t tenths = divide(v, 1000, all);
	bool nearly = v < all && tenths >= 990;
	if (v && !tenths)
		return text_of(part < 0 ? ">-0.1 %" : "<0.1 %");
	if (nearly && tenths >= 1000)
		return text_of(part < 0 ? "<-99.9 %" : ">99.9 %");

	struct units_text t = { "" };
	if (part < 0)
		text_add(&t, "-");
	if ((tenths < 100 || nearly) && tenths % 10)
		text_add_decimal(&t, tenths, 1);
	else
		text_add_decimal(&t, divide(v, 100, all), 0);
	text_add(&t, " %%");
	return t;
}

struct units_text units_factor(int64_t num, int64_t den)
{
	if (den <= 0)
		return text_of("-");

	uint64_t v = magnitude(num), unit = (uint64_t)den;
	if (v && divide(v, 1000, unit) < 10)
		return text_of(num < 0 ? ">-0.01x" : "<0.01x");

	/* two digits, without zeros at the end */
	int decimals = 3;
	while (decimals && divide(v, powers[decimals], unit) >= 100)
		decimals--;
	while (decimals && divide(v, powers[decimals], unit) % 10 == 0)
		decimals--;

	struct units_text t = { "" };
	if (num < 0)
		text_add(&t, "-");
	text_add_decimal(&t, divide(v, powers[decimals], unit), decimals);
	text_add(&t, "x");
	return t;
}
