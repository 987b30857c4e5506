/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Quantities: what is read is in its range, what is refused leaves the value alone, any number can
 * be written, and a time that is written in ns reads back. */
#include "base/units.h"

#include "fuzz.h"

#define UNTOUCHED -424242

static void check_time(struct str s)
{
	int64_t ns = UNTOUCHED;
	const char *why = units_read_time(s, &ns);
	fuzz_require(why ? ns == UNTOUCHED : ns >= 0);
	fuzz_touch_string(why);
	if (why)
		return;
	char text[40];
	int64_t again;
	snprintf(text, sizeof(text), "%lldns", (long long)ns);
	fuzz_require(!units_read_time(str_of(text), &again) && again == ns);
}

static void check_percent(struct str s)
{
	int64_t low = UNTOUCHED, high = UNTOUCHED;
	const char *why = units_read_percent(s, &low, &high);
	if (why)
		fuzz_require(low == UNTOUCHED && high == UNTOUCHED);
	else
		fuzz_require(low >= 0 && low <= high);
	fuzz_touch_string(why);
}

static void check_count(struct str s)
{
	int64_t n = UNTOUCHED;
	const char *why = units_read_count(s, &n);
	fuzz_require(why ? n == UNTOUCHED : n >= 0);
	fuzz_touch_string(why);
}

static void check_text(struct units_text t)
{
	size_t n = strnlen(t.s, sizeof(t.s));
	fuzz_require(n && n < sizeof(t.s));
}

static void check_writers(int64_t a, int64_t b)
{
	check_text(units_time(a));
	check_text(units_time_range(a < b ? a : b, a < b ? b : a));
	check_text(units_count(a));
	check_text(units_share(a, b));
	check_text(units_factor(a, b));
}

int fuzz_one(const uint8_t *data, size_t size)
{
	struct str s = fuzz_str(data, size);
	struct err err = { 0 };
	int64_t ignored;
	check_time(s);
	check_percent(s);
	check_count(s);
	if (units_parse_time(s, &ignored, &err))
		fuzz_touch_string(err.msg);

	int64_t numbers[2] = { 0 };
	memcpy(numbers, data, size < sizeof(numbers) ? size : sizeof(numbers));
	check_writers(numbers[0], numbers[1]);
	check_writers(numbers[0] >> (numbers[1] & 63), numbers[1] >> (numbers[0] & 63));
	return 0;
}
