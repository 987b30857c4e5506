/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quantities as people write and read them: times, shares, counts. Integers all the way, never
 * through a double. Knows nothing of traces, options or columns.
 */
#ifndef DWELL_BASE_UNITS_H
#define DWELL_BASE_UNITS_H

#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

/*
 * Readers. Blanks around the number and before its unit do not matter; commas may stand between
 * thousands; what is negative, too large or followed by anything else is refused. *out is
 * untouched on failure.
 */

/*
 * "100us", "1.5 ms", "3min": ns, us (µs), ms, s, m or min, h. A bare number is refused. Digits
 * finer than a nanosecond are rounded to the nearest, halves up.
 */
int units_parse_time(struct str s, int64_t *ns, struct err *err) must_check;

/*
 * "25%", "20-30%", "20%-30%", also with an en dash: thousandths of a percent, low <= high; a
 * single share sets both. Finer digits are rounded to the nearest, halves up.
 */
int units_parse_percent(struct str s, int64_t *low, int64_t *high, struct err *err) must_check;

/* "192", "1,000", "1.2e6", "64k" (k, M and G count in thousands): whole numbers only. */
int units_parse_count(struct str s, int64_t *n, struct err *err) must_check;

/*
 * The same for callers that word the sentence themselves: NULL, or the reason to put behind the
 * quoted text, as in "'100' has no unit".
 */
const char *units_read_time(struct str s, int64_t *ns) must_check;
const char *units_read_seconds(struct str s, int64_t *ns) must_check; /* a bare number is in s */
const char *units_read_percent(struct str s, int64_t *low, int64_t *high) must_check;
const char *units_read_count(struct str s, int64_t *n) must_check;

/* Writers return the text by value: printf("%s", units_time(ns).s) */
struct units_text {
	char s[32];
};

/* Three significant digits in the unit that suits: "60 us", "5.71 us", "1.10 ms", "999 ns". */
struct units_text units_time(int64_t ns);

/*
 * One unit for both ends, that of the larger: "5.26-6.17 us". From half a ms or half a s on, two
 * decimals of that unit do: "0.85-0.92 ms". Ends more than a thousandfold apart keep their own
 * units, and negative ends get room: "300 ns .. 2.44 s", "-1.20 .. 3.40 us".
 */
struct units_text units_time_range(int64_t low, int64_t high);

/* "1,178" */
struct units_text units_count(int64_t n);

/*
 * Two digits: "57 %", "7.3 %", "0.3 %". What is not nothing is never "0 %" ("<0.1 %"), what is
 * not all never "100 %" (">99.9 %"). "-" when there is no whole.
 */
struct units_text units_share(int64_t part, int64_t whole);

/* "3489x", "21x", "1.3x", "0.34x"; "-" when den is not positive. */
struct units_text units_factor(int64_t num, int64_t den);

#endif
