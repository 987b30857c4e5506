/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the names of kernel functions tell: which name without compiler suffixes and the ppc64
 * dot, whether it is a lock wrapper, the tracer's own, or the way into or out of an interrupt.
 */
#ifndef DWELL_ANALYZE_SYMBOLS_H
#define DWELL_ANALYZE_SYMBOLS_H

#include "core/names.h"

enum symbol_class {
	SYMBOL_LOCK = 1 << 0,     /* _raw_spin_lock_irqsave, preempt_count_sub, ... */
	SYMBOL_TRACER = 1 << 1,   /* trace_hardirqs_on, probe_wakeup, ... */
	SYMBOL_WAKER = 1 << 2,    /* try_to_wake_up and its helpers */
	SYMBOL_HARDIRQ = 1 << 3,  /* the way into and out of an interrupt: do_IRQ, irq_exit, ... */
	SYMBOL_SOFTIRQ = 1 << 4,  /* __do_softirq, ... */
	SYMBOL_NMI = 1 << 5,      /* do_nmi, ... */
	SYMBOL_WINDOW = 1 << 6,   /* user_trace_start, user_trace_stop */
	SYMBOL_IRQ_EXIT = 1 << 8, /* the way out: what follows it is no new interrupt */
	SYMBOL_SLEEPER = 1 << 9,  /* mutex_lock, down_read, ...: the way to a lock that sleeps */
	SYMBOL_SWITCH = 1 << 7,   /* trace_stop_sched_switched, ...: a wake-up was timed */
};

struct symbol {
	uint32_t id; /* of the folded name, in struct symbols; 0: none */
	uint32_t classes;
};

struct symbols {
	const struct names *names;
	struct intern folded;
	VEC(struct symbol) by_name; /* id UINT32_MAX: not looked up yet */
	VEC(uint32_t) classes;      /* by folded id */
};

void symbols_init(struct symbols *s, const struct names *names);
void symbols_fini(struct symbols *s);

/* The symbol of a name id. */
struct symbol symbols_of(struct symbols *s, uint32_t name);

static inline const char *symbols_text(const struct symbols *s, uint32_t id)
{
	return intern_name(&s->folded, id).p;
}

static inline uint32_t symbols_classes(const struct symbols *s, uint32_t id)
{
	return id < s->classes.n ? s->classes.at[id] : 0;
}

/* ".func.isra.0" to "func": gcc's and clang's clones are the function itself. */
struct str symbol_fold(struct str name);
uint32_t symbol_classify(struct str folded);

#endif
