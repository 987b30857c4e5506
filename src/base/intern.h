/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Strings to dense ids. Id 0 is the empty string. The table is capped, so that a hostile or
 * endless input cannot grow it for ever: past the cap everything new becomes INTERN_OTHER and
 * is counted.
 */
#ifndef DWELL_BASE_INTERN_H
#define DWELL_BASE_INTERN_H

#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"
#include "base/vec.h"

#define INTERN_OTHER 1u /* prints as "(other)" */
#define INTERN_CAP (1u << 20)

struct intern {
	struct arena text;
	VEC(struct str) names;
	uint32_t *slots; /* id + 1; 0: empty */
	uint32_t *hashes;
	uint32_t mask, cap;
	uint64_t refused; /* strings that came after the cap */
};

void intern_init(struct intern *t, uint32_t cap);
void intern_fini(struct intern *t);
uint32_t intern_id(struct intern *t, struct str s);

/* The string of an id: NUL-terminated, valid until intern_fini. */
static inline struct str intern_name(const struct intern *t, uint32_t id)
{
	return t->names.at[id < t->names.n ? id : 0];
}

#endif
