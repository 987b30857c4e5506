/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/tree.h"

#include <stdlib.h>

#define LEAST_SHARE 200 /* one in so many: half a percent */

struct tree {
	const struct calltree *calls;
	int64_t whole, least;
	struct report *report;
	struct table *table;
	uint32_t *first, *next; /* children of a node, dearest first; 0 ends */
};

static int64_t node_total(const struct calltree *t, uint32_t node)
{
	return t->nodes.at[node].total;
}

/* Puts every node among its parent's children, by falling total. */
static void tree_link(struct tree *t)
{
	const struct calltree *c = t->calls;
	for (uint32_t n = 1; n < c->nodes.n; n++) {
		if (calltree_is_root(n) || node_total(c, n) < t->least || !node_total(c, n))
			continue;
		uint32_t *at = &t->first[c->nodes.at[n].parent];
		while (*at && node_total(c, *at) >= node_total(c, n))
			at = &t->next[*at];
		t->next[n] = *at;
		*at = n;
	}
}

static void tree_row(struct tree *t, uint32_t node, unsigned depth)
{
	const struct calltree_node *n = &t->calls->nodes.at[node];
	const char *name = symbols_text(t->calls->symbols, n->symbol);
	struct row *row = table_row(t->table);
	row->indent = depth;
	row->cell[0] = value_time(n->total);
	row->cell[1] = value_share(n->total, t->whole);
	row->cell[2] = n->synthetic ? value_none() : value_time(n->self);
	row->cell[3] = n->synthetic ? value_none() : value_count((int64_t)n->calls);
	row->cell[4] =
		value_text(n->synthetic ? arena_printf(&t->report->arena, "(%s)", name) : name);
	row->cell[5] = value_lines(n->first_line, n->last_line);
}

static void tree_rows(struct tree *t, uint32_t parent, unsigned depth)
{
	for (uint32_t n = t->first[parent]; n; n = t->next[n]) {
		tree_row(t, n, depth);
		tree_rows(t, n, depth + 1); /* no deeper than CALLTREE_DEPTH */
	}
}

void tree_report(const struct calltree *calls, const struct timeline *timeline, struct report *r)
{
	struct section *s = report_section(
		r, "tree", "CALL TREE",
		"folded; from half a percent on; (caller) was seen as a caller only");
	struct tree t = {
		.calls = calls,
		.whole = timeline_whole(timeline),
		.report = r,
		.table = report_table(r, s, "tree"),
		.first = mem_array(calls->nodes.n, sizeof(*t.first)),
		.next = mem_array(calls->nodes.n, sizeof(*t.next)),
	};
	t.least = t.whole / LEAST_SHARE;
	struct column columns[] = {
		{ "total_ns", "total", VALUE_TIME },
		{ "share", "", VALUE_SHARE },
		{ "entry_to_entry_ns", "own", VALUE_TIME },
		{ "calls", "calls", VALUE_COUNT },
		{ "function", "", VALUE_TEXT },
		{ "lines", "lines", VALUE_LINES },
	};
	memcpy(t.table->columns, columns, sizeof(columns));

	static const char *const names[CONTEXT_COUNT] = { "in task context", "in softirq",
							  "in hardirq", "in NMI" };
	tree_link(&t);
	for (uint32_t c = 0; c < CONTEXT_COUNT; c++) {
		if (!t.first[1 + c])
			continue;
		int64_t total = sat_add(timeline->context_time[c],
					c == CONTEXT_TASK ? timeline->idle_time : 0);
		struct row *row = table_row(t.table);
		row->cell[0] = value_time(total);
		row->cell[1] = value_share(total, t.whole);
		row->cell[4] = value_text(names[c]);
		tree_rows(&t, 1 + c, 1);
	}
	free(t.first);
	free(t.next);
}
