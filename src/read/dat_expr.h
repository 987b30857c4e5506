/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The expressions behind "print fmt:", which are C with a few macros of the kernel's
 * (include/trace/stages/stage3_trace_output.h):
 *
 *	(unsigned long)REC->ino, __print_flags(REC->flags, "|", { 1, "A" }, { 2, "B" })
 *
 * Each is parsed once, into nodes, and evaluated for every record. A file may hold any text here:
 * what is no such expression is refused as a whole, and nothing is guessed.
 */
#ifndef DWELL_READ_DAT_EXPR_H
#define DWELL_READ_DAT_EXPR_H

#include "base/vec.h"
#include "read/dat_format.h"

enum dat_op {
	DAT_OP_NUMBER,
	DAT_OP_FIELD,  /* an integer of the record */
	DAT_OP_INDEX,  /* element b of the array in a field */
	DAT_OP_LENGTH, /* of the array in a field, in bytes */
	DAT_OP_CAST,
	DAT_OP_MINUS,
	DAT_OP_COMPLEMENT,
	DAT_OP_NOT,
	DAT_OP_BINARY, /* of `sign`: a, b */
	DAT_OP_IF,     /* a ? b : c, of integers or of texts */
	/* Texts */
	DAT_OP_TEXT,     /* a literal */
	DAT_OP_BYTES,    /* the array in a field: as text up to its NUL */
	DAT_OP_FLAGS,    /* __print_flags: value a, between them the literal b */
	DAT_OP_SYMBOLIC, /* __print_symbolic: value a */
	DAT_OP_HEX,      /* __print_hex: array a of b bytes; sign: what stands between them */
	DAT_OP_ARRAY,    /* __print_array: array a of b elements of c bytes */
	DAT_OP_BITMASK,  /* __get_bitmask: array a */
};

/* Operators, by their first characters; those of two are told apart by these. */
enum {
	DAT_SHIFT_LEFT = 'l',
	DAT_SHIFT_RIGHT = 'r',
	DAT_LESS_EQUAL = 'L',
	DAT_MORE_EQUAL = 'M',
	DAT_EQUAL = '=',
	DAT_UNEQUAL = '!',
	DAT_AND = 'A',
	DAT_OR = 'O'
};

struct dat_node {
	uint8_t op;   /* enum dat_op */
	uint8_t size; /* of an integer: 4 or 8 bytes; 0: no integer */
	bool is_signed;
	signed char sign;
	uint8_t depth; /* of the tree below */
	uint16_t a, b, c;
	union {
		uint64_t number;
		struct str text;
		const struct dat_field *field;
		struct {
			uint32_t from, n; /* of names */
		};
	};
};

/* One of a table: { 0x1, "SPIN" } */
struct dat_naming {
	uint64_t value;
	struct str text;
};

struct dat_exprs {
	VEC(struct dat_node) nodes;
	VEC(struct dat_naming) names;
};

void dat_exprs_fini(struct dat_exprs *x);

/* A file cannot make it take more: nodes and names of an event, and over all events. */
#define DAT_NODES_EVENT 4096
#define DAT_NODES_ALL (1u << 20)

/*
 * Parses the expression at the start of *text and moves past it: to a comma, or to the end. The
 * node's index, or -1: it is none, or one that cannot be evaluated. long_size is the kernel's.
 */
int dat_expr_parse(struct dat_exprs *x, const struct dat_event *ev, uint32_t long_size,
		   struct str *text);

/* Cuts a literal in quotes off *text, its quotes too; false: there is none. Escapes stay. */
bool dat_expr_literal(struct str *text, struct str *literal);

/* Are there only integers in it? Else it is a text. */
static inline bool dat_expr_is_int(const struct dat_exprs *x, int node)
{
	return x->nodes.at[node].size != 0;
}

/* What an expression is evaluated for. */
struct dat_eval {
	const struct dat_exprs *x;
	const struct dat_data *data;
	uint32_t long_size;
	bool bad; /* a field lies behind the record's end, or a number was divided by 0 */
};

uint64_t dat_eval_int(struct dat_eval *e, int node);

/* The bytes of an array; of other nodes none, and e->bad. */
struct str dat_eval_bytes(struct dat_eval *e, int node);

/* Adds a text. */
void dat_eval_text(struct dat_eval *e, int node, struct strbuf *to);

#endif
