/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reader of text: finds the captures in a file, whatever stands between them. */
#include <stdlib.h>

#include "base/mem.h"
#include "read/format.h"
#include "read/reader.h"

static const struct format *const formats[] = {
	&format_latency,
};
#define FORMATS (sizeof(formats) / sizeof(formats[0]))

struct reader {
	struct carrier carrier;
	struct names names;
	const struct format *format; /* of the open capture; NULL: between captures */
	struct source *source;       /* of a trace */
	struct capture capture;
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
	if (!r->format)
		return;
	if (r->source)
		r->format->close(r->source);
	r->source = NULL;
	r->format = NULL;
	capture_fini(&r->capture);
}

void reader_close(struct reader *r)
{
	if (!r)
		return;
	reader_end_capture(r);
	names_fini(&r->names);
	carrier_close(&r->carrier);
	free(r);
}

static const struct format *format_of(struct str text)
{
	for (size_t i = 0; i < FORMATS; i++) {
		if (formats[i]->starts(text))
			return formats[i];
	}
	return NULL;
}

static int reader_drain(struct reader *r, struct err *err)
{
	struct event e;
	int ret = 1;
	while (r->source && ret > 0)
		ret = r->source->next(r->source, &e, err);
	return ret < 0 ? ret : 0;
}

int reader_next(struct reader *r, struct capture **c, struct source **s, struct err *err)
{
	int ret = reader_drain(r, err);
	if (ret)
		return ret;
	reader_end_capture(r);

	struct line line;
	while ((ret = carrier_next(&r->carrier, &line, err)) > 0) {
		const struct format *f = format_of(line.text);
		if (!f)
			continue;
		carrier_back(&r->carrier, &line);
		capture_init(&r->capture, &r->names);
		r->capture.first_line = r->capture.last_line = line.number;
		r->format = f;
		ret = f->open(&r->carrier, &r->names, &r->capture, &r->source, err);
		*c = &r->capture;
		*s = r->source;
		if (ret)
			return ret;
		reader_end_capture(r);
	}
	return ret;
}

const char *reader_looks_for(void)
{
	return formats[0]->looks_for;
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
