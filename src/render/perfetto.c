/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/perfetto.h"

#include <stdlib.h>

#include "render/perfetto_track.h"

#define CAPTURE_IDS (1ll << 24)

/* Everything else: a moment on its task's track. */
static void put_other(struct render_perfetto *p, const struct event *e, const struct payload *pl)
{
	const struct names *names = p->capture->names;
	struct perfetto_track *t = perfetto_task(p, e->task, e->cpu);
	bool stack = event_kind(e) == EVENT_STACK;
	struct str name = stack ? str_of("stack") : names_str(names, e->what);
	bool timed = !(e->kind & EVENT_NO_TIME);
	struct json *j = perfetto_instant(p, t, name.n ? name : str_of("event"),
					  timed ? e->time : perfetto_front(t, INT64_MIN));
	if (stack) {
		json_put_key(j, "stack");
		json_put_open(j, '[');
		for (uint32_t i = 0; i < pl->stack.n; i++)
			json_put_str(j, names_str(names, pl->stack.frames[i]));
		json_put_close(j, ']');
		if (pl->stack.dropped)
			json_key_int(j, "frames_left_out", pl->stack.dropped);
	} else if (pl->text.n) {
		json_key_str(j, "text", pl->text);
	}
	json_key_int(j, "cpu", e->cpu);
	json_key_int(j, "line", e->line);
	perfetto_close(p);
}

static void perfetto_event_in(struct sink *s, const struct event *e, const struct payload *pl)
{
	struct render_perfetto *p = (struct render_perfetto *)s;
	if (event_kind(e) == EVENT_LOST) {
		perfetto_sched_lost(p, e, pl);
		return;
	}
	if (event_kind(e) == EVENT_GRAPH_SWITCH)
		return; /* without a stamp; the calls that follow name their task */
	bool timed = !(e->kind & EVENT_NO_TIME);
	p->timed |= timed;
	p->untimed |= !timed;
	if (event_kind(e) >= EVENT_GRAPH_ENTRY && event_kind(e) <= EVENT_GRAPH_LEAF) {
		perfetto_call(p, e, pl);
		return;
	}
	if (timed && !(e->kind & EVENT_NO_CPU))
		perfetto_sched_at(p, e);
	if (timed && event_kind(e) == EVENT_FUNCTION)
		perfetto_function(p, e);
	else if (!timed || !perfetto_sched(p, e, pl))
		put_other(p, e, pl);
}

static int perfetto_begin_capture(struct sink *s, const struct capture *c, struct err *err)
{
	(void)err;
	struct render_perfetto *p = (struct render_perfetto *)s;
	p->capture = c;
	p->timed = p->untimed = false;
	return 0;
}

static void tracks_fini(struct render_perfetto *p)
{
	vec_each (t, &p->tasks)
		vec_fini(&t->open);
	vec_each (cpu, &p->cpus) {
		for (int i = 0; i < ROWS; i++)
			vec_fini(&cpu->rows[i].open);
	}
	p->tasks.n = p->cpus.n = 0;
}

static void tracks_end(struct render_perfetto *p)
{
	vec_each (t, &p->tasks) {
		while (t->open.n)
			perfetto_end(p, t, t->front, false);
		perfetto_function_end(p, t, NO_TIME);
	}
	tracks_fini(p);
	if (p->slots)
		memset(p->slots, 0, (p->mask + 1) * sizeof(*p->slots));
	memset(p->wakeups, 0, sizeof(p->wakeups));
}

static const char *clock_of(const struct render_perfetto *p)
{
	if (p->capture->trace.clock_ticks)
		return "ticks: the stamps count no time, and are shown as if they were ns";
	if (p->untimed && !p->timed)
		return "durations: the trace has no stamps, and no two tracks line up";
	return p->untimed ? "ns; some lines have no stamp" : "ns";
}

/* What is known of the capture, as labels and arguments of its process of CPUs. */
static void put_capture(struct render_perfetto *p)
{
	const struct capture *c = p->capture;
	struct perfetto_track t = perfetto_cpus();
	struct json *j = perfetto_event(p, &t, 'M', str_of("process_labels"), 0);
	struct strbuf cleanup_strbuf labels = { 0 };
	strbuf_printf(&labels, "line %u", c->first_line);
	if (c->trace.tracer)
		strbuf_printf(&labels, ", tracer %s", c->trace.tracer);
	if (c->trace.kernel)
		strbuf_printf(&labels, ", kernel %s", c->trace.kernel);
	if (c->lost_events != UNKNOWN)
		strbuf_str(&labels, ", events were lost");
	json_put_key(j, "args");
	json_put_open(j, '{');
	json_key_str(j, "labels", strbuf_get(&labels));
	json_key_int(j, "line", c->first_line);
	json_key_string(j, "tracer", c->trace.tracer);
	json_key_string(j, "kernel", c->trace.kernel);
	json_key_str(j, "clock", str_of(clock_of(p)));
	json_key_known(j, "lost_events", c->lost_events < 0 ? UNKNOWN : c->lost_events);
	json_put_key(j, "lost_unknown");
	json_put_bool(j, c->lost_events == -1);
	json_key_int(j, "damaged_lines", (int64_t)c->damaged);
	perfetto_close(p);
}

static int perfetto_finish_capture(struct sink *s, const struct capture *c, struct report *r,
				   struct err *err)
{
	(void)c, (void)r, (void)err;
	struct render_perfetto *p = (struct render_perfetto *)s;
	perfetto_sched_finish(p);
	if (p->timed || p->untimed || c->lost_events != UNKNOWN)
		put_capture(p);
	tracks_end(p);
	p->base += CAPTURE_IDS;
	return 0;
}

static const struct sink_ops perfetto_ops = {
	.wants = SINK_WANTS_ALL,
	.points = POINT_BIT(POINT_SWITCH) | POINT_BIT(POINT_WAKING) | POINT_BIT(POINT_WAKEUP) |
		  POINT_BIT(POINT_IRQ_ENTRY) | POINT_BIT(POINT_IRQ_EXIT) |
		  POINT_BIT(POINT_SOFTIRQ_RAISE) | POINT_BIT(POINT_SOFTIRQ_ENTRY) |
		  POINT_BIT(POINT_SOFTIRQ_EXIT),
	.text = true,
	.begin = perfetto_begin_capture,
	.event = perfetto_event_in,
	.finish = perfetto_finish_capture,
};

void render_perfetto_init(struct render_perfetto *p, FILE *out)
{
	*p = (struct render_perfetto){ .sink = { &perfetto_ops } };
	json_put_init(&p->json, out, true);
	json_put_raw(&p->json,
		     "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"writer\":\"dwell " DWELL_VERSION
		     "\"},\"traceEvents\":[");
}

void render_perfetto_end(struct render_perfetto *p)
{
	json_put_raw(&p->json, "\n]}\n");
	json_put_flush(&p->json);
}

/* A capture that failed in its midst leaves open slices. */
void render_perfetto_fini(struct render_perfetto *p)
{
	tracks_fini(p);
	vec_fini(&p->tasks);
	vec_fini(&p->cpus);
	free(p->slots);
}
