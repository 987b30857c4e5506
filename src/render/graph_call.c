/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/graph_call.h"

#include <inttypes.h>
#include <stdio.h>

/* trace_find_mark in kernel/trace/trace_output.c, of a duration. */
static char mark_of(int64_t ns)
{
	return ns > 1000000000  ? '$'
	       : ns > 100000000 ? '@'
	       : ns > 10000000  ? '*'
	       : ns > 1000000   ? '#'
	       : ns > 100000    ? '!'
	       : ns > 10000     ? '+'
				: ' ';
}

/* Seven digits, as the kernel prints, unless that would not be exact. */
static void write_duration(struct strbuf *b, int64_t ns)
{
	if (ns == NO_DURATION) {
		strbuf_str(b, "              |");
		return;
	}
	char text[48], decimals[4];
	int n = snprintf(text, sizeof(text), "%" PRId64, ns / 1000);
	int room = n < 7 ? 7 - n : 0;
	int count = snprintf(decimals, sizeof(decimals), "%03d", (int)(ns % 1000));
	if (count > room && room < 3) {
		while (count > room && decimals[count - 1] == '0')
			count--;
	}
	if (count)
		n += snprintf(text + n, sizeof(text) - (size_t)n, ".%.*s", count, decimals);
	strbuf_printf(b, "%c %s us%*s|", mark_of(ns), text, n < 9 ? 9 - n : 1, "");
}

static void write_comment(struct strbuf *b, struct str name, struct str comment)
{
	if (!name.n && !comment.n)
		return;
	strbuf_str(b, " /* ");
	strbuf_add(b, name.p, name.n);
	strbuf_str(b, name.n && comment.n ? " " : "");
	strbuf_add(b, comment.p, comment.n);
	strbuf_str(b, " */");
}

void render_graph_call(struct strbuf *b, const struct names *names, const struct event *e,
		       const struct payload *p)
{
	struct str what = names_str(names, e->what), none = { 0 };
	write_duration(b, p->graph.duration);
	strbuf_printf(b, "  %*s", 2 * e->depth, "");
	switch (event_kind(e)) {
	case EVENT_GRAPH_ENTRY:
	case EVENT_GRAPH_LEAF:
		strbuf_add(b, what.p, what.n);
		strbuf_str(b, "(");
		strbuf_add(b, p->arguments.p, p->arguments.n);
		strbuf_str(b, event_kind(e) == EVENT_GRAPH_ENTRY ? ") {" : ");");
		write_comment(b, none, p->graph.comment);
		break;
	case EVENT_GRAPH_EXIT:
		strbuf_str(b, "}");
		write_comment(b, what, p->graph.comment);
		break;
	default:
		strbuf_printf(b, "/* %.*s */", STR_ARG(p->text));
	}
}
