/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where finished sections go: filters, distributions by kind and by name, the worst of each kind
 * with the events around them, and the counts of those whose length is not known. Knows no rule
 * by which a section begins or ends.
 */
#ifndef DWELL_ANALYZE_SECTION_STORE_H
#define DWELL_ANALYZE_SECTION_STORE_H

#include "analyze/section.h"
#include "stat/histogram.h"

#define SECT_NO_PRIO INT32_MIN

#define SECT_MOVES 4 /* migrations of one wait that are remembered */

/* One section. A field that its kind does not have is 0. */
struct sect_span {
	enum sect sect;
	uint64_t key; /* what it is of: see sect_name */
	int64_t start, end;
	uint32_t first_line, last_line;
	uint32_t task; /* task id: who waits or calls; who is interrupted */
	int32_t pid, prio;
	uint16_t from_cpu, cpu; /* where it begins (a wake-up: is to run) and ends */

	/* Wake-ups and softirq waits: who did it. Locks: the caller. */
	uint32_t by, site; /* task id; symbol, 0: not shown */
	enum context context;
	uint16_t by_cpu;
	bool from_waking; /* from sched_waking, not from sched_wakeup */
	uint32_t migrations;
	struct sect_move {
		int64_t time;
		uint16_t cpu; /* where it went */
	} moves[SECT_MOVES];  /* the first of them */
	int64_t wakeup;       /* time of sched_wakeup; UNKNOWN: none seen */

	int64_t lock, spin_ns, sleep_ns, ret;
	uint32_t flags; /* enum lock_wait_flag */
	uint32_t name;  /* of the lock, its class or variable; 0: not told */
};

/* An event of the recent past: a change of who runs or waits, or all events up to the next. */
struct sect_note {
	uint64_t seq; /* its place among all events */
	int64_t time;
	uint32_t line, task, what, name;
	uint32_t next_task; /* a switch: who comes; a wake-up: who is woken; 0: not said */
	int32_t pid, next_pid, prev_prio, next_prio;
	uint32_t entries, irqs_off, preempt_off; /* that can tell, and of these those with it off */
	uint16_t cpu;
	int16_t next_cpu;
	uint8_t point, context; /* enum point, enum context by the flags */
	char state;             /* of whom a switch takes off */
	bool resched;           /* need-resched was set */
};

#define SECT_RING 2048 /* notes of a CPU that are remembered */

struct sect_ring {
	uint64_t n; /* written so far */
	struct sect_note at[SECT_RING];
};

/* Who runs from here on, of a CPU: fewer than notes, so that they reach back further. */
struct sect_slice {
	int64_t start;
	uint32_t task, line;
	int32_t pid, prio;
	int32_t prev_prio; /* of whom it took off */
	uint16_t cpu;
};

#define SECT_SLICES 8192

struct sect_slices {
	uint64_t n; /* written so far */
	struct sect_slice at[SECT_SLICES];
};

/* The notes of a bad section that are kept: so many from its head and from its tail. */
#define SECT_HEAD 256
#define SECT_TAIL 768

struct sect_worst {
	struct sect_span span;
	VEC(struct sect_note) notes; /* in their order, the last one before it included */
	size_t omitted, head;        /* events left out behind notes[head - 1] */
	bool beheaded;               /* its first events were no longer remembered */
	/* Of a wait of which not all notes are here: who ran on its CPUs, from the last switch
	 * before it on, as far back as is remembered; by CPU, then in their order. */
	VEC(struct sect_slice) slices;
};

struct sect_cell {
	enum sect sect;
	uint64_t key;
	struct histogram times;
	uint64_t over; /* the threshold */
};

enum sect_lost { SECT_AT_BEGIN, SECT_AT_END, SECT_AT_LOSS, SECT_UNKNOWN_REASONS };

struct sect_later {
	struct sect_span span;
	enum sect_lost lost; /* SECT_UNKNOWN_REASONS: its length is known */
};

struct sect_store {
	const struct section_options *options;
	const struct names *names;
	VEC(struct sect_cell) cells;
	uint32_t *slots; /* cell + 1; 0: empty */
	uint32_t mask;
	uint32_t of[SECTS]; /* cell + 1 of those that do not fit */

	struct histogram from_wakeup;  /* those wake-ups again, from sched_wakeup */
	uint64_t wakeups, from_waking; /* how many, and how many were timed from sched_waking */
	uint64_t unknown[SECTS][SECT_UNKNOWN_REASONS];
	uint64_t processless; /* left out: of tasks whose process was not known */
	uint64_t backwards;   /* ended before they began: clocks that differ */

	VEC(struct sect_worst) worst[SECTS];
	VEC(struct sect_ring *) rings;    /* by CPU; NULL: none yet */
	VEC(struct sect_slices *) slices; /* likewise */
	VEC(struct sect_note) scratch;

	/* Sections of tasks whose process was not shown yet, if one process alone is asked for. */
	VEC(struct sect_later) later;
	size_t since_settled; /* sections since it was looked for them last */
};

#define SECT_LATER_MAX 1024

/* Told by what its task did, not by who ran on a CPU. */
static inline bool sect_is_of_task(enum sect s)
{
	return s == SECT_LOCK || s == SECT_LOCK_HOLD || s == SECT_SYSCALL;
}

void sect_store_init(struct sect_store *st, const struct section_options *o,
		     const struct names *names);
void sect_store_fini(struct sect_store *st);

/* The place for a CPU's next note; NULL: so many CPUs are not remembered. */
struct sect_note *sect_note_next(struct sect_store *st, uint16_t cpu);
/* The note before it; NULL: none. */
struct sect_note *sect_note_last(struct sect_store *st, uint16_t cpu);

/* A switch. */
void sect_slice_add(struct sect_store *st, const struct sect_slice *slice);

/* A section has ended. True if it counts. */
bool sect_store_add(struct sect_store *st, const struct sect_span *x);

/* A section's length is not known: of what is known, its beginning or else its end, in x->start. */
void sect_store_unknown(struct sect_store *st, const struct sect_span *x, enum sect_lost why);

/* The input is at its end. */
void sect_store_finish(struct sect_store *st);

/* All of a kind together; the caller ends it. */
void sect_store_sum(const struct sect_store *st, enum sect s, struct histogram *sum,
		    uint64_t *over);

#endif
