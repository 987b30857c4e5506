/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the rules of the single kinds share: who runs on each CPU, what each task waits for. For
 * section*.c alone.
 */
#ifndef DWELL_ANALYZE_SECTION_PARTS_H
#define DWELL_ANALYZE_SECTION_PARTS_H

#include "analyze/section_store.h"
#include "base/sat.h"

/* What a lock is waited for with: contention_begin's flags (include/trace/events/lock.h). */
enum lock_wait_flag {
	LOCK_WAIT_SPIN = 1,
	LOCK_WAIT_READ = 2,
	LOCK_WAIT_WRITE = 4,
	LOCK_WAIT_RT = 8,
	LOCK_WAIT_PERCPU = 0x10,
	LOCK_WAIT_MUTEX = 0x20,
};

/* A wait for a lock that has begun. */
struct sect_lock {
	struct sect_span span;
	int64_t mode_since; /* when it began to spin or sleep as it does */
	uint32_t loss;      /* losses in the trace until then */
	bool open, spinning;
};

enum sect_wait {
	WAIT_NONE,
	WAIT_ARMED,  /* woken while it still ran: in time or on its way off the CPU */
	WAIT_WAKEUP, /* woken, not yet switched in */
	WAIT_RUNQ,   /* switched out while runnable */
};

struct sect_task {
	int32_t pid, prio;
	uint32_t task;          /* its last name; 0: none seen */
	int32_t cpu;            /* where it was last seen to run; -1: switched out, or not seen */
	bool scheduled, called; /* a switch, a system call of it has been seen */
	bool dead;

	enum sect_wait wait;
	bool doubted;         /* its end may have been missed already, */
	enum sect_lost doubt; /* and why */
	uint32_t epoch, loss; /* of span.cpu and of the trace when the wait began */
	struct sect_span span;

	struct sect_lock lock; /* that it sleeps for */
	struct sect_span call; /* system call */
	uint32_t call_loss;    /* losses in the trace until it began */
	bool call_open;
};

/* A handler that runs. */
struct sect_handler {
	int64_t number;
	struct sect_span span;
};

struct sect_off {
	bool open;
	struct sect_span span; /* end: of the last entry that showed it off */
};

#define SECT_CPUS_MAX 8192 /* CONFIG_NR_CPUS of the largest kernels; more is hostile or broken */
#define SECT_NESTING 8
#define SECT_SPINS 4 /* task, softirq, hardirq, NMI */
#define SECT_VECTORS 16

struct sect_cpu {
	uint16_t cpu;
	bool begun, known; /* known: pid is who runs */
	uint32_t epoch;    /* how often events were lost here */
	int32_t pid;
	uint32_t task;
	int32_t leaving; /* whom a switch takes off, until another runs; -1: nobody */

	struct sect_handler handlers[SECT_NESTING];
	unsigned n_handlers;
	struct sect_span raised[SECT_VECTORS];
	uint32_t raised_bits, entered_bits; /* raised now; ever entered or raised */
	struct sect_lock spins[SECT_SPINS];
	unsigned n_spins;
	struct sect_off off[2]; /* irqs, preemption */
	uint32_t *stack_of;     /* the site that a stack dump which comes next tells */
	uint32_t stack_skip;    /* classes of symbols that are no site */
};

/* How often a lock was waited for, and how long. */
struct sect_lock_row {
	int64_t lock;
	uint32_t flags, site, max_task;
	uint64_t waits, failed;
	int64_t min, max, total, spin, sleep;
	uint32_t max_line;
};

#define SECT_LOCKS_MAX 65536

struct sections {
	struct sink sink;
	struct section_options options;
	struct symbols *symbols;
	const struct names *names;
	struct sect_store store;

	VEC(struct sect_cpu *) cpus;
	VEC(struct sect_task *) tasks; /* in their slots' order of arrival */
	uint32_t *task_slots;          /* task + 1; 0: empty */
	uint32_t task_mask;
	uint32_t loss; /* losses on any CPU */

	uint64_t events, losses, tasks_left_out, cpus_left_out;
	uint64_t points[POINTS], functions, flagged_irqs, flagged_preempt;
	int64_t first, last;
	bool begun, ticks;
	bool group_ids; /* entries are printed with the thread group's id: who runs is in switches */

	/* Names of the events that say when interrupts and preemption go off and on. */
	VEC(uint8_t) off_event; /* by name id: enum off_event + 1; 0: not looked up */
	bool exact_off[2];

	/* Waits for locks. */
	VEC(struct sect_lock_row) locks;
	uint32_t *lock_slots, lock_mask;
	uint64_t lock_unmatched, lock_open, lock_modes, lock_dropped, locks_left_out;
	uint64_t lock_spins, lock_sleeps;
};

/* Has any event been seen that begins or ends a section, or tells who runs? */
bool sections_saw_points(const struct sections *s);

/* section_state.c */
struct sect_cpu *sections_cpu(struct sections *s, uint16_t cpu);
/* As it is known already; NULL: it is not. */
const struct sect_task *sections_find_task(const struct sections *s, int32_t pid);
/* NULL for the idle task, for no pid, and beyond the cap. Valid until the trace ends. */
struct sect_task *sections_task(struct sections *s, int32_t pid);
bool sect_task_runs(const struct sections *s, const struct sect_task *t);
void sections_state_fini(struct sections *s);

/* The rules, one file each. They hear of every event of their points, after section_state. */
void sect_sched(struct sections *s, struct sect_cpu *c, const struct event *e,
		const struct payload *p, enum point point);
/* It runs, and no switch has told so. */
void sect_sched_runs(struct sections *s, struct sect_task *t);
void sect_irq(struct sections *s, struct sect_cpu *c, const struct event *e,
	      const struct payload *p);
void sect_off(struct sections *s, struct sect_cpu *c, const struct event *e);
void sect_lock(struct sections *s, struct sect_cpu *c, const struct event *e,
	       const struct payload *p);
void sect_syscall(struct sections *s, struct sect_cpu *c, const struct event *e,
		  const struct payload *p);

/* Events of the CPU were lost: what is open on it ends unknown. */
void sect_irq_lost(struct sections *s, struct sect_cpu *c, enum sect_lost why);
void sect_off_lost(struct sections *s, struct sect_cpu *c, enum sect_lost why);
void sect_lock_lost(struct sections *s, struct sect_cpu *c, enum sect_lost why);
/* What the flags show off at the end of the trace counts: it was off for that long. */
void sect_off_end(struct sections *s, struct sect_cpu *c);
/* A switch on the CPU: nobody spins across it. */
void sect_lock_switch(struct sections *s, struct sect_cpu *c);
/* The trace has ended. */
void sect_tasks_end(struct sections *s);

/* The report's parts. */
const char *sect_name(const struct sections *s, enum sect sect, uint64_t key, struct arena *a);
const char *lock_type_name(uint32_t flags);
const char *lock_address_text(int64_t lock, struct arena *a);
const char *task_name(const struct sections *s, uint32_t task, int32_t pid, struct arena *a);
const char *prio_text(int32_t prio, struct arena *a);
const char *seconds_text(int64_t ns, struct arena *a);
void sections_worst_report(struct sections *s, struct report *r);
void sections_locks_report(struct sections *s, struct report *r);

/* A section of the CPU that begins at the event. */
static inline struct sect_span sect_span_at(enum sect sect, const struct sect_cpu *c,
					    const struct event *e)
{
	return (struct sect_span){
		.sect = sect,
		.start = e->time,
		.first_line = e->line,
		.last_line = e->line,
		.task = e->task,
		.pid = c->pid,
		.prio = SECT_NO_PRIO,
		.cpu = c->cpu,
		.from_cpu = c->cpu,
		.by = e->task,
		.by_cpu = c->cpu,
		.context = event_context(e),
		.wakeup = UNKNOWN,
	};
}

static inline void sect_span_end(struct sections *s, struct sect_span *x, const struct event *e)
{
	x->end = e->time;
	x->last_line = e->line;
	sect_store_add(&s->store, x);
}

#endif
