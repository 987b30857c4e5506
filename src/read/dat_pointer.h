/* SPDX-License-Identifier: GPL-2.0-or-later */
/* %p and the letters behind it: pointer() in lib/vsprintf.c of the kernel. */
#ifndef DWELL_READ_DAT_POINTER_H
#define DWELL_READ_DAT_POINTER_H

#include "read/dat_program.h"

/* The letters and digits behind %p, which moves *f past them. */
struct str dat_pointer_take(struct str *f);

/* Can a value be printed so? Addresses can, and where the kernel reads what lies there, arrays. */
bool dat_pointer_fits(struct str how, bool is_int, enum dat_op op);

/* `how` of a step, of its value. */
void dat_put_pointer(struct dat_eval *e, const struct dat_step *s, const struct dat_conversion *c,
		     const struct dat_printer *p);

/* An address: as many digits as the kernel's long has. */
void dat_put_address(struct strbuf *to, uint64_t address, uint32_t long_size);

/* The function that holds the address; in full: with "+0xoffset/0xsize" behind it. */
void dat_put_symbol(struct strbuf *to, struct dat_symbols *symbols, uint64_t address, bool full);

#endif
