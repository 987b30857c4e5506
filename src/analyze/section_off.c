/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Times with interrupts or preemption off.
 *
 * The events irq_disable, irq_enable, preempt_disable and preempt_enable (CONFIG_TRACE_IRQFLAGS
 * and CONFIG_TRACE_PREEMPT_TOGGLE; include/trace/events/preemptirq.h) tell them exactly. Without
 * them there are the flags of traced functions: from the first entry of a row that shows it off
 * to the last. Such a run is shorter than the section that it is in, which begins before its
 * first entry and ends behind its last; and where interrupts came on and went off again between
 * two entries, unseen, two sections look like one. What shows that they came on between: another
 * task runs (unless a switch to it is there: __schedule goes into one task with both off, and comes
 * out of the other so); or, of interrupts, one has begun or ended, as none can while they are off
 * (an NMI can).
 *
 * The flags of tracepoints tell that it is on, never that it stays off: most fire under a lock
 * that was taken with interrupts off for a moment (sched_waking under pi_lock, sched_switch under
 * the run queue's). The idle loop waits with interrupts off, and is no section (the tracers stop
 * for it too: stop_critical_timings).
 */
#include "analyze/section_parts.h"

enum off_event { OFF_EVENT_NONE = 1, OFF_IRQS, ON_IRQS, OFF_PREEMPT, ON_PREEMPT };

static uint8_t classify(struct str name)
{
	if (str_eq(name, "irq_disable"))
		return OFF_IRQS;
	if (str_eq(name, "irq_enable"))
		return ON_IRQS;
	if (str_eq(name, "preempt_disable"))
		return OFF_PREEMPT;
	return str_eq(name, "preempt_enable") ? ON_PREEMPT : OFF_EVENT_NONE;
}

static uint8_t off_event(struct sections *s, uint32_t what)
{
	while (s->off_event.n <= what)
		vec_push(&s->off_event, 0);
	uint8_t *known = &s->off_event.at[what];
	if (!*known)
		*known = classify(names_str(s->names, what));
	return *known;
}

static const enum sect sects[2] = { SECT_IRQS_OFF, SECT_PREEMPT_OFF };

static void off_begin(struct sect_cpu *c, const struct event *e, int which)
{
	c->off[which].open = true;
	c->off[which].span = sect_span_at(sects[which], c, e);
	c->off[which].span.site = e->what;
	c->off[which].span.end = e->time;
}

/* A run of one entry has no length. */
static void off_end(struct sections *s, struct sect_cpu *c, int which)
{
	struct sect_off *off = &c->off[which];
	if (off->open && off->span.end > off->span.start)
		sect_store_add(&s->store, &off->span);
	off->open = false;
}

/* The idle loop is no section, though an interrupt within it is one. */
static bool is_idle(const struct sect_cpu *c, const struct event *e)
{
	return !c->pid && event_context(e) == CONTEXT_TASK;
}

static void exact(struct sections *s, struct sect_cpu *c, const struct event *e, int which,
		  bool goes_off)
{
	struct sect_off *off = &c->off[which];
	if (!s->exact_off[which]) {
		/* What the flags showed so far is the same again, less well. */
		vec_each (at, &s->cpus) {
			if (*at)
				(*at)->off[which].open = false;
		}
		s->exact_off[which] = true;
	}
	if (goes_off) {
		off_begin(c, e, which);
	} else if (off->open) {
		off->open = false;
		if (!is_idle(c, e))
			sect_span_end(s, &off->span, e);
	} else {
		sect_end_alone(s, c, e, sects[which]);
	}
}

static bool came_on_between(const struct sect_off *off, const struct sect_cpu *c,
			    const struct event *e, int which)
{
	enum context now = event_context(e), before = off->context;
	if (off->pid != c->pid)
		return true;
	return which == 0 && now != before && now != CONTEXT_NMI && before != CONTEXT_NMI;
}

static void by_flags(struct sections *s, struct sect_cpu *c, const struct event *e, int which,
		     bool is_off, bool tells)
{
	struct sect_off *off = &c->off[which];
	if (s->exact_off[which])
		return;
	if (!is_off || is_idle(c, e)) {
		off_end(s, c, which);
	} else if (tells) {
		if (off->open && came_on_between(off, c, e, which))
			off_end(s, c, which);
		if (!off->open)
			off_begin(c, e, which);
		off->context = event_context(e);
		off->pid = c->pid;
		off->span.end = e->time;
		off->span.last_line = e->line;
	}
}

void sect_off(struct sections *s, struct sect_cpu *c, const struct event *e)
{
	enum event_kind kind = event_kind(e);
	if (kind == EVENT_NAMED) {
		uint8_t what = off_event(s, e->what);
		if (what != OFF_EVENT_NONE) {
			int which = what >= OFF_PREEMPT;
			exact(s, c, e, which, what == OFF_IRQS || what == OFF_PREEMPT);
			return;
		}
	}
	if (!event_flag_columns(e))
		return;
	bool tells = kind == EVENT_FUNCTION || event_is_graph(e);
	bool irqs = event_irqs_off(e), preempt = event_flag(e, FLAG_DEPTH) > 0;
	s->flagged_irqs += tells && irqs;
	s->flagged_preempt += tells && preempt;
	if (irqs ? tells : c->off[0].open)
		by_flags(s, c, e, 0, irqs, tells);
	if (preempt ? tells : c->off[1].open)
		by_flags(s, c, e, 1, preempt, tells);
}

void sect_off_switch(struct sect_cpu *c, int32_t to)
{
	c->off[0].pid = c->off[1].pid = to;
}

void sect_off_end(struct sections *s, struct sect_cpu *c)
{
	for (int which = 0; which < 2; which++) {
		if (!s->exact_off[which])
			off_end(s, c, which);
	}
}

void sect_off_lost(struct sections *s, struct sect_cpu *c, enum sect_lost why)
{
	for (int which = 0; which < 2; which++) {
		if (!c->off[which].open)
			continue;
		sect_store_unknown(&s->store, &c->off[which].span, why);
		c->off[which].open = false;
	}
}
