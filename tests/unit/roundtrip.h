/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading, writing and reading again: what a trace says must stay the same. Include trace.h first. */
#ifndef TESTS_ROUNDTRIP_H
#define TESTS_ROUNDTRIP_H

#include "analyze/digest.h"
#include "render/digest.h"
#include "render/latency.h"

/* The text's first capture as `convert --to trace` writes it; freed by the caller. */
static inline char *roundtrip_write(const char *text)
{
	struct capture *c;
	struct source *s;
	struct reader *r = trace_first(text, &c, &s);
	char *out = NULL;
	size_t n;
	FILE *f = open_memstream(&out, &n);
	struct render_latency render;
	render_latency_init(&render, f);
	trace_run(c, s, &render.sink);
	render_latency_fini(&render);
	fclose(f);
	reader_close(r);
	return out;
}

/* Its digest, without line numbers and, if asked, the format; freed by the caller. */
static inline char *roundtrip_digest(const char *text, const char *format)
{
	struct capture *c;
	struct source *s;
	struct reader *r = trace_first(text, &c, &s);
	char *out = NULL;
	size_t n;
	FILE *f = open_memstream(&out, &n);
	struct analyze_digest d;
	analyze_digest_init(&d);
	trace_run(c, s, &d.sink);
	c->first_line = c->last_line = d.digest.first.line = d.digest.last.line = 0;
	if (format)
		c->trace.format = format;
	struct json j;
	json_put_init(&j, f, true);
	render_digest(&j, c, &d.digest);
	analyze_digest_fini(&d);
	fclose(f);
	reader_close(r);
	return out;
}

/* format NULL: it must stay the same, too. */
static inline void roundtrip_check(const char *text, const char *format)
{
	char *written = roundtrip_write(text), *twice = roundtrip_write(written);
	char *before = roundtrip_digest(text, format), *after = roundtrip_digest(written, format);
	assert_string_equal(before, after);
	assert_string_equal(written, twice);
	free(written);
	free(twice);
	free(before);
	free(after);
}

#endif
