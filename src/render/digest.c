/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/digest.h"

static void key_string(struct json *j, const char *key, const char *v)
{
	json_key(j, key);
	json_string(j, v);
}

static void key_known(struct json *j, const char *key, int64_t v)
{
	json_key(j, key);
	json_known(j, v);
}

static void key_name(struct json *j, const char *key, const struct names *names, uint32_t id)
{
	json_key(j, key);
	if (id)
		json_str(j, names_str(names, id));
	else
		json_null(j);
}

static void digest_damage(struct json *j, const struct capture *c)
{
	if (!c->damaged)
		return;
	json_key(j, "damage");
	json_open(j, '[');
	vec_each (d, &c->damage) {
		json_open(j, '{');
		key_known(j, "line", d->line);
		key_string(j, "why", d->why);
		json_close(j, '}');
	}
	json_close(j, ']');
	key_known(j, "damaged_lines", (int64_t)c->damaged);
}

static void digest_header(struct json *j, const struct capture *c)
{
	const struct trace_header *h = &c->trace;
	key_string(j, "tracer", h->tracer);
	key_string(j, "format", h->format);
	key_string(j, "kernel", h->kernel);
	key_known(j, "latency_us", h->latency_us);
	key_known(j, "cpu", h->cpu);
	key_known(j, "cpus", h->cpus);
	json_key(j, "task");
	if (h->task.comm) {
		json_open(j, '{');
		key_string(j, "comm", h->task.comm);
		key_known(j, "pid", h->task.pid);
		key_known(j, "uid", h->task.uid);
		key_known(j, "nice", h->task.nice);
		key_known(j, "policy", h->task.policy);
		key_known(j, "rt_prio", h->task.rt_prio);
		json_close(j, '}');
	} else {
		json_null(j);
	}
	key_string(j, "started_at", h->started_at);
	key_string(j, "ended_at", h->ended_at_nowhere ? NULL : h->ended_at);
	key_string(j, "preempt_model", h->preempt_model);
	key_known(j, "entries_in_buffer", h->entries_in_buffer);
	key_known(j, "entries_written", h->entries_written);
}

static void digest_event(struct json *j, const char *key, const struct capture *c,
			 const struct event *e)
{
	json_key(j, key);
	if (!e) {
		json_null(j);
		return;
	}
	struct task t = names_task_of(c->names, e->task);
	json_open(j, '{');
	key_known(j, c->trace.clock_ticks ? "t_ticks" : "t_ns",
		  e->kind & EVENT_NO_TIME ? UNKNOWN : e->time);
	key_known(j, "cpu", e->cpu);
	key_name(j, "comm", c->names, t.comm);
	key_known(j, "pid", t.pid);
	key_name(j, "what", c->names, e->what);
	key_name(j, "caller", c->names, e->arg);
	key_known(j, "line", e->line);
	json_close(j, '}');
}

void render_digest(struct json *j, const struct capture *c, const struct digest *d)
{
	json_open(j, '{');
	key_string(j, "schema", "dwell.capture/1");
	key_string(j, "kind", "trace");
	json_key(j, "lines");
	json_open(j, '[');
	json_int(j, c->first_line);
	json_int(j, c->last_line);
	json_close(j, ']');
	digest_damage(j, c);
	digest_header(j, c);
	key_known(j, "events", (int64_t)d->events);
	digest_event(j, "first", c, d->events ? &d->first : NULL);
	digest_event(j, "last", c, d->events ? &d->last : NULL);
	key_known(j, "lost_events", c->lost_events < 0 ? UNKNOWN : c->lost_events);
	if (c->lost_events == -1) {
		json_key(j, "lost_unknown");
		json_bool(j, true);
	}
	key_known(j, "stack_traces", (int64_t)d->stack_traces);
	json_key(j, "max_gap");
	if (d->have_gap && !c->trace.clock_ticks) {
		json_open(j, '{');
		key_name(j, "after", c->names, d->gap_after);
		key_known(j, "ns", d->gap);
		json_close(j, '}');
	} else {
		json_null(j);
	}
	json_close(j, '}');
}
