/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/graph_call.h"

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
	const char mark[] = { mark_of(ns), ' ' };
	strbuf_add(b, mark, sizeof(mark));
	size_t from = b->n;
	if (ns < 0)
		strbuf_str(b, "-");
	uint64_t left = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
	strbuf_number(b, (int64_t)(left / 1000), 0, ' ');
	size_t n = b->n - from, room = n < 7 ? 7 - n : 0, count = 3;
	char decimals[3];
	for (size_t i = count; i--; left /= 10)
		decimals[i] = (char)('0' + left % 10);
	if (room < count) {
		while (count > room && decimals[count - 1] == '0')
			count--;
	}
	if (count) {
		strbuf_add(b, ".", 1);
		strbuf_add(b, decimals, count);
		n += count + 1;
	}
	strbuf_add(b, " us", 3);
	strbuf_fill(b, n < 9 ? 9 - n : 1, ' ');
	strbuf_add(b, "|", 1);
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
	strbuf_fill(b, 2 + 2 * (size_t)e->depth, ' ');
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
