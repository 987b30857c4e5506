/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tracepoints whose figures analyses read: enum point of core/event.h. */
#include "read/dat_decode.h"
#include "read/point_text.h"

/* The letter of a task's state in sched_switch. */
static char state_letter(const struct dat_event *ev, int64_t state)
{
	for (unsigned bit = 0; bit < sizeof(ev->states); bit++) {
		if (ev->states[bit] && state >> bit & 1)
			return ev->states[bit];
	}
	return 'R';
}

static int32_t small(int64_t v, int32_t otherwise)
{
	return v < INT32_MIN || v > INT32_MAX ? otherwise : (int32_t)v;
}

static uint32_t side(struct dat_decoder *d, const struct dat_event *ev, const struct dat_data *data,
		     enum dat_role comm, struct sched_side *to)
{
	*to = (struct sched_side){
		.pid = small(dat_role_int(ev, comm + 1, data), -1),
		.prio = small(dat_role_int(ev, comm + 2, data), -1),
		.state = '?',
	};
	if (ev->role[comm] < 0)
		return 0;
	return names_task(d->names, dat_role_str(ev, comm, data), to->pid);
}

static void fill_sched(struct dat_decoder *d, const struct dat_event *ev,
		       const struct dat_data *data, struct event *e, struct payload *p)
{
	(void)e;
	p->sched.prev_task = 0;
	p->sched.prev = (struct sched_side){ -1, -1, '?' };
	if (ev->rule->point == POINT_SWITCH) {
		p->sched.prev_task = side(d, ev, data, ROLE_PREV_COMM, &p->sched.prev);
		int64_t state = dat_role_int(ev, ROLE_PREV_STATE, data);
		if (state != UNKNOWN)
			p->sched.prev.state = state_letter(ev, state);
	}
	p->sched.next_task = side(d, ev, data, ROLE_NEXT_COMM, &p->sched.next);
	p->sched.next.state = 'R';
	p->sched.next_cpu = small(dat_role_int(ev, ROLE_NEXT_CPU, data), -1);
	p->sched.orig_cpu = small(dat_role_int(ev, ROLE_ORIG_CPU, data), -1);
}

static void fill_args(struct dat_decoder *d, const struct dat_event *ev,
		      const struct dat_data *data, struct event *e, struct payload *p)
{
	(void)e;
	p->args.a = dat_role_int(ev, ROLE_A, data);
	p->args.b = dat_role_int(ev, ROLE_B, data);
	p->args.c = dat_role_int(ev, ROLE_C, data);
	p->args.name =
		ev->role[ROLE_NAME] < 0 ? 0 : names_id(d->names, dat_role_str(ev, ROLE_NAME, data));
}

static void fill_softirq(struct dat_decoder *d, const struct dat_event *ev,
			 const struct dat_data *data, struct event *e, struct payload *p)
{
	fill_args(d, ev, data, e, p);
	p->args.name = names_id(d->names, point_softirq(p->args.a));
}

/* The address is a lock's, and may be that of a variable. */
static void fill_lock(struct dat_decoder *d, const struct dat_event *ev,
		      const struct dat_data *data, struct event *e, struct payload *p)
{
	fill_args(d, ev, data, e, p);
	if (p->args.a != UNKNOWN)
		p->args.name = dat_variable(&d->symbols, (uint64_t)p->args.a);
}

/* vec is the third figure here. */
static void fill_softirq_noise(struct dat_decoder *d, const struct dat_event *ev,
			       const struct dat_data *data, struct event *e, struct payload *p)
{
	fill_args(d, ev, data, e, p);
	p->args.name = names_id(d->names, point_softirq(p->args.c));
}

static void fill_named(struct dat_decoder *d, const struct dat_event *ev,
		       const struct dat_data *data, struct event *e, struct payload *p)
{
	fill_args(d, ev, data, e, p);
	p->args.name = ev->arg_name;
}

#define ARGS(...)                                                                                  \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}
#define RULE(sys, ev, pt, how, ...)                                                                \
	{                                                                                          \
		.system = sys, .event = ev, .point = pt, .fill = how, .fields = ARGS(__VA_ARGS__), \
		.kind = EVENT_NAMED                                                                \
	}
#define NEXT(comm, pid, prio, cpu)                                                                 \
	[ROLE_NEXT_COMM] = comm, [ROLE_NEXT_PID] = pid, [ROLE_NEXT_PRIO] = prio,                   \
	[ROLE_NEXT_CPU] = cpu
#define VECTOR(name)                                                                               \
	RULE("irq_vectors", name "_entry", POINT_IRQ_ENTRY, fill_named, [ROLE_A] = "vector"),      \
		RULE("irq_vectors", name "_exit", POINT_IRQ_EXIT, fill_named, [ROLE_A] = "vector")

const struct dat_rule dat_point_rules[] = {
	RULE("sched", "sched_switch", POINT_SWITCH,
	     fill_sched, [ROLE_PREV_COMM] = "prev_comm", [ROLE_PREV_PID] = "prev_pid",
	     [ROLE_PREV_PRIO] = "prev_prio", [ROLE_PREV_STATE] = "prev_state",
	     NEXT("next_comm", "next_pid", "next_prio", NULL)),
	RULE("sched", "sched_waking", POINT_WAKING, fill_sched,
	     NEXT("comm", "pid", "prio", "target_cpu")),
	RULE("sched", "sched_wakeup", POINT_WAKEUP, fill_sched,
	     NEXT("comm", "pid", "prio", "target_cpu")),
	RULE("sched", "sched_wakeup_new", POINT_WAKEUP, fill_sched,
	     NEXT("comm", "pid", "prio", "target_cpu")),
	RULE("sched", "sched_migrate_task", POINT_MIGRATE, fill_sched,
	     NEXT("comm", "pid", "prio", "dest_cpu"), [ROLE_ORIG_CPU] = "orig_cpu"),
	RULE("irq", "irq_handler_entry", POINT_IRQ_ENTRY,
	     fill_args, [ROLE_A] = "irq", [ROLE_NAME] = "name"),
	RULE("irq", "irq_handler_exit", POINT_IRQ_EXIT,
	     fill_args, [ROLE_A] = "irq", [ROLE_B] = "ret"),
	RULE("irq", "softirq_raise", POINT_SOFTIRQ_RAISE, fill_softirq, [ROLE_A] = "vec"),
	RULE("irq", "softirq_entry", POINT_SOFTIRQ_ENTRY, fill_softirq, [ROLE_A] = "vec"),
	RULE("irq", "softirq_exit", POINT_SOFTIRQ_EXIT, fill_softirq, [ROLE_A] = "vec"),
	RULE("lock", "contention_begin", POINT_LOCK_BEGIN,
	     fill_lock, [ROLE_A] = "lock_addr", [ROLE_B] = "flags"),
	RULE("lock", "contention_end", POINT_LOCK_END,
	     fill_args, [ROLE_A] = "lock_addr", [ROLE_B] = "ret"),
	RULE("lock", "lock_acquire", POINT_LOCK_ACQUIRE, fill_args, [ROLE_A] = "lockdep_addr",
	     [ROLE_B] = "flags", [ROLE_NAME] = "name"),
	RULE("lock", "lock_contended", POINT_LOCK_CONTENDED,
	     fill_args, [ROLE_A] = "lockdep_addr", [ROLE_NAME] = "name"),
	RULE("lock", "lock_acquired", POINT_LOCK_ACQUIRED,
	     fill_args, [ROLE_A] = "lockdep_addr", [ROLE_NAME] = "name"),
	RULE("lock", "lock_release", POINT_LOCK_RELEASE,
	     fill_args, [ROLE_A] = "lockdep_addr", [ROLE_NAME] = "name"),
	RULE("raw_syscalls", "sys_enter", POINT_SYS_ENTER, fill_args, [ROLE_A] = "id"),
	RULE("raw_syscalls", "sys_exit", POINT_SYS_EXIT,
	     fill_args, [ROLE_A] = "id", [ROLE_B] = "ret"),
	RULE("syscalls", "sys_enter_*", POINT_SYS_ENTER, fill_named, [ROLE_A] = "__syscall_nr|nr"),
	RULE("syscalls", "sys_exit_*", POINT_SYS_EXIT,
	     fill_named, [ROLE_A] = "__syscall_nr|nr", [ROLE_B] = "ret"),
	RULE("osnoise", "nmi_noise", POINT_NOISE_NMI,
	     fill_args, [ROLE_A] = "start", [ROLE_B] = "duration"),
	RULE("osnoise", "irq_noise", POINT_NOISE_IRQ, fill_args, [ROLE_A] = "start",
	     [ROLE_B] = "duration", [ROLE_C] = "vector", [ROLE_NAME] = "desc"),
	RULE("osnoise", "softirq_noise", POINT_NOISE_SOFTIRQ,
	     fill_softirq_noise, [ROLE_A] = "start", [ROLE_B] = "duration", [ROLE_C] = "vector"),
	RULE("osnoise", "thread_noise", POINT_NOISE_THREAD, fill_args, [ROLE_A] = "start",
	     [ROLE_B] = "duration", [ROLE_C] = "pid", [ROLE_NAME] = "comm"),
	RULE("osnoise", "sample_threshold", POINT_NOISE_SAMPLE,
	     fill_args, [ROLE_A] = "start", [ROLE_B] = "duration", [ROLE_C] = "interference"),
	VECTOR("local_timer"),
	VECTOR("spurious_apic"),
	VECTOR("error_apic"),
	VECTOR("x86_platform_ipi"),
	VECTOR("irq_work"),
	VECTOR("reschedule"),
	VECTOR("call_function"),
	VECTOR("call_function_single"),
	VECTOR("threshold_apic"),
	VECTOR("deferred_error_apic"),
	VECTOR("thermal_apic"),
	{ .system = NULL },
};
