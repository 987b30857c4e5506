/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the timerlat tracer says, answer first: see timerlat.h. */
#include <stdlib.h>

#include "analyze/timerlat.h"
#include "base/sat.h"
#include "base/units.h"

#define FRAMES_SHOWN 4

static const char *context_text(const struct timerlat *t, uint32_t name, struct arena *a)
{
	return arena_str(a, names_str(t->names, name));
}

/* -- Samples -------------------------------------------------------------------------------- */

static int by_context(const void *a, const void *b)
{
	const struct timerlat_series *x = a, *y = b;
	if (x->context != y->context)
		return x->context < y->context ? -1 : 1;
	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

static struct value known_time(int64_t ns)
{
	return ns == UNKNOWN ? value_none() : value_time(ns);
}

static void latency_row(struct table *t, const char *who, const struct histogram *h, uint32_t line)
{
	struct row *row = table_row(t);
	row->cell[0] = value_text(who);
	row->cell[1] = value_count((int64_t)h->n);
	row->cell[2] = value_time(h->min);
	row->cell[3] = known_time(histogram_mean(h));
	row->cell[4] = known_time(histogram_quantile(h, 50, 100));
	row->cell[5] = known_time(histogram_quantile(h, 99, 100));
	row->cell[6] = value_time(h->max);
	row->cell[7] = value_lines(line, line);
}

/* The rows of one context, all CPUs first. */
static size_t latency_context(const struct timerlat *t, size_t from, struct table *table,
			      struct arena *a)
{
	const struct timerlat_series *s = &t->series.at[from];
	const char *context = context_text(t, s->context, a);
	struct histogram all = { 0 };
	uint32_t line = s->max_line;
	size_t end = from;
	for (; end < t->series.n && t->series.at[end].context == s->context; end++) {
		if (t->series.at[end].latency.max > all.max || !all.n)
			line = t->series.at[end].max_line;
		histogram_merge(&all, &t->series.at[end].latency);
	}
	if (end - from > 1)
		latency_row(table, arena_printf(a, "%s, all CPUs", context), &all, line);
	for (size_t i = from; i < end; i++)
		latency_row(table, arena_printf(a, "%s, CPU %u", context, t->series.at[i].cpu),
			    &t->series.at[i].latency, t->series.at[i].max_line);
	histogram_fini(&all);
	return end;
}

static void report_latency(struct timerlat *t, struct report *r)
{
	static const struct column columns[] = {
		{ "context", "", VALUE_TEXT },         { "samples", "samples", VALUE_COUNT },
		{ "min_ns", "min", VALUE_TIME },       { "mean_ns", "mean", VALUE_TIME },
		{ "median_ns", "median", VALUE_TIME }, { "p99_ns", "99 %", VALUE_TIME },
		{ "max_ns", "max", VALUE_TIME },       { "max_line", "at line", VALUE_LINES },
	};
	struct section *s = report_section(r, "latency", "LATENCY",
					   "after the time for which the timer was set");
	struct table *table = report_table(r, s, "latency");
	memcpy(table->columns, columns, sizeof(columns));
	vec_sort(&t->series, by_context);
	for (size_t i = 0; i < t->series.n;)
		i = latency_context(t, i, table, &r->arena);
}

/* -- Headline ------------------------------------------------------------------------------- */

static const struct timerlat_series *worst_of(const struct timerlat *t, uint32_t context)
{
	const struct timerlat_series *worst = NULL;
	vec_each (s, &t->series) {
		if (context && s->context == context && s->latency.n &&
		    (!worst || s->latency.max > worst->latency.max))
			worst = s;
	}
	return worst;
}

static void report_headline(const struct timerlat *t, struct report *r)
{
	struct arena *a = &r->arena;
	struct section *s = report_section(r, "headline", NULL, NULL);
	const struct timerlat_series *thread = worst_of(t, t->thread_name);
	const struct timerlat_series *irq = worst_of(t, t->irq_name);
	const struct timerlat_series *top = thread ? thread : irq;
	if (!top) {
		vec_each (other, &t->series) {
			if (!top || other->latency.max > top->latency.max)
				top = other;
		}
	}
	const char *what = top == thread ? "the timer's thread ran"
			   : top == irq  ? "the timer's interrupt came"
					 : "the sample was";
	struct finding *f =
		report_finding(r, s, "headline",
			       arena_printf(a, "timerlat: at worst %s %s late, on CPU %u", what,
					    units_time(top->latency.max).s, top->cpu));
	f->first_line = f->last_line = top->max_line;
	finding_fact(f, "kind", value_text("timerlat"));
	finding_fact(f, "latency_ns", value_time(top->latency.max));
	finding_fact(f, "cpu", value_count(top->cpu));
	finding_fact(f, "samples", value_count((int64_t)t->samples));
	const char *also = "";
	if (thread && irq)
		also = arena_printf(a, "; the interrupt alone at worst %s, on CPU %u",
				    units_time(irq->latency.max).s, irq->cpu);
	struct finding *n =
		report_finding(r, s, "samples",
			       arena_printf(a, "%s sample%s%s", units_count((int64_t)t->samples).s,
					    t->samples == 1 ? "" : "s", also));
	n->indent = 1;
}

/* -- Spikes --------------------------------------------------------------------------------- */

/* The handler of the timer itself: the first interrupt, begun when the irq row was written. The
 * row's stamp is rounded to a microsecond. */
static const struct timerlat_part *timer_irq(const struct timerlat_activation *a)
{
	for (uint32_t i = 0; i < a->n_parts; i++) {
		const struct timerlat_part *p = &a->part[i];
		if (p->point == POINT_NOISE_IRQ && p->start <= sat_add(a->irq_stamp, 500))
			return p;
	}
	return NULL;
}

/* From the time that the timer was set for to the start of its handler; without osnoise events to
 * the row that the handler wrote. */
static int64_t irq_delay(const struct timerlat_activation *a)
{
	const struct timerlat_part *timer = timer_irq(a);
	if (a->irq == UNKNOWN || !timer)
		return a->irq;
	int64_t delay = sat_add(sat_sub(timer->start, a->irq_stamp), a->irq);
	return delay < 0 ? 0 : delay > a->irq ? a->irq : delay;
}

static const char *task_text(const struct timerlat *t, uint32_t task, struct arena *a)
{
	struct task who = names_task_of(t->names, task);
	return arena_printf(a, "%.*s-%d", STR_ARG(names_str(t->names, who.comm)), who.pid);
}

static void part_row(struct table *table, const char *what, struct value dur, int64_t whole,
		     uint32_t line)
{
	struct row *row = table_row(table);
	row->cell[0] = value_text(what);
	row->cell[1] = dur;
	row->cell[2] = value_known(value_share(dur.number, whole), dur.how);
	row->cell[3] = value_lines(line, line);
}

/* What a noise was to this activation. */
static const char *part_text(const struct timerlat *t, const struct timerlat_activation *a,
			     const struct timerlat_part *p, struct arena *arena)
{
	const char *name = noise_text(t->names, p->point, p->name, p->number, arena);
	if (p == timer_irq(a))
		return arena_printf(arena, "%s: the timer's own handler", name);
	if (p->point == POINT_NOISE_THREAD) {
		bool blocking = p->number == names_task_of(t->names, a->interrupted).pid;
		return arena_printf(arena, "%s: %s", name,
				    blocking ? "ran when the timer fired"
					     : "ran before the thread");
	}
	return name;
}

/* Who held the timer's interrupt up: interrupts before it, and who ran. */
static void delay_rows(const struct timerlat *t, const struct timerlat_activation *a, int64_t whole,
		       struct arena *arena, struct table *table)
{
	int64_t rest = irq_delay(a);
	for (uint32_t i = 0; i < a->n_before && rest > 0; i++) {
		const struct timerlat_part *p = &a->before[i];
		int64_t dur = p->dur < rest ? p->dur : rest;
		rest -= dur;
		part_row(table,
			 arena_printf(arena, "%s: ran when the timer was due",
				      noise_text(t->names, p->point, p->name, p->number, arena)),
			 value_time(dur), whole, p->line);
	}
	bool idle = !names_task_of(t->names, a->interrupted).pid;
	part_row(table,
		 idle ? "the interrupt's delay, while the CPU was idle"
		      : arena_printf(arena, "the interrupt's delay, while %s ran",
				     task_text(t, a->interrupted, arena)),
		 value_time(rest), whole, a->irq_line);
}

static void note_counted(const struct timerlat *t, const struct timerlat_part *p, struct report *r,
			 struct section *s)
{
	struct arena *a = &r->arena;
	struct finding *f = report_finding(
		r, s, "counted_before",
		arena_printf(a,
			     "%s: its event says %s, from the softirq on that the timer's "
			     "interrupt cut into; that is what fits between its start and its end",
			     noise_text(t->names, p->point, p->name, p->number, a),
			     units_time(p->counted).s));
	f->indent = 1;
	f->first_line = f->last_line = p->line;
	finding_fact(f, "counted_ns", value_time(p->counted));
}

static void spike_parts(const struct timerlat *t, const struct timerlat_activation *a,
			struct report *r, struct section *s)
{
	struct arena *arena = &r->arena;
	int64_t whole = a->thread != UNKNOWN ? a->thread : a->irq, told = irq_delay(a);
	struct table *table = report_table(r, s, "parts");
	static const struct column columns[] = {
		{ "part", "", VALUE_TEXT },
		{ "duration_ns", "", VALUE_TIME },
		{ "share", "", VALUE_SHARE },
		{ "line", "at line", VALUE_LINES },
	};
	memcpy(table->columns, columns, sizeof(columns));
	delay_rows(t, a, whole, arena, table);
	for (uint32_t i = 0; i < a->n_parts; i++) {
		const struct timerlat_part *p = &a->part[i];
		part_row(table, part_text(t, a, p, arena),
			 value_known(value_time(p->dur),
				     p->counted == UNKNOWN ? VALUE_EXACT : VALUE_ESTIMATED),
			 whole, p->line);
		sat_sum(&told, p->dur);
		if (p->counted != UNKNOWN)
			note_counted(t, p, r, s);
	}
	if (told <= whole)
		part_row(table, "not explained (the switch itself is in it)",
			 value_time(sat_sub(whole, told)), whole, 0);
	if (told > whole) {
		struct finding *f = report_finding(
			r, s, "too_much",
			arena_printf(arena,
				     "the parts are %s more than the latency: clocks differ, "
				     "or some began before",
				     units_time(sat_sub(told, whole)).s));
		f->indent = 1;
	}
}

static void spike_stack(const struct timerlat *t, const struct timerlat_activation *a,
			struct report *r, struct section *s)
{
	if (!a->n_frames)
		return;
	struct arena *arena = &r->arena;
	const char *text = arena_str(arena, names_str(t->names, a->frame[0]));
	for (uint32_t i = 1; i < a->n_frames && i < FRAMES_SHOWN; i++)
		text = arena_printf(arena, "%s < %.*s", text,
				    STR_ARG(names_str(t->names, a->frame[i])));
	struct finding *f =
		report_finding(r, s, "stack",
			       arena_printf(arena, "the interrupt came in %s%s", text,
					    a->n_frames > FRAMES_SHOWN ? " < ..." : ""));
	f->indent = 1;
	finding_fact(f, "function", value_text(arena_str(arena, names_str(t->names, a->frame[0]))));
}

static void report_spike(const struct timerlat *t, const struct timerlat_activation *a,
			 struct report *r, struct section *s)
{
	struct arena *arena = &r->arena;
	bool thread = a->thread != UNKNOWN;
	struct finding *f = report_finding(
		r, s, "spike",
		arena_printf(arena, "#%lld on CPU %u: the %s %s late%s", (long long)a->number,
			     a->cpu, thread ? "thread ran" : "interrupt came",
			     units_time(thread ? a->thread : a->irq).s,
			     a->stopped ? "; the tracer stopped here" : ""));
	f->first_line = a->irq_line ? a->irq_line : a->line;
	f->last_line = a->line;
	finding_fact(f, "cpu", value_count(a->cpu));
	finding_fact(f, "thread_ns", thread ? value_time(a->thread) : value_none());
	finding_fact(f, "irq_ns", a->irq != UNKNOWN ? value_time(a->irq) : value_none());
	if (a->n_parts || a->n_before)
		spike_parts(t, a, r, s);
	spike_stack(t, a, r, s);
	if (a->more_parts) {
		struct finding *more = report_finding(
			r, s, "more_parts",
			arena_printf(arena,
				     "and %u more noises, which are in what is not explained",
				     a->more_parts));
		more->indent = 1;
	}
}

static void report_worst(const struct timerlat *t, int64_t top, struct report *r)
{
	static const struct column columns[] = {
		{ "sample", "", VALUE_TEXT },
		{ "latency_ns", "late", VALUE_TIME },
		{ "irq_ns", "interrupt late", VALUE_TIME },
		{ "irq_to_thread_ns", "interrupt to thread", VALUE_TIME },
		{ "interrupted", "interrupted", VALUE_TEXT },
		{ "lines", "lines", VALUE_LINES },
	};
	struct arena *a = &r->arena;
	struct section *s = report_section(r, "worst", "WORST SAMPLES", NULL);
	struct table *table = report_table(r, s, "worst");
	memcpy(table->columns, columns, sizeof(columns));
	table->top = (uint32_t)top;
	table->more = "--top N shows more";
	for (size_t i = 0; i < t->n_spikes; i++) {
		const struct timerlat_activation *k = &t->spike[i];
		bool irq = k->irq != UNKNOWN, thread = k->thread != UNKNOWN;
		struct row *row = table_row(table);
		row->cell[0] = value_text(
			arena_printf(a, "#%lld on CPU %u", (long long)k->number, k->cpu));
		row->cell[1] = value_time(thread ? k->thread : k->irq);
		row->cell[2] = irq ? value_time(k->irq) : value_none();
		row->cell[3] =
			irq && thread ? value_time(sat_sub(k->thread, k->irq)) : value_none();
		row->cell[4] = irq ? value_text(task_text(t, k->interrupted, a)) : value_none();
		row->cell[5] = value_lines(irq ? k->irq_line : k->line, k->line);
	}
}

static void report_details(const struct timerlat *t, struct report *r)
{
	struct section *s = NULL;
	for (size_t i = 0, shown = 0; i < t->n_spikes && shown < t->told; i++) {
		const struct timerlat_activation *k = &t->spike[i];
		if (!k->n_parts && !k->n_before && !k->n_frames)
			continue;
		if (!s)
			s = report_section(r, "why", "WHY SO LATE",
					   "osnoise events, net of what interrupted them in turn");
		report_spike(t, k, r, s);
		shown++;
	}
}

void timerlat_report(struct timerlat *t, int64_t top, struct report *r)
{
	report_headline(t, r);
	report_latency(t, r);
	if (t->n_spikes)
		report_worst(t, top, r);
	report_details(t, r);
}
