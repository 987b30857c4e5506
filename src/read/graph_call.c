/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "read/graph_call.h"

/*
 * "0.378 us", "+ 11.006 us", "119760.2 us", "1000131 us": at most seven digits, the decimals
 * give way (trace_print_graph_duration, kernel/trace/trace_functions_graph.c). The mark repeats
 * what the number says.
 */
static bool read_duration(struct str s, int64_t *ns)
{
	if (s.n && strchr("+!#*@$", s.p[0]))
		s = str_trim_left(str_from(s, 1));
	int64_t us, scale = 100;
	if (!str_unsigned(&s, &us) || __builtin_mul_overflow(us, 1000, ns))
		return false;
	if (s.n && s.p[0] == '.') {
		s = str_from(s, 1);
		for (; s.n && is_digit(s.p[0]); s = str_from(s, 1), scale /= 10) {
			if (__builtin_add_overflow(*ns, scale * (s.p[0] - '0'), ns))
				return false;
		}
	}
	return str_eq(str_trim(s), "us");
}

/*
 * Cuts the duration's column off *s, if there is one, and says how many blanks stand before a
 * call of depth 0 then: "|  f();" with the column, "1) f();" with the option noduration. False
 * for an interrupt's marker.
 */
static bool cut_duration(struct str *s, int64_t *ns, size_t *margin)
{
	*ns = NO_DURATION;
	*margin = 1;
	ptrdiff_t bar = str_find_char(*s, '|');
	if (bar < 0)
		return true; /* option noduration */
	struct str cell = str_trim(str_head(*s, (size_t)bar));
	if (str_starts(cell, "====") || str_starts(cell, "<===")) /* "==========>" */
		return false;
	if (cell.n && !read_duration(cell, ns))
		*ns = NO_DURATION; /* the bar belongs to the call's text */
	if (!cell.n || *ns != NO_DURATION) {
		*s = str_from(*s, (size_t)bar + 1);
		*margin = 2;
	}
	return true;
}

static uint8_t cut_indent(struct str *s, size_t margin)
{
	size_t n = str_blanks(*s);
	*s = str_trim(str_from(*s, n));
	size_t depth = n < margin ? 0 : (n - margin) / 2;
	return depth < UINT8_MAX ? (uint8_t)depth : UINT8_MAX;
}

/* The text in C's comment marks that *s begins with; false if there is none, or no end. */
static bool cut_comment(struct str *s, struct str *text)
{
	if (!str_starts(*s, "/*"))
		return false;
	ptrdiff_t end = str_find(*s, "*/");
	if (end < 2)
		return false;
	*text = str_trim(str_head(str_from(*s, 2), (size_t)end - 2));
	*s = str_trim(str_from(*s, (size_t)end + 2));
	return true;
}

/* "f", "f ret=0x0", "f = -22"; without a name: "= 0x0", "ret=0x0", "<-caller+0x1/0x2". */
static struct str closing_name(struct str comment)
{
	struct str name = str_word(&comment);
	bool none = str_find_char(name, '=') >= 0 || str_starts(name, "<-");
	return none ? (struct str){ 0 } : name;
}

static enum graph_result read_closing(struct names *names, struct str s, struct event *e,
				      struct payload *p)
{
	e->kind = EVENT_GRAPH_EXIT;
	s = str_trim(str_from(s, 1));
	if (!cut_comment(&s, &p->graph.comment))
		return str_starts(s, "/*") ? GRAPH_OPEN : GRAPH_OK;
	struct str name = closing_name(p->graph.comment);
	if (name.n) {
		e->what = names_id(names, name);
		p->graph.comment = str_trim(str_from(p->graph.comment, name.n));
	}
	return GRAPH_OK;
}

/* A tracepoint has a name before its first ':'. */
static enum graph_result read_comment(struct names *names, struct str s, struct event *e,
				      struct payload *p)
{
	e->kind = EVENT_GRAPH_COMMENT;
	if (!cut_comment(&s, &p->text))
		return GRAPH_OPEN;
	struct str rest = p->text, word = str_word(&rest);
	if (word.n > 1 && word.p[word.n - 1] == ':')
		e->what = names_id(names, str_head(word, word.n - 1));
	return GRAPH_OK;
}

/* "f();", "f [module]() {", "f(a=0x1, b=2);" and a comment behind it, since 6.13. */
static enum graph_result read_call(struct names *names, struct str s, struct event *e,
				   struct payload *p)
{
	ptrdiff_t open = str_find_char(s, '(');
	if (open <= 0)
		return open ? GRAPH_OPEN : GRAPH_DAMAGED;
	struct str name = str_head(s, (size_t)open), arguments = str_from(s, (size_t)open);
	size_t close = str_closing(arguments);
	name = str_word(&name);
	e->kind = EVENT_GRAPH_LEAF;
	e->what = names_id(names, name);
	if (close == arguments.n)
		return GRAPH_OPEN;
	p->arguments = str_head(str_from(arguments, 1), close - 1);

	s = str_trim(str_from(arguments, close + 1));
	if (!s.n)
		return GRAPH_OPEN;
	if (s.p[0] == '{')
		e->kind = EVENT_GRAPH_ENTRY;
	else if (s.p[0] != ';')
		return GRAPH_DAMAGED;
	s = str_trim(str_from(s, 1));
	cut_comment(&s, &p->graph.comment);
	return GRAPH_OK;
}

enum graph_result graph_call_parse(struct names *names, struct str s, struct event *e,
				   struct payload *p)
{
	p->arguments = p->graph.comment = (struct str){ 0 };
	e->what = 0;
	size_t margin;
	if (!cut_duration(&s, &p->graph.duration, &margin))
		return GRAPH_MARKER;
	e->depth = cut_indent(&s, margin);
	p->text = s;
	if (s.n && s.p[0] == '}')
		return read_closing(names, s, e, p);
	if (str_starts(s, "/*"))
		return read_comment(names, s, e, p);
	return read_call(names, s, e, p);
}

/* Calls nest by task, wherever it runs; every CPU has an idle task, and unknown tasks stay. */
static uint32_t who_of(const struct names *names, const struct event *e)
{
	bool known = e->task && names_task_of(names, e->task).pid != 0;
	return known ? e->task + UINT16_MAX + 1u : e->cpu;
}

void graph_open_follow(struct graph_open *o, const struct names *names, struct event *e)
{
	uint32_t who = who_of(names, e);
	size_t i = (who * 61u + e->depth) % GRAPH_OPEN_SLOTS;
	if (event_kind(e) == EVENT_GRAPH_ENTRY) {
		o->slot[i].name = e->what;
		o->slot[i].who = who;
		o->slot[i].depth = e->depth;
	} else if (event_kind(e) == EVENT_GRAPH_EXIT) {
		if (!e->what && o->slot[i].who == who && o->slot[i].depth == e->depth)
			e->what = o->slot[i].name;
		o->slot[i].name = 0;
	}
}

void graph_open_adopt(struct graph_open *o, const struct names *names, const struct event *e)
{
	uint32_t who = who_of(names, e);
	for (uint32_t depth = 0; depth <= UINT8_MAX && who != e->cpu; depth++) {
		size_t from = (e->cpu * 61u + depth) % GRAPH_OPEN_SLOTS;
		size_t to = (who * 61u + depth) % GRAPH_OPEN_SLOTS;
		if (!o->slot[from].name || o->slot[from].who != e->cpu ||
		    o->slot[from].depth != depth)
			continue;
		o->slot[to] = o->slot[from];
		o->slot[to].who = who;
		if (to != from)
			o->slot[from].name = 0;
	}
}
