/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What text.c knows of a format, and what a format gets from it.
 */
#ifndef DWELL_READ_FORMAT_H
#define DWELL_READ_FORMAT_H

#include "core/source.h"
#include "read/carrier.h"

struct format {
	const char *looks_for;
	/* May a capture of this format begin at this line? Called for every line between captures. */
	bool (*starts)(struct str text);
	/*
	 * NULL, or: may one begin here, as open() will find out? Called only between captures, when
	 * no format starts(): it may be wrong often.
	 */
	bool (*may_start)(struct str text);
	/*
	 * Reads a capture; the line it begins at is next in the carrier. A trace: *s is a new
	 * source, to be closed with close(). A table is read whole into *c, *s stays NULL.
	 * 1: a capture; 0: it was none after all, and the lines it took are text; -errno.
	 * OPEN_LATENCY: the header is read into *c, and what follows it is a latency trace.
	 */
	int (*open)(struct carrier *from, struct names *names, struct capture *c, struct source **s,
		    struct err *err);
	void (*close)(struct source *s); /* NULL for tables */
};

#define OPEN_LATENCY 2

/* Does a capture of another format begin at this line, which is none of self's? */
bool format_begins_other(const struct format *self, struct str text);

extern const struct format format_graph;
extern const struct format format_ftrace;
extern const struct format format_rtla;
extern const struct format format_latency;
extern const struct format format_maxima;
extern const struct format format_lock_stat;
extern const struct format format_perf_lock;
extern const struct format format_klockstat;
extern const struct format format_futexctn;
extern const struct format format_json;

#endif
