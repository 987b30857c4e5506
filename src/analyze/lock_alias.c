/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/lock_alias.h"

#include <errno.h>

#include "analyze/lock_class.h"

/*
 * Renamings. The name is the text of the initialiser's argument, so a renamed field renames the
 * class, and so does a lock that changes its type. "*" carries over.
 */
static const struct lock_rename renamings[] = {
	/* spin_lock_init() named the raw lock inside, until v5.7 (de8f5e4f2dc1) */
	{ "&(*)->rlock", "*" },
	/* ... and expanded its argument on the way: d_lock is a macro for d_lockref.lock (v3.12) */
	{ "&dentry->d_lockref.lock", "&dentry->d_lock" },
	/* sched: rq::lock is wrapped for core scheduling (v5.14) */
	{ "&rq->lock", "&rq->__lock" },
	/* mm: the mmap locking API (v5.8) */
	{ "&mm->mmap_sem", "&mm->mmap_lock" },
	{ "init_mm.mmap_sem", "init_mm.mmap_lock" },
	/* mm: the lock of the page tree was initialised in the inode, later in the mapping */
	{ "&inode->i_data.tree_lock", "&mapping->tree_lock" },
	/* mm: these mutexes became semaphores (v3.19, v3.8) */
	{ "&mapping->i_mmap_mutex", "&mapping->i_mmap_rwsem" },
	{ "&anon_vma->mutex", "&anon_vma->rwsem" },
};

/* A lock that was split, joined or moved: the new one guards much of what the old one did. */
static const struct lock_rename maybe_classes[] = {
	{ "&zone->lru_lock", "&pgdat->lru_lock" },   /* v4.8: a node's instead of a zone's */
	{ "&zone->lru_lock", "&lruvec->lru_lock" },  /* v5.11: a control group's */
	{ "&pgdat->lru_lock", "&lruvec->lru_lock" }, /* v5.11 */
	{ "&mapping->tree_lock", "&xa->xa_lock" },   /* v4.17 and later: the XArray's own lock */
	{ "&zone->lock", "&pcp->lock" },             /* v6.0: lists of pages for each CPU */
	{ "dcache_lock", "&dentry->d_lock" },        /* v2.6.38: split */
};

/* Inlined or not, by the compiler's mood: the site is then that of the function around it. */
static const struct lock_rename maybe_sites[] = {
	{ "ttwu_queue", "try_to_wake_up" },        { "ttwu_runnable", "try_to_wake_up" },
	{ "ttwu_remote", "try_to_wake_up" },       { "__task_rq_lock", "try_to_wake_up" },
	{ "sched_ttwu_pending", "scheduler_ipi" }, { "schedule", "__schedule" },
};

/* The least length that the kernel cuts a name to. */
#define LOCK_NAME_CUT 33

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

void lock_aliases_fini(struct lock_aliases *a)
{
	vec_fini(&a->user);
	arena_fini(&a->arena);
}

static unsigned stars(struct str s)
{
	unsigned n = 0;
	for (size_t i = 0; i < s.n; i++)
		n += s.p[i] == '*';
	return n;
}

int lock_alias_add(struct lock_aliases *a, const char *text, struct err *err)
{
	struct str all = str_of(text);
	ptrdiff_t equals = str_find_char(all, '=');
	struct str from = str_trim(str_head(all, equals > 0 ? (size_t)equals : 0));
	struct str to = str_trim(str_from(all, equals > 0 ? (size_t)equals + 1 : all.n));
	if (!from.n || !to.n)
		return err_set(err, EINVAL, "alias '%s' is not OLD=NEW", text);
	if (stars(from) > 1 || stars(to) > stars(from))
		return err_set(err, EINVAL,
			       "alias '%s': one '*' a side at most, and none that OLD has not",
			       text);
	struct lock_rename r = { arena_str(&a->arena, from), arena_str(&a->arena, to) };
	vec_push(&a->user, r);
	return 0;
}

/* NULL: the renaming does not fit. */
static const char *apply(const struct lock_rename *r, struct arena *to, struct str name)
{
	struct str from = str_of(r->from), into = str_of(r->to);
	ptrdiff_t star = str_find_char(from, '*');
	if (star < 0)
		return str_eq(name, r->from) ? r->to : NULL;
	struct str head = str_head(from, (size_t)star), tail = str_from(from, (size_t)star + 1);
	if (name.n <= head.n + tail.n || memcmp(name.p, head.p, head.n) != 0 ||
	    memcmp(name.p + name.n - tail.n, tail.p, tail.n) != 0)
		return NULL;
	struct str text = { name.p + head.n, name.n - head.n - tail.n };
	ptrdiff_t at = str_find_char(into, '*');
	if (at < 0)
		return r->to;
	return arena_printf(to, "%.*s%.*s%s", (int)at, into.p, STR_ARG(text), into.p + at + 1);
}

static const char *apply_first(const struct lock_rename *list, size_t n, struct arena *to,
			       struct str name)
{
	for (size_t i = 0; i < n; i++) {
		const char *renamed = apply(&list[i], to, name);
		if (renamed)
			return renamed;
	}
	return NULL;
}

/* A lock may have been renamed several times; the limit ends aliases that go in a circle. */
#define RENAMED_MAX 8

const char *lock_alias_class(const struct lock_aliases *a, struct arena *to, const char *name)
{
	struct lock_name part = lock_name_split(str_of(name));
	struct str base = part.base;
	const char *renamed = NULL;
	for (int i = 0; i < RENAMED_MAX; i++) {
		const char *next = apply_first(a->user.at, a->user.n, to, base);
		if (!next)
			next = apply_first(renamings, N_OF(renamings), to, base);
		if (!next || str_eq(base, next))
			break;
		renamed = next;
		base = str_of(renamed);
	}
	if (!renamed)
		return name;
	return arena_printf(to, "%s%.*s%.*s", renamed, STR_ARG(part.number),
			    STR_ARG(part.subclass));
}

const char *lock_alias_site(const struct lock_aliases *a, struct arena *to, const char *symbol)
{
	const char *renamed = apply_first(a->user.at, a->user.n, to, str_of(symbol));
	return renamed ? renamed : symbol;
}

static bool is_maybe(const struct lock_rename *list, size_t n, const char *one, const char *other)
{
	for (size_t i = 0; i < n; i++) {
		const struct lock_rename *r = &list[i];
		if ((strcmp(r->from, one) == 0 && strcmp(r->to, other) == 0) ||
		    (strcmp(r->from, other) == 0 && strcmp(r->to, one) == 0))
			return true;
	}
	return false;
}

bool lock_alias_maybe_site(const char *one, const char *other)
{
	return is_maybe(maybe_sites, N_OF(maybe_sites), one, other);
}

/* "&(&x)->lock" is the lock inside of &x: a spinlock that became a seqlock. */
static bool is_inside(struct str outer, struct str inner)
{
	static const char tail[] = ")->lock";
	size_t n = sizeof(tail) - 1;
	return outer.n == inner.n + 2 + n && str_starts(outer, "&(") &&
	       memcmp(outer.p + 2, inner.p, inner.n) == 0 &&
	       memcmp(outer.p + 2 + inner.n, tail, n) == 0;
}

bool lock_alias_maybe_class(const char *one, const char *other)
{
	struct lock_name a = lock_name_split(str_of(one)), b = lock_name_split(str_of(other));
	if (str_same(a.base, b.base))
		return a.number.n || b.number.n; /* "#2" here may be "#3" there */
	/* The kernel cuts names to 33, 35 or 37 letters: the same start may be the same lock. */
	size_t same = a.base.n < b.base.n ? a.base.n : b.base.n;
	if (same >= LOCK_NAME_CUT && memcmp(a.base.p, b.base.p, same) == 0)
		return true;
	if (is_inside(a.base, b.base) || is_inside(b.base, a.base))
		return true;
	return is_maybe(maybe_classes, N_OF(maybe_classes), one, other);
}
