/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which class a lock of a program belongs to: the variable that it is, or is in; else who
 * initialised it; else (most locks of C++ on the heap are never initialised by a call) all that are
 * taken at a common place are one class, named by the place that takes them most.
 */
#ifndef DWELL_RECORD_LOCK_NAME_H
#define DWELL_RECORD_LOCK_NAME_H

#include "core/locktab.h"
#include "symbol/symbol.h"
#include "wire/locks.h"

struct lock_names;

/* Looks at all the locks of a process, folded (lock_fold.h). */
struct lock_names *lock_names_new(const struct wire_locks *p, struct symbols *s, struct arena *a);
void lock_names_free(struct lock_names *n);

/* How a place is written in a table. */
struct lock_site lock_site_of(struct arena *a, struct symbol_place place, int64_t count);

/* Of the lock whose key is key[i]. */
const char *lock_names_get(struct lock_names *n, uint32_t i);

/*
 * The functions that a return address is in (symbols_frames), as sites without a count. How many
 * of the room were written.
 */
size_t lock_names_frames(struct lock_names *n, uint64_t pc, struct lock_site *to, size_t room);

/* Of a site; remembered. */
struct symbol_place lock_names_site(struct lock_names *n, uint64_t pc);

/* "mutex", "rwlock", ... */
const char *lock_kind_name(unsigned kind);

/* The writers' record of an rwlock, by the key of either; NULL: none took it. */
const struct wire_lock *lock_writers_of(const struct wire_locks *p, uint64_t key);

/* The lock of a key; NULL: none, or the file is damaged. */
const struct wire_lock *lock_of_key(const struct wire_locks *p, uint32_t i);

#endif
