/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names of one input: symbols and comms as interned strings, tasks as (comm, pid), all as
 * dense ids. Id 0 is "none" in each. Names are kept as printed, offsets and addresses cut off.
 */
#ifndef DWELL_CORE_NAMES_H
#define DWELL_CORE_NAMES_H

#include "base/intern.h"

struct task {
	uint32_t comm;
	int32_t pid;
	int32_t tgid; /* its process; 0: not known, and always of the idle tasks */
};

struct names {
	struct intern text;
	VEC(struct task) tasks;
	uint32_t *slots; /* task id + 1; 0: empty */
	uint32_t mask;
};

void names_init(struct names *n);
void names_fini(struct names *n);

static inline uint32_t names_id(struct names *n, struct str s)
{
	return intern_id(&n->text, s);
}

static inline struct str names_str(const struct names *n, uint32_t id)
{
	return intern_name(&n->text, id);
}

/* One pid under two comms (renamed, or reused) is two tasks. Capped like strings are. */
uint32_t names_task(struct names *n, struct str comm, int32_t pid);

/* The process of a task, as soon as the input tells it. */
static inline void names_tgid(struct names *n, uint32_t id, int32_t tgid)
{
	if (id && id < n->tasks.n && tgid > 0)
		n->tasks.at[id].tgid = tgid;
}

static inline struct task names_task_of(const struct names *n, uint32_t id)
{
	return n->tasks.at[id < n->tasks.n ? id : 0];
}

#endif
