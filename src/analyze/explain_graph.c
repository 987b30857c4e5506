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

int analyze_graph(struct capture *c, struct source *s, const struct explain_options *o,
		  struct report *r, struct err *err)
{
	struct symbols symbols;
	struct graph_profile g;
	symbols_init(&symbols, c->names);
	graph_profile_init(&g, &symbols, o->cpu);
	g.worst.keep = o->sections.worst;
	g.worst.threshold = o->sections.threshold_ns;
	struct sink *sinks[] = { &g.sink };
	int ret = source_run(s, c, sinks, 1, r, err);
	if (!ret) {
		r->first_line = c->first_line;
		r->last_line = c->last_line;
		if (g.lines) {
			struct graph_report_options how = { o->top, o->tree, o->compare, &o->what_if };
			graph_report(&g, c, &how, r);
		} else {
			report_nothing(c, &g, r);
		}
	}
	graph_profile_fini(&g);
	arena_adopt(&r->arena, &symbols.folded.text); /* the report speaks in these names */
	symbols_fini(&symbols);
	return ret;
}
