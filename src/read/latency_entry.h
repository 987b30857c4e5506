/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One line of a trace in latency format, to one event. Every generation since 2005 has
 *
 *	comm-pid  CPU+flags  TIMEus[mark]: payload
 *
 * and differs in the payload. Columns are found by shape, never by position: mail clients move
 * them, and comms may hold blanks.
 */
#ifndef DWELL_READ_LATENCY_ENTRY_H
#define DWELL_READ_LATENCY_ENTRY_H

#include "core/event.h"
#include "core/names.h"
#include "read/graph_call.h"

enum entry_result {
	ENTRY_NONE,    /* not such a line */
	ENTRY_DAMAGED, /* begins like one, and then does not go on like one: see why */
	ENTRY_OPEN,    /* its end is missing, perhaps on the next line: see why */
	ENTRY_BARE,    /* complete, unless the next line begins with its caller or values */
	ENTRY_OK,
	ENTRY_HIDDEN, /* a command-line record of v1.1.4, printed by mistake: no entry */
};

struct entry_reader {
	struct names *names;
	const char *format; /* of the corpus' README: "latency", until a line is of another shape */
	bool of_latency;    /* the header gives a latency */
	bool rows;          /* the tracer is timerlat, osnoise or hwlat */
	bool rt_style;      /* "func (caller)" was seen */
	bool ticks;         /* stamps without a unit were seen */
	const char *why;
	struct graph_open graph; /* calls that are open, of display-graph */

	/* The columns of the line before: they rarely change. */
	char who[64];
	size_t who_n;
	uint32_t task;
	char flags_text[12];
	size_t flags_n;
	uint32_t flags;
	uint16_t cpu;
};

/* From ENTRY_OPEN on *e and *p are set as far as the line goes, but for e->line. */
enum entry_result entry_parse(struct entry_reader *r, struct str line, struct event *e,
			      struct payload *p);

/* What follows the time (latency_payload.c). Sets *e but for task, CPU, flags, time and line. */
enum entry_result entry_payload(struct entry_reader *r, struct str s, struct event *e,
				struct payload *p);

/* The task of "comm-pid", split at the last '-'; false if the pid does not fit. */
bool entry_task(struct entry_reader *r, struct str who, uint32_t *task);

/* How long "(T1/#0)" is, which verbose -rt records begin with; 0: the line does not. */
size_t entry_record_prefix(struct str s);

/* Does the line begin as an entry does (comm-pid, CPU and flags, time)? */
bool entry_begins(struct str line);

/* "func+0x1/0x2 <addr>" to "func". */
struct str entry_bare_symbol(struct str s);

#endif
