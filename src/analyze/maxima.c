/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/maxima.h"

#include "base/sat.h"
#include "base/units.h"

/* The maxima of one task in one kind of section. */
struct group {
	uint32_t task, section, line; /* line: of the largest */
	int64_t count, largest_us;
};

struct groups {
	VEC(struct group) rows;
};

static const char *name_text(const struct capture *c, uint32_t id, struct arena *a)
{
	return id ? arena_str(a, names_str(c->names, id)) : NULL;
}

static const char *task_text(const struct capture *c, uint32_t task, struct arena *a)
{
	struct task t = names_task_of(c->names, task);
	struct str comm = names_str(c->names, t.comm);
	return arena_printf(a, "%.*s-%d", STR_ARG(comm), t.pid);
}

static int by_key(const void *a, const void *b)
{
	const struct group *x = a, *y = b;
	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	if (x->section != y->section)
		return x->section < y->section ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

static int by_largest(const void *a, const void *b)
{
	const struct group *x = a, *y = b;
	if (x->largest_us != y->largest_us)
		return x->largest_us < y->largest_us ? 1 : -1;
	return (x->line > y->line) - (x->line < y->line);
}

static void groups_make(struct groups *g, const struct capture *c)
{
	vec_each (m, &c->maxima) {
		vec_push(&g->rows,
			 ((struct group){ m->task, m->section, m->line, 1, m->latency_us }));
	}
	vec_sort(&g->rows, by_key);
	size_t n = 0;
	vec_each (row, &g->rows) {
		struct group *last = n ? &g->rows.at[n - 1] : NULL;
		if (!last || last->task != row->task || last->section != row->section) {
			g->rows.at[n++] = *row;
			continue;
		}
		last->count++;
		if (row->largest_us > last->largest_us) {
			last->largest_us = row->largest_us;
			last->line = row->line;
		}
	}
	g->rows.n = n;
	qsort(g->rows.at, n, sizeof(*g->rows.at), by_largest);
}

static void report_groups(const struct capture *c, int64_t top, struct report *r)
{
	struct groups g = { 0 };
	groups_make(&g, c);
	struct section *s = report_section(r, "tasks", "WHOSE THEY ARE", NULL);
	struct table *t = report_table(r, s, "tasks");
	struct column columns[] = {
		{ "task", "", VALUE_TEXT },
		{ "section", "", VALUE_TEXT },
		{ "count", "times", VALUE_COUNT },
		{ "largest_ns", "largest", VALUE_TIME },
		{ "largest_line", "at line", VALUE_LINES },
	};
	memcpy(t->columns, columns, sizeof(columns));
	t->top = (uint32_t)top;
	t->more = "--top N shows more";
	vec_each (row, &g.rows) {
		struct row *out = table_row(t);
		out->cell[0] = value_text(task_text(c, row->task, &r->arena));
		out->cell[1] = value_text(name_text(c, row->section, &r->arena));
		out->cell[2] = value_count(row->count);
		out->cell[3] = value_time(sat_us(row->largest_us));
		out->cell[4] = value_lines(row->line, row->line);
	}
	vec_fini(&g.rows);
}

/* Columns that have nothing in any row are left out. */
struct list_columns {
	bool places, thresholds;
};

static struct list_columns columns_of(const struct capture *c)
{
	struct list_columns have = { false, false };
	vec_each (m, &c->maxima) {
		have.places |= m->started_at || m->ended_at;
		have.thresholds |= m->threshold_us != UNKNOWN;
	}
	return have;
}

static void list_row(const struct capture *c, const struct maximum *m, struct list_columns have,
		     struct report *r, struct row *out)
{
	struct value *cell = out->cell;
	*cell++ = value_time(sat_us(m->latency_us));
	if (have.thresholds)
		*cell++ = m->threshold_us == UNKNOWN ? value_none()
						     : value_time(sat_us(m->threshold_us));
	*cell++ = value_text(name_text(c, m->section, &r->arena));
	*cell++ = value_text(task_text(c, m->task, &r->arena));
	*cell++ = m->cpu == UNKNOWN ? value_none() : value_count(m->cpu);
	if (have.places) {
		*cell++ = value_text(name_text(c, m->started_at, &r->arena));
		*cell++ = value_text(name_text(c, m->ended_at, &r->arena));
	}
	*cell = value_lines(m->line, m->line);
}

static void report_list(const struct capture *c, int64_t top, struct report *r)
{
	struct list_columns have = columns_of(c);
	struct section *s = report_section(r, "maxima", "THE MAXIMA", "the last one first");
	struct table *t = report_table(r, s, "maxima");
	struct column *column = t->columns;
	*column++ = (struct column){ "latency_ns", "", VALUE_TIME };
	if (have.thresholds)
		*column++ = (struct column){ "threshold_ns", "threshold", VALUE_TIME };
	*column++ = (struct column){ "section", "", VALUE_TEXT };
	*column++ = (struct column){ "task", "", VALUE_TEXT };
	*column++ = (struct column){ "cpu", "CPU", VALUE_COUNT };
	if (have.places) {
		*column++ = (struct column){ "from", "from", VALUE_TEXT };
		*column++ = (struct column){ "to", "to", VALUE_TEXT };
	}
	*column = (struct column){ "line", "line", VALUE_LINES };
	t->top = (uint32_t)top;
	t->more = "--top N shows more";
	for (size_t i = c->maxima.n; i; i--)
		list_row(c, &c->maxima.at[i - 1], have, r, table_row(t));
}

/* A maximum is the largest so far, unless somebody has set it back. */
static void report_resets(const struct capture *c, struct report *r, struct section *s)
{
	int64_t resets = 0;
	const struct maximum *before = NULL, *first = NULL;
	vec_each (m, &c->maxima) {
		if (m->threshold_us != UNKNOWN)
			continue;
		if (before && m->latency_us < before->latency_us) {
			first = first ? first : m;
			resets++;
		}
		before = m;
	}
	if (!resets)
		return;
	struct finding *f = report_finding(
		r, s, "resets",
		arena_printf(&r->arena,
			     "the maximum was set back in between, %s time%s: what follows is the "
			     "largest since",
			     units_count(resets).s, resets == 1 ? "" : "s"));
	f->indent = 1;
	f->first_line = f->last_line = first->line;
	finding_fact(f, "resets", value_count(resets));
}

static const char *headline_text(const struct capture *c, int64_t n, const struct maximum *largest,
				 struct arena *a)
{
	const char *section = name_text(c, largest->section, a);
	const char *what =
		arena_printf(a, "%s (%s%sin %s)", units_time(sat_us(largest->latency_us)).s,
			     section ? section : "", section ? ", " : "",
			     task_text(c, largest->task, a));
	if (n == 1)
		return arena_printf(a, "The kernel's log tells of one latency: %s", what);
	return arena_printf(a,
			    "The kernel's log tells of %s latencies: the first %s, the longest %s",
			    units_count(n).s, units_time(sat_us(c->maxima.at[0].latency_us)).s,
			    what);
}

static void headline_facts(const struct capture *c, int64_t n, const struct maximum *largest,
			   struct finding *f, struct arena *a)
{
	struct task t = names_task_of(c->names, largest->task);
	finding_fact(f, "kind", value_text("maxima"));
	finding_fact(f, "count", value_count(n));
	finding_fact(f, "first_ns", value_time(sat_us(c->maxima.at[0].latency_us)));
	finding_fact(f, "last_ns", value_time(sat_us(vec_last(&c->maxima)->latency_us)));
	finding_fact(f, "largest_ns", value_time(sat_us(largest->latency_us)));
	finding_fact(f, "section", value_text(name_text(c, largest->section, a)));
	finding_fact(f, "comm", value_text(name_text(c, t.comm, a)));
	finding_fact(f, "pid", value_count(t.pid));
	finding_fact(f, "cpu", largest->cpu == UNKNOWN ? value_none() : value_count(largest->cpu));
}

void analyze_maxima(const struct capture *c, int64_t top, struct report *r)
{
	const struct maximum *largest = c->maxima.at;
	vec_each (m, &c->maxima) {
		if (m->latency_us > largest->latency_us)
			largest = m;
	}
	int64_t n = sat_add((int64_t)c->maxima.n, (int64_t)c->more_maxima);
	r->first_line = c->first_line;
	r->last_line = c->last_line;
	struct section *s = report_section(r, "headline", NULL, NULL);
	struct finding *f =
		report_finding(r, s, "headline", headline_text(c, n, largest, &r->arena));
	f->first_line = f->last_line = largest->line;
	headline_facts(c, n, largest, f, &r->arena);
	if (c->more_maxima)
		report_finding(r, s, "left_out",
			       arena_printf(&r->arena,
					    "only the first %s are kept: the others are "
					    "counted, and not looked at",
					    units_count((int64_t)c->maxima.n).s));
	if (n == 1)
		return;
	report_resets(c, r, s);
	report_groups(c, top, r);
	report_list(c, top, r);
}
