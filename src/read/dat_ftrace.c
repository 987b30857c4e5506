/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftrace's own entries (kernel/trace/trace_entries.h): functions, graphs, stacks, notes, rows. */
#include "read/dat_decode.h"

#include <stdio.h>

#define DEPTH_MAX UINT8_MAX

static uint32_t function_of(struct dat_decoder *d, const struct dat_event *ev, enum dat_role role,
			    const struct dat_data *data)
{
	int64_t address = dat_role_int(ev, role, data);
	return address == UNKNOWN || !address ? 0 : dat_function(&d->symbols, (uint64_t)address);
}

static void fill_function(struct dat_decoder *d, const struct dat_event *ev,
			  const struct dat_data *data, struct event *e, struct payload *p)
{
	e->what = function_of(d, ev, ROLE_A, data);
	e->arg = function_of(d, ev, ROLE_B, data);
	p->arguments = (struct str){ "", 0 };
	p->function.repeats = p->function.last_ts = 0;
}

/* func_repeats: the last call was (top << 32 | bottom) ns before this entry. */
static void fill_repeats(struct dat_decoder *d, const struct dat_event *ev,
			 const struct dat_data *data, struct event *e, struct payload *p)
{
	fill_function(d, ev, data, e, p);
	int64_t n = dat_role_int(ev, ROLE_C, data), bottom = dat_role_int(ev, ROLE_NAME, data);
	int64_t top = dat_role_int(ev, ROLE_NEXT_COMM, data);
	if (n == UNKNOWN || bottom == UNKNOWN || top == UNKNOWN)
		return;
	uint64_t delta = ((uint64_t)top & 0xffff) << 32 | ((uint64_t)bottom & UINT32_MAX);
	p->function.repeats = n;
	if (__builtin_sub_overflow(e->time, (int64_t)delta, &p->function.last_ts))
		p->function.last_ts = 0;
}

static void fill_graph(struct dat_decoder *d, const struct dat_event *ev,
		       const struct dat_data *data, struct event *e, struct payload *p)
{
	int64_t depth = dat_role_int(ev, ROLE_B, data);
	int64_t from = dat_role_int(ev, ROLE_C, data), to = dat_role_int(ev, ROLE_NAME, data);
	e->what = function_of(d, ev, ROLE_A, data);
	e->depth = depth < 0 ? 0 : depth > DEPTH_MAX ? DEPTH_MAX : (uint8_t)depth;
	p->arguments = p->graph.comment = (struct str){ "", 0 };
	p->graph.duration = NO_DURATION;
	if (e->kind == EVENT_GRAPH_EXIT && from != UNKNOWN && to != UNKNOWN &&
	    __builtin_sub_overflow(to, from, &p->graph.duration))
		p->graph.duration = NO_DURATION;
}

/*
 * kernel_stack and user_stack: addresses, innermost first; as many as `size` says, or until one
 * is 0 or all ones. The array's size in the format is not that of the record.
 */
static void fill_stack(struct dat_decoder *d, const struct dat_event *ev,
		       const struct dat_data *data, struct event *e, struct payload *p)
{
	(void)e;
	int64_t size = dat_role_int(ev, ROLE_A, data);
	bool user = ev->role[ROLE_C] >= 0;
	p->stack.n = p->stack.dropped = 0;
	p->stack.user = user;
	if (ev->role[ROLE_B] < 0)
		return;
	uint32_t at = ev->fields.at[ev->role[ROLE_B]].offset;
	uint64_t end = d->long_size == 8 ? UINT64_MAX : UINT32_MAX;
	for (int64_t i = 0; at + d->long_size <= data->n && (size == UNKNOWN || i < size); i++) {
		const unsigned char *a = data->p + at;
		uint64_t v = d->long_size == 8 ? dat_u64(a, data->big) : dat_u32(a, data->big);
		at += d->long_size;
		if (!v || v == end)
			break;
		if (p->stack.n == STACK_MAX) {
			p->stack.dropped++;
			continue;
		}
		/* Addresses of a process are none of the kernel's symbols. */
		char text[24];
		snprintf(text, sizeof(text), "0x%llx", (unsigned long long)v);
		p->stack.frames[p->stack.n++] =
			user ? names_id(d->names, str_of(text)) : dat_function(&d->symbols, v);
	}
}

static int32_t small(int64_t v)
{
	return v < INT32_MIN || v > INT32_MAX ? -1 : (int32_t)v;
}

/* task_index_to_char() in include/linux/sched.h, v4.14 and later */
static char state_letter(int64_t index)
{
	static const char letters[] = "RSDTtXZPI";
	return index >= 0 && index < (int64_t)sizeof(letters) - 1 ? letters[index] : '?';
}

/* wakeup and context_switch of the wake-up tracers */
static void fill_switch(struct dat_decoder *d, const struct dat_event *ev,
			const struct dat_data *data, struct event *e, struct payload *p)
{
	(void)e;
	p->point = POINT_NONE;
	p->sched.prev = (struct sched_side){
		small(dat_role_int(ev, ROLE_PREV_PID, data)),
		small(dat_role_int(ev, ROLE_PREV_PRIO, data)),
		state_letter(dat_role_int(ev, ROLE_PREV_STATE, data)),
	};
	p->sched.next = (struct sched_side){
		small(dat_role_int(ev, ROLE_NEXT_PID, data)),
		small(dat_role_int(ev, ROLE_NEXT_PRIO, data)),
		state_letter(dat_role_int(ev, ROLE_NEXT_STATE, data)),
	};
	p->sched.next_cpu = small(dat_role_int(ev, ROLE_NEXT_CPU, data));
	p->sched.orig_cpu = -1;
	p->sched.prev_task = dat_task(&d->symbols, p->sched.prev.pid);
	p->sched.next_task = dat_task(&d->symbols, p->sched.next.pid);
}

static void fill_row(struct dat_decoder *d, const struct dat_event *ev, const struct dat_data *data,
		     struct event *e, struct payload *p)
{
	(void)d, (void)e;
	p->args.a = dat_role_int(ev, ROLE_A, data);
	p->args.b = dat_role_int(ev, ROLE_B, data);
	p->args.c = dat_role_int(ev, ROLE_C, data);
	p->args.name = 0;
}

static void fill_timerlat(struct dat_decoder *d, const struct dat_event *ev,
			  const struct dat_data *data, struct event *e, struct payload *p)
{
	static const char *const contexts[] = { "irq", "thread", "user-ret" };
	fill_row(d, ev, data, e, p);
	int64_t context = dat_role_int(ev, ROLE_NAME, data);
	if (context >= 0 && context < 3)
		p->args.name = names_id(d->names, str_of(contexts[context]));
}

#define RULE(ev, k, pt, print, how, ...)                                                           \
	{                                                                                          \
		.system = "ftrace", .event = ev, .point = pt, .form = print, .fill = how,          \
		.fields = { __VA_ARGS__ }, .kind = k                                               \
	}
#define SIDES                                                                                      \
	[ROLE_PREV_PID] = "prev_pid", [ROLE_PREV_PRIO] = "prev_prio",                              \
	[ROLE_PREV_STATE] = "prev_state", [ROLE_NEXT_PID] = "next_pid",                            \
	[ROLE_NEXT_PRIO] = "next_prio", [ROLE_NEXT_STATE] = "next_state",                          \
	[ROLE_NEXT_CPU] = "next_cpu"

const struct dat_rule dat_ftrace_rules[] = {
	RULE("function", EVENT_FUNCTION, POINT_NONE, NULL,
	     fill_function, [ROLE_A] = "ip", [ROLE_B] = "parent_ip"),
	RULE("func_repeats", EVENT_FUNCTION, POINT_NONE, NULL,
	     fill_repeats, [ROLE_A] = "ip", [ROLE_B] = "parent_ip", [ROLE_C] = "count",
	     [ROLE_NAME] = "bottom_delta_ts", [ROLE_NEXT_COMM] = "top_delta_ts"),
	RULE("funcgraph_entry", EVENT_GRAPH_ENTRY, POINT_NONE, NULL,
	     fill_graph, [ROLE_A] = "func", [ROLE_B] = "depth"),
	RULE("funcgraph_exit", EVENT_GRAPH_EXIT, POINT_NONE, NULL, fill_graph, [ROLE_A] = "func",
	     [ROLE_B] = "depth", [ROLE_C] = "calltime", [ROLE_NAME] = "rettime"),
	RULE("kernel_stack", EVENT_STACK, POINT_NONE, NULL,
	     fill_stack, [ROLE_A] = "size", [ROLE_B] = "caller"),
	RULE("user_stack", EVENT_STACK, POINT_NONE, NULL,
	     fill_stack, [ROLE_B] = "caller", [ROLE_C] = "tgid"),
	RULE("wakeup", EVENT_WAKEUP, POINT_NONE, NULL, fill_switch, SIDES),
	RULE("context_switch", EVENT_SWITCH, POINT_NONE, NULL, fill_switch, SIDES),
	RULE("timerlat", EVENT_NAMED, POINT_TIMERLAT,
	     "#{seqnum:seq} context {context:context} timer_latency {timer_latency:wide} ns",
	     fill_timerlat, [ROLE_A] = "timer_latency", [ROLE_B] = "seqnum",
	     [ROLE_NAME] = "context"),
	RULE("osnoise", EVENT_NAMED, POINT_OSNOISE, "{runtime:osnoise}",
	     fill_row, [ROLE_A] = "noise", [ROLE_B] = "max_sample", [ROLE_C] = "runtime"),
	RULE("hwlat", EVENT_NAMED, POINT_HWLAT,
	     "#{seqnum:seq} inner/outer(us): {duration}/{outer_duration} "
	     "ts:{tv_sec}.{tv_nsec:nsec} count:{count}",
	     fill_row, [ROLE_A] = "duration", [ROLE_B] = "outer_duration", [ROLE_C] = "count"),
	RULE("print", EVENT_NAMED, POINT_NONE, "{ip:function}: {buf:note}", NULL),
	RULE("bputs", EVENT_NAMED, POINT_NONE, "{ip:function}: {str:printk}", NULL),
	RULE("bprint", EVENT_NAMED, POINT_NONE, "{ip:function}: {fmt:bprintf}", NULL),
	{ .system = NULL },
};
