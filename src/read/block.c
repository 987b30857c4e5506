/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "read/block.h"

#include "read/latency_entry.h"
#include "read/latency_header.h"
#include "read/prose.h"

struct str block_tracer(struct str text)
{
	if (header_classify(text) != HEADER_TRACER)
		return (struct str){ 0 };
	struct str t = str_trim(str_from(str_trim(text), 1));
	return str_trim(str_from(t, strlen("tracer:")));
}

static void pending_text(struct block *b, const struct line *line)
{
	if (line->quote != b->quote)
		b->capture->remarks++;
	else
		pending_add(&b->pending, line);
}

void block_entry(struct block *b, const struct line *line)
{
	pending_confirm(&b->pending, b->capture, b->not_an_entry);
	b->capture->last_line = line->last;
	if (!b->in_body)
		b->quote = line->quote;
	b->in_body = true;
	b->after_blank = false;
}

void block_stamp(struct block *b, const struct line *line, struct event *e)
{
	e->line = line->number;
	if (b->after_hole)
		e->kind |= EVENT_AFTER_HOLE;
	b->after_hole = false;
}

/* "# entries-in-buffer/entries-written: 13/13   #P:8" (print_func_help_header and its like in
 * kernel/trace/trace.c); a mail may have broken it before "#P:". */
static void read_counts(struct capture *c, struct str text)
{
	struct trace_header *h = &c->trace;
	static const char key[] = "entries-in-buffer/entries-written:";
	ptrdiff_t at = str_find(text, key);
	if (at < 0)
		return;
	struct str t = str_trim(str_from(text, (size_t)at + strlen(key)));
	int64_t in, written;
	if (!str_number(&t, &in) || !str_starts(t, "/"))
		return;
	t = str_from(t, 1);
	if (!str_number(&t, &written))
		return;
	h->entries_in_buffer = in;
	h->entries_written = written;
}

static void read_header(struct block *b, enum header_line kind, const struct line *line)
{
	struct capture *c = b->capture;
	b->have_tracer |= kind == HEADER_TRACER;
	b->have_title |= kind == HEADER_TITLE;
	if (kind != HEADER_DRAWING)
		b->quote = line->quote;
	if (!b->in_body)
		c->last_line = line->last;
	read_counts(c, line->text);
	const char *format = c->trace.format;
	const char *why = header_read(c, kind, line->text);
	c->trace.format = format;
	if (why)
		capture_damage(c, line->number, why);
}

/* Does this header line begin the next trace rather than belong to this one? */
static bool begins_next(const struct block *b, enum header_line kind)
{
	return (kind == HEADER_TRACER && (b->in_body || b->have_tracer)) ||
	       (kind == HEADER_TITLE && (b->in_body || b->have_title)) ||
	       (kind == HEADER_LATENCY && b->in_body);
}

/*
 * Text in the midst of the lines. A prompt, a mail's signature, and a paragraph (text after a
 * blank line) end the trace.
 */
static void read_text(struct block *b, const struct line *line, struct str t)
{
	struct capture *c = b->capture;
	if (!t.n) {
		b->after_blank = true;
		return;
	}
	if (b->in_body && (str_eq(t, "--") || prose_is_prompt(t) ||
			   (b->after_blank && line->quote == b->quote))) {
		carrier_back(b->from, line);
		b->ended = true;
		return;
	}
	capture_trailing(c, t);
	if (b->in_body)
		pending_text(b, line);
}

bool block_other(struct block *b, const struct line *line, struct event *e, struct payload *p)
{
	struct str t = str_trim(line->text);
	if ((b->in_body || b->have_tracer) && interlude_lost(t, e, p)) {
		block_entry(b, line);
		e->line = line->number;
		capture_lost(b->capture, p->lost);
		return true;
	}
	enum header_line kind = header_classify(line->text);
	bool other = kind == HEADER_NONE || kind == HEADER_DRAWING;
	if (begins_next(b, kind) || (other && format_begins_other(b->format, line->text))) {
		carrier_back(b->from, line);
		b->ended = true;
		return false;
	}
	if (b->in_body && prose_is_hole(t)) {
		b->after_hole = true;
		b->after_blank = false;
		b->capture->holes++;
	} else if (kind != HEADER_NONE && t.n && !(b->in_body && prose_is_prompt(t))) {
		read_header(b, kind, line);
	} else {
		read_text(b, line, t);
	}
	return false;
}

bool block_is_frame(struct str text)
{
	struct str t = str_trim(text);
	return str_starts(t, "=>") && str_trim(str_from(t, 2)).n > 0;
}

int block_stack(struct block *b, struct payload *p, struct err *err)
{
	struct line line;
	int ret;
	while ((ret = carrier_next(b->from, &line, err)) > 0) {
		if (!block_is_frame(line.text)) {
			carrier_back(b->from, &line);
			break;
		}
		b->capture->last_line = line.last;
		struct str rest = str_from(str_trim(line.text), 2), sym = str_word(&rest);
		if (str_starts(sym, "0x")) /* rtla saves the noise behind the last symbol, too */
			continue;
		if (p->stack.n < STACK_MAX)
			p->stack.frames[p->stack.n++] = names_id(b->names, entry_bare_symbol(sym));
		else
			p->stack.dropped++;
	}
	p->text = (struct str){ 0 }; /* its line is gone */
	return ret < 0 ? ret : 0;
}
