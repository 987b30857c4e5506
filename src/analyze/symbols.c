/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/symbols.h"

/*
 * Patterns: "x*" is a prefix, "x" the whole name. Taken from kernel/locking/spinlock.c,
 * kernel/trace/trace_irqsoff.c, trace_sched_wakeup.c, kernel/softirq.c, arch entry code, and
 * the -rt patches of 2005-2008.
 */
struct pattern {
	const char *text;
	uint32_t classes;
};

static const struct pattern patterns[] = {
	{ "_raw_spin_*", SYMBOL_LOCK },
	{ "_raw_read_*", SYMBOL_LOCK },
	{ "_raw_write_*", SYMBOL_LOCK },
	{ "__raw_spin_*", SYMBOL_LOCK },
	{ "do_raw_spin_*", SYMBOL_LOCK },
	{ "do_raw_read_*", SYMBOL_LOCK },
	{ "do_raw_write_*", SYMBOL_LOCK },
	{ "_spin_*", SYMBOL_LOCK },
	{ "__spin_*", SYMBOL_LOCK },
	{ "spin_lock*", SYMBOL_LOCK },
	{ "spin_unlock*", SYMBOL_LOCK },
	{ "_read_lock*", SYMBOL_LOCK },
	{ "_read_unlock*", SYMBOL_LOCK },
	{ "_write_lock*", SYMBOL_LOCK },
	{ "_write_unlock*", SYMBOL_LOCK },
	{ "rt_spin_*", SYMBOL_LOCK },
	{ "queued_spin_lock_slowpath", SYMBOL_LOCK },
	{ "native_queued_spin_lock_slowpath", SYMBOL_LOCK },
	{ "__pv_queued_spin_lock_slowpath", SYMBOL_LOCK },
	{ "queued_read_lock_slowpath", SYMBOL_LOCK },
	{ "queued_write_lock_slowpath", SYMBOL_LOCK },
	{ "raw_spin_rq_lock_nested", SYMBOL_SLEEPER },
	{ "mutex_lock*", SYMBOL_SLEEPER },
	{ "__mutex_lock*", SYMBOL_SLEEPER },
	{ "ww_mutex_lock*", SYMBOL_SLEEPER },
	{ "down_*", SYMBOL_SLEEPER },
	{ "__down_*", SYMBOL_SLEEPER },
	{ "rwsem_down_*", SYMBOL_SLEEPER },
	{ "percpu_down_*", SYMBOL_SLEEPER },
	{ "__percpu_down_*", SYMBOL_SLEEPER },
	{ "percpu_rwsem_*", SYMBOL_SLEEPER },
	{ "rt_mutex_*", SYMBOL_SLEEPER },
	{ "__rt_mutex_*", SYMBOL_SLEEPER },
	{ "rtlock_slowlock*", SYMBOL_SLEEPER },
	{ "rwbase_*", SYMBOL_SLEEPER },
	{ "preempt_count_add", SYMBOL_LOCK },
	{ "preempt_count_sub", SYMBOL_LOCK },
	{ "add_preempt_count", SYMBOL_LOCK },
	{ "sub_preempt_count", SYMBOL_LOCK },
	{ "local_irq_*", SYMBOL_LOCK },
	{ "__local_irq_*", SYMBOL_LOCK },
	{ "__local_bh_*", SYMBOL_LOCK },
	{ "local_bh_*", SYMBOL_LOCK },
	{ "trace_hardirqs_*", SYMBOL_TRACER },
	{ "trace_preempt_*", SYMBOL_TRACER },
	{ "tracer_hardirqs_*", SYMBOL_TRACER },
	{ "tracer_preempt_*", SYMBOL_TRACER },
	{ "time_hardirqs_*", SYMBOL_TRACER },
	{ "time_preempt_*", SYMBOL_TRACER },
	{ "lockdep_hardirqs_*", SYMBOL_TRACER },
	{ "stop_critical_timing*", SYMBOL_TRACER },
	{ "start_critical_timing*", SYMBOL_TRACER },
	{ "check_critical_timing*", SYMBOL_TRACER },
	{ "__ftrace_trace_stack", SYMBOL_TRACER },
	{ "__trace_stack", SYMBOL_TRACER },
	{ "probe_wakeup*", SYMBOL_TRACER },
	{ "trace_sched_*", SYMBOL_TRACER },
	{ "trace_event_raw_event_*", SYMBOL_TRACER },
	{ "trace_event_buffer_*", SYMBOL_TRACER },
	{ "__traceiter_*", SYMBOL_TRACER },
	{ "perf_trace_*", SYMBOL_TRACER },
	{ "__bpf_trace_*", SYMBOL_TRACER },
	{ "return_to_handler", SYMBOL_TRACER },
	{ "ftrace_*", SYMBOL_TRACER },
	{ "trace_special*", SYMBOL_TRACER },
	{ "trace_array", SYMBOL_TRACER },
	{ "user_trace_start", SYMBOL_TRACER | SYMBOL_WINDOW },
	{ "user_trace_stop", SYMBOL_TRACER | SYMBOL_WINDOW },
	{ "__trace_start_sched_wakeup", SYMBOL_TRACER | SYMBOL_SWITCH },
	{ "trace_start_sched_wakeup", SYMBOL_TRACER | SYMBOL_SWITCH },
	{ "trace_stop_sched_switched", SYMBOL_TRACER | SYMBOL_SWITCH },
	{ "trace_change_sched_cpu", SYMBOL_TRACER },
	{ "try_to_wake_up", SYMBOL_WAKER },
	{ "ttwu_*", SYMBOL_WAKER },
	{ "wake_up_process", SYMBOL_WAKER },
	{ "wake_up_q", SYMBOL_WAKER },
	{ "wake_up_state", SYMBOL_WAKER },
	{ "default_wake_function", SYMBOL_WAKER },
	{ "autoremove_wake_function", SYMBOL_WAKER },
	{ "__wake_up*", SYMBOL_WAKER },
	{ "do_IRQ", SYMBOL_HARDIRQ },
	{ "__do_IRQ", SYMBOL_HARDIRQ },
	{ "do_irq", SYMBOL_HARDIRQ },
	{ "handle_IRQ", SYMBOL_HARDIRQ },
	{ "common_interrupt", SYMBOL_HARDIRQ },
	{ "__common_interrupt", SYMBOL_HARDIRQ },
	{ "asm_common_interrupt", SYMBOL_HARDIRQ },
	{ "apic_timer_interrupt", SYMBOL_HARDIRQ },
	{ "smp_apic_timer_interrupt", SYMBOL_HARDIRQ },
	{ "smp_reschedule_interrupt", SYMBOL_HARDIRQ },
	{ "smp_call_function_interrupt", SYMBOL_HARDIRQ },
	{ "smp_call_function_single_interrupt", SYMBOL_HARDIRQ },
	{ "reschedule_interrupt", SYMBOL_HARDIRQ },
	{ "sysvec_*", SYMBOL_HARDIRQ },
	{ "__sysvec_*", SYMBOL_HARDIRQ },
	{ "asm_sysvec_*", SYMBOL_HARDIRQ },
	{ "gic_handle_irq", SYMBOL_HARDIRQ },
	{ "__handle_domain_irq", SYMBOL_HARDIRQ },
	{ "el1_irq", SYMBOL_HARDIRQ },
	{ "el1_interrupt", SYMBOL_HARDIRQ },
	{ "el1h_64_irq*", SYMBOL_HARDIRQ },
	{ "el0_irq", SYMBOL_HARDIRQ },
	{ "riscv_intc_irq", SYMBOL_HARDIRQ },
	{ "handle_riscv_irq", SYMBOL_HARDIRQ },
	{ "irq_enter*", SYMBOL_HARDIRQ },
	{ "irq_exit*", SYMBOL_HARDIRQ | SYMBOL_IRQ_EXIT },
	{ "__irq_exit_rcu", SYMBOL_HARDIRQ | SYMBOL_IRQ_EXIT },
	{ "__do_softirq", SYMBOL_SOFTIRQ },
	{ "___do_softirq", SYMBOL_SOFTIRQ },
	{ "handle_softirqs", SYMBOL_SOFTIRQ },
	{ "__softirqentry_text_start", SYMBOL_SOFTIRQ },
	{ "do_nmi", SYMBOL_NMI },
	{ "default_do_nmi", SYMBOL_NMI },
	{ "exc_nmi", SYMBOL_NMI },
	{ "asm_exc_nmi", SYMBOL_NMI },
	{ "nmi_enter", SYMBOL_NMI },
	{ "nmi_exit", SYMBOL_NMI },
};

struct str symbol_fold(struct str name)
{
	static const char *const clones[] = { ".isra", ".part",  ".constprop", ".cold",
					      ".llvm", ".clone", ".lto_priv" };
	if (name.n > 1 && name.p[0] == '.')
		name = str_from(name, 1);
	for (size_t i = 0; i < sizeof(clones) / sizeof(clones[0]); i++) {
		ptrdiff_t at = str_find(name, clones[i]);
		size_t end = (size_t)at + strlen(clones[i]);
		if (at > 0 && (end == name.n || name.p[end] == '.'))
			name = str_head(name, (size_t)at);
	}
	return name;
}

uint32_t symbol_classify(struct str folded)
{
	uint32_t classes = 0;
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		const char *text = patterns[i].text;
		size_t n = strlen(text);
		bool prefix = text[n - 1] == '*';
		n -= prefix;
		if (folded.n >= n && (prefix || folded.n == n) && memcmp(folded.p, text, n) == 0)
			classes |= patterns[i].classes;
	}
	return classes;
}

void symbols_init(struct symbols *s, const struct names *names)
{
	*s = (struct symbols){ .names = names };
	intern_init(&s->folded, INTERN_CAP);
}

void symbols_fini(struct symbols *s)
{
	intern_fini(&s->folded);
	vec_fini(&s->by_name);
	vec_fini(&s->classes);
}

struct symbol symbols_of(struct symbols *s, uint32_t name)
{
	while (s->by_name.n <= name)
		vec_push(&s->by_name, ((struct symbol){ UINT32_MAX, 0 }));
	struct symbol *known = &s->by_name.at[name];
	if (known->id == UINT32_MAX) {
		struct str folded = symbol_fold(names_str(s->names, name));
		known->id = intern_id(&s->folded, folded);
		known->classes = symbol_classify(folded);
		while (s->classes.n <= known->id)
			vec_push(&s->classes, 0);
		s->classes.at[known->id] = known->classes;
	}
	return *known;
}
