/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For targets that read a whole input. */
#ifndef DWELL_FUZZ_CAPTURES_H
#define DWELL_FUZZ_CAPTURES_H

#include "core/capture.h"
#include "core/source.h"
#include "fuzz.h"

struct captures {
	/* Called for each capture; s is NULL for tables. 0, or -errno to end. */
	int (*each)(struct captures *to, struct capture *c, struct source *s, struct err *err);
};

/* Reads the bytes as a file. 0 or -errno, with a sentence in *err. */
int captures_read(const uint8_t *data, size_t size, struct captures *to, struct err *err);

#endif
