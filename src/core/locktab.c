/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/locktab.h"

static const struct {
	const char *key;
	bool time;
} columns[LOCK_COLUMNS] = {
	[LOCK_CON_BOUNCES] = { "con_bounces", false },
	[LOCK_CONTENTIONS] = { "contentions", false },
	[LOCK_WAIT_MIN] = { "wait_min", true },
	[LOCK_WAIT_MAX] = { "wait_max", true },
	[LOCK_WAIT_TOTAL] = { "wait_total", true },
	[LOCK_WAIT_AVG] = { "wait_avg", true },
	[LOCK_ACQ_BOUNCES] = { "acq_bounces", false },
	[LOCK_ACQUISITIONS] = { "acquisitions", false },
	[LOCK_HOLD_MIN] = { "hold_min", true },
	[LOCK_HOLD_MAX] = { "hold_max", true },
	[LOCK_HOLD_TOTAL] = { "hold_total", true },
	[LOCK_HOLD_AVG] = { "hold_avg", true },
};

bool lock_column_is_time(enum lock_column c)
{
	return columns[c].time;
}

const char *lock_column_key(enum lock_column c)
{
	return columns[c].key;
}

void locktab_fini(struct locktab *t)
{
	if (!t)
		return;
	vec_each (r, &t->rows) {
		vec_fini(&r->waiting);
		vec_fini(&r->holding);
	}
	vec_fini(&t->rows);
}
