/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of locks of a trace, out of its events: what they tell, and what they do not. */
#include <stdlib.h>

#include "analyze/section_parts.h"
#include "base/units.h"

static enum lock_known known_if(bool seen, enum lock_known how)
{
	return seen ? how : LOCK_ABSENT;
}

/* Of the trace, or of what --from and --to leave of it. */
static int64_t span_of(const struct sections *s)
{
	const struct section_options *o = &s->options;
	int64_t from = o->from != UNKNOWN && o->from > s->first ? o->from : s->first;
	int64_t to = o->to != UNKNOWN && o->to < s->last ? o->to : s->last;
	return s->begun && to > from ? sat_sub(to, from) : UNKNOWN;
}

/*
 * Bounces go by the CPU that got the lock last, which is not known of the first time, and by its
 * address, which a lock that was freed leaves to another: estimates. lock_acquire alone times a
 * hold with the wait for it, lock_acquired alone leaves out trylocks.
 */
void sections_locktab(struct sections *s, struct capture *c)
{
	const uint64_t *n = s->points;
	bool acquire = n[POINT_LOCK_ACQUIRE] > 0, acquired = n[POINT_LOCK_ACQUIRED] > 0;
	bool release = n[POINT_LOCK_RELEASE] > 0;
	bool whole = acquire && acquired;
	struct tally_known known = {
		.waits = known_if(n[POINT_LOCK_CONTENDED] && acquired, LOCK_EXACT),
		.acquisitions = known_if(release && (acquire || acquired),
					 acquire ? LOCK_EXACT : LOCK_ESTIMATED),
		.holds = known_if(release && (acquire || acquired),
				  whole ? LOCK_EXACT : LOCK_ESTIMATED),
		.bounces = known_if(acquired, LOCK_ESTIMATED),
	};
	struct locktab *t = lock_tally_table(&s->tally, &known, &c->arena);
	if (!t)
		return;
	t->bad = (int64_t)(s->lock_unmatched + s->lock_open + s->lock_dropped);
	t->total = (int64_t)(s->lock_begins + s->lock_unmatched);
	t->span_ns = span_of(s);
	t->left_out = (int64_t)(s->tally.classes_left_out + s->tally.locks_left_out);
	c->locks = t;
}

int trace_locktab(struct capture *c, struct source *s, struct sink *also, struct err *err)
{
	struct section_options how = SECTION_OPTIONS_NONE;
	struct symbols symbols;
	how.sects = SECT_BIT(SECT_LOCK) | SECT_BIT(SECT_LOCK_HOLD);
	how.worst = 0;
	symbols_init(&symbols, c->names);
	struct sections *sections = sections_new(&how, &symbols);
	struct sink *sinks[] = { sections_sink(sections), also };
	int ret = source_run(s, c, sinks, also ? 2 : 1, NULL, err);
	if (!ret)
		sections_locktab(sections, c);
	sections_free(sections);
	symbols_fini(&symbols);
	return ret;
}

/* -- One by one -------------------------------------------------------------------------------- */

static int total_order(const void *a, const void *b)
{
	const struct tally_lock *x = *(const struct tally_lock *const *)a;
	const struct tally_lock *y = *(const struct tally_lock *const *)b;
	if (x->waits.total != y->waits.total)
		return x->waits.total < y->waits.total ? 1 : -1;
	return (x->waits.n < y->waits.n) - (x->waits.n > y->waits.n);
}

static void one_row(const struct sections *s, struct table *t, const struct tally_lock *l,
		    struct arena *a)
{
	struct row *row = table_row(t);
	const char *what = sect_lock_text(s, l->type, 0, l->address, a);
	if (l->name)
		what = arena_printf(a, "%.*s %s", STR_ARG(names_str(s->names, l->name)), what);
	row->cell[0] = value_text(what);
	row->cell[1] = value_count((int64_t)l->waits.n);
	row->cell[2] = value_time(l->waits.total);
	row->cell[3] = value_time(l->waits.total / (int64_t)l->waits.n);
	row->cell[4] = value_time(l->waits.max);
	row->cell[5] = l->type & LOCK_WAIT_LOCKDEP ? value_none()
						   : value_share(l->spin_ns, l->waits.total);
	row->cell[6] = value_lines(l->max_line, l->max_line);
}

/* A class of many locks may have one that is waited for most. */
void sections_locks_report(const struct sections *s, struct report *r)
{
	VEC(const struct tally_lock *) waited = { 0 };
	vec_each (l, &s->tally.locks) {
		if (l->waits.n)
			vec_push(&waited, l);
	}
	vec_sort(&waited, total_order);
	if (waited.n) {
		struct section *to =
			report_section(r, "one_by_one", "LOCKS ONE BY ONE",
				       "by address, which tells them apart in this trace alone");
		struct table *t = report_table(r, to, "locks");
		struct column columns[TABLE_COLUMNS] = {
			{ "lock", "", VALUE_TEXT },
			{ "waits", "waits", VALUE_COUNT },
			{ "wait_total_ns", "total", VALUE_TIME },
			{ "wait_mean_ns", "mean", VALUE_TIME },
			{ "wait_max_ns", "max", VALUE_TIME },
			{ "spinning", "spinning", VALUE_SHARE },
			{ "worst_line", "worst, line", VALUE_LINES },
		};
		memcpy(t->columns, columns, sizeof(columns));
		t->top = (uint32_t)s->options.top;
		t->more = "--top N shows more";
		vec_each (l, &waited)
			one_row(s, t, *l, &r->arena);
	}
	vec_fini(&waited);
}
