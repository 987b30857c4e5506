/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/timerlat.h"

#include <stdlib.h>

#include "base/mem.h"

void timerlat_init(struct timerlat *t, const struct names *names)
{
	*t = (struct timerlat){ .names = names };
}

void timerlat_fini(struct timerlat *t)
{
	vec_each (s, &t->series)
		histogram_fini(&s->latency);
	vec_each (a, &t->running)
		free(*a);
	vec_fini(&t->series);
	vec_fini(&t->running);
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

/* Where among the worst it stands; TIMERLAT_SPIKES: nowhere. */
static size_t spike_place(const struct timerlat *t, const struct timerlat_activation *a)
{
	for (size_t i = 0; i < t->n_spikes; i++) {
		if (t->spike[i].cpu == a->cpu && t->spike[i].irq_line == a->irq_line &&
		    t->spike[i].line == a->line)
			return i;
	}
	return TIMERLAT_SPIKES;
}

static void spike_keep(struct timerlat *t, const struct timerlat_activation *a)
{
	if (weight(a) == UNKNOWN || spike_place(t, a) < TIMERLAT_SPIKES)
		return;
	size_t i = t->n_spikes < TIMERLAT_SPIKES ? t->n_spikes : TIMERLAT_SPIKES - 1;
	if (t->n_spikes == TIMERLAT_SPIKES && weight(a) <= weight(&t->spike[i]))
		return;
	for (; i && weight(&t->spike[i - 1]) < weight(a); i--)
		t->spike[i] = t->spike[i - 1];
	t->spike[i] = *a;
	if (t->n_spikes < TIMERLAT_SPIKES)
		t->n_spikes++;
}

/* The timer's interrupt: another activation begins. One whose thread never ran counts by itself. */
static void row_irq(struct timerlat *t, const struct event *e, const struct payload *p)
{
	struct timerlat_activation *a = running_on(t, e->cpu);
	if (a->irq != UNKNOWN && a->thread == UNKNOWN)
		spike_keep(t, a);
	*a = (struct timerlat_activation){
		.number = p->args.b,
		.cpu = e->cpu,
		.interrupted = e->task,
		.irq = p->args.a,
		.thread = UNKNOWN,
		.irq_stamp = e->time,
		.irq_line = e->line,
		.line = e->line,
	};
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

/* Noise between the irq row and the thread row is part of the thread's wait. */
static void part(struct timerlat *t, const struct event *e, const struct payload *p)
{
	t->noises++;
	struct timerlat_activation *a = running_on(t, e->cpu);
	if (a->irq == UNKNOWN || a->thread != UNKNOWN)
		return;
	if (a->n_parts == TIMERLAT_PARTS) {
		a->more_parts++;
		return;
	}
	a->part[a->n_parts++] = (struct timerlat_part){
		.point = p->point,
		.name = p->args.name,
		.number = p->args.c,
		.start = p->args.a,
		.dur = p->args.b,
		.line = e->line,
	};
}

/* The stack that the interrupt saved comes after the thread's row. */
static void stack(struct timerlat *t, const struct event *e, const struct payload *p)
{
	struct timerlat_activation *a = running_on(t, e->cpu);
	size_t i = spike_place(t, a);
	if (i == TIMERLAT_SPIKES)
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
	if (i < TIMERLAT_SPIKES)
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
