/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyze/symbols.h"

static void test_fold(void **state)
{
	(void)state;
	static const char *const cases[][2] = {
		{ "func", "func" },
		{ ".func", "func" },
		{ "func.isra.0", "func" },
		{ "func.part.12", "func" },
		{ "func.constprop.0", "func" },
		{ "func.cold", "func" },
		{ "func.cold.3", "func" },
		{ "func.constprop.0.isra.0", "func" },
		{ ".func.isra.7", "func" },
		{ "func.llvm.12345678", "func" },
		{ "func.lto_priv.0", "func" },
		/* not clones */
		{ "func.island", "func.island" },
		{ "func.coldest", "func.coldest" },
		{ "isra", "isra" },
		{ ".isra", "isra" },
		{ ".", "." },
		{ "", "" },
		{ "0", "0" },
		{ "<c0123456>", "<c0123456>" },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str got = symbol_fold(str_of(cases[i][0]));
		if (!str_eq(got, cases[i][1]))
			fail_msg("'%s' becomes '%.*s'", cases[i][0], STR_ARG(got));
	}
}

static void test_classes(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		uint32_t yes, no;
	} cases[] = {
		{ "_raw_spin_lock_irqsave", SYMBOL_LOCK, SYMBOL_TRACER },
		{ "_raw_spin_unlock_irqrestore", SYMBOL_LOCK, 0 },
		{ "__spin_lock_irqsave", SYMBOL_LOCK, 0 },
		{ "do_raw_spin_trylock", SYMBOL_LOCK, 0 },
		{ "preempt_count_sub", SYMBOL_LOCK, 0 },
		{ "preempt_count_subx", 0, SYMBOL_LOCK },
		{ "rt_mutex_unlock", 0, SYMBOL_LOCK },
		{ "mutex_lock", 0, SYMBOL_TRACER },
		{ "trace_hardirqs_on", SYMBOL_TRACER, SYMBOL_LOCK },
		{ "trace_hardirqs_on_prepare", SYMBOL_TRACER, 0 },
		{ "probe_wakeup_sched_switch", SYMBOL_TRACER, 0 },
		{ "user_trace_start", SYMBOL_TRACER | SYMBOL_WINDOW, 0 },
		{ "trace_stop_sched_switched", SYMBOL_SWITCH, SYMBOL_WINDOW },
		{ "try_to_wake_up", SYMBOL_WAKER, SYMBOL_TRACER },
		{ "ttwu_do_wakeup", SYMBOL_WAKER, 0 },
		{ "ttwu", 0, SYMBOL_WAKER },
		{ "irq_enter_rcu", SYMBOL_HARDIRQ, SYMBOL_IRQ_EXIT },
		{ "irq_exit_rcu", SYMBOL_HARDIRQ | SYMBOL_IRQ_EXIT, 0 },
		{ "sysvec_apic_timer_interrupt", SYMBOL_HARDIRQ, 0 },
		{ "do_IRQ", SYMBOL_HARDIRQ, 0 },
		{ "handle_softirqs", SYMBOL_SOFTIRQ, SYMBOL_HARDIRQ },
		{ "__do_softirq", SYMBOL_SOFTIRQ, 0 },
		{ "exc_nmi", SYMBOL_NMI, 0 },
		/* these run in any context */
		{ "irqentry_enter", 0, SYMBOL_HARDIRQ | SYMBOL_NMI },
		{ "do_softirq_own_stack_x", 0, SYMBOL_SOFTIRQ },
		{ "raise_softirq", 0, SYMBOL_SOFTIRQ },
		{ "slob_alloc", 0, ~0u },
		{ "", 0, ~0u },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t got = symbol_classify(str_of(cases[i].name));
		if ((got & cases[i].yes) != cases[i].yes || got & cases[i].no)
			fail_msg("'%s' is %#x", cases[i].name, got);
	}
}

static void test_lookup(void **state)
{
	(void)state;
	struct names n;
	struct symbols s;
	names_init(&n);
	symbols_init(&s, &n);
	uint32_t plain = names_id(&n, str_of("do_IRQ")), dot = names_id(&n, str_of(".do_IRQ"));
	uint32_t clone = names_id(&n, str_of("do_IRQ.part.0")), other = names_id(&n, str_of("x"));
	struct symbol a = symbols_of(&s, plain);
	assert_int_equal(symbols_of(&s, clone).id, a.id);
	assert_int_equal(symbols_of(&s, dot).id, a.id);
	assert_int_equal(symbols_of(&s, dot).classes, SYMBOL_HARDIRQ);
	assert_int_not_equal(symbols_of(&s, other).id, a.id);
	assert_string_equal(symbols_text(&s, a.id), "do_IRQ");
	assert_int_equal(symbols_classes(&s, a.id), SYMBOL_HARDIRQ);
	assert_int_equal(symbols_classes(&s, 4711), 0);
	assert_int_equal(symbols_of(&s, 0).id, 0);
	symbols_fini(&s);
	names_fini(&n);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fold),
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_lookup),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
