/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text of the function_graph tracer. Which columns a line has is up to the tracer's options, and
 * each line tells by itself (graph_prologue.h, graph_call.h). Where a CPU goes from one task to
 * another there is a block, whether or not tasks are printed (verif_pid in
 * kernel/trace/trace_functions_graph.c):
 *
 *	 ------------------------------------------
 *	 0)  platfor-3210  =>  vmstat-2854
 *	 ------------------------------------------
 *
 * From there on the CPU's lines are the new task's, and the calls that are open wait for the old
 * one to come back.
 */
#include <limits.h>
#include <stdlib.h>

#include "base/mem.h"
#include "read/continued.h"
#include "read/format.h"
#include "read/ftrace_header.h"
#include "read/graph_call.h"
#include "read/graph_prologue.h"
#include "read/interlude.h"
#include "read/latency_header.h"
#include "read/prose.h"

struct graph {
	struct source source;
	struct carrier *from;
	struct capture *capture;
	struct names *names;
	VEC(uint32_t) tasks; /* by CPU; 0: not known */
	struct graph_open open;
	struct event last; /* call */
	bool bare;         /* the header says function_graph: lines may lack the CPU */
	struct strbuf joined, expanded;
	struct continued rest;

	bool have_tracer, have_title, in_body, ended;
	bool after_hole, after_blank;
	uint16_t quote; /* depth of the trace's quoting */
	struct pending pending;

	/* The first event is read with the header, so that a header is whole when it is shown. */
	bool primed;
	int prime_ret;
	struct event first;
	struct err prime_err;
};

static bool is_name_char(char c)
{
	static const bool is[UCHAR_MAX + 1] = {
		['0' ... '9'] = true, ['a' ... 'z'] = true, ['A' ... 'Z'] = true,
		['_'] = true,         ['.'] = true,         ['$'] = true,
	};
	return is[(unsigned char)c];
}

/* "f() {", "f();", "f(a=1) { ...": a symbol and its parenthesis. */
static bool is_call(struct str s)
{
	size_t n = 0;
	while (n < s.n && is_name_char(s.p[n]))
		n++;
	struct str rest = str_trim_left(str_from(s, n));
	return n && (str_starts(rest, "(") || (str_starts(rest, "[") && str_find(rest, "](") > 0));
}

/* A duration's column, empty or not, or an interrupt's marker stands before the bar. */
static bool is_duration_cell(struct str cell)
{
	struct str t = str_trim(cell);
	if (!t.n)
		return cell.n >= 8 || str_find_char(cell, '\t') >= 0;
	return (t.n > 3 && str_eq(str_from(t, t.n - 3), " us")) || str_starts(t, "====") ||
	       str_starts(t, "<===");
}

/* Does a call's line go on like this behind its prologue? */
static bool is_graph_line(struct str s)
{
	ptrdiff_t bar = str_find_char(s, '|');
	if (bar >= 0 && is_duration_cell(str_head(s, (size_t)bar))) {
		struct str t = str_trim_left(str_from(s, (size_t)bar + 1));
		return !t.n || t.p[0] == '}' || str_starts(t, "/*") || is_call(t);
	}
	struct str t = str_trim(s);
	if (!t.n || (s.p[0] != ' ' && s.p[0] != '\t'))
		return false;
	if (t.p[0] == '}' || str_starts(t, "/*"))
		return true;
	return is_call(t) && (t.p[t.n - 1] == '{' || t.p[t.n - 1] == ';' || str_starts(t, "}"));
}

/* An opening call is proof enough without a duration; "1) done();" may be prose. */
static bool graph_starts(struct str text)
{
	struct str t = str_trim_left(text);
	if (t.n && t.p[0] == '#')
		return header_classify(text) == HEADER_TRACER && ftrace_header_of_graph(text);
	if (!t.n || t.p[0] < '0' || t.p[0] > '9')
		return false;
	struct graph_prologue p;
	graph_prologue_cut(&text, &p);
	if (!p.have_cpu || p.relative || (p.have_time && p.have_flags) || !is_graph_line(text))
		return false;
	t = str_trim(text);
	return str_find_char(text, '|') >= 0 || t.p[t.n - 1] == '{';
}

/* -- Lines ------------------------------------------------------------------------------- */

static uint32_t *task_on(struct graph *g, uint16_t cpu)
{
	while (g->tasks.n <= cpu)
		vec_push(&g->tasks, 0);
	return &g->tasks.at[cpu];
}

/* The middle line of a switch: the CPU, one task, an arrow, the other. */
static bool read_switch(struct graph *g, struct str text, struct event *e, struct payload *p)
{
	ptrdiff_t arrow = str_find(text, "=>");
	if (arrow < 0)
		return false;
	struct str from = str_head(text, (size_t)arrow);
	struct str to = str_trim(str_from(text, (size_t)arrow + 2));
	struct graph_prologue before;
	ptrdiff_t cpu_end = str_find_char(from, ')');
	if (cpu_end < 0)
		return false;
	struct str cpu = str_head(from, (size_t)cpu_end + 1);
	graph_prologue_cut(&cpu, &before);
	from = str_trim(str_from(from, (size_t)cpu_end + 1));
	uint32_t next;
	*e = (struct event){ .kind = EVENT_GRAPH_SWITCH | EVENT_NO_TIME, .cpu = before.cpu };
	if (!before.have_cpu || !graph_task(g->names, from, &e->task) ||
	    !graph_task(g->names, to, &next))
		return false;
	struct task a = names_task_of(g->names, e->task), b = names_task_of(g->names, next);
	p->text = str_trim(text);
	p->arguments = (struct str){ 0 }; /* of the event before */
	p->sched.prev = (struct sched_side){ a.pid, -1, '?' };
	p->sched.next = (struct sched_side){ b.pid, -1, '?' };
	p->sched.next_cpu = p->sched.orig_cpu = -1;
	p->sched.prev_task = e->task;
	p->sched.next_task = next;

	uint32_t *now = task_on(g, e->cpu);
	if (!*now)
		graph_open_adopt(&g->open, g->names, e);
	*now = next;
	return true;
}

/* Without any column before the call, its indentation begins at the margin. */
static uint8_t bare_depth(struct str line, bool after_time)
{
	size_t n = 0, margin = after_time ? 2 : 0;
	while (n < line.n && line.p[n] == ' ')
		n++;
	n = n < margin ? 0 : (n - margin) / 2;
	return n < UINT8_MAX ? (uint8_t)n : UINT8_MAX;
}

enum line_result { LINE_NONE, LINE_HIDDEN, LINE_DAMAGED, LINE_OPEN, LINE_OK };

static enum line_result read_call(struct graph *g, struct str text, struct event *e,
				  struct payload *p)
{
	struct graph_prologue before;
	graph_prologue_cut(&text, &before);
	if (before.relative || !is_graph_line(text) || (!before.have_cpu && !g->bare))
		return LINE_NONE;
	*e = (struct event){ .time = before.time, .cpu = before.cpu, .flags = before.flags };
	if (before.task.n && !graph_task(g->names, before.task, &e->task))
		return LINE_DAMAGED;
	enum graph_result got = graph_call_parse(g->names, text, e, p);
	if (!before.have_time)
		e->kind |= EVENT_NO_TIME;
	if (!before.have_cpu)
		e->kind |= EVENT_NO_CPU;
	if (!before.have_cpu && !before.task.n && !before.have_flags &&
	    str_find_char(text, '|') < 0)
		e->depth = bare_depth(text, before.have_time);
	return got == GRAPH_MARKER    ? LINE_HIDDEN
	       : got == GRAPH_DAMAGED ? LINE_DAMAGED
	       : got == GRAPH_OPEN    ? LINE_OPEN
				      : LINE_OK;
}

/* A break that ate the indentation: the call stands where the one before lets it stand. */
static void follow_depth(const struct event *last, struct event *e)
{
	int depth = last->depth + (event_kind(last) == EVENT_GRAPH_ENTRY);
	if (event_kind(e) == EVENT_GRAPH_EXIT && depth)
		depth--;
	e->depth = depth < UINT8_MAX ? (uint8_t)depth : UINT8_MAX;
}

/* May a line be the rest of the one before? A line of its own has a CPU. */
static bool may_continue(const struct line *first, const struct line *next)
{
	struct graph_prologue before;
	struct str rest = next->text;
	graph_prologue_cut(&rest, &before);
	return next->quote == first->quote && !before.have_cpu && str_trim(rest).n;
}

/* May a line belong to the comment that has not ended so far? */
static bool may_be_comment(const void *reader, const struct line *next)
{
	const struct graph *g = reader;
	struct graph_prologue before;
	struct str rest = next->text;
	graph_prologue_cut(&rest, &before);
	return next->quote == g->quote && !before.have_cpu && !(g->bare && is_graph_line(rest)) &&
	       str_find(strbuf_get(&g->rest.raw), "*/") < 0;
}

/* A remark or a marker with newlines in it, or broken by a mail: it goes on to its end. */
static int join_comment(struct graph *g, const struct line *first, struct event *e,
			enum line_result *got, struct err *err)
{
	struct continued *rest = &g->rest;
	int ret = continued_read(rest, first, err);
	if (ret)
		return ret;
	bool whole = str_find(strbuf_get(&rest->raw), "*/") >= 0;
	struct str text = continued_settle(rest, whole, continued_is_broken(rest));
	*got = read_call(g, text, e, &g->source.payload);
	g->capture->last_line = continued_last(rest);
	return 0;
}

/* A line that a mail broke: the next one goes with it if that makes it whole. */
static int join_next(struct graph *g, const struct line *first, struct event *e,
		     enum line_result *got, struct err *err)
{
	struct payload *p = &g->source.payload;
	struct line next;
	g->joined.n = 0;
	strbuf_add(&g->joined, first->text.p, first->text.n);
	int ret = carrier_next(g->from, &next, err);
	if (ret < 0)
		return ret;
	if (ret && may_continue(first, &next)) {
		struct str more = str_trim(next.text);
		strbuf_str(&g->joined, " ");
		strbuf_add(&g->joined, more.p, more.n);
		*got = read_call(g, strbuf_get(&g->joined), e, p);
	}
	struct str own = str_head(strbuf_get(&g->joined), first->text.n);
	if (*got == LINE_OK) {
		if (str_rfind_char(str_trim(own), '|') + 1 == (ptrdiff_t)str_trim(own).n)
			follow_depth(&g->last, e);
		g->capture->last_line = next.last;
		return 0;
	}
	if (ret)
		carrier_back(g->from, &next);
	*got = read_call(g, own, e, p);
	return 0;
}

/* Whose line it is, and which call it closes. */
static void settle(struct graph *g, struct event *e)
{
	if (!(e->kind & EVENT_NO_CPU)) {
		uint32_t *now = task_on(g, e->cpu);
		if (e->task)
			*now = e->task;
		else
			e->task = *now;
	}
	graph_open_follow(&g->open, g->names, e);
	g->last = *e;
}

/* -- Other lines --------------------------------------------------------------------------- */

/* An entry stands in this line: the trace goes on. */
static void go_on(struct graph *g, const struct line *line)
{
	pending_confirm(&g->pending, g->capture, "not a line of a function graph");
	g->capture->last_line = line->last;
	if (!g->in_body)
		g->quote = line->quote;
	g->in_body = true;
	g->after_blank = false;
}

/* Does this header line begin the next trace rather than belong to this one? */
static bool begins_next(const struct graph *g, enum header_line kind)
{
	return (kind == HEADER_TRACER && (g->in_body || g->have_tracer)) ||
	       (kind == HEADER_TITLE && (g->in_body || g->have_title)) ||
	       (kind == HEADER_LATENCY && g->in_body);
}

static void read_header(struct graph *g, enum header_line kind, const struct line *line)
{
	struct capture *c = g->capture;
	g->have_tracer |= kind == HEADER_TRACER;
	g->have_title |= kind == HEADER_TITLE;
	if (kind != HEADER_DRAWING)
		g->quote = line->quote;
	if (!g->in_body)
		c->last_line = line->last;
	if (ftrace_header_classify(line->text) == FTRACE_HEADER_ENTRIES)
		ftrace_header_read(c, FTRACE_HEADER_ENTRIES, line->text);
	const char *format = c->trace.format;
	const char *why = header_read(c, kind, line->text);
	c->trace.format = format;
	if (why)
		capture_damage(c, line->number, why);
}

/*
 * Text in the midst of the lines. A prompt, a mail's signature, and a paragraph (text after a
 * blank line) end the trace.
 */
static void read_text(struct graph *g, const struct line *line, struct str t)
{
	if (!t.n) {
		g->after_blank = true;
		return;
	}
	if (g->in_body && (str_eq(t, "--") || prose_is_prompt(t) ||
			   (g->after_blank && line->quote == g->quote))) {
		carrier_back(g->from, line);
		g->ended = true;
		return;
	}
	capture_trailing(g->capture, t);
	if (!g->in_body)
		return;
	if (line->quote != g->quote)
		g->capture->remarks++;
	else
		pending_add(&g->pending, line);
}

/* A header's line, a hole, the next trace, or text. */
static void read_foreign(struct graph *g, const struct line *line)
{
	struct str t = str_trim(line->text);
	enum header_line kind = header_classify(line->text);
	bool other = kind == HEADER_NONE || kind == HEADER_DRAWING;
	if (begins_next(g, kind) || (other && format_begins_other(&format_graph, line->text))) {
		carrier_back(g->from, line);
		g->ended = true;
	} else if (g->in_body && prose_is_hole(t)) {
		g->after_hole = true;
		g->after_blank = false;
		g->capture->holes++;
	} else if (kind != HEADER_NONE && t.n && !(g->in_body && prose_is_prompt(t))) {
		read_header(g, kind, line);
	} else {
		read_text(g, line, t);
	}
}

/* A line that is no call: a switch, a loss, or what stands between the calls. True: an event. */
static bool read_other(struct graph *g, const struct line *line, struct event *e)
{
	struct payload *p = &g->source.payload;
	bool lost = false;
	if (read_switch(g, line->text, e, p) ||
	    ((g->in_body || g->have_tracer) && (lost = interlude_lost(line->text, e, p)))) {
		go_on(g, line);
		e->line = line->number;
		if (lost)
			capture_lost(g->capture, p->lost);
		return true;
	}
	bool stray =
		str_starts(str_trim(line->text), "(Overruns:") || interlude_is_frame(line->text);
	if (!g->in_body || !stray)
		read_foreign(g, line);
	return false;
}

/* Is what was parsed an event? What can be read of a damaged one is. */
static bool accept(struct graph *g, enum line_result got, const struct event *e,
		   const struct line *line)
{
	struct capture *c = g->capture;
	if (got == LINE_HIDDEN)
		return false;
	if (got != LINE_OK)
		capture_damage(c, line->number,
			       got == LINE_OPEN ? "the call's end is missing"
						: "no call where one should be");
	else if (line->cut)
		capture_damage(c, line->number, "the line is too long: its end is left out");
	bool nameless = !e->what && event_kind(e) != EVENT_GRAPH_EXIT &&
			event_kind(e) != EVENT_GRAPH_COMMENT;
	if ((got != LINE_OK && got != LINE_OPEN) || nameless) {
		g->after_hole = true;
		return false;
	}
	return true;
}

/* Indentation says how deep a call is: tabs are blanks up to the next eighth column. */
static void expand_tabs(struct strbuf *out, struct line *line)
{
	out->n = 0;
	for (size_t i = 0; i < line->text.n; i++) {
		if (line->text.p[i] != '\t')
			strbuf_add(out, line->text.p + i, 1);
		else
			strbuf_add(out, "        ", 8 - out->n % 8);
	}
	line->text = strbuf_get(out);
}

/* 1: an event; 0: not, or the end of the trace; -errno. */
static int read_line(struct graph *g, const struct line *given, struct event *e, struct err *err)
{
	struct line plain = *given, *line = &plain;
	if (str_find_char(plain.text, '\t') >= 0)
		expand_tabs(&g->expanded, line);
	enum line_result got = read_call(g, line->text, e, &g->source.payload);
	if (got == LINE_NONE)
		return read_other(g, given, e);
	go_on(g, line);
	/* The next line takes the place of this one's text. */
	int ret = 0;
	if (got == LINE_OPEN && event_kind(e) == EVENT_GRAPH_COMMENT)
		ret = join_comment(g, line, e, &got, err);
	else if (got == LINE_OPEN)
		ret = join_next(g, line, e, &got, err);
	if (ret < 0)
		return ret;
	if (!accept(g, got, e, line))
		return 0;
	settle(g, e);
	e->line = line->number;
	if (g->after_hole)
		e->kind |= EVENT_AFTER_HOLE;
	g->after_hole = false;
	return 1;
}

/* -- The source --------------------------------------------------------------------------- */

static int graph_read(struct graph *g, struct event *e, struct err *err)
{
	struct line line;
	while (!g->ended) {
		int ret = carrier_next(g->from, &line, err);
		if (ret > 0)
			ret = read_line(g, &line, e, err);
		else
			g->ended = true;
		g->ended |= ret < 0;
		if (ret)
			return ret;
		g->bare = g->have_tracer;
	}
	return 0;
}

static int graph_next(struct source *s, struct event *e, struct err *err)
{
	struct graph *g = (struct graph *)s;
	if (!g->primed)
		return graph_read(g, e, err);
	g->primed = false;
	*e = g->first;
	if (g->prime_ret < 0)
		*err = g->prime_err;
	return g->prime_ret;
}

static int graph_capture(struct carrier *from, struct names *names, struct capture *c,
			 struct source **s, struct err *err)
{
	(void)err;
	struct graph *g = mem_alloc(sizeof(*g));
	g->source.next = graph_next;
	g->rest = (struct continued){ .from = from, .may = may_be_comment, .reader = g };
	g->names = names;
	g->from = from;
	g->capture = c;
	c->trace.style = TRACE_STYLE_MAINLINE;
	c->trace.format = "graph";
	c->trace.graph = true;
	g->primed = true; /* an error is told with the first event */
	g->prime_ret = graph_read(g, &g->first, &g->prime_err);
	*s = &g->source;
	return 1;
}

static void graph_close(struct source *s)
{
	struct graph *g = (struct graph *)s;
	vec_fini(&g->tasks);
	strbuf_fini(&g->joined);
	strbuf_fini(&g->expanded);
	continued_fini(&g->rest);
	free(g);
}

const struct format format_graph = {
	.looks_for = "a function graph (' 0)   1.382 us    |  f();')",
	.starts = graph_starts,
	.open = graph_capture,
	.close = graph_close,
};
