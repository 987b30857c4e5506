/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conversions of a format as the kernel's printf() has them (lib/vsprintf.c), and figures printed
 * by one. No conversion that comes from a file is ever handed to printf().
 */
#ifndef DWELL_READ_DAT_CONVERSION_H
#define DWELL_READ_DAT_CONVERSION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

#define DAT_WIDTH_MAX 64 /* that text is padded to */
#define DAT_WIDTH_NONE (-1)
#define DAT_WIDTH_ARG (-2) /* "*": an argument says it */

struct dat_conversion {
	bool left, zero, plus, hash;
	int16_t width, precision; /* or one of the above */
	uint8_t size;             /* bytes of an integer */
	char letter;              /* behind %, sizes and all; 0: the format ended */
};

/* What stands behind a %, which moves *f past it; long_size is the kernel's. */
struct dat_conversion dat_conversion_take(struct str *f, uint32_t long_size);

/* A number, or what an argument gave for "*", as a width or a precision. */
int16_t dat_conversion_width(int64_t v);

/* Letters d i u x X o, of the low c->size bytes of v. */
void dat_put_integer(struct strbuf *to, uint64_t v, const struct dat_conversion *c);

/* Pads what was added to *to since it was `from` long to the width. */
void dat_put_padding(struct strbuf *to, size_t from, const struct dat_conversion *c);

void dat_put_padded(struct strbuf *to, struct str s, const struct dat_conversion *c);

#endif
