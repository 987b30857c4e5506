/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What dat_expr.c, dat_type.c and dat_macro.c parse with. Functions that give a node give its
 * index, or DAT_NOTHING: then the whole expression is refused. */
#ifndef DWELL_READ_DAT_PARSER_H
#define DWELL_READ_DAT_PARSER_H

#include "read/dat_expr.h"

#define DAT_NOTHING (-1)

struct dat_parser {
	struct dat_exprs *x;
	const struct dat_event *ev;
	uint32_t long_size;
	struct str t; /* the rest */
	int depth;    /* of parentheses and of what precedes an operand */
};

/* Words: each skips blanks first. False: `what` does not come next. */
void parser_blanks(struct dat_parser *p);
bool parser_take(struct dat_parser *p, const char *what);
struct str parser_word(struct dat_parser *p); /* letters, digits and "_"; may be empty */

/* Nodes. Those of an operation are checked: integers, and not too many below one another. */
int parser_add(struct dat_parser *p, struct dat_node n);
int parser_number(struct dat_parser *p, uint64_t v, uint8_t size, bool is_signed);
int parser_field(struct dat_parser *p, enum dat_op op, const struct dat_field *f, uint8_t size,
		 bool is_signed); /* f NULL: nothing */
/* nodes_before: how many there were before a and b, which go if both are numbers. */
int parser_binary(struct dat_parser *p, char sign, int a, int b, size_t nodes_before);
bool parser_is_int(const struct dat_parser *p, int node);
bool parser_is_number(const struct dat_parser *p, int node);

/* An expression up to a comma or a parenthesis, which has to be an integer, or none. */
int parser_argument(struct dat_parser *p, bool want_int);

/* The macro of that name, with its parentheses. */
int parser_macro(struct dat_parser *p, struct str name);

struct dat_type {
	uint8_t size; /* bytes */
	bool is_signed, is_pointer;
};

/* A type and the parenthesis behind it; false, and p where it was, if there is none. */
bool parser_type(struct dat_parser *p, struct dat_type *to);

#endif
