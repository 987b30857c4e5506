/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table of locks: what /proc/lock_stat, perf lock, klockstat and our own recorders say of each
 * class, with as many sites as were seen. Every column of every row says how it is known; an
 * unknown is never 0.
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

enum lock_known { LOCK_ABSENT, LOCK_EXACT, LOCK_SAMPLED, LOCK_ESTIMATED };

struct lock_value {
	int64_t n; /* a count, or a time in ns; meaningless if absent */
	enum lock_known known;
};

/* A site that waits (contention point) or that held the lock waited for (contending point). */
struct lock_site {
	const char *symbol;  /* bare; NULL: an address without a symbol */
	const char *suffix;  /* "+0x1d/0x90 [module]" as printed; NULL: none */
	const char *address; /* as printed, often hashed: never a key; NULL: none */
	int64_t count;
};

struct lock_row {
	const char *name; /* without -R or -W */
	char rw;          /* 'R', 'W', or 0: not told apart */
	uint32_t line;
	struct lock_value value[LOCK_COLUMNS];
	VEC(struct lock_site) waiting, holding; /* of both rows of an R/W pair: on the first */
	/* What perf lock and klockstat say besides; NULL or UNKNOWN when not printed. */
	const char *type, *caller, *comm, *symbol, *address;
	int64_t pid;
};

struct locktab {
	const char *version;   /* "0.4"; NULL: not printed */
	const char *source;    /* "lock_stat", "contention", "report", "klockstat", ...: static */
	int64_t columns;       /* numbers in a row of lock_stat: 10 or 12; UNKNOWN elsewhere */
	bool lockdep_disabled; /* the warning line was there: counters froze */
	int64_t bad, total;    /* perf lock: unpaired events; UNKNOWN: not printed */
	int64_t bad_rate_ppm;  /* as printed, in millionths; UNKNOWN */
	VEC(struct lock_row) rows; /* strings are the capture's arena's */
};

void locktab_fini(struct locktab *t);

/* Is the column a time (ns), rather than a count? */
bool lock_column_is_time(enum lock_column c);
/* "con_bounces", "wait_min", ...: as in the digest of `convert --to json`. */
const char *lock_column_key(enum lock_column c);

static inline bool lock_known(const struct lock_row *r, enum lock_column c)
{
	return r->value[c].known != LOCK_ABSENT;
}

#endif
