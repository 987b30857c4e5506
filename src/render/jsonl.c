/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/jsonl.h"

static const char *const kinds[EVENT_KINDS] = {
	"function", "event", "wakeup", "switch", "special", "syscall", "sysret", "stack", "lost",
};

static void key_int(struct json *j, const char *key, int64_t v)
{
	json_key(j, key);
	json_int(j, v);
}

static void key_str(struct json *j, const char *key, struct str v)
{
	json_key(j, key);
	json_str(j, v);
}

static void jsonl_side(struct json *j, const char *key, const struct sched_side *s)
{
	json_key(j, key);
	json_open(j, '{');
	key_int(j, "pid", s->pid);
	key_int(j, "prio", s->prio);
	key_str(j, "state", (struct str){ &s->state, 1 });
	json_close(j, '}');
}

static void jsonl_payload(struct render_jsonl *r, const struct event *e, const struct payload *p)
{
	struct json *j = &r->json;
	const struct names *names = r->capture->names;
	switch (event_kind(e)) {
	case EVENT_WAKEUP:
	case EVENT_SWITCH:
		jsonl_side(j, "prev", &p->sched.prev);
		jsonl_side(j, "next", &p->sched.next);
		if (p->sched.next_task)
			key_str(j, "next_comm",
				names_str(names, names_task_of(names, p->sched.next_task).comm));
		if (p->sched.next_cpu >= 0)
			key_int(j, "next_cpu", p->sched.next_cpu);
		break;
	case EVENT_STACK:
		json_key(j, "stack");
		json_open(j, '[');
		for (uint32_t i = 0; i < p->stack.n; i++)
			json_str(j, names_str(names, p->stack.frames[i]));
		json_close(j, ']');
		if (p->stack.dropped)
			key_int(j, "frames_left_out", p->stack.dropped);
		break;
	case EVENT_LOST:
		json_key(j, "lost");
		json_known(j, p->lost < 0 ? UNKNOWN : p->lost);
		break;
	case EVENT_FUNCTION:
		break;
	default:
		key_str(j, "text", p->text);
	}
}

static void jsonl_event(struct sink *s, const struct event *e, const struct payload *p)
{
	struct render_jsonl *r = (struct render_jsonl *)s;
	struct json *j = &r->json;
	const struct names *names = r->capture->names;
	json_open(j, '{');
	key_str(j, "kind", str_of(kinds[event_kind(e)]));
	if (r->index > 1)
		key_int(j, "capture", r->index);
	key_int(j, "line", e->line);
	if (!(e->kind & EVENT_NO_TIME))
		key_int(j, r->capture->trace.clock_ticks ? "t_ticks" : "t_ns", e->time);
	key_int(j, "cpu", e->cpu);
	if (event_kind(e) != EVENT_LOST) {
		struct task t = names_task_of(names, e->task);
		char flags[8];
		event_flags_print(e->flags, flags);
		key_str(j, "comm", names_str(names, t.comm));
		key_int(j, "pid", t.pid);
		key_str(j, "flags", str_of(flags));
	}
	if (e->what)
		key_str(j, "what", names_str(names, e->what));
	if (e->arg)
		key_str(j, "caller", names_str(names, e->arg));
	if (e->kind & EVENT_AFTER_HOLE) {
		json_key(j, "after_hole");
		json_bool(j, true);
	}
	jsonl_payload(r, e, p);
	json_close(j, '}');
	json_end(j);
}

static int jsonl_begin(struct sink *s, const struct capture *c, struct err *err)
{
	(void)err;
	struct render_jsonl *r = (struct render_jsonl *)s;
	struct json *j = &r->json;
	r->capture = c;
	json_open(j, '{');
	key_str(j, "kind", str_of("capture"));
	key_str(j, "schema", str_of("dwell.event/1"));
	key_int(j, "capture", r->index);
	key_int(j, "line", c->first_line);
	json_key(j, "tracer");
	json_string(j, c->trace.tracer);
	json_key(j, "kernel");
	json_string(j, c->trace.kernel);
	json_close(j, '}');
	json_end(j);
	return 0;
}

static int jsonl_finish(struct sink *s, const struct capture *c, struct report *r, struct err *err)
{
	(void)s, (void)c, (void)r, (void)err;
	return 0;
}

static const struct sink_ops jsonl_ops = {
	.wants = SINK_WANTS_ALL,
	.begin = jsonl_begin,
	.event = jsonl_event,
	.finish = jsonl_finish,
};

void render_jsonl_init(struct render_jsonl *r, FILE *out, unsigned index)
{
	*r = (struct render_jsonl){ .sink = { &jsonl_ops }, .index = index };
	json_init(&r->json, out, true);
}
