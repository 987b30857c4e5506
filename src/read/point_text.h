/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of a tracepoint to figures: what TP_printk of the kernel, the plugins of trace-cmd, or
 * trace-cmd report -R (key=value) print for the points of core/event.h.
 */
#ifndef DWELL_READ_POINT_TEXT_H
#define DWELL_READ_POINT_TEXT_H

#include "core/event.h"
#include "core/names.h"
#include "read/memo.h"

struct point_reader {
	struct names *names;
	struct memo tasks; /* "next_comm=bash next_pid=123" */
};

/* POINT_NONE for every other name. Without "sched:" and the like. */
enum point point_of_name(struct str name);

/* Sets p->point and the figures; false, with POINT_NONE: the text is of no form that is known. */
bool point_text_parse(struct point_reader *r, enum point point, struct str name, struct str text,
		      struct payload *p);

/* "TIMER" and so on, of include/linux/interrupt.h; empty: no such softirq. */
struct str point_softirq(int64_t vec);

/* Of the scheduler's points: point_sched.c. */
bool point_sched_parse(struct point_reader *r, enum point point, struct str text,
		       struct payload *p);

#endif
