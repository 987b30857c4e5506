/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A capture: one trace or one table found in an input, with its place there, what its header says,
 * and what of it could not be read. A file is a sequence of captures.
 *
 * Strings and vectors belong to the capture's arena; names belong to the reader.
 */
#ifndef DWELL_CORE_CAPTURE_H
#define DWELL_CORE_CAPTURE_H

#include "base/arena.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/locktab.h"
#include "core/names.h"
#include "core/rtla.h"

#define UNKNOWN INT64_MIN /* an integer that the input does not give */

/* Lines that could not be read: the first DAMAGE_KEPT are kept, all are counted. */
#define DAMAGE_KEPT 64

struct damage {
	uint32_t line; /* 0: of the file, which has no lines, or as a whole */
	const char *why;
};

struct trace_task {
	const char *comm; /* NULL: not given */
	int64_t pid, uid, nice, policy, rt_prio;
};

enum trace_style {
	TRACE_STYLE_MAINLINE, /* "# tracer:", "func <-caller" */
	TRACE_STYLE_RT,       /* /proc/latency_trace of 2005-2008: "func (caller)" */
	TRACE_STYLE_MS,       /* the same of 2004: "0.000ms (+0.000ms): func (caller)" */
};

struct trace_header {
	enum trace_style style;
	const char *tracer, *kernel, *version, *preempt_model; /* NULL: not given */
	const char *format;                                    /* as corpus/README.md names them */
	struct trace_task task;
	const char *model_flags; /* "VP:0, KP:0, SP:1 HP:1" after M:; NULL: not given */
	int64_t latency_us, cpu, cpus;
	int64_t entries_in_buffer, entries_written;
	const char *started_at, *ended_at; /* symbol; NULL: not given */
	bool ended_at_nowhere;             /* the address printed was null */
	bool corrupted;                    /* "FUNCTION TRACING IS CORRUPTED" */
	const char *clock;                 /* "local", "x86-tsc", ...; NULL: not given */
	bool clock_ticks;                  /* stamps count something else than time */
	bool samples;                      /* its rows are those of timerlat, osnoise or hwlat */
	bool tgids;                        /* its lines have a column for the process */
	bool graph;                        /* it begins with lines of function_graph */
};

#define CAPTURE_TRAILING 96

/* A line of the kernel's log: the longest latency so far, or one beyond a threshold. */
struct maximum {
	uint32_t task;    /* task id */
	uint32_t section; /* name id: "wakeup", "critical section" */
	uint32_t line;
	int64_t cpu, latency_us;
	int64_t threshold_us;          /* UNKNOWN: a maximum, no violation */
	uint32_t started_at, ended_at; /* name ids; 0: not given */
};

/* Of an endless log the first MAXIMA_KEPT are kept, the others counted. */
#define MAXIMA_KEPT 65536

enum capture_kind { CAPTURE_TRACE, CAPTURE_LOCKS, CAPTURE_MAXIMA, CAPTURE_RTLA };

struct capture {
	enum capture_kind kind;
	struct arena arena;
	const struct names *names;
	const char *label;
	uint32_t first_line, last_line; /* grows while the capture is read */
	struct trace_header trace;      /* CAPTURE_TRACE */
	struct locktab *locks;          /* CAPTURE_LOCKS: in the arena, read whole; CAPTURE_TRACE:
					 * out of its events once it was analyzed, or NULL */
	VEC(struct maximum) maxima;     /* CAPTURE_MAXIMA: in their order, read whole */
	struct rtla *rtla;              /* CAPTURE_RTLA: in the arena, read whole */
	uint64_t more_maxima;
	/* The last line of text that its reader took and that may name the next capture. */
	char trailing[CAPTURE_TRAILING];
	size_t n_trailing;
	bool followed; /* the line given back begins another capture of the same format */
	/* Owned: a table that stands beside this one in the same lines, and comes next. */
	struct capture *beside;

	/* What reading met; complete at the end of the source. */
	int64_t lost_events; /* UNKNOWN: no LOST line; -1: lost, number not printed */
	uint64_t remarks;    /* lines of text in the midst of the trace, at another quote depth */
	uint64_t holes;      /* places where lines were cut by hand */
	uint64_t damaged;
	VEC(struct damage) damage;
};

/* Does the header name timerlat, osnoise or hwlat, whose entries are samples? */
bool capture_is_sampler(const struct capture *c);

void capture_init(struct capture *c, const struct names *names);
void capture_fini(struct capture *c);
void capture_damage(struct capture *c, uint32_t line, const char *why);
void capture_lost(struct capture *c, int64_t n);
void capture_trailing(struct capture *c, struct str text);

#endif
