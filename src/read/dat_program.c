/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "read/dat_program.h"

#include "read/dat_pointer.h"

#define STEPS_MAX 1024
#define TEXT_MAX 8192 /* as much as a line of the kernel's, struct trace_seq */

void dat_program_fini(struct dat_program *p)
{
	dat_exprs_fini(&p->exprs);
	vec_fini(&p->steps);
}

/* -- Compiling --------------------------------------------------------------------------------- */

struct compiler {
	struct dat_program *to;
	const struct dat_event *ev;
	uint32_t long_size;
	struct str arguments; /* the rest of them */
};

/* The next argument's node; -1: there is none. */
static int take_argument(struct compiler *c)
{
	c->arguments = str_trim_left(c->arguments);
	if (!str_starts(c->arguments, ","))
		return -1;
	c->arguments = str_from(c->arguments, 1);
	int node = dat_expr_parse(&c->to->exprs, c->ev, c->long_size, &c->arguments);
	return node > INT16_MAX ? -1 : node;
}

/* An integer for "*"; 0: there is none to take; -1: it is none. */
static int take_star(struct compiler *c, int16_t width)
{
	if (width != DAT_WIDTH_ARG)
		return 0;
	int node = take_argument(c);
	return node > 0 && dat_expr_is_int(&c->to->exprs, node) ? node : -1;
}

static bool fits(const struct compiler *c, const struct dat_step *s)
{
	bool is_int = dat_expr_is_int(&c->to->exprs, s->value);
	if (s->conversion.letter == 'p')
		return dat_pointer_fits(s->how, is_int, c->to->exprs.nodes.at[s->value].op);
	/* The address of a string is looked up among those that the file brings along. */
	return s->conversion.letter == 's' || (is_int && strchr("cdiuxXo", s->conversion.letter));
}

/* What stands behind a %. */
static bool take_conversion(struct compiler *c, struct str *f, struct dat_step *s)
{
	s->conversion = dat_conversion_take(f, c->long_size);
	if (!s->conversion.letter || !strchr("%cdiuxXosp", s->conversion.letter))
		return false;
	if (s->conversion.letter == '%')
		return true;
	if (s->conversion.letter == 'p')
		s->how = dat_pointer_take(f);
	int width = take_star(c, s->conversion.width);
	int precision = take_star(c, s->conversion.precision);
	int value = take_argument(c);
	if (width < 0 || precision < 0 || value < 0)
		return false;
	s->width = (int16_t)width;
	s->precision = (int16_t)precision;
	s->value = (int16_t)value;
	return fits(c, s);
}

/* \n, \t, \" and \\ as C has them; the newline at the end is none of the text. */
static struct str take_escape(struct str *f)
{
	static const char newline[] = "\n", tab[] = "\t";
	char ch = f->n > 1 ? f->p[1] : '\0';
	struct str as = { f->p + 1, 1 };
	*f = str_from(*f, 2);
	return ch == 'n'   ? (struct str){ newline, f->n != 0 }
	       : ch == 't' ? (struct str){ tab, 1 }
			   : as;
}

static bool compile_literal(struct compiler *c, struct str f)
{
	while (f.n) {
		struct dat_step s = { .literal = f };
		size_t n = 0;
		while (n < f.n && f.p[n] != '%' && f.p[n] != '\\')
			n++;
		s.literal.n = n;
		f = str_from(f, n);
		if (str_starts(f, "\\") && !n) {
			s.literal = take_escape(&f);
		} else if (str_starts(f, "%")) {
			f = str_from(f, 1);
			if (!take_conversion(c, &f, &s))
				return false;
		}
		if (c->to->steps.n >= STEPS_MAX)
			return false;
		vec_push(&c->to->steps, s);
	}
	return true;
}

static bool compile(struct compiler *c)
{
	struct str t = c->ev->print, literal;
	VEC(struct str) literals = { 0 };
	bool ok = true;
	/* All the pieces of the format stand before its arguments. */
	while (dat_expr_literal(&t, &literal)) {
		vec_push(&literals, literal);
		t = str_trim_left(t);
	}
	c->arguments = t;
	vec_each (l, &literals)
		ok = ok && compile_literal(c, *l);
	ok = ok && literals.n && !str_trim(c->arguments).n;
	vec_fini(&literals);
	return ok;
}

void dat_program_compile(struct dat_program *p, const struct dat_event *ev, uint32_t long_size,
			 size_t *budget)
{
	struct compiler c = { p, ev, long_size, { "", 0 } };
	p->compiled = true;
	p->works = *budget && compile(&c);
	size_t took = p->exprs.nodes.n + p->exprs.names.n + p->steps.n;
	if (!p->works)
		dat_program_fini(p);
	else
		*budget -= took < *budget ? took : *budget;
}

/* -- Running ----------------------------------------------------------------------------------- */

static void put_text(struct dat_eval *e, const struct dat_step *s, const struct dat_conversion *c,
		     const struct dat_printer *p)
{
	size_t from = p->to->n;
	if (dat_expr_is_int(e->x, s->value)) {
		uint64_t address = dat_eval_int(e, s->value);
		struct str text = dat_printk_format(p->symbols, address);
		if (address && !text.n)
			e->bad = true; /* a string that stayed in the kernel */
		if (!address)
			text = str_of("(null)");
		strbuf_add(p->to, text.p, text.n);
	} else {
		dat_eval_text(e, s->value, p->to);
	}
	if (c->precision >= 0)
		strbuf_cut(p->to, from + (size_t)c->precision);
	dat_put_padding(p->to, from, c);
}

static void put_step(struct dat_eval *e, const struct dat_step *s, const struct dat_printer *p)
{
	struct dat_conversion c = s->conversion;
	char ch;
	strbuf_add(p->to, s->literal.p, s->literal.n);
	if (s->width)
		c.width = dat_conversion_width((int64_t)dat_eval_int(e, s->width));
	if (s->precision)
		c.precision = dat_conversion_width((int64_t)dat_eval_int(e, s->precision));
	switch (c.letter) {
	case '\0':
		break;
	case '%':
		strbuf_add(p->to, "%", 1);
		break;
	case 'c':
		ch = (char)dat_eval_int(e, s->value);
		if (ch)
			dat_put_padded(p->to, (struct str){ &ch, 1 }, &c);
		break;
	case 's':
		put_text(e, s, &c, p);
		break;
	case 'p':
		dat_put_pointer(e, s, &c, p);
		break;
	default:
		dat_put_integer(p->to, dat_eval_int(e, s->value), &c);
	}
}

bool dat_program_run(const struct dat_program *p, const struct dat_printer *printer,
		     const struct dat_data *data)
{
	struct dat_eval e = { &p->exprs, data, printer->long_size, false };
	size_t begun = printer->to->n;
	vec_each (s, &p->steps) {
		if (e.bad)
			break;
		if (printer->to->n - begun > TEXT_MAX) {
			strbuf_str(printer->to, "...");
			break;
		}
		put_step(&e, s, printer);
	}
	if (e.bad)
		strbuf_cut(printer->to, begun);
	return !e.bad;
}
