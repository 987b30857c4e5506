/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/explain.h"

#include "analyze/headline.h"
#include "analyze/profile.h"
#include "analyze/trust.h"

static void report_nothing(const struct capture *c, const struct timeline *t, struct report *r)
{
	struct section *s = report_section(r, "empty", NULL, NULL);
	const char *what =
		t->lines ? "no entries of this CPU in this text" : "no entries in this text";
	if (c->trace.entries_in_buffer > 0 && !t->lines)
		what = arena_printf(&r->arena, "a header that says %lld entries, and %s",
				    (long long)c->trace.entries_in_buffer, what);
	report_finding(r, s, "no_entries", what);
}

int analyze_explain(struct capture *c, struct source *s, const struct explain_options *o,
		    struct report *r, struct err *err)
{
	struct symbols symbols;
	struct timeline timeline;
	struct headline headline;
	struct profile profile;
	struct calltree tree;
	symbols_init(&symbols, c->names);
	timeline_init(&timeline, &symbols, o->cpu);
	headline_init(&headline, &symbols);
	profile_init(&profile, &symbols);
	calltree_init(&tree, &symbols);
	timeline_listen(&timeline, &headline.listener);
	timeline_listen(&timeline, &profile.listener);
	timeline_listen(&timeline, &tree.listener);

	/* The timeline hears of an event first: a stack dump's site belongs to what it ended. */
	struct sink *sinks[] = { &timeline.sink, &headline.sink };
	int ret = source_run(s, c, sinks, 2, r, err);
	if (!ret) {
		calltree_close(&tree);
		r->first_line = c->first_line;
		r->last_line = c->last_line;
		headline_report(&headline, &timeline, c, r);
		if (timeline.entries) {
			profile_report(&profile, &timeline, o->top, r);
			loops_report(&tree, &timeline, &o->what_if, r);
		} else {
			report_nothing(c, &timeline, r);
		}
		struct trust_input in = { c, &timeline, &headline, &tree,
					  o->what_if.overhead.given };
		trust_report(&in, r);
	}
	calltree_fini(&tree);
	profile_fini(&profile);
	arena_adopt(&r->arena, &symbols.folded.text); /* the report speaks in these names */
	symbols_fini(&symbols);
	return ret;
}
