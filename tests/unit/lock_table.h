/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of locks built by hand, as a reader of /proc/lock_stat would have left them. */
#ifndef DWELL_TESTS_LOCK_TABLE_H
#define DWELL_TESTS_LOCK_TABLE_H

#include <string.h>

#include "core/capture.h"

/* Times in ns; NONE: the column is absent. */
#define NONE UNKNOWN

struct row_of {
	const char *name;
	char rw;
	int64_t con_bounces, contentions, wait_min, wait_max, wait_total, acq_bounces, acquisitions,
		hold_min, hold_max, hold_total;
};

static inline void table_begin(struct capture *c)
{
	capture_init(c, NULL);
	c->kind = CAPTURE_LOCKS;
	c->locks = locktab_new(&c->arena, "lock_stat");
	c->locks->columns = 10;
	c->locks->version = "0.3";
}

static inline struct lock_row *table_add(struct capture *c, const struct row_of *r)
{
	struct lock_row *row = locktab_row(c->locks, (uint32_t)c->locks->rows.n + 1);
	const struct {
		enum lock_column column;
		int64_t n;
	} values[] = {
		{ LOCK_CON_BOUNCES, r->con_bounces },   { LOCK_CONTENTIONS, r->contentions },
		{ LOCK_WAIT_MIN, r->wait_min },         { LOCK_WAIT_MAX, r->wait_max },
		{ LOCK_WAIT_TOTAL, r->wait_total },     { LOCK_ACQ_BOUNCES, r->acq_bounces },
		{ LOCK_ACQUISITIONS, r->acquisitions }, { LOCK_HOLD_MIN, r->hold_min },
		{ LOCK_HOLD_MAX, r->hold_max },         { LOCK_HOLD_TOTAL, r->hold_total },
	};
	row->name = r->name;
	row->rw = r->rw;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		if (values[i].n != NONE)
			lock_set(row, values[i].column, values[i].n);
	}
	return row;
}

static inline void site_add(struct lock_sites *s, const char *symbol, const char *suffix,
			    int64_t count)
{
	lock_sites_add(s, (struct lock_site){ symbol, suffix, NULL, count });
}

/* The two tables of the mail of 2012 (examples/lock_stat-3.3.0-vanilla-revert.txt). */
static inline void table_vanilla(struct capture *c)
{
	table_begin(c);
	c->label = "3.3.0-vanilla";
	struct lock_row *r = table_add(c, &(struct row_of){ "&rq->lock", 0, 37062, 37063, 80, 10430,
							    11037660, 410701252, 1029063029, 0,
							    14350, INT64_C(234556106120) });
	site_add(&r->waiting, "__schedule", "+0xc6/0x710", 14064);
	site_add(&r->waiting, "idle_balance", "+0x13d/0x190", 33);
	site_add(&r->waiting, "ttwu_queue", "+0x47/0xf0", 11810);
	site_add(&r->waiting, "task_rq_lock", "+0x56/0xa0", 283);
	site_add(&r->holding, "ttwu_queue", "+0x47/0xf0", 22305);
	site_add(&r->holding, "__schedule", "+0xc6/0x710", 11260);
	site_add(&r->holding, "idle_balance", "+0x13d/0x190", 158);
	site_add(&r->holding, "load_balance", "+0x356/0x500", 8);
}

static inline void table_revert(struct capture *c)
{
	table_begin(c);
	c->label = "3.3.0-revert";
	struct lock_row *r =
		table_add(c, &(struct row_of){ "&rq->lock", 0, 10831, 10833, 90, 10470, 4448190,
					       87877, 768253556, 0, 16000, INT64_C(140103672330) });
	site_add(&r->waiting, "load_balance", "+0x348/0x500", 685);
	site_add(&r->waiting, "try_to_wake_up", "+0x215/0x2e0", 8688);
	site_add(&r->waiting, "__schedule", "+0xc6/0x710", 1010);
	site_add(&r->waiting, "task_rq_lock", "+0x56/0xa0", 228);
	site_add(&r->holding, "__schedule", "+0xc6/0x710", 3317);
	site_add(&r->holding, "load_balance", "+0x348/0x500", 789);
	site_add(&r->holding, "load_balance", "+0x214/0x500", 363);
	site_add(&r->holding, "load_balance", "+0x356/0x500", 2);
}

#endif
