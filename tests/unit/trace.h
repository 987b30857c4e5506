/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Traces as text, for the tests of what reads and explains them. Include it after cmocka. */
#ifndef TESTS_TRACE_H
#define TESTS_TRACE_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/source.h"
#include "read/reader.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

/* A file with these bytes, to be removed by the caller. */
static inline const char *trace_file(const char *bytes, size_t n)
{
	static char path[64];
	snprintf(path, sizeof(path), "/tmp/dwell-test-XXXXXX");
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	while (n) {
		ssize_t put = write(fd, bytes, n);
		assert_true(put > 0);
		bytes += put;
		n -= (size_t)put;
	}
	close(fd);
	return path;
}

static inline struct reader *trace_open(struct str text)
{
	struct err err = { 0 };
	const char *path = trace_file(text.p, text.n);
	struct reader *r = reader_open(path, &err);
	unlink(path);
	assert_non_null(r);
	return r;
}

/* The text's first capture. */
static inline struct reader *trace_first(const char *text, struct capture **c, struct source **s)
{
	struct err err = { 0 };
	struct reader *r = trace_open(str_of(text));
	assert_int_equal(reader_next(r, c, s, &err), 1);
	return r;
}

static inline void trace_run(struct capture *c, struct source *s, struct sink *sink)
{
	struct err err = { 0 };
	assert_int_equal(source_run(s, c, &sink, 1, NULL, &err), 0);
}

/* Builds a trace line by line. */
struct trace {
	struct strbuf text;
};

static inline void trace_header(struct trace *t, const char *tracer, int64_t latency_us, int cpu)
{
	strbuf_printf(&t->text,
		      "# tracer: %s\n#\n# %s latency trace v1.1.5 on 6.1.0\n"
		      "# latency: %lld us, #4/4, CPU#%d | (M:preempt VP:0, KP:0, SP:0 HP:0 #P:2)\n"
		      "#    | task: tool-100 (uid:0 nice:0 policy:1 rt_prio:80)\n",
		      tracer, tracer, (long long)latency_us, cpu);
}

/* flags as printed behind the CPU: "0d..1." */
static inline void trace_entry(struct trace *t, const char *who, const char *flags, int64_t us,
			       const char *payload)
{
	strbuf_printf(&t->text, "%8s %6s %4lldus : %s\n", who, flags, (long long)us, payload);
}

static inline void trace_line(struct trace *t, const char *line)
{
	strbuf_printf(&t->text, "%s\n", line);
}

#define assert_text(got, want)                                                                     \
	do {                                                                                       \
		struct str got_ = (got);                                                           \
		if (!str_eq(got_, (want)))                                                         \
			fail_msg("'%.*s' is not '%s'", STR_ARG(got_), (want));                     \
	} while (0)

#endif
