/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "read/dat_expr.h"

#include "core/capture.h"
#include "read/dat_conversion.h"

#define ELEMENTS_MAX 2048 /* of an array that is printed: a record is shorter than that */

/* The low `size` bytes of v, extended. */
static uint64_t wrap(uint64_t v, unsigned size, bool is_signed)
{
	if (size >= 8 || !size)
		return v;
	unsigned drop = 64 - 8 * size;
	return is_signed ? (uint64_t)((int64_t)(v << drop) >> drop) : v << drop >> drop;
}

static uint64_t eval_field(struct dat_eval *e, const struct dat_field *f)
{
	if ((uint32_t)f->offset + f->size > e->data->n) {
		e->bad = true;
		return 0;
	}
	return (uint64_t)dat_field_int(f, e->data);
}

static struct str bytes_of(struct dat_eval *e, const struct dat_field *f)
{
	struct str s = dat_field_bytes(f, e->data);
	/* What is empty by right has a place in the record; see dat_field_bytes. */
	if (!s.n && (uint32_t)f->offset + f->size > e->data->n)
		e->bad = true;
	return s;
}

static uint64_t element(struct dat_eval *e, struct str bytes, uint64_t i, unsigned size,
			bool is_signed)
{
	if (!size || i >= bytes.n / size) {
		e->bad = true;
		return 0;
	}
	const struct dat_field f = { .offset = (uint16_t)(i * size),
				     .size = (uint16_t)size,
				     .is_signed = is_signed };
	const struct dat_data of = { (const unsigned char *)bytes.p, (uint32_t)bytes.n,
				     e->data->big };
	return (uint64_t)dat_field_int(&f, &of);
}

static uint64_t eval_index(struct dat_eval *e, const struct dat_node *n)
{
	const struct dat_field *f = n->field;
	return element(e, bytes_of(e, f), dat_eval_int(e, n->b), f->elem ? f->elem : e->long_size,
		       f->is_signed);
}

static uint64_t divide(struct dat_eval *e, const struct dat_node *n, uint64_t a, uint64_t b)
{
	bool rest = n->sign == '%';
	if (!b) {
		e->bad = true;
		return 0;
	}
	if (!n->is_signed)
		return rest ? a % b : a / b;
	if ((int64_t)b == -1) /* INT64_MIN / -1 traps */
		return rest ? 0 : -a;
	return (uint64_t)(rest ? (int64_t)a % (int64_t)b : (int64_t)a / (int64_t)b);
}

static uint64_t shift(struct dat_eval *e, const struct dat_node *n, uint64_t a, uint64_t b)
{
	if (b >= 8u * n->size) {
		e->bad = true;
		return 0;
	}
	if (n->sign == DAT_SHIFT_LEFT)
		return a << b;
	return n->is_signed ? (uint64_t)((int64_t)a >> b) : a >> b;
}

/* -1, 0, 1 of two operands that were converted to one type */
static int compare(const struct dat_eval *e, const struct dat_node *n, uint64_t a, uint64_t b)
{
	const struct dat_node *x = &e->x->nodes.at[n->a], *y = &e->x->nodes.at[n->b];
	unsigned size = x->size > y->size ? x->size : y->size;
	bool is_signed = (x->is_signed || x->size < size) && (y->is_signed || y->size < size);
	a = wrap(a, size, is_signed);
	b = wrap(b, size, is_signed);
	if (is_signed)
		return ((int64_t)a > (int64_t)b) - ((int64_t)a < (int64_t)b);
	return (a > b) - (a < b);
}

static uint64_t eval_binary(struct dat_eval *e, const struct dat_node *n)
{
	uint64_t a = dat_eval_int(e, n->a);
	if (n->sign == DAT_AND || n->sign == DAT_OR)
		return !a == (n->sign == DAT_AND) ? n->sign == DAT_OR : !!dat_eval_int(e, n->b);
	uint64_t b = dat_eval_int(e, n->b);
	switch (n->sign) {
	case DAT_SHIFT_LEFT:
	case DAT_SHIFT_RIGHT:
		return shift(e, n, a, b);
	case '<':
		return compare(e, n, a, b) < 0;
	case '>':
		return compare(e, n, a, b) > 0;
	case DAT_LESS_EQUAL:
		return compare(e, n, a, b) <= 0;
	case DAT_MORE_EQUAL:
		return compare(e, n, a, b) >= 0;
	case DAT_EQUAL:
		return compare(e, n, a, b) == 0;
	case DAT_UNEQUAL:
		return compare(e, n, a, b) != 0;
	default:
		break;
	}
	a = wrap(a, n->size, n->is_signed);
	b = wrap(b, n->size, n->is_signed);
	switch (n->sign) {
	case '+':
		return a + b;
	case '-':
		return a - b;
	case '*':
		return a * b;
	case '&':
		return a & b;
	case '|':
		return a | b;
	case '^':
		return a ^ b;
	default:
		return divide(e, n, a, b);
	}
}

uint64_t dat_eval_int(struct dat_eval *e, int node)
{
	const struct dat_node *n = &e->x->nodes.at[node];
	uint64_t v = 0;
	switch (n->op) {
	case DAT_OP_NUMBER:
		return n->number;
	case DAT_OP_FIELD:
		return eval_field(e, n->field);
	case DAT_OP_INDEX:
		return eval_index(e, n);
	case DAT_OP_LENGTH:
		return bytes_of(e, n->field).n;
	case DAT_OP_CAST:
		v = dat_eval_int(e, n->a);
		return n->sign < 0 ? wrap(v, (unsigned)-n->sign, true)
				   : wrap(v, (unsigned)n->sign, false);
	case DAT_OP_MINUS:
		v = -dat_eval_int(e, n->a);
		break;
	case DAT_OP_COMPLEMENT:
		v = ~dat_eval_int(e, n->a);
		break;
	case DAT_OP_NOT:
		return !dat_eval_int(e, n->a);
	case DAT_OP_BINARY:
		v = eval_binary(e, n);
		break;
	case DAT_OP_IF:
		v = dat_eval_int(e, dat_eval_int(e, n->a) ? n->b : n->c);
		break;
	default:
		e->bad = true;
	}
	return wrap(v, n->size, n->is_signed);
}

struct str dat_eval_bytes(struct dat_eval *e, int node)
{
	const struct dat_node *n = &e->x->nodes.at[node];
	if (n->op == DAT_OP_BYTES)
		return bytes_of(e, n->field);
	e->bad = true;
	return (struct str){ "", 0 };
}

static void put_hex(struct strbuf *to, uint64_t v)
{
	const struct dat_conversion c = {
		.hash = true, .precision = DAT_WIDTH_NONE, .size = 8, .letter = 'x'
	};
	dat_put_integer(to, v, &c);
}

/* The bits that count of an unsigned long, which the tables' functions take. */
static uint64_t long_mask(const struct dat_eval *e, int node)
{
	return e->long_size < 8 && e->x->nodes.at[node].size < 8 ? UINT32_MAX : UINT64_MAX;
}

static const struct dat_naming *names_of(const struct dat_eval *e, const struct dat_node *n)
{
	return n->n ? &e->x->names.at[n->from] : NULL;
}

/* trace_print_flags_seq() in kernel/trace/trace_output.c */
static void text_flags(struct dat_eval *e, const struct dat_node *n, struct strbuf *to)
{
	const struct dat_naming *names = names_of(e, n);
	struct str between = e->x->nodes.at[n->b].text;
	uint64_t mask = long_mask(e, n->a), v = dat_eval_int(e, n->a) & mask;
	size_t begun = to->n;
	for (uint32_t i = 0; i < n->n && v; i++) {
		uint64_t bits = names[i].value & mask;
		if ((v & bits) != bits)
			continue;
		if (to->n > begun)
			strbuf_add(to, between.p, between.n);
		strbuf_add(to, names[i].text.p, names[i].text.n);
		v &= ~bits;
	}
	if (v && to->n > begun)
		strbuf_add(to, between.p, between.n);
	if (v)
		put_hex(to, v);
}

/* trace_print_symbols_seq() */
static void text_symbolic(struct dat_eval *e, const struct dat_node *n, struct strbuf *to)
{
	const struct dat_naming *names = names_of(e, n);
	uint64_t mask = long_mask(e, n->a), v = dat_eval_int(e, n->a) & mask;
	for (uint32_t i = 0; i < n->n; i++) {
		if ((names[i].value & mask) == v)
			return strbuf_add(to, names[i].text.p, names[i].text.n);
	}
	put_hex(to, v);
}

/* trace_print_hex_seq() */
static void text_hex(struct dat_eval *e, const struct dat_node *n, struct strbuf *to)
{
	static const char figures[] = "0123456789abcdef";
	struct str bytes = dat_eval_bytes(e, n->a);
	int64_t count = (int64_t)dat_eval_int(e, n->b);
	if (count > (int64_t)bytes.n)
		e->bad = true;
	for (int64_t i = 0; i < count && !e->bad; i++) {
		unsigned char c = (unsigned char)bytes.p[i];
		const char text[] = { ' ', figures[c >> 4], figures[c & 15] };
		bool blank = i && n->sign;
		strbuf_add(to, text + !blank, blank ? 3 : 2);
	}
}

/* trace_print_array_seq(): "{0x1,0x2}" */
static void text_array(struct dat_eval *e, const struct dat_node *n, struct strbuf *to)
{
	struct str bytes = dat_eval_bytes(e, n->a);
	int64_t count = (int64_t)dat_eval_int(e, n->b);
	uint64_t size = dat_eval_int(e, n->c);
	if ((size != 1 && size != 2 && size != 4 && size != 8) || count > ELEMENTS_MAX)
		e->bad = true;
	strbuf_add(to, "{", 1);
	for (int64_t i = 0; i < count && !e->bad; i++) {
		strbuf_add(to, ",", i ? 1 : 0);
		put_hex(to, element(e, bytes, (uint64_t)i, (unsigned)size, false));
	}
	strbuf_add(to, "}", 1);
}

/* trace_print_bitmask_seq(): words of 32 bits in hex, the highest first, with commas between */
static void text_bitmask(struct dat_eval *e, const struct dat_node *n, struct strbuf *to)
{
	struct str bytes = dat_eval_bytes(e, n->a);
	struct dat_conversion c = { .precision = 8, .size = 4, .letter = 'x' };
	/* They are the kernel's longs, whose halves stand the other way round on big endian. */
	size_t swap = e->data->big && e->long_size == 8 ? 1 : 0, words = bytes.n / 4;
	if (bytes.n % e->long_size)
		e->bad = true;
	for (size_t i = words; i-- > 0 && !e->bad;) {
		dat_put_integer(to, element(e, bytes, i ^ swap, 4, false), &c);
		strbuf_add(to, ",", i ? 1 : 0);
	}
}

void dat_eval_text(struct dat_eval *e, int node, struct strbuf *to)
{
	const struct dat_node *n = &e->x->nodes.at[node];
	struct str s;
	switch (n->op) {
	case DAT_OP_TEXT:
		return strbuf_add(to, n->text.p, n->text.n);
	case DAT_OP_BYTES:
		s = bytes_of(e, n->field);
		const char *nul = s.n ? memchr(s.p, 0, s.n) : NULL;
		return strbuf_add(to, s.p, nul ? (size_t)(nul - s.p) : s.n);
	case DAT_OP_IF:
		return dat_eval_text(e, dat_eval_int(e, n->a) ? n->b : n->c, to);
	case DAT_OP_FLAGS:
		return text_flags(e, n, to);
	case DAT_OP_SYMBOLIC:
		return text_symbolic(e, n, to);
	case DAT_OP_HEX:
		return text_hex(e, n, to);
	case DAT_OP_ARRAY:
		return text_array(e, n, to);
	case DAT_OP_BITMASK:
		return text_bitmask(e, n, to);
	default:
		e->bad = true;
	}
}
