/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/explain_trace.h"

#include <stdlib.h>

#include "analyze/explain_functions.h"
#include "analyze/explain_tracer.h"
#include "analyze/section.h"
#include "analyze/timeline.h"
#include "base/units.h"

bool capture_is_whole_trace(const struct capture *c)
{
	static const char *const formats[] = { "default", "graph", "trace-cmd", "trace-dat",
					       "perf-script" };
	const char *format = c->trace.format;
	if (c->kind == CAPTURE_TRACE && c->trace.samples)
		return true; /* in latency format, too */
	if (c->kind != CAPTURE_TRACE || c->trace.latency_us != UNKNOWN || !format)
		return false;
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (strcmp(format, formats[i]) == 0)
			return true;
	}
	return false;
}

/* What any trace has: how long it is, how many CPUs, what kinds of entries. */
struct extent {
	struct sink sink;
	bool begun;
	int64_t first, last;
	uint64_t entries, functions;
	VEC(uint64_t) of_cpu;
	VEC(uint64_t) named; /* events by the id of their name */
};

static void named_count(struct extent *x, uint32_t what)
{
	while (x->named.n <= what)
		vec_push(&x->named, 0);
	x->named.at[what]++;
}

static void extent_event(struct sink *sink, const struct event *e, const struct payload *p)
{
	(void)p;
	struct extent *x = (struct extent *)sink;
	x->entries++;
	if (event_kind(e) == EVENT_NAMED)
		named_count(x, e->what);
	x->functions += event_kind(e) == EVENT_FUNCTION || event_is_graph(e);
	if (!(e->kind & EVENT_NO_CPU)) {
		while (x->of_cpu.n <= e->cpu)
			vec_push(&x->of_cpu, 0);
		x->of_cpu.at[e->cpu]++;
	}
	if (e->kind & EVENT_NO_TIME)
		return;
	if (!x->begun || e->time < x->first)
		x->first = e->time;
	if (!x->begun || e->time > x->last)
		x->last = e->time;
	x->begun = true;
}

static int extent_begin(struct sink *sink, const struct capture *c, struct err *err)
{
	(void)sink, (void)c, (void)err;
	return 0;
}

static int extent_finish(struct sink *sink, const struct capture *c, struct report *r,
			 struct err *err)
{
	(void)sink, (void)c, (void)r, (void)err;
	return 0;
}

static const struct sink_ops extent_ops = {
	.wants = SINK_WANTS_ALL & ~(1u << EVENT_STACK | 1u << EVENT_LOST),
	.begin = extent_begin,
	.event = extent_event,
	.finish = extent_finish,
};

/* lines: as the kernel counts entries. */
static const char *lost_text(const struct capture *c, const struct extent *x, uint64_t lines,
			     struct arena *a)
{
	int64_t lost = c->lost_events, written = c->trace.entries_written;
	int64_t in = c->trace.entries_in_buffer;
	if (in != UNKNOWN && in > (int64_t)(lines + c->damaged) && (lost == UNKNOWN || !lost))
		return arena_printf(a, "%s of %s entries: the file was cut",
				    units_count((int64_t)lines).s, units_count(in).s);
	if (lost == UNKNOWN && written != UNKNOWN && written > c->trace.entries_in_buffer &&
	    c->trace.entries_in_buffer != UNKNOWN)
		return arena_printf(a, "%s entries of %s: the buffer kept no more",
				    units_count((int64_t)x->entries).s, units_count(written).s);
	const char *text = lost == UNKNOWN || !lost ? "none lost"
			   : lost < 0               ? "some lost"
				      : arena_printf(a, "%s lost", units_count(lost).s);
	return arena_printf(a, "%s %s, %s", units_count((int64_t)x->entries).s,
			    x->entries == 1 ? "entry" : "entries", text);
}

static void report_extent(const struct capture *c, const struct extent *x, uint64_t lines,
			  struct report *r)
{
	struct arena *a = &r->arena;
	const struct trace_header *h = &c->trace;
	size_t cpus = 0;
	vec_each (n, &x->of_cpu)
		cpus += *n > 0;
	struct section *s = report_section(r, "headline", NULL, NULL);
	if (!x->entries) {
		struct finding *f = report_finding(r, s, "no_entries",
						   "A trace without entries: there is nothing to "
						   "explain");
		f->first_line = c->first_line;
		f->last_line = c->last_line;
		return;
	}
	const char *kernel = h->kernel ? arena_printf(a, ", kernel %s", h->kernel) : "";
	const char *most = cpus ? arena_printf(a, " on %zu CPU%s", cpus, cpus > 1 ? "s" : "") : "";
	const char *length =
		h->clock_ticks ? "in ticks of its clock"
			       : arena_printf(a, "of %s", units_time(sat_sub(x->last, x->first)).s);
	struct finding *f = report_finding(r, s, "headline",
					   arena_printf(a, "A trace %s%s (%s%s)", length, most,
							h->format, kernel));
	f->aside = lost_text(c, x, lines, a);
	finding_fact(f, "kind", value_text("whole_trace"));
	finding_fact(f, "format", value_text(arena_str(a, str_of(h->format))));
	finding_fact(f, "kernel", value_text(h->kernel ? arena_str(a, str_of(h->kernel)) : NULL));
	bool ticks = h->clock_ticks; /* no ns */
	finding_fact(f, "length_ns", ticks ? value_none() : value_time(sat_sub(x->last, x->first)));
	finding_fact(f, "first_ns", ticks ? value_none() : value_time(x->first));
	finding_fact(f, "last_ns", ticks ? value_none() : value_time(x->last));
	finding_fact(f, "cpus", value_count((int64_t)cpus));
	finding_fact(f, "entries", value_count((int64_t)x->entries));
	bool whole = c->lost_events == UNKNOWN && h->entries_written != UNKNOWN &&
		     h->entries_written == h->entries_in_buffer;
	finding_fact(f, "lost",
		     whole                ? value_count(0)
		     : c->lost_events < 0 ? value_none()
					  : value_count(c->lost_events));
}

struct named {
	uint32_t what;
	uint64_t n;
};

static int named_order(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	return x->n != y->n ? (x->n < y->n ? 1 : -1) : (x->what > y->what) - (x->what < y->what);
}

/* Events that begin and end nothing: how many of each there are is all that can be said. */
static void report_named(const struct capture *c, const struct extent *x, int64_t top,
			 struct report *r)
{
	VEC(struct named) all = { 0 };
	for (uint32_t what = 0; what < x->named.n; what++) {
		if (x->named.at[what])
			vec_push(&all, ((struct named){ what, x->named.at[what] }));
	}
	if (all.n) {
		vec_sort(&all, named_order);
		struct section *s = report_section(r, "events", "EVENTS", NULL);
		struct table *t = report_table(r, s, "events");
		t->columns[0] = (struct column){ "event", "", VALUE_TEXT };
		t->columns[1] = (struct column){ "count", "count", VALUE_COUNT };
		t->top = (uint32_t)top;
		t->more = "--top N shows more";
		vec_each (n, &all) {
			struct row *row = table_row(t);
			row->cell[0] =
				value_text(arena_str(&r->arena, names_str(c->names, n->what)));
			row->cell[1] = value_count((int64_t)n->n);
		}
		report_finding(r, s, "no_sections",
			       "none of them begins or ends a section that is known: sched, irq, "
			       "lock and raw_syscalls events do");
	}
	vec_fini(&all);
}

static void report_locks(struct capture *c, const struct sections *sections,
			 const struct explain_options *o, struct report *r)
{
	struct lock_explain_options how = o->locks;
	how.top = o->top;
	if (!c->locks)
		return;
	analyze_locks(c, &how, r);
	sections_locks_report(sections, r);
}

/* What watches a whole trace go by. */
struct whole {
	struct extent extent;
	struct tracer tracer;
	struct functions functions;
	struct sections *sections;
};

static void report_all(struct capture *c, struct whole *w, const struct explain_options *o,
		       struct report *r)
{
	bool tracer = tracer_is(&w->tracer, c), sections = sections_saw_any(w->sections);
	r->first_line = c->first_line;
	r->last_line = c->last_line;
	if (tracer)
		tracer_report(&w->tracer, c, o->top, r);
	if (!tracer || sections)
		report_extent(c, &w->extent, w->functions.lines, r);
	if (w->extent.entries) {
		sections_locktab(w->sections, c);
		if (sections)
			sections_report(w->sections, r);
		else if (!w->extent.functions && !tracer)
			report_named(c, &w->extent, o->top, r);
		report_locks(c, w->sections, o, r);
		functions_report(&w->functions, o, r);
	}
	if (tracer)
		tracer_trust(&w->tracer, c, w->functions.lines, r);
}

int analyze_explain_trace(struct capture *c, struct source *s, const struct explain_options *o,
			  struct report *r, struct err *err)
{
	struct section_options how = o->sections;
	struct symbols symbols;
	struct whole w = { .extent.sink = { &extent_ops } };
	how.cpu = o->cpu;
	how.top = o->top;
	symbols_init(&symbols, c->names);
	functions_init(&w.functions, &symbols, o->cpu);
	tracer_init(&w.tracer, c->names, o);
	w.sections = sections_new(&how, &symbols);

	struct sink *sinks[] = { &w.extent.sink, sections_sink(w.sections), &w.functions.sink,
				 &w.tracer.sink };
	int ret = source_run(s, c, sinks, 4, r, err);
	if (!ret)
		report_all(c, &w, o, r);
	sections_free(w.sections);
	functions_fini(&w.functions);
	tracer_fini(&w.tracer);
	vec_fini(&w.extent.of_cpu);
	vec_fini(&w.extent.named);
	arena_adopt(&r->arena, &symbols.folded.text); /* the report speaks in these names */
	symbols_fini(&symbols);
	return ret;
}
