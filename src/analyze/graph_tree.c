/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The folded call tree of a function graph, with the columns of tree.c; self times are exact. */
#include <stdlib.h>

#include "analyze/graph_profile.h"
#include "base/sat.h"

#define LEAST_SHARE 200 /* one in so many: half a percent */

struct tree {
	const struct graph_profile *g;
	int64_t whole;
	struct report *report;
	struct table *table;
	uint32_t *first, *next; /* children of a node, dearest first; 0 ends */
	int64_t *awake;         /* ns on the CPU, by node */
};

/* What is known of a call that is not complete is what it called. Parents come before children. */
static void tree_weigh(struct tree *t)
{
	int64_t *inside = mem_array(t->g->nodes.n, sizeof(*inside));
	for (size_t i = t->g->nodes.n - 1; i > 0; i--) {
		const struct graph_node *n = &t->g->nodes.at[i];
		int64_t own = sat_sub(n->total, n->off);
		t->awake[i] = own > inside[i] ? own : inside[i];
		sat_sum(&inside[n->parent], t->awake[i]);
	}
	free(inside);
}

/* Puts every node among its parent's children, by falling time on the CPU. */
static void tree_link(struct tree *t)
{
	for (uint32_t n = 1; n < t->g->nodes.n; n++) {
		if (!t->awake[n] || t->awake[n] < t->whole / LEAST_SHARE)
			continue;
		uint32_t *at = &t->first[t->g->nodes.at[n].parent];
		while (*at && t->awake[*at] >= t->awake[n])
			at = &t->next[*at];
		t->next[n] = *at;
		*at = n;
	}
}

static void tree_rows(struct tree *t, uint32_t parent, unsigned depth)
{
	for (uint32_t i = t->first[parent]; i; i = t->next[i]) {
		const struct graph_node *n = &t->g->nodes.at[i];
		struct row *row = table_row(t->table);
		row->indent = depth;
		const char *name = symbols_text(t->g->symbols, n->symbol);
		row->cell[0] = value_time(t->awake[i]);
		row->cell[1] = value_share(t->awake[i], t->whole);
		row->cell[2] = n->calls ? value_time(n->self) : value_none();
		row->cell[3] = n->calls ? value_count((int64_t)n->calls) : value_none();
		row->cell[4] =
			value_text(n->calls ? name : arena_printf(&t->report->arena, "(%s)", name));
		row->cell[5] = value_lines(n->first_line, n->last_line);
		tree_rows(t, i, depth + 1); /* no deeper than an event's depth */
	}
}

void graph_tree_report(const struct graph_profile *g, int64_t whole, struct report *r)
{
	struct section *s = report_section(
		r, "tree", "CALL TREE",
		"folded; from half a percent on; what incomplete calls called is in it");
	struct tree t = {
		.g = g,
		.whole = whole,
		.report = r,
		.table = report_table(r, s, "tree"),
		.first = mem_array(g->nodes.n, sizeof(*t.first)),
		.next = mem_array(g->nodes.n, sizeof(*t.next)),
		.awake = mem_array(g->nodes.n, sizeof(*t.awake)),
	};
	struct column columns[] = {
		{ "total_ns", "total", VALUE_TIME }, { "share", "", VALUE_SHARE },
		{ "self_ns", "own", VALUE_TIME },    { "calls", "calls", VALUE_COUNT },
		{ "function", "", VALUE_TEXT },      { "lines", "lines", VALUE_LINES },
	};
	memcpy(t.table->columns, columns, sizeof(columns));
	tree_weigh(&t);
	tree_link(&t);
	tree_rows(&t, 0, 0);
	free(t.first);
	free(t.next);
	free(t.awake);
}
