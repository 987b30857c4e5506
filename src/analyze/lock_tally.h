/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of locks out of a trace's events (core/locktab.h): waits that contention_begin and
 * contention_end time, and acquisitions and holds where lockdep's events were traced. Knows
 * nothing of how begins find their ends: see section_lock.c and section_lockdep.c.
 *
 * A lock's class is its name where the events give one; else its type and where it is waited for.
 * Its address, often hashed, tells it from the others of this trace and is no key beyond it.
 */
#ifndef DWELL_ANALYZE_LOCK_TALLY_H
#define DWELL_ANALYZE_LOCK_TALLY_H

#include "analyze/symbols.h"
#include "core/locktab.h"

/* What a lock is waited for with: contention_begin's flags (include/trace/events/lock.h). */
enum lock_wait_flag {
	LOCK_WAIT_SPIN = 1,
	LOCK_WAIT_READ = 2,
	LOCK_WAIT_WRITE = 4,
	LOCK_WAIT_RT = 8,
	LOCK_WAIT_PERCPU = 0x10,
	LOCK_WAIT_MUTEX = 0x20,
	LOCK_WAIT_LOCKDEP = 0x100, /* none of them: lockdep's events do not tell the type */
};

/* Kept apart of one trace; what goes beyond is counted. */
#define LOCK_TALLY_CLASSES 16384
#define LOCK_TALLY_LOCKS (1u << 18)
#define LOCK_TALLY_SITES 64 /* of one class */

struct tally_sites {
	VEC(struct tally_site {
		uint32_t site; /* symbol */
		uint64_t n;
	});
	uint64_t others; /* beyond LOCK_TALLY_SITES */
};

struct tally_sum {
	uint64_t n;
	int64_t min, max, total; /* ns */
};

struct tally_class {
	uint32_t type;       /* enum lock_wait_flag */
	uint32_t name, site; /* name id and symbol; 0: not told */
	struct tally_sum waits, holds;
	int64_t spin_ns; /* of the waits */
	uint64_t failed, con_bounces, acq_bounces;
	struct tally_sites waiting, holding;
	uint32_t locks, max_line;
	int64_t lock; /* the first of them */
};

/* One lock. */
struct tally_lock {
	int64_t address;
	uint32_t type, name;
	bool had; /* somebody has been seen to get it: on this CPU, in this place */
	uint16_t cpu;
	uint32_t site;
	struct tally_sum waits;
	int64_t spin_ns;
	uint32_t max_line;
};

/* An open hash table of entries kept elsewhere. */
struct tally_index {
	uint32_t *slots; /* entry + 1; 0: empty */
	uint32_t mask;
};

struct lock_tally {
	const struct names *names;
	const struct symbols *symbols;
	VEC(struct tally_class) classes;
	VEC(struct tally_lock) locks;
	VEC(uint64_t) members; /* class and lock: which lock is of which class */
	struct tally_index class_index, lock_index, member_index;
	uint64_t classes_left_out, locks_left_out; /* events of them */
};

void lock_tally_init(struct lock_tally *t, const struct names *names,
		     const struct symbols *symbols);
void lock_tally_fini(struct lock_tally *t);

/* Who got the lock last, as far as its events tell. */
struct tally_owner {
	bool known;
	uint16_t cpu;
	uint32_t site; /* symbol; 0: not told */
};

/* A wait that has ended. */
struct tally_wait {
	uint32_t type, name, site;
	int64_t lock; /* address; UNKNOWN: not told */
	int64_t ns, spin_ns;
	uint16_t cpu;              /* where it began */
	struct tally_owner before; /* as it began */
	bool failed;
	uint32_t line;
};

struct tally_owner lock_tally_owner(const struct lock_tally *t, int64_t lock);
void lock_tally_wait(struct lock_tally *t, const struct tally_wait *w);

/* It has the lock now, having waited or not. */
struct tally_got {
	uint32_t type, name, site;
	int64_t lock;
	uint16_t cpu;
};

/* bounces: that it came from another CPU than the one before counts as a bounce. */
void lock_tally_got(struct lock_tally *t, const struct tally_got *g, bool bounces);

/* A hold that has ended. */
void lock_tally_hold(struct lock_tally *t, uint32_t type, uint32_t name, int64_t lock, int64_t ns);

/* What the trace has besides waits: all that its lockdep events tell, or a part of it. */
struct tally_known {
	enum lock_known waits, acquisitions, holds, bounces; /* of classes that lockdep names */
};

/* The table, in the arena, to be ended by locktab_fini; NULL: there are no locks. */
struct locktab *lock_tally_table(const struct lock_tally *t, const struct tally_known *known,
				 struct arena *a);

/* "rwsem:R", "spinlock", ...: as perf lock contention prints it; NULL: not told. */
const char *lock_tally_type(uint32_t flags);

#endif
