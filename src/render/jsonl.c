/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/jsonl.h"

static const char *const kinds[EVENT_KINDS] = {
	[EVENT_FUNCTION] = "function",
	[EVENT_NAMED] = "event",
	[EVENT_WAKEUP] = "wakeup",
	[EVENT_SWITCH] = "switch",
	[EVENT_SPECIAL] = "special",
	[EVENT_SYSCALL] = "syscall",
	[EVENT_SYSRET] = "sysret",
	[EVENT_GRAPH_ENTRY] = "graph_entry",
	[EVENT_GRAPH_EXIT] = "graph_exit",
	[EVENT_GRAPH_LEAF] = "graph_leaf",
	[EVENT_GRAPH_COMMENT] = "graph_comment",
	[EVENT_STACK] = "stack",
	[EVENT_LOST] = "lost",
	[EVENT_GRAPH_SWITCH] = "graph_switch",
};

static void jsonl_side(struct json *j, const char *key, const struct sched_side *s)
{
	json_put_key(j, key);
	json_put_open(j, '{');
	json_key_int(j, "pid", s->pid);
	json_key_int(j, "prio", s->prio);
	json_key_str(j, "state", (struct str){ &s->state, 1 });
	json_put_close(j, '}');
}

static void jsonl_function(struct json *j, const struct payload *p)
{
	if (p->arguments.n)
		json_key_str(j, "arguments", p->arguments);
	if (!p->function.repeats)
		return;
	json_key_int(j, "repeats", p->function.repeats);
	json_key_int(j, "last_t_ns", p->function.last_ts);
}

static void jsonl_call(struct json *j, const struct event *e, const struct payload *p)
{
	json_key_int(j, "depth", e->depth);
	if (p->graph.duration != NO_DURATION)
		json_key_int(j, "duration_ns", p->graph.duration);
	if (p->arguments.n)
		json_key_str(j, "arguments", p->arguments);
	if (p->graph.comment.n)
		json_key_str(j, "comment", p->graph.comment);
}

static void jsonl_payload(struct render_jsonl *r, const struct event *e, const struct payload *p)
{
	struct json *j = &r->json;
	const struct names *names = r->capture->names;
	switch (event_kind(e)) {
	case EVENT_WAKEUP:
	case EVENT_SWITCH:
	case EVENT_GRAPH_SWITCH:
		jsonl_side(j, "prev", &p->sched.prev);
		jsonl_side(j, "next", &p->sched.next);
		if (p->sched.next_task)
			json_key_str(j, "next_comm",
				     names_str(names,
					       names_task_of(names, p->sched.next_task).comm));
		if (p->sched.next_cpu >= 0)
			json_key_int(j, "next_cpu", p->sched.next_cpu);
		break;
	case EVENT_STACK:
		json_put_key(j, "stack");
		json_put_open(j, '[');
		for (uint32_t i = 0; i < p->stack.n; i++)
			json_put_str(j, names_str(names, p->stack.frames[i]));
		json_put_close(j, ']');
		if (p->stack.user) {
			json_put_key(j, "user");
			json_put_bool(j, true);
		}
		if (p->stack.dropped)
			json_key_int(j, "frames_left_out", p->stack.dropped);
		break;
	case EVENT_LOST:
		json_key_known(j, "lost", p->lost < 0 ? UNKNOWN : p->lost);
		break;
	case EVENT_FUNCTION:
		jsonl_function(j, p);
		break;
	case EVENT_GRAPH_ENTRY:
	case EVENT_GRAPH_EXIT:
	case EVENT_GRAPH_LEAF:
		jsonl_call(j, e, p);
		break;
	default:
		json_key_str(j, "text", p->text);
	}
}

/* Who was running, and in which state; what was not printed is left out. */
static void jsonl_who(struct json *j, const struct names *names, const struct event *e,
		      const struct payload *p)
{
	struct task t = names_task_of(names, e->task);
	char text[9];
	/* A graph says who is running, and how, only if it is asked to. */
	bool graph = event_is_graph(e) || event_kind(e) == EVENT_GRAPH_SWITCH;
	bool always = !(e->kind & EVENT_NO_CPU) && !graph;
	if (t.comm || always)
		json_key_str(j, "comm", names_str(names, t.comm));
	if (e->task || always)
		json_key_int(j, "pid", t.pid);
	if (t.tgid)
		json_key_int(j, "tgid", t.tgid);
	if (always || event_flag_columns(e)) {
		event_flags_print(e->flags, text);
		json_key_str(j, "flags", str_of(text));
	} else if (p->preempt_word == PREEMPT_WORD_HEX) {
		snprintf(text, sizeof(text), "%08x", p->preempt_count);
		json_key_str(j, "preempt_count", str_of(text));
	}
}

static void jsonl_event(struct sink *s, const struct event *e, const struct payload *p)
{
	struct render_jsonl *r = (struct render_jsonl *)s;
	struct json *j = &r->json;
	const struct names *names = r->capture->names;
	json_put_open(j, '{');
	json_key_str(j, "kind", str_of(kinds[event_kind(e)]));
	if (r->index > 1)
		json_key_int(j, "capture", r->index);
	json_key_int(j, "line", e->line);
	if (!(e->kind & EVENT_NO_TIME))
		json_key_int(j, r->capture->trace.clock_ticks ? "t_ticks" : "t_ns", e->time);
	if (!(e->kind & EVENT_NO_CPU))
		json_key_int(j, "cpu", e->cpu);
	if (event_kind(e) != EVENT_LOST)
		jsonl_who(j, names, e, p);
	if (e->what)
		json_key_str(j, "what", names_str(names, e->what));
	if (e->arg)
		json_key_str(j, "caller", names_str(names, e->arg));
	if (e->kind & EVENT_AFTER_HOLE) {
		json_put_key(j, "after_hole");
		json_put_bool(j, true);
	}
	jsonl_payload(r, e, p);
	json_put_close(j, '}');
	json_put_end(j);
}

static int jsonl_begin(struct sink *s, const struct capture *c, struct err *err)
{
	(void)err;
	struct render_jsonl *r = (struct render_jsonl *)s;
	struct json *j = &r->json;
	r->capture = c;
	json_put_open(j, '{');
	json_key_str(j, "kind", str_of("capture"));
	json_key_str(j, "schema", str_of("dwell.event/1"));
	json_key_int(j, "capture", r->index);
	json_key_int(j, "line", c->first_line);
	json_key_string(j, "tracer", c->trace.tracer);
	json_key_string(j, "kernel", c->trace.kernel);
	if (c->label)
		json_key_str(j, "label", str_of(c->label));
	json_put_close(j, '}');
	json_put_end(j);
	return 0;
}

static int jsonl_finish(struct sink *s, const struct capture *c, struct report *r, struct err *err)
{
	(void)s, (void)c, (void)r, (void)err;
	return 0;
}

static const struct sink_ops jsonl_ops = {
	.wants = SINK_WANTS_ALL,
	.text = true,
	.begin = jsonl_begin,
	.event = jsonl_event,
	.finish = jsonl_finish,
};

void render_jsonl_init(struct render_jsonl *r, FILE *out, unsigned index)
{
	*r = (struct render_jsonl){ .sink = { &jsonl_ops }, .index = index };
	json_put_init(&r->json, out, true);
}
