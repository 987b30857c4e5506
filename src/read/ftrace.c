/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ftrace text with full time stamps: tracefs' files trace and trace_pipe, trace-cmd report, perf
 * script, and what is cut out of them. Which columns a line has, the line tells; what its text
 * says, ftrace_payload.c. Here are the captures: where one begins and ends, its header, and the
 * lines between its entries.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "read/continued.h"
#include "read/format.h"
#include "read/ftrace_header.h"
#include "read/ftrace_line.h"
#include "read/ftrace_payload.h"
#include "read/interlude.h"
#include "read/prose.h"

/* Ticks and ns are told apart by size, where nothing else tells: 1 s after boot at least. */
#define LEAST_NS 1000000000

struct ftrace {
	struct source source;
	struct carrier *from;
	struct capture *capture;
	struct ftrace_columns columns;
	struct ftrace_payload payload;

	/* The first event is read with the header, so that a header is whole when it is shown. */
	bool primed;
	int prime_ret;
	struct event first;
	struct err prime_err;

	bool in_body, ended;
	bool have_header; /* a line that only one header has */
	bool have_report; /* "CPU 3 is empty": a report, even if nothing follows */
	bool is_latency;  /* what follows the header is none of ours */
	bool is_nothing;  /* "cpus=2" stood in some other text */
	bool have_clock;  /* c->trace.clock_ticks is known */
	bool after_hole;
	size_t time_end;     /* column of the time's ':' in the line before */
	uint16_t quote;      /* depth of the block's quoting */
	struct event before; /* whose stack may follow, in perf script */
	struct strbuf joined;
	struct continued rest;
	struct pending pending;
};

enum took { TOOK_NOTHING, TOOK_LINE, TOOK_EVENT };

/* -- Beginnings -------------------------------------------------------------------------------- */

static bool ftrace_starts(struct str text)
{
	switch (ftrace_header_classify(text)) {
	case FTRACE_HEADER_TRACER:
		return !ftrace_header_of_graph(text);
	case FTRACE_HEADER_REPORT:
		return true;
	case FTRACE_HEADER_NONE:
		return interlude_is_lost(text) || ftrace_line_begins(text);
	default:
		return false;
	}
}

static int ftrace_read(struct ftrace *f, struct event *e, struct err *err);
static bool may_be_text(const void *reader, const struct line *next);

static int ftrace_next(struct source *s, struct event *e, struct err *err)
{
	struct ftrace *f = (struct ftrace *)s;
	if (!f->primed)
		return ftrace_read(f, e, err);
	f->primed = false;
	*e = f->first;
	if (f->prime_ret < 0)
		*err = f->prime_err;
	return f->prime_ret;
}

static void ftrace_close(struct source *s)
{
	struct ftrace *f = (struct ftrace *)s;
	strbuf_fini(&f->joined);
	continued_fini(&f->rest);
	free(f);
}

/* What was read up to the first event: a capture of ours, or another's, or none? */
static int ftrace_verdict(const struct ftrace *f)
{
	const char *tracer = f->capture->trace.tracer;
	if (f->is_latency)
		return OPEN_LATENCY;
	if (f->in_body || f->prime_ret < 0)
		return 1;
	if (tracer && ftrace_tracer_is_latency(tracer) && !f->have_header)
		return OPEN_LATENCY;
	return tracer || f->have_report;
}

static int ftrace_open(struct carrier *from, struct names *names, struct capture *c,
		       struct source **s, struct err *err)
{
	struct ftrace *f = mem_alloc(sizeof(*f));
	f->source.next = ftrace_next;
	f->source.points = f->source.wanted = ~0u; /* of the first event: who reads is not known */
	f->from = from;
	f->rest = (struct continued){
		.from = from, .may = may_be_text, .reader = f, .begins = ftrace_line_begins
	};
	f->capture = c;
	f->columns.names = f->payload.entry.names = f->payload.points.names = names;
	c->trace.format = "default";
	c->trace.style = TRACE_STYLE_MAINLINE;
	(void)err; /* it is told with the first event */
	f->prime_ret = ftrace_read(f, &f->first, &f->prime_err);
	f->primed = true;
	int ret = ftrace_verdict(f);
	if (ret == 1)
		*s = &f->source;
	else
		ftrace_close(&f->source);
	return ret;
}

/* -- Entries ----------------------------------------------------------------------------------- */

/* Is this line none of a trace's, and may belong to the entry before it? */
static bool may_continue(const struct ftrace *f, const struct line *line)
{
	struct str t = str_trim(line->text);
	return t.n && line->quote == f->quote && t.p[0] != '#' && !str_starts(t, "=>") &&
	       !str_starts(t, "--") && !str_starts(t, "\"\"\"") && !str_starts(t, "```") &&
	       !ftrace_line_begins(t) && !interlude_is_lost(t) && !prose_is_hole(t) &&
	       !prose_is_prompt(t) && !format_begins_other(&format_ftrace, line->text);
}

/*
 * "PERF_RECORD_COMM: bash:1/1", of perf script --show-task-events and its like: what perf notes for
 * itself, many before the first event and with a time of 0. What it lost is a loss here, too.
 */
static enum entry_result perf_record(struct ftrace *f, struct str s, struct event *e)
{
	int64_t n;
	struct str name = str_word(&s), lost = str_word(&s);
	f->payload.kind = POINT_NONE;
	f->payload.incomplete = f->payload.failed = false;
	if (!str_starts(name, "PERF_RECORD_LOST") || !str_eq(lost, "lost"))
		return ENTRY_HIDDEN;
	lost = str_word(&s);
	f->source.payload.lost = str_number(&lost, &n) && !lost.n ? n : -1;
	capture_lost(f->capture, f->source.payload.lost);
	e->kind = EVENT_LOST;
	return ENTRY_OK;
}

static enum entry_result parse_entry(struct ftrace *f, struct str text, struct event *e)
{
	struct ftrace_parts parts;
	enum columns_result got = ftrace_columns_parse(&f->columns, text, &parts, e);
	if (got == COLUMNS_NONE)
		return ENTRY_NONE;
	if (got == COLUMNS_DAMAGED) {
		f->payload.entry.why = f->columns.why;
		return ENTRY_DAMAGED;
	}
	f->capture->trace.tgids = f->columns.tgids;
	f->time_end = (size_t)(parts.rest.p - text.p) - 2;
	f->payload.wanted = f->source.points;
	f->payload.perf = f->columns.shape == SHAPE_PERF;
	if (f->payload.perf && str_starts(parts.rest, "PERF_RECORD_"))
		return perf_record(f, parts.rest, e);
	if (!f->have_clock) {
		f->have_clock = true;
		f->capture->trace.clock_ticks =
			parts.no_point && (parts.flags.n || parts.time < LEAST_NS);
	}
	if (str_starts(parts.rest, "(+")) { /* trace-cmd report --ts-diff: "(+44292) " */
		ptrdiff_t close = str_find_char(parts.rest, ')');
		parts.rest = str_trim_left(str_from(parts.rest, (size_t)(close + 1)));
	}
	return ftrace_payload_parse(&f->payload, parts.rest, e, &f->source.payload);
}

/*
 * Is the next line an entry, for all that its columns tell at a glance? The time ends where it
 * ended in the line before. If it is none after all, it will be damage.
 */
static inline bool looks_alike(const struct ftrace *f, struct str next)
{
	size_t at = f->time_end;
	return at + 1 < next.n && next.p[at] == ':' && next.p[at + 1] == ' ' &&
	       next.p[at - 1] >= '0' && next.p[at - 1] <= '9';
}

static inline bool entry_is_ahead(const struct ftrace *f)
{
	struct str ahead = carrier_ahead(f->from);
	return looks_alike(f, ahead) && !memchr(ahead.p, '\n', f->time_end);
}

static bool may_be_text(const void *reader, const struct line *next)
{
	const struct ftrace *f = reader;
	return !looks_alike(f, next->text) && may_continue(f, next);
}

/* Does the line hold what the entry lacks? */
static bool continues(const struct ftrace *f, enum entry_result got, const struct line *next)
{
	struct str t = str_trim(next->text);
	if (got == ENTRY_BARE)
		return str_starts(t, "<-") || str_starts(t, "< -");
	return may_continue(f, next);
}

/*
 * The entry is not complete as it stands, or need not be: a mail may have broken it. Joins it with
 * the next line if that makes it whole; otherwise the next line goes back.
 */
static int join_next(struct ftrace *f, const struct line *first, struct event *e,
		     enum entry_result *got, struct err *err)
{
	f->joined.n = 0;
	strbuf_add(&f->joined, first->text.p, first->text.n);
	struct line next;
	int ret = carrier_next(f->from, &next, err);
	if (ret < 0)
		return ret;
	if (ret && continues(f, *got, &next)) {
		struct str more = str_trim(next.text);
		strbuf_str(&f->joined, " ");
		strbuf_add(&f->joined, more.p, more.n);
		enum entry_result whole = parse_entry(f, strbuf_get(&f->joined), e);
		if (whole == ENTRY_OK && !f->payload.incomplete) {
			*got = whole;
			f->capture->last_line = next.last;
			return 0;
		}
	}
	if (ret)
		carrier_back(f->from, &next);
	*got = parse_entry(f, str_head(strbuf_get(&f->joined), first->text.n), e);
	return 0;
}

/* What a program wrote: the lines that are its text go with it. */
static int join_text(struct ftrace *f, const struct line *first, struct event *e,
		     enum entry_result *got, struct err *err)
{
	struct continued *rest = &f->rest;
	int ret = continued_read(rest, first, err);
	if (ret)
		return ret;
	bool verbatim = f->capture->trace.tracer && !f->quote;
	struct str text = continued_text(rest, f->payload.kind == NAME_MARKER, verbatim);
	*got = parse_entry(f, text, e);
	f->capture->last_line = continued_last(rest);
	return 0;
}

/* What the lines so far say of the whole. */
static inline void note_format(struct ftrace *f)
{
	struct trace_header *h = &f->capture->trace;
	if (f->columns.shape == SHAPE_PERF)
		h->format = "perf-script";
	else if (f->columns.shape == SHAPE_LATENCY_FLAGS || (f->payload.padded && !h->tracer))
		h->format = "trace-cmd";
	if (f->payload.kind == NAME_ROW)
		h->samples = true;
	else if (f->payload.kind == NAME_GRAPH && !f->before.line)
		h->graph = !h->samples;
}

/* Is what was parsed an event? What can be read of a damaged one is. */
static bool accept_entry(struct ftrace *f, enum entry_result got, const struct event *e,
			 const struct line *line)
{
	struct capture *c = f->capture;
	if (got == ENTRY_HIDDEN)
		return false;
	if (got == ENTRY_DAMAGED || got == ENTRY_OPEN)
		capture_damage(c, line->number, f->payload.entry.why);
	else if (f->payload.failed)
		capture_damage(c, line->number, "trace-cmd could not parse the fields");
	else if (f->payload.incomplete)
		capture_damage(c, line->number, "the event's fields are of no form that is known");
	else if (line->cut)
		capture_damage(c, line->number, "the line is too long: its end is left out");
	if (got == ENTRY_DAMAGED || (got == ENTRY_OPEN && !e->what)) {
		f->after_hole = true;
		return false;
	}
	return true;
}

/* What follows an entry and belongs to it: 0 or -errno. */
static int read_rest(struct ftrace *f, const struct line *line, struct event *e,
		     enum entry_result *got, struct err *err)
{
	bool point = f->payload.kind != POINT_NONE && f->payload.kind < POINTS;
	if (*got == ENTRY_OK && point && !f->payload.incomplete) {
		/* Nobody may want its fields; all the same they tell whether it is whole. */
		uint32_t wanted = f->source.points;
		f->source.points = ~0u;
		*got = parse_entry(f, line->text, e);
		int ret = f->payload.incomplete ? join_next(f, line, e, got, err) : 0;
		f->source.points = wanted;
		return ret;
	}
	if (*got == ENTRY_OPEN || *got == ENTRY_BARE || f->payload.incomplete)
		return join_next(f, line, e, got, err);
	return *got == ENTRY_OK ? join_text(f, line, e, got, err) : 0;
}

/* TOOK_NOTHING: the line is no entry; TOOK_LINE: it was one, without an event; or -errno. */
static int read_entry(struct ftrace *f, const struct line *line, struct event *e, struct err *err)
{
	enum entry_result got = parse_entry(f, line->text, e);
	if (got == ENTRY_NONE)
		return TOOK_NOTHING;
	struct capture *c = f->capture;
	if (f->pending.n || f->pending.more)
		pending_confirm(&f->pending, c, "not a line of the trace");
	c->n_trailing = 0;
	c->last_line = line->last;
	if (!f->in_body)
		f->quote = line->quote;
	f->in_body = true;

	int ret = 0;
	bool text = got == ENTRY_OK && event_kind(e) == EVENT_NAMED && f->payload.kind != NAME_ROW;
	if (got != ENTRY_OK || f->payload.incomplete || (text && !entry_is_ahead(f)))
		ret = read_rest(f, line, e, &got, err);
	if (ret < 0)
		return ret;
	bool flawed = got != ENTRY_OK || f->payload.failed || f->payload.incomplete || line->cut;
	if (flawed && !accept_entry(f, got, e, line))
		return TOOK_LINE;

	e->line = line->number;
	if (f->after_hole)
		e->kind |= EVENT_AFTER_HOLE;
	f->after_hole = false;
	if (f->columns.shape != SHAPE_KERNEL || f->payload.padded || f->payload.kind >= NAME_GRAPH)
		note_format(f);
	if (event_kind(e) == EVENT_STACK)
		ret = interlude_stack(f->from, c, f->columns.names, &f->source.payload, err);
	f->before = *e;
	return ret < 0 ? ret : TOOK_EVENT;
}

/* -- Other lines ------------------------------------------------------------------------------- */

/* "	ffffffff821facd8 __schedule+0x618 ([kernel.kallsyms])" of perf script; -F chooses the parts */
static bool is_perf_frame(struct str t, struct str *symbol)
{
	if (!t.n || (t.p[0] != '\t' && t.p[0] != ' '))
		return false;
	struct str word = str_word(&t);
	*symbol = str_trim(t);
	for (size_t i = 0; i < word.n; i++) {
		char c = word.p[i];
		if ((c < '0' || c > '9') && (c < 'a' || c > 'f'))
			return false;
	}
	return word.n && symbol->n;
}

/* The frames of a call chain, which belong to the event before them. */
static int read_perf_stack(struct ftrace *f, const struct line *line, struct event *e,
			   struct err *err)
{
	struct payload *p = &f->source.payload;
	struct line next = *line;
	struct str symbol;
	int ret = 1;
	*e = f->before;
	e->kind = EVENT_STACK;
	e->what = e->arg = 0;
	e->line = line->number;
	p->stack.n = p->stack.dropped = 0;
	p->stack.user = false;
	for (; ret > 0 && is_perf_frame(next.text, &symbol) && !ftrace_line_begins(next.text);
	     ret = carrier_next(f->from, &next, err)) {
		f->capture->last_line = next.last;
		interlude_frame(f->columns.names, p, symbol);
	}
	if (ret > 0)
		carrier_back(f->from, &next);
	p->text = p->arguments = (struct str){ 0 };
	p->point = POINT_NONE;
	return ret < 0 ? ret : TOOK_EVENT;
}

/* Does this line end the capture, or show that there is none? */
static bool ends(struct ftrace *f, enum ftrace_header kind, const struct line *line)
{
	struct str t = str_trim(line->text);
	if (f->in_body && str_eq(t, "--")) /* a mail's signature */
		return true;
	switch (kind) {
	case FTRACE_HEADER_TRACER:
		return f->in_body || f->have_header || ftrace_header_of_graph(line->text);
	case FTRACE_HEADER_REPORT:
		return f->in_body || f->capture->trace.tracer;
	case FTRACE_HEADER_LATENCY:
		f->is_latency = !f->in_body;
		return true;
	case FTRACE_HEADER_OTHER:
		return t.n && t.p[0] != '#' && format_begins_other(&format_ftrace, line->text);
	case FTRACE_HEADER_NONE:
		if (!f->in_body && !f->capture->trace.tracer && !f->have_report)
			f->is_nothing = true;
		if (!f->in_body && f->capture->trace.tracer && format_latency.starts(line->text))
			f->is_latency = true;
		return f->is_nothing || f->is_latency ||
		       format_begins_other(&format_ftrace, line->text);
	default:
		return false;
	}
}

/* A line that is none of the trace's; at another depth of quoting it is somebody's remark. */
static void read_foreign(struct ftrace *f, const struct line *line)
{
	struct str t = str_trim(line->text);
	capture_trailing(f->capture, t);
	if (!f->in_body)
		return;
	if (prose_is_hole(t)) {
		f->after_hole = true;
		f->capture->holes++;
	} else if (line->quote != f->quote) {
		f->capture->remarks++;
	} else {
		pending_add(&f->pending, line);
	}
}

/*
 * A dump may begin with a loss. Only what follows tells whose dump it is: if it is not ours, both
 * lines go back.
 */
static int look_behind_loss(struct ftrace *f, const struct line *loss, struct err *err)
{
	struct line copy = *loss, next;
	char text[128];
	copy.text = (struct str){ text, loss->text.n < sizeof(text) ? loss->text.n : sizeof(text) };
	memcpy(text, loss->text.p, copy.text.n);
	int ret = carrier_next(f->from, &next, err);
	if (ret <= 0) {
		f->is_nothing = !f->capture->trace.tracer && !f->have_report;
		return ret;
	}
	if (ftrace_line_begins(next.text) || interlude_is_lost(next.text)) {
		carrier_back(f->from, &next);
	} else {
		carrier_back_all(f->from, &copy, 1, &next);
		f->is_latency = true;
	}
	return ret;
}

static int read_loss(struct ftrace *f, const struct line *line, struct event *e, struct err *err)
{
	struct capture *c = f->capture;
	if (str_find(line->text, "DROPPED") > 0)
		c->trace.format = "trace-cmd";
	if (!f->in_body) {
		uint16_t quote = line->quote;
		int ret = look_behind_loss(f, line, err);
		f->ended = f->is_latency || f->is_nothing;
		if (ret < 0 || f->ended)
			return ret < 0 ? ret : TOOK_LINE;
		f->quote = quote;
	}
	capture_lost(c, f->source.payload.lost);
	e->line = line->number;
	c->last_line = line->last;
	f->in_body = true;
	return TOOK_EVENT;
}

/* A header's line, or one in the midst that looks like one. */
static void read_header(struct ftrace *f, enum ftrace_header kind, const struct line *line)
{
	if (f->in_body)
		return;
	ftrace_header_read(f->capture, kind, line->text);
	f->have_header |= kind == FTRACE_HEADER_ENTRIES || kind == FTRACE_HEADER_COLUMNS;
	f->have_report |= kind == FTRACE_HEADER_REPORT && str_find(line->text, " is empty") > 0;
	if (kind != FTRACE_HEADER_OTHER)
		f->capture->last_line = line->last;
	f->quote = line->quote;
}

/* A line that is no entry: header, hole, notice, or none of the trace's. */
static int read_other(struct ftrace *f, const struct line *line, struct event *e, struct err *err)
{
	struct str symbol;
	if (interlude_lost(line->text, e, &f->source.payload))
		return read_loss(f, line, e, err);
	if (f->columns.shape == SHAPE_PERF && f->in_body && is_perf_frame(line->text, &symbol))
		return read_perf_stack(f, line, e, err);

	enum ftrace_header kind = ftrace_header_classify(line->text);
	if (ends(f, kind, line)) {
		/* The line that a capture was opened for does not go back: the reader goes on. */
		if (!f->is_nothing || line->number != f->capture->first_line)
			carrier_back(f->from, line);
		f->ended = true;
	} else if (kind == FTRACE_HEADER_NONE) {
		read_foreign(f, line);
	} else {
		read_header(f, kind, line);
	}
	return TOOK_LINE;
}

static int ftrace_read(struct ftrace *f, struct event *e, struct err *err)
{
	struct line line;
	while (!f->ended) {
		int ret = carrier_next(f->from, &line, err);
		if (ret > 0) {
			ret = read_entry(f, &line, e, err);
			if (ret == TOOK_NOTHING)
				ret = read_other(f, &line, e, err);
			if (ret == TOOK_LINE)
				continue;
			if (ret == TOOK_EVENT)
				return 1;
		}
		f->ended = true;
		return ret;
	}
	return 0;
}

const struct format format_ftrace = {
	.looks_for = "a trace ('# tracer: ...', 'bash-123 [000] d..1. 12.345678: ...')",
	.starts = ftrace_starts,
	.open = ftrace_open,
	.close = ftrace_close,
};
