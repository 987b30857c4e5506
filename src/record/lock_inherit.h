/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the locks of a forked process were initialised: its parent did that before, so the parent's
 * counts have the site.
 */
#ifndef DWELL_RECORD_LOCK_INHERIT_H
#define DWELL_RECORD_LOCK_INHERIT_H

#include <stdbool.h>

#include "wire/locks.h"

/* The index of a key; WIRE_KEYS: it is not there. */
uint32_t lock_key_find(const struct wire_locks *p, uint64_t key);

/* The first index from at on of which there may be a key; WIRE_KEYS: there is none. */
uint32_t lock_key_next(const struct wire_locks *p, uint32_t at);

#define lock_each_key(i, p)                                                                        \
	for (uint32_t i = lock_key_next(p, 0); i < WIRE_KEYS; i = lock_key_next(p, i + 1))

/* Was child forked from it? */
bool lock_is_parent(const struct wire_locks *parent, const struct wire_locks *child);

/*
 * To each lock of child that it did not initialise itself, the site in parent; not if that happened
 * after the fork, or nobody knows when.
 */
void lock_inherit(struct wire_locks *child, const struct wire_locks *parent);

#endif
