/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table of locks: what /proc/lock_stat, perf lock, klockstat and our own recorders say of each
 * class, with as many sites as were seen. Every column of every row says how it is known; an
 * unknown is never 0.
 *
 * Strings belong to the arena of the capture.
 */
#ifndef DWELL_CORE_LOCKTAB_H
#define DWELL_CORE_LOCKTAB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"

enum lock_column {
	LOCK_CON_BOUNCES,
	LOCK_CONTENTIONS,
	LOCK_WAIT_MIN,
	LOCK_WAIT_MAX,
	LOCK_WAIT_TOTAL,
	LOCK_WAIT_AVG,
	LOCK_ACQ_BOUNCES,
	LOCK_ACQUISITIONS,
	LOCK_HOLD_MIN,
	LOCK_HOLD_MAX,
	LOCK_HOLD_TOTAL,
	LOCK_HOLD_AVG,
	LOCK_COLUMNS,
};

enum lock_known { LOCK_ABSENT, LOCK_EXACT, LOCK_SAMPLED, LOCK_ESTIMATED, LOCK_KNOWN };

struct lock_value {
	int64_t n; /* a count, or a time in ns; meaningless if absent */
	enum lock_known known;
};

/*
 * A site that waits (contention point), that held the lock waited for (contending point), or a
 * frame of a stack.
 */
struct lock_site {
	const char *symbol;  /* bare; NULL: an address without a symbol */
	const char *suffix;  /* "+0x1d/0x90 [module]" as printed; NULL: none */
	const char *address; /* as printed, often hashed: never a key; NULL: none */
	int64_t count;       /* UNKNOWN: not printed, or a frame */
};

struct lock_sites { /* as VEC(struct lock_site), with a name */
	struct lock_site *at;
	size_t n, room;
};

/* Who waited for whom: the site that waited, with how often, and the one that had the lock. */
struct lock_waited_for {
	struct lock_site waiting, holding; /* the count is waiting's */
	int64_t wait_ns;
};

struct lock_waits_for {
	struct lock_waited_for *at;
	size_t n, room;
};

/* The calls that led to waits. */
struct lock_stack {
	const struct lock_site *frames; /* outwards from the waiting site; the arena's */
	uint32_t n;
	bool cut; /* there were more frames */
	int64_t waits, wait_ns;
};

struct lock_stacks {
	struct lock_stack *at;
	size_t n, room;
};

#define LOCK_STACK_FRAMES 128 /* inlined ones too */

struct lock_row {
	const char *name; /* without -R or -W; NULL: not printed */
	char rw;          /* 'R', 'W', or 0: not told apart */
	uint32_t line;
	struct lock_value value[LOCK_COLUMNS];
	struct lock_sites waiting, holding; /* of both rows of an R/W pair: on the first */
	/* What perf lock and klockstat say besides; NULL or UNKNOWN when not printed. */
	const char *type, *caller, *comm, *symbol, *address, *cgroup;
	int64_t pid;
	const char *max_comm; /* whose the longest wait or hold was */
	int64_t max_pid;
	struct lock_sites stack; /* outwards from the caller */
	/* What only dwell record locks and a trace's events know; UNKNOWN elsewhere. */
	struct lock_waits_for pairs; /* of both rows of an R/W pair: on the first */
	struct lock_stacks stacks;   /* likewise */
	int64_t failed;              /* waits that did not end in having it: in no column */
	int64_t instances;           /* locks in this class */
	int64_t spin_ns;             /* of the total wait, spent spinning: a mutex does both */
	int64_t unmeasured_waits; /* taken anew by pthread_cond_wait: whether they waited is unseen */
	/* Of a running program that was looked at: threads seen waiting, and LOCK_WAIT_TOTAL's 95 %. */
	int64_t seen, wait_low_ns, wait_high_ns;
};

/* The run of a program whose locks were counted. */
struct lock_run_facts {
	const char *command;
	int64_t ns, cpu_ns, processes, still_running;
	int64_t locks_lost; /* acquisitions and waits for which the table had no room */
	int64_t pairs_lost;
	int64_t processes_lost; /* forked, but not counted: they could not make a file */
	int64_t ended_unseen;   /* processes ended by a signal, or become what is not counted */
	int64_t files_lost;  /* mappings for which it had no room: their addresses have no names */
	int64_t stacks_lost; /* waits without the stack that was asked for; UNKNOWN: none was */
	/* A running program was looked at so often; UNKNOWN: it was counted. */
	int64_t looks;
	int64_t looks_lost;   /* threads seen waiting for a futex for which there was no room */
	int64_t looks_cpu_ns; /* what looking cost, on another CPU or this */
	int64_t pid;          /* if it is one process */
};

/* Rows and sites of one table that are kept; an input with more is hostile or broken. */
#define LOCKTAB_ROWS_MAX (1u << 20)
#define LOCK_SITES_MAX (1u << 12)

struct locktab {
	const char *version;   /* "0.4"; NULL: not printed */
	const char *source;    /* "lock_stat", "contention", "report", "klockstat", ... */
	int64_t columns;       /* numbers in a row of lock_stat: 10 or 12; UNKNOWN elsewhere */
	bool lockdep_disabled; /* the warning line was there: counters froze */
	/* Averages that overflowed in the kernel (a7ef9b28aa8d) and were computed anew. */
	int64_t averages_mended;
	int64_t bad, total; /* perf lock, events: those without a partner, of all; UNKNOWN */
	int64_t span_ns;    /* events: from the first to the last of the trace; UNKNOWN */
	int64_t left_out;   /* events: those of locks or classes beyond what is kept */
	int64_t bad_rate;   /* as printed, in millionths of a percent; UNKNOWN */
	struct lock_run_facts *run; /* source LOCKTAB_PROGRAM; NULL elsewhere */
	VEC(struct lock_row) rows;
};

/* The source of tables of dwell record locks. */
#define LOCKTAB_PROGRAM "program"
#define LOCKTAB_PROGRAM_MARK "# locks of a program" /* a line of its text as lock_stat */
bool locktab_is_program(const struct locktab *t);

/* The source of tables out of a trace's events. */
#define LOCKTAB_EVENTS "events"
bool locktab_is_events(const struct locktab *t);

/* An empty table in the arena of its capture; what else it holds is freed by locktab_fini. */
/* Of a run of which nothing is known yet. */
struct lock_run_facts *lock_run_facts_new(struct arena *a, const char *command);

/* All but the command, in an order, with the names that they have in JSON. */
enum { LOCK_RUN_FACTS = 14 };
const char *lock_run_fact_key(unsigned i);
int64_t *lock_run_fact(struct lock_run_facts *f, unsigned i);
bool lock_run_fact_is_any(unsigned i); /* null where it is not known; the others are left out */

struct locktab *locktab_new(struct arena *a, const char *source);
void locktab_fini(struct locktab *t);

/* A row of which nothing is known. */
struct lock_row lock_row_none(void);
/* One in the table; valid until the next. NULL: the table is full. */
struct lock_row *locktab_row(struct locktab *t, uint32_t line);
/* Is it of a program that was looked at (dwell record locks --attach)? */
bool locktab_is_sampled(const struct locktab *t);

/* False: there are too many already. */
bool lock_sites_add(struct lock_sites *s, struct lock_site site);
void lock_sites_sort(struct lock_sites *s); /* the most frequent first */
bool lock_waits_for_add(struct lock_waits_for *s, struct lock_waited_for pair);
bool lock_stacks_add(struct lock_stacks *s, struct lock_stack stack);

/* Is it no lock, but something that happens (cond, barrier, sem, futex), by its type? */
bool lock_row_is_event(const struct lock_row *r);

/* Has it the columns of lock_stat, rather than those of perf lock and klockstat? */
bool locktab_is_lock_stat(const struct locktab *t);

/* Is the column a time (ns), rather than a count? */
bool lock_column_is_time(enum lock_column c);
/* "con_bounces", "wait_min", ...: as in the digest of `convert --to json`. */
const char *lock_column_key(enum lock_column c);
/* What lock_stat calls it: "con-bounces", "waittime-min", ... */
const char *lock_column_title(enum lock_column c);
/* Its key in a row of this table; times have their unit in it unless they are us. NULL: none. */
const char *lock_column_row_key(const struct locktab *t, enum lock_column c);

/* "sampled", "estimated", ... */
const char *lock_known_name(enum lock_known k);

/* The strings of a row that perf lock and klockstat print, by their keys in JSON. */
enum { LOCK_TEXTS = 8 };
const char *lock_text_key(unsigned i);
const char *lock_text(const struct lock_row *r, unsigned i);
void lock_text_set(struct lock_row *r, unsigned i, const char *text);

static inline bool lock_known(const struct lock_row *r, enum lock_column c)
{
	return r->value[c].known != LOCK_ABSENT;
}

static inline void lock_set(struct lock_row *r, enum lock_column c, int64_t n)
{
	r->value[c] = (struct lock_value){ n, LOCK_EXACT };
}

#endif
