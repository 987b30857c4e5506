/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/digest.h"

#include "base/sat.h"

#define NO_EVENT EVENT_KIND_MASK

static struct event *last_of(struct analyze_digest *d, uint16_t cpu)
{
	while (d->last_of_cpu.n <= cpu)
		vec_push(&d->last_of_cpu, ((struct event){ .kind = NO_EVENT }));
	return &d->last_of_cpu.at[cpu];
}

static void digest_gap(struct digest *g, const struct event *before, const struct event *e)
{
	int64_t gap;
	if (event_kind(before) == NO_EVENT || (before->kind | e->kind) & EVENT_NO_TIME ||
	    e->kind & EVENT_AFTER_HOLE || __builtin_sub_overflow(e->time, before->time, &gap))
		return;
	if (!g->have_gap || gap > g->gap) {
		g->have_gap = true;
		g->gap = gap;
		g->gap_after = before->what;
	}
}

static void digest_duration(struct digest *g, const struct event *e, const struct payload *p)
{
	if (p->graph.duration == NO_DURATION || event_kind(e) == EVENT_GRAPH_COMMENT)
		return;
	if (!g->have_duration || p->graph.duration > g->duration) {
		g->have_duration = true;
		g->duration = p->graph.duration;
		g->longest = e->what;
	}
}

/* timerlat: the latency; hwlat: the larger of inner and outer; osnoise: the longest noise. */
static void digest_sample(struct digest *g, const struct payload *p)
{
	int64_t ns;
	switch (p->point) {
	case POINT_TIMERLAT:
		ns = p->args.a;
		break;
	case POINT_OSNOISE:
		ns = sat_us(p->args.b);
		break;
	case POINT_HWLAT:
		ns = sat_us(p->args.a > p->args.b ? p->args.a : p->args.b);
		break;
	default:
		return;
	}
	g->samples++;
	if (ns > g->max_latency)
		g->max_latency = ns;
}

static int digest_begin(struct sink *s, const struct capture *c, struct err *err)
{
	(void)s, (void)c, (void)err;
	return 0;
}

static void digest_event(struct sink *s, const struct event *e, const struct payload *p)
{
	struct analyze_digest *d = (struct analyze_digest *)s;
	struct digest *g = &d->digest;
	struct event *before = last_of(d, e->cpu);
	if (event_kind(e) == EVENT_GRAPH_SWITCH)
		return;
	if (event_kind(e) == EVENT_LOST) {
		before->kind = NO_EVENT;
		return;
	}
	if (event_kind(e) == EVENT_STACK) {
		g->stack_traces++;
		return;
	}
	if (event_is_graph(e))
		digest_duration(g, e, p);
	if (event_kind(e) == EVENT_NAMED)
		digest_sample(g, p);
	digest_gap(g, before, e);
	*before = *e;
	if (!g->events++)
		g->first = *e;
	g->last = *e;
}

static int digest_finish(struct sink *s, const struct capture *c, struct report *r, struct err *err)
{
	(void)s, (void)c, (void)r, (void)err;
	return 0;
}

static const struct sink_ops digest_ops = {
	.wants = SINK_WANTS_ALL,
	.points = POINT_BIT(POINT_TIMERLAT) | POINT_BIT(POINT_OSNOISE) | POINT_BIT(POINT_HWLAT),
	.begin = digest_begin,
	.event = digest_event,
	.finish = digest_finish,
};

void analyze_digest_init(struct analyze_digest *d)
{
	*d = (struct analyze_digest){
		.sink = { &digest_ops },
		.digest = { .max_latency = UNKNOWN },
	};
}

void analyze_digest_fini(struct analyze_digest *d)
{
	vec_fini(&d->last_of_cpu);
}
