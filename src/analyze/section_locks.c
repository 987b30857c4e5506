/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Locks, out of their contention events: who is waited for, how long, and from where. What the
 * events do not see is said, not set to 0: acquisitions, holds, and waits that no tracepoint is
 * at (kernel/locking: the first waiter of a native queued spinlock, a rwsem's spinning that
 * succeeds).
 */
#include <stdlib.h>

#include "analyze/section_parts.h"
#include "base/units.h"

/* The rows of one lock. */
struct group {
	const struct sect_lock_row *rows;
	size_t n;
	struct sect_lock_row sum;
};

struct group_list {
	VEC(struct group);
};

static int row_order(const void *a, const void *b)
{
	const struct sect_lock_row *x = a, *y = b;
	if (x->lock != y->lock)
		return x->lock < y->lock ? -1 : 1;
	if (x->flags != y->flags)
		return x->flags < y->flags ? -1 : 1;
	return (x->total < y->total) - (x->total > y->total);
}

static int group_order(const void *a, const void *b)
{
	const struct group *x = a, *y = b;
	return (x->sum.total < y->sum.total) - (x->sum.total > y->sum.total);
}

static void sum_add(struct sect_lock_row *sum, const struct sect_lock_row *r)
{
	sum->waits += r->waits;
	sum->failed += r->failed;
	sat_sum(&sum->total, r->total);
	sat_sum(&sum->spin, r->spin);
	sat_sum(&sum->sleep, r->sleep);
	sum->min = r->min < sum->min ? r->min : sum->min;
	sum->max = r->max > sum->max ? r->max : sum->max;
}

/* Sorts the rows; the groups point into them. */
static void groups_collect(struct sections *s, struct group_list *groups)
{
	qsort(s->locks.at, s->locks.n, sizeof(*s->locks.at), row_order);
	for (size_t i = 0; i < s->locks.n; i++) {
		const struct sect_lock_row *r = &s->locks.at[i];
		struct group *g = groups->n ? vec_last(groups) : NULL;
		if (g && g->sum.lock == r->lock && g->sum.flags == r->flags) {
			g->n++;
			sum_add(&g->sum, r);
		} else {
			vec_push(groups, ((struct group){ r, 1, *r }));
		}
	}
	qsort(groups->at, groups->n, sizeof(*groups->at), group_order);
}

static void lock_row(struct table *t, const char *name, const struct sect_lock_row *x,
		     unsigned indent)
{
	struct row *row = table_row(t);
	row->indent = indent;
	row->cell[0] = value_text(name);
	row->cell[1] = value_count((int64_t)x->waits);
	row->cell[2] = value_time(x->total);
	row->cell[3] = value_time(x->total / (int64_t)x->waits);
	row->cell[4] = value_time(x->min);
	row->cell[5] = value_time(x->max);
	row->cell[6] = value_share(x->spin, x->total);
	row->cell[7] = value_lines(x->max_line, x->max_line);
}

static void group_rows(const struct sections *s, struct table *t, const struct group *g,
		       struct arena *a)
{
	lock_row(t,
		 arena_printf(a, "%s %s", lock_type_name(g->sum.flags),
			      lock_address_text(g->sum.lock, a)),
		 &g->sum, 0);
	for (size_t i = 0; i < g->n; i++) {
		if (g->rows[i].site)
			lock_row(t,
				 arena_printf(a, "in %s",
					      symbols_text(s->symbols, g->rows[i].site)),
				 &g->rows[i], 1);
	}
}

/* What pairing met: an end finds its begin by the address of the lock, see section_lock.c. */
static void report_pairing(const struct sections *s, struct section *to, struct report *r)
{
	struct arena *a = &r->arena;
	struct finding *f = report_finding(r, to, "pairing", NULL);
	finding_fact(f, "ends_without_begin", value_count((int64_t)s->lock_unmatched));
	finding_fact(f, "begins_without_end",
		     value_count((int64_t)(s->lock_open + s->lock_dropped)));
	finding_fact(f, "changes_of_mode", value_count((int64_t)s->lock_modes));
	finding_fact(f, "gave_up", value_count((int64_t)s->store.failed));
	uint64_t odd = s->lock_unmatched + s->lock_open + s->lock_dropped;
	if (odd)
		f->text = arena_printf(a, "%s begins or ends found no partner",
				       units_count((int64_t)odd).s);
	if (s->store.failed)
		report_finding(r, to, "gave_up",
			       arena_printf(a,
					    "%s waits ended without the lock, interrupted or timed "
					    "out",
					    units_count((int64_t)s->store.failed).s));
	if (s->locks_left_out)
		report_finding(r, to, "left_out",
			       arena_printf(a, "waits for locks beyond %u: %s, not in this table",
					    SECT_LOCKS_MAX,
					    units_count((int64_t)s->locks_left_out).s));
}

void sections_locks_report(struct sections *s, struct report *r)
{
	struct group_list groups = { 0 };
	if (!s->locks.n)
		return;
	groups_collect(s, &groups);
	struct section *to = report_section(r, "locks", "LOCKS WAITED FOR", NULL);
	struct table *t = report_table(r, to, "locks");
	struct column columns[TABLE_COLUMNS] = {
		{ "lock", "", VALUE_TEXT },
		{ "waits", "waits", VALUE_COUNT },
		{ "wait_total_ns", "total", VALUE_TIME },
		{ "wait_mean_ns", "mean", VALUE_TIME },
		{ "wait_min_ns", "min", VALUE_TIME },
		{ "wait_max_ns", "max", VALUE_TIME },
		{ "spinning", "spinning", VALUE_SHARE },
		{ "worst_line", "line", VALUE_LINES },
	};
	memcpy(t->columns, columns, sizeof(columns));
	t->top = (uint32_t)s->options.top;
	t->more = "--top N shows more";
	vec_each (g, &groups)
		group_rows(s, t, g, &r->arena);
	report_pairing(s, to, r);
	report_finding(r, to, "unseen",
		       "not seen: acquisitions without a wait, holds; the first waiter of a native "
		       "queued spinlock (guests show it), a rwsem's spinning that succeeds");
	vec_fini(&groups);
}
