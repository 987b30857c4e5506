/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/folded.h"

#include <inttypes.h>

#define PATH_MAX_NODES 512

static int64_t weight_of(const struct fold_node *n, enum folded_weight weight)
{
	if (weight == FOLDED_CALLS)
		return (int64_t)n->calls;
	return weight == FOLDED_US ? n->self / 1000 + (n->self % 1000 >= 500) : n->self;
}

/* A semicolon or a control character in a comm would break the line up. */
static void put_name(FILE *out, struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];
		putc(c == ';' ? ':' : c < 0x20 || c == 0x7f ? '?' : c, out);
	}
}

static void put_frame(FILE *out, const struct fold_node *n, const struct names *names)
{
	static const char *const contexts[CONTEXT_COUNT] = {
		[CONTEXT_TASK] = "task",
		[CONTEXT_SOFTIRQ] = "softirq",
		[CONTEXT_HARDIRQ] = "hardirq",
		[CONTEXT_NMI] = "nmi",
	};
	if (n->kind == FOLD_FUNCTION) {
		put_name(out, names_str(names, n->id));
	} else if (n->kind == FOLD_INTERRUPT) {
		fputs(contexts[n->id % CONTEXT_COUNT], out);
	} else if (n->kind == FOLD_CPU) {
		if (n->id == FOLD_NO_CPU)
			fputs("task not printed", out);
		else
			fprintf(out, "CPU %" PRIu32, n->id);
	} else {
		struct task t = names_task_of(names, n->id);
		put_name(out, names_str(names, t.comm));
		fprintf(out, "-%" PRId32, t.pid);
	}
}

bool render_folded(FILE *out, const struct fold *f, const struct names *names,
		   enum folded_weight weight)
{
	bool any = false;
	uint32_t path[PATH_MAX_NODES];
	for (uint32_t i = 1; i < f->nodes.n; i++) {
		int64_t w = weight_of(&f->nodes.at[i], weight);
		if (w <= 0)
			continue;
		size_t n = 0;
		for (uint32_t at = i; at && n < PATH_MAX_NODES; at = f->nodes.at[at].parent)
			path[n++] = at;
		while (n) {
			put_frame(out, &f->nodes.at[path[--n]], names);
			if (n)
				putc(';', out);
		}
		fprintf(out, " %" PRId64 "\n", w);
		any = true;
	}
	return any;
}
