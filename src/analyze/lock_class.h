/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table of locks as its analyses look at it: rows with a name that people can tell apart, the
 * figures that the reader knows (means recomputed, never those printed), the sites summed by
 * function, and what the name gives away: that it is no lock, that it was cut, that another row
 * prints the same one. Explaining one table and comparing several both start here.
 *
 * A view borrows its strings and sites from the capture, or takes them over (lock_view_keep).
 */
#ifndef DWELL_ANALYZE_LOCK_CLASS_H
#define DWELL_ANALYZE_LOCK_CLASS_H

#include "core/capture.h"
#include "core/report.h"

enum lock_flag {
	LOCK_MAP = 1 << 0,      /* no lock but a map of lockdep's: nobody waits for it */
	LOCK_CUT = 1 << 1,      /* the name is as long as the kernel prints one, or ends in "..." */
	LOCK_TWIN = 1 << 2,     /* another row prints the same name */
	LOCK_NUMBERED = 1 << 3, /* "#3": the number goes by the order of first use */
	LOCK_BAD_MEAN = 1 << 4, /* a printed mean is not total / count */
	LOCK_BAD_SUM = 1 << 5,  /* negative, or the longest is more than all together */
	LOCK_LOCKREF = 1 << 6,  /* a dentry's lock: lock_stat itself makes it dearer */
	LOCK_DERIVED = 1 << 7,  /* a total is the printed mean times the count */
	LOCK_READ_HALF = 1 << 8, /* its sites are those of the row before, for writers */
	LOCK_TOO_LONG = 1 << 9,  /* a single wait or hold of more than a day */
	LOCK_EVENT = 1 << 10,    /* of a program: no lock, but a condition, a barrier, ... */
};

struct lock_place {
	const char *symbol; /* folded; "(no symbol)" */
	const char *offset; /* "+0xc6/0x710", NULL when several places are summed, or unknown */
	int64_t count;      /* UNKNOWN: not printed */
	unsigned places;    /* summed */
	bool wrapper;       /* takes locks on behalf of its callers: who waits is not told */
};

struct lock_places {
	struct lock_place *at; /* the most frequent first */
	size_t n;
	int64_t sum;
	bool counted;  /* any of them has a count */
	size_t listed; /* before summing: lock_stat keeps four */
};

struct lock_class {
	const char *name; /* with -R or -W, or the caller and the type in a table without names */
	const char *base; /* without -R, -W */
	char rw;          /* 'R', 'W' or 0 */
	unsigned ordinal; /* among the rows of this name, from 1 */
	uint32_t flags, line;
	int64_t n[LOCK_COLUMNS]; /* UNKNOWN where absent; times in ns */
	enum value_how how[LOCK_COLUMNS];
	const struct lock_sites *waiting, *holding;
	const char *type;                   /* of a program's lock: "mutex", ...; NULL */
	const struct lock_waits_for *pairs; /* NULL: not known who waited for whom */
	int64_t pair_wait;                  /* of all its pairs, ns */
	int64_t seen, wait_low, wait_high;  /* as in struct lock_row */
	const struct lock_stacks *stacks;   /* of waits; empty unless they were asked for */
	int64_t failed, unmeasured_waits, instances, spin_ns; /* as in struct lock_row */
	int64_t sited; /* what the sites are shares of: contentions, of writers and readers both */
	enum value_how sited_how;
};

struct lock_view {
	struct arena arena;
	const char *label, *source;       /* label NULL: the text has none */
	bool lock_stat;                   /* the columns mean what the kernel's mean */
	bool events;                      /* they are sums of a trace's events */
	const struct lock_run_facts *run; /* a program's own locks; NULL: the kernel's */
	bool whole;  /* it begins with its version: not an excerpt, as far as one sees */
	bool frozen; /* lockdep was off, the counters stood still */
	uint32_t first_line, last_line;
	int64_t bad, total, mended, left_out, span_ns; /* as in struct locktab */
	uint64_t damaged;
	VEC(struct lock_class) classes;
	struct locktab kept; /* of lock_view_keep */
	size_t maps;         /* of the classes: no locks */
};

/* Lives no longer than the capture. */
void lock_view_init(struct lock_view *v, const struct capture *c);
void lock_view_fini(struct lock_view *v);

/* Takes over what the view needs: the capture may go, its table is empty. */
void lock_view_keep(struct lock_view *v, struct capture *c);

/* The row that has the sites: the writers' half for readers. */
static inline const struct lock_class *lock_sited(const struct lock_class *c)
{
	return c->flags & LOCK_READ_HALF ? c - 1 : c;
}

/*
 * What rows must share to be one class; in the arena a. Of a program a variable may hold a mutex and
 * a condition, which without debugging information have one name: the type of the latter, which is
 * no lock, is part of it.
 */
const char *lock_class_key(struct arena *a, const struct lock_class *c, const char *name);

/* The sites by function; in the arena a. */
struct lock_places lock_places_of(struct arena *a, const struct lock_sites *s);

/* A class's name is split as lockdep prints it: "&x->lock", "#2", "/1". */
struct lock_name {
	struct str base, number, subclass; /* with their marks; empty: none */
};
struct lock_name lock_name_split(struct str name);

bool lock_name_is_map(struct str name);
bool lock_site_is_wrapper(struct str symbol);

/* '*' stands for any text and '?' for one letter; brackets, of which names are full, for themselves. */
bool lock_name_matches(const char *name, const char *pattern);

/* No lock: a map of lockdep's, or an event that a program waits for. */
static inline bool lock_is_map(const struct lock_class *c)
{
	return (c->flags & (LOCK_MAP | LOCK_EVENT)) != 0;
}

/* How a figure is known that follows from these two, which may be the same. */
static inline enum value_how lock_how(const struct lock_class *c, enum lock_column a,
				      enum lock_column b)
{
	return how_both(c->how[a], c->how[b]);
}

/* Does the name say more than the one that others share: a pid, an address? */
static inline bool lock_is_told_apart(const struct lock_class *c)
{
	return !c->rw && c->name != c->base;
}

/* The sum of two counts of which either may be UNKNOWN, which then does not count. */
int64_t lock_sum(int64_t a, int64_t b);

/* Contentions that the sites do not account for, or UNKNOWN; negative: sites count waits that failed
 * or took no time, too. */
int64_t lock_without_site(const struct lock_class *c, const struct lock_places *p);

#endif
