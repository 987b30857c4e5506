/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/timerlat.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/sat.h"

void timerlat_init(struct timerlat *t, const struct names *names, int64_t told)
{
	*t = (struct timerlat){ .names = names, .told = told == UNKNOWN ? 3 : (size_t)told };
	t->max_spikes = t->told > 8 ? t->told : 8;
	t->spike = mem_array(t->max_spikes, sizeof(*t->spike));
}

void timerlat_fini(struct timerlat *t)
{
	vec_each (s, &t->series)
		histogram_fini(&s->latency);
	vec_each (a, &t->running)
		free(*a);
	vec_fini(&t->series);
	vec_fini(&t->running);
	free(t->spike);
}

static struct timerlat_series *series_of(struct timerlat *t, uint16_t cpu, uint32_t context)
{
	vec_each (s, &t->series) {
		if (s->cpu == cpu && s->context == context)
			return s;
	}
	if (t->series.n == TIMERLAT_SERIES)
		return NULL;
	vec_push(&t->series, ((struct timerlat_series){ .cpu = cpu, .context = context }));
	return vec_last(&t->series);
}

static struct timerlat_activation *running_on(struct timerlat *t, uint16_t cpu)
{
	while (t->running.n <= cpu)
		vec_push(&t->running, NULL);
	struct timerlat_activation **a = &t->running.at[cpu];
	if (!*a) {
		*a = mem_alloc(sizeof(**a));
		(*a)->number = (*a)->irq = (*a)->thread = UNKNOWN;
		(*a)->cpu = cpu;
	}
	return *a;
}

/* What an activation is ranked by: the thread's latency, or the interrupt's, if no thread ran. */
static int64_t weight(const struct timerlat_activation *a)
{
	return a->thread != UNKNOWN ? a->thread : a->irq;
}

/* Where among the worst it stands; n_spikes: nowhere. */
static size_t spike_place(const struct timerlat *t, const struct timerlat_activation *a)
{
	for (size_t i = 0; i < t->n_spikes; i++) {
		if (t->spike[i].cpu == a->cpu && t->spike[i].irq_line == a->irq_line &&
		    t->spike[i].line == a->line)
			return i;
	}
	return t->n_spikes;
}

static void spike_keep(struct timerlat *t, const struct timerlat_activation *a)
{
	if (weight(a) == UNKNOWN || spike_place(t, a) < t->n_spikes)
		return;
	size_t i = t->n_spikes < t->max_spikes ? t->n_spikes : t->max_spikes - 1;
	if (t->n_spikes == t->max_spikes && weight(a) <= weight(&t->spike[i]))
		return;
	for (; i && weight(&t->spike[i - 1]) < weight(a); i--)
		t->spike[i] = t->spike[i - 1];
	t->spike[i] = *a;
	if (t->n_spikes < t->max_spikes)
		t->n_spikes++;
}

/* Of the interrupts since the activation before: those that ran when the timer was due. */
static void before_take(struct timerlat_activation *a, const struct timerlat_activation *last)
{
	int64_t due = sat_sub(a->irq_stamp, a->irq);
	for (uint32_t i = 0; i < last->n_before; i++) {
		struct timerlat_part p = last->before[i];
		int64_t ns = sat_sub(p.end, p.start > due ? p.start : due);
		if (ns <= 0)
			continue;
		p.dur = ns < p.dur ? ns : p.dur;
		a->before[a->n_before++] = p;
	}
}

/* The timer's interrupt: another activation begins. One whose thread never ran counts by itself. */
static void row_irq(struct timerlat *t, const struct event *e, const struct payload *p)
{
	struct timerlat_activation *a = running_on(t, e->cpu);
	if (a->irq != UNKNOWN && a->thread == UNKNOWN)
		spike_keep(t, a);
	struct timerlat_activation next = {
		.number = p->args.b,
		.cpu = e->cpu,
		.interrupted = e->task,
		.irq = p->args.a,
		.thread = UNKNOWN,
		.irq_stamp = e->time,
		.irq_line = e->line,
		.line = e->line,
	};
	before_take(&next, a);
	*a = next;
}

static void row_thread(struct timerlat *t, const struct event *e, const struct payload *p)
{
	struct timerlat_activation *a = running_on(t, e->cpu);
	if (a->irq == UNKNOWN || a->number != p->args.b || a->thread != UNKNOWN)
		*a = (struct timerlat_activation){ .number = p->args.b,
						   .cpu = e->cpu,
						   .irq = UNKNOWN };
	a->thread = p->args.a;
	a->line = e->line;
	spike_keep(t, a);
	a->n_before = 0;
}

static void row(struct timerlat *t, const struct event *e, const struct payload *p)
{
	struct str context = names_str(t->names, p->args.name);
	t->samples++;
	struct timerlat_series *s = series_of(t, e->cpu, p->args.name);
	if (s) {
		if (!s->latency.n || p->args.a > s->latency.max)
			s->max_line = e->line;
		histogram_add(&s->latency, p->args.a);
	} else {
		t->left_out++;
	}
	if (str_eq(context, "irq")) {
		t->irq_name = p->args.name;
		row_irq(t, e, p);
	} else if (str_eq(context, "thread")) {
		t->thread_name = p->args.name;
		row_thread(t, e, p);
	}
}

/* How much of a part ran after that time. A softirq that the timer's interrupt cut into is counted
 * from the interrupt on (timerlat_irq() in kernel/trace/trace_osnoise.c). */
static int64_t part_after(const struct timerlat_part *p, int64_t time)
{
	if (p->end <= time)
		return 0;
	if (p->start >= time || p->point == POINT_NOISE_SOFTIRQ)
		return p->dur;
	int64_t ns = sat_sub(sat_add(p->start, p->dur), time);
	return ns > 0 ? ns : 0;
}

/*
 * When the timer's interrupt cuts into a softirq, timerlat_irq() has the thread below counted from
 * the beginning of the softirq, before the timer was due, though its start is that of the
 * interrupt. No more can have run than what the other parts leave between start and end, which is
 * the event's stamp: a microsecond is let pass for its rounding.
 */
static void thread_within(const struct timerlat_activation *a, struct timerlat_part *thread)
{
	int64_t room = sat_sub(thread->end, thread->start);
	for (uint32_t i = 0; i < a->n_parts; i++)
		room = sat_sub(room, part_after(&a->part[i], thread->start));
	room = room < 0 ? 0 : room;
	if (a->more_parts || thread->dur <= sat_add(room, 1000))
		return;
	thread->counted = thread->dur;
	thread->dur = room;
}

static struct timerlat_part part_of(const struct event *e, const struct payload *p)
{
	return (struct timerlat_part){
		.point = p->point,
		.name = p->args.name,
		.number = p->args.c,
		.start = p->args.a,
		.end = e->time,
		.dur = p->args.b > 0 ? p->args.b : 0, /* (of a damaged trace.dat) */
		.counted = UNKNOWN,
		.line = e->line,
	};
}

static void before_keep(struct timerlat_activation *a, const struct timerlat_part *p)
{
	if (a->n_before == TIMERLAT_BEFORE)
		memmove(a->before, a->before + 1, --a->n_before * sizeof(a->before[0]));
	a->before[a->n_before++] = *p;
}

/*
 * Noise between the irq row and the thread row is part of the thread's wait. Between activations
 * there are events of interrupts and NMIs alone: what of them ran when the timer was due held its
 * interrupt up.
 */
static void part(struct timerlat *t, const struct event *e, const struct payload *p)
{
	t->noises++;
	struct timerlat_activation *a = running_on(t, e->cpu);
	struct timerlat_part part = part_of(e, p);
	if (a->irq == UNKNOWN || a->thread != UNKNOWN) {
		before_keep(a, &part);
		return;
	}
	if (a->n_parts == TIMERLAT_PARTS) {
		a->more_parts++;
		return;
	}
	if (part.point == POINT_NOISE_THREAD)
		thread_within(a, &part);
	a->part[a->n_parts++] = part;
}

int64_t timerlat_noise_ns(struct timerlat *t, const struct event *e, const struct payload *p)
{
	const struct timerlat_activation *a = running_on(t, e->cpu);
	const struct timerlat_part *last = a->n_parts ? &a->part[a->n_parts - 1] : NULL;
	return last && last->line == e->line ? last->dur : p->args.b;
}

/* The stack that the interrupt saved comes after the thread's row. */
static void stack(struct timerlat *t, const struct event *e, const struct payload *p)
{
	struct timerlat_activation *a = running_on(t, e->cpu);
	size_t i = spike_place(t, a);
	if (i == t->n_spikes)
		return;
	struct timerlat_activation *s = &t->spike[i];
	uint32_t from = 0;
	/* What the interrupt itself called says nothing: up to its entry. */
	for (uint32_t k = 0; k < p->stack.n; k++) {
		struct str name = names_str(t->names, p->stack.frames[k]);
		if (str_starts(name, "asm_sysvec_") ||
		    str_find(name, "apic_timer_interrupt") >= 0 || str_starts(name, "el1_irq") ||
		    str_starts(name, "el1h_64_irq"))
			from = k + 1;
	}
	if (from >= p->stack.n)
		from = 0;
	s->n_frames = p->stack.n - from < TIMERLAT_FRAMES ? p->stack.n - from : TIMERLAT_FRAMES;
	memcpy(s->frame, p->stack.frames + from, s->n_frames * sizeof(s->frame[0]));
}

/* "timerlat_main: stop tracing hit on cpu 6" */
static void stop(struct timerlat *t, const struct payload *p)
{
	ptrdiff_t at = str_find(p->text, "stop tracing hit on cpu ");
	if (at < 0)
		return;
	struct str s = str_from(p->text, (size_t)at + strlen("stop tracing hit on cpu "));
	int64_t cpu;
	if (!str_number(&s, &cpu) || cpu < 0 || cpu > UINT16_MAX)
		return;
	struct timerlat_activation *a = running_on(t, (uint16_t)cpu);
	if (a->irq != UNKNOWN && a->thread == UNKNOWN)
		spike_keep(t, a);
	size_t i = spike_place(t, a);
	if (i < t->n_spikes)
		t->spike[i].stopped = true;
}

void timerlat_event(struct timerlat *t, const struct event *e, const struct payload *p)
{
	if (event_kind(e) == EVENT_STACK)
		stack(t, e, p);
	else if (event_kind(e) != EVENT_NAMED)
		return;
	else if (p->point == POINT_TIMERLAT)
		row(t, e, p);
	else if (noise_is(p->point))
		part(t, e, p);
	else if (p->point == POINT_NONE)
		stop(t, p);
}
