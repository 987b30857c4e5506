/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/timeline.h"

void timeline_listen(struct timeline *t, struct span_listener *l)
{
	if (t->n_listeners < TIMELINE_LISTENERS)
		t->listeners[t->n_listeners++] = l;
}

/* Keeps the dearest interruptions. */
static void interruption_keep(struct timeline *t, const struct interruption *in)
{
	t->interruptions_of[in->context]++;
	sat_sum(&t->interruption_time[in->context], in->dur);
	if (t->n_interruptions < TIMELINE_INTERRUPTIONS) {
		t->interruptions[t->n_interruptions++] = *in;
		return;
	}
	struct interruption *least = &t->interruptions[0];
	for (uint32_t i = 1; i < TIMELINE_INTERRUPTIONS; i++) {
		if (t->interruptions[i].dur < least->dur)
			least = &t->interruptions[i];
	}
	if (in->dur > least->dur)
		*least = *in;
}

/* The context goes to `now`: what was above it is over, and it may itself begin here. */
static void context_enter(struct timeline *t, enum context now, const struct span *s, bool first)
{
	for (int c = CONTEXT_COUNT - 1; c > (int)now; c--) {
		if (t->is_running[c] && t->is_interruption[c])
			interruption_keep(t, &t->running[c]);
		t->is_running[c] = false;
	}
	if (!s || t->is_running[now])
		return;
	t->is_running[now] = true;
	/* What the window begins in has interrupted nothing in it; nor does an interrupt's end. */
	bool tail = s->caller.classes & SYMBOL_IRQ_EXIT;
	t->is_interruption[now] =
		!first && now != CONTEXT_TASK && !(tail && now == CONTEXT_HARDIRQ);
	t->running[now] = (struct interruption){
		.context = now,
		.symbol = s->what.id,
		.start = s->event.time,
		.first_line = s->event.line,
	};
}

static int64_t gcd(int64_t a, int64_t b)
{
	while (b) {
		int64_t r = a % b;
		a = b;
		b = r;
	}
	return a;
}

static void clock_step(struct timeline *t, int64_t delta)
{
	if (delta <= 0)
		return;
	t->steps++;
	if (!t->step || delta % t->step)
		t->step = gcd(delta, t->step);
}

static void span_deliver(struct timeline *t, struct span *s)
{
	bool idle = s->context == CONTEXT_TASK &&
		    names_task_of(t->symbols->names, s->event.task).pid == 0;
	if (s->kind == SPAN_TRACER)
		sat_sum(&t->tracer_time, s->dur);
	else if (idle)
		sat_sum(&t->idle_time, s->dur);
	else
		sat_sum(&t->context_time[s->context], s->dur);
	sat_sum(&t->covered, s->dur);

	struct interruption *in = &t->running[s->context];
	if (t->is_running[s->context]) {
		sat_sum(&in->dur, s->dur);
		in->last_line = s->event.line;
	}
	for (size_t i = 0; i < t->n_listeners; i++)
		t->listeners[i]->span(t->listeners[i], s);
}

/* Ends the open span at a time, or, where no time can be given, charges nothing to it. */
static void span_end(struct timeline *t, int64_t at, bool hole, const struct span *next)
{
	if (!t->have_open)
		return;
	t->have_open = false;
	int64_t delta = sat_sub(at, t->open.event.time);
	if (delta < 0)
		t->backwards++;
	t->open.timed = next && !hole && delta >= 0;
	if (t->open.timed)
		t->open.dur = delta;
	else
		sat_sum(&t->holes, delta);
	if (next) {
		t->open.next = next->what.id;
		t->open.next_kind = next->kind;
		t->open.next_line = next->event.line;
	}
	span_deliver(t, &t->open);
}

/*
 * Entries that are the tracer's own and no calls: f <- f, a window's edges, and those without a
 * caller where callers are printed. (With the option noprint-parent no entry has one.)
 */
static bool is_mark(struct timeline *t, const struct span *s)
{
	if (s->what.classes & SYMBOL_WINDOW)
		return true;
	if (s->caller.id) {
		t->callers_seen = true;
		return s->caller.id == s->what.id;
	}
	return !t->begun || t->callers_seen || t->wakeup ||
	       s->what.classes & (SYMBOL_LOCK | SYMBOL_TRACER);
}

static enum span_kind kind_of(struct timeline *t, const struct span *s)
{
	switch (event_kind(&s->event)) {
	case EVENT_FUNCTION:
		return is_mark(t, s) ? SPAN_MARK : SPAN_FUNCTION;
	case EVENT_GRAPH_ENTRY:
	case EVENT_GRAPH_LEAF:
		return SPAN_FUNCTION;
	case EVENT_STACK:
		return SPAN_TRACER;
	case EVENT_WAKEUP:
	case EVENT_SWITCH:
		return SPAN_MARK;
	default:
		return SPAN_EVENT;
	}
}

static bool on_cpu(struct timeline *t, const struct event *e)
{
	if (e->kind & EVENT_NO_CPU)
		return true;
	if (t->cpu == UNKNOWN)
		t->cpu = e->cpu;
	return e->cpu == t->cpu;
}

/* The first entry settles the window: stamps beyond the latency contradict the header. */
static void window_begin(struct timeline *t, const struct event *e)
{
	if (t->window_of_header && e->time > t->to)
		t->window_of_header = false;
	if (!t->window_of_header) {
		t->from = e->time;
		t->to = INT64_MAX;
	}
	t->head = sat_sub(e->time, t->from);
	t->begun = true;
	t->first = *e;
	t->first_line = e->line;
}

/* Is anything missing between the open span and the next? */
static bool is_hole(const struct timeline *t, const struct span *next)
{
	return next->event.kind & EVENT_AFTER_HOLE || t->open.event.kind & EVENT_NO_TIME;
}

/* The window is over: what was open ends with it. */
static void window_end(struct timeline *t, const struct span *next)
{
	span_end(t, t->to, is_hole(t, next), next);
	t->ended = true;
}

static void timeline_lost(struct timeline *t, const struct event *e)
{
	if (t->have_open && e->cpu == t->cpu)
		t->open.event.kind |= EVENT_NO_TIME; /* its end was lost */
}

static void timeline_entry(struct timeline *t, struct span *s)
{
	bool first = !t->begun;
	if (first)
		window_begin(t, &s->event);
	s->context = context_next(&t->context, &s->event, s->what, s->caller);
	if (t->have_open) {
		bool hole = is_hole(t, s);
		clock_step(t, sat_sub(s->event.time, t->open.event.time));
		t->open.interrupted = s->context > t->open.context;
		/* What stands between a wake-up line and its stack is the dump being taken. */
		if (s->kind == SPAN_TRACER && t->open.kind == SPAN_MARK)
			t->open.kind = SPAN_TRACER;
		span_end(t, s->event.time, hole, s);
	}
	context_enter(t, s->context, s, first);
	t->entries += s->kind != SPAN_TRACER;
	t->stacks += s->kind == SPAN_TRACER;
	t->last = s->event;
	t->last_line = s->event.line;
	t->open = *s;
	t->have_open = true;
}

/*
 * A graph nests by indentation: the caller is the call that is open one level up. Closings are no
 * entries, so the time until the next entry stays with the call entered last, as it does where
 * functions alone are traced.
 */
static void graph_caller(struct timeline *t, struct span *s)
{
	uint8_t depth = s->event.depth;
	if (depth)
		s->caller = t->graph[depth - 1];
	t->graph[depth] = s->what;
	t->graphs++;
}

/* Entries behind the window are counted, and watched for a clock that runs back. */
static void timeline_after(struct timeline *t, const struct span *s)
{
	if (!t->ended)
		window_end(t, s);
	else if (s->event.time < t->after_time)
		t->backwards++;
	t->after_time = s->event.time;
	t->after += s->kind != SPAN_TRACER;
}

static void timeline_event(struct sink *sink, const struct event *e, const struct payload *p)
{
	(void)p;
	struct timeline *t = (struct timeline *)sink;
	if (event_kind(e) == EVENT_LOST) {
		timeline_lost(t, e);
		return;
	}
	t->lines++;
	t->leaves += event_kind(e) == EVENT_GRAPH_LEAF;
	if (!on_cpu(t, e)) {
		t->other_cpu++;
		return;
	}
	if (event_kind(e) == EVENT_GRAPH_EXIT) {
		if (e->kind & EVENT_AFTER_HOLE && t->have_open)
			t->open.event.kind |= EVENT_NO_TIME; /* its end was cut out */
		return;
	}
	struct span s = {
		.event = *e,
		.what = symbols_of(t->symbols, e->what),
		.caller = symbols_of(t->symbols, e->arg),
	};
	s.kind = kind_of(t, &s);
	if (event_is_graph(e) && s.kind == SPAN_FUNCTION)
		graph_caller(t, &s);
	if (t->window_of_header && !t->ended && e->time < t->from) {
		t->before++;
		t->backwards += t->begun;
	} else if (t->ended || (t->begun && e->time > t->to)) {
		timeline_after(t, &s);
	} else {
		timeline_entry(t, &s);
	}
}

static int timeline_begin(struct sink *sink, const struct capture *c, struct err *err)
{
	(void)err;
	struct timeline *t = (struct timeline *)sink;
	const struct trace_header *h = &c->trace;
	t->window_of_header = h->latency_us >= 0 && h->latency_us < INT64_MAX / 1000;
	t->to = t->window_of_header ? h->latency_us * 1000 : INT64_MAX;
	t->cpu = t->cpu_asked != UNKNOWN ? t->cpu_asked : h->cpu;
	t->wakeup = h->tracer && strncmp(h->tracer, "wakeup", 6) == 0;
	return 0;
}

static int timeline_finish(struct sink *sink, const struct capture *c, struct report *r,
			   struct err *err)
{
	(void)c, (void)r, (void)err;
	struct timeline *t = (struct timeline *)sink;
	if (!t->window_of_header)
		t->to = t->entries ? t->last.time : t->from;
	if (t->have_open) {
		t->tail = sat_sub(t->to, t->open.event.time);
		span_end(t, t->open.event.time, false, NULL);
	}
	context_enter(t, CONTEXT_TASK, NULL, false);
	return 0;
}

static const struct sink_ops timeline_ops = {
	.wants = SINK_WANTS_ALL,
	.begin = timeline_begin,
	.event = timeline_event,
	.finish = timeline_finish,
};

void timeline_init(struct timeline *t, struct symbols *symbols, int64_t cpu_asked)
{
	*t = (struct timeline){
		.sink = { &timeline_ops },
		.symbols = symbols,
		.cpu_asked = cpu_asked,
	};
}
