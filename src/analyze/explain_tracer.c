/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/explain_tracer.h"

#include "analyze/verdict.h"
#include "base/units.h"

static int tracer_begin(struct sink *s, const struct capture *c, struct err *err)
{
	(void)s, (void)c, (void)err;
	return 0;
}

static void tracer_event(struct sink *s, const struct event *e, const struct payload *p)
{
	struct tracer *t = (struct tracer *)s;
	bool named = event_kind(e) == EVENT_NAMED;
	if (named && p->point > POINT_NONE && p->point < POINT_TIMERLAT)
		return; /* a section's */
	if (event_kind(e) == EVENT_LOST)
		return;
	if (t->cpu != UNKNOWN && e->cpu != t->cpu) {
		t->other_cpu += event_is_entry(e);
		return;
	}
	timerlat_event(&t->timerlat, e, p);
	if (!named)
		return;
	if (p->point == POINT_OSNOISE)
		osnoise_event(&t->osnoise, e, p);
	else if (p->point == POINT_HWLAT)
		hwlat_event(&t->hwlat, e, p);
	else if (noise_is(p->point))
		noise_add(&t->noise, e, p, timerlat_noise_ns(&t->timerlat, e, p));
}

static int tracer_finish(struct sink *s, const struct capture *c, struct report *r, struct err *err)
{
	(void)s, (void)c, (void)r, (void)err;
	return 0;
}

static const struct sink_ops tracer_ops = {
	.wants = 1u << EVENT_NAMED | 1u << EVENT_STACK | 1u << EVENT_LOST,
	.points = POINT_BIT(POINT_TIMERLAT) | POINT_BIT(POINT_OSNOISE) | POINT_BIT(POINT_HWLAT) |
		  POINT_BIT(POINT_NOISE_NMI) | POINT_BIT(POINT_NOISE_IRQ) |
		  POINT_BIT(POINT_NOISE_SOFTIRQ) | POINT_BIT(POINT_NOISE_THREAD) |
		  POINT_BIT(POINT_NOISE_SAMPLE),
	.begin = tracer_begin,
	.event = tracer_event,
	.finish = tracer_finish,
};

static bool is_named(const struct capture *c, const char *tracer)
{
	return c->trace.tracer && strcmp(c->trace.tracer, tracer) == 0;
}

/* No sample: for hwlat that is the good result, for the others it says nothing. */
static void report_no_sample(const struct tracer *t, const struct capture *c, struct report *r)
{
	struct section *s = report_section(r, "empty", NULL, NULL);
	const char *what =
		is_named(c, "hwlat") ? "hwlat: no hardware latency above the threshold was seen"
		: t->noise.rows.n
			? "No sample in this text; osnoise events alone"
			: arena_printf(&r->arena,
				       "%s: no sample in this text, so nothing is known of "
				       "latencies",
				       c->trace.tracer ? c->trace.tracer : "The tracer");
	struct finding *f = report_finding(r, s, "no_samples", what);
	f->first_line = c->first_line;
	f->last_line = c->last_line;
	finding_fact(f, "samples", value_count(0));
}

void tracer_trust(const struct tracer *t, const struct capture *c, uint64_t entries,
		  struct report *r)
{
	struct arena *a = &r->arena;
	struct verdict v;
	int64_t in = c->trace.entries_in_buffer, written = c->trace.entries_written;
	verdict_begin(&v, r);
	if (c->lost_events != UNKNOWN)
		verdict_reason(&v, TRUST_POOR, "lost_events",
			       "events were lost: the worst may be among them");
	if (written > in && in != UNKNOWN)
		verdict_reason(&v, TRUST_POOR, "overrun",
			       arena_printf(a,
					    "the buffer overran: %s of %s entries were kept, and "
					    "the worst may be among the others",
					    units_count(in).s, units_count(written).s));
	if (in > (int64_t)(entries + c->damaged))
		verdict_reason(&v, TRUST_FAIR, "cut",
			       arena_printf(a, "the file holds %s of %s entries: it was cut",
					    units_count((int64_t)entries).s, units_count(in).s));
	verdict_damage(&v, TRUST_FAIR, c);
	bool latency_format = c->trace.format && strcmp(c->trace.format, "latency") == 0;
	if (t->timerlat.samples && !t->timerlat.noises)
		verdict_reason(&v, TRUST_FAIR, "no_noise",
			       latency_format ? "in latency format the starts that osnoise events "
						"print cannot be "
						"put in line with the rows' times: what ran "
						"between the interrupt "
						"and the thread is not worked out"
					      : "no osnoise events: what ran between the interrupt "
						"and the thread "
						"is not known");
	if (t->timerlat.samples)
		verdict_reason(&v, TRUST_GOOD, "percentiles",
			       "median and 99 % are within 0.8 % of the value, the rest is exact");
	uint64_t left_out = t->timerlat.left_out + t->osnoise.left_out + t->noise.left_out;
	if (left_out)
		verdict_reason(&v, TRUST_POOR, "full",
			       arena_printf(a,
					    "there are more CPUs or sources than are kept apart: "
					    "%s samples or events are in no table, and the worst "
					    "may be among them",
					    units_count((int64_t)left_out).s));
	if (t->other_cpu)
		verdict_reason(&v, TRUST_GOOD, "other_cpus",
			       arena_printf(a, "%s entries of other CPUs are left out",
					    units_count((int64_t)t->other_cpu).s));
	verdict_end(&v);
}

void tracer_report(struct tracer *t, const struct capture *c, int64_t top, struct report *r)
{
	if (t->timerlat.samples)
		timerlat_report(&t->timerlat, top, r);
	if (t->osnoise.samples)
		osnoise_report(&t->osnoise, top, r);
	if (t->hwlat.samples)
		hwlat_report(&t->hwlat, top, r);
	if (!t->timerlat.samples && !t->osnoise.samples && !t->hwlat.samples)
		report_no_sample(t, c, r);
	noise_report(&t->noise, c->names, top, r);
}

bool tracer_is(const struct tracer *t, const struct capture *c)
{
	return capture_is_sampler(c) || t->timerlat.samples || t->osnoise.samples ||
	       t->hwlat.samples;
}

void tracer_init(struct tracer *t, const struct names *names, const struct explain_options *o)
{
	*t = (struct tracer){ .sink = { &tracer_ops }, .cpu = o->cpu };
	timerlat_init(&t->timerlat, names, o->sections.worst);
}

void tracer_fini(struct tracer *t)
{
	timerlat_fini(&t->timerlat);
	osnoise_fini(&t->osnoise);
	noise_fini(&t->noise);
}
