/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs and scripts: whatever stands in them, what they are is said, and soon. */
#include "wire/program.h"

#include <errno.h>

#include "fuzz.h"

int fuzz_one(const uint8_t *data, size_t size)
{
	/* A script's interpreter is a file of this machine: which one, the input must not decide. */
	if (size > 2 && data[0] == '#' && data[1] == '!')
		return 0;
	errno = 4711;
	enum wire_program is = wire_program_at(fuzz_file(data, size));
	fuzz_require(is <= WIRE_PROGRAM_HWASAN && errno == 4711);
	if (size < 4 || data[0] != 0x7f)
		fuzz_require(is == WIRE_PROGRAM_FITS);
	return 0;
}
