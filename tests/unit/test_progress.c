/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cmd/progress.h"

#define SECOND 1000000000ll

static const struct {
	uint64_t done, total;
	int64_t ns;
	const char *text;
} lines[] = {
	{ 0, 0, SECOND, "0.0 kB, 0.0 kB/s" },
	{ 950, 0, SECOND, "0.9 kB, 0.9 kB/s" },
	{ 9999, 0, SECOND, "9.9 kB, 9.9 kB/s" },
	{ 10000, 0, SECOND, "10 kB, 10 kB/s" },
	{ 1200000000, 4000000000, 3 * SECOND, "1.2 GB of 4.0 GB, 400 MB/s, 7 s left" },
	{ 4000000000, 4000000000, 10 * SECOND, "4.0 GB, 400 MB/s" },
	{ 5000000000, 4000000000, 10 * SECOND, "5.0 GB, 500 MB/s" },
	{ 1000000, 1000000000, 2 * SECOND, "1.0 MB of 1.0 GB, 500 kB/s, 33 min left" },
	{ 0, 1000, 2 * SECOND, "0.0 kB of 1.0 kB, 0.0 kB/s" },
	{ 1000, 0, 0, "1.0 kB, 1.0 GB/s" },
	{ UINT64_MAX, 0, 1, "18446744 TB, 18446744 TB/s" },
	{ UINT64_MAX / 2, UINT64_MAX, INT64_MAX,
	  "9223372 TB of 18446744 TB, 1.0 GB/s, 153722867 min left" },
};

static void test_text(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		assert_string_equal(progress_text(lines[i].done, lines[i].total, lines[i].ns).s,
				    lines[i].text);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_text) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
