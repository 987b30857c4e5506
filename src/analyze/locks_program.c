/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What only a table of a program's own locks can tell: the run, who waited for whom, events. */
#include <stdlib.h>

#include "analyze/lock_text.h"
#include "analyze/locks_parts.h"
#include "base/sat.h"
#include "base/units.h"

/* -- The run ----------------------------------------------------------------------------------- */

static const char *acquisitions(struct locks *l)
{
	int64_t sum = UNKNOWN;
	enum value_how how = VALUE_EXACT;
	vec_each (c, &l->locks) {
		sum = lock_sum(sum, (*c)->n[LOCK_ACQUISITIONS]);
		how = how_both(how, (*c)->how[LOCK_ACQUISITIONS]);
	}
	return arena_printf(l->arena, "%s acquisition%s",
			    locks_figure(l, how, lock_text_count(l->arena, sum)),
			    sum == 1 ? "" : "s");
}

void locks_program_run(struct locks *l, struct section *s)
{
	const struct lock_run_facts *run = l->view.run;
	struct arena *a = l->arena;
	int64_t seen = 0;
	vec_each (c, &l->locks)
		seen += (*c)->n[LOCK_CONTENTIONS] > 0;
	const char *ran =
		run->ns == UNKNOWN ? "" : arena_printf(a, "ran %s", units_time(run->ns).s);
	const char *processes = run->processes > 1 ? arena_printf(a, " in %s processes",
								  units_count(run->processes).s)
						   : "";
	const char *command = run->command    ? run->command
			      : l->view.label ? l->view.label
					      : "the program";
	const char *counted =
		l->locks.n ? arena_printf(a, "%s%s, %s; %s waited for: %s in all",
					  *ran ? "; " : "",
					  lock_text_number_of(a, l->locks.n, "class of locks",
							      "classes of locks"),
					  acquisitions(l), units_count(seen).s,
					  locks_figure(l, l->wait_how,
						       lock_text_total(a, (double)l->wait_total)))
		: *ran     ? ""
			   : "no lock";
	const char *cpu = run->cpu_ns == UNKNOWN
				  ? ""
				  : arena_printf(a, ", %s on the CPU", units_time(run->cpu_ns).s);
	struct finding *f =
		locks_say(l, s, "inventory",
			  arena_printf(a, "%s: %s%s%s%s.", command, ran, processes, cpu, counted));
	f->aside = "";
	finding_fact(f, "locks", value_count((int64_t)l->locks.n));
	finding_fact(f, "waited_for", value_count(seen));
	finding_fact(f, "run_ns", run->ns == UNKNOWN ? value_none() : value_time(run->ns));
	finding_fact(f, "cpu_ns", run->cpu_ns == UNKNOWN ? value_none() : value_time(run->cpu_ns));
	finding_fact(f, "processes",
		     run->processes == UNKNOWN ? value_none() : value_count(run->processes));
}

/* -- Pairs ------------------------------------------------------------------------------------- */

/* By function, so that a list of lines does not hide who it is. */
const char *lock_site_text(struct arena *a, const struct lock_site *s)
{
	return arena_printf(a, "%s%s", s->symbol ? s->symbol : "(no symbol)",
			    s->suffix ? s->suffix : "");
}

static void pair_answer(struct locks *l, struct section *s, const struct lock_class *c)
{
	const struct lock_waited_for *p = &c->pairs->at[0];
	struct finding *f =
		report_finding(l->report, s, "pair",
			       arena_printf(l->arena, "%s of the waiting is in %s while %s has it.",
					    units_share(p->wait_ns, c->pair_wait).s,
					    lock_site_text(l->arena, &p->waiting),
					    lock_site_text(l->arena, &p->holding)));
	f->aside = "";
	finding_fact(f, "waiting", value_text(p->waiting.symbol));
	finding_fact(f, "holding", value_text(p->holding.symbol));
	finding_fact(f, "wait_ns", value_time(p->wait_ns));
}

void locks_program_pairs(struct locks *l, const struct lock_class *c)
{
	static const struct column columns[TABLE_COLUMNS] = {
		{ "waiting", "waits at", VALUE_TEXT },
		{ "holding", "taken last at", VALUE_TEXT },
		{ "contentions", "waits", VALUE_COUNT },
		{ "wait_ns", "wait", VALUE_TIME },
		{ "share", "", VALUE_SHARE },
	};
	if (!c->pairs || !c->pairs->n)
		return;
	struct section *s = report_section(l->report, "pairs", "WHO WAITED FOR WHOM",
					   "by total wait; the holder is who took it last");
	struct table *t = report_table(l->report, s, "pairs");
	memcpy(t->columns, columns, sizeof(t->columns));
	t->top = (uint32_t)l->options->top;
	t->more = "--top N";
	vec_each (p, c->pairs) {
		struct row *row = table_row(t);
		row->cell[0] = value_text(lock_site_text(l->arena, &p->waiting));
		row->cell[1] = value_text(lock_site_text(l->arena, &p->holding));
		row->cell[2] = value_count(p->waiting.count);
		row->cell[3] = value_time(p->wait_ns);
		row->cell[4] = value_share(p->wait_ns, c->pair_wait);
	}
	pair_answer(l, s, c);
}

/* -- Stacks ------------------------------------------------------------------------------------ */

static const char *folded(struct arena *a, const struct lock_stack *s)
{
	struct strbuf cleanup_strbuf text = { 0 };
	for (uint32_t i = s->n; i-- > 0;)
		strbuf_printf(&text, "%s%s", lock_site_text(a, &s->frames[i]), i ? ";" : "");
	return arena_str(a, strbuf_get(&text));
}

static void frame_line(struct locks *l, struct section *s, const char *text)
{
	struct finding *f = report_finding(l->report, s, "frame", text);
	f->aside = "";
	f->indent = 1;
}

static void stack_lines(struct locks *l, struct section *s, const struct lock_stack *stack,
			int64_t of)
{
	struct arena *a = l->arena;
	struct finding *f = report_finding(
		l->report, s, "stack",
		arena_printf(a, "%s of the waiting, %s in %s", units_share(stack->wait_ns, of).s,
			     units_time(stack->wait_ns).s,
			     lock_text_number_of(a, (size_t)stack->waits, "wait", "waits")));
	f->aside = "";
	finding_fact(f, "stack", value_text(folded(a, stack)));
	finding_fact(f, "waits", value_count(stack->waits));
	finding_fact(f, "wait_ns", value_time(stack->wait_ns));
	finding_fact(f, "cut", value_yes(stack->cut));
	for (uint32_t i = 0; i < stack->n; i++)
		frame_line(l, s, lock_site_text(a, &stack->frames[i]));
	if (stack->cut)
		frame_line(l, s, "...");
}

#define STACKS_SHOWN 3

void locks_program_stacks(struct locks *l, const struct lock_class *c)
{
	int64_t of = 0;
	vec_each (stack, c->stacks)
		of = lock_sum(of, stack->wait_ns);
	if (!c->stacks->n || of <= 0)
		return;
	struct section *s = report_section(l->report, "stacks", "CALLS THAT LED TO WAITS",
					   "by total wait; from the waiting site outwards");
	size_t shown = 0;
	vec_each (stack, c->stacks) {
		if (shown++ == STACKS_SHOWN)
			break;
		stack_lines(l, s, stack, of);
	}
	if (c->stacks->n > STACKS_SHOWN)
		report_finding(l->report, s, "more",
			       arena_printf(l->arena, "%s more: all are in the file of -o.",
					    units_count((int64_t)c->stacks->n - STACKS_SHOWN).s));
}

/* -- Events ------------------------------------------------------------------------------------ */

static int by_wait(const void *x, const void *y)
{
	const struct lock_class *a = *(const struct lock_class *const *)x;
	const struct lock_class *b = *(const struct lock_class *const *)y;
	int64_t n = a->n[LOCK_WAIT_TOTAL], m = b->n[LOCK_WAIT_TOTAL];
	return n != m ? (n < m) - (n > m) : strcmp(a->name, b->name);
}

static struct value event_figure(const struct lock_class *c, enum lock_column column, int64_t n)
{
	if (n == UNKNOWN)
		return value_none();
	return value_known(lock_column_is_time(column) ? value_time(n) : value_count(n),
			   c->how[column]);
}

static void event_row(struct locks *l, struct table *t, const struct lock_class *c)
{
	struct row *row = table_row(t);
	int64_t n = c->n[LOCK_CONTENTIONS], wait = c->n[LOCK_WAIT_TOTAL];
	row->cell[0] = value_text(c->name);
	row->cell[1] = value_text(c->type);
	row->cell[2] = event_figure(c, LOCK_WAIT_TOTAL, wait);
	row->cell[3] = n > 0 && wait != UNKNOWN ? event_figure(c, LOCK_WAIT_TOTAL, wait / n)
						: value_none();
	row->cell[4] = event_figure(c, LOCK_WAIT_MAX, c->n[LOCK_WAIT_MAX]);
	row->cell[5] = event_figure(c, LOCK_CONTENTIONS, n);
	row->cell[6] =
		value_text(c->waiting->n ? lock_site_text(l->arena, &c->waiting->at[0]) : NULL);
}

static void events_table(struct locks *l, struct section *s, const struct lock_class *const *events,
			 size_t n)
{
	static const struct column columns[TABLE_COLUMNS] = {
		{ "class", "", VALUE_TEXT },
		{ "type", "type", VALUE_TEXT },
		{ "wait_total_ns", "wait", VALUE_TIME },
		{ "wait_mean_ns", "mean", VALUE_TIME },
		{ "wait_max_ns", "longest", VALUE_TIME },
		{ "contentions", "waits", VALUE_COUNT },
		{ "site", "mostly at", VALUE_TEXT },
	};
	struct table *t = report_table(l->report, s, "events");
	memcpy(t->columns, columns, sizeof(t->columns));
	t->top = (uint32_t)l->options->top;
	t->more = "--top N";
	for (size_t i = 0; i < n; i++)
		event_row(l, t, events[i]);
}

/* The time of these is in no figure. */
static void events_failed(struct locks *l, struct section *s, int64_t failed)
{
	struct finding *f = report_finding(
		l->report, s, "failed",
		arena_printf(l->arena, "%s without what they were for: timed out, or interrupted.",
			     lock_text_number_of(l->arena, (size_t)failed, "wait ended",
						 "waits ended")));
	finding_fact(f, "failed", value_count(failed));
}

void locks_program_events(struct locks *l)
{
	VEC(const struct lock_class *) events = { 0 };
	int64_t failed = 0;
	vec_each (c, &l->view.classes) {
		bool asked = !l->options->only || lock_name_matches(c->name, l->options->only);
		if (!(c->flags & LOCK_EVENT) || !asked)
			continue;
		failed = lock_sum(failed, c->failed);
		if (c->n[LOCK_CONTENTIONS] > 0)
			vec_push(&events, c);
	}
	if (events.n || failed > 0) {
		vec_sort(&events, by_wait);
		struct section *s =
			report_section(l->report, "events", "NO LOCKS, BUT WAITED FOR",
				       "what a thread waits for until another makes it happen");
		if (events.n)
			events_table(l, s, events.at, events.n);
		if (failed > 0)
			events_failed(l, s, failed);
	}
	vec_fini(&events);
}
