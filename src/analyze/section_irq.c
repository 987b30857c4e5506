/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Handlers of interrupts and softirqs, and how long a softirq waits for its turn.
 *
 * Handlers nest: an interrupt may come in a softirq, and in another interrupt where the
 * architecture lets it. One stack a CPU; an exit closes the topmost handler of its number, and
 * what lies above it has lost its exit. A length is from entry to exit, with what interrupted it.
 *
 * Raising a softirq that is pending already changes nothing (or_softirq_pending), so its wait is
 * from the first raise; __do_softirq clears the pending bits before it runs the handlers, so a
 * raise within one begins the next wait (kernel/softirq.c).
 */
#include "analyze/section_parts.h"

static void handler_enter(struct sections *s, struct sect_cpu *c, const struct event *e,
			  const struct payload *p, enum sect sect)
{
	if (c->n_handlers == SECT_NESTING) {
		struct sect_span x = sect_span_at(sect, c, e);
		sect_store_unknown(&s->store, &x, SECT_AT_LOSS);
		return;
	}
	struct sect_handler *h = &c->handlers[c->n_handlers++];
	h->number = p->args.a;
	h->span = sect_span_at(sect, c, e);
	h->span.key = sect_point_key(p);
}

/* The exit of irq_handler does not say which handler: of a line that is shared they are many. */
static bool is_exit_of(const struct sect_handler *h, const struct payload *p, enum sect sect)
{
	if (h->span.sect != sect || h->number != p->args.a)
		return false;
	return sect == SECT_SOFTIRQ || !p->args.name || h->span.key == sect_point_key(p);
}

static void handler_exit(struct sections *s, struct sect_cpu *c, const struct event *e,
			 const struct payload *p, enum sect sect)
{
	unsigned i = c->n_handlers;
	while (i && !is_exit_of(&c->handlers[i - 1], p, sect))
		i--;
	if (!i) {
		sect_end_alone(s, c, e, sect);
		return;
	}
	while (c->n_handlers > i)
		sect_store_unknown(&s->store, &c->handlers[--c->n_handlers].span, SECT_AT_LOSS);
	c->n_handlers = i - 1;
	sect_span_end(s, &c->handlers[i - 1].span, e);
}

static void softirq_raise(struct sect_cpu *c, const struct event *e, const struct payload *p)
{
	unsigned vector = (unsigned)p->args.a & (SECT_VECTORS - 1);
	uint32_t bit = 1u << vector;
	if (!(c->raised_bits & bit)) {
		c->raised[vector] = sect_span_at(SECT_SOFTIRQ_WAIT, c, e);
		c->raised[vector].key = sect_point_key(p);
		c->stack_of = &c->raised[vector].site;
		c->stack_skip = SYMBOL_LOCK | SYMBOL_TRACER;
	}
	c->raised_bits |= bit;
	c->entered_bits |= bit;
}

static void softirq_enter(struct sections *s, struct sect_cpu *c, const struct event *e,
			  const struct payload *p)
{
	unsigned vector = (unsigned)p->args.a & (SECT_VECTORS - 1);
	uint32_t bit = 1u << vector;
	if (c->raised_bits & bit)
		sect_span_end(s, &c->raised[vector], e);
	else if (s->points[POINT_SOFTIRQ_RAISE] || !(c->entered_bits & bit))
		sect_end_alone(s, c, e, SECT_SOFTIRQ_WAIT);
	c->raised_bits &= ~bit;
	c->entered_bits |= bit;
	handler_enter(s, c, e, p, SECT_SOFTIRQ);
}

void sect_irq(struct sections *s, struct sect_cpu *c, const struct event *e,
	      const struct payload *p)
{
	if (p->point >= POINT_SOFTIRQ_RAISE && p->point <= POINT_SOFTIRQ_EXIT &&
	    (p->args.a < 0 || p->args.a >= SECT_VECTORS))
		return;
	switch (p->point) {
	case POINT_IRQ_ENTRY:
		handler_enter(s, c, e, p, SECT_HARDIRQ);
		break;
	case POINT_IRQ_EXIT:
		handler_exit(s, c, e, p, SECT_HARDIRQ);
		break;
	case POINT_SOFTIRQ_RAISE:
		softirq_raise(c, e, p);
		break;
	case POINT_SOFTIRQ_ENTRY:
		softirq_enter(s, c, e, p);
		break;
	default:
		handler_exit(s, c, e, p, SECT_SOFTIRQ);
	}
}

void sect_irq_lost(struct sections *s, struct sect_cpu *c, enum sect_lost why)
{
	while (c->n_handlers)
		sect_store_unknown(&s->store, &c->handlers[--c->n_handlers].span, why);
	for (; c->raised_bits; c->raised_bits &= c->raised_bits - 1)
		sect_store_unknown(&s->store, &c->raised[__builtin_ctz(c->raised_bits)], why);
}
