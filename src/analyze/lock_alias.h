/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One lock under the names that different kernels give it, so that their tables can be laid side
 * by side. Two kinds, never mixed:
 *
 *  - a renaming: the same lock by another name. Classes and sites are merged by it.
 *  - a suspicion: two sites, or two classes, that may be one, seen through inlining or a split.
 *    They are shown beside each other and marked, never merged; whoever knows better says so by
 *    an alias of their own (`--alias ttwu_queue=try_to_wake_up`).
 *
 * The tables are in lock_alias.c, a line each with its reason and its kernel.
 */
#ifndef DWELL_ANALYZE_LOCK_ALIAS_H
#define DWELL_ANALYZE_LOCK_ALIAS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/vec.h"

struct lock_rename {
	const char *from, *to; /* with at most one '*' each, which stands for the same text */
};

struct lock_aliases {
	struct arena arena;
	VEC(struct lock_rename) user; /* these go first */
};

void lock_aliases_fini(struct lock_aliases *a);

/* "OLD=NEW". -EINVAL, with a sentence, for anything else. */
int lock_alias_add(struct lock_aliases *a, const char *text, struct err *err) must_check;

/*
 * The name by which classes are compared: the newest of its names, without what varies from
 * kernel to kernel; "#2" and "/1" stay. In the arena `to`, or the name itself.
 */
const char *lock_alias_class(const struct lock_aliases *a, struct arena *to, const char *name);

/* The same for a site: only the user's aliases, for compilers' suffixes are folded before. */
const char *lock_alias_site(const struct lock_aliases *a, struct arena *to, const char *symbol);

/* May the two be one, on no better ground than inlining, or a lock that was split or moved? */
bool lock_alias_maybe_site(const char *one, const char *other);
bool lock_alias_maybe_class(const char *one, const char *other);

#endif
