/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What happened during one section, replayed from the events that were kept of it: who ran on its
 * CPU, or what its task did, part by part.
 */
#ifndef DWELL_ANALYZE_SECTION_STORY_H
#define DWELL_ANALYZE_SECTION_STORY_H

#include "analyze/section_parts.h"

enum part_kind {
	PART_RUNS,    /* a CPU runs a task, or a handler that interrupted it */
	PART_ASLEEP,  /* the task is off its CPU, in a state that is not R */
	PART_QUEUED,  /* the task waits for a CPU */
	PART_MOVED,   /* the task waits on cpu, or on to_cpu: when it moved is not recorded */
	PART_UNKNOWN, /* its events were not kept */
};

struct story_part {
	enum part_kind kind;
	int64_t start, end;
	uint16_t cpu, to_cpu; /* to_cpu: of PART_MOVED */
	uint32_t task;
	int32_t pid, prio; /* SECT_NO_PRIO: not known */
	enum context context;
	uint32_t name; /* of the handler, name id; 0: not known */
	char state;    /* PART_ASLEEP */
	uint32_t entries, irqs_off, preempt_off;
	uint32_t first_line, last_line;
};

enum moment_kind { MOMENT_QUEUED, MOMENT_RESCHED, MOMENT_MIGRATED, MOMENT_WOKEN };

struct story_moment {
	enum moment_kind kind;
	int64_t time;
	uint32_t line;
	uint32_t by; /* MOMENT_WOKEN: task id of the waker */
	int32_t by_pid;
	uint16_t cpu;
};

struct story {
	VEC(struct story_part) parts;
	VEC(struct story_moment) moments;
};

/* A section of a CPU is told by who ran there, one of a task by what the task did. */
void story_build(const struct sections *s, const struct sect_worst *w, struct story *story);
void story_fini(struct story *story);
void story_copy(struct story *to, const struct story *from);

/* Equal parts summed, the longest first. */
void story_sum(struct story *story);

/* Why it took that long, as far as the parts tell; NULL: they do not. */
const char *story_why(const struct sections *s, const struct sect_span *x,
		      const struct story *story, struct arena *a);

/* "CPU 1 runs init-170, preemption off at all 7 entries" */
const char *part_text(const struct sections *s, const struct story_part *p, struct arena *a);

#endif
