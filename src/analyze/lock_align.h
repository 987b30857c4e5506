/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The classes of several tables laid side by side: the runs of a base and those of something new,
 * maybe of another kernel. Renamed classes are one (lock_alias.h). Rows that print the same name
 * in one table are not aligned at all: which of them is which cannot be told.
 */
#ifndef DWELL_ANALYZE_LOCK_ALIGN_H
#define DWELL_ANALYZE_LOCK_ALIGN_H

#include "analyze/lock_alias.h"
#include "analyze/lock_class.h"
#include "base/intern.h"

enum { LOCK_BASE, LOCK_NEW, LOCK_SIDES };

struct lock_side {
	const char *label;
	const struct lock_view *const *runs;
	size_t n;
};

/* The figures of a class in all runs of a side: sums, the least minimum, the greatest maximum. */
struct lock_figures {
	int64_t n[LOCK_COLUMNS];
	enum value_how how[LOCK_COLUMNS]; /* of the least exact run */
	double work;                      /* of the runs that it was in; NAN: not given */
	size_t runs;
};

struct lock_pair {
	const char *name, *was;        /* was: the base's name where it differs, else NULL */
	const struct lock_class **run; /* the base's runs, then the new ones; NULL: not in it */
	struct lock_figures sum[LOCK_SIDES];
	uint32_t flags; /* of any of them */
};

struct lock_alignment {
	struct arena arena;
	struct intern keys;
	size_t runs[LOCK_SIDES];
	const double *work;          /* as given to lock_align: of each run, or NULL */
	VEC(struct lock_pair) pairs; /* those of one side only, too: the other sum has no runs */
	size_t both, only[LOCK_SIDES], renamed, twins; /* classes; twins are in neither */
	size_t maps;                                   /* in pairs, but no locks */
};

/* work: of each run, the base's first; NULL: not given. It must outlive the alignment. */
void lock_align(struct lock_alignment *a, const struct lock_side side[LOCK_SIDES],
		const struct lock_aliases *aliases, const double *work);
void lock_alignment_fini(struct lock_alignment *a);

static inline bool lock_pair_is_both(const struct lock_pair *p)
{
	return p->sum[LOCK_BASE].runs && p->sum[LOCK_NEW].runs;
}

/* A function's waits or holds on both sides. */
struct lock_place_pair {
	const char *symbol;
	int64_t count[LOCK_SIDES]; /* UNKNOWN: not listed, and not all are listed */
	bool wrapper;
	const char *maybe; /* the site that this one may be, on the other side; NULL: none */
};

struct lock_places_pair {
	struct lock_place_pair *at; /* the most frequent first */
	size_t n;
	int64_t of[LOCK_SIDES], without[LOCK_SIDES]; /* contentions, and those without a site */
	enum value_how how[LOCK_SIDES];              /* of these */
};

struct lock_places_pair lock_align_places(struct arena *to, const struct lock_alignment *a,
					  const struct lock_pair *p, bool holding,
					  const struct lock_aliases *aliases);

#endif
