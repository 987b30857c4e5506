/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The answer of a comparison, in one or two sentences, and what it is worth. */
#include <math.h>

#include "analyze/lock_diff_parts.h"
#include "analyze/lock_text.h"
#include "base/sat.h"
#include "base/units.h"
#include "stat/multiple.h"
#include "stat/rank.h"

#define SAME 0.005 /* of a factor, and less */

static const struct lock_ratio mean_hold = { LOCK_HOLD_TOTAL, LOCK_ACQUISITIONS };

/* new / base, of repeated runs the estimate that the interval belongs to. */
static double factor_of(const struct lock_move *m, int metric)
{
	double shift = m->test[metric].shift.mid;
	return isfinite(shift) ? exp(shift) : m->change[metric].factor;
}

/* "3489 times less often", "23 % less often" */
static const char *by_factor(struct lock_diff *d, double factor, enum value_how how,
			     const char *less, const char *more)
{
	struct arena *a = d->arena;
	const char *way = factor < 1 ? less : more;
	double times = factor < 1 ? 1 / factor : factor;
	if (times >= 2)
		return arena_printf(a, "%s times %s",
				    lock_diff_figure(d, how, lock_text_number(a, times)), way);
	return arena_printf(a, "%s %s",
			    lock_diff_figure(d, how, lock_text_percent(a, fabs(factor - 1))), way);
}

static const char *per_unit(const struct lock_diff *d)
{
	const char *unit = lock_unit_name(d);
	return *unit ? arena_printf(d->arena, " per %s", unit) : "";
}

/* What the metric does, as a predicate: "bounces 3489 times less often per acquisition". */
static const char *predicate(struct lock_diff *d, const struct lock_move *m, int metric)
{
	struct arena *a = d->arena;
	double f = factor_of(m, metric);
	if (!isfinite(f))
		return arena_printf(a, "moved in %s", lock_metric_name(d, metric));
	enum value_how how = lock_change_how(&m->change[metric]);
	switch (metric) {
	case LOCK_METRIC_BOUNCES:
		return arena_printf(a, "bounces %s per acquisition",
				    by_factor(d, f, how, "less often", "more often"));
	case LOCK_METRIC_RATE:
		return arena_printf(a, "is contended %s%s",
				    by_factor(d, f, how, "less often", "more often"), per_unit(d));
	case LOCK_METRIC_WAIT:
		return arena_printf(a, "costs %s waiting%s", by_factor(d, f, how, "less", "more"),
				    per_unit(d));
	default:
		return arena_printf(a, "is held %s%s", by_factor(d, f, how, "shorter", "longer"),
				    per_unit(d));
	}
}

/* "(39.9 % -> 0.0114 %)", and the interval of repeated runs */
static const char *from_to(struct lock_diff *d, const struct lock_move *m, int metric)
{
	const struct lock_test *t = &m->test[metric];
	bool million =
		metric == LOCK_METRIC_RATE && d->moves.ratio[metric].under == LOCK_ACQUISITIONS;
	const char *range = isfinite(t->shift.low) ? arena_printf(d->arena, "; %s",
								  lock_metric_change(d, m, metric))
						   : "";
	return arena_printf(d->arena, "(%s -> %s%s%s)", lock_metric_value(d, m, metric, LOCK_BASE),
			    lock_metric_value(d, m, metric, LOCK_NEW),
			    million ? " per million" : "", range);
}

static const char *mean_hold_text(struct lock_diff *d, const struct lock_change *hold, int side)
{
	return lock_diff_figure(d, hold->how[side], lock_text_mean(d->arena, hold->value[side]));
}

/* ", and is held 45.6 ns shorter": the second half, when holds are not the first. */
static const char *and_holds(struct lock_diff *d, const struct lock_move *m)
{
	if (m->lead == LOCK_METRIC_HOLD || !m->moved[LOCK_METRIC_HOLD])
		return ".";
	struct lock_change hold = lock_change_of(&mean_hold, m->pair);
	double by = hold.value[LOCK_NEW] - hold.value[LOCK_BASE];
	if (!isfinite(by))
		return ".";
	return arena_printf(d->arena, ", and is held %s %s (%s -> %s on average).",
			    lock_diff_figure(d, lock_change_how(&hold),
					     lock_text_duration(d->arena, fabs(by))),
			    by < 0 ? "shorter" : "longer", mean_hold_text(d, &hold, LOCK_BASE),
			    mean_hold_text(d, &hold, LOCK_NEW));
}

static const char *nothing_text(const struct lock_diff *d)
{
	struct lock_maybe m;
	if (!lock_diff_maybes(d, &m, 1))
		return "The two have no class of locks in common: nothing can be compared.";
	return arena_printf(d->arena,
			    "The two have no class of locks in common. But %s is possibly what is "
			    "now %s: --alias '%s=%s' compares them.",
			    m.base, m.new, m.base, m.new);
}

static const char *answer_text(struct lock_diff *d, const struct lock_move *m)
{
	if (!d->align.both)
		return nothing_text(d);
	if (!m && d->options->only)
		return arena_printf(d->arena, "No lock that matches '%s' is in both tables.",
				    d->options->only);
	if (!m)
		return "No lock is in both tables: what they share are maps of lockdep.";
	if (m->lead >= 0)
		return arena_printf(d->arena, "%s %s %s%s", m->pair->name, predicate(d, m, m->lead),
				    from_to(d, m, m->lead), and_holds(d, m));
	const char *who = d->moves.moved ? arena_printf(d->arena, "%s did not move", m->pair->name)
					 : "No lock moved";
	if (d->moves.testable)
		return arena_printf(d->arena,
				    "%s beyond what differs from run to run (%s, false discoveries "
				    "held to 5 %%).",
				    who,
				    lock_text_number_of(d->arena, d->moves.tests, "test", "tests"));
	return arena_printf(d->arena, "%s beyond what small counts can explain.", who);
}

/* What the change of bounces and of holds may mean together; the bound, and never a cause. */
static void meaning(struct lock_diff *d, struct section *s, const struct lock_move *m)
{
	struct lock_change hold = lock_change_of(&mean_hold, m->pair);
	const struct lock_change *bounces = &m->change[LOCK_METRIC_BOUNCES];
	double by = hold.value[LOCK_NEW] - hold.value[LOCK_BASE];
	double share = bounces->value[LOCK_NEW] - bounces->value[LOCK_BASE];
	if (!m->moved[LOCK_METRIC_BOUNCES] || fabs(share) < 0.01 || !isfinite(by))
		return;
	if (!m->moved[LOCK_METRIC_HOLD] && fabs(hold.factor - 1) < SAME) {
		lock_diff_say(d, s, "holds_did_not_move",
			      arena_printf(d->arena, "Its mean hold stayed the same (%s).",
					   mean_hold_text(d, &hold, LOCK_NEW)));
		return;
	}
	if (!m->moved[LOCK_METRIC_HOLD]) {
		lock_diff_say(d, s, "holds_did_not_move",
			      arena_printf(d->arena,
					   "Its mean hold moved no further than %s explains "
					   "(%s -> %s).",
					   d->moves.testable ? "what differs from run to run"
							     : "counting error",
					   mean_hold_text(d, &hold, LOCK_BASE),
					   mean_hold_text(d, &hold, LOCK_NEW)));
		return;
	}
	if (by * share <= 0) {
		report_finding(d->report, s, "not_bouncing",
			       "Holds went the other way than bounces: cache-line travel does not "
			       "explain it.");
		return;
	}
	double bound = by / share;
	enum value_how how = how_both(lock_change_how(&hold), lock_change_how(bounces));
	struct finding *f = lock_diff_say(
		d, s, "bound",
		arena_printf(d->arena,
			     "Consistent with cache-line travel, which is then at most %s a "
			     "bounce; a changed mix of callers, or work that moved into or out of "
			     "the lock, would look the same.",
			     lock_diff_figure(d, how, lock_text_duration(d->arena, bound))));
	finding_fact(f, "at_most_ps_a_bounce",
		     value_known(value_count(sat_round(1000 * bound)), how));
}

static const char *total_text(struct lock_diff *d, const struct lock_figures *f, enum lock_column c)
{
	return lock_diff_figure(d, f->how[c], lock_text_total(d->arena, (double)f->n[c]));
}

static void waiting(struct lock_diff *d, struct section *s, const struct lock_move *m)
{
	const struct lock_figures *base = &m->pair->sum[LOCK_BASE], *new = &m->pair->sum[LOCK_NEW];
	if (!lock_diff_waits_little(m))
		return;
	if (base->n[LOCK_CONTENTIONS] == 0 && new->n[LOCK_CONTENTIONS] == 0) {
		report_finding(d->report, s, "waiting", "Nobody waited for it in either.");
		return;
	}
	lock_diff_say(d, s, "waiting",
		      arena_printf(d->arena,
				   "Waiting is negligible in both: %s and %s in all, against %s "
				   "and %s of holding.",
				   total_text(d, base, LOCK_WAIT_TOTAL),
				   total_text(d, new, LOCK_WAIT_TOTAL),
				   total_text(d, base, LOCK_HOLD_TOTAL),
				   total_text(d, new, LOCK_HOLD_TOTAL)));
}

/*
 * What is compared, and what follows from so many runs
 */
static const char *runs_words(const struct lock_diff *d)
{
	size_t n = d->side[LOCK_BASE].n, m = d->side[LOCK_NEW].n;
	if (n == 1 && m == 1)
		return "one run each: sizes only, nothing can be inferred";
	if (d->options->paired)
		return arena_printf(d->arena, "%zu pairs of runs", n);
	return arena_printf(d->arena, "%zu and %zu runs, unpaired", n, m);
}

static void labels(struct lock_diff *d, struct section *s)
{
	const char *base = d->side[LOCK_BASE].label, *new = d->side[LOCK_NEW].label;
	const char *aside =
		arena_printf(d->arena, "%s, %s", d->side[LOCK_BASE].runs[0]->source, runs_words(d));
	bool fits = strlen(base) + strlen(new) + strlen(aside) + 6 <= 98;
	struct finding *f =
		report_finding(d->report, s, "compared",
			       fits ? arena_printf(d->arena, "%s -> %s", base, new) : aside);
	finding_fact(f, "base", value_text(base));
	finding_fact(f, "new", value_text(new));
	finding_fact(f, "base_runs", value_count((int64_t)d->side[LOCK_BASE].n));
	finding_fact(f, "new_runs", value_count((int64_t)d->side[LOCK_NEW].n));
	f->aside = fits ? aside : NULL;
	if (fits)
		return;
	report_finding(d->report, s, "base", arena_printf(d->arena, "base  %s", base))->indent = 1;
	report_finding(d->report, s, "new", arena_printf(d->arena, "new   %s", new))->indent = 1;
}

/* How many runs an interval takes, and how many it takes to name one class among all. */
static void missing_runs(struct lock_diff *d, struct section *s)
{
	const struct lock_moves *m = &d->moves;
	size_t have = d->side[LOCK_BASE].n < d->side[LOCK_NEW].n ? d->side[LOCK_BASE].n
								 : d->side[LOCK_NEW].n;
	size_t one = m->paired ? stat_pairs_needed(1, 1, LOCK_FALSE_SHARE)
			       : stat_runs_needed(1, 1, LOCK_FALSE_SHARE);
	size_t name = m->paired ? stat_pairs_needed(m->tests, 1, LOCK_FALSE_SHARE)
				: stat_runs_needed(m->tests, 1, LOCK_FALSE_SHARE);
	const char *what = m->paired ? "pairs" : "runs a side";
	if (!m->testable)
		report_finding(d->report, s, "too_few_for_intervals",
			       arena_printf(d->arena,
					    "No interval: %zu %s give none at 95 %%, it takes %zu; "
					    "what follows is told from counting error only.",
					    have, what, one));
	if (!m->tests || name <= have)
		return;
	struct finding *f = report_finding(
		d->report, s, "too_few_to_name_one",
		arena_printf(d->arena,
			     "Too few %s to name one class among %s tests: it takes %zu, %zu more.",
			     what, units_count((int64_t)m->tests).s, name, name - have));
	finding_fact(f, "needed", value_count((int64_t)name));
	finding_fact(f, "have", value_count((int64_t)have));
	finding_fact(f, "tests", value_count((int64_t)m->tests));
}

/* The intervals of what was named hold for all of them together. */
static void levels(struct lock_diff *d, struct section *s)
{
	const struct lock_moves *m = &d->moves;
	if (!m->testable || !m->selected)
		return;
	double alpha = stat_selected_alpha(m->selected, m->tests, LOCK_FALSE_SHARE);
	report_finding(
		d->report, s, "levels",
		arena_printf(d->arena,
			     "Intervals of what moved are at %.5g %%, so that 95 %% of them "
			     "hold though they were picked from %s; the others are at 95 %%.",
			     100 * (1 - alpha),
			     lock_text_number_of(d->arena, m->tests, "test", "tests")));
}

/* The error of a sample or an estimate comes on top of that of counting, and is not known. */
static void not_exact(struct lock_diff *d, struct section *s)
{
	bool any = false;
	vec_each (m, &d->moves.at) {
		for (int i = 0; i < LOCK_METRICS; i++)
			any |= isfinite(m->change[i].error) &&
			       lock_change_how(&m->change[i]) != VALUE_EXACT;
	}
	if (any && !d->moves.testable)
		report_finding(
			d->report, s, "not_exact",
			"Figures with ~ have an error of their own, which nobody knows: they "
			"may differ by more than counting explains though nothing moved.");
}

static void design(struct lock_diff *d, struct section *s)
{
	not_exact(d, s);
	if (!d->moves.repeated)
		return;
	missing_runs(d, s);
	levels(d, s);
	if (!d->options->paired)
		report_finding(d->report, s, "blocked",
			       "If the base's runs came first and the new ones after, drift cannot "
			       "be excluded: alternate them, and say --paired.");
}

static void unit(struct lock_diff *d, struct section *s, const struct lock_move *m)
{
	static const struct lock_ratio acquisitions = { LOCK_ACQUISITIONS, LOCK_PER_NOTHING };
	if (d->moves.ratio[LOCK_METRIC_RATE].under == LOCK_PER_NOTHING) {
		report_finding(d->report, s, "not_normalised",
			       "The tables hold no acquisitions: totals are compared as they are. "
			       "Give the work done with --per-work, or --seconds.");
		return;
	}
	if (d->options->by_span)
		report_finding(d->report, s, "by_span",
			       "Rates are per second of each trace, busy or idle: give the work done "
			       "with --per-work.");
	if (d->options->unit != LOCK_BY_ACQUISITIONS || !m)
		return;
	struct lock_change c = lock_change_of(&acquisitions, m->pair);
	const char *factor =
		lock_diff_figure(d, lock_change_how(&c), lock_text_factor(d->arena, c.factor));
	lock_diff_say(d, s, "outcome",
		      arena_printf(d->arena,
				   "Rates are per acquisition, and acquisitions are themselves an "
				   "outcome (%s): give the work done with --per-work.",
				   fabs(c.factor - 1) < SAME
					   ? "about as many here"
					   : arena_printf(d->arena, "%s here", factor)));
}

void lock_diff_answer(struct lock_diff *d, const struct lock_move *lead)
{
	struct section *s =
		d->options->of_traces
			? report_section(d->report, "answer", "LOCKS", "out of the traces' events")
			: report_section(d->report, "answer", NULL, NULL);
	struct finding *f = lock_diff_say(d, s, "answer", answer_text(d, lead));
	if (lead && lead->lead >= 0)
		finding_fact(f, "class", value_text(lead->pair->name));
	if (lead) {
		meaning(d, s, lead);
		waiting(d, s, lead);
	}
	labels(d, s);
	if (!d->align.both)
		return;
	design(d, s);
	unit(d, s, lead);
}
