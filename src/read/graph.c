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
#include <stdlib.h>

#include "base/mem.h"
#include "read/block.h"
#include "read/continued.h"
#include "read/graph_call.h"
#include "read/graph_prologue.h"

struct graph {
	struct source source;
	struct block block;
	struct names *names;
	VEC(uint32_t) tasks; /* by CPU; 0: not known */
	struct graph_open open;
	struct event last; /* call */
	bool bare;         /* the header says function_graph: lines may lack the CPU */
	struct strbuf joined;
	struct continued rest;

	/* The first event is read with the header, so that a header is whole when it is shown. */
	bool primed;
	int prime_ret;
	struct event first;
	struct err prime_err;
};

static bool is_name_char(char c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_' ||
	       c == '.' || c == '$';
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
		return cell.n >= 8;
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
		return str_eq(block_tracer(text), "function_graph");
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
	return next->quote == g->block.quote && !before.have_cpu &&
	       !(g->bare && is_graph_line(rest)) && str_find(strbuf_get(&g->rest.raw), "*/") < 0;
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
	g->block.capture->last_line = continued_last(rest);
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
	int ret = carrier_next(g->block.from, &next, err);
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
		g->block.capture->last_line = next.last;
		return 0;
	}
	if (ret)
		carrier_back(g->block.from, &next);
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

/* A line that is no call: a switch, or what stands between the calls. True: an event. */
static bool read_other(struct graph *g, const struct line *line, struct event *e)
{
	struct block *b = &g->block;
	if (read_switch(g, line->text, e, &g->source.payload)) {
		block_entry(b, line);
		e->line = line->number;
		return true;
	}
	bool stray = str_starts(str_trim(line->text), "(Overruns:") || block_is_frame(line->text);
	if (b->in_body && stray)
		return false;
	return block_other(b, line, e, &g->source.payload);
}

/* Is what was parsed an event? What can be read of a damaged one is. */
static bool accept(struct graph *g, enum line_result got, const struct event *e,
		   const struct line *line)
{
	struct capture *c = g->block.capture;
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
		g->block.after_hole = true;
		return false;
	}
	return true;
}

/* 1: an event; 0: not, or the end of the block; -errno. */
static int read_line(struct graph *g, const struct line *line, struct event *e, struct err *err)
{
	enum line_result got = read_call(g, line->text, e, &g->source.payload);
	if (got == LINE_NONE)
		return read_other(g, line, e);
	block_entry(&g->block, line);
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
	block_stamp(&g->block, line, e);
	return 1;
}

/* -- The source --------------------------------------------------------------------------- */

static int graph_read(struct graph *g, struct event *e, struct err *err)
{
	struct line line;
	while (!g->block.ended) {
		int ret = carrier_next(g->block.from, &line, err);
		if (ret > 0)
			ret = read_line(g, &line, e, err);
		else
			g->block.ended = true;
		g->block.ended |= ret < 0;
		if (ret)
			return ret;
		g->bare = g->block.have_tracer;
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
	g->block = (struct block){
		.from = from,
		.capture = c,
		.format = &format_graph,
		.names = names,
		.not_an_entry = "not a line of a function graph",
	};
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
	continued_fini(&g->rest);
	free(g);
}

const struct format format_graph = {
	.looks_for = "a function graph (' 0)   1.382 us    |  f();')",
	.starts = graph_starts,
	.open = graph_capture,
	.close = graph_close,
};
