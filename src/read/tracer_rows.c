/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text of the timerlat, osnoise and hwlat tracers: rows in default format that have no event's
 * name, and between them the osnoise events, stacks, and the line at which a tracer stopped. And
 * what trace-cmd report makes of function_graph: a line of the graph behind its event's name,
 *
 *	<idle>-0     [000] 157412.934004: funcgraph_exit:       + 36.358 us |  }
 */
#include <stdlib.h>

#include "base/mem.h"
#include "read/block.h"
#include "read/graph_call.h"
#include "read/row_prefix.h"
#include "read/tracer_row.h"

struct rows {
	struct source source;
	struct block block;
	struct graph_open open;
	struct strbuf joined;
	bool primed; /* the first event is read with the header */
	int prime_ret;
	struct event first;
	struct err prime_err;
};

/* Without a header a row tells which tracer it is; an event alone does not. */
static bool looks_like_row(struct str s)
{
	ptrdiff_t colon = str_find_char(s, ':');
	if (colon > 0 && graph_is_event(str_head(s, (size_t)colon)))
		return true;
	if (str_starts(s, "#"))
		return str_find(s, " context ") > 0 || str_find(s, " inner/outer(us):") > 0;
	struct event e;
	struct payload p;
	return tracer_row_parse(NULL, s, &e, &p) == ROW_OK;
}

static bool rows_start(struct str text)
{
	struct str tracer = block_tracer(text);
	if (tracer.n)
		return str_eq(tracer, "timerlat") || str_eq(tracer, "osnoise") ||
		       str_eq(tracer, "hwlat");
	struct row_prefix p;
	return row_prefix_cut(text, &p) && looks_like_row(p.rest);
}

enum line_result { LINE_NONE, LINE_DAMAGED, LINE_OPEN, LINE_OK };

static enum line_result parse_graph(struct rows *r, struct str text, struct event *e)
{
	enum graph_result got = graph_call_parse(r->block.names, text, e, &r->source.payload);
	if (got != GRAPH_OK)
		return got == GRAPH_OPEN ? LINE_OPEN : LINE_DAMAGED;
	r->block.capture->trace.format = "trace-cmd";
	r->block.capture->trace.graph |= !r->block.capture->trace.samples;
	graph_open_follow(&r->open, r->block.names, e);
	return LINE_OK;
}

/* "timerlat_main: stop tracing hit on cpu 6", "irq_noise: ...": a name, a colon, the text. */
static enum line_result parse_event(struct rows *r, struct str s, struct event *e)
{
	struct payload *p = &r->source.payload;
	ptrdiff_t colon = str_find_char(s, ':');
	if (colon <= 0 || str_find_char(str_head(s, (size_t)colon), ' ') >= 0)
		return LINE_DAMAGED;
	struct str name = str_head(s, (size_t)colon), text = str_from(s, (size_t)colon + 1);
	if (graph_is_event(name))
		return parse_graph(r, text, e);
	e->what = names_id(r->block.names, name);
	p->text = str_trim(text);
	p->point = POINT_NONE;
	noise_event_parse(r->block.names, name, p->text, p);
	return LINE_OK;
}

static enum line_result parse_line(struct rows *r, struct str text, struct event *e)
{
	struct payload *p = &r->source.payload;
	struct row_prefix before;
	if (!row_prefix_cut(text, &before))
		return LINE_NONE;
	*e = (struct event){
		.time = before.time,
		.task = names_task(r->block.names, before.comm, before.pid),
		.flags = before.flags,
		.cpu = before.cpu,
		.kind = EVENT_NAMED,
	};
	p->arguments = (struct str){ 0 };
	if (str_starts(before.rest, "<stack trace>") ||
	    str_starts(before.rest, "<user stack trace>")) {
		e->kind = EVENT_STACK;
		p->stack.n = p->stack.dropped = 0;
		p->stack.user = str_starts(before.rest, "<user");
		return LINE_OK;
	}
	enum row_result got = tracer_row_parse(r->block.names, before.rest, e, p);
	if (got == ROW_NONE)
		return parse_event(r, before.rest, e);
	r->block.capture->trace.samples = true;
	return got == ROW_OPEN ? LINE_OPEN : LINE_OK;
}

/* A row that a mail broke: the next line goes with it if that makes it whole. */
static int join_next(struct rows *r, const struct line *first, struct event *e,
		     enum line_result *got, struct err *err)
{
	r->joined.n = 0;
	strbuf_add(&r->joined, first->text.p, first->text.n);
	struct line next;
	struct row_prefix before;
	int ret = carrier_next(r->block.from, &next, err);
	if (ret < 0)
		return ret;
	if (ret && next.quote == first->quote && !row_prefix_cut(next.text, &before)) {
		struct str more = str_trim(next.text);
		strbuf_str(&r->joined, " ");
		strbuf_add(&r->joined, more.p, more.n);
		*got = parse_line(r, strbuf_get(&r->joined), e);
		if (*got == LINE_OK) {
			r->block.capture->last_line = next.last;
			return 0;
		}
	}
	if (ret)
		carrier_back(r->block.from, &next);
	*got = LINE_DAMAGED;
	return 0;
}

/* 1: an event; 0: none, or the end of the block; -errno. */
static int read_line(struct rows *r, const struct line *line, struct event *e, struct err *err)
{
	struct block *b = &r->block;
	struct payload *p = &r->source.payload;
	enum line_result got = parse_line(r, line->text, e);
	if (got == LINE_NONE && b->in_body && block_is_frame(line->text))
		return 0; /* of a stack whose first line is not there */
	if (got == LINE_NONE)
		return block_other(b, line, e, p);
	block_entry(b, line);
	int ret = got == LINE_OPEN ? join_next(r, line, e, &got, err) : 0;
	if (ret < 0)
		return ret;
	if (got == LINE_DAMAGED) {
		capture_damage(b->capture, line->number,
			       "neither a row of the tracer nor an event after the time");
		b->after_hole = true;
		return 0;
	}
	if (line->cut)
		capture_damage(b->capture, line->number,
			       "the line is too long: its end is left out");
	block_stamp(b, line, e);
	if (event_kind(e) == EVENT_STACK)
		ret = block_stack(b, p, err);
	return ret < 0 ? ret : 1;
}

static int rows_read(struct rows *r, struct event *e, struct err *err)
{
	struct line line;
	while (!r->block.ended) {
		int ret = carrier_next(r->block.from, &line, err);
		if (ret > 0)
			ret = read_line(r, &line, e, err);
		else
			r->block.ended = true;
		r->block.ended |= ret < 0;
		if (ret)
			return ret;
	}
	return 0;
}

static int rows_next(struct source *s, struct event *e, struct err *err)
{
	struct rows *r = (struct rows *)s;
	if (!r->primed)
		return rows_read(r, e, err);
	r->primed = false;
	*e = r->first;
	if (r->prime_ret < 0)
		*err = r->prime_err;
	return r->prime_ret;
}

static int rows_capture(struct carrier *from, struct names *names, struct capture *c,
			struct source **s, struct err *err)
{
	(void)err;
	struct rows *r = mem_alloc(sizeof(*r));
	r->source.next = rows_next;
	r->block = (struct block){
		.from = from,
		.capture = c,
		.format = &format_rows,
		.names = names,
		.not_an_entry = "not a line of the tracer",
	};
	c->trace.style = TRACE_STYLE_MAINLINE;
	c->trace.format = "default";
	r->primed = true; /* an error is told with the first event */
	r->prime_ret = rows_read(r, &r->first, &r->prime_err);
	*s = &r->source;
	return 1;
}

static void rows_close(struct source *s)
{
	struct rows *r = (struct rows *)s;
	strbuf_fini(&r->joined);
	free(r);
}

const struct format format_rows = {
	.looks_for = "rows of the timerlat, osnoise or hwlat tracer",
	.starts = rows_start,
	.open = rows_capture,
	.close = rows_close,
};
