/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/profile.h"

#include "base/units.h"

static struct profile_row *profile_row(struct profile *p, const struct span *s)
{
	uint32_t symbol = s->kind == SPAN_TRACER ? 0 : s->what.id;
	size_t key = (size_t)symbol * 4 + s->kind;
	while (p->index.n <= key)
		vec_push(&p->index, 0);
	if (!p->index.at[key]) {
		vec_push(&p->rows, ((struct profile_row){ .symbol = symbol,
							  .kind = s->kind,
							  .next = s->next,
							  .first_line = s->event.line,
							  .max_line = s->event.line }));
		p->index.at[key] = (uint32_t)p->rows.n;
	}
	return &p->rows.at[p->index.at[key] - 1];
}

static void profile_gap(struct profile *p, const struct span *s)
{
	if (p->n_gaps == PROFILE_GAPS && s->dur <= p->gaps[PROFILE_GAPS - 1].dur)
		return;
	size_t i = p->n_gaps < PROFILE_GAPS ? p->n_gaps++ : PROFILE_GAPS - 1;
	for (; i && p->gaps[i - 1].dur < s->dur; i--)
		p->gaps[i] = p->gaps[i - 1];
	p->gaps[i] = *s;
}

static void profile_span(struct span_listener *l, const struct span *s)
{
	struct profile *p = (struct profile *)l;
	struct profile_row *row = profile_row(p, s);
	row->calls++;
	row->timed += s->timed;
	sat_sum(&row->total, s->dur);
	if (!names_task_of(p->symbols->names, s->event.task).pid)
		sat_sum(&p->idle_after, s->dur);
	if (s->next && row->next != s->next)
		row->next = row->calls == 1 ? s->next : 0;
	if (s->dur > row->max) {
		row->max = s->dur;
		row->max_line = s->event.line;
	}
	if (s->next_line && s->dur > 0)
		profile_gap(p, s);
}

void profile_init(struct profile *p, struct symbols *symbols)
{
	*p = (struct profile){ .listener = { profile_span }, .symbols = symbols };
}

void profile_fini(struct profile *p)
{
	vec_fini(&p->rows);
	vec_fini(&p->index);
}

const char *profile_name(const struct symbols *s, uint32_t symbol, enum span_kind kind,
			 struct arena *a)
{
	const char *name = symbols_text(s, symbol);
	switch (kind) {
	case SPAN_TRACER:
		return "(the tracer: stack dumps)";
	case SPAN_MARK:
		if (strcmp(name, "+") == 0)
			return "(wake-up line)";
		if (strcmp(name, "==>") == 0)
			return "(switch line)";
		if (strcmp(name, "0") == 0)
			return "(no symbol)";
		return arena_printf(a, "%s (mark)", name);
	case SPAN_EVENT:
		if (strcmp(name, "<") == 0)
			return "(system call return)";
		return *name ? arena_printf(a, "%s (event)", name) : "(values)";
	default:
		return name;
	}
}

static int row_order(const void *a, const void *b)
{
	const struct profile_row *x = a, *y = b;
	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return (x->first_line > y->first_line) - (x->first_line < y->first_line);
}

static void report_functions(struct profile *p, struct report *r, struct section *s, int64_t whole,
			     int64_t top)
{
	struct table *t = report_table(r, s, "functions");
	struct column columns[] = {
		{ "entry", "", VALUE_TEXT },
		{ "total_ns", "total", VALUE_TIME },
		{ "share", "", VALUE_SHARE },
		{ "calls", "calls", VALUE_COUNT },
		{ "each_ns", "each", VALUE_TIME },
		{ "longest_ns", "longest", VALUE_TIME },
		{ "longest_line", "at line", VALUE_LINES },
		{ "timed_calls", NULL, VALUE_COUNT },
	};
	memcpy(t->columns, columns, sizeof(columns));
	t->top = (uint32_t)top;
	t->more = "--top N shows more";

	vec_sort(&p->rows, row_order);
	vec_each (row, &p->rows) {
		struct row *out = table_row(t);
		out->cell[0] =
			value_text(profile_name(p->symbols, row->symbol, row->kind, &r->arena));
		out->cell[3] = value_count((int64_t)row->calls);
		out->cell[6] = value_lines(row->max_line, row->max_line);
		out->cell[7] = value_count((int64_t)row->timed);
		if (!row->timed)
			continue; /* nothing came after it: its time is not known */
		int64_t timed = (int64_t)row->timed;
		out->cell[1] = value_time(row->total);
		out->cell[2] = value_share(row->total, whole);
		out->cell[4] = value_time(sat_add(row->total, timed / 2) / timed);
		out->cell[5] = value_time(row->max);
	}
}

static const char *const context_names[CONTEXT_COUNT] = { "task", "softirq", "hardirq", "NMI" };

static void context_row(struct table *t, const char *name, int64_t total, int64_t whole)
{
	if (!total)
		return;
	struct row *row = table_row(t);
	row->cell[0] = value_text(name);
	row->cell[1] = value_time(total);
	row->cell[2] = value_share(total, whole);
}

static void report_contexts(const struct timeline *t, struct report *r, struct section *s,
			    int64_t whole)
{
	struct table *table = report_table(r, s, "contexts");
	struct column columns[] = { { "context", "in context", VALUE_TEXT },
				    { "total_ns", "", VALUE_TIME },
				    { "share", "", VALUE_SHARE } };
	memcpy(table->columns, columns, sizeof(columns));
	for (int c = 0; c < CONTEXT_COUNT; c++)
		context_row(table, context_names[c], t->context_time[c], whole);
	context_row(table, "idle", t->idle_time, whole);
	context_row(table, "the tracer", t->tracer_time, whole);
}

static uint64_t interruption_count(const struct timeline *t)
{
	uint64_t n = 0;
	for (int c = 0; c < CONTEXT_COUNT; c++)
		n += t->interruptions_of[c];
	return n;
}

/* "no interrupt was seen inside", no further than the data carry. */
static const char *calm_text(const struct timeline *t, const char *where, struct arena *a)
{
	const char *seen = timeline_is_cut(t) ? "no interrupt was seen in what is here"
					      : "no interrupt was seen inside";
	enum context began = event_context(&t->first);
	if (began != CONTEXT_TASK)
		seen = arena_printf(a,
				    "it begins in %s context, no other interrupt was seen inside",
				    context_names[began]);
	return arena_printf(a, "%s%s (an NMI, an SMI or a hypervisor would not show)", where, seen);
}

/* One context only: a sentence says it better than a table of one row. */
static void report_context_sentence(const struct timeline *t, struct report *r, struct section *s,
				    int64_t whole)
{
	int kinds = (t->idle_time > 0) + (t->tracer_time > 0), only = 0;
	for (int c = 0; c < CONTEXT_COUNT; c++) {
		if (t->context_time[c]) {
			kinds++;
			only = c;
		}
	}
	bool single = kinds == 1 && t->context_time[only];
	if (!single)
		report_contexts(t, r, s, whole);
	if (interruption_count(t))
		return;
	const char *where =
		single ? arena_printf(&r->arena, "all in %s context; ", context_names[only]) : "";
	struct finding *f = report_finding(r, s, "interruptions", calm_text(t, where, &r->arena));
	finding_fact(f, "count", value_count(0));
}

static int interruption_order(const void *a, const void *b)
{
	const struct interruption *x = a, *y = b;
	return (x->dur < y->dur) - (x->dur > y->dur);
}

static void report_interruptions(struct profile *p, struct timeline *t, struct report *r,
				 int64_t whole)
{
	uint64_t n = interruption_count(t);
	int64_t total = 0;
	for (int c = 0; c < CONTEXT_COUNT; c++)
		sat_sum(&total, t->interruption_time[c]);
	if (!n)
		return;
	struct section *s = report_section(r, "interruptions", "INTERRUPTIONS",
					   arena_printf(&r->arena, "%llu landed inside, %s, %s",
							(unsigned long long)n, units_time(total).s,
							units_share(total, whole).s));
	struct table *table = report_table(r, s, "interruptions");
	struct column columns[] = {
		{ "context", "", VALUE_TEXT },     { "first_entry", "", VALUE_TEXT },
		{ "cost_ns", "cost", VALUE_TIME }, { "share", "", VALUE_SHARE },
		{ "at_ns", "at", VALUE_TIME },     { "lines", "lines", VALUE_LINES },
	};
	memcpy(table->columns, columns, sizeof(columns));
	table->top = 5;
	table->more = "--format json has them";
	qsort(t->interruptions, t->n_interruptions, sizeof(t->interruptions[0]),
	      interruption_order);
	for (uint32_t i = 0; i < t->n_interruptions; i++) {
		const struct interruption *in = &t->interruptions[i];
		struct row *row = table_row(table);
		row->cell[0] = value_text(context_names[in->context]);
		row->cell[1] = value_text(symbols_text(p->symbols, in->symbol));
		row->cell[2] = value_time(in->dur);
		row->cell[3] = value_share(in->dur, whole);
		row->cell[4] = value_time(in->start);
		row->cell[5] = value_lines(in->first_line, in->last_line);
	}
}

/* Gaps that stand out: the longest, and others of at least a twentieth of the window. */
static void report_gaps(struct profile *p, struct report *r, int64_t whole)
{
	struct section *s = NULL;
	struct table *t = NULL;
	for (size_t i = 0; i < p->n_gaps; i++) {
		const struct span *g = &p->gaps[i];
		if (g->dur < whole / 20 && i)
			break;
		if (!s) {
			s = report_section(r, "gaps", "LONGEST GAPS",
					   "between one entry and the next");
			t = report_table(r, s, "gaps");
			struct column columns[] = {
				{ "gap_ns", "", VALUE_TIME },
				{ "share", "", VALUE_SHARE },
				{ "after", "after", VALUE_TEXT },
				{ "before", "before", VALUE_TEXT },
				{ "at_ns", "at", VALUE_TIME },
				{ "lines", "lines", VALUE_LINES },
			};
			memcpy(t->columns, columns, sizeof(columns));
			t->top = 3;
		}
		struct row *row = table_row(t);
		row->cell[0] = value_time(g->dur);
		row->cell[1] = value_share(g->dur, whole);
		row->cell[2] = value_text(profile_name(p->symbols, g->what.id, g->kind, &r->arena));
		row->cell[3] =
			value_text(profile_name(p->symbols, g->next, g->next_kind, &r->arena));
		row->cell[4] = value_time(g->event.time);
		row->cell[5] = value_lines(g->event.line, g->next_line);
	}
}

void profile_report(struct profile *p, struct timeline *t, int64_t top, struct report *r)
{
	int64_t whole = timeline_whole(t);
	bool cut = timeline_is_cut(t);
	struct section *s = report_section(r, "where", "WHERE THE TIME WENT",
					   cut ? "from entry to next entry; shares of what is here"
					       : "from entry to next entry");
	report_functions(p, r, s, whole, top);
	report_context_sentence(t, r, s, whole);
	report_interruptions(p, t, r, whole);
	report_gaps(p, r, whole);
}
