/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/wakeup.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/units.h"

/* -- Gathering --------------------------------------------------------------------------------- */

uint32_t stack_site(struct symbols *symbols, const struct payload *p, uint32_t skip)
{
	for (uint32_t i = 0; i < p->stack.n; i++) {
		struct symbol s = symbols_of(symbols, p->stack.frames[i]);
		if (s.id && !(s.classes & skip))
			return s.id;
	}
	return 0;
}

static void moment_set(struct wakeup_moment *m, const struct event *e)
{
	*m = (struct wakeup_moment){ .seen = true,
				     .context = event_context(e),
				     .cpu = e->cpu,
				     .line = e->line,
				     .task = e->task,
				     .time = e->time };
}

/* The last wake-up before the switch is the one that is timed. */
static void wakeup_woken(struct wakeup *w, const struct event *e)
{
	if (w->switched.seen)
		return;
	moment_set(&w->woken, e);
	w->resched = (struct wakeup_moment){ 0 };
	w->stack_of = &w->woken;
	w->n_ran = 0;
}

static void wakeup_event(struct sink *sink, const struct event *e, const struct payload *p)
{
	struct wakeup *w = (struct wakeup *)sink;
	enum event_kind kind = event_kind(e);
	bool sched = kind == EVENT_WAKEUP || kind == EVENT_SWITCH;
	bool ours = sched && (w->pid == UNKNOWN || p->sched.next.pid == w->pid);
	if (ours && kind == EVENT_WAKEUP)
		wakeup_woken(w, e);
	if (ours && kind == EVENT_SWITCH && w->woken.seen && !w->switched.seen) {
		moment_set(&w->switched, e);
		w->stack_of = NULL;
	}
	if (kind == EVENT_STACK) {
		if (w->stack_of)
			w->stack_of->site = stack_site(w->symbols, p,
						       SYMBOL_LOCK | SYMBOL_TRACER | SYMBOL_WAKER);
		w->stack_of = NULL;
		return;
	}
	bool here = w->cpu == UNKNOWN || e->cpu == w->cpu;
	if (w->woken.seen && !w->resched.seen && !w->switched.seen && here && event_need_resched(e))
		moment_set(&w->resched, e);
}

/* Spans are told when the next entry is there: the state is that of the span's own entry. */
static void wakeup_span(struct span_listener *l, const struct span *s)
{
	struct wakeup *w = (struct wakeup *)((char *)l - offsetof(struct wakeup, listener));
	if (!w->woken.seen || w->switched.seen)
		return;
	bool tracer = s->kind == SPAN_TRACER;
	struct wakeup_ran *ran = w->ran, *end = w->ran + w->n_ran;
	while (ran < end && (ran->tracer != tracer || (!tracer && (ran->task != s->event.task ||
								   ran->context != s->context))))
		ran++;
	if (ran == end) {
		if (w->n_ran == WAKEUP_RAN)
			return;
		w->n_ran++;
		*ran = (struct wakeup_ran){ s->event.task, s->context, tracer, 0 };
	}
	sat_sum(&ran->total, s->dur);
}

static int wakeup_begin(struct sink *sink, const struct capture *c, struct err *err)
{
	(void)err;
	struct wakeup *w = (struct wakeup *)sink;
	w->pid = c->trace.task.pid;
	w->cpu = c->trace.cpu;
	return 0;
}

static int wakeup_finish(struct sink *sink, const struct capture *c, struct report *r,
			 struct err *err)
{
	(void)sink, (void)c, (void)r, (void)err;
	return 0;
}

static const struct sink_ops wakeup_ops = {
	.wants = SINK_WANTS_ALL & ~(1u << EVENT_LOST),
	.begin = wakeup_begin,
	.event = wakeup_event,
	.finish = wakeup_finish,
};

void wakeup_init(struct wakeup *w, struct symbols *symbols)
{
	*w = (struct wakeup){
		.sink = { &wakeup_ops },
		.listener = { wakeup_span },
		.symbols = symbols,
	};
}

/* -- Telling ----------------------------------------------------------------------------------- */

int64_t wakeup_latency(const struct wakeup *w)
{
	return w->woken.seen && w->switched.seen ? sat_sub(w->switched.time, w->woken.time)
						 : UNKNOWN;
}

int64_t wakeup_tracer_time(const struct wakeup *w)
{
	int64_t total = 0;
	for (size_t i = 0; i < w->n_ran; i++) {
		if (w->ran[i].tracer)
			sat_sum(&total, w->ran[i].total);
	}
	return total;
}

const char *task_text(const struct symbols *symbols, uint32_t task, struct arena *a)
{
	struct task t = names_task_of(symbols->names, task);
	struct str comm = names_str(symbols->names, t.comm);
	return arena_printf(a, "%.*s-%d", STR_ARG(comm), t.pid);
}

/* What is told of a moment, behind its time. */
#define AT "%8s  %s"
#define AFTER_AT "          "

static struct finding *moment_report(struct report *r, struct section *s, const char *key,
				     const struct wakeup_moment *m, const char *what)
{
	struct finding *f =
		report_finding(r, s, key, arena_printf(&r->arena, AT, units_time(m->time).s, what));
	f->first_line = f->last_line = m->line;
	finding_fact(f, "at_ns", value_time(m->time));
	return f;
}

static const char *const in_context[CONTEXT_COUNT] = { "", "softirq", "hardirq", "NMI" };

/* An interrupt's waking is not the doing of the task that it interrupted. */
static void woken_report(const struct wakeup *w, struct report *r, struct section *s)
{
	struct arena *a = &r->arena;
	const char *who = task_text(w->symbols, w->woken.task, a);
	const char *site = w->woken.site ? symbols_text(w->symbols, w->woken.site) : NULL;
	const char *from = site ? arena_printf(a, ", from %s", site) : "";
	enum context context = w->woken.context;
	const char *text =
		context == CONTEXT_TASK
			? arena_printf(a, "woken by %s on CPU %u%s", who, w->woken.cpu, from)
			: arena_printf(a, "woken in %s on CPU %u%s; it interrupted %s",
				       in_context[context], w->woken.cpu, from, who);
	struct finding *f = moment_report(r, s, "woken", &w->woken, text);
	finding_fact(f, context == CONTEXT_TASK ? "by" : "interrupted", value_text(who));
	finding_fact(f, "context",
		     value_text(context == CONTEXT_TASK ? "task" : in_context[context]));
	finding_fact(f, "cpu", value_count(w->woken.cpu));
	finding_fact(f, "from", value_text(site));
}

static int ran_order(const void *a, const void *b)
{
	const struct wakeup_ran *x = a, *y = b;
	return (x->total < y->total) - (x->total > y->total);
}

#define RAN_SHOWN 5

static void ran_report(struct wakeup *w, struct report *r, struct section *s)
{
	struct arena *a = &r->arena;
	int64_t whole = w->switched.seen ? wakeup_latency(w) : 0;
	qsort(w->ran, w->n_ran, sizeof(w->ran[0]), ran_order);
	for (size_t i = 0; i < w->n_ran; i++) {
		const struct wakeup_ran *ran = &w->ran[i];
		const char *who = ran->tracer ? "the tracer: stack dumps"
					      : task_text(w->symbols, ran->task, a);
		const char *in = ran->tracer ? "" : in_context[ran->context];
		struct finding *f = report_finding(r, s, "ran", NULL);
		finding_fact(f, "task", value_text(who));
		finding_fact(f, "context", value_text(*in ? in : ran->tracer ? NULL : "task"));
		finding_fact(f, "total_ns", value_time(ran->total));
		if (i < RAN_SHOWN && ran->total)
			f->text = arena_printf(a, AFTER_AT "meanwhile %s%s%s: %s  %s", who,
					       *in ? ", in " : "", in, units_time(ran->total).s,
					       units_share(ran->total, whole).s);
	}
}

void wakeup_report(struct wakeup *w, struct report *r)
{
	if (!w->woken.seen)
		return;
	struct section *s = report_section(r, "wakeup", "THE WAKE-UP", NULL);
	woken_report(w, r, s);
	if (w->resched.seen)
		moment_report(r, s, "need_resched", &w->resched,
			      w->resched.line == w->woken.line ? "need-resched is set already"
							       : "need-resched is set");
	ran_report(w, r, s);
	if (!w->switched.seen) {
		report_finding(r, s, "not_switched", AFTER_AT "the switch is not in this text");
		return;
	}
	struct finding *f = moment_report(r, s, "switched_in", &w->switched, "switched in");
	finding_fact(f, "from_wakeup_ns", value_time(wakeup_latency(w)));
	if (!w->resched.seen)
		return;
	int64_t ns = sat_sub(w->switched.time, w->resched.time);
	f = report_finding(r, s, "resched_to_switch",
			   arena_printf(&r->arena, "from need-resched to the switch: %s",
					units_time(ns).s));
	finding_fact(f, "resched_to_switch_ns", value_time(ns));
}
