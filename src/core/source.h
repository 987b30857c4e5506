/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where events come from (pulled) and what they are pushed into. A reader, a merge, a filter and
 * a live recording are sources; an analysis and a format of `convert` are sinks. source_run is
 * the one loop between them, for snapshots of 50 lines and streams without end alike.
 */
#ifndef DWELL_CORE_SOURCE_H
#define DWELL_CORE_SOURCE_H

#include "base/err.h"
#include "core/capture.h"
#include "core/event.h"

struct report;

struct source {
	/* 1: *e and payload are set, the payload until the next call; 0: end; -errno */
	int (*next)(struct source *s, struct event *e, struct err *err);
	struct payload payload;
	uint32_t wanted; /* bits (1 << kind) whose payload somebody reads; set before next */
	uint32_t points; /* POINT_BIT()s that somebody reads: others need not be decoded */
	bool want_text;  /* somebody reads payload.text of EVENT_NAMED: else it may be empty */
};

struct sink;
struct sink_ops {
	uint32_t wants;  /* bits (1 << kind) of the events this sink is called for */
	uint32_t points; /* POINT_BIT()s that it reads of them */
	bool text;       /* it reads payload.text of EVENT_NAMED */
	int (*begin)(struct sink *s, const struct capture *c, struct err *err);
	void (*event)(struct sink *s, const struct event *e, const struct payload *p);
	/* The capture's counts are complete. An analysis adds its sections to r. */
	int (*finish)(struct sink *s, const struct capture *c, struct report *r, struct err *err);
};

struct sink {
	const struct sink_ops *ops;
};

#define SINK_WANTS_ALL (~0u)

/* Reads the source to its end, feeding every sink. 0 or -errno (of a source or a sink). */
int source_run(struct source *s, const struct capture *c, struct sink **sinks, size_t n,
	       struct report *r, struct err *err) must_check;

#endif
