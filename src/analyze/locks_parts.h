/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files that explain one table of locks share. */
#ifndef DWELL_ANALYZE_LOCKS_PARTS_H
#define DWELL_ANALYZE_LOCKS_PARTS_H

#include "analyze/lock_class.h"
#include "analyze/locks.h"

#define LOCKS_NEGLIGIBLE 0.001 /* of holding: so little waiting is nobody's trouble */
#define LOCKS_STAYS 0.01       /* of acquisitions: with fewer bounces a lock stays where it is */

struct locks {
	struct lock_view view;
	const struct lock_explain_options *options;
	struct report *report;
	struct section *answer;               /* the first */
	struct arena *arena;                  /* the report's */
	VEC(const struct lock_class *) locks; /* no maps; those that were asked for */
	int64_t wait_total;                   /* of them; UNKNOWN */
	enum value_how wait_how;
	int64_t hold_total; /* nested ones counted in each */
	enum value_how hold_how;
	enum value_how said; /* of what locks_figure marked since locks_say */
};

/* A figure for a sentence, marked if it is not exact; the sentence is told with locks_say. */
const char *locks_figure(struct locks *l, enum value_how how, const char *figure);
struct finding *locks_say(struct locks *l, struct section *s, const char *key, const char *text);

/* locks_class.c: what one row means, and its sites. */
void locks_class(struct locks *l, const struct lock_class *c);

/* locks_table.c: the lists. */
void locks_waited(struct locks *l, enum lock_sort sort);
void locks_held(struct locks *l, enum lock_sort sort);
/* Sorts l->locks. */
void locks_sort(struct locks *l, enum lock_sort sort);

/* locks_program.c: of a program's own locks. */
void locks_program_run(struct locks *l, struct section *s);
void locks_program_pairs(struct locks *l, const struct lock_class *c);
void locks_program_stacks(struct locks *l, const struct lock_class *c);
void locks_program_events(struct locks *l);

/* locks_sampled.c: of a program that was looked at, all there is. */
void locks_sampled(struct locks *l);

const char *lock_site_text(struct arena *a, const struct lock_site *s);

/* over / under of a class; NAN when either is unknown, or there is nothing to divide by. */
double locks_ratio(const struct lock_class *c, enum lock_column over, enum lock_column under);

#endif
