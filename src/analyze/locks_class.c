/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a row means, in sentences with the numbers that prove them, and its two lists of sites. */
#include <math.h>

#include "analyze/lock_text.h"
#include "analyze/locks_parts.h"
#include "base/units.h"

#define OFTEN 2     /* times the mean hold */
#define CLEARLY 1.1 /* times the longest hold */

struct class_report {
	struct locks *locks;
	const struct lock_class *class;
	struct section *section;
};

static struct finding *say(struct class_report *r, const char *key, const char *text)
{
	struct finding *f = locks_say(r->locks, r->section, key, text);
	f->aside = "";
	return f;
}

/* A figure of one column, or of two: marked as they are. */
static const char *mark(struct class_report *r, enum lock_column a, enum lock_column b,
			const char *figure)
{
	return locks_figure(r->locks, lock_how(r->class, a, b), figure);
}

static const char *time_text(struct class_report *r, enum lock_column c)
{
	return mark(r, c, c, arena_printf(r->locks->arena, "%s", units_time(r->class->n[c]).s));
}

/* ", 5 ms at most"; "" where it is not known: of the time between two looks, say. */
static const char *at_most(struct class_report *r, enum lock_column c)
{
	return r->class->n[c] == UNKNOWN
		       ? ""
		       : arena_printf(r->locks->arena, ", %s at most", time_text(r, c));
}

static const char *count_text(struct class_report *r, enum lock_column c)
{
	return mark(r, c, c, lock_text_count(r->locks->arena, r->class->n[c]));
}

static double figure(const struct lock_class *c, enum lock_column column)
{
	return c->n[column] == UNKNOWN ? NAN : (double)c->n[column];
}

/* Single locks were seen, and waits that failed: in a trace, or by whoever recorded a program. */
static bool knows_locks(const struct class_report *r)
{
	return r->locks->view.events || r->locks->view.run;
}

/* The exact figures, for JSON: what the sentences say follows from them. */
static void facts(struct class_report *r)
{
	struct finding *f = report_finding(r->locks->report, r->section, "class", NULL);
	finding_fact(f, "name", value_text(r->class->name));
	for (int c = 0; c < LOCK_COLUMNS; c++) {
		int64_t n = r->class->n[c];
		const char *key = lock_column_key((enum lock_column)c);
		if (c == LOCK_WAIT_AVG || c == LOCK_HOLD_AVG)
			continue;
		if (lock_column_is_time((enum lock_column)c))
			key = arena_printf(r->locks->arena, "%s_ns", key);
		finding_fact(f, key,
			     n == UNKNOWN ? value_none()
					  : value_known(value_count(n), r->class->how[c]));
	}
	if (!knows_locks(r))
		return;
	const struct lock_class *c = r->class;
	finding_fact(f, "failed", c->failed == UNKNOWN ? value_none() : value_count(c->failed));
	finding_fact(f, "locks",
		     c->instances == UNKNOWN ? value_none() : value_count(c->instances));
	finding_fact(f, "spin_ns", c->spin_ns == UNKNOWN ? value_none() : value_count(c->spin_ns));
}

static const char *of_acquisitions(struct class_report *r)
{
	const struct lock_class *c = r->class;
	double rate = locks_ratio(c, LOCK_CONTENTIONS, LOCK_ACQUISITIONS);
	if (isnan(rate))
		return arena_printf(r->locks->arena, "%s waits", count_text(r, LOCK_CONTENTIONS));
	return arena_printf(r->locks->arena, "%s of %s acquisitions waited (%s per million)",
			    count_text(r, LOCK_CONTENTIONS), count_text(r, LOCK_ACQUISITIONS),
			    mark(r, LOCK_CONTENTIONS, LOCK_ACQUISITIONS,
				 lock_text_number(r->locks->arena, 1e6 * rate)));
}

static void waits(struct class_report *r)
{
	const struct lock_class *c = r->class;
	struct arena *a = r->locks->arena;
	double mean = locks_ratio(c, LOCK_WAIT_TOTAL, LOCK_CONTENTIONS);
	if (c->n[LOCK_CONTENTIONS] == UNKNOWN)
		return;
	if (!c->n[LOCK_CONTENTIONS] && c->failed > 0)
		return;
	if (!(c->n[LOCK_CONTENTIONS] > 0) || isnan(mean)) {
		say(r, "waits",
		    c->n[LOCK_CONTENTIONS]
			    ? arena_printf(a, "%s; how long is not known.", of_acquisitions(r))
		    : c->rw == 'R' ? "No reader waited for it."
		    : c->rw        ? "No writer waited for it."
				   : "Nobody waited for it.");
		return;
	}
	say(r, "waits",
	    arena_printf(a, "%s: %s in all, %s on average%s.", of_acquisitions(r),
			 mark(r, LOCK_WAIT_TOTAL, LOCK_WAIT_TOTAL,
			      lock_text_total(a, figure(c, LOCK_WAIT_TOTAL))),
			 mark(r, LOCK_WAIT_TOTAL, LOCK_CONTENTIONS, lock_text_mean(a, mean)),
			 at_most(r, LOCK_WAIT_MAX)));
}

/* What lock_stat does not tell. */
static void details(struct class_report *r)
{
	const struct lock_class *c = r->class;
	struct arena *a = r->locks->arena;
	if (!knows_locks(r))
		return;
	if (c->spin_ns != UNKNOWN && c->n[LOCK_WAIT_TOTAL] > 0)
		say(r, "spinning",
		    arena_printf(a, "%s of the waiting it spun, the rest it slept.",
				 units_share(c->spin_ns, c->n[LOCK_WAIT_TOTAL]).s));
	if (c->failed > 0)
		say(r, "gave_up",
		    arena_printf(a, "%s%s ended without the lock, %s.", units_count(c->failed).s,
				 c->n[LOCK_CONTENTIONS] > 0 ? " more"
				 : c->failed == 1           ? " wait"
							    : " waits",
				 r->locks->view.run ? "timed out or refused"
						    : "interrupted or timed out"));
	if (c->instances > 1)
		say(r, "instances",
		    arena_printf(a, "%s locks are in this row.", units_count(c->instances).s));
}

static void holds(struct class_report *r)
{
	const struct lock_class *c = r->class;
	struct arena *a = r->locks->arena;
	double mean = locks_ratio(c, LOCK_HOLD_TOTAL, LOCK_ACQUISITIONS);
	if (isnan(mean))
		return;
	say(r, "holds",
	    arena_printf(a, "Held %s in all, %s on average%s.",
			 mark(r, LOCK_HOLD_TOTAL, LOCK_HOLD_TOTAL,
			      lock_text_total(a, figure(c, LOCK_HOLD_TOTAL))),
			 mark(r, LOCK_HOLD_TOTAL, LOCK_ACQUISITIONS, lock_text_mean(a, mean)),
			 at_most(r, LOCK_HOLD_MAX)));
}

static void bounces(struct class_report *r)
{
	double ratio = locks_ratio(r->class, LOCK_ACQ_BOUNCES, LOCK_ACQUISITIONS);
	if (isnan(ratio))
		return;
	const char *share = mark(r, LOCK_ACQ_BOUNCES, LOCK_ACQUISITIONS,
				 lock_text_percent(r->locks->arena, ratio));
	say(r, "bounces",
	    ratio < LOCKS_STAYS
		    ? arena_printf(r->locks->arena,
				   "It bounces little: %s of acquisitions came from another CPU "
				   "than the one before.",
				   share)
		    : arena_printf(r->locks->arena,
				   "It bounces: %s of acquisitions came from another CPU than the "
				   "one before, so that its cache line had to come over. What that "
				   "costs is not in one table.",
				   share));
}

static const char *longer_text(struct class_report *r)
{
	struct arena *a = r->locks->arena;
	const char *hold = time_text(r, LOCK_HOLD_MAX);
	enum value_how how = r->class->how[LOCK_HOLD_MAX];
	if (how == VALUE_SAMPLED || (r->locks->view.run && how != VALUE_EXACT))
		return arena_printf(
			a,
			"The longest wait is longer than the longest hold that was timed "
			"(%s). Most holds were not timed, and may be longer (--hold all "
			"times each); or there were several holders in turn, or it waited "
			"for its turn to run after it slept.",
			hold);
	return arena_printf(a,
			    "The longest wait is longer than the longest hold (%s): for several "
			    "holders in turn, for its turn to run after it slept, or for a hold "
			    "that is not counted here.",
			    hold);
}

/* What follows from waits and holds together. */
static void meaning(struct class_report *r)
{
	const struct lock_class *c = r->class;
	struct arena *a = r->locks->arena;
	double wait = figure(c, LOCK_WAIT_TOTAL), hold = figure(c, LOCK_HOLD_TOTAL);
	double mean_wait = locks_ratio(c, LOCK_WAIT_TOTAL, LOCK_CONTENTIONS);
	double mean_hold = locks_ratio(c, LOCK_HOLD_TOTAL, LOCK_ACQUISITIONS);
	if (wait > 0 && wait < LOCKS_NEGLIGIBLE * hold) {
		say(r, "negligible",
		    arena_printf(a, "Waiting is negligible beside holding: %s of it.",
				 mark(r, LOCK_WAIT_TOTAL, LOCK_HOLD_TOTAL,
				      lock_text_percent(a, wait / hold))));
		return;
	}
	if (c->n[LOCK_WAIT_MAX] != UNKNOWN && c->n[LOCK_HOLD_MAX] != UNKNOWN && wait > 0 &&
	    (double)c->n[LOCK_WAIT_MAX] > CLEARLY * (double)c->n[LOCK_HOLD_MAX])
		say(r, "longer_than_holds", longer_text(r));
	if (mean_wait > OFTEN * mean_hold)
		say(r, "long_waits",
		    arena_printf(
			    a,
			    "A wait takes %s times a mean hold: who waits meets the long holds, "
			    "or a queue%s.",
			    locks_figure(r->locks,
					 how_both(lock_how(c, LOCK_WAIT_TOTAL, LOCK_CONTENTIONS),
						  lock_how(c, LOCK_HOLD_TOTAL, LOCK_ACQUISITIONS)),
					 lock_text_number(a, mean_wait / mean_hold)),
			    r->locks->view.run ? ", or wakes long after its turn came" : ""));
}

/*
 * Readers and writers
 */
static const struct lock_class *other_half(const struct locks *l, const struct lock_class *c)
{
	const struct lock_class *first = l->view.classes.at;
	const struct lock_class *last = first + l->view.classes.n - 1;
	const struct lock_class *other = c->rw == 'W' && c < last    ? c + 1
					 : c->rw == 'R' && c > first ? c - 1
								     : NULL;
	if (!other || !other->rw || other->rw == c->rw || strcmp(other->base, c->base) != 0)
		return NULL;
	return other;
}

static const char *half_text(struct locks *l, const struct lock_class *c)
{
	double mean = locks_ratio(c, LOCK_WAIT_TOTAL, LOCK_CONTENTIONS);
	return arena_printf(
		l->arena, "%s %s of %s waited%s%s%s", c->rw == 'R' ? "of readers" : "of writers",
		locks_figure(l, c->how[LOCK_CONTENTIONS],
			     lock_text_count(l->arena, c->n[LOCK_CONTENTIONS])),
		locks_figure(l, c->how[LOCK_ACQUISITIONS],
			     lock_text_count(l->arena, c->n[LOCK_ACQUISITIONS])),
		isnan(mean) ? "" : ", on average ",
		isnan(mean) ? ""
			    : locks_figure(l, lock_how(c, LOCK_WAIT_TOTAL, LOCK_CONTENTIONS),
					   lock_text_mean(l->arena, mean)),
		c->failed > 0 ? arena_printf(l->arena, ", and %s in vain", units_count(c->failed).s)
			      : "");
}

static struct value contentions(const struct lock_class *c)
{
	int64_t n = c->n[LOCK_CONTENTIONS];
	return n == UNKNOWN ? value_none() : value_known(value_count(n), c->how[LOCK_CONTENTIONS]);
}

static void halves(struct class_report *r)
{
	const struct lock_class *other = other_half(r->locks, r->class);
	if (!other)
		return;
	const struct lock_class *readers = r->class->rw == 'R' ? r->class : other;
	const struct lock_class *writers = r->class->rw == 'R' ? other : r->class;
	struct finding *f =
		say(r, "halves",
		    arena_printf(r->locks->arena, "Readers against writers: %s; %s.",
				 half_text(r->locks, readers), half_text(r->locks, writers)));
	finding_fact(f, "reader_contentions", contentions(readers));
	finding_fact(f, "writer_contentions", contentions(writers));
}

/*
 * Sites
 */
static const char *place_name(struct arena *a, const struct lock_place *p)
{
	if (p->places > 1)
		return arena_printf(a, "%s (%u places)", p->symbol, p->places);
	return p->offset ? arena_printf(a, "%s%s", p->symbol, p->offset) : p->symbol;
}

static const char *sites_note(struct class_report *r, const struct lock_class *c,
			      const struct lock_places *p)
{
	struct arena *a = r->locks->arena;
	int64_t without = lock_without_site(c, p);
	const char *both = c->rw && other_half(r->locks, c) ? ", readers' and writers'" : "";
	if (without == UNKNOWN)
		return "how many waits have no site is not known";
	if (without < 0)
		return arena_printf(a, "of all contentions%s; waits that failed count here, too",
				    both);
	if (!without)
		return arena_printf(a, "of all contentions%s", both);
	return arena_printf(a, "of all contentions%s; %s have no site%s", both,
			    lock_text_how(a, c->sited_how, units_share(without, c->sited).s),
			    r->locks->view.lock_stat && !r->locks->view.run && p->listed >= 4
				    ? ": lock_stat keeps four"
				    : "");
}

static void sites(struct class_report *r, const struct lock_class *c, bool holding)
{
	static const struct column columns[TABLE_COLUMNS] = {
		{ "site", "", VALUE_TEXT },
		{ "contentions", "", VALUE_COUNT },
		{ "share", "", VALUE_SHARE },
		{ "remark", "", VALUE_TEXT },
	};
	struct lock_places all = lock_places_of(r->locks->arena, holding ? c->holding : c->waiting);
	const struct lock_places *p = &all;
	struct report *report = r->locks->report;
	if (!p->n)
		return;
	struct section *s = report_section(report, holding ? "held_at" : "waiting_at",
					   holding ? "HELD AT" : "WAITING AT", sites_note(r, c, p));
	struct table *t = report_table(report, s, "sites");
	memcpy(t->columns, columns, sizeof(t->columns));
	t->top = (uint32_t)r->locks->options->top;
	t->more = "--top N";
	for (size_t i = 0; i < p->n; i++) {
		struct row *row = table_row(t);
		const struct lock_place *at = &p->at[i];
		row->cell[0] = value_text(place_name(r->locks->arena, at));
		row->cell[1] = at->count == UNKNOWN ? value_none() : value_count(at->count);
		row->cell[2] =
			at->count == UNKNOWN || c->sited <= 0
				? value_none()
				: value_known(value_share(at->count, c->sited), c->sited_how);
		row->cell[3] = value_text(at->wrapper ? "a wrapper" : "");
	}
	bool wrapper = false;
	for (size_t i = 0; i < p->n; i++)
		wrapper |= p->at[i].wrapper;
	if (p->n > 1 && wrapper)
		report_finding(report, s, "wrappers",
			       "A wrapper takes the lock for its callers: who they are is not "
			       "told.");
	else if (wrapper)
		report_finding(report, s, "wrapper",
			       arena_printf(r->locks->arena,
					    "Its one site is a wrapper, the same for whoever takes "
					    "the lock: the table cannot say who %s.",
					    holding ? "holds it" : "waits"));
}

void locks_class(struct locks *l, const struct lock_class *c)
{
	struct class_report r = {
		l, c,
		report_section(l->report, "class", c->name,
			       c->line ? arena_printf(l->arena, "line %u", c->line) : NULL)
	};
	waits(&r);
	details(&r);
	holds(&r);
	bounces(&r);
	meaning(&r);
	halves(&r);
	facts(&r);
	sites(&r, lock_sited(c), false);
	sites(&r, lock_sited(c), true);
	locks_program_pairs(l, lock_sited(c));
	locks_program_stacks(l, lock_sited(c));
}
