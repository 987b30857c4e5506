/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/graph_worst.h"

#include <stdlib.h>
#include <string.h>

#include "base/sat.h"
#include "base/units.h"
#include "core/capture.h"

/* -- While the trace goes by ------------------------------------------------------------------- */

/* Slots are twice as many as parts, so that one is always free. */
static struct graph_part *part_of(struct graph_parts *p, uint32_t symbol)
{
	uint32_t slot = symbol * 0x9e3779b1u >> 24;
	_Static_assert(sizeof(p->slots) == 256, "a hash of eight bits");
	for (; p->slots[slot]; slot = (slot + 1) & 255) {
		struct graph_part *part = &p->at[p->slots[slot] - 1];
		if (part->symbol == symbol)
			return part;
	}
	if (p->n == GRAPH_PARTS)
		return &p->at[GRAPH_PARTS];
	p->at[p->n] = (struct graph_part){ .symbol = symbol, .slot = slot };
	p->slots[slot] = (uint8_t)++p->n;
	return &p->at[p->n - 1];
}

void graph_parts_add(struct graph_parts *p, uint32_t symbol, int64_t self, int64_t off)
{
	struct graph_part *part = part_of(p, symbol);
	part->calls++;
	part->parted += self != UNKNOWN;
	sat_sum(&part->self, self == UNKNOWN ? 0 : self);
	sat_sum(&part->off, off);
}

void graph_parts_clear(struct graph_parts *p)
{
	for (uint32_t i = 0; i < p->n; i++)
		p->slots[p->at[i].slot] = 0;
	p->n = 0;
	p->at[GRAPH_PARTS] = (struct graph_part){ 0 };
}

static void worst_take(struct graph_worst *to, const struct graph_worst *w,
		       const struct graph_parts *parts)
{
	__typeof__(to->parts) kept = to->parts; /* their room is used again */
	*to = *w;
	to->parts = kept;
	to->parts.n = 0;
	for (uint32_t i = 0; i < parts->n; i++)
		vec_push(&to->parts, parts->at[i]);
	if (parts->at[GRAPH_PARTS].calls) {
		vec_push(&to->parts, parts->at[GRAPH_PARTS]);
		vec_last(&to->parts)->slot = GRAPH_PART_OTHERS;
	}
}

void graph_worst_offer(struct graph_worst_list *l, const struct graph_worst *w,
		       const struct graph_parts *parts)
{
	size_t keep = l->keep == UNKNOWN ? 1 : (size_t)l->keep;
	bool over = l->threshold == UNKNOWN || w->dur > l->threshold;
	l->seen++;
	l->over += over;
	if (!over || !keep)
		return;
	if (l->n < keep) {
		vec_push(l, ((struct graph_worst){ 0 }));
		worst_take(vec_last(l), w, parts);
		return;
	}
	struct graph_worst *least = l->at;
	vec_each (k, l) {
		if (k->dur < least->dur)
			least = k;
	}
	if (w->dur > least->dur)
		worst_take(least, w, parts);
}

void graph_worst_fini(struct graph_worst_list *l)
{
	vec_each (w, l)
		vec_fini(&w->parts);
	vec_fini(l);
}

/* -- The report -------------------------------------------------------------------------------- */

static int worst_order(const void *a, const void *b)
{
	const struct graph_worst *x = a, *y = b;
	if (x->dur != y->dur)
		return x->dur < y->dur ? 1 : -1;
	return (x->first_line > y->first_line) - (x->first_line < y->first_line);
}

static int64_t part_time(const struct graph_part *p)
{
	return sat_add(p->self, p->off);
}

static int part_order(const void *a, const void *b)
{
	const struct graph_part *x = a, *y = b;
	int64_t tx = part_time(x), ty = part_time(y);
	return tx != ty ? (tx < ty ? 1 : -1) : (x->symbol > y->symbol) - (x->symbol < y->symbol);
}

static const char *name_of(const struct symbols *symbols, uint32_t symbol)
{
	const char *name = symbol ? symbols_text(symbols, symbol) : "";
	return *name ? name : "(not named)";
}

static void part_row(struct table *t, const char *name, const struct graph_part *p, int64_t whole)
{
	struct row *row = table_row(t);
	row->cell[0] = value_text(name);
	row->cell[1] = p->parted ? value_time(p->self) : value_none();
	row->cell[2] = p->parted || p->off ? value_share(part_time(p), whole) : value_none();
	row->cell[3] = p->calls ? value_count((int64_t)p->calls) : value_none();
	row->cell[4] = p->off ? value_time(p->off) : value_none();
}

static void parts_table(const struct graph_worst *w, const struct symbols *symbols, int64_t top,
			struct section *s, struct report *r)
{
	static const struct column columns[] = {
		{ "function", "", VALUE_TEXT },        { "self_ns", "self", VALUE_TIME },
		{ "share", "", VALUE_SHARE },          { "calls", "calls", VALUE_COUNT },
		{ "asleep_ns", "asleep", VALUE_TIME },
	};
	struct table *t = report_table(r, s, "parts");
	memcpy(t->columns, columns, sizeof(columns));
	if (!w->off)
		t->columns[4].title = NULL;
	t->top = (uint32_t)top;
	t->more = "--top N shows more";
	int64_t rest = w->dur;
	vec_each (p, &w->parts) {
		bool other = p->slot == GRAPH_PART_OTHERS;
		part_row(t, other ? "(other functions)" : name_of(symbols, p->symbol), p, w->dur);
		rest = sat_sub(rest, part_time(p));
	}
	if (rest > 0) /* where a part of a call is missing */
		part_row(t, "(not known)", &(struct graph_part){ .parted = 1, .self = rest },
			 w->dur);
}

static void tell(const struct graph_worst *w, size_t rank, const struct symbols *symbols,
		 int64_t top, struct report *r)
{
	struct arena *a = &r->arena;
	const char *name = name_of(symbols, w->symbol);
	const char *title = "THE LONGEST CALL";
	if (rank)
		title = arena_printf(a, "CALL, NUMBER %zu", rank + 1);
	struct section *s = report_section(r, "worst", title,
					   arena_printf(a, "%s, %s", units_time(w->dur).s, name));
	uint64_t calls = 0;
	vec_each (p, &w->parts)
		calls += p->calls;
	const char *asleep =
		w->off ? arena_printf(a, ", %s of it asleep", units_time(w->off).s) : "";
	struct finding *f = report_finding(
		r, s, "call",
		arena_printf(a, "%s function%s in %s call%s%s; what each took of it itself:",
			     units_count((int64_t)w->parts.n).s, w->parts.n == 1 ? "" : "s",
			     units_count((int64_t)calls).s, calls == 1 ? "" : "s", asleep));
	f->first_line = w->first_line;
	f->last_line = w->last_line;
	finding_fact(f, "function", value_text(name));
	finding_fact(f, "duration_ns", value_time(w->dur));
	finding_fact(f, "asleep_ns", value_time(w->off));
	finding_fact(f, "start_ns", w->start == UNKNOWN ? value_none() : value_time(w->start));
	parts_table(w, symbols, top, s, r);
}

void graph_worst_report(struct graph_worst_list *l, const struct symbols *symbols, int64_t top,
			struct report *r)
{
	struct arena *a = &r->arena;
	if (l->threshold != UNKNOWN && l->seen) {
		struct section *s = report_section(r, "threshold", NULL, NULL);
		struct finding *f = report_finding(
			r, s, "over",
			arena_printf(a, "%s of %s outermost calls took more than %s",
				     units_count((int64_t)l->over).s,
				     units_count((int64_t)l->seen).s, units_time(l->threshold).s));
		finding_fact(f, "over", value_count((int64_t)l->over));
		finding_fact(f, "calls", value_count((int64_t)l->seen));
		finding_fact(f, "threshold_ns", value_time(l->threshold));
	}
	/* Of one call alone, everything above tells. */
	if (l->keep == UNKNOWN && l->threshold == UNKNOWN && l->seen < 2)
		return;
	vec_sort(l, worst_order);
	for (size_t i = 0; i < l->n; i++) {
		vec_sort(&l->at[i].parts, part_order);
		tell(&l->at[i], i, symbols, top, r);
	}
}
