/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/headline.h"

#include "base/units.h"

/* -- Gathering --------------------------------------------------------------------------------- */

#define NOT_A_SITE (SYMBOL_LOCK | SYMBOL_TRACER)

static void headline_event(struct sink *sink, const struct event *e, const struct payload *p)
{
	(void)e;
	struct headline *h = (struct headline *)sink;
	h->end_site = stack_site(h->symbols, p, NOT_A_SITE);
}

static void headline_flags(struct headline *h, const struct event *e)
{
	if (event_irqs_off(e)) {
		h->irqs_off++;
		if (h->irqs_on_pending && !h->irqs_on_inside)
			h->irqs_on_line = h->irqs_on_first;
		h->irqs_on_inside += h->irqs_on_pending;
		h->irqs_on_pending = 0;
	} else if (h->irqs_off) {
		if (!h->irqs_on_pending++)
			h->irqs_on_first = e->line;
	}
	h->preempt_off += event_flag(e, FLAG_DEPTH) != 0;
}

static void headline_span(struct span_listener *l, const struct span *s)
{
	struct headline *h = (struct headline *)((char *)l - offsetof(struct headline, listener));
	if (s->kind == SPAN_TRACER)
		return;
	if (!h->entries++) {
		h->first_what = s->what.id;
		h->first_caller = s->caller.id;
	}
	if (!h->start_site && s->caller.id && !(s->caller.classes & NOT_A_SITE))
		h->start_site = s->caller.id;
	h->last_what = s->what.id;
	h->last_caller = s->caller.id;
	headline_flags(h, &s->event);
	h->windowed |= (s->what.classes & SYMBOL_WINDOW) != 0;
	h->switch_marks |= (s->what.classes & SYMBOL_SWITCH) != 0;
}

static int headline_begin(struct sink *sink, const struct capture *c, struct err *err)
{
	(void)err;
	struct headline *h = (struct headline *)sink;
	h->header = &c->trace;
	return 0;
}

static int headline_finish(struct sink *sink, const struct capture *c, struct report *r,
			   struct err *err)
{
	(void)sink, (void)c, (void)r, (void)err;
	return 0;
}

static const struct sink_ops headline_ops = {
	.wants = 1u << EVENT_STACK,
	.begin = headline_begin,
	.event = headline_event,
	.finish = headline_finish,
};

void headline_init(struct headline *h, struct symbols *symbols)
{
	*h = (struct headline){
		.sink = { &headline_ops },
		.listener = { headline_span },
		.symbols = symbols,
	};
}

enum section_kind headline_kind(const struct headline *h)
{
	const char *tracer = h->header->tracer;
	if (!tracer)
		return SECTION_TRACE;
	if (strcmp(tracer, "irqsoff") == 0)
		return SECTION_IRQS_OFF;
	if (strcmp(tracer, "preemptoff") == 0)
		return SECTION_PREEMPT_OFF;
	if (strcmp(tracer, "preemptirqsoff") == 0)
		return SECTION_PREEMPT_IRQS_OFF;
	if (strncmp(tracer, "wakeup", 6) == 0)
		return SECTION_WAKEUP;
	if (strcmp(tracer, "preemption") != 0)
		return SECTION_TRACE;
	if (h->windowed)
		return SECTION_WINDOW;
	return h->switch_marks ? SECTION_WAKEUP : SECTION_CRITICAL;
}

/* -- Telling ----------------------------------------------------------------------------------- */

static const char *kind_key[] = {
	[SECTION_IRQS_OFF] = "irqs_off",
	[SECTION_PREEMPT_OFF] = "preempt_off",
	[SECTION_PREEMPT_IRQS_OFF] = "preempt_irqs_off",
	[SECTION_WAKEUP] = "wakeup",
	[SECTION_WINDOW] = "window",
	[SECTION_CRITICAL] = "critical_section",
	[SECTION_TRACE] = "trace",
};

/* Policies as include/uapi/linux/sched.h numbers them. */
static const char *policy_text(const struct trace_task *t, struct arena *a)
{
	switch (t->policy) {
	case 0:
		return t->nice == UNKNOWN ? "SCHED_OTHER"
					  : arena_printf(a, "SCHED_OTHER, nice %d", (int)t->nice);
	case 1:
		return arena_printf(a, "SCHED_FIFO %d", (int)t->rt_prio);
	case 2:
		return arena_printf(a, "SCHED_RR %d", (int)t->rt_prio);
	case 3:
		return "SCHED_BATCH";
	case 5:
		return "SCHED_IDLE";
	case 6:
		return "SCHED_DEADLINE";
	default:
		return NULL;
	}
}

static const char *header_task(const struct trace_header *h, struct arena *a)
{
	if (!h->task.comm)
		return NULL;
	const char *who = h->task.comm[0]
				  ? arena_printf(a, "%s-%lld", h->task.comm, (long long)h->task.pid)
				  : arena_printf(a, "pid %lld", (long long)h->task.pid);
	const char *policy = policy_text(&h->task, a);
	return policy ? arena_printf(a, "%s (%s)", who, policy) : who;
}

/* "2.6.21-rt1, PREEMPT_RT" */
static const char *kernel_text(const struct trace_header *h, struct arena *a)
{
	static const char *const models[][2] = {
		{ "server", "PREEMPT_NONE" },   { "desktop", "PREEMPT_VOLUNTARY" },
		{ "preempt", "PREEMPT" },       { "rt", "PREEMPT_RT" },
		{ "preempt_rt", "PREEMPT_RT" },
	};
	const char *model = h->preempt_model;
	for (size_t i = 0; model && i < sizeof(models) / sizeof(models[0]); i++) {
		if (strcmp(model, models[i][0]) == 0)
			model = models[i][1];
	}
	if (h->kernel && model)
		return arena_printf(a, "%s, %s", h->kernel, model);
	return h->kernel || model ? arena_str(a, str_of(h->kernel ? h->kernel : model)) : "";
}

static const char *cpu_text(int64_t cpu, struct arena *a)
{
	return cpu == UNKNOWN ? "" : arena_printf(a, " on CPU %lld", (long long)cpu);
}

/* The header's; the user may look at another one. */
static int64_t section_cpu(const struct headline *h, const struct timeline *t)
{
	return h->header->cpu != UNKNOWN ? h->header->cpu : t->cpu;
}

static const char *first_sentence(const struct headline *h, const struct timeline *t,
				  enum section_kind kind, struct arena *a)
{
	const char *who = header_task(h->header, a), *on = cpu_text(section_cpu(h, t), a);
	const char *length = units_time(timeline_length(t)).s;
	const char *in = who ? arena_printf(a, ", in %s", who) : "";
	length = arena_str(a, str_of(length));
	switch (kind) {
	case SECTION_IRQS_OFF:
		return arena_printf(a, "Interrupts were off for %s%s%s", length, on, in);
	case SECTION_PREEMPT_OFF:
		return arena_printf(a, "Preemption was off for %s%s%s", length, on, in);
	case SECTION_PREEMPT_IRQS_OFF:
		return arena_printf(a, "Interrupts or preemption were off for %s%s%s", length, on,
				    in);
	case SECTION_WAKEUP:
		return arena_printf(a, "%s waited %s%s after its wake-up", who ? who : "A task",
				    length, on);
	case SECTION_WINDOW:
		return arena_printf(a, "A traced window of %s%s%s", length, on, in);
	case SECTION_CRITICAL:
		return arena_printf(a, "A critical section of %s%s%s", length, on, in);
	default:
		return arena_printf(a, "A trace of %s%s%s", length, on, in);
	}
}

/* "_raw_spin_lock_irqsave" says little: who took it does. */
static const char *place_text(const struct headline *h, const char *printed, uint32_t seen,
			      uint32_t site, struct arena *a)
{
	struct str p =
		printed ? symbol_fold(str_of(printed)) : str_of(symbols_text(h->symbols, seen));
	uint32_t classes = symbol_classify(p);
	if (!p.n)
		return NULL;
	const char *name = arena_str(a, p);
	if (!(classes & NOT_A_SITE) || classes & SYMBOL_WINDOW || !site)
		return name;
	return arena_printf(a, "%s (%s)", symbols_text(h->symbols, site), name);
}

static uint32_t end_site(const struct headline *h, const struct timeline *t)
{
	if (h->end_site)
		return h->end_site;
	bool lock = symbols_classes(h->symbols, h->last_caller) & NOT_A_SITE;
	return timeline_is_cut(t) || lock ? 0 : h->last_caller;
}

static const char *places_text(const struct headline *h, const struct timeline *t,
			       enum section_kind kind, struct finding *f, struct arena *a)
{
	const struct trace_header *hd = h->header;
	if (kind == SECTION_WINDOW) {
		const char *from = symbols_text(h->symbols, h->first_what);
		const char *to = symbols_text(h->symbols, h->last_what);
		const char *in = "";
		if (h->first_caller && h->first_caller == h->last_caller)
			in = arena_printf(a, ", both in %s",
					  symbols_text(h->symbols, h->first_caller));
		finding_fact(f, "from", value_text(from));
		finding_fact(f, "to", value_text(to));
		return arena_printf(a, "from %s to %s%s", from, to, in);
	}
	if (kind == SECTION_WAKEUP || (!hd->started_at && !hd->ended_at))
		return NULL; /* wake-up tracers leave the places of another tracer there */
	uint32_t start_site = h->start_site ? h->start_site : h->end_site;
	const char *from = place_text(h, hd->started_at, h->first_what, start_site, a);
	const char *to = hd->ended_at_nowhere
				 ? "(none)"
				 : place_text(h, hd->ended_at, h->last_what, end_site(h, t), a);
	finding_fact(f, "from", value_text(from));
	finding_fact(f, "to", value_text(to));
	return arena_printf(a, "from %s to %s", from ? from : "?", to ? to : "?");
}

static const char *off_text(const struct headline *h, enum section_kind kind, struct arena *a)
{
	bool irqs = h->entries && h->irqs_off == h->entries;
	bool preempt = h->entries && h->preempt_off == h->entries;
	if (kind == SECTION_WINDOW || kind == SECTION_CRITICAL) {
		/* The tracer did not open the section, so its edges are no edges of "off". */
		const char *when = "before, throughout and after";
		if (irqs && preempt)
			return arena_printf(a, "interrupts and preemption were off %s", when);
		if (irqs)
			return arena_printf(a, "interrupts were off %s", when);
		if (preempt)
			return arena_printf(a, "preemption was off %s", when);
	}
	if (kind == SECTION_PREEMPT_IRQS_OFF && irqs)
		return "interrupts were off at every entry";
	if (kind == SECTION_PREEMPT_OFF && irqs)
		return "interrupts were off too, at every entry";
	return NULL;
}

/* The report outlives the capture: its texts are its own. */
static struct value own_text(const char *z, struct arena *a)
{
	return value_text(z ? arena_str(a, str_of(z)) : NULL);
}

static void headline_facts(const struct headline *h, const struct timeline *t,
			   enum section_kind kind, struct finding *f, struct arena *a)
{
	const struct trace_header *hd = h->header;
	finding_fact(f, "kind", value_text(kind_key[kind]));
	finding_fact(f, "tracer", own_text(hd->tracer, a));
	finding_fact(f, "latency_ns", value_time(timeline_length(t)));
	finding_fact(f, "cpu", t->cpu == UNKNOWN ? value_none() : value_count(t->cpu));
	finding_fact(f, "comm", own_text(hd->task.comm, a));
	finding_fact(f, "pid", hd->task.pid == UNKNOWN ? value_none() : value_count(hd->task.pid));
	finding_fact(f, "policy",
		     hd->task.policy == UNKNOWN ? value_none() : value_count(hd->task.policy));
	finding_fact(f, "nice",
		     hd->task.nice == UNKNOWN ? value_none() : value_count(hd->task.nice));
	finding_fact(f, "rt_prio",
		     hd->task.rt_prio == UNKNOWN ? value_none() : value_count(hd->task.rt_prio));
	finding_fact(f, "kernel", own_text(hd->kernel, a));
	finding_fact(f, "preempt_model", own_text(hd->preempt_model, a));
	finding_fact(f, "irqs_off_throughout", value_yes(h->entries && h->irqs_off == h->entries));
	finding_fact(f, "preempt_off_throughout",
		     value_yes(h->entries && h->preempt_off == h->entries));
	finding_fact(f, "entries", value_count((int64_t)t->lines));
}

/* "52 events, none lost", "1,178 of 9,188 entries are in this text" */
static const char *count_text(const struct timeline *t, const struct capture *c, struct arena *a)
{
	int64_t lines = (int64_t)t->lines;
	if (timeline_is_cut(t) && c->trace.entries_in_buffer > lines)
		return arena_printf(a, "the file holds %s of %s entries, %s of %s",
				    units_count(lines).s, units_count(c->trace.entries_in_buffer).s,
				    units_time(t->covered).s, units_time(timeline_length(t)).s);
	int64_t lost = c->lost_events;
	int64_t in = c->trace.entries_in_buffer, written = c->trace.entries_written;
	int64_t overrun = in >= 0 && written > in ? written - in : 0;
	const char *loss = "none lost";
	if (lost == -1)
		loss = "some lost";
	else if (lost != UNKNOWN || overrun)
		loss = arena_printf(a, "%s lost", units_count(overrun > lost ? overrun : lost).s);
	return arena_printf(a, "%s entries, %s", units_count(lines).s, loss);
}

/* The header's latency runs on to the tracer's own work at the switch. */
static const char *by_lines_text(const struct wakeup *w, struct arena *a)
{
	int64_t tracer = wakeup_tracer_time(w);
	const char *dumps = "";
	if (tracer)
		dumps = arena_printf(a, ", %s of it the tracer's stack dumps",
				     units_time(tracer).s);
	return arena_printf(a, "by the lines: %s from the wake-up to the switch%s",
			    units_time(wakeup_latency(w)).s, dumps);
}

void headline_report(const struct headline *h, const struct timeline *t, const struct wakeup *w,
		     const struct capture *c, struct report *r)
{
	struct arena *a = &r->arena;
	enum section_kind kind = headline_kind(h);
	struct section *s = report_section(r, "headline", NULL, NULL);
	struct finding *f = report_finding(r, s, "headline", first_sentence(h, t, kind, a));
	f->aside = kernel_text(h->header, a);
	headline_facts(h, t, kind, f, a);

	if (t->cpu != UNKNOWN && h->header->cpu != UNKNOWN && t->cpu != h->header->cpu)
		f->text = arena_printf(a, "CPU %lld during this: %s", (long long)t->cpu, f->text);
	const char *places = places_text(h, t, kind, f, a), *off = off_text(h, kind, a);
	if (places || off) {
		f = report_finding(r, s, "places",
				   arena_printf(a, "%s%s%s", places ? places : "",
						places && off ? "; " : "", off ? off : ""));
		f->indent = 1;
	}
	if (kind == SECTION_WAKEUP && wakeup_latency(w) != UNKNOWN) {
		f = report_finding(r, s, "by_the_lines", by_lines_text(w, a));
		f->indent = 1;
		finding_fact(f, "wakeup_to_switch_ns", value_time(wakeup_latency(w)));
	}
	f = report_finding(r, s, "entries", count_text(t, c, a));
	f->indent = 1;
	f->first_line = t->first_line;
	f->last_line = t->last_line;
}
