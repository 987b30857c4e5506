/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/explain.h"

#include "analyze/explain_trace.h"
#include "analyze/headline.h"
#include "analyze/profile.h"
#include "analyze/tree.h"
#include "analyze/trust.h"
#include "base/units.h"

/* Nothing to explain: a header alone, or no entry of the CPU that was asked for. */
static void report_nothing(const struct capture *c, const struct timeline *t, struct report *r)
{
	struct arena *a = &r->arena;
	struct section *s = report_section(r, "empty", NULL, NULL);
	const char *what = "A header without entries: there is nothing to explain";
	if (t->lines)
		what = arena_printf(a, "No entries of CPU %lld in this text, %s of other CPUs",
				    (long long)t->cpu, units_count((int64_t)t->lines).s);
	else if (c->trace.entries_in_buffer > 0)
		what = arena_printf(a,
				    "A header that says %s entries, and none of them in this text",
				    units_count(c->trace.entries_in_buffer).s);
	struct finding *f = report_finding(r, s, "no_entries", what);
	f->first_line = c->first_line;
	f->last_line = c->last_line;
}

struct analyses {
	struct timeline *timeline;
	struct headline *headline;
	struct wakeup *wakeup;
	struct profile *profile;
	struct calltree *tree;
};

static void report_all(const struct analyses *of, const struct capture *c,
		       const struct explain_options *o, struct report *r)
{
	headline_report(of->headline, of->timeline, of->wakeup, c, r);
	wakeup_report(of->wakeup, r);
	profile_report(of->profile, of->timeline, o->top, r);
	struct loop_list loops = { 0 };
	loops_collect(of->tree, of->timeline, LOOPS_DEAR, &loops);
	loops_report(of->tree, of->timeline, &loops, r);
	what_if_report(of->tree, &loops, of->timeline, &o->what_if, r);
	loops_fini(&loops);
	if (o->tree)
		tree_report(of->tree, of->timeline, r);
	struct trust_input in = {
		.capture = c,
		.timeline = of->timeline,
		.headline = of->headline,
		.tree = of->tree,
		.entries = of->timeline->lines + of->timeline->leaves,
		.longest_gap = of->profile->n_gaps ? of->profile->gaps[0].dur : 0,
		.overhead_given = o->what_if.overhead.given,
	};
	trust_report(&in, r);
}

int analyze_explain(struct capture *c, struct source *s, const struct explain_options *o,
		    struct report *r, struct err *err)
{
	if (capture_is_whole_trace(c))
		return analyze_explain_trace(c, s, o, r, err);
	struct symbols symbols;
	struct timeline timeline;
	struct headline headline;
	struct wakeup wakeup;
	struct profile profile;
	struct loop_pool loops;
	struct calltree tree;
	symbols_init(&symbols, c->names);
	timeline_init(&timeline, &symbols, o->cpu);
	headline_init(&headline, &symbols);
	wakeup_init(&wakeup, &symbols);
	profile_init(&profile, &symbols);
	loop_pool_init(&loops, sizeof(struct loop_stats));
	calltree_init(&tree, &symbols, &loops);
	timeline_listen(&timeline, &headline.listener);
	timeline_listen(&timeline, &wakeup.listener);
	timeline_listen(&timeline, &profile.listener);
	timeline_listen(&timeline, &tree.listener);

	/* The timeline hears of an event first: see wakeup_span. */
	struct sink *sinks[] = { &timeline.sink, &headline.sink, &wakeup.sink };
	int ret = source_run(s, c, sinks, 3, r, err);
	if (!ret) {
		calltree_close(&tree);
		r->first_line = c->first_line;
		r->last_line = c->last_line;
		if (timeline.entries)
			report_all(&(struct analyses){ &timeline, &headline, &wakeup, &profile,
						       &tree },
				   c, o, r);
		else
			report_nothing(c, &timeline, r);
	}
	calltree_fini(&tree);
	loop_pool_fini(&loops);
	profile_fini(&profile);
	arena_adopt(&r->arena, &symbols.folded.text); /* the report speaks in these names */
	symbols_fini(&symbols);
	return ret;
}
