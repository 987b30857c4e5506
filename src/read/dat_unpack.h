/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The compressions of version 7 of trace.dat: whole blocks, whose sizes stand before them. */
#ifndef DWELL_READ_DAT_UNPACK_H
#define DWELL_READ_DAT_UNPACK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct dat_packing {
	const char *name;
	/* Exactly n_out bytes come out of n_in; false if not. */
	bool (*unpack)(const void *in, size_t n_in, void *out, size_t n_out);
};

/* "zlib" or "zstd"; NULL: unknown, or not built in. */
const struct dat_packing *dat_packing_find(struct str name);

#endif
