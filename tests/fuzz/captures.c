/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "captures.h"

#include "read/reader.h"

int captures_read(const uint8_t *data, size_t size, struct captures *to, struct err *err)
{
	struct reader *r = reader_open(fuzz_file(data, size), err);
	if (!r) {
		fuzz_require(err->code && err->msg[0]);
		return -err->code;
	}
	struct capture *c;
	struct source *s;
	int ret;
	while ((ret = reader_next(r, &c, &s, err)) > 0) {
		ret = to->each(to, c, s, err);
		if (ret)
			break;
	}
	fuzz_require(!ret || (err->code && err->msg[0]));
	reader_close(r);
	return ret;
}
