/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "read/dat_unpack.h"

/* lib/trace-cmd/trace-compress-zlib.c of trace-cmd: compress() and uncompress() */
#ifdef HAVE_ZLIB
#include <zlib.h>

static bool unpack_zlib(const void *in, size_t n_in, void *out, size_t n_out)
{
	uLongf n = n_out;
	return uncompress(out, &n, in, n_in) == Z_OK && n == n_out;
}
#endif

/* trace-compress-zstd.c: one frame */
#ifdef HAVE_ZSTD
#include <zstd.h>

static bool unpack_zstd(const void *in, size_t n_in, void *out, size_t n_out)
{
	return ZSTD_decompress(out, n_out, in, n_in) == n_out;
}
#endif

static const struct dat_packing packings[] = {
#ifdef HAVE_ZLIB
	{ "zlib", unpack_zlib },
#endif
#ifdef HAVE_ZSTD
	{ "zstd", unpack_zstd },
#endif
	{ NULL, NULL },
};

const struct dat_packing *dat_packing_find(struct str name)
{
	for (const struct dat_packing *p = packings; p->name; p++) {
		if (str_eq(name, p->name))
			return p;
	}
	return NULL;
}
