/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the rules of the single kinds share: who runs on each CPU, what each task waits for. For
 * section*.c alone.
 */
#ifndef DWELL_ANALYZE_SECTION_PARTS_H
#define DWELL_ANALYZE_SECTION_PARTS_H

#include "analyze/lock_tally.h"
#include "analyze/section_store.h"
#include "base/sat.h"

/* A wait for a lock that has begun. */
struct sect_lock {
	struct sect_span span;
	int64_t mode_since;        /* when it began to spin or sleep as it does */
	struct tally_owner before; /* of the lock, as it began */
	uint32_t loss;             /* losses in the trace until then */
	bool open, spinning;
};

/* A lock that a task has or waits for, by lockdep's events. Times are UNKNOWN if not seen. */
struct sect_held {
	int64_t lock;
	int64_t since, wait_since;
	uint32_t name, line, wait_line, site;
	uint32_t loss; /* losses in the trace until then */
	uint16_t cpu;  /* where it began to wait */
	bool read;
	struct tally_owner before;
};

/* The newest last. */
struct sect_holds {
	VEC(struct sect_held);
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
	struct sect_holds holds;
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
	enum context context;  /* of that entry */
	int32_t pid;           /* who ran then, or has been switched to since */
};

/* The key of a wait for a lock that has a name: this, and its id. Else it is the type. */
#define SECT_LOCK_NAMED (UINT64_C(1) << 63)

/* Tasks that are remembered at once; those that have exited make room. */
#define SECT_TASKS_MAX (1u << 17)
#define SECT_CPUS_MAX 8192 /* CONFIG_NR_CPUS of the largest kernels; more is hostile or broken */
#define SECT_NESTING 8
#define SECT_SPINS 4 /* task, softirq, hardirq, NMI */
#define SECT_VECTORS 16

struct sect_cpu {
	uint16_t cpu;
	bool begun, known; /* known: pid is who runs */
	bool absent;       /* events were lost, and none was seen */
	int64_t last;      /* time of its last event */
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
	struct sect_holds holds; /* of the idle task */
	struct sect_off off[2];  /* irqs, preemption */
	/* What a stack dump tells that comes next: a site, or that of a lock by lockdep's events. */
	uint32_t *stack_of;
	struct sect_holds *stack_holds;
	int64_t stack_lock;
	uint32_t stack_skip; /* classes of symbols that are no site */
};

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
	uint32_t loss;   /* losses on any CPU */
	uint32_t absent; /* CPUs of which nothing but a loss was seen so far */

	uint64_t events, tasks_left_out, cpus_left_out;
	uint64_t unordered;      /* events before the one above on their CPU, */
	uint32_t unordered_line; /* and the first of them */
	uint64_t points[POINTS], functions, flagged_irqs, flagged_preempt;
	int64_t first, last;
	bool begun, ticks;
	bool group_ids; /* entries are printed with the thread group's id: who runs is in switches */

	/* Names of the events that say when interrupts and preemption go off and on. */
	VEC(uint8_t) off_event; /* by name id: enum off_event + 1; 0: not looked up */
	bool exact_off[2];

	/* Locks. */
	struct lock_tally tally;
	bool lockdep_waits; /* lockdep's events tell of waits: contention's are the same again */
	uint64_t lock_begins, lock_unmatched, lock_open, lock_dropped;
	VEC(uint8_t) lock_maps; /* by name id: 1 a lock, 2 a map of lockdep's; 0: not looked up */
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
void sect_lockdep(struct sections *s, struct sect_cpu *c, const struct event *e,
		  const struct payload *p);
/* Where the wait is that its event told of last on that CPU. */
void sect_lockdep_site(struct sect_cpu *c, uint32_t site);
/* The trace has ended. */
void sect_lockdep_end(struct sections *s);
void sect_syscall(struct sections *s, struct sect_cpu *c, const struct event *e,
		  const struct payload *p);

/* Events of the CPU were lost: what is open on it ends unknown. */
void sect_irq_lost(struct sections *s, struct sect_cpu *c, enum sect_lost why);
void sect_off_lost(struct sections *s, struct sect_cpu *c, enum sect_lost why);
void sect_lock_lost(struct sections *s, struct sect_cpu *c, enum sect_lost why);
/* What the flags show off at the end of the trace counts: it was off for that long. */
void sect_off_end(struct sections *s, struct sect_cpu *c);
/* A switch on the CPU: what is off stays off. */
void sect_off_switch(struct sect_cpu *c, int32_t to);
/* A switch on the CPU: nobody spins across it. */
void sect_lock_switch(struct sections *s, struct sect_cpu *c);
/* A wait that counts goes into the table of locks. */
void sect_lock_tally(struct sections *s, const struct sect_span *x,
		     const struct tally_owner *before);
/* Forgets the waits that contention's events have begun, as if they had not been seen. */
void sect_lock_forget(struct sections *s);
/* The trace has ended. */
void sect_tasks_end(struct sections *s);

/* The report's parts. */
const char *sect_name(const struct sections *s, enum sect sect, uint64_t key, struct arena *a);
const char *lock_type_name(uint32_t flags);
/* "rwsem read 0xff110000038230e8", "&mm->mmap_lock" */
const char *sect_lock_text(const struct sections *s, uint32_t flags, uint32_t name, int64_t lock,
			   struct arena *a);
const char *task_name(const struct sections *s, uint32_t task, int32_t pid, struct arena *a);
const char *prio_text(int32_t prio, struct arena *a);
const char *seconds_text(int64_t ns, struct arena *a);
void sections_worst_report(struct sections *s, struct report *r);

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

/* An end whose beginning is not there. */
static inline void sect_end_alone(struct sections *s, const struct sect_cpu *c,
				  const struct event *e, enum sect sect)
{
	struct sect_span x = sect_span_at(sect, c, e);
	sect_store_unknown(&s->store, &x, c->epoch ? SECT_AT_LOSS : SECT_AT_BEGIN);
}

/* The key of a handler or a system call: the id of its name, or its number where it has none. */
static inline uint64_t sect_point_key(const struct payload *p)
{
	return p->args.name ? p->args.name : ((uint64_t)p->args.a + 1) << 32;
}

#endif
