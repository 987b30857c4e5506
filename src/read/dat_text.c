/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of an event: as the file's "print fmt:" says (dat_program.h); of ftrace's own entries,
 * which the kernel prints by code that is not in the file, by the form of their rule. What cannot
 * be printed so is said to be none: "[fields] name=value ..." in the order of the fields.
 */
#include "read/dat_decode.h"

#include <inttypes.h>

#define ELEMENTS_MAX 64
#define TEXT_MAX 4096

static void put_int(struct strbuf *b, const struct dat_field *f, const struct dat_data *data)
{
	int64_t v = dat_field_int(f, data);
	if (v == UNKNOWN && (f->size != 8 || (uint32_t)f->offset + 8 > data->n))
		strbuf_str(b, "?");
	else if (f->is_pointer)
		strbuf_printf(b, "0x%" PRIx64, (uint64_t)v);
	else if (f->is_signed)
		strbuf_printf(b, "%" PRId64, v);
	else
		strbuf_printf(b, "%" PRIu64, (uint64_t)v);
}

static bool is_text(const struct dat_field *f)
{
	return f->is_string ||
	       ((f->data_loc || f->rel_loc) && f->elem == 1 && str_find(f->type, "char") >= 0);
}

/* "{1,2,3}", in hex as __print_array() does */
static void put_array(struct dat_decoder *d, const struct dat_field *f, const struct dat_data *data)
{
	struct str bytes = dat_field_bytes(f, data);
	uint16_t size = f->elem ? f->elem : (uint16_t)d->long_size;
	struct dat_field element = { .size = size };
	struct dat_data of = { (const unsigned char *)bytes.p, (uint32_t)bytes.n, data->big };
	strbuf_str(&d->text, "{");
	for (uint32_t i = 0; i < ELEMENTS_MAX && (i + 1u) * size <= bytes.n; i++) {
		element.offset = (uint16_t)(i * size);
		strbuf_printf(&d->text, "%s0x%" PRIx64, i ? "," : "",
			      (uint64_t)dat_field_int(&element, &of));
	}
	strbuf_str(&d->text, bytes.n / size > ELEMENTS_MAX ? ",...}" : "}");
}

static void put_field(struct dat_decoder *d, const struct dat_field *f, const struct dat_data *data)
{
	struct str s = dat_field_str(f, data);
	if (is_text(f))
		strbuf_add(&d->text, s.p, s.n < TEXT_MAX ? s.n : TEXT_MAX);
	else if (f->is_array)
		put_array(d, f, data);
	else
		put_int(&d->text, f, data);
}

/* trace_print_osnoise() in kernel/trace/trace_output.c: us, per cent, counts. */
static void put_osnoise(struct dat_decoder *d, const struct dat_event *ev,
			const struct dat_data *data)
{
	static const char *const names[] = { "runtime",       "noise",       "max_sample",
					     "hw_count",      "nmi_count",   "irq_count",
					     "softirq_count", "thread_count" };
	uint64_t v[8];
	for (int i = 0; i < 8; i++) {
		const struct dat_field *f = dat_field_named(ev, str_of(names[i]));
		int64_t n = f ? dat_field_int(f, data) : 0;
		v[i] = n < 0 ? 0 : (uint64_t)n;
	}
	uint64_t left = v[0] > v[1] ? v[0] - v[1] : 0;
	uint64_t ratio = v[0] ? (uint64_t)((unsigned __int128)left * 10000000 / v[0]) : 0;
	strbuf_printf(&d->text,
		      "%" PRIu64 " %10" PRIu64 " %3" PRIu64 ".%05" PRIu64 " %7" PRIu64 " %6" PRIu64
		      " %6" PRIu64 " %6" PRIu64 " %6" PRIu64 " %6" PRIu64,
		      v[0], v[1], ratio / 100000, ratio % 100000, v[2], v[3], v[4], v[5], v[6],
		      v[7]);
}

/* A note ends with its newline, which is no part of the line. */
static void put_note(struct strbuf *b, struct str s)
{
	while (s.n && (s.p[s.n - 1] == '\n' || s.p[s.n - 1] == '\0'))
		s.n--;
	strbuf_add(b, s.p, s.n < TEXT_MAX ? s.n : TEXT_MAX);
}

static void put_bprint(struct dat_decoder *d, const struct dat_event *ev,
		       const struct dat_data *data, int64_t address)
{
	const struct dat_field *buf = dat_field_named(ev, str_of("buf"));
	struct str format = dat_printk_format(&d->symbols, (uint64_t)address);
	if (format.n)
		dat_bprintf(d, format, dat_field_bytes(buf, data));
	else
		strbuf_printf(&d->text, "(format at 0x%" PRIx64 " not in the file)",
			      (uint64_t)address);
}

static void put_as(struct dat_decoder *d, const struct dat_event *ev, const struct dat_field *f,
		   struct str how, const struct dat_data *data)
{
	static const char *const contexts[] = { "irq", "thread", "user-ret" };
	struct strbuf *b = &d->text;
	int64_t v = dat_field_int(f, data);
	if (str_eq(how, "note"))
		return put_note(b, dat_field_str(f, data));
	if (v == UNKNOWN)
		return strbuf_str(b, "?");
	if (str_eq(how, "seq"))
		strbuf_printf(b, "%-5" PRId64, v);
	else if (str_eq(how, "nsec"))
		strbuf_printf(b, "%09" PRId64, v);
	else if (str_eq(how, "wide"))
		strbuf_printf(b, "%9" PRId64, v);
	else if (str_eq(how, "context"))
		strbuf_printf(b, "%6s", v >= 0 && v < 3 ? contexts[v] : "?");
	else if (str_eq(how, "osnoise"))
		put_osnoise(d, ev, data);
	else if (str_eq(how, "function"))
		put_note(b, names_str(d->names, dat_function(&d->symbols, (uint64_t)v)));
	else if (str_eq(how, "printk"))
		dat_bprintf(d, dat_printk_format(&d->symbols, (uint64_t)v), (struct str){ "", 0 });
	else if (str_eq(how, "bprintf"))
		put_bprint(d, ev, data, v);
}

/* False: a field of the form is none of this kernel's. */
static bool print_form(struct dat_decoder *d, const struct dat_event *ev,
		       const struct dat_data *data)
{
	struct str form = str_of(ev->rule->form);
	size_t begun = d->text.n;
	while (form.n) {
		ptrdiff_t open = str_find_char(form, '{');
		strbuf_add(&d->text, form.p, open < 0 ? form.n : (size_t)open);
		if (open < 0)
			break;
		form = str_from(form, (size_t)open + 1);
		struct str name = str_head(form, (size_t)str_find_char(form, '}'));
		form = str_from(form, name.n + 1);
		ptrdiff_t colon = str_find_char(name, ':');
		struct str how = str_from(name, colon < 0 ? name.n : (size_t)colon + 1);
		const struct dat_field *f =
			dat_field_named(ev, str_head(name, colon < 0 ? name.n : (size_t)colon));
		if (!f) {
			d->text.n = begun;
			return false;
		}
		if (how.n)
			put_as(d, ev, f, how, data);
		else
			put_field(d, f, data);
	}
	return true;
}

static bool print_program(struct dat_decoder *d, const struct dat_event *ev,
			  const struct dat_data *data)
{
	struct dat_program *p = &d->programs[ev->id];
	const struct dat_printer to = { &d->symbols, d->long_size, &d->text };
	if (!p->compiled)
		dat_program_compile(p, ev, d->long_size, &d->program_budget);
	return p->works && dat_program_run(p, &to, data);
}

void dat_print(struct dat_decoder *d, const struct dat_event *ev, const struct dat_data *data)
{
	if (ev->rule && ev->rule->form ? print_form(d, ev, data) : print_program(d, ev, data))
		return;
	strbuf_str(&d->text, "[fields]");
	for (size_t i = ev->n_common; i < ev->fields.n; i++) {
		const struct dat_field *f = &ev->fields.at[i];
		strbuf_printf(&d->text, " %.*s=", STR_ARG(f->name));
		put_field(d, f, data);
	}
}
