/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/digest.h"

static void key_name(struct json *j, const char *key, const struct names *names, uint32_t id)
{
	json_put_key(j, key);
	if (id)
		json_put_str(j, names_str(names, id));
	else
		json_put_null(j);
}

void render_capture(struct json *j, const struct capture *c, const char *kind)
{
	json_key_string(j, "schema", "dwell.capture/1");
	json_key_string(j, "kind", kind);
	json_put_key(j, "lines");
	json_put_open(j, '[');
	json_put_int(j, c->first_line);
	json_put_int(j, c->last_line);
	json_put_close(j, ']');
}

void render_damage(struct json *j, const struct capture *c)
{
	if (!c->damaged)
		return;
	json_put_key(j, "damage");
	json_put_open(j, '[');
	vec_each (d, &c->damage) {
		json_put_open(j, '{');
		json_key_known(j, "line", d->line);
		json_key_string(j, "why", d->why);
		json_put_close(j, '}');
	}
	json_put_close(j, ']');
	json_key_known(j, "damaged_lines", (int64_t)c->damaged);
}

static void digest_header(struct json *j, const struct capture *c)
{
	const struct trace_header *h = &c->trace;
	json_key_string(j, "tracer", h->tracer);
	json_key_string(j, "format", h->format);
	json_key_string(j, "kernel", h->kernel);
	json_key_known(j, "latency_us", h->latency_us);
	json_key_known(j, "cpu", h->cpu);
	json_key_known(j, "cpus", h->cpus);
	json_put_key(j, "task");
	if (h->task.comm) {
		json_put_open(j, '{');
		json_key_string(j, "comm", h->task.comm);
		json_key_known(j, "pid", h->task.pid);
		json_key_known(j, "uid", h->task.uid);
		json_key_known(j, "nice", h->task.nice);
		json_key_known(j, "policy", h->task.policy);
		json_key_known(j, "rt_prio", h->task.rt_prio);
		json_put_close(j, '}');
	} else {
		json_put_null(j);
	}
	json_key_string(j, "started_at", h->started_at);
	json_key_string(j, "ended_at", h->ended_at_nowhere ? NULL : h->ended_at);
	json_key_string(j, "preempt_model", h->preempt_model);
	json_key_known(j, "entries_in_buffer", h->entries_in_buffer);
	json_key_known(j, "entries_written", h->entries_written);
}

static void digest_event(struct json *j, const char *key, const struct capture *c,
			 const struct event *e)
{
	json_put_key(j, key);
	if (!e) {
		json_put_null(j);
		return;
	}
	struct task t = names_task_of(c->names, e->task);
	json_put_open(j, '{');
	json_key_known(j, c->trace.clock_ticks ? "t_ticks" : "t_ns",
		       e->kind & EVENT_NO_TIME ? UNKNOWN : e->time);
	json_key_known(j, "cpu", e->kind & EVENT_NO_CPU ? UNKNOWN : e->cpu);
	key_name(j, "comm", c->names, t.comm);
	json_key_known(j, "pid", e->task ? t.pid : UNKNOWN);
	key_name(j, "what", c->names, e->what);
	key_name(j, "caller", c->names, e->arg);
	json_key_known(j, "line", e->line);
	json_put_close(j, '}');
}

struct longest {
	const char *key, *name_key;
	bool have;
	uint32_t name;
	int64_t ns;
};

static void digest_longest(struct json *j, const struct capture *c, struct longest l)
{
	json_put_key(j, l.key);
	if (!l.have) {
		json_put_null(j);
		return;
	}
	json_put_open(j, '{');
	key_name(j, l.name_key, c->names, l.name);
	json_key_known(j, "ns", l.ns);
	json_put_close(j, '}');
}

/* Tracers whose every row is a sample: none is an answer, too. */
void render_digest(struct json *j, const struct capture *c, const struct digest *d)
{
	json_put_open(j, '{');
	render_capture(j, c, "trace");
	render_damage(j, c);
	digest_header(j, c);
	json_key_known(j, "events", (int64_t)d->events);
	digest_event(j, "first", c, d->events ? &d->first : NULL);
	digest_event(j, "last", c, d->events ? &d->last : NULL);
	json_key_known(j, "lost_events", c->lost_events < 0 ? UNKNOWN : c->lost_events);
	if (c->lost_events == -1) {
		json_put_key(j, "lost_unknown");
		json_put_bool(j, true);
	}
	json_key_known(j, "stack_traces", (int64_t)d->stack_traces);
	bool have_gap = d->have_gap && !c->trace.clock_ticks;
	digest_longest(j, c,
		       (struct longest){ "max_gap", "after", have_gap, d->gap_after, d->gap });
	if (d->have_duration)
		digest_longest(j, c,
			       (struct longest){ "max_duration", "what", true, d->longest,
						 d->duration });
	if (d->samples || capture_is_sampler(c)) {
		json_key_known(j, "samples", (int64_t)d->samples);
		json_key_known(j, "max_latency_ns", d->max_latency);
	}
	json_put_close(j, '}');
}
