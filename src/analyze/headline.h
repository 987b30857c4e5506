/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What kind of section a trace shows, in plain words: what was off or who waited, for how long,
 * where, and from where to where.
 */
#ifndef DWELL_ANALYZE_HEADLINE_H
#define DWELL_ANALYZE_HEADLINE_H

#include <stddef.h>

#include "analyze/wakeup.h"
#include "core/report.h"

enum section_kind {
	SECTION_IRQS_OFF,
	SECTION_PREEMPT_OFF,
	SECTION_PREEMPT_IRQS_OFF,
	SECTION_WAKEUP,
	SECTION_WINDOW,   /* between user_trace_start and user_trace_stop */
	SECTION_CRITICAL, /* of an -rt kernel that does not say which */
	SECTION_TRACE,    /* a tracer that times no section */
};

struct headline {
	struct sink sink;              /* for the stack dump at its end */
	struct span_listener listener; /* for what the window's entries tell */
	struct symbols *symbols;
	const struct trace_header *header;
	uint32_t end_site; /* of the last stack dump */

	uint64_t entries, irqs_off, preempt_off;
	uint32_t irqs_on_line;    /* first entry with interrupts on between two with them off */
	uint64_t irqs_on_inside;  /* such entries */
	uint64_t irqs_on_pending; /* they count once interrupts are off again */
	uint32_t irqs_on_first;
	bool windowed, switch_marks;
	uint32_t first_what, first_caller, start_site, last_what, last_caller;
};

void headline_init(struct headline *h, struct symbols *symbols);
enum section_kind headline_kind(const struct headline *h);
void headline_report(const struct headline *h, const struct timeline *t, const struct wakeup *w,
		     const struct capture *c, struct report *r);

#endif
