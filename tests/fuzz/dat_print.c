/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A format of an event, a NUL, and a record: printed by what stands behind "print fmt:". */
#include "fuzz.h"
#include "read/dat_program.h"

#define TEXT_MOST (1u << 20) /* 8 kB, and one more step: an array of 64 kB */

static void check_nodes(const struct dat_exprs *x)
{
	for (size_t i = 1; i < x->nodes.n; i++) {
		const struct dat_node *n = &x->nodes.at[i];
		fuzz_require(n->a < i && n->b < i && n->c < i);
		if (n->op == DAT_OP_TEXT)
			fuzz_touch(n->text);
	}
	vec_each (name, &x->names)
		fuzz_touch(name->text);
}

static void print(struct dat_symbols *symbols, const struct dat_event *ev, struct str record,
		  uint32_t long_size, bool big)
{
	struct dat_program p = { 0 };
	struct strbuf cleanup_strbuf text = { 0 };
	size_t budget = DAT_NODES_ALL;
	strbuf_str(&text, "before");
	dat_program_compile(&p, ev, long_size, &budget);
	fuzz_require(p.works || (!p.steps.n && !p.exprs.nodes.n));
	const struct dat_printer to = { symbols, long_size, &text };
	const struct dat_data data = { (const unsigned char *)record.p, (uint32_t)record.n, big };
	if (p.works) {
		check_nodes(&p.exprs);
		bool ok = dat_program_run(&p, &to, &data);
		fuzz_require(str_starts(strbuf_get(&text), "before") && text.n < TEXT_MOST);
		fuzz_require(ok || text.n == 6);
		fuzz_touch(strbuf_get(&text));
	}
	dat_program_fini(&p);
}

int fuzz_one(const uint8_t *data, size_t size)
{
	struct str all = fuzz_str(data, size);
	ptrdiff_t nul = str_find_char(all, '\0');
	struct str format = str_head(all, nul < 0 ? all.n : (size_t)nul);
	/* A copy of its own, so that reading behind its end is noticed. */
	struct str record = str_from(all, format.n + 1);
	char *copy = malloc(record.n + !record.n);
	memcpy(copy, record.p, record.n);
	record.p = copy;

	struct names names;
	struct dat_file file = { .fd = -1 };
	struct dat_formats formats = { 0 };
	struct dat_symbols symbols;
	names_init(&names);
	dat_symbols_init(&symbols, &file, &names);
	struct dat_event *ev = dat_formats_add(&formats, str_of("x"), format, &names);
	for (unsigned way = 0; ev && way < 4; way++)
		print(&symbols, ev, record, way & 1 ? 4 : 8, way & 2);
	dat_symbols_fini(&symbols);
	dat_formats_fini(&formats);
	names_fini(&names);
	free(copy);
	return 0;
}
