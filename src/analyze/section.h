/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sections of a whole trace: wake-ups, waits for a CPU, handlers, waits for locks, system
 * calls, times with interrupts or preemption off. Each begins with one event and ends with
 * another; one pass finds them, keeps their distributions and the worst of each kind with what
 * happened meanwhile.
 *
 * What was under way when a CPU's ring begins, when the trace ends or when events were lost has
 * no length that is known: it is counted, and stays out of the distributions.
 *
 * A sect is one of these kinds. (enum section_kind is what the latency tracers time, struct
 * section a part of a report.)
 */
#ifndef DWELL_ANALYZE_SECTION_H
#define DWELL_ANALYZE_SECTION_H

#include "analyze/symbols.h"
#include "core/capture.h"
#include "core/report.h"
#include "core/source.h"

enum sect {
	SECT_WAKEUP,       /* from the wake-up to the switch */
	SECT_RUNQ,         /* switched out while runnable, to the next switch in */
	SECT_IRQS_OFF,     /* by irq_disable and irq_enable, else by the flags of functions */
	SECT_PREEMPT_OFF,  /* likewise */
	SECT_LOCK,         /* contention_begin to contention_end, lock_contended to lock_acquired */
	SECT_LOCK_HOLD,    /* lock_acquire, if it waited lock_acquired, to lock_release */
	SECT_SOFTIRQ_WAIT, /* from the first raise to the entry */
	SECT_HARDIRQ,      /* a handler, what interrupts it included */
	SECT_SOFTIRQ,      /* likewise */
	SECT_SYSCALL,      /* enter to exit, asleep or not */
	SECTS,
};

#define SECT_BIT(s) (1u << (s))
#define SECT_ALL (SECT_BIT(SECTS) - 1)

struct section_options {
	uint32_t sects;       /* SECT_BIT()s that are wanted; 0: all */
	const char *task;     /* a pid, or a pattern of comms; NULL: all */
	int64_t tgid;         /* the process of the task; 0: all */
	int64_t cpu;          /* where a section ends; UNKNOWN: all */
	int64_t from, to;     /* sections that begin and end in it, ns; UNKNOWN: no limit */
	int64_t worst;        /* that are explained of each kind; UNKNOWN: one of three kinds */
	int64_t threshold_ns; /* count those above, explain no others; UNKNOWN: none */
	int64_t top;          /* rows of a table in text */
};

#define SECTION_OPTIONS_NONE                                                                       \
	{                                                                                          \
		.cpu = UNKNOWN, .from = UNKNOWN, .to = UNKNOWN, .worst = UNKNOWN,                  \
		.threshold_ns = UNKNOWN, .top = 8,                                                 \
	}
#define SECTION_WORST_MAX 100

struct sections;

struct sections *sections_new(const struct section_options *o, struct symbols *symbols);
void sections_free(struct sections *s);
struct sink *sections_sink(struct sections *s);

/* Is there anything to report? */
bool sections_saw_any(const struct sections *s);

/*
 * After the source has ended: the table of locks out of its events becomes c->locks, in the
 * capture's arena. Left as it is where no event tells of a lock.
 */
void sections_locktab(struct sections *s, struct capture *c);

/* Reads the source to its end, for the sink `also` too, for that table alone. 0 or -errno. */
int trace_locktab(struct capture *c, struct source *s, struct sink *also,
		  struct err *err) must_check;

/* After the source has ended: the locks that were waited for one by one, by their address. */
void sections_locks_report(const struct sections *s, struct report *r);

/* After the source has ended. Adds the table and the worst sections. */
void sections_report(struct sections *s, struct report *r);

/* "softirq-wait", as --kind names it; "softirq_wait", as JSON does; and as people do. */
const char *sect_key(enum sect s);
const char *sect_fact(enum sect s);
const char *sect_title(enum sect s);

/* "wakeup,lock" to bits; a sentence about the first word that names none. */
int sect_parse(const char *list, uint32_t *sects, struct err *err) must_check;

#endif
