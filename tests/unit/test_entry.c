/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "read/latency_entry.h"
#include "trace.h"

static struct names names;
static struct entry_reader reader;
static struct event e;
static struct payload p;

static int setup(void **state)
{
	(void)state;
	names_init(&names);
	reader = (struct entry_reader){ .names = &names };
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	names_fini(&names);
	return 0;
}

static void parse(const char *line, enum entry_result want)
{
	enum entry_result got = entry_parse(&reader, str_of(line), &e, &p);
	if (got != want)
		fail_msg("'%s' gives %d, not %d", line, got, want);
}

static void expect_who(const char *comm, int pid, int cpu, const char *flags, int64_t ns)
{
	struct task t = names_task_of(&names, e.task);
	char printed[8];
	event_flags_print(e.flags, printed);
	assert_text(names_str(&names, t.comm), comm);
	assert_int_equal(t.pid, pid);
	assert_int_equal(e.cpu, cpu);
	assert_string_equal(printed, flags);
	assert_true(e.time == ns);
}

static void expect_what(enum event_kind kind, const char *what, const char *caller)
{
	assert_int_equal(event_kind(&e), kind);
	assert_text(names_str(&names, e.what), what);
	assert_text(names_str(&names, e.arg), caller);
}

static void test_prefix(void **state)
{
	(void)state;
	static const struct {
		const char *line, *comm;
		int pid, cpu;
		const char *flags;
		int64_t ns;
	} cases[] = {
		{ "   inetd-358   0D..2    6us+: f (c)", "inetd", 358, 0, "D..2", 6000 },
		{ "  <idle>-0         1dNh5.    2us!: f <-c", "<idle>", 0, 1, "dNh5.", 2000 },
		{ "  <idle>-0       0d...1..    1us : f <-c", "<idle>", 0, 0, "d...1..", 1000 },
		{ "<idle>-0 0d..1 1us: f <-c", "<idle>", 0, 0, "d..1", 1000 },
		/* comms: '-', blanks, ':', digits, nothing */
		{ "softirq--5     0D..2    1us : f (c)", "softirq-", 5, 0, "D..2", 1000 },
		{ " IRQ_8-13     0D..2    1us : f (c)", "IRQ_8", 13, 0, "D..2", 1000 },
		{ "memfd:se-5105   2d..1.    1us : f <-c", "memfd:se", 5105, 2, "d..1.", 1000 },
		{ "a b:c [d-27817  0d..2.    1us : f <-c", "a b:c [d", 27817, 0, "d..2.", 1000 },
		{ "kworker/-12  0d..2.    1us : f <-c", "kworker/", 12, 0, "d..2.", 1000 },
		{ "  a-1-2  0d..2.    1us : f <-c", "a-1", 2, 0, "d..2.", 1000 },
		{ "   x-1 2-3  0d..2.    1us : f <-c", "x-1 2", 3, 0, "d..2.", 1000 },
		{ "   <...>-123456   0d..2.    1us : f <-c", "<...>", 123456, 0, "d..2.", 1000 },
		{ "        -0   0d..2.    1us : f <-c", "", 0, 0, "d..2.", 1000 },
		{ "  bash-4194304 0d..2.    1us : f <-c", "bash", 4194304, 0, "d..2.", 1000 },
		/* CPUs of more than one digit stand against the flags */
		{ "    a-1      10D..2    1us : f (c)", "a", 1, 10, "D..2", 1000 },
		{ "    a-1     127d..2.    1us : f <-c", "a", 1, 127, "d..2.", 1000 },
		{ "    a-1    1023dn.h413    1us : f <-c", "a", 1, 1023, "dn.h413", 1000 },
		/* stamps */
		{ "    a-1   0d..2.   -5us : f <-c", "a", 1, 0, "d..2.", -5000 },
		{ "    a-1   0d..2. 1077389094us+: f <-c", "a", 1, 0, "d..2.", 1077389094000 },
		{ "    a-1   0d..2. 9223372036854775us+: f <-c", "a", 1, 0, "d..2.",
		  9223372036854775000 },
		/* the unit as mails and web pages leave it */
		{ "    a-1   0d..2.    3\xb5s : f <-c", "a", 1, 0, "d..2.", 3000 },
		{ "    a-1   0d..2.    3\xc2\xb5s!: f <-c", "a", 1, 0, "d..2.", 3000 },
		{ "    a-1   0d..2.    3\xef\xbf\xbds : f <-c", "a", 1, 0, "d..2.", 3000 },
		{ "    a-1   0D..2    2\xed\x83\x8e <", "a", 1, 0, "D..2", 2000 },
		/* every mark, and blanks around it */
		{ "    a-1   0d..2.    3us#: f <-c", "a", 1, 0, "d..2.", 3000 },
		{ "    a-1   0d..2.    3us*: f <-c", "a", 1, 0, "d..2.", 3000 },
		{ "    a-1   0d..2.    3us@: f <-c", "a", 1, 0, "d..2.", 3000 },
		{ "    a-1   0d..2.    3us$: f <-c", "a", 1, 0, "d..2.", 3000 },
		{ "    a-1   0d..2.    3us! : f <-c", "a", 1, 0, "d..2.", 3000 },
		{ "\ta-1\t0d..2.\t3us :\tf <-c", "a", 1, 0, "d..2.", 3000 },
	};
	for (size_t i = 0; i < N_OF(cases); i++) {
		enum entry_result got = entry_parse(&reader, str_of(cases[i].line), &e, &p);
		if (got < ENTRY_OPEN)
			fail_msg("'%s' gives %d", cases[i].line, got);
		expect_who(cases[i].comm, cases[i].pid, cases[i].cpu, cases[i].flags, cases[i].ns);
		assert_true(entry_begins(str_of(cases[i].line)));
	}
	assert_false(reader.ticks);
}

static void test_no_entry(void **state)
{
	(void)state;
	static const char *const lines[] = {
		"",
		" ",
		"-",
		"a-",
		"-1",
		"a-1",
		"a-1 0d..2",
		"a-1 0d..2 5",
		"a-1 0d..2 5us",
		"a-1 0d..2 us : f <-c",
		"a-1 d..2 5us : f <-c",
		"a-1 0d.. 5us : f <-c",
		"a-1 0d...1.... 5us : f <-c",
		" => func",
		"CPU:1 [LOST 12 EVENTS]",
		"# latency: 259 us, #4/4, CPU#2",
		"  cmd     pid ||||| time  |   caller",
		/* the default format is another */
		"            bash-1507  [000] d..1.  1077.685446: f <-c",
		"On 2024-01-02 10:11 somebody wrote:",
		"a-12345678901 0d..2 5us : f <-c",
	};
	for (size_t i = 0; i < N_OF(lines); i++) {
		parse(lines[i], ENTRY_NONE);
		assert_false(entry_begins(str_of(lines[i])));
	}
}

#define AT "  a-1   0d..2.    3us : "

static void test_functions(void **state)
{
	(void)state;
	static const struct {
		const char *line, *what, *caller;
	} cases[] = {
		{ AT "func <-caller", "func", "caller" },
		{ AT "func (caller)", "func", "caller" },
		{ AT ".func (.caller)", ".func", ".caller" },
		{ AT "func < -caller", "func", "caller" },
		{ AT "func <- caller", "func", "caller" },
		{ AT "func+0x6/0xa0 <-caller+0x10/0x20", "func", "caller" },
		{ AT "func+0x6/0xa0 <c012cbe6> (caller+0x1/0x2 <c012cbe7>)", "func", "caller" },
		{ AT "func <ffffffff810e1234> <-caller <ffffffff810e1235>", "func", "caller" },
		{ AT "func.isra.0 <-caller.part.1", "func.isra.0", "caller.part.1" },
		{ AT "__trace_hardirqs_off <-0xffffffffc044e5dc", "__trace_hardirqs_off",
		  "0xffffffffc044e5dc" },
		{ AT "<c012cbe6> (<c012cbe7>)", "<c012cbe6>", "<c012cbe7>" },
		/* arguments since 6.15 */
		{ AT "func(a=0x1, b=2) <-caller", "func", "caller" },
		{ AT "func(name=\"x (y)\", f=0x0 (null)) <-caller", "func", "caller" },
		{ AT "func() <-caller", "func", "caller" },
		/* "special-sym" of -rt */
		{ AT "func()<-a()<-b()<-c()", "func", "a" },
		{ AT "func <-caller (repeats: 127, last_ts: 2022.303828)", "func", "caller" },
	};
	for (size_t i = 0; i < N_OF(cases); i++) {
		parse(cases[i].line, ENTRY_OK);
		expect_what(EVENT_FUNCTION, cases[i].what, cases[i].caller);
	}
}

static void test_bare_functions(void **state)
{
	(void)state;
	static const char *const bare[] = { "func", "0", "func(a=1)", "func+0x6/0xa0",
					    "func <c012cbe6>" };
	char line[128];
	for (size_t i = 0; i < N_OF(bare); i++) {
		snprintf(line, sizeof(line), AT "%s", bare[i]);
		parse(line, ENTRY_BARE);
		expect_what(EVENT_FUNCTION, i == 1 ? "0" : "func", "");
	}
}

static void test_style(void **state)
{
	(void)state;
	parse(AT "func <-caller", ENTRY_OK);
	assert_false(reader.rt_style);
	parse(AT "func (1 2 3)", ENTRY_OK);
	assert_false(reader.rt_style);
	parse(AT "func (caller)", ENTRY_OK);
	assert_true(reader.rt_style);
}

static void test_specials(void **state)
{
	(void)state;
	static const struct {
		const char *line, *what;
	} cases[] = {
		{ AT "try_to_wake_up (1 2 3)", "try_to_wake_up" },
		{ AT "try_to_wake_up (  12     0   -3)", "try_to_wake_up" },
		{ AT "trace_array (c012cbe6 1f 0)", "trace_array" },
		{ AT "__trace_start_sched_wakeup <<...>-8581> (73 0)",
		  "__trace_start_sched_wakeup" },
		{ AT "wake <<...>-2> (6a 75)", "wake" },
		{ AT "wake <softirq--3> (62 0)", "wake" },
		{ AT "stamp (    357867523236 12)", "stamp" },
	};
	for (size_t i = 0; i < N_OF(cases); i++) {
		parse(cases[i].line, ENTRY_OK);
		expect_what(EVENT_SPECIAL, cases[i].what, "");
		assert_text(p.text, cases[i].line + strlen(AT));
	}
	parse(AT "wake <<...>-2> (6a 75):", ENTRY_OK); /* v1.1.4 */
	expect_what(EVENT_SPECIAL, "wake", "");
}

static void test_syscalls(void **state)
{
	(void)state;
	parse("  bash-7   0D..2    3us > sys_read (00000003 bf8 400)", ENTRY_OK);
	expect_what(EVENT_SYSCALL, "sys_read", "");
	assert_text(p.text, "> sys_read (00000003 bf8 400)");
	parse("  bash-7   0D..2   28us < (2097760)", ENTRY_OK);
	assert_int_equal(event_kind(&e), EVENT_SYSRET);
	expect_who("bash", 7, 0, "D..2", 28000);
	parse("  bash-7   0D..2    0us+< (608)", ENTRY_OK);
	assert_int_equal(event_kind(&e), EVENT_SYSRET);
	parse("  bash-7   0D..2    0us!> <badsys(444)> (0 0 0)", ENTRY_OK);
	expect_what(EVENT_SYSCALL, "<badsys(444)>", "");
}

static void test_named(void **state)
{
	(void)state;
	static const struct {
		const char *line, *what;
	} cases[] = {
		{ AT "sched_switch: prev_comm=a b:c [d prev_pid=1 <-x (y)", "sched_switch" },
		{ AT "tracing_mark_write: hello: world", "tracing_mark_write" },
		{ AT "my_func: printk text", "my_func" },
		{ AT "0xffffffffc044e5dc: text", "0xffffffffc044e5dc" },
		{ AT "0: text", "0" },
		{ AT "event:", "event" },
		{ AT "func+0x1/0x2: text", "func" },
	};
	for (size_t i = 0; i < N_OF(cases); i++) {
		parse(cases[i].line, ENTRY_OK);
		expect_what(EVENT_NAMED, cases[i].what, "");
		assert_text(p.text, cases[i].line + strlen(AT));
	}
	/* trace_printk from an address without a symbol */
	parse(AT ": text", ENTRY_OK);
	assert_int_equal(event_kind(&e), EVENT_NAMED);
}

static void expect_side(const struct sched_side *s, int pid, int prio, char state)
{
	assert_int_equal(s->pid, pid);
	assert_int_equal(s->prio, prio);
	assert_int_equal(s->state, state);
}

static void test_wakeups(void **state)
{
	(void)state;
	parse(AT "      0:120:R   + [001]      71: 19:R work", ENTRY_OK);
	assert_int_equal(event_kind(&e), EVENT_WAKEUP);
	expect_side(&p.sched.prev, 0, 120, 'R');
	expect_side(&p.sched.next, 71, 19, 'R');
	assert_int_equal(p.sched.next_cpu, 1);
	struct task t = names_task_of(&names, p.sched.next_task);
	assert_text(names_str(&names, t.comm), "work");
	assert_int_equal(t.pid, 71);

	parse(AT "     67:120:D ==> [010]      14:  0:R migration/0 x", ENTRY_OK);
	assert_int_equal(event_kind(&e), EVENT_SWITCH);
	expect_side(&p.sched.prev, 67, 120, 'D');
	assert_int_equal(p.sched.next_cpu, 10);
	t = names_task_of(&names, p.sched.next_task);
	assert_text(names_str(&names, t.comm), "migration/0 x");

	/* 2.6.26: neither the CPU nor the comm */
	parse(AT "6263:120:? ==> 2717:120:R", ENTRY_OK);
	assert_int_equal(event_kind(&e), EVENT_SWITCH);
	expect_side(&p.sched.next, 2717, 120, 'R');
	assert_int_equal(p.sched.next_cpu, -1);
	assert_int_equal(p.sched.next_task, 0);

	parse(AT "  12: -1:R+  + [000]     7:139:S cpu-deadline 7", ENTRY_OK);
	expect_side(&p.sched.prev, 12, -1, 'R');
	expect_side(&p.sched.next, 7, 139, 'S');

	parse(AT "   0:120:R   +", ENTRY_OPEN);
	parse(AT "   0:120:R", ENTRY_OPEN);
	parse(AT "   0:120:R ==> [001]", ENTRY_OPEN);
}

static void test_stacks(void **state)
{
	(void)state;
	parse("  a-1   0dNs6.    2: <stack trace>", ENTRY_OK);
	assert_int_equal(event_kind(&e), EVENT_STACK);
	assert_false(p.stack.user);
	assert_true(reader.ticks);
	assert_true(e.time == 2);
	parse(AT "<stack trace >", ENTRY_OK);
	assert_int_equal(event_kind(&e), EVENT_STACK);
	parse(AT "<user stack trace>", ENTRY_OK);
	assert_int_equal(event_kind(&e), EVENT_STACK);
	assert_true(p.stack.user);
}

/* v1.1.4 prints command lines as two addresses that are letters. */
static void test_hidden(void **state)
{
	(void)state;
	parse(AT "<6f747561> (<6e756f6d>)", ENTRY_HIDDEN);
	parse(AT "<6f747561> (<00000000>)", ENTRY_HIDDEN);
	parse(AT "<c0123456> (<c0123457>)", ENTRY_OK);
	expect_what(EVENT_FUNCTION, "<c0123456>", "<c0123457>");
}

static void test_broken(void **state)
{
	(void)state;
	static const struct {
		const char *line;
		enum entry_result result;
		const char *why; /* a part of it */
	} cases[] = {
		{ "  a-1   0Q..2    1us : f <-c", ENTRY_DAMAGED, "flag" },
		{ "  a-1   0d..2    1us :", ENTRY_OPEN, "after the time" },
		{ "  a-1   0d..2    1us : ", ENTRY_OPEN, "after the time" },
		{ "  a-1   0d..2    1us : f <-", ENTRY_OPEN, "caller" },
		{ "  a-1   0d..2    1us : f (c", ENTRY_OPEN, "parenthesis" },
		{ "  a-1   0d..2    1us : f (12 13", ENTRY_OPEN, "parenthesis" },
		{ "  a-1   0d..2    1us : f <x-1> (12", ENTRY_OPEN, "parenthesis" },
		{ "  a-9999999999   0d..2    1us : f <-c", ENTRY_DAMAGED, "pid" },
		{ "  a-1   99999d..2    1us : f <-c", ENTRY_DAMAGED, "" },
		{ "  a-1   0d..2 9223372036854775807us : f <-c", ENTRY_DAMAGED, "time" },
	};
	for (size_t i = 0; i < N_OF(cases); i++) {
		reader.why = NULL;
		parse(cases[i].line, cases[i].result);
		assert_non_null(reader.why);
		if (!strstr(reader.why, cases[i].why))
			fail_msg("'%s': '%s' does not speak of '%s'", cases[i].line, reader.why,
				 cases[i].why);
	}
	/* What was read of the line before must not stick. */
	parse("  a-1   0d..2    1us : f <-c", ENTRY_OK);
	expect_who("a", 1, 0, "d..2", 1000);
}

/* Columns are kept from the line before, where they are the same. */
static void test_remembered(void **state)
{
	(void)state;
	parse("  a-1   0d..2    1us : f <-c", ENTRY_OK);
	parse("  a-1   1d..2    2us : f <-c", ENTRY_OK);
	expect_who("a", 1, 1, "d..2", 2000);
	parse("  b-1   1d..3    3us : f <-c", ENTRY_OK);
	expect_who("b", 1, 1, "d..3", 3000);
	parse("  a-9999999999   1d..3    3us : f <-c", ENTRY_DAMAGED);
	parse("  b-1   1d..3    4us : f <-c", ENTRY_OK);
	expect_who("b", 1, 1, "d..3", 4000);
	/* A comm longer than what is kept. */
	parse(" aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-1234567 0d..2 1us : "
	      "f <-c",
	      ENTRY_OK);
	parse(" aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-1234568 0d..2 1us : "
	      "f <-c",
	      ENTRY_OK);
	assert_int_equal(names_task_of(&names, e.task).pid, 1234568);
}

static void test_bare_symbol(void **state)
{
	(void)state;
	assert_text(entry_bare_symbol(str_of(" func+0x1/0x2 <c01234> ")), "func");
	assert_text(entry_bare_symbol(str_of(".__switch_to+0xa8/0x178 <c00000000000feec>")),
		    ".__switch_to");
	assert_text(entry_bare_symbol(str_of("operator+0")), "operator+0");
	assert_text(entry_bare_symbol(str_of("")), "");
}

#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(test_prefix),         TEST(test_no_entry),    TEST(test_functions),
		TEST(test_bare_functions), TEST(test_style),       TEST(test_specials),
		TEST(test_syscalls),       TEST(test_named),       TEST(test_wakeups),
		TEST(test_stacks),         TEST(test_hidden),      TEST(test_broken),
		TEST(test_remembered),     TEST(test_bare_symbol),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
