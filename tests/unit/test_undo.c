/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "read/undo.h"

static const char *const clean[] = {
	("# tracer: irqsoff\n#\n# latency: 259 us, #4/4, CPU#2 | (M:preempt VP:0)\n"
	 "  ps-6143    2d...    0us!: trace_hardirqs_off <-__lock_task_sighand\n"
	 " => trace_hardirqs_on_caller\n => trace_hardirqs_on\n"),
	/* key=value text is full of what looks like escapes */
	("a-1 [000] 1.0: sched_switch: prev_pid=12 prev_prio=120 ==> next_pid=30 next_prio=20\n"
	 "a-1 [000] 1.1: sched_switch: prev_pid=40 prev_prio=120 ==> next_pid=50 next_prio=20\n"),
	/* locks: '&', and rows of figures */
	"  &rq->lock:  13128  13128  0.43  190.53  103881.26\n  &(&x->lock)->rlock: 1 2 3\n",
	/* a histogram counts up by itself, from one digit on */
	"0  12\n1  7\n2  9\n3  1\n4  1\n5  1\n",
	/* and so do times */
	("        1 us |    f() {\n        2 us |     g();\n        3 us |     h();\n"
	 "       11 us |    }\n       12 us |    f() {\n       13 us |     g();\n"
	 "       14 us |    }\n"),
};

static void test_clean(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(clean) / sizeof(clean[0]); i++)
		assert_int_equal(undo_sniff(str_of(clean[i])), 0);
}

static void test_signs(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		unsigned steps;
	} cases[] = {
		{ "#                   / _-----=3D> irqs-off=20\n =3D> func\nlong li=\nne\n",
		  UNDO_QP },
		{ "a-1 0d..1 1us : f &lt;-g\n", UNDO_ENTITIES },
		{ "&amp;rq->lock: 1 2\n", UNDO_ENTITIES },
		{ "<pre>\n# tracer: nop\n</pre>\n", UNDO_TAGS },
		{ "a-1\xc2\xa0 0d..1 1us : f\n", UNDO_NBSP },
		{ "\"a\\n\\\nb\\n\\\nc\\n\\\n", UNDO_SCRIPT },
		{ "\"a\\n\" +\n\"b\\n\" +\n\"c\\n\" +\n", UNDO_SCRIPT },
		{ "\"a\\n\",\n\"b\\n\",\n\"c\\n\",\n", UNDO_SCRIPT },
		{ "+# a\n+ b\n+\n+ c\n", UNDO_BAR }, /* a patch */
		{ "// a\n// b\n// c\n", UNDO_COMMENT },
		{ "12:a\n40:b\n41:c\n", UNDO_GREP },
		{ "trace:12:a\ntrace:40:b\ntrace:41:c\n", UNDO_GREP },
		{ "  01 a\n  02-----\n  03 b\n  04 c\n", UNDO_NUMBERS },
		{ "     1\ta\n     2\t3 4\n     3\t5 6\n", UNDO_NUMBERS }, /* cat -n */
		{ ">      1  a\n>      2  b\n>      3  c\n>      4  d\n", UNDO_NUMBERS },
		{ "> 1:a\n> 2:b\n> 3:c\n", UNDO_GREP },
		/* a mail broke numbered lines */
		{ " 10 a: 1\n2 3\n 11 b\n 12 c: 4\n5 6\n 13 d\n", UNDO_NUMBERS },
		{ "| a\n| b\n|\n| c\n", UNDO_BAR },
		{ "Jan  2 10:11:12 host kernel: a\n", UNDO_SYSLOG },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(undo_sniff(str_of(cases[i].text)), cases[i].steps);
}

static void test_lines(void **state)
{
	(void)state;
	static const struct {
		const char *in;
		unsigned steps;
		const char *out;
	} cases[] = {
		{ " =3D> f=C2=A0g=", UNDO_QP, " => f\xc2\xa0g=" },
		{ "a=3", UNDO_QP, "a=3" },
		{ "a=3D", UNDO_QP, "a=" },
		{ "=3D> f=C2=A0g", UNDO_QP | UNDO_NBSP, "=> f g" },
		{ "f &lt;-g &amp;&amp; &unknown; &#39;", UNDO_ENTITIES, "f <-g && &unknown; '" },
		{ "<pre class=\"x\"><b>  &lt;idle&gt;-0</b>", UNDO_TAGS | UNDO_ENTITIES,
		  "  <idle>-0" },
		{ "<...>-88 <idle>-0 <stack trace>", UNDO_TAGS, "<...>-88 <idle>-0 <stack trace>" },
		{ "  <idle>-0 0d..1 say \\\"x\\\" \\n\\", UNDO_SCRIPT,
		  "<idle>-0 0d..1 say \"x\" " },
		{ "\"f <-g\\n\"", UNDO_SCRIPT, "f <-g" },
		{ "  \"f <-g\\n\" +", UNDO_SCRIPT, "f <-g" },
		{ "'f <-g\\n',", UNDO_SCRIPT, "f <-g" },
		{ "a\xc3\x82\xc2\xa0 b", UNDO_NBSP, "a  b" },
		{ "+ f", UNDO_BAR, " f" },
		{ "var data = \"\\", UNDO_SCRIPT, "var data = \"\\" },
		{ "  // f <-g", UNDO_COMMENT, " f <-g" },
		{ "t = \"\"\"# tracer: nop", UNDO_COMMENT, "# tracer: nop" },
		{ "# f\"\"\")", UNDO_COMMENT, "# f" },
		{ "12:f", UNDO_GREP, "f" },
		{ "/x/trace:12:f", UNDO_GREP, "f" },
		{ "f: g", UNDO_GREP, "f: g" },
		{ "  06 f", UNDO_NUMBERS, " f" },
		{ "| f", UNDO_BAR, " f" },
		{ "Jan  2 10:11:12 host kernel: [ 1.000000] f", UNDO_SYSLOG, "[ 1.000000] f" },
		{ "", UNDO_QP | UNDO_SCRIPT | UNDO_COMMENT | UNDO_GREP | UNDO_BAR, "" },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct strbuf out = { 0 };
		struct undo_count count = undo_count_none();
		struct str got = undo_line(str_of(cases[i].in), cases[i].steps, &count, &out);
		assert_int_equal(got.n, strlen(cases[i].out));
		assert_memory_equal(got.p, cases[i].out, got.n);
		strbuf_fini(&out);
	}
}

/* A counter is taken off where it goes on, and not what a broken row goes on with. */
static void test_counting(void **state)
{
	(void)state;
	static const char *const lines[][2] = {
		{ "mail of 3 lines", "mail of 3 lines" },
		{ "     1\tname: 1 2", "name: 1 2" },
		{ "3 4 5.00", "3 4 5.00" },
		{ "18965 [<ff>] f+0x1/0x2", "18965 [<ff>] f+0x1/0x2" },
		{ "2 5.00 7 8", "2 5.00 7 8" }, /* the next number, elsewhere */
		{ ">      2\t> 7 8", "> > 7 8" },
		{ "     3", "" },
		{ "", "" },
		{ "    25\t9 10", "9 10" }, /* lines were cut out */
		{ "    26....", "...." },
	};
	struct undo_count count = undo_count_none();
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct strbuf cleanup_strbuf out = { 0 };
		struct str got = undo_line(str_of(lines[i][0]), UNDO_NUMBERS, &count, &out);
		assert_int_equal(got.n, strlen(lines[i][1]));
		assert_memory_equal(got.p, lines[i][1], got.n);
	}
}

static void test_printk(void **state)
{
	(void)state;
	static const char *const cases[][2] = {
		{ "[10611.834143] f", "f" },
		{ "<6>[    1.000000] f", "f" },
		{ "[    1.000000][  T123] f", "f" },
		{ "[    1.000000][    C0] f", "f" },
		{ "[ET_NET 0]-12 f", "[ET_NET 0]-12 f" },
		{ "<idle>-0 f", "<idle>-0 f" },
		{ "[...]", "[...]" },
		{ "[1.5] f", "[1.5] f" },
		{ "[    1.000000]", "" },
		{ "<6>", "<6>" },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str got = undo_printk(str_of(cases[i][0]));
		assert_int_equal(got.n, strlen(cases[i][1]));
		assert_memory_equal(got.p, cases[i][1], got.n);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clean),  cmocka_unit_test(test_signs),
		cmocka_unit_test(test_lines),  cmocka_unit_test(test_counting),
		cmocka_unit_test(test_printk),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
