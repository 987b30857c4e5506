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
	/* A new source, to be closed with close(). The line it begins at is next in the carrier. */
	struct source *(*open)(struct carrier *from, struct names *names, struct capture *c);
	void (*close)(struct source *s);
};

extern const struct format format_latency;

#endif
