/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traces of latencies: /proc/latency_trace of the -rt kernels since v1.0 (2004) and of
 * 2.6.26-2.6.32, and tracefs' `trace` file under the latency tracers since. The header and what
 * stands between the lines are the same for all; the shape of a line is told line by line.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "read/continued.h"
#include "read/format.h"
#include "read/interlude.h"
#include "read/latency_entry.h"
#include "read/latency_header.h"
#include "read/latency_shapes.h"
#include "read/prose.h"

struct latency {
	struct source source;
	struct carrier *from;
	struct capture *capture;
	struct entry_reader entry;

	bool have_title, have_latency, have_tracer, in_body, ended;

	/* The first event is read with the header, so that a header is whole when it is shown. */
	bool primed;
	int prime_ret;
	struct event first;
	struct err prime_err;

	bool after_hole;
	uint16_t quote; /* depth of the block's quoting */
	struct strbuf joined;
	struct continued rest;

	struct pending pending;
};

/* Two shapes have "(+0.001ms)" behind the time, which few other lines have. */
static bool has_delta(struct str text)
{
	return str_find(text, "(+") >= 0;
}

static enum entry_result parse_line(struct entry_reader *r, struct str text, struct event *e,
				    struct payload *p)
{
	enum entry_result got = entry_parse(r, text, e, p);
	if (got == ENTRY_NONE)
		got = latency_graph_parse(r, text, e, p);
	if (got != ENTRY_NONE || !has_delta(text))
		return got;
	got = rt_ms_parse(r, text, e, p);
	return got == ENTRY_NONE ? verbose_parse(r, text, e, p) : got;
}

/* Does the line begin as an entry of any shape does? */
static bool line_begins(struct str text, bool of_latency)
{
	if (entry_begins(text) || latency_graph_begins(text, of_latency))
		return true;
	return has_delta(text) && (rt_ms_begins(text) || verbose_begins(text));
}

static bool begins_entry(struct str text)
{
	return line_begins(text, true);
}

static bool latency_starts(struct str text)
{
	/* A rule or a blank '#' line is no reason to begin; cheap tests first. */
	enum header_line kind = header_classify(text);
	if (kind == HEADER_TITLE || kind == HEADER_LATENCY)
		return true;
	return kind == HEADER_NONE && (line_begins(text, false) || interlude_is_lost(text));
}

static int latency_read(struct latency *l, struct event *e, struct err *err);
static bool may_be_text(const void *reader, const struct line *next);

static int latency_next(struct source *s, struct event *e, struct err *err)
{
	struct latency *l = (struct latency *)s;
	if (!l->primed)
		return latency_read(l, e, err);
	l->primed = false;
	*e = l->first;
	if (l->prime_ret < 0)
		*err = l->prime_err;
	return l->prime_ret;
}

/*
 * A dump may begin with a loss. Only what follows tells whose dump it is: 1 if it may be ours,
 * and the loss is the first event.
 */
static int open_lost(struct latency *l, struct err *err)
{
	struct line line, next;
	int ret = carrier_next(l->from, &line, err);
	if (ret <= 0)
		return ret < 0 ? ret : l->have_tracer; /* a header that nothing follows */
	if (!interlude_lost(line.text, &l->first, &l->source.payload)) {
		carrier_back(l->from, &line);
		return 1;
	}
	l->first.line = line.number;
	l->capture->last_line = line.last;
	l->in_body = l->primed = true;
	l->quote = line.quote;
	l->prime_ret = 1;
	capture_lost(l->capture, l->source.payload.lost);
	ret = carrier_next(l->from, &next, err);
	if (ret <= 0)
		return ret;
	carrier_back(l->from, &next);
	return latency_starts(next.text);
}

static int latency_open(struct carrier *from, struct names *names, struct capture *c,
			struct source **s, struct err *err)
{
	struct latency *l = mem_alloc(sizeof(*l));
	l->source.next = latency_next;
	l->from = from;
	l->rest = (struct continued){
		.from = from, .may = may_be_text, .reader = l, .begins = begins_entry
	};
	l->capture = c;
	l->entry.names = names;
	l->have_tracer = c->trace.tracer != NULL; /* ftrace.c has read this line */
	l->entry.format = c->trace.format = "latency";
	int ret = open_lost(l, err);
	if (ret <= 0) {
		free(l);
		return ret;
	}
	if (!l->primed) { /* an error is told with the first event */
		l->primed = true;
		l->prime_ret = latency_read(l, &l->first, &l->prime_err);
	}
	*s = &l->source;
	return 1;
}

static void latency_close(struct source *s)
{
	struct latency *l = (struct latency *)s;
	strbuf_fini(&l->joined);
	continued_fini(&l->rest);
	free(l);
}

/* Does this header line begin the next trace rather than belong to this one? */
static bool begins_next(const struct latency *l, enum header_line kind)
{
	switch (kind) {
	case HEADER_TRACER:
		return l->in_body || l->have_title || l->have_latency;
	case HEADER_TITLE:
		return l->in_body || l->have_title;
	case HEADER_LATENCY:
		return l->in_body || l->have_latency;
	default:
		return false;
	}
}

static void read_header_line(struct latency *l, enum header_line kind, const struct line *line)
{
	struct capture *c = l->capture;
	l->have_tracer |= kind == HEADER_TRACER;
	l->have_title |= kind == HEADER_TITLE;
	l->have_latency |= kind == HEADER_LATENCY;
	l->entry.of_latency = l->have_latency;
	if (kind != HEADER_DRAWING) {
		l->quote = line->quote;
		c->last_line = line->last;
	}
	const char *why = header_read(c, kind, line->text);
	if (why)
		capture_damage(c, line->number, why);
}

/* A line that is none of the trace's; at another depth of quoting it is somebody's remark. */
static void add_pending(struct latency *l, const struct line *line)
{
	if (line->quote != l->quote)
		l->capture->remarks++;
	else
		pending_add(&l->pending, line);
}

/* Can this line be the rest of a record that a mail broke? */
static bool may_continue(struct str text)
{
	struct str t = str_trim(text);
	return t.n && header_classify(text) == HEADER_NONE && !line_begins(text, true) &&
	       !interlude_is_frame(text) && !prose_is_hole(text) && !interlude_is_lost(text);
}

/* Is the next line what the record lacks? */
static bool continues(enum entry_result got, const struct line *first, const struct line *next)
{
	struct str t = str_trim(next->text);
	if (next->quote != first->quote || !may_continue(next->text))
		return false;
	return got == ENTRY_OPEN || t.p[0] == '(' || str_starts(t, "<-") || str_starts(t, "< -");
}

/*
 * The entry is not complete as it stands, or need not be. Joins it with the next line if that
 * makes it whole; otherwise the next line goes back.
 */
static int join_next(struct latency *l, const struct line *first, struct event *e,
		     enum entry_result *got, struct err *err)
{
	struct payload *p = &l->source.payload;
	l->joined.n = 0;
	strbuf_add(&l->joined, first->text.p, first->text.n);

	struct line next;
	int ret = carrier_next(l->from, &next, err);
	if (ret < 0)
		return ret;
	if (ret && continues(*got, first, &next)) {
		struct str more = str_trim(next.text);
		strbuf_str(&l->joined, " ");
		strbuf_add(&l->joined, more.p, more.n);
		enum entry_result whole = parse_line(&l->entry, strbuf_get(&l->joined), e, p);
		if (whole == ENTRY_OK) {
			*got = whole;
			l->capture->last_line = next.last;
			return 0;
		}
	}
	if (ret)
		carrier_back(l->from, &next);
	*got = parse_line(&l->entry, str_head(strbuf_get(&l->joined), first->text.n), e, p);
	return 0;
}

static bool may_be_text(const void *reader, const struct line *next)
{
	const struct latency *l = reader;
	return next->quote == l->quote && may_continue(next->text) &&
	       !format_begins_other(&format_latency, next->text);
}

/* What a program wrote: the lines that are its text go with it. */
static int join_text(struct latency *l, const struct line *first, struct event *e,
		     enum entry_result *got, struct err *err)
{
	struct continued *rest = &l->rest;
	int ret = continued_read(rest, first, err);
	if (ret)
		return ret;
	bool marker = str_eq(names_str(l->entry.names, e->what), "tracing_mark_write");
	struct str text = continued_text(rest, marker, l->have_tracer && !l->quote);
	*got = parse_line(&l->entry, text, e, &l->source.payload);
	l->capture->last_line = continued_last(rest);
	return 0;
}

enum took { TOOK_NOTHING, TOOK_LINE, TOOK_EVENT };

/* Is what was parsed an event? What can be read of a damaged one is. */
static bool accept_entry(struct latency *l, enum entry_result got, const struct event *e,
			 const struct line *line)
{
	struct capture *c = l->capture;
	if (got == ENTRY_HIDDEN)
		return false;
	if (got == ENTRY_DAMAGED || got == ENTRY_OPEN)
		capture_damage(c, line->number, l->entry.why);
	else if (line->cut)
		capture_damage(c, line->number, "the line is too long: its end is left out");
	bool sched = event_kind(e) == EVENT_WAKEUP || event_kind(e) == EVENT_SWITCH;
	if (got == ENTRY_DAMAGED || (got == ENTRY_OPEN && (sched || !e->what))) {
		l->after_hole = true;
		return false;
	}
	return true;
}

/* What the lines so far say of the whole. */
static void note_format(struct latency *l)
{
	struct trace_header *h = &l->capture->trace;
	h->clock_ticks = l->entry.ticks;
	if (l->entry.rt_style && !l->have_tracer && h->style != TRACE_STYLE_MS)
		h->style = TRACE_STYLE_RT;
	if (h->format == l->entry.format)
		return;
	h->format = l->entry.format;
	if (strcmp(h->format, "rt-ms") == 0)
		h->style = TRACE_STYLE_MS;
	else if (h->style == TRACE_STYLE_MS)
		h->style = TRACE_STYLE_RT;
}

/* TOOK_NOTHING: the line is no entry; TOOK_LINE: it was one, without an event; or -errno. */
static int read_entry(struct latency *l, const struct line *line, struct event *e, struct err *err)
{
	struct capture *c = l->capture;
	if (!l->in_body)
		l->entry.rows = c->trace.samples = capture_is_sampler(c);
	enum entry_result got = parse_line(&l->entry, line->text, e, &l->source.payload);
	if (got == ENTRY_NONE)
		return TOOK_NOTHING;

	pending_confirm(&l->pending, c, "not a line of a latency trace");
	c->last_line = line->last;
	if (!l->in_body)
		l->quote = line->quote;
	l->in_body = true;

	int ret = 0;
	if (got == ENTRY_OPEN || got == ENTRY_BARE)
		ret = join_next(l, line, e, &got, err);
	else if (got == ENTRY_OK && event_kind(e) == EVENT_NAMED)
		ret = join_text(l, line, e, &got, err);
	if (ret < 0)
		return ret;
	if (!accept_entry(l, got, e, line))
		return TOOK_LINE;

	e->line = line->number;
	if (l->after_hole)
		e->kind |= EVENT_AFTER_HOLE;
	l->after_hole = false;
	note_format(l);
	if (event_kind(e) == EVENT_STACK && !l->source.payload.stack.n)
		ret = interlude_stack(l->from, c, l->entry.names, &l->source.payload, err);
	return ret < 0 ? ret : TOOK_EVENT;
}

/* Does a table begin here, say? ("# output:" of perf lock looks like a line of our header.) */
static bool begins_other(enum header_line kind, const struct line *line)
{
	return (kind == HEADER_NONE || kind == HEADER_DRAWING) && !interlude_is_lost(line->text) &&
	       format_begins_other(&format_latency, line->text);
}

/* A line that is no entry: header, hole, notice, or none of the trace's. */
static int read_other(struct latency *l, const struct line *line, struct event *e)
{
	struct str t = str_trim(line->text);
	enum header_line kind = header_classify(line->text);
	if (begins_next(l, kind) || begins_other(kind, line)) {
		carrier_back(l->from, line);
		l->ended = true;
		return TOOK_LINE;
	}
	if (interlude_lost(t, e, &l->source.payload)) {
		capture_lost(l->capture, l->source.payload.lost);
		e->line = line->number;
		l->capture->last_line = line->last;
		l->in_body = true;
		return TOOK_EVENT;
	}
	if (kind != HEADER_NONE && (!l->in_body || kind == HEADER_DRAWING)) {
		read_header_line(l, kind, line);
	} else if (l->in_body && str_eq(t, "--")) {
		l->ended = true; /* a mail's signature */
	} else if (l->in_body && prose_is_hole(t)) {
		l->after_hole = true;
		l->capture->holes++;
	} else {
		label_trailing(l->capture, t);
		if (l->in_body)
			add_pending(l, line);
	}
	return TOOK_LINE;
}

static int latency_read(struct latency *l, struct event *e, struct err *err)
{
	struct line line;
	while (!l->ended) {
		int ret = carrier_next(l->from, &line, err);
		if (ret > 0) {
			ret = read_entry(l, &line, e, err);
			if (ret == TOOK_NOTHING)
				ret = read_other(l, &line, e);
			if (ret == TOOK_LINE)
				continue;
			if (ret == TOOK_EVENT)
				return 1;
		}
		l->ended = true;
		return ret;
	}
	return 0;
}

const struct format format_latency = {
	.looks_for = "a latency trace ('# tracer: ...' or '... latency trace v1.1.5 on ...')",
	.starts = latency_starts,
	.open = latency_open,
	.close = latency_close,
};
