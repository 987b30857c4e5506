/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/locks.h"

#include <math.h>

#include "analyze/lock_caution.h"
#include "analyze/lock_text.h"
#include "analyze/locks_parts.h"
#include "base/units.h"

const char *locks_figure(struct locks *l, enum value_how how, const char *figure)
{
	l->said = how_both(l->said, how);
	return lock_text_how(l->arena, how, figure);
}

struct finding *locks_say(struct locks *l, struct section *s, const char *key, const char *text)
{
	struct finding *f = report_finding(l->report, s, key, text);
	f->how = l->said;
	l->said = VALUE_EXACT;
	return f;
}

static void take_locks(struct locks *l)
{
	l->wait_total = l->hold_total = UNKNOWN;
	vec_reserve(&l->locks, l->view.classes.n);
	vec_each (c, &l->view.classes) {
		if (l->options->only ? !lock_name_matches(c->name, l->options->only)
				     : lock_is_map(c))
			continue;
		vec_push(&l->locks, c);
		l->wait_total = lock_sum(l->wait_total, c->n[LOCK_WAIT_TOTAL]);
		l->wait_how = how_both(l->wait_how, c->how[LOCK_WAIT_TOTAL]);
		l->hold_total = lock_sum(l->hold_total, c->n[LOCK_HOLD_TOTAL]);
		l->hold_how = how_both(l->hold_how, c->how[LOCK_HOLD_TOTAL]);
	}
}

static const char *total_figure(struct locks *l, const struct lock_class *c,
				enum lock_column column)
{
	return locks_figure(l, c->how[column], lock_text_total(l->arena, (double)c->n[column]));
}

static const char *count_figure(struct locks *l, const struct lock_class *c,
				enum lock_column column)
{
	return locks_figure(l, c->how[column], units_count(c->n[column]).s);
}

static const char *waits_figure(struct locks *l, const struct lock_class *c)
{
	return arena_printf(l->arena, "%s wait%s", count_figure(l, c, LOCK_CONTENTIONS),
			    c->n[LOCK_CONTENTIONS] == 1 ? "" : "s");
}

/* ", 66 % of all waiting"; "" if nothing else is waited for. */
static const char *share_of_waiting(struct locks *l, const struct lock_class *c)
{
	int64_t wait = c->n[LOCK_WAIT_TOTAL];
	if (wait == l->wait_total)
		return "";
	return arena_printf(l->arena, ", %s of all waiting",
			    locks_figure(l, l->wait_how, units_share(wait, l->wait_total).s));
}

/* What klockstat tells: the waits of all acquisitions, and not how many there were. */
static const char *uncounted_text(struct locks *l, const struct lock_class *c)
{
	const char *among = "";
	if (c->n[LOCK_ACQUISITIONS] != UNKNOWN)
		among = arena_printf(l->arena, " over %s acquisitions",
				     count_figure(l, c, LOCK_ACQUISITIONS));
	const char *most = "";
	if (c->n[LOCK_WAIT_MAX] != UNKNOWN)
		most = arena_printf(l->arena, "; %s at most",
				    locks_figure(l, c->how[LOCK_WAIT_MAX],
						 units_time(c->n[LOCK_WAIT_MAX]).s));
	return arena_printf(l->arena, "%s costs the most waiting: %s%s%s%s.", c->name,
			    total_figure(l, c, LOCK_WAIT_TOTAL), among, share_of_waiting(l, c),
			    most);
}

/* So little waiting that it is not what costs; then the bounces may be. */
static const char *negligible_text(struct locks *l, const struct lock_class *c)
{
	double part = (double)l->wait_total / (double)l->hold_total;
	if (l->hold_total == UNKNOWN || l->hold_total <= 0 || !(part < LOCKS_NEGLIGIBLE))
		return NULL;
	return arena_printf(l->arena, "Waiting is negligible, %s of holding: %s%s in %s%s.",
			    locks_figure(l, how_both(l->wait_how, l->hold_how),
					 lock_text_percent(l->arena, part)),
			    l->locks.n > 1 ? arena_printf(l->arena, "most for %s, ", c->name) : "",
			    total_figure(l, c, LOCK_WAIT_TOTAL),
			    waits_figure(l, c),
			    l->locks.n > 1 ? "" : arena_printf(l->arena, " for %s", c->name));
}

static const char *answer_text(struct locks *l, const struct lock_class *c)
{
	struct arena *a = l->arena;
	int64_t wait = c->n[LOCK_WAIT_TOTAL], count = c->n[LOCK_CONTENTIONS];
	double mean = locks_ratio(c, LOCK_WAIT_TOTAL, LOCK_CONTENTIONS);
	if (wait == UNKNOWN || wait <= 0 || (count != UNKNOWN && count <= 0))
		return NULL;
	if (count == UNKNOWN)
		return uncounted_text(l, c);
	const char *negligible = negligible_text(l, c);
	if (negligible)
		return negligible;
	const char *most = "";
	if (c->n[LOCK_WAIT_MAX] != UNKNOWN)
		most = arena_printf(a, ", %s at most",
				    locks_figure(l, c->how[LOCK_WAIT_MAX],
						 units_time(c->n[LOCK_WAIT_MAX]).s));
	return arena_printf(a, "%s costs the most waiting: %s in %s%s; %s on average%s.",
			    c->name, total_figure(l, c, LOCK_WAIT_TOTAL),
			    waits_figure(l, c), share_of_waiting(l, c),
			    locks_figure(l, lock_how(c, LOCK_WAIT_TOTAL, LOCK_CONTENTIONS),
					 lock_text_mean(a, mean)),
			    most);
}

/* Where waiting is nobody's trouble: the lock whose cache line travels most. */
static void bouncing(struct locks *l, struct section *s)
{
	const struct lock_class *most = NULL;
	vec_each (c, &l->locks) {
		if ((*c)->n[LOCK_ACQ_BOUNCES] > (most ? most->n[LOCK_ACQ_BOUNCES] : 0))
			most = *c;
	}
	double ratio = most ? locks_ratio(most, LOCK_ACQ_BOUNCES, LOCK_ACQUISITIONS) : NAN;
	if (!(ratio >= LOCKS_STAYS))
		return;
	enum value_how how = lock_how(most, LOCK_ACQ_BOUNCES, LOCK_ACQUISITIONS);
	struct finding *f = locks_say(
		l, s, "bouncing",
		arena_printf(l->arena,
			     "%s bounces%s: %s of its %s acquisitions came from another CPU than "
			     "the one before.",
			     most->name, l->locks.n > 1 ? " most" : "",
			     locks_figure(l, how, lock_text_percent(l->arena, ratio)),
			     count_figure(l, most, LOCK_ACQUISITIONS)));
	f->first_line = f->last_line = most->line;
	finding_fact(f, "class", value_text(most->name));
}

static const char *no_wait_text(struct locks *l)
{
	bool known = true;
	int64_t failed = 0;
	vec_each (c, &l->locks) {
		known &= (*c)->n[LOCK_CONTENTIONS] == 0;
		failed = lock_sum(failed, (*c)->failed);
	}
	if (!known)
		return "How long anybody waited is not known.";
	if (failed > 0)
		return arena_printf(l->arena,
				    "Nobody got a lock by waiting for it: %s without it.",
				    lock_text_number_of(l->arena, (size_t)failed, "wait ended",
							"waits ended"));
	return "Nobody waited for a lock.";
}

/* Without a wait that is known: sorted by total hold, then. */
static const char *held_text(struct locks *l, const struct lock_class *c)
{
	struct arena *a = l->arena;
	int64_t hold = c->n[LOCK_HOLD_TOTAL];
	const char *waits = no_wait_text(l);
	if (hold == UNKNOWN || hold <= 0)
		return waits;
	double mean = locks_ratio(c, LOCK_HOLD_TOTAL, LOCK_ACQUISITIONS);
	return arena_printf(
		a, "%s %s is held the longest: %s in all, %s on average.", waits, c->name,
		locks_figure(l, c->how[LOCK_HOLD_TOTAL], lock_text_total(a, (double)hold)),
		locks_figure(l, lock_how(c, LOCK_HOLD_TOTAL, LOCK_ACQUISITIONS),
			     lock_text_mean(a, mean)));
}

static const char *uncounted_run_text(const struct lock_run_facts *run)
{
	if (!run->processes)
		return "Nothing was counted: no process of it had the library that counts, or could "
		       "make a file of counts.";
	if (run->ended_unseen > 0 || run->processes_lost > 0 || run->locks_lost > 0)
		return "No lock was counted; but a part of the program was not seen.";
	return "No lock that can be seen from outside of the program was taken.";
}

static void answer_empty(struct locks *l, struct section *s)
{
	const char *text = "The table is empty.";
	if (l->options->only)
		text = arena_printf(l->arena, "No class of this table matches '%s'.",
				    l->options->only);
	else if (l->view.run && l->view.run->processes != UNKNOWN)
		text = uncounted_run_text(l->view.run);
	else if (l->view.classes.n)
		text = "No lock is in this table: what it has are maps of lockdep.";
	report_finding(l->report, s, "answer", text);
}

/* Sorted by total wait. */
static void answer(struct locks *l)
{
	struct section *s = l->answer;
	if (!l->locks.n) {
		answer_empty(l, s);
		return;
	}
	const struct lock_class *c = l->locks.at[0];
	const char *text = answer_text(l, c);
	struct finding *f = locks_say(l, s, "answer", text ? text : held_text(l, c));
	f->first_line = f->last_line = c->line;
	finding_fact(f, "class", value_text(c->name));
	if (l->options->only)
		return;
	if (!(l->wait_total > 0) ||
	    (double)l->wait_total < LOCKS_NEGLIGIBLE * (double)l->hold_total)
		bouncing(l, s);
}

/* The kinds of figures that no row has, by one column each. */
static const char *absent_text(struct locks *l)
{
	static const struct {
		enum lock_column column;
		const char *name;
	} kinds[] = {
		{ LOCK_WAIT_TOTAL, "waits" },          { LOCK_CONTENTIONS, "how many waited" },
		{ LOCK_ACQUISITIONS, "acquisitions" }, { LOCK_ACQ_BOUNCES, "bounces" },
		{ LOCK_HOLD_TOTAL, "holds" },
	};
	struct strbuf cleanup_strbuf text = { 0 };
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		bool known = false;
		vec_each (c, &l->locks)
			known |= (*c)->n[kinds[i].column] != UNKNOWN;
		if (!known)
			strbuf_printf(&text, "%s%s", text.n ? ", " : "", kinds[i].name);
	}
	return text.n ? arena_str(l->arena, strbuf_get(&text)) : NULL;
}

/* What is in the table, and what is left out of it. */
static void inventory(struct locks *l)
{
	struct section *s = l->answer;
	struct arena *a = l->arena;
	if (l->view.run) {
		locks_program_run(l, s);
		return;
	}
	size_t waited = 0;
	vec_each (c, &l->locks) {
		int64_t count = (*c)->n[LOCK_CONTENTIONS];
		waited += count == UNKNOWN ? (*c)->n[LOCK_WAIT_TOTAL] > 0 : count > 0;
	}
	const char *label = l->view.label ? arena_printf(a, "%s: ", l->view.label) : "";
	bool names = l->view.lock_stat && !l->view.events;
	const char *total =
		l->wait_total == UNKNOWN
			? ""
			: arena_printf(a, ", %s waited for: %s in all",
				       units_count((int64_t)waited).s,
				       locks_figure(l, l->wait_how,
						    lock_text_total(a, (double)l->wait_total)));
	struct finding *f = locks_say(
		l, s, "inventory",
		arena_printf(a, "%s%s%s%s%s.", label, l->view.events ? "" : l->view.source,
			     l->view.events ? "" : ", ",
			     names ? lock_text_number_of(a, l->locks.n, "lock", "locks")
				   : lock_text_number_of(a, l->locks.n, "row", "rows"),
			     total));
	f->first_line = l->view.first_line;
	f->last_line = l->view.last_line;
	finding_fact(f, "locks", value_count((int64_t)l->locks.n));
	finding_fact(f, "waited_for", value_count((int64_t)waited));
	const char *absent = l->options->only ? NULL : absent_text(l);
	if (absent)
		report_finding(l->report, s, "absent", arena_printf(a, "Not in it: %s.", absent));
	if (!l->view.maps || l->options->only)
		return;
	f = report_finding(l->report, s, "maps",
			   arena_printf(a,
					"%s of lockdep and no lock (rcu_read_lock, work items, "
					"timers, seqcounts): left out.",
					lock_text_number_of(a, l->view.maps, "row is a map",
							    "rows are maps")));
	finding_fact(f, "maps", value_count((int64_t)l->view.maps));
}

/* Is there more to tell of the row than the lists do? */
static bool is_rich(const struct lock_class *c)
{
	return c->waiting->n || c->holding->n || c->n[LOCK_HOLD_TOTAL] != UNKNOWN;
}

/* The first by total wait, or all that were asked for. */
static void tell_classes(struct locks *l)
{
	size_t most = l->options->only ? (size_t)l->options->top : 1;
	for (size_t i = 0; i < l->locks.n && i < most; i++) {
		if (l->options->only || is_rich(l->locks.at[i]))
			locks_class(l, l->locks.at[i]);
	}
}

static void finish(struct locks *l)
{
	const struct lock_view *view = &l->view;
	lock_caution_report(&view, 1, l->report);
	vec_fini(&l->locks);
	arena_adopt(l->arena, &l->view.arena); /* the names in it are in the report */
	lock_view_fini(&l->view);
}

void analyze_locks(const struct capture *c, const struct lock_explain_options *o, struct report *r)
{
	struct locks l = { .options = o, .report = r, .arena = &r->arena };
	lock_view_init(&l.view, c);
	/* In the report of a trace it is one part of many. */
	l.answer = l.view.events ? report_section(r, "locks", "LOCKS", "out of the trace's events")
				 : report_section(r, "answer", NULL, NULL);
	r->first_line = c->first_line;
	r->last_line = c->last_line;
	if (locktab_is_sampled(c->locks)) {
		locks_sampled(&l);
		finish(&l);
		return;
	}
	take_locks(&l);
	locks_sort(&l, LOCK_SORT_WAIT);
	answer(&l);
	if (l.locks.n) {
		bool holds_first = o->sort >= LOCK_SORT_HOLD;
		inventory(&l);
		if (l.locks.n > 1) {
			locks_sort(&l, o->sort);
			(holds_first ? locks_held : locks_waited)(&l, o->sort);
			enum lock_sort then = holds_first ? LOCK_SORT_WAIT : LOCK_SORT_HOLD;
			locks_sort(&l, then);
			(holds_first ? locks_waited : locks_held)(&l, then);
		}
		locks_sort(&l, LOCK_SORT_WAIT);
		tell_classes(&l);
	} else if (l.view.run)
		locks_program_run(&l, l.answer);
	locks_program_events(&l);
	finish(&l);
}
