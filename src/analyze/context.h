/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In which context a CPU runs, entry by entry. Flags lag behind: an interrupt's first lines still
 * show the interrupted context, its last ones show it again before irq_exit has returned
 * (irq_enter and irq_exit change the count in between). The names of the way in and out, and what
 * they call, belong to the interrupt.
 */
#ifndef DWELL_ANALYZE_CONTEXT_H
#define DWELL_ANALYZE_CONTEXT_H

#include "analyze/symbols.h"
#include "core/event.h"

/* Of one CPU's last entry; zeroed at the start. */
struct context_state {
	enum context context;
	uint32_t what, caller; /* ids of symbols; 0: none */
	bool lagging;          /* the flags do */
};

/* The context of the next entry, whose function and caller these are (0: none). */
static inline enum context context_next(struct context_state *c, const struct event *e,
					struct symbol what, struct symbol caller)
{
	enum context by_flags = event_context(e), by_name = by_flags, before = c->context;
	uint32_t classes = what.classes | caller.classes;
	bool chain = c->lagging && caller.id && (caller.id == c->what || caller.id == c->caller);
	if (classes & SYMBOL_NMI)
		by_name = CONTEXT_NMI;
	else if (classes & SYMBOL_SOFTIRQ) /* irq_exit may call it */
		by_name = CONTEXT_SOFTIRQ;
	else if (classes & SYMBOL_HARDIRQ)
		by_name = CONTEXT_HARDIRQ;

	c->what = what.id;
	c->caller = caller.id;
	c->context = by_flags;
	c->lagging = true;
	if (by_name > by_flags)
		c->context = by_name;
	else if (chain && before > by_flags)
		c->context = before;
	else
		c->lagging = false;
	return c->context;
}

#endif
