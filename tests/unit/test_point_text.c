/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of tracepoints to figures, in all the forms in which they are printed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/capture.h"
#include "read/point_text.h"
#include "trace.h"

static struct names names;
static struct point_reader reader;

static int setup(void **state)
{
	(void)state;
	names_init(&names);
	reader = (struct point_reader){ .names = &names };
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	names_fini(&names);
	return 0;
}

static bool parse(const char *name, const char *text, struct payload *p)
{
	*p = (struct payload){ 0 };
	return point_text_parse(&reader, point_of_name(str_of(name)), str_of(name), str_of(text),
				p);
}

static const char *comm_of(uint32_t task)
{
	static char text[64];
	struct str s = names_str(&names, names_task_of(&names, task).comm);
	snprintf(text, sizeof(text), "%.*s", STR_ARG(s));
	return text;
}

static void test_switch(void **state)
{
	(void)state;
	static const struct {
		const char *text, *prev_comm, *next_comm;
		int prev_pid, prev_prio;
		char state;
		int next_pid, next_prio;
	} cases[] = {
		{ "prev_comm=bash prev_pid=12 prev_prio=120 prev_state=S ==> next_comm=swapper/0 "
		  "next_pid=0 next_prio=98",
		  "bash", "swapper/0", 12, 120, 'S', 0, 98 },
		{ "prev_comm=a next_pid=1 prev_pid=12 prev_prio=-1 prev_state=R+ ==> "
		  "next_comm=a b:c [d next_pid=27817 next_prio=-1",
		  "a next_pid=1", "a b:c [d", 12, -1, 'R', 27817, -1 },
		{ "prev_comm=x prev_pid=4734 prev_prio=120 prev_state=1024 next_comm=migration/2 "
		  "next_pid=18 next_prio=0",
		  "x", "migration/2", 4734, 120, 'R', 18, 0 },
		{ "prev_comm=x prev_pid=1 prev_prio=120 prev_state=1 ==> next_comm= next_pid=2 "
		  "next_prio=120",
		  "x", "", 1, 120, 'S', 2, 120 },
		{ "prev_comm=x prev_pid=0x1 (1) prev_prio=0x78 (120) prev_state=0x2 (2) "
		  "next_comm=y next_pid=0x2 (2) next_prio=0x62 (98)",
		  "x", "y", 1, 120, 'D', 2, 98 },
		{ "git:22504 [120] R ==> rcu_preempt:15 [98]", "git", "rcu_preempt", 22504, 120,
		  'R', 15, 98 },
		{ "a b:c:1 [-1] D|K ==> x:y:2 [120] Latency: 4024.977 usecs", "a b:c", "x:y", 1, -1,
		  'D', 2, 120 },
	};
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < N_OF(cases); i++) {
			struct payload p;
			assert_true(parse("sched_switch", cases[i].text, &p));
			assert_int_equal(p.point, POINT_SWITCH);
			assert_string_equal(comm_of(p.sched.prev_task), cases[i].prev_comm);
			assert_string_equal(comm_of(p.sched.next_task), cases[i].next_comm);
			assert_int_equal(p.sched.prev.pid, cases[i].prev_pid);
			assert_int_equal(p.sched.prev.prio, cases[i].prev_prio);
			assert_int_equal(p.sched.prev.state, cases[i].state);
			assert_int_equal(p.sched.next.pid, cases[i].next_pid);
			assert_int_equal(p.sched.next.prio, cases[i].next_prio);
			assert_int_equal(p.sched.next_cpu, -1);
		}
	}
}

static void test_wakeups(void **state)
{
	(void)state;
	static const struct {
		const char *name, *text;
		enum point point;
		int pid, prio, cpu, orig_cpu;
	} cases[] = {
		{ "sched_waking", "comm=w pid=7 prio=120 target_cpu=003", POINT_WAKING, 7, 120, 3,
		  -1 },
		{ "sched_wakeup", "comm=w pid=7 prio=0 success=1 target_cpu=000", POINT_WAKEUP, 7,
		  0, 0, -1 },
		{ "sched_wakeup_new", "w:7 [120] success=1 CPU:005", POINT_WAKEUP, 7, 120, 5, -1 },
		{ "sched_wakeup", "w:7 [120]", POINT_WAKEUP, 7, 120, -1, -1 },
		{ "sched_wakeup", "w:7 [120] CPU:001 Latency: 1.500 usecs", POINT_WAKEUP, 7, 120, 1,
		  -1 },
		{ "sched_migrate_task", "comm=w pid=7 prio=120 orig_cpu=2 dest_cpu=11",
		  POINT_MIGRATE, 7, 120, 11, 2 },
	};
	for (size_t i = 0; i < N_OF(cases); i++) {
		struct payload p;
		assert_true(parse(cases[i].name, cases[i].text, &p));
		assert_int_equal(p.point, cases[i].point);
		assert_string_equal(comm_of(p.sched.next_task), "w");
		assert_int_equal(p.sched.prev.pid, -1);
		assert_int_equal(p.sched.next.pid, cases[i].pid);
		assert_int_equal(p.sched.next.prio, cases[i].prio);
		assert_int_equal(p.sched.next_cpu, cases[i].cpu);
		assert_int_equal(p.sched.orig_cpu, cases[i].orig_cpu);
	}
}

static void test_args(void **state)
{
	(void)state;
	static const struct {
		const char *name, *text;
		enum point point;
		int64_t a, b, c;
		const char *what;
	} cases[] = {
		{ "irq_handler_entry", "irq=48 name=eth0 rx", POINT_IRQ_ENTRY, 48, UNKNOWN, UNKNOWN,
		  "eth0 rx" },
		{ "irq_handler_exit", "irq=48 ret=handled", POINT_IRQ_EXIT, 48, 1, UNKNOWN, "" },
		{ "irq_handler_exit", "irq=48 ret=unhandled", POINT_IRQ_EXIT, 48, 0, UNKNOWN, "" },
		{ "irq_handler_exit", "irq=48 ret=2", POINT_IRQ_EXIT, 48, 2, UNKNOWN, "" },
		{ "local_timer_entry", "vector=236", POINT_IRQ_ENTRY, 236, UNKNOWN, UNKNOWN,
		  "local_timer" },
		{ "call_function_single_exit", "vector=251", POINT_IRQ_EXIT, 251, UNKNOWN, UNKNOWN,
		  "call_function_single" },
		{ "softirq_raise", "vec=7 [action=SCHED]", POINT_SOFTIRQ_RAISE, 7, UNKNOWN, UNKNOWN,
		  "SCHED" },
		{ "softirq_entry", "vec=9", POINT_SOFTIRQ_ENTRY, 9, UNKNOWN, UNKNOWN, "RCU" },
		{ "softirq_exit", "vec=99", POINT_SOFTIRQ_EXIT, 99, UNKNOWN, UNKNOWN, "" },
		{ "contention_begin", "0xff110000037d4478 (flags=SPIN|MUTEX)", POINT_LOCK_BEGIN,
		  (int64_t)0xff110000037d4478, 33, UNKNOWN, "" },
		{ "contention_begin", "00000000a1b2c3d4 (flags=READ|PERCPU)", POINT_LOCK_BEGIN,
		  0xa1b2c3d4, 18, UNKNOWN, "" },
		{ "contention_begin", "lock_addr=0xff flags=33", POINT_LOCK_BEGIN, 255, 33, UNKNOWN,
		  "" },
		{ "lock_acquire", "0xffff892b7cf32c20 lock", POINT_LOCK_ACQUIRE,
		  (int64_t)0xffff892b7cf32c20, 0, UNKNOWN, "lock" },
		{ "lock_acquire", "00000000a1b2c3d4 try read &mm->mmap_lock", POINT_LOCK_ACQUIRE,
		  0xa1b2c3d4, 3, UNKNOWN, "&mm->mmap_lock" },
		{ "lock_contended", "0xff (wq_completion)events", POINT_LOCK_CONTENDED, 0xff,
		  UNKNOWN, UNKNOWN, "(wq_completion)events" },
		{ "lock_acquired", "name=slob_lock lockdep_addr=0xff", POINT_LOCK_ACQUIRED, 0xff,
		  UNKNOWN, UNKNOWN, "slob_lock" },
		{ "lock_acquire", "flags=0x2 name=rcu_read_lock lockdep_addr=0xff",
		  POINT_LOCK_ACQUIRE, 0xff, 2, UNKNOWN, "rcu_read_lock" },
		{ "lock_release", "(____ptrval____) &rq->__lock", POINT_LOCK_RELEASE, UNKNOWN,
		  UNKNOWN, UNKNOWN, "&rq->__lock" },
		{ "contention_begin", "(____ptrval____) (flags=0x4)", POINT_LOCK_BEGIN, UNKNOWN, 4,
		  UNKNOWN, "" },
		{ "contention_end", "0xff (ret=-110)", POINT_LOCK_END, 255, -110, UNKNOWN, "" },
		{ "sys_enter", "NR 1 (3, 7ffd, 2, 0, 0, 0)", POINT_SYS_ENTER, 1, UNKNOWN, UNKNOWN,
		  "" },
		{ "sys_exit", "NR 1 = -11", POINT_SYS_EXIT, 1, -11, UNKNOWN, "" },
		{ "sys_exit", "id=1 ret=25", POINT_SYS_EXIT, 1, 25, UNKNOWN, "" },
		{ "sys_enter_read", "fd: 0x00000003", POINT_SYS_ENTER, UNKNOWN, UNKNOWN, UNKNOWN,
		  "read" },
		{ "sys_exit_read", "0xfffffffffffffff5", POINT_SYS_EXIT, UNKNOWN, -11, UNKNOWN,
		  "read" },
		{ "irq_noise", "local_timer:236 start 548.771077442 duration 7597 ns",
		  POINT_NOISE_IRQ, 548771077442, 7597, 236, "local_timer" },
		{ "thread_noise", "     a:b:87882 start 548.771078243 duration 9909 ns",
		  POINT_NOISE_THREAD, 548771078243, 9909, 87882, "a:b" },
		{ "nmi_noise", "start 1.000000001 duration 5 ns", POINT_NOISE_NMI, 1000000001, 5,
		  UNKNOWN, "" },
		{ "thread_noise", "start me start 5:87882 start 548.771078243 duration 9909 ns",
		  POINT_NOISE_THREAD, 548771078243, 9909, 87882, "start me start 5" },
		{ "sample_threshold", "start 1.000000001 duration 5 ns interference 3",
		  POINT_NOISE_SAMPLE, 1000000001, 5, 3, "" },
		{ "sample_threshold", "start 1.000000001 duration 5 ns interferences 4",
		  POINT_NOISE_SAMPLE, 1000000001, 5, 4, "" },
	};
	for (size_t i = 0; i < N_OF(cases); i++) {
		struct payload p;
		if (!parse(cases[i].name, cases[i].text, &p))
			fail_msg("%s: %s", cases[i].name, cases[i].text);
		assert_int_equal(p.point, cases[i].point);
		assert_int_equal(p.args.a, cases[i].a);
		assert_int_equal(p.args.b, cases[i].b);
		assert_int_equal(p.args.c, cases[i].c);
		assert_text(names_str(&names, p.args.name), cases[i].what);
	}
}

static void test_wrong(void **state)
{
	(void)state;
	static const char *const cases[][2] = {
		{ "sched_switch", "" },
		{ "sched_switch", "prev_comm=bash prev_pid=12 prev_prio=120 prev_state=S ==>" },
		{ "sched_switch", "next_comm=x next_pid=1 next_prio=1" },
		{ "sched_switch", " ==> " },
		{ "sched_switch", ") next_prio=(" },
		{ "sched_waking", "comm=w pid= prio=120 target_cpu=003" },
		{ "sched_waking", "[120]" },
		{ "irq_handler_entry", "irq=" },
		{ "local_timer_entry", "vector=" },
		{ "softirq_entry", "vec=x" },
		{ "contention_begin", "0xff" },
		{ "lock_acquire", "read rcu_read_lock" },
		{ "lock_release", "0xff " },
		{ "lock_release", "name= lockdep_addr=0xff" },
		{ "lock_acquire", "flags=x name=a lockdep_addr=0xff" },
		{ "contention_begin", "0x (flags=SPIN)" },
		{ "contention_end", "0xff (flags=SPIN)" },
		{ "sys_exit", "NR 1" },
		{ "irq_noise", "local_timer:236 start 548.77 duration 7597 ns" },
		{ "irq_noise", "local_timer:236 start 548.771077442 duration -9 ns" },
		{ "irq_noise", "" },
	};
	for (size_t i = 0; i < N_OF(cases); i++) {
		struct payload p;
		if (parse(cases[i][0], cases[i][1], &p))
			fail_msg("%s: '%s'", cases[i][0], cases[i][1]);
		assert_int_equal(p.point, POINT_NONE);
	}
}

static void test_names(void **state)
{
	(void)state;
	static const char *const none[] = { "",     "sched_switc",   "sched_switch_",
					    "sys_", "reschedule_in", "vector_alloc" };
	for (size_t i = 0; i < N_OF(none); i++)
		assert_int_equal(point_of_name(str_of(none[i])), POINT_NONE);
	assert_int_equal(point_of_name(str_of("reschedule_exit")), POINT_IRQ_EXIT);
	assert_int_equal(point_of_name(str_of("sys_enter_openat")), POINT_SYS_ENTER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_switch, setup, teardown),
		cmocka_unit_test_setup_teardown(test_wakeups, setup, teardown),
		cmocka_unit_test_setup_teardown(test_args, setup, teardown),
		cmocka_unit_test_setup_teardown(test_wrong, setup, teardown),
		cmocka_unit_test_setup_teardown(test_names, setup, teardown),
	};
	return cmocka_run_group_tests_name("point_text", tests, NULL, NULL);
}
