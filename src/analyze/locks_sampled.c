/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was seen of a running program: who was found waiting, and how long that makes, estimated. */
#include "analyze/lock_text.h"
#include "analyze/locks_parts.h"
#include "base/units.h"

static bool is_mutex(const struct lock_class *c)
{
	return !(c->flags & LOCK_EVENT);
}

static void take_all(struct locks *l)
{
	vec_each (c, &l->view.classes) {
		if (!l->options->only || lock_name_matches(c->name, l->options->only))
			vec_push(&l->locks, c);
	}
	locks_sort(l, LOCK_SORT_WAIT);
}

/* A mutex first: what else is waited for may be work. */
static const struct lock_class *first_of(const struct locks *l)
{
	vec_each (c, &l->locks) {
		if (is_mutex(*c))
			return *c;
	}
	return l->locks.n ? l->locks.at[0] : NULL;
}

static const char *answer_text(struct locks *l, const struct lock_class *c)
{
	struct arena *a = l->arena;
	const char *wait = arena_printf(a, "%s (%s)", units_time(c->n[LOCK_WAIT_TOTAL]).s,
					units_time_range(c->wait_low, c->wait_high).s);
	return arena_printf(a, "%s of waiting for %s in %s: %s.",
			    lock_text_how(a, VALUE_ESTIMATED, wait), c->name,
			    units_time(l->view.run->ns).s,
			    is_mutex(c) ? "the mutex waited for longest"
					: "no mutex was seen waited for, and of other futexes this "
					  "the longest");
}

static void answer(struct locks *l)
{
	const struct lock_run_facts *run = l->view.run;
	struct arena *a = l->arena;
	struct section *s = l->answer;
	const struct lock_class *first = first_of(l);
	const char *none =
		l->options->only
			? arena_printf(a, "No futex of this table matches '%s'.", l->options->only)
			: "Nobody was seen waiting for a futex.";
	struct finding *f =
		report_finding(l->report, s, "answer", first ? answer_text(l, first) : none);
	f->aside = "";
	if (first)
		finding_fact(f, "class", value_text(first->name));
	f = report_finding(
		l->report, s, "inventory",
		arena_printf(a, "%s (process %lld): looked at %s in %s, every %s on average; %s.",
			     run->command ? run->command : "a program", (long long)run->pid,
			     lock_text_number_of(a, (size_t)run->looks, "time", "times"),
			     units_time(run->ns).s,
			     run->looks > 0 ? units_time(run->ns / run->looks).s : "-",
			     lock_text_number_of(a, l->locks.n, "futex was waited for",
						 "futexes were waited for")));
	f->aside = "";
	finding_fact(f, "looks", value_count(run->looks));
	finding_fact(f, "run_ns", value_time(run->ns));
	finding_fact(f, "looks_cpu_ns", value_time(run->looks_cpu_ns));
}

static struct value site_value(struct locks *l, const struct lock_sites *s)
{
	return value_text(s->n ? lock_site_text(l->arena, &s->at[0]) : NULL);
}

static void list(struct locks *l, bool mutexes, const char *key, const char *title,
		 const char *note)
{
	static const struct column columns[TABLE_COLUMNS] = {
		{ "class", "", VALUE_TEXT },         { "wait_ns", "wait (95 %)", VALUE_INTERVAL },
		{ "seen", "seen", VALUE_COUNT },     { "site", "mostly at", VALUE_TEXT },
		{ "holder", "held by", VALUE_TEXT },
	};
	struct table *t = NULL;
	vec_each (c, &l->locks) {
		if (is_mutex(*c) != mutexes)
			continue;
		if (!t) {
			t = report_table(l->report, report_section(l->report, key, title, note),
					 key);
			memcpy(t->columns, columns, sizeof(t->columns));
			if (!mutexes)
				t->columns[4] = (struct column){ 0 };
			t->top = (uint32_t)l->options->top;
			t->more = "--top N";
		}
		struct row *row = table_row(t);
		row->cell[0] = value_text((*c)->name);
		row->cell[1] =
			value_interval((*c)->n[LOCK_WAIT_TOTAL], (*c)->wait_low, (*c)->wait_high);
		row->cell[1].how = VALUE_ESTIMATED;
		row->cell[2] = value_count((*c)->seen);
		row->cell[3] = site_value(l, (*c)->waiting);
		row->cell[4] = site_value(l, (*c)->holding);
	}
}

void locks_sampled(struct locks *l)
{
	take_all(l);
	answer(l);
	list(l, true, "waited", "WAITED FOR", "mutexes of the C library, by total wait");
	list(l, false, "events", "OTHER FUTEXES WAITED FOR",
	     "by total wait; work, conditions, ends of threads, and locks of other makers");
}
