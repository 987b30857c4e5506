/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * "print fmt:" of an event, made into a program once: literal pieces, and conversions with the
 * expressions that they print (dat_expr.h).
 */
#ifndef DWELL_READ_DAT_PROGRAM_H
#define DWELL_READ_DAT_PROGRAM_H

#include "read/dat_conversion.h"
#include "read/dat_expr.h"
#include "read/dat_symbol.h"

struct dat_step {
	struct str literal; /* before the conversion; what follows %p in `how` */
	struct str how;
	struct dat_conversion conversion; /* letter 0: none */
	int16_t width, precision, value;  /* nodes; 0: none */
};

struct dat_program {
	struct dat_exprs exprs;
	VEC(struct dat_step) steps;
	bool compiled, works;
};

/* *budget: nodes and names that all events together may still have. */
void dat_program_compile(struct dat_program *p, const struct dat_event *ev, uint32_t long_size,
			 size_t *budget);
void dat_program_fini(struct dat_program *p);

/* What a conversion behind %p needs. */
struct dat_printer {
	struct dat_symbols *symbols;
	uint32_t long_size;
	struct strbuf *to;
};

/* False: this record cannot be printed so, and *to is as it was. */
bool dat_program_run(const struct dat_program *p, const struct dat_printer *printer,
		     const struct dat_data *data);

#endif
