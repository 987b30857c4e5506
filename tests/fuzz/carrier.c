/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes to lines: their numbers leave none out, nothing is longer than it may be, a line given back
 * comes again. */
#include "fuzz.h"
#include "read/carrier.h"

static void check_line(const struct line *line, uint32_t number)
{
	fuzz_require(line->number == number && line->last >= number);
	fuzz_require(line->text.n <= 2 * CARRIER_LINE_MAX);
	fuzz_require(str_find_char(line->text, '\n') < 0);
	fuzz_touch(line->text);
}

int fuzz_one(const uint8_t *data, size_t size)
{
	struct carrier c;
	struct err err = { 0 };
	if (carrier_open(&c, fuzz_file(data, size), &err))
		return 0;

	uint64_t choice = fuzz_hash(data, size);
	uint32_t last = 0;
	struct line line;
	int ret;
	while ((ret = carrier_next(&c, &line, &err)) > 0) {
		check_line(&line, last + 1);
		choice = choice << 1 | choice >> 63;
		if (choice & 1) {
			struct line again;
			carrier_back(&c, &line);
			fuzz_require(carrier_next(&c, &again, &err) == 1);
			check_line(&again, last + 1);
			fuzz_require(again.text.n == line.text.n);
		}
		last = line.last;
	}
	fuzz_require(ret == 0 || err.msg[0]);
	carrier_close(&c);
	return 0;
}
