/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/trust.h"

#include "analyze/verdict.h"
#include "base/units.h"

struct trust {
	const struct trust_input *in;
	struct report *report;
	struct verdict verdict;
};

static struct finding *reason(struct trust *t, enum trust_grade grade, const char *key,
			      const char *text)
{
	return verdict_reason(&t->verdict, grade, key, text);
}

/* Of the window's length: poor from a quarter on, fair from a twentieth on. */
static enum trust_grade grade_of_share(int64_t part, int64_t whole)
{
	return part > whole / 4 ? TRUST_POOR : part > whole / 20 ? TRUST_FAIR : TRUST_GOOD;
}

static void trust_lost(struct trust *t)
{
	const struct capture *c = t->in->capture;
	struct arena *a = &t->report->arena;
	if (c->lost_events == -1) {
		reason(t, TRUST_POOR, "lost_events",
		       "events were lost, the trace does not say how many");
	} else if (c->lost_events != UNKNOWN) {
		struct finding *f = reason(
			t, TRUST_POOR, "lost_events",
			arena_printf(a, "%s events were lost: no time is given across the loss",
				     units_count(c->lost_events).s));
		finding_fact(f, "lost", value_count(c->lost_events));
	}
	int64_t in = c->trace.entries_in_buffer, written = c->trace.entries_written;
	if (in == UNKNOWN || written == UNKNOWN || written <= in)
		return;
	struct finding *f =
		reason(t, TRUST_POOR, "overrun",
		       arena_printf(a, "the buffer overran: %s of %s entries were kept (%s)",
				    units_count(in).s, units_count(written).s,
				    units_share(in, written).s));
	finding_fact(f, "kept", value_count(in));
	finding_fact(f, "written", value_count(written));
}

/* Header against lines. -rt kernels count records that they do not print: a few too few are
 * no sign of a cut. */
static void trust_cut(struct trust *t)
{
	const struct capture *c = t->in->capture;
	struct arena *a = &t->report->arena;
	/* A line that could not be read is there all the same. */
	int64_t have = (int64_t)(t->in->entries + c->damaged);
	int64_t said = c->trace.entries_in_buffer;
	int64_t hidden = c->trace.style == TRACE_STYLE_RT ? 3 + said / 20 : 0;
	if (said != UNKNOWN && said > have + hidden) {
		struct finding *f = reason(
			t, have < said / 2 ? TRUST_POOR : TRUST_FAIR, "cut",
			arena_printf(a,
				     "the file holds %s of %s entries: it was cut; shares are of "
				     "what is here",
				     units_count(have).s, units_count(said).s));
		finding_fact(f, "entries_here", value_count(have));
		finding_fact(f, "entries_said", value_count(said));
	} else if (said != UNKNOWN && have > said) {
		reason(t, TRUST_FAIR, "more_than_said",
		       arena_printf(a, "there are %s entries and the header says %s",
				    units_count(have).s, units_count(said).s));
	}
	if (c->holes)
		reason(t, TRUST_FAIR, "holes",
		       arena_printf(a,
				    "lines were cut out by hand in %s place%s: no time is given "
				    "across",
				    units_count((int64_t)c->holes).s, c->holes == 1 ? "" : "s"));
}

static void trust_edges(struct trust *t)
{
	const struct timeline *tl = t->in->timeline;
	struct arena *a = &t->report->arena;
	int64_t length = timeline_length(tl), step = timeline_step(tl);
	if (!tl->window_of_header) {
		if (t->in->capture->trace.latency_us != UNKNOWN)
			reason(t, TRUST_POOR, "window",
			       "the header's latency does not fit the time stamps: the window here "
			       "is from the first entry to the last");
		return;
	}
	struct finding *f = report_finding(t->report, t->verdict.section, "coverage", NULL);
	finding_fact(f, "uncovered_head_ns", value_time(tl->head));
	finding_fact(f, "uncovered_tail_ns", value_time(tl->tail));
	finding_fact(f, "holes_ns", value_time(tl->holes));
	finding_fact(f, "covered_ns", value_time(tl->covered));
	if (tl->head > sat_mul(step, 2))
		reason(t, grade_of_share(tl->head, length), "head",
		       arena_printf(a, "its first %s (%s) are not in the text",
				    units_time(tl->head).s, units_share(tl->head, length).s));
	if (tl->tail > sat_mul(step, 2))
		reason(t, grade_of_share(tl->tail, length), "tail",
		       arena_printf(a, "its last %s (%s) are not covered", units_time(tl->tail).s,
				    units_share(tl->tail, length).s));
	if (tl->before)
		reason(t, TRUST_FAIR, "before",
		       arena_printf(a, "%s %s before the window's beginning %s left out",
				    units_count((int64_t)tl->before).s,
				    tl->before == 1 ? "entry" : "entries",
				    tl->before == 1 ? "is" : "are"));
	if (tl->after)
		reason(t, TRUST_GOOD, "after",
		       arena_printf(a, "%s %s after the window's end %s left out",
				    units_count((int64_t)tl->after).s,
				    tl->after == 1 ? "entry" : "entries",
				    tl->after == 1 ? "is" : "are"));
}

/* Time that falls between lines that are missing. */
static void trust_holes(struct trust *t)
{
	const struct timeline *tl = t->in->timeline;
	int64_t length = timeline_length(tl);
	if (tl->holes <= sat_mul(timeline_step(tl), 2))
		return;
	reason(t, grade_of_share(tl->holes, length), "holes_time",
	       arena_printf(&t->report->arena, "%s (%s) fall where lines or events are missing",
			    units_time(tl->holes).s, units_share(tl->holes, length).s));
}

/* One gap that is most of the window says only that something took long between two entries. */
static void trust_opaque(struct trust *t)
{
	const struct timeline *tl = t->in->timeline;
	int64_t whole = timeline_whole(tl);
	if (t->in->longest_gap <= whole / 2 || !whole)
		return;
	reason(t, TRUST_FAIR, "opaque",
	       arena_printf(&t->report->arena,
			    "one gap is %s of it, and nothing here says what ran in it",
			    units_share(t->in->longest_gap, whole).s));
}

static void trust_flags(struct trust *t)
{
	const struct headline *h = t->in->headline;
	if (headline_kind(h) != SECTION_IRQS_OFF || !h->irqs_on_inside)
		return;
	struct finding *f = reason(
		t, TRUST_POOR, "irqs_on_inside",
		arena_printf(
			&t->report->arena,
			"interrupts were on at %s of its entries: several sections may have been "
			"merged into one",
			units_count((int64_t)h->irqs_on_inside).s));
	f->first_line = f->last_line = h->irqs_on_line;
	finding_fact(f, "entries", value_count((int64_t)h->irqs_on_inside));
}

static void trust_clock(struct trust *t)
{
	const struct timeline *tl = t->in->timeline;
	struct arena *a = &t->report->arena;
	int64_t step = timeline_step(tl), length = timeline_length(tl);
	if (t->in->capture->trace.clock_ticks)
		reason(t, TRUST_POOR, "clock_ticks",
		       "the stamps count ticks of a clock, not time: the times here are wrong by "
		       "an "
		       "unknown factor");
	if (tl->backwards)
		reason(t, TRUST_POOR, "backwards",
		       arena_printf(a, "time runs backwards in %s place%s",
				    units_count((int64_t)tl->backwards).s,
				    tl->backwards == 1 ? "" : "s"));
	if (step <= length / 100 || !tl->entries)
		return;
	struct finding *f = reason(t, step > length / 10 ? TRUST_POOR : TRUST_FAIR, "clock_step",
				   arena_printf(a, "the clock ticks in %s, %s of the whole",
						units_time(step).s, units_share(step, length).s));
	finding_fact(f, "step_ns", value_time(step));
}

/* More than one entry every 5 us: what is traced is also what is slowed. */
static void trust_overhead(struct trust *t)
{
	const struct timeline *tl = t->in->timeline;
	struct arena *a = &t->report->arena;
	if (tl->entries >= 10 && tl->covered / (int64_t)tl->entries < 5000) {
		if (t->in->overhead_given)
			reason(t, TRUST_FAIR, "tracing",
			       "every function was traced, and tracing is in the figures, but for "
			       "those that have it taken out");
		else
			reason(t, TRUST_FAIR, "tracing",
			       "every function was traced, and tracing is in the figures "
			       "(--overhead "
			       "takes it out)");
	}
	if (tl->tracer_time > timeline_whole(tl) / 50) {
		struct finding *f =
			reason(t, grade_of_share(tl->tracer_time, timeline_whole(tl)),
			       "stack_dumps",
			       arena_printf(a, "the tracer's own stack dumps took %s of it (%s)",
					    units_time(tl->tracer_time).s,
					    units_share(tl->tracer_time, timeline_whole(tl)).s));
		finding_fact(f, "tracer_ns", value_time(tl->tracer_time));
	}
}

/* Nothing tells when the CPU goes idle behind an entry, nor when it wakes up. */
static void trust_idle(struct trust *t)
{
	int64_t idle = t->in->idle_after, whole = timeline_whole(t->in->timeline);
	if (idle <= whole / 20)
		return;
	struct finding *f =
		reason(t, TRUST_FAIR, "idle",
		       arena_printf(&t->report->arena,
				    "%s (%s) is from entries of the idle task to the next one: "
				    "idling is in it, and counts for the function before",
				    units_time(idle).s, units_share(idle, whole).s));
	finding_fact(f, "idle_ns", value_time(idle));
}

static void trust_graph(struct trust *t)
{
	if (!t->in->timeline->graphs)
		return;
	reason(t, TRUST_FAIR, "graph",
	       "a call's time is that from its entry to the next one, and what follows its end is "
	       "in it: the durations that the graph prints are not used");
}

static void trust_reading(struct trust *t)
{
	const struct capture *c = t->in->capture;
	const struct timeline *tl = t->in->timeline;
	struct arena *a = &t->report->arena;
	struct finding *damage = verdict_damage(
		&t->verdict, c->damaged > tl->lines / 20 ? TRUST_POOR : TRUST_FAIR, c);
	if (damage)
		finding_fact(damage, "lines", value_count((int64_t)c->damaged));
	if (tl->other_cpu)
		reason(t, TRUST_GOOD, "other_cpus",
		       arena_printf(a,
				    "%s entries of other CPUs are left out (--cpu N looks there)",
				    units_count((int64_t)tl->other_cpu).s));
	if (c->trace.corrupted)
		reason(t, TRUST_POOR, "corrupted",
		       "the kernel says that function tracing is corrupted and may miss events");
	if (t->in->tree->left_out)
		reason(t, TRUST_FAIR, "tree_full",
		       arena_printf(a,
				    "%s calls did not fit the call tree: loops may be incomplete",
				    units_count((int64_t)t->in->tree->left_out).s));
}

void trust_report(const struct trust_input *in, struct report *r)
{
	struct trust t = { .in = in, .report = r };
	verdict_begin(&t.verdict, r);
	trust_lost(&t);
	trust_cut(&t);
	trust_edges(&t);
	trust_holes(&t);
	trust_opaque(&t);
	trust_flags(&t);
	trust_clock(&t);
	trust_overhead(&t);
	trust_idle(&t);
	trust_graph(&t);
	trust_reading(&t);
	verdict_end(&t.verdict);
}
