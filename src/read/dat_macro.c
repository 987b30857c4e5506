/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Macros of print formats: include/trace/stages/stage3_trace_output.h of the kernel. */
#include "read/dat_parser.h"

/*
 * A constant. The kernel leaves names of enums as they are where nobody told it their values
 * (TRACE_DEFINE_ENUM): *known is false then.
 */
static bool parse_constant(struct dat_parser *p, uint64_t *value, bool *known)
{
	struct dat_parser before = *p;
	size_t nodes = p->x->nodes.n;
	int node = parser_argument(p, true);
	*known = parser_is_number(p, node);
	if (*known)
		*value = p->x->nodes.at[node].number;
	p->x->nodes.n = nodes;
	if (*known)
		return true;
	*p = before;
	return parser_word(p).n && node < 0;
}

/* Its name; one that is NULL ends a table. */
static bool parse_name(struct dat_parser *p, struct str *text)
{
	uint64_t value = 1;
	bool known = false;
	*text = (struct str){ "", 0 };
	parser_blanks(p);
	if (dat_expr_literal(&p->t, text))
		return str_find_char(*text, '\\') < 0;
	if (parser_take(p, "NULL"))
		return true;
	return parse_constant(p, &value, &known) && known && !value;
}

/*
 * { value, "name" }, ...: to the parenthesis. What has a value that is not known is left out: the
 * number is printed then, as for values that have no name.
 */
static bool parse_names(struct dat_parser *p, struct dat_node *n)
{
	struct dat_exprs *x = p->x;
	n->from = (uint32_t)x->names.n;
	while (parser_take(p, ",") && parser_take(p, "{")) { /* a table may be empty */
		struct dat_naming name = { 0 };
		bool known;
		if (!parse_constant(p, &name.value, &known) || !parser_take(p, ",") ||
		    !parse_name(p, &name.text))
			return false;
		parser_take(p, ",");
		if (!parser_take(p, "}") || x->names.n >= DAT_NODES_EVENT)
			return false;
		if (known && name.text.n)
			vec_push(&x->names, name);
	}
	n->n = (uint32_t)x->names.n - n->from;
	return true;
}

static int macro_flags(struct dat_parser *p)
{
	int a = parser_argument(p, true),
	    b = parser_take(p, ",") ? parser_argument(p, false) : DAT_NOTHING;
	if (a < 0 || b < 0 || p->x->nodes.at[b].op != DAT_OP_TEXT)
		return DAT_NOTHING;
	struct dat_node n = { .op = DAT_OP_FLAGS, .a = (uint16_t)a, .b = (uint16_t)b };
	return parse_names(p, &n) ? parser_add(p, n) : DAT_NOTHING;
}

static int macro_symbolic(struct dat_parser *p)
{
	int a = parser_argument(p, true);
	struct dat_node n = { .op = DAT_OP_SYMBOLIC, .a = (uint16_t)a };
	return a > 0 && parse_names(p, &n) ? parser_add(p, n) : DAT_NOTHING;
}

static int macro_hex_as(struct dat_parser *p, char between)
{
	int a = parser_argument(p, false),
	    b = parser_take(p, ",") ? parser_argument(p, true) : DAT_NOTHING;
	if (a < 0 || b < 0 || p->x->nodes.at[a].op != DAT_OP_BYTES)
		return DAT_NOTHING;
	return parser_add(
		p, (struct dat_node){
			   .op = DAT_OP_HEX, .sign = between, .a = (uint16_t)a, .b = (uint16_t)b });
}

static int macro_hex(struct dat_parser *p)
{
	return macro_hex_as(p, ' ');
}

static int macro_hex_str(struct dat_parser *p)
{
	return macro_hex_as(p, '\0');
}

static int macro_array(struct dat_parser *p)
{
	int a = parser_argument(p, false),
	    b = parser_take(p, ",") ? parser_argument(p, true) : DAT_NOTHING;
	int c = b > 0 && parser_take(p, ",") ? parser_argument(p, true) : DAT_NOTHING;
	if (a < 0 || c < 0 || p->x->nodes.at[a].op != DAT_OP_BYTES)
		return DAT_NOTHING;
	return parser_add(p, (struct dat_node){ .op = DAT_OP_ARRAY,
						.a = (uint16_t)a,
						.b = (uint16_t)b,
						.c = (uint16_t)c });
}

static const struct dat_field *dynamic_field(struct dat_parser *p)
{
	const struct dat_field *f = dat_field_named(p->ev, parser_word(p));
	return f && (f->data_loc || f->rel_loc) ? f : NULL;
}

static int macro_bytes(struct dat_parser *p)
{
	return parser_field(p, DAT_OP_BYTES, dynamic_field(p), 0, false);
}

static int macro_length(struct dat_parser *p)
{
	return parser_field(p, DAT_OP_LENGTH, dynamic_field(p), 4, true);
}

static int macro_bitmask(struct dat_parser *p)
{
	int a = macro_bytes(p);
	return a < 0 ? DAT_NOTHING
		     : parser_add(p, (struct dat_node){ .op = DAT_OP_BITMASK, .a = (uint16_t)a });
}

/* __builtin_expect(value, what it mostly is) */
static int macro_expect(struct dat_parser *p)
{
	int a = parser_argument(p, true);
	return parser_take(p, ",") && parser_argument(p, true) > 0 ? a : DAT_NOTHING;
}

/* __print_ns_to_secs and __print_ns_without_secs: do_div() by 10^9, quotient and rest */
static int macro_divided(struct dat_parser *p, char sign)
{
	size_t nodes = p->x->nodes.n;
	int a = parser_argument(p, true);
	if (a < 0)
		return DAT_NOTHING;
	int wide = parser_add(
		p, (struct dat_node){ .op = DAT_OP_CAST, .size = 8, .sign = 8, .a = (uint16_t)a });
	return wide < 0 ? DAT_NOTHING
			: parser_binary(p, sign, wide, parser_number(p, 1000000000, 8, false),
					nodes);
}

static int macro_seconds(struct dat_parser *p)
{
	return macro_divided(p, '/');
}

static int macro_nanoseconds(struct dat_parser *p)
{
	return macro_divided(p, '%');
}

static int macro_sizeof(struct dat_parser *p)
{
	struct dat_type type;
	struct dat_parser before = *p;
	if (!parser_type(p, &type))
		return DAT_NOTHING;
	/* The caller takes the parenthesis. */
	size_t taken = before.t.n - p->t.n;
	p->t = str_from(before.t, taken - 1);
	return parser_number(p, type.size, (uint8_t)p->long_size, false);
}

int parser_macro(struct dat_parser *p, struct str name)
{
	static const struct {
		const char *name;
		int (*parse)(struct dat_parser *p);
	} macros[] = {
		{ "__print_flags", macro_flags },
		{ "__print_flags_u64", macro_flags },
		{ "__print_symbolic", macro_symbolic },
		{ "__print_symbolic_u64", macro_symbolic },
		{ "__print_hex", macro_hex },
		{ "__print_hex_str", macro_hex_str },
		{ "__print_array", macro_array },
		{ "__print_ns_to_secs", macro_seconds },
		{ "__print_ns_without_secs", macro_nanoseconds },
		{ "__get_str", macro_bytes },
		{ "__get_rel_str", macro_bytes },
		{ "__get_dynamic_array", macro_bytes },
		{ "__get_rel_dynamic_array", macro_bytes },
		{ "__get_sockaddr", macro_bytes },
		{ "__get_rel_sockaddr", macro_bytes },
		{ "__get_dynamic_array_len", macro_length },
		{ "__get_rel_dynamic_array_len", macro_length },
		{ "__get_bitmask", macro_bitmask },
		{ "__get_rel_bitmask", macro_bitmask },
		{ "__get_cpumask", macro_bitmask },
		{ "__get_rel_cpumask", macro_bitmask },
		{ "__builtin_expect", macro_expect },
		{ "sizeof", macro_sizeof },
	};
	for (size_t i = 0; i < sizeof(macros) / sizeof(macros[0]); i++) {
		if (!str_eq(name, macros[i].name))
			continue;
		int node = parser_take(p, "(") ? macros[i].parse(p) : DAT_NOTHING;
		return node > 0 && parser_take(p, ")") ? node : DAT_NOTHING;
	}
	return DAT_NOTHING;
}
