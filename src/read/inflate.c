/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "read/inflate.h"

#include <string.h>

#include "base/mem.h"

#ifdef HAVE_ZLIB
#include <zlib.h>

static void *gzip_open(void)
{
	z_stream *z = mem_alloc(sizeof(*z));
	if (inflateInit2(z, 15 + 16) == Z_OK) /* 15: largest window, + 16: gzip header */
		return z;
	mem_free_scope(&z);
	return NULL;
}

static void gzip_close(void *stream)
{
	inflateEnd(stream);
	mem_free_scope(&stream);
}

static enum inflate_result gzip_run(void *stream, const unsigned char **in, size_t *in_n,
				    char **out, size_t *out_n)
{
	z_stream *z = stream;
	z->next_in = (unsigned char *)*in;
	z->avail_in = (uInt)*in_n;
	z->next_out = (unsigned char *)*out;
	z->avail_out = (uInt)*out_n;
	int ret = inflate(z, Z_NO_FLUSH);
	*in = z->next_in;
	*in_n = z->avail_in;
	*out = (char *)z->next_out;
	*out_n = z->avail_out;
	if (ret == Z_STREAM_END)
		return inflateReset(z) == Z_OK ? INFLATE_END : INFLATE_DAMAGED;
	return ret == Z_OK || ret == Z_BUF_ERROR ? INFLATE_OK : INFLATE_DAMAGED;
}
#endif

#ifdef HAVE_ZSTD
#include <zstd.h>

static void *zstd_open(void)
{
	return ZSTD_createDStream();
}

static void zstd_close(void *stream)
{
	ZSTD_freeDStream(stream);
}

/* The library's default limit on the window (128 MiB) stays: a larger one is damage to us. */
static enum inflate_result zstd_run(void *stream, const unsigned char **in, size_t *in_n,
				    char **out, size_t *out_n)
{
	ZSTD_inBuffer from = { *in, *in_n, 0 };
	ZSTD_outBuffer to = { *out, *out_n, 0 };
	size_t ret = ZSTD_decompressStream(stream, &to, &from);
	*in += from.pos;
	*in_n -= from.pos;
	*out += to.pos;
	*out_n -= to.pos;
	if (ZSTD_isError(ret))
		return INFLATE_DAMAGED;
	return ret == 0 ? INFLATE_END : INFLATE_OK;
}
#endif

#ifdef HAVE_LZMA
#include <lzma.h>

#define XZ_MEMORY (UINT64_C(256) << 20)

static void *xz_open(void)
{
	lzma_stream *s = mem_alloc(sizeof(*s));
	if (lzma_stream_decoder(s, XZ_MEMORY, 0) == LZMA_OK)
		return s;
	mem_free_scope(&s);
	return NULL;
}

static void xz_close(void *stream)
{
	lzma_end(stream);
	mem_free_scope(&stream);
}

static enum inflate_result xz_run(void *stream, const unsigned char **in, size_t *in_n, char **out,
				  size_t *out_n)
{
	lzma_stream *s = stream;
	s->next_in = *in;
	s->avail_in = *in_n;
	s->next_out = (uint8_t *)*out;
	s->avail_out = *out_n;
	lzma_ret ret = lzma_code(s, LZMA_RUN);
	*in = s->next_in;
	*in_n = s->avail_in;
	*out = (char *)s->next_out;
	*out_n = s->avail_out;
	if (ret == LZMA_STREAM_END)
		return lzma_stream_decoder(s, XZ_MEMORY, 0) == LZMA_OK ? INFLATE_END
								       : INFLATE_DAMAGED;
	return ret == LZMA_OK || ret == LZMA_BUF_ERROR ? INFLATE_OK : INFLATE_DAMAGED;
}
#endif

static const struct inflate_ops known[] = {
	{ "gzip",
	  { 0x1f, 0x8b },
	  2,
#ifdef HAVE_ZLIB
	  gzip_open,
	  gzip_close,
	  gzip_run
#endif
	},
	{ "zstd",
	  { 0x28, 0xb5, 0x2f, 0xfd },
	  4,
#ifdef HAVE_ZSTD
	  zstd_open,
	  zstd_close,
	  zstd_run
#endif
	},
	{ "xz",
	  { 0xfd, '7', 'z', 'X', 'Z', 0 },
	  6,
#ifdef HAVE_LZMA
	  xz_open,
	  xz_close,
	  xz_run
#endif
	},
};

static const struct inflate_ops *known_of(const unsigned char *head, size_t n)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (n >= known[i].magic_n && memcmp(head, known[i].magic, known[i].magic_n) == 0)
			return &known[i];
	}
	return NULL;
}

const struct inflate_ops *inflate_find(const unsigned char *head, size_t n)
{
	const struct inflate_ops *ops = known_of(head, n);
	return ops && ops->run ? ops : NULL;
}

const char *inflate_missing(const unsigned char *head, size_t n)
{
	const struct inflate_ops *ops = known_of(head, n);
	if (n >= 3 && memcmp(head, "BZh", 3) == 0)
		return "bzip2";
	return ops && !ops->run ? ops->name : NULL;
}
