/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Verbose lines of -rt kernels and of mainline, and what else newer payloads hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace.h"

#include "roundtrip.h"

#include "read/latency_shapes.h"

static struct names names;
static struct entry_reader reader;
static struct event e;
static struct payload p;

static int setup(void **state)
{
	(void)state;
	names_init(&names);
	reader = (struct entry_reader){ .names = &names, .format = "latency" };
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
	enum entry_result got = verbose_parse(&reader, str_of(line), &e, &p);
	if (got != want)
		fail_msg("'%s' gives %d, not %d", line, got, want);
	assert_int_equal(verbose_begins(str_of(line)), want != ENTRY_NONE);
}

static void expect(const char *comm, int pid, int cpu, const char *flags, int64_t ns)
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

static void test_rt(void **state)
{
	(void)state;
	parse("(T1/#2)            dmesg  3249 0 9 00000002 00000002 [0000163455167105] 0.000ms "
	      "(+0.000ms): wake_up+0x96/0xc0 <c012cbe6> (try_to+0x81/0x150 <c010f911>)",
	      ENTRY_OK);
	expect("dmesg", 3249, 0, "d.h2", 0);
	expect_what(EVENT_FUNCTION, "wake_up", "try_to");
	assert_string_equal(reader.format, "rt-verbose");
	parse("(T1/#32)    a b-1 5 3  3249 11 34 0000001f 00000020 [00] 1077389.400ms (+0.042ms): "
	      "f+0xa/0x70 <c027d0fa> (g+0x1/0x2 <c0142890>)",
	      ENTRY_OK);
	expect("a b-1 5 3", 3249, 11, "DN.f", INT64_C(1077389400000));
	parse("(T4/#67) [ =>            dmesg ] 0.191ms (+0.000ms)", ENTRY_HIDDEN);
	parse("(T1/#0) dmesg  3249 0 9 00000002 00000000 [00] 0.000ms (+886841.090ms): <73656d64> "
	      "(<61700067>)",
	      ENTRY_HIDDEN);
}

static void test_mainline(void **state)
{
	(void)state;
	parse("       netserver   27716   0 1 00000002 00000005 [4037a858] 1077389.400ms "
	      "(+0.020ms): sched_switch: prev_comm=a",
	      ENTRY_OK);
	expect("netserver", 27716, 0, "d..2", INT64_C(1077389400000));
	expect_what(EVENT_NAMED, "sched_switch", "");
	assert_string_equal(reader.format, "latency");
	static const struct {
		unsigned mask;
		const char *flags;
	} cases[] = {
		{ 0, "...." },   { 1, "d..." },   { 4, ".n.." },     { 32, ".p.." }, { 36, ".N.." },
		{ 8, "..h." },   { 16, "..s." },  { 24, "..H." },    { 64, "..z." }, { 72, "..Z." },
		{ 128, "b..." }, { 129, "D..." }, { 1 | 4, "dn.." }, { 2, "...." },
	};
	char line[160];
	for (size_t i = 0; i < N_OF(cases); i++) {
		snprintf(line, sizeof(line),
			 "a 1 0 %u 00000010 0000000f [0] 0.001ms (+0.020ms): f <-g", cases[i].mask);
		parse(line, ENTRY_OK);
		expect("a", 1, 0, cases[i].flags, 1000);
		expect_what(EVENT_FUNCTION, "f", "g");
	}
	assert_false(reader.ticks);
	parse("a 1 0 0 00000000 0000000f [0000000000000001] 16 (+3): f <-g", ENTRY_OK);
	expect("a", 1, 0, "....", 16);
	assert_true(reader.ticks);
}

static void test_not_such_lines(void **state)
{
	(void)state;
	static const char *const lines[] = {
		"",
		"(T1/#2)",
		"(T1/#2) dmesg",
		"[ => dmesg ] 0.191ms (+0.000ms)",
		"a 1 0 1 00000002 00000005 0.001ms (+0.000ms): f (c)",
		"a 1 0 1 00000002 00000005 [xyz] 0.001ms (+0.000ms): f (c)",
		"a 1 0 1 00000002 [1] 0.001ms (+0.000ms): f (c)",
		"a 1 65536 1 00000002 00000005 [1] 0.001ms (+0.000ms): f (c)",
		"a 99999999999 0 1 00000002 00000005 [1] 0.001ms (+0.000ms): f (c)",
		"a 1 0 -1 00000002 00000005 [1] 0.001ms (+0.000ms): f (c)",
		"0 1 00000002 00000005 [1] 0.001ms (+0.000ms): f (c)",
		"[1] 0.001ms (+0.000ms): f (c)",
		"] 0.001ms (+0.000ms): f (c)",
	};
	for (size_t i = 0; i < N_OF(lines); i++)
		parse(lines[i], ENTRY_NONE);
}

static const char mixed[] =
	"preemption latency trace v1.1.4 on 2.6.11-rc4-RT\n"
	" latency: 197 \xed\x83\x8e, #74/74, CPU#0 | (M:preempt VP:0, KP:1, SP:1 HP:1 #P:1)\n"
	"(T1/#0) tool 3249 0 2 00000002 00000000 [00] 0.003ms (+0.000ms): f+0x8/0x40 <c0149f78> "
	"(g+0x1/0x2 <c0142f4a>)\n"
	"(T6/#4)     tool-3249  0dn.2    4\xed\x83\x8e < (1)\n"
	"(T4/#5) [ => other ] 0.005ms (+0.000ms)\n"
	"(T3/#69)   <...>-2     0d..2  193\xed\x83\x8e : s+0x2ea/0x630 <c027cc9a> <tool-3249> (75 "
	"69): \n"
	"(T1/#70)   <...>     2 0 1 00000002 00000046 [00] 0.194ms (+0.000ms): h (g)\n";

static void test_mixed(void **state)
{
	(void)state;
	struct capture *c;
	struct source *s;
	struct err err = { 0 };
	struct reader *r = trace_first(mixed, &c, &s);
	static const struct {
		enum event_kind kind;
		int64_t ns;
		uint32_t line;
	} want[] = {
		{ EVENT_FUNCTION, 3000, 3 },
		{ EVENT_SYSRET, 4000, 4 },
		{ EVENT_SPECIAL, 193000, 6 },
		{ EVENT_FUNCTION, 194000, 7 },
	};
	assert_string_equal(c->trace.format, "rt-verbose");
	for (size_t i = 0; i < N_OF(want); i++) {
		assert_int_equal(s->next(s, &e, &err), 1);
		assert_int_equal(event_kind(&e), want[i].kind);
		assert_true(e.time == want[i].ns);
		assert_int_equal(e.line, want[i].line);
		struct task t = names_task_of(c->names, e.task);
		assert_text(names_str(c->names, t.comm), i < 2 ? "tool" : "<...>");
	}
	assert_int_equal(s->next(s, &e, &err), 0);
	assert_int_equal(c->damaged, 0);
	reader_close(r);
	roundtrip_check(mixed, "any");
}

static void entry(const char *text, enum entry_result want)
{
	e = (struct event){ 0 };
	enum entry_result got = entry_payload(&reader, str_of(text), &e, &p);
	if (got != want)
		fail_msg("'%s' gives %d, not %d", text, got, want);
}

/* Arguments since 6.15. */
static void test_arguments(void **state)
{
	(void)state;
	entry("f(a=0x1, b=2) <-g", ENTRY_OK);
	expect_what(EVENT_FUNCTION, "f", "g");
	assert_text(p.arguments, "a=0x1, b=2");
	entry("f(name=\"(x\", y=(int)3) <-g+0x1/0x2", ENTRY_OPEN);
	entry("f(y=(int)3) <-g+0x1/0x2", ENTRY_OK);
	assert_text(p.arguments, "y=(int)3");
	expect_what(EVENT_FUNCTION, "f", "g");
	entry("f() <-g", ENTRY_OK);
	assert_int_equal(p.arguments.n, 0);
	entry("f(a=0x1, b=2", ENTRY_OPEN);
	entry("f <-g", ENTRY_OK);
	assert_int_equal(p.arguments.n, 0);
	entry("f+0x6/0xa0 [kvm] <-g+0x1/0x2 [kvm]", ENTRY_OK);
	expect_what(EVENT_FUNCTION, "f", "g");
}

static void test_repeats(void **state)
{
	(void)state;
	static const char *const lines[] = {
		"f <-g (repeats: 127, last_ts:  2022.303828)",
		"f <-g (last ts: 2022.303828 repeats: 127)",
		"f(x=1) <-g (repeats: 127, last_ts: 2022.303828)",
	};
	for (size_t i = 0; i < N_OF(lines); i++) {
		entry(lines[i], ENTRY_OK);
		expect_what(EVENT_FUNCTION, "f", "g");
		assert_int_equal(p.function.repeats, 127);
		assert_int_equal(p.function.last_ts, INT64_C(2022303828000));
	}
	static const char *const none[] = {
		"f <-g",
		"f <-g (-71%)",
		"f <-g (repeats: x, last_ts: 1.000000)",
		"f <-g (repeats: 5, last_ts: 1)",
		"f <-g (repeats: -5, last_ts: 1.000000)",
		"f <-g (repeats: 5, last_ts: 99999999999.000000)",
		"f <-g (repeats: 5, last_ts: 1.00-001)",
	};
	for (size_t i = 0; i < N_OF(none); i++) {
		entry(none[i], ENTRY_OK);
		expect_what(EVENT_FUNCTION, "f", "g");
		assert_int_equal(p.function.repeats, 0);
	}
}

/* What people write behind a line is no part of it. */
static void test_remarks(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		enum event_kind kind;
		const char *what, *caller;
	} cases[] = {
		{ "f <-g  <== hmmm", EVENT_FUNCTION, "f", "g" },
		{ "f <-g <---- held too long (really)", EVENT_FUNCTION, "f", "g" },
		{ "f (g) <=== hmmm", EVENT_FUNCTION, "f", "g" },
		{ "f (g) (-71%)", EVENT_FUNCTION, "f", "g" },
		{ "f  <-- who calls this?", EVENT_FUNCTION, "f", "" },
		{ "f  <=== hmmm", EVENT_FUNCTION, "f", "" },
		{ "f (1 2 3) <-- odd", EVENT_SPECIAL, "f", "" },
		{ "f <a-1> (1 2) <--- (odd)", EVENT_SPECIAL, "f", "" },
	};
	for (size_t i = 0; i < N_OF(cases); i++) {
		entry(cases[i].text, ENTRY_OK);
		expect_what(cases[i].kind, cases[i].what, cases[i].caller);
	}
	assert_text(p.text, "f <a-1> (1 2)");
	entry("0:120:R + [001] 71: 19:R work er <=== late", ENTRY_OK);
	assert_text(names_str(&names, names_task_of(&names, p.sched.next_task).comm), "work er");
}

/* 2.6.27 and 2.6.28 print a stack on one line. */
static void test_stack_line(void **state)
{
	(void)state;
	entry("a <= b+0x1/0x2 <= c <= 0", ENTRY_OK);
	assert_int_equal(event_kind(&e), EVENT_STACK);
	assert_int_equal(e.what, 0);
	assert_int_equal(p.stack.n, 3);
	assert_text(names_str(&names, p.stack.frames[0]), "a");
	assert_text(names_str(&names, p.stack.frames[1]), "b");
	assert_text(names_str(&names, p.stack.frames[2]), "c");
}

static void test_system_calls(void **state)
{
	(void)state;
	entry("> <badsys(300)> (1 2 3)", ENTRY_OK);
	expect_what(EVENT_SYSCALL, "<badsys(300)>", "");
	entry("> sys_read (1 2 3)", ENTRY_OK);
	expect_what(EVENT_SYSCALL, "sys_read", "");
}

static void test_roundtrip(void **state)
{
	(void)state;
	roundtrip_check("# tracer: wakeup\n"
			"# latency: 9 us, #4/4, CPU#0 | (M:PREEMPT(lazy) VP:0, KP:0, SP:0 HP:0)\n"
			"   a-1   0dLh1.    0us : f(a=0x1, b=2) <-g\n"
			"   a-1   0dBh1.    1us : f <-g (repeats: 7, last_ts: 12.000345)\n"
			"   a-1   0d.l.1.1  2us : a <= b <= c\n"
			"   a-1   0dbh1.    3us : f <-g  <=== hmmm\n"
			"   a-1   0dlh1.    4us : > <badsys(3)> (1)\n",
			NULL);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_rt),        TEST(test_mainline),   TEST(test_not_such_lines),
		TEST(test_mixed),     TEST(test_arguments),  TEST(test_repeats),
		TEST(test_remarks),   TEST(test_stack_line), TEST(test_system_calls),
		TEST(test_roundtrip),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
