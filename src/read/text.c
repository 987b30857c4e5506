/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reader of text: finds the captures in a file, whatever stands between them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "read/format.h"
#include "read/prose.h"
#include "read/reader.h"
#include "read/trace_dat.h"

static const struct format *const formats[] = {
	&format_graph,     &format_rtla,      &format_ftrace,    &format_latency,  &format_maxima,
	&format_lock_stat, &format_perf_lock, &format_klockstat, &format_futexctn, &format_json,
};
#define FORMATS (sizeof(formats) / sizeof(formats[0]))

struct reader {
	struct carrier carrier;
	struct names names;
	const struct format *format; /* of the open capture; NULL: between captures */
	struct source *source;       /* of a trace */
	struct capture capture;
	const struct format *next; /* of the next line, known without looking; NULL: look */
	struct label label;        /* of the next capture */
	bool looked;
	struct trace_dat *dat; /* NULL: the input is text */
	bool in_text;          /* of dat: what carrier has */
	bool open;             /* capture is one of dat's own */
	/* The line, or its rest, that the last capture was tried at; 0: none. */
	uint32_t tried;
	size_t tried_n;
};

struct reader *reader_open(const char *path, struct err *err)
{
	struct reader *r = mem_alloc(sizeof(*r));
	if (carrier_open(&r->carrier, path, err)) {
		free(r);
		return NULL;
	}
	names_init(&r->names);
	return r;
}

static void reader_end_capture(struct reader *r)
{
	if (r->open)
		capture_fini(&r->capture);
	r->open = false;
	if (!r->format)
		return;
	if (r->source)
		r->format->close(r->source);
	r->source = NULL;
	r->next = r->capture.followed ? r->format : NULL;
	r->format = NULL;
	r->label.n = r->label.blanks = 0;
	label_line(&r->label, (struct str){ r->capture.trailing, r->capture.n_trailing });
	capture_fini(&r->capture);
}

void reader_close(struct reader *r)
{
	if (!r)
		return;
	reader_end_capture(r);
	trace_dat_close(r->dat);
	names_fini(&r->names);
	carrier_close(&r->carrier);
	free(r);
}

void reader_watch(struct reader *r, struct bytes_watch *w)
{
	r->carrier.bytes.watch = w;
	if (!w)
		return;
	w->done = 0;
	w->size = r->carrier.bytes.size;
}

static const struct format *format_of(struct str text)
{
	for (size_t i = 0; i < FORMATS; i++) {
		if (formats[i]->starts(text))
			return formats[i];
	}
	return NULL;
}

static const struct format *format_perhaps(struct str text)
{
	for (size_t i = 0; i < FORMATS; i++) {
		if (formats[i]->may_start && formats[i]->may_start(text))
			return formats[i];
	}
	return NULL;
}

bool format_begins_other(const struct format *self, struct str text)
{
	const struct format *f = format_of(text);
	return f && f != self;
}

/* The table that stood beside the last one, in the same lines; false: there is none. */
static bool reader_beside(struct reader *r)
{
	struct capture *next = r->format ? r->capture.beside : NULL;
	if (!next)
		return false;
	r->capture.beside = NULL;
	capture_fini(&r->capture);
	r->capture = *next;
	free(next);
	return true;
}

static int reader_drain(struct reader *r, struct err *err)
{
	struct event e;
	int ret = 1;
	while (r->source && ret > 0)
		ret = r->source->next(r->source, &e, err);
	return ret < 0 ? ret : 0;
}

static int text_next(struct reader *r, struct capture **c, struct source **s, struct err *err)
{
	struct line line;
	int ret;
	while ((ret = carrier_next(&r->carrier, &line, err)) > 0) {
		bool followed = r->next != NULL;
		const struct format *f = followed ? r->next : format_of(line.text);
		r->next = NULL;
		if (!f)
			f = format_perhaps(line.text);
		if (!followed && line.number == r->tried && line.text.n == r->tried_n)
			f = NULL; /* it was given back: no format makes anything of it */
		if (!f) {
			label_line(&r->label, line.text);
			continue;
		}
		r->tried = line.number;
		r->tried_n = line.text.n;
		carrier_back(&r->carrier, &line);
		capture_init(&r->capture, &r->names);
		r->capture.first_line = r->capture.last_line = line.number;
		if (r->label.n)
			r->capture.label = arena_str(&r->capture.arena, label_get(&r->label));
		r->format = f;
		ret = f->open(&r->carrier, &r->names, &r->capture, &r->source, err);
		if (ret == OPEN_LATENCY) {
			r->format = &format_latency;
			ret = r->format->open(&r->carrier, &r->names, &r->capture, &r->source, err);
		}
		*c = &r->capture;
		*s = r->source;
		if (ret)
			return ret;
		reader_end_capture(r);
	}
	return ret;
}

/* Is it a trace.dat? That is known by its first bytes alone, and wants a file that can seek. */
static int reader_look(struct reader *r, struct err *err)
{
	struct str head;
	r->looked = true;
	int ret = carrier_peek(&r->carrier, TRACE_DAT_HEAD, &head, err);
	if (ret || !trace_dat_starts(head))
		return ret;
	int fd = carrier_file(&r->carrier, err);
	if (fd < 0)
		return fd;
	r->dat = trace_dat_open(fd, r->carrier.bytes.name, &r->names, err);
	if (!r->dat)
		return -EIO;
	struct bytes_watch *w = r->carrier.bytes.watch;
	if (w)
		w->done = 0; /* what told the format is read again */
	trace_dat_watch(r->dat, w);
	return 0;
}

/* The next buffer of a trace.dat; one that is text becomes what the carrier carries. */
static int dat_next(struct reader *r, struct capture **c, struct source **s, struct err *err)
{
	int ret = 1, text = -1;
	while (ret > 0) {
		if (r->in_text) {
			ret = text_next(r, c, s, err);
			if (ret)
				return ret;
		}
		r->in_text = false;
		capture_init(&r->capture, &r->names);
		r->open = true;
		ret = trace_dat_next(r->dat, &r->capture, &r->source, &text, err);
		*c = &r->capture;
		*s = r->source;
		if (ret > 0 && text < 0)
			return 1;
		reader_end_capture(r);
		r->source = NULL;
		if (ret <= 0)
			return ret;
		const char *name = r->carrier.bytes.name;
		carrier_close(&r->carrier);
		carrier_open_fd(&r->carrier, text, name);
		r->in_text = true;
	}
	return ret;
}

int reader_next(struct reader *r, struct capture **c, struct source **s, struct err *err)
{
	int ret = reader_drain(r, err);
	if (ret)
		return ret;
	if (reader_beside(r)) {
		*c = &r->capture;
		*s = NULL;
		return 1;
	}
	reader_end_capture(r);
	if (!r->looked)
		ret = reader_look(r, err);
	if (ret)
		return ret;
	return r->dat ? dat_next(r, c, s, err) : text_next(r, c, s, err);
}

const char *reader_looks_for(void)
{
	static char all[512]; /* the same text each time */
	size_t n = 0;
	for (size_t i = 0; i < FORMATS && n < sizeof(all); i++) {
		const char *before = !i ? "" : i + 1 < FORMATS ? ", " : " or ";
		n += (size_t)snprintf(all + n, sizeof(all) - n, "%s%s", before,
				      formats[i]->looks_for);
	}
	return all;
}

const char *reader_name(const struct reader *r)
{
	return r->carrier.bytes.name;
}

uint32_t reader_lines(const struct reader *r)
{
	return r->carrier.number;
}

const char *reader_trouble(const struct reader *r)
{
	return r->carrier.trouble.code ? r->carrier.trouble.msg : NULL;
}
