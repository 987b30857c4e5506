/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/explain_graph.h"

#include "analyze/graph_profile.h"

static void report_nothing(const struct capture *c, const struct graph_profile *g, struct report *r)
{
	struct section *s = report_section(r, "empty", NULL, NULL);
	struct finding *f = report_finding(
		r, s, "no_entries",
		g->other_cpu ? arena_printf(&r->arena, "No calls of CPU %lld in this graph",
					    (long long)g->cpu)
			     : "A header without calls: there is nothing to explain");
	f->first_line = c->first_line;
	f->last_line = c->last_line;
}

/* What-if needs one section whose length depends on its turns; a graph holds many calls. */
static void report_no_what_if(const struct what_if *w, struct report *r)
{
	if (w->turns == UNKNOWN && w->budget_ns == UNKNOWN)
		return;
	struct section *s = report_section(r, "what_if", "WHAT IF", NULL);
	report_finding(
		r, s, "not_done",
		"not worked out for a function graph: a turn's cost is under LOOP, and which "
		"call's time is meant, the graph cannot tell");
}

int analyze_graph(struct capture *c, struct source *s, const struct explain_options *o,
		  struct report *r, struct err *err)
{
	struct symbols symbols;
	struct graph_profile g;
	symbols_init(&symbols, c->names);
	graph_profile_init(&g, &symbols, o->cpu);
	struct sink *sinks[] = { &g.sink };
	int ret = source_run(s, c, sinks, 1, r, err);
	if (!ret) {
		r->first_line = c->first_line;
		r->last_line = c->last_line;
		if (g.lines) {
			graph_report(&g, c, &(struct graph_report_options){ o->top, o->tree }, r);
			report_no_what_if(&o->what_if, r);
		} else {
			report_nothing(c, &g, r);
		}
	}
	graph_profile_fini(&g);
	arena_adopt(&r->arena, &symbols.folded.text); /* the report speaks in these names */
	symbols_fini(&symbols);
	return ret;
}
