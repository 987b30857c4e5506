/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "read/dat_parser.h"

#include <stdlib.h>

#define DEPTH_MAX 64 /* of parentheses, and of what precedes an operand */
#define TREE_MAX 200 /* of nodes below one another */

static int parse_conditional(struct dat_parser *p);
static int parse_unary(struct dat_parser *p);

void dat_exprs_fini(struct dat_exprs *x)
{
	vec_fini(&x->nodes);
	vec_fini(&x->names);
}

/* -- Words ------------------------------------------------------------------------------------- */

void parser_blanks(struct dat_parser *p)
{
	while (p->t.n && (p->t.p[0] == ' ' || p->t.p[0] == '\t' || p->t.p[0] == '\n'))
		p->t = str_from(p->t, 1);
}

static bool is_word(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z');
}

bool parser_take(struct dat_parser *p, const char *what)
{
	parser_blanks(p);
	if (!str_starts(p->t, what))
		return false;
	p->t = str_from(p->t, strlen(what));
	return true;
}

struct str parser_word(struct dat_parser *p)
{
	parser_blanks(p);
	size_t n = 0;
	while (n < p->t.n && is_word(p->t.p[n]))
		n++;
	struct str word = str_head(p->t, n);
	p->t = str_from(p->t, n);
	return word;
}

bool dat_expr_literal(struct str *text, struct str *literal)
{
	struct str t = *text;
	if (!str_starts(t, "\""))
		return false;
	size_t i = 1;
	while (i < t.n && t.p[i] != '"')
		i += t.p[i] == '\\' ? 2 : 1;
	if (i >= t.n)
		return false;
	*literal = (struct str){ t.p + 1, i - 1 };
	*text = str_from(t, i + 1);
	return true;
}

/* -- Nodes ------------------------------------------------------------------------------------- */

int parser_add(struct dat_parser *p, struct dat_node n)
{
	struct dat_exprs *x = p->x;
	const int below[] = { n.a, n.b, n.c };
	if (!x->nodes.n) /* 0 is no node's child */
		vec_push(&x->nodes, ((struct dat_node){ 0 }));
	for (int i = 0; i < 3; i++) {
		if (below[i] && n.depth <= x->nodes.at[below[i]].depth)
			n.depth = (uint8_t)(x->nodes.at[below[i]].depth + 1);
	}
	if (x->nodes.n >= DAT_NODES_EVENT || n.depth > TREE_MAX)
		return DAT_NOTHING;
	vec_push(&x->nodes, n);
	return (int)x->nodes.n - 1;
}

bool parser_is_int(const struct dat_parser *p, int node)
{
	return node > 0 && dat_expr_is_int(p->x, node);
}

bool parser_is_number(const struct dat_parser *p, int node)
{
	return node > 0 && p->x->nodes.at[node].op == DAT_OP_NUMBER;
}

/* What does not depend on the record is a number from now on. */
static int folded(struct dat_parser *p, int node, size_t nodes_before)
{
	if (node <= 0)
		return DAT_NOTHING;
	const struct dat_data none = { (const unsigned char *)"", 0, false };
	struct dat_eval e = { p->x, &none, p->long_size, false };
	struct dat_node n = p->x->nodes.at[node];
	n.number = dat_eval_int(&e, node);
	if (e.bad)
		return DAT_NOTHING;
	n.op = DAT_OP_NUMBER;
	n.a = n.b = n.c = n.depth = 0;
	p->x->nodes.n = nodes_before;
	return parser_add(p, n);
}

int parser_number(struct dat_parser *p, uint64_t v, uint8_t size, bool is_signed)
{
	return parser_add(p, (struct dat_node){ .op = DAT_OP_NUMBER,
						.size = size,
						.is_signed = is_signed,
						.number = v });
}

/* The usual arithmetic conversions, of operands that were promoted already. */
static void convert(const struct dat_parser *p, struct dat_node *n)
{
	const struct dat_node *a = &p->x->nodes.at[n->a], *b = &p->x->nodes.at[n->b];
	n->size = a->size > b->size ? a->size : b->size;
	n->is_signed = (a->is_signed || a->size < n->size) && (b->is_signed || b->size < n->size);
}

static bool is_comparison(char sign)
{
	return strchr("<>LM=!AO", sign) != NULL;
}

int parser_binary(struct dat_parser *p, char sign, int a, int b, size_t nodes_before)
{
	if (!parser_is_int(p, a) || !parser_is_int(p, b))
		return DAT_NOTHING;
	struct dat_node n = {
		.op = DAT_OP_BINARY, .sign = sign, .a = (uint16_t)a, .b = (uint16_t)b
	};
	bool shift = sign == DAT_SHIFT_LEFT || sign == DAT_SHIFT_RIGHT;
	convert(p, &n);
	if (shift) {
		n.size = p->x->nodes.at[a].size;
		n.is_signed = p->x->nodes.at[a].is_signed;
	} else if (is_comparison(sign)) {
		n.size = 4;
		n.is_signed = true;
	}
	int node = parser_add(p, n);
	return parser_is_number(p, a) && parser_is_number(p, b) ? folded(p, node, nodes_before)
								: node;
}

static int add_unary(struct dat_parser *p, enum dat_op op, int a, size_t nodes_before)
{
	if (!parser_is_int(p, a))
		return DAT_NOTHING;
	const struct dat_node *of = &p->x->nodes.at[a];
	int node = parser_add(p, (struct dat_node){
					 .op = (uint8_t)op,
					 .size = op == DAT_OP_NOT ? 4 : of->size,
					 .is_signed = op == DAT_OP_NOT || of->is_signed,
					 .a = (uint16_t)a,
				 });
	return parser_is_number(p, a) ? folded(p, node, nodes_before) : node;
}

static int parse_cast(struct dat_parser *p, struct dat_type type)
{
	size_t nodes = p->x->nodes.n;
	int a = parse_unary(p);
	if (a < 0)
		return DAT_NOTHING;
	const struct dat_node *of = &p->x->nodes.at[a];
	/* An array is its address: of another type it is still the same bytes. */
	if (!of->size)
		return type.is_pointer ? a : DAT_NOTHING;
	int node = parser_add(p, (struct dat_node){
					 .op = DAT_OP_CAST,
					 /* what is smaller than an int is promoted to one */
					 .size = type.size < 4 ? 4 : type.size,
					 .is_signed = type.size < 4 || type.is_signed,
					 .sign = (signed char)(type.is_signed ? -type.size : type.size),
					 .a = (uint16_t)a,
				 });
	return parser_is_number(p, a) ? folded(p, node, nodes) : node;
}

/* -- Operands ---------------------------------------------------------------------------------- */

static const struct dat_field *field_of(const struct dat_parser *p, struct str name)
{
	/* Older kernels name the member of the record, "__data_loc_comm". */
	if (str_starts(name, "__data_loc_"))
		name = str_from(name, 11);
	return dat_field_named(p->ev, name);
}

int parser_field(struct dat_parser *p, enum dat_op op, const struct dat_field *f, uint8_t size,
		 bool is_signed)
{
	return !f ? DAT_NOTHING
		  : parser_add(p, (struct dat_node){ .op = (uint8_t)op,
						     .size = size,
						     .is_signed = is_signed,
						     .field = f });
}

static int parse_number(struct dat_parser *p)
{
	char text[32] = "", *end;
	struct str head = str_head(p->t, sizeof(text) - 1);
	memcpy(text, head.p, head.n);
	uint64_t v = strtoull(text, &end, 0);
	p->t = str_from(p->t, (size_t)(end - text));
	bool is_unsigned = false, decimal = text[0] != '0';
	int longs = 0;
	for (; p->t.n && strchr("uUlL", p->t.p[0]); p->t = str_from(p->t, 1)) {
		is_unsigned |= p->t.p[0] == 'u' || p->t.p[0] == 'U';
		longs += p->t.p[0] == 'l' || p->t.p[0] == 'L';
	}
	if (p->t.n && is_word(p->t.p[0]))
		return DAT_NOTHING;
	uint8_t size = longs > 1 ? 8 : longs ? (uint8_t)p->long_size : 4;
	if (v > UINT32_MAX || (v > INT32_MAX && decimal && !is_unsigned))
		size = 8;
	is_unsigned |= size == 4 ? v > INT32_MAX : v > INT64_MAX;
	return parser_number(p, v, size, !is_unsigned);
}

/* 'a': what is escaped has not been seen */
static int parse_character(struct dat_parser *p)
{
	if (p->t.n < 3 || p->t.p[1] == '\\' || p->t.p[2] != '\'')
		return DAT_NOTHING;
	unsigned char c = (unsigned char)p->t.p[1];
	p->t = str_from(p->t, 3);
	return parser_number(p, c, 4, true);
}

static int parse_text(struct dat_parser *p)
{
	struct str text;
	if (!dat_expr_literal(&p->t, &text) || str_find_char(text, '\\') >= 0)
		return DAT_NOTHING;
	parser_blanks(p);
	/* Literals that are to be joined */
	if (str_starts(p->t, "\""))
		return DAT_NOTHING;
	return parser_add(p, (struct dat_node){ .op = DAT_OP_TEXT, .text = text });
}

static int add_member(struct dat_parser *p, const struct dat_field *f)
{
	if (!f)
		return DAT_NOTHING;
	if (f->is_array)
		return parser_field(p, DAT_OP_BYTES, f, 0, false);
	if (f->size != 1 && f->size != 2 && f->size != 4 && f->size != 8)
		return DAT_NOTHING;
	/* Promoted to int, as C does before it computes. */
	return parser_field(p, DAT_OP_FIELD, f, f->size < 4 ? 4 : (uint8_t)f->size,
			    f->size < 4 || (f->is_signed && !f->is_pointer));
}

static int parse_member(struct dat_parser *p)
{
	if (!parser_take(p, "->"))
		return DAT_NOTHING;
	return add_member(p, field_of(p, parser_word(p)));
}

/* -- Grammar ----------------------------------------------------------------------------------- */

static int parse_primary(struct dat_parser *p)
{
	parser_blanks(p);
	char c = p->t.n ? p->t.p[0] : '\0';
	if (c >= '0' && c <= '9')
		return parse_number(p);
	if (c == '"')
		return parse_text(p);
	if (c == '\'')
		return parse_character(p);
	if (parser_take(p, "(")) {
		struct dat_type type;
		if (parser_type(p, &type))
			return parse_cast(p, type);
		struct dat_parser before = *p;
		if (str_eq(parser_word(p), "REC") && parser_take(p, ")"))
			return parse_member(p);
		*p = before;
		int a = parse_conditional(p);
		return a > 0 && parser_take(p, ")") ? a : DAT_NOTHING;
	}
	struct str word = parser_word(p);
	if (str_eq(word, "REC"))
		return parse_member(p);
	return word.n ? parser_macro(p, word) : DAT_NOTHING;
}

static int parse_index(struct dat_parser *p, int a)
{
	while (a > 0 && parser_take(p, "[")) {
		int b = parser_argument(p, true);
		const struct dat_node of = p->x->nodes.at[a];
		if (b < 0 || of.op != DAT_OP_BYTES || !parser_take(p, "]"))
			return DAT_NOTHING;
		uint16_t size = of.field->elem ? of.field->elem : (uint16_t)p->long_size;
		if (size != 1 && size != 2 && size != 4 && size != 8)
			return DAT_NOTHING;
		a = parser_add(p, (struct dat_node){ .op = DAT_OP_INDEX,
						     .size = size < 4 ? 4 : (uint8_t)size,
						     .is_signed = size < 4 || of.field->is_signed,
						     .b = (uint16_t)b,
						     .field = of.field });
	}
	return a;
}

static int parse_unary(struct dat_parser *p)
{
	static const struct {
		const char *sign;
		enum dat_op op;
	} signs[] = {
		{ "-", DAT_OP_MINUS },
		{ "~", DAT_OP_COMPLEMENT },
		{ "!", DAT_OP_NOT },
	};
	size_t nodes = p->x->nodes.n;
	int a = DAT_NOTHING;
	if (++p->depth > DEPTH_MAX)
		return DAT_NOTHING; /* never less deep again: all is refused */
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		if (parser_take(p, signs[i].sign)) {
			a = add_unary(p, signs[i].op, parse_unary(p), nodes);
			p->depth--;
			return a;
		}
	}
	a = parse_index(p, parse_primary(p));
	p->depth--;
	return a;
}

/* Binary operators, the loosest first; those of two characters before those that they begin with. */
static const struct {
	const char *text;
	char sign;
	int level;
} operators[] = {
	{ "||", DAT_OR, 1 },
	{ "&&", DAT_AND, 2 },
	{ "|", '|', 3 },
	{ "^", '^', 4 },
	{ "&", '&', 5 },
	{ "==", DAT_EQUAL, 6 },
	{ "!=", DAT_UNEQUAL, 6 },
	{ "<<", DAT_SHIFT_LEFT, 8 },
	{ ">>", DAT_SHIFT_RIGHT, 8 },
	{ "<=", DAT_LESS_EQUAL, 7 },
	{ ">=", DAT_MORE_EQUAL, 7 },
	{ "<", '<', 7 },
	{ ">", '>', 7 },
	{ "+", '+', 9 },
	{ "-", '-', 9 },
	{ "*", '*', 10 },
	{ "/", '/', 10 },
	{ "%", '%', 10 },
};

static char take_operator(struct dat_parser *p, int least, int *level)
{
	parser_blanks(p);
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
		if (!str_starts(p->t, operators[i].text))
			continue;
		if (operators[i].level < least)
			return '\0';
		*level = operators[i].level;
		p->t = str_from(p->t, strlen(operators[i].text));
		return operators[i].sign;
	}
	return '\0';
}

static int parse_binary(struct dat_parser *p, int least)
{
	size_t nodes = p->x->nodes.n;
	int a = parse_unary(p), level;
	for (char sign; a > 0 && (sign = take_operator(p, least, &level));)
		a = parser_binary(p, sign, a, parse_binary(p, level + 1), nodes);
	return a;
}

static int parse_conditional(struct dat_parser *p)
{
	size_t nodes = p->x->nodes.n;
	int a = parse_binary(p, 1);
	if (a < 0 || !parser_take(p, "?"))
		return a;
	if (++p->depth > DEPTH_MAX)
		return DAT_NOTHING;
	int b = parse_conditional(p),
	    c = b > 0 && parser_take(p, ":") ? parse_conditional(p) : DAT_NOTHING;
	p->depth--;
	if (!parser_is_int(p, a) || b < 0 || c < 0 || parser_is_int(p, b) != parser_is_int(p, c))
		return DAT_NOTHING;
	struct dat_node n = { .op = DAT_OP_IF, .a = (uint16_t)b, .b = (uint16_t)c };
	if (parser_is_int(p, b))
		convert(p, &n);
	n.c = n.b;
	n.b = n.a;
	n.a = (uint16_t)a;
	int node = parser_add(p, n);
	return parser_is_number(p, a) && parser_is_number(p, b) && parser_is_number(p, c)
		       ? folded(p, node, nodes)
		       : node;
}

int parser_argument(struct dat_parser *p, bool want_int)
{
	int a = parse_conditional(p);
	return a > 0 && parser_is_int(p, a) == want_int ? a : DAT_NOTHING;
}

int dat_expr_parse(struct dat_exprs *x, const struct dat_event *ev, uint32_t long_size,
		   struct str *text)
{
	struct dat_parser p = { x, ev, long_size, *text, 0 };
	int node = parse_conditional(&p);
	parser_blanks(&p);
	*text = p.t;
	return node > 0 && (!p.t.n || p.t.p[0] == ',') ? node : DAT_NOTHING;
}
