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
	 * Reads a capture; the line it begins at is next in the carrier. A trace: *s is a new
	 * source, to be closed with close(). A table is read whole into *c, *s stays NULL.
	 * 1: a capture; 0: it was none after all, and the lines it took are text; -errno.
	 */
	int (*open)(struct carrier *from, struct names *names, struct capture *c, struct source **s,
		    struct err *err);
	void (*close)(struct source *s); /* NULL for tables */
};

extern const struct format format_latency;

#endif
