/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sections of whole traces, each kind with known answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyze/explain_trace.h"
#include "analyze/section_store.h"
#include "trace.h"

struct run {
	struct strbuf text;
	struct section_options options;
	struct report report;
};

#define RUN                                                                                        \
	{                                                                                          \
		.options = SECTION_OPTIONS_NONE                                                    \
	}

static void run_begin(struct run *r)
{
	strbuf_str(&r->text,
		   "# tracer: nop\n#\n# entries-in-buffer/entries-written: 9/9   #P:2\n#\n");
}

/* An event of "comm-pid" on a CPU, with the flags as printed. */
static void ev(struct run *r, const char *who, int cpu, const char *flags, int64_t us,
	       const char *payload)
{
	if (!r->text.n)
		run_begin(r);
	strbuf_printf(&r->text, "%16s [%03d] %s %5lld.%06lld: %s\n", who, cpu, flags,
		      (long long)(us / 1000000), (long long)(us % 1000000), payload);
}

static void lost(struct run *r, int cpu, int n)
{
	strbuf_printf(&r->text, "CPU:%d [LOST %d EVENTS]\n", cpu, n);
}

/* A CPU's ring begins: its first event. */
static void begins(struct run *r, int cpu, int64_t us)
{
	ev(r, "<idle>-0", cpu, ".....", us, "tick: cpu");
}

static void waking(struct run *r, const char *by, int cpu, int64_t us, const char *comm, int pid,
		   int prio, int target)
{
	char text[128];
	snprintf(text, sizeof(text), "sched_waking: comm=%s pid=%d prio=%d target_cpu=%03d", comm,
		 pid, prio, target);
	ev(r, by, cpu, "d..1.", us, text);
}

static void wakeup(struct run *r, const char *by, int cpu, int64_t us, const char *comm, int pid,
		   int prio, int target)
{
	char text[128];
	snprintf(text, sizeof(text), "sched_wakeup: comm=%s pid=%d prio=%d target_cpu=%03d", comm,
		 pid, prio, target);
	ev(r, by, cpu, "dN.1.", us, text);
}

struct side {
	const char *comm;
	int pid, prio;
};

static const struct side idle = { "swapper/0", 0, 120 }, tool = { "tool", 100, 19 },
			 hog = { "hog", 200, 120 };

static void switches(struct run *r, int cpu, int64_t us, struct side prev, const char *state,
		     struct side next)
{
	char text[256], who[64];
	snprintf(text, sizeof(text),
		 "sched_switch: prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s ==> "
		 "next_comm=%s next_pid=%d next_prio=%d",
		 prev.comm, prev.pid, prev.prio, state, next.comm, next.pid, next.prio);
	snprintf(who, sizeof(who), "%s-%d", prev.pid ? prev.comm : "<idle>", prev.pid);
	ev(r, who, cpu, "d..2.", us, text);
}

static void run_cpu(struct run *r, int64_t cpu)
{
	struct capture *c;
	struct source *s;
	struct err err = { 0 };
	struct explain_options o = { .cpu = cpu,
				     .top = 8,
				     .what_if = { .turns = UNKNOWN, .budget_ns = UNKNOWN },
				     .sections = r->options };
	struct reader *reader = trace_first(r->text.p, &c, &s);
	assert_true(capture_is_whole_trace(c));
	if (analyze_explain_trace(c, s, &o, &r->report, &err))
		fail_msg("%s", err.msg);
	reader_close(reader);
}

static void run(struct run *r)
{
	run_cpu(r, UNKNOWN);
}

static void end(struct run *r)
{
	report_fini(&r->report);
	strbuf_fini(&r->text);
}

static const struct row *row_in(const struct run *r, const char *section, const char *table,
				const char *name)
{
	const struct table *t = section_table(report_get(&r->report, section), table);
	if (!t)
		return NULL;
	vec_each (row, &t->rows) {
		if (strcmp(row->cell[0].text, name) == 0)
			return row;
	}
	return NULL;
}

static const struct row *kind(const struct run *r, enum sect s)
{
	return row_in(r, "sections", "sections", sect_title(s));
}

/* So many of a kind, the longest so long. */
static void assert_kind(const struct run *r, enum sect s, int64_t count, int64_t max_us)
{
	const struct row *row = kind(r, s);
	assert_non_null(row);
	assert_int_equal(row->cell[1].number, count);
	if (count)
		assert_int_equal(row->cell[6].number, max_us * 1000);
	else
		assert_int_equal(row->cell[6].type, VALUE_NONE);
}

static void assert_unknown(const struct run *r, enum sect s, int begin, int at_end, int missing)
{
	const struct section *in = report_get(&r->report, "sections");
	int64_t n[3] = { 0 };
	vec_each (it, &in->items) {
		struct finding *f = it->finding;
		if (!f || strcmp(f->key, "unknown") != 0 ||
		    strcmp(finding_get(f, "kind").text, sect_fact(s)) != 0)
			continue;
		n[0] = finding_get(f, "at_begin").number;
		n[1] = finding_get(f, "at_end").number;
		n[2] = finding_get(f, "at_loss").number;
	}
	assert_int_equal(n[0], begin);
	assert_int_equal(n[1], at_end);
	assert_int_equal(n[2], missing);
}

/* The worst section of a kind is told, and one of its lines has the text. */
static void assert_told(const struct run *r, enum sect s, const char *text)
{
	vec_each (section, &r->report.sections) {
		const struct finding *worst = section_get(*section, "worst");
		if (strcmp((*section)->key, "worst") != 0 ||
		    strcmp(finding_get(worst, "kind").text, sect_fact(s)) != 0)
			continue;
		vec_each (it, &(*section)->items) {
			if (it->finding && it->finding->text && strstr(it->finding->text, text))
				return;
		}
		vec_each (it, &(*section)->items)
			print_message("# %s\n", it->finding->text ? it->finding->text : "-");
	}
	fail_msg("no '%s' is told", text);
}

/* us that a task ran on a CPU during the worst of a kind, as it is told; 0: it did not. */
static int64_t ran(const struct run *r, enum sect s, const char *task, int64_t cpu)
{
	int64_t ns = 0;
	vec_each (section, &r->report.sections) {
		const struct finding *worst = section_get(*section, "worst");
		if (strcmp((*section)->key, "worst") != 0 ||
		    strcmp(finding_get(worst, "kind").text, sect_fact(s)) != 0)
			continue;
		vec_each (it, &(*section)->items) {
			struct value who = finding_get(it->finding, "task");
			if (strcmp(it->finding->key, "part") != 0 || who.type != VALUE_TEXT ||
			    strcmp(who.text, task) != 0 ||
			    finding_get(it->finding, "cpu").number != cpu)
				continue;
			ns += finding_get(it->finding, "total_ns").number;
		}
	}
	return ns / 1000;
}

static const char *invisible(const struct run *r, enum sect s)
{
	return finding_get(section_get(report_get(&r->report, "sections"), "not_visible"),
			   sect_fact(s))
		.text;
}

/* -- Wake-ups ---------------------------------------------------------------------------------- */

static void a_wakeup_lasts_from_waking_to_the_switch(void **state)
{
	(void)state;
	struct run r = RUN;
	begins(&r, 1, 50);
	begins(&r, 0, 60);
	switches(&r, 1, 70, idle, "R", hog);
	waking(&r, "init-7", 0, 100, "tool", 100, 19, 1);
	wakeup(&r, "init-7", 0, 103, "tool", 100, 19, 1);
	ev(&r, "hog-200", 1, "..s1.", 120, "softirq_entry: vec=1 [action=TIMER]");
	ev(&r, "hog-200", 1, "..s1.", 130, "softirq_exit: vec=1 [action=TIMER]");
	switches(&r, 1, 154, hog, "R", tool);
	run(&r);
	assert_kind(&r, SECT_WAKEUP, 1, 54);
	const struct row *from = row_in(&r, "sections", "sections", "from sched_wakeup");
	assert_int_equal(from->cell[6].number, 51000);
	assert_told(&r, SECT_WAKEUP, "woken by init-7 on CPU 0");
	assert_told(&r, SECT_WAKEUP, "CPU 1: softirq TIMER");
	assert_told(&r, SECT_WAKEUP, "81 % of it");
	assert_told(&r, SECT_WAKEUP, "hog-200, of lower priority, ran on");
	assert_told(&r, SECT_WAKEUP, "switched in");
	assert_unknown(&r, SECT_RUNQ, 0, 1, 0);
	end(&r);
}

static void without_waking_it_lasts_from_wakeup(void **state)
{
	(void)state;
	struct run r = RUN;
	begins(&r, 0, 50);
	wakeup(&r, "init-7", 0, 100, "tool", 100, 19, 0);
	switches(&r, 0, 110, idle, "R", tool);
	run(&r);
	assert_kind(&r, SECT_WAKEUP, 1, 10);
	assert_null(row_in(&r, "sections", "sections", "from sched_wakeup"));
	assert_non_null(section_get(report_get(&r.report, "sections"), "from_wakeup"));
	end(&r);
}

static void a_task_that_moves_is_followed(void **state)
{
	(void)state;
	struct run r = RUN;
	begins(&r, 0, 50);
	begins(&r, 1, 51);
	waking(&r, "init-7", 0, 100, "tool", 100, 120, 0);
	wakeup(&r, "init-7", 0, 101, "tool", 100, 120, 0);
	ev(&r, "<idle>-0", 1, "d..2.", 140,
	   "sched_migrate_task: comm=tool pid=100 prio=120 orig_cpu=0 dest_cpu=1");
	switches(&r, 1, 150, idle, "R", tool);
	run(&r);
	assert_kind(&r, SECT_WAKEUP, 1, 50);
	assert_told(&r, SECT_WAKEUP, "moved to CPU 1");
	end(&r);
}

/* It waited on CPU 0, or on CPU 1: who ran on one of them alone is no reason. */
static void a_move_that_is_not_recorded(void **state)
{
	(void)state;
	struct run r = RUN;
	begins(&r, 0, 50);
	switches(&r, 1, 60, idle, "R", hog);
	waking(&r, "init-7", 0, 100, "tool", 100, 120, 0);
	wakeup(&r, "init-7", 0, 101, "tool", 100, 120, 0);
	ev(&r, "init-7", 0, "dN.2.", 120, "tick: cpu");
	switches(&r, 1, 150, hog, "S", tool);
	run(&r);
	assert_kind(&r, SECT_WAKEUP, 1, 50);
	assert_told(&r, SECT_WAKEUP, "CPU 0 or 1: when it moved is not recorded");
	assert_int_equal(ran(&r, SECT_WAKEUP, "init-7", 0), 0);
	end(&r);
}

/* ttwu_runnable: it had set its state, and not left the CPU yet. */
static void who_is_woken_while_running_has_not_waited(void **state)
{
	(void)state;
	struct run r = RUN;
	begins(&r, 0, 50);
	switches(&r, 1, 60, idle, "R", tool);
	waking(&r, "init-7", 0, 100, "tool", 100, 120, 1);
	wakeup(&r, "init-7", 0, 101, "tool", 100, 120, 1);
	switches(&r, 1, 200, tool, "S", idle);
	switches(&r, 1, 900, idle, "R", tool);
	run(&r);
	assert_kind(&r, SECT_WAKEUP, 0, 0);
	end(&r);
}

/* It was on its way off the CPU: the wait begins where it stops running. */
static void who_is_woken_on_the_way_out_waits_from_the_switch(void **state)
{
	(void)state;
	struct run r = RUN;
	begins(&r, 0, 50);
	switches(&r, 1, 60, idle, "R", tool);
	waking(&r, "init-7", 0, 100, "tool", 100, 120, 1);
	switches(&r, 1, 105, tool, "S", idle);
	wakeup(&r, "init-7", 0, 110, "tool", 100, 120, 1);
	switches(&r, 1, 125, idle, "R", tool);
	run(&r);
	assert_kind(&r, SECT_WAKEUP, 1, 20);
	end(&r);
}

static void what_has_no_beginning_or_end_is_not_counted(void **state)
{
	(void)state;
	struct run r = RUN;
	switches(&r, 0, 60, hog, "S", tool); /* tool: who knows since when */
	switches(&r, 0, 70, tool, "S", idle);
	waking(&r, "<idle>-0", 0, 100, "tool", 100, 120, 0);
	run(&r);
	assert_kind(&r, SECT_WAKEUP, 0, 0);
	assert_unknown(&r, SECT_WAKEUP, 1, 1, 0);
	end(&r);
}

/* Its switch in may have been in the part of the ring that was overwritten. */
static void a_wakeup_for_a_ring_that_has_not_begun_is_not_counted(void **state)
{
	(void)state;
	struct run r = RUN;
	begins(&r, 0, 50);
	waking(&r, "init-7", 0, 100, "tool", 100, 120, 1);
	switches(&r, 1, 9000, idle, "R", tool);
	run(&r);
	assert_kind(&r, SECT_WAKEUP, 0, 0);
	assert_unknown(&r, SECT_WAKEUP, 1, 0, 0);
	end(&r);
}

static void events_lost_on_the_cpu_make_a_wait_unknown(void **state)
{
	(void)state;
	struct run r = RUN;
	begins(&r, 0, 50);
	begins(&r, 1, 51);
	waking(&r, "init-7", 0, 100, "tool", 100, 120, 1);
	lost(&r, 1, 12);
	switches(&r, 1, 400, idle, "R", tool);
	waking(&r, "init-7", 0, 500, "hog", 200, 120, 1);
	lost(&r, 0, 3); /* of the other CPU */
	switches(&r, 1, 510, tool, "S", hog);
	run(&r);
	assert_kind(&r, SECT_WAKEUP, 1, 10);
	assert_unknown(&r, SECT_WAKEUP, 0, 0, 1);
	end(&r);
}

/* The recorder drops events that come while it records another, and says nothing. */
static void a_switch_that_is_missing_makes_a_wait_unknown(void **state)
{
	(void)state;
	struct run r = RUN;
	begins(&r, 0, 50);
	waking(&r, "<idle>-0", 0, 100, "tool", 100, 120, 0);
	ev(&r, "tool-100", 0, ".....", 110, "sys_enter: NR 1 (0, 0, 0, 0, 0, 0)");
	switches(&r, 0, 120, tool, "S", idle);
	run(&r);
	assert_kind(&r, SECT_WAKEUP, 0, 0);
	assert_unknown(&r, SECT_WAKEUP, 0, 0, 1);
	end(&r);
}

static void who_is_preempted_waits_for_a_cpu(void **state)
{
	(void)state;
	struct run r = RUN;
	switches(&r, 0, 60, idle, "R", hog);
	switches(&r, 0, 100, hog, "R+", tool);
	/* On the run queue already, with its state set: no wake-up. */
	waking(&r, "tool-100", 0, 110, "hog", 200, 120, 0);
	switches(&r, 0, 130, tool, "S", hog);
	switches(&r, 0, 140, hog, "S", tool);
	run(&r);
	assert_kind(&r, SECT_RUNQ, 1, 30);
	assert_told(&r, SECT_RUNQ, "tool-100 (RT 80) is of higher priority");
	assert_int_equal(kind(&r, SECT_WAKEUP)->cell[1].number, 0);
	end(&r);
}

/* perf prints -1 for a task that exits: who runs is still who each event is printed with. */
static void a_task_that_exits_has_no_id_in_perf(void **state)
{
	(void)state;
	struct run r = RUN;
	strbuf_str(&r.text,
		   "             :-1    -1 [000]     0.000100: sched:sched_switch: prev_comm=x "
		   "prev_pid=7 "
		   "prev_prio=120 prev_state=X ==> next_comm=a next_pid=1 next_prio=120\n"
		   "               a     1 [000]     0.000110: sched:sched_waking: comm=b pid=2 "
		   "prio=120 "
		   "target_cpu=000\n"
		   "               b     2 [000]     0.000120: sched:sched_stat_runtime: comm=b "
		   "pid=2\n"
		   "               a     1 [000]     0.000140: sched:sched_switch: prev_comm=a "
		   "prev_pid=1 "
		   "prev_prio=120 prev_state=S ==> next_comm=b next_pid=2 next_prio=120\n");
	run(&r);
	assert_kind(&r, SECT_WAKEUP, 0, 0);
	assert_unknown(&r, SECT_WAKEUP, 1, 0, 1);
	end(&r);
}

/* sched_switch comes before the switch: the run queue's lock is released by the task that goes. */
static void who_is_switched_out_may_still_be_printed(void **state)
{
	(void)state;
	struct run r = RUN;
	switches(&r, 0, 60, idle, "R", hog);
	switches(&r, 0, 100, hog, "R", tool);
	ev(&r, "hog-200", 0, "d..2.", 101, "lock_release: &rq->__lock");
	ev(&r, "tool-100", 0, "d..2.", 103, "lock_acquire: &rq->__lock");
	switches(&r, 0, 130, tool, "S", hog);
	ev(&r, "tool-100", 0, "d..2.", 131, "lock_release: &rq->__lock");
	ev(&r, "hog-200", 0, "d..2.", 133, "lock_acquire: &rq->__lock");
	run(&r);
	assert_kind(&r, SECT_RUNQ, 1, 30);
	assert_unknown(&r, SECT_RUNQ, 0, 0, 0);
	assert_told(&r, SECT_RUNQ, "CPU 0 runs tool-100");
	end(&r);
}

/* -- Handlers ---------------------------------------------------------------------------------- */

static void handlers_nest(void **state)
{
	(void)state;
	struct run r = RUN;
	ev(&r, "hog-200", 0, "..s1.", 100, "softirq_entry: vec=3 [action=NET_RX]");
	ev(&r, "hog-200", 0, "d.H1.", 110, "irq_handler_entry: irq=30 name=eth0");
	ev(&r, "hog-200", 0, "d.H1.", 112, "irq_handler_exit: irq=30 ret=handled");
	ev(&r, "hog-200", 0, "d.H1.", 115, "local_timer_entry: vector=236");
	ev(&r, "hog-200", 0, "d.H1.", 118, "local_timer_exit: vector=236");
	ev(&r, "hog-200", 0, "..s1.", 140, "softirq_exit: vec=3 [action=NET_RX]");
	run(&r);
	assert_kind(&r, SECT_HARDIRQ, 2, 3);
	assert_kind(&r, SECT_SOFTIRQ, 1, 40);
	assert_non_null(row_in(&r, "names", "names", "irq eth0"));
	assert_told(&r, SECT_SOFTIRQ, "CPU 0: irq eth0");
	end(&r);
}

static void an_exit_closes_what_lies_above_it(void **state)
{
	(void)state;
	struct run r = RUN;
	ev(&r, "hog-200", 0, "d.h1.", 90, "irq_handler_exit: irq=9 ret=handled");
	ev(&r, "hog-200", 0, "..s1.", 100, "softirq_entry: vec=3 [action=NET_RX]");
	ev(&r, "hog-200", 0, "d.H1.", 110, "irq_handler_entry: irq=30 name=eth0");
	ev(&r, "hog-200", 0, "..s1.", 140, "softirq_exit: vec=3 [action=NET_RX]");
	ev(&r, "hog-200", 0, "..s1.", 150, "softirq_entry: vec=3 [action=NET_RX]");
	run(&r);
	assert_kind(&r, SECT_HARDIRQ, 0, 0);
	assert_unknown(&r, SECT_HARDIRQ, 1, 0, 1);
	assert_kind(&r, SECT_SOFTIRQ, 1, 40);
	assert_unknown(&r, SECT_SOFTIRQ, 0, 1, 0);
	end(&r);
}

static void lost_events_leave_no_handler_open(void **state)
{
	(void)state;
	struct run r = RUN;
	ev(&r, "hog-200", 0, "..s1.", 100, "softirq_entry: vec=3 [action=NET_RX]");
	lost(&r, 0, 5);
	ev(&r, "hog-200", 0, "..s1.", 9000, "softirq_exit: vec=3 [action=NET_RX]");
	run(&r);
	assert_kind(&r, SECT_SOFTIRQ, 0, 0);
	assert_unknown(&r, SECT_SOFTIRQ, 0, 0, 2);
	end(&r);
}

/* Raising what is pending changes nothing. */
static void a_softirq_waits_from_its_first_raise(void **state)
{
	(void)state;
	struct run r = RUN;
	ev(&r, "hog-200", 0, "d..1.", 100, "softirq_raise: vec=1 [action=TIMER]");
	ev(&r, "hog-200", 0, "d..1.", 150, "softirq_raise: vec=1 [action=TIMER]");
	ev(&r, "hog-200", 0, "..s1.", 170, "softirq_entry: vec=1 [action=TIMER]");
	ev(&r, "hog-200", 0, "..s1.", 175, "softirq_raise: vec=1 [action=TIMER]");
	ev(&r, "hog-200", 0, "..s1.", 180, "softirq_exit: vec=1 [action=TIMER]");
	ev(&r, "hog-200", 0, "..s1.", 190, "softirq_entry: vec=1 [action=TIMER]");
	ev(&r, "hog-200", 0, "..s1.", 195, "softirq_exit: vec=1 [action=TIMER]");
	run(&r);
	assert_kind(&r, SECT_SOFTIRQ_WAIT, 2, 70);
	assert_kind(&r, SECT_SOFTIRQ, 2, 10);
	end(&r);
}

/* Few functions traced: each entry shows interrupts off, and they were on between. */
static void another_task_or_interrupt_ends_a_run(void **state)
{
	(void)state;
	struct run r = RUN;
	ev(&r, "a-1", 0, "d..1.", 100, "flush <-f");
	ev(&r, "a-1", 0, "d..1.", 103, "flush <-f");
	ev(&r, "b-2", 0, "d..1.", 500, "flush <-f");
	ev(&r, "b-2", 0, "d..1.", 501, "flush <-f");
	ev(&r, "b-2", 0, "d.h1.", 800, "flush <-f");
	ev(&r, "b-2", 0, "d.h1.", 802, "flush <-f");
	run(&r);
	assert_kind(&r, SECT_IRQS_OFF, 3, 3);
	assert_kind(&r, SECT_PREEMPT_OFF, 2, 302);
	end(&r);
}

/* -- Locks ------------------------------------------------------------------------------------- */

static const struct row *lock(const struct run *r, const char *name)
{
	const struct row *row = row_in(r, "one_by_one", "locks", name);
	assert_non_null(row);
	return row;
}

static void waits_for_locks_nest_and_change_mode(void **state)
{
	(void)state;
	struct run r = RUN;
	ev(&r, "a-1", 0, ".....", 100, "contention_begin: 00000000aaaa0001 (flags=SPIN|MUTEX)");
	ev(&r, "a-1", 0, ".....", 110, "contention_begin: 00000000aaaa0001 (flags=MUTEX)");
	ev(&r, "a-1", 0, "d..1.", 112, "contention_begin: 00000000bbbb0002 (flags=SPIN)");
	ev(&r, "a-1", 0, "d.h1.", 113, "contention_begin: 00000000cccc0003 (flags=SPIN)");
	ev(&r, "a-1", 0, "d.h1.", 114, "contention_end: 00000000cccc0003 (ret=0)");
	ev(&r, "a-1", 0, "d..1.", 117, "contention_end: 00000000bbbb0002 (ret=0)");
	ev(&r, "a-1", 0, ".....", 160, "contention_end: 00000000aaaa0001 (ret=0)");
	run(&r);
	assert_kind(&r, SECT_LOCK, 3, 60);
	assert_int_equal(row_in(&r, "names", "names", "mutex")->cell[6].number, 60000);
	assert_int_equal(row_in(&r, "names", "names", "spinlock")->cell[1].number, 2);
	const struct row *mutex = lock(&r, "mutex 0xaaaa0001");
	assert_int_equal(mutex->cell[5].part, 10000);
	assert_int_equal(mutex->cell[5].whole, 60000);
	assert_int_equal(lock(&r, "spinlock 0xbbbb0002")->cell[2].number, 5000);
	assert_null(section_get(report_get(&r.report, "caution"), "unpaired"));
	end(&r);
}

static void a_sleeper_waits_across_switches(void **state)
{
	(void)state;
	struct run r = RUN;
	static const struct side a = { "a", 1, 120 };
	begins(&r, 1, 90);
	ev(&r, "a-1", 0, ".....", 100, "contention_begin: 00000000aaaa0001 (flags=WRITE)");
	switches(&r, 0, 105, a, "D", idle);
	waking(&r, "hog-200", 1, 150, "a", 1, 120, 0);
	switches(&r, 0, 160, idle, "R", a);
	ev(&r, "a-1", 0, ".....", 165, "contention_end: 00000000aaaa0001 (ret=-4)");
	run(&r);
	assert_kind(&r, SECT_LOCK, 1, 65);
	assert_told(&r, SECT_LOCK, "waits for rwsem write 0xaaaa0001");
	assert_told(&r, SECT_LOCK, "asleep (state D)");
	assert_told(&r, SECT_LOCK, "hog-200 on CPU 1 woke it");
	assert_told(&r, SECT_LOCK, "gives up, without the lock");
	end(&r);
}

static void ends_and_begins_without_partner_are_counted(void **state)
{
	(void)state;
	struct run r = RUN;
	ev(&r, "a-1", 0, ".....", 90, "contention_end: 00000000dddd0004 (ret=0)");
	ev(&r, "a-1", 0, ".....", 100, "contention_begin: 00000000aaaa0001 (flags=MUTEX)");
	ev(&r, "a-1", 0, ".....", 110, "contention_begin: 00000000eeee0001 (flags=MUTEX)");
	ev(&r, "a-1", 0, ".....", 120, "contention_end: 00000000eeee0001 (ret=0)");
	ev(&r, "a-1", 0, "...1.", 130, "contention_begin: 00000000bbbb0002 (flags=SPIN)");
	run(&r);
	assert_kind(&r, SECT_LOCK, 1, 10);
	assert_unknown(&r, SECT_LOCK, 1, 1, 1);
	const struct finding *f = section_get(report_get(&r.report, "caution"), "unpaired");
	assert_int_equal(finding_get(f, "bad").number, 2);
	end(&r);
}

/* The first function of the stack that is neither the tracer's nor the way to the lock. */
static void a_stack_names_the_caller(void **state)
{
	(void)state;
	struct run r = RUN;
	ev(&r, "a-1", 0, ".....", 100, "contention_begin: 00000000aaaa0001 (flags=MUTEX)");
	strbuf_str(&r.text, "             a-1       [000] .....     0.000101: <stack trace>\n"
			    " => trace_event_raw_event_contention_begin\n"
			    " => __mutex_lock.constprop.0\n => ksys_write\n => do_syscall_64\n");
	ev(&r, "a-1", 0, ".....", 160, "contention_end: 00000000aaaa0001 (ret=0)");
	run(&r);
	assert_kind(&r, SECT_LOCK, 1, 60);
	assert_told(&r, SECT_LOCK, "waits for mutex 0xaaaa0001, in ksys_write");
	end(&r);
}

/* With its wait for another lock, and what the task did meanwhile. */
static void holds_are_sections(void **state)
{
	(void)state;
	struct run r = RUN;
	static const struct side a = { "a", 1, 120 };
	ev(&r, "a-1", 0, ".....", 100, "lock_acquire: 0xff01 &mm->mmap_lock");
	ev(&r, "a-1", 0, ".....", 101, "lock_acquired: 0xff01 &mm->mmap_lock");
	ev(&r, "a-1", 0, ".....", 103, "lock_acquire: 0xff02 read rcu_read_lock");
	switches(&r, 0, 105, a, "S", idle);
	waking(&r, "<idle>-0", 0, 150, "a", 1, 120, 0);
	switches(&r, 0, 160, idle, "R", a);
	ev(&r, "a-1", 0, ".....", 161, "lock_release: 0xff02 rcu_read_lock");
	ev(&r, "a-1", 0, ".....", 165, "lock_release: 0xff01 &mm->mmap_lock");
	run(&r);
	assert_kind(&r, SECT_LOCK_HOLD, 1, 65);
	assert_told(&r, SECT_LOCK_HOLD, "takes &mm->mmap_lock on CPU 0");
	assert_told(&r, SECT_LOCK_HOLD, "asleep (state S)");
	assert_told(&r, SECT_LOCK_HOLD, "lets go of it");
	end(&r);
}

/* A stack belongs to the event right before it, not to an earlier one without a stack. */
static void a_stack_of_another_event_names_nobody(void **state)
{
	(void)state;
	struct run r = RUN;
	ev(&r, "a-1", 0, ".....", 100, "contention_begin: 00000000aaaa0001 (flags=MUTEX)");
	ev(&r, "a-1", 0, ".....", 120, "tick: cpu");
	strbuf_str(&r.text, "             a-1       [000] .....     0.000121: <stack trace>\n"
			    " => do_nothing\n => do_syscall_64\n");
	ev(&r, "a-1", 0, ".....", 160, "contention_end: 00000000aaaa0001 (ret=0)");
	run(&r);
	const struct finding *f = section_get(report_get(&r.report, "locks"), "answer");
	assert_string_equal(finding_get(f, "class").text, "mutex");
	end(&r);
}

/* -- System calls ------------------------------------------------------------------------------ */

static void a_call_lasts_from_enter_to_exit(void **state)
{
	(void)state;
	struct run r = RUN;
	ev(&r, "a-1", 0, ".....", 90, "sys_exit: NR 7 = 0");
	ev(&r, "a-1", 0, ".....", 100, "sys_enter: NR 0 (0, 0, 0, 0, 0, 0)");
	ev(&r, "b-2", 1, ".....", 101, "sys_enter: NR 1 (0, 0, 0, 0, 0, 0)");
	ev(&r, "b-2", 1, ".....", 103, "sys_exit: NR 1 = 0");
	ev(&r, "a-1", 1, ".....", 140, "sys_exit: NR 0 = 5");
	ev(&r, "b-2", 1, ".....", 150, "sys_enter: NR 60 (0, 0, 0, 0, 0, 0)");
	run(&r);
	assert_kind(&r, SECT_SYSCALL, 2, 40);
	assert_unknown(&r, SECT_SYSCALL, 1, 1, 0);
	assert_int_equal(row_in(&r, "names", "names", "syscall 1")->cell[6].number, 2000);
	end(&r);
}

/* -- Off --------------------------------------------------------------------------------------- */

static void functions_show_what_is_off(void **state)
{
	(void)state;
	struct run r = RUN;
	ev(&r, "a-1", 0, ".....", 100, "f <-g");
	ev(&r, "a-1", 0, "d..1.", 110, "f <-g");
	ev(&r, "a-1", 0, "d..1.", 120, "f <-g");
	ev(&r, "a-1", 0, "...1.", 130, "f <-g");
	ev(&r, "a-1", 0, ".....", 150, "f <-g");
	ev(&r, "a-1", 0, "d....", 160, "f <-g");
	ev(&r, "a-1", 0, ".....", 190, "sched_stat_runtime: comm=a pid=1 runtime=1 [ns]");
	ev(&r, "a-1", 0, "d....", 200, "f <-g");
	ev(&r, "a-1", 0, "d..1.", 210, "sys_exit: NR 7 = 0");
	run(&r);
	assert_kind(&r, SECT_IRQS_OFF, 1, 10);
	assert_kind(&r, SECT_PREEMPT_OFF, 1, 20);
	assert_non_null(section_get(report_get(&r.report, "sections"), "lower_bound"));
	end(&r);
}

static void events_tell_it_exactly(void **state)
{
	(void)state;
	struct run r = RUN;
	ev(&r, "a-1", 0, "d....", 100, "irq_disable: caller=f+0x1/0x2 parent=g+0x1/0x2");
	ev(&r, "a-1", 0, "d..1.", 120, "sched_waking: comm=tool pid=100 prio=1 target_cpu=000");
	ev(&r, "a-1", 0, "d....", 125, "irq_enable: caller=f+0x1/0x2 parent=g+0x1/0x2");
	run(&r);
	assert_kind(&r, SECT_IRQS_OFF, 1, 25);
	assert_null(invisible(&r, SECT_IRQS_OFF));
	assert_null(section_get(report_get(&r.report, "sections"), "lower_bound"));
	end(&r);
}

static void flags_of_events_tell_nothing(void **state)
{
	(void)state;
	struct run r = RUN;
	waking(&r, "a-1", 0, 100, "tool", 100, 19, 0);
	waking(&r, "a-1", 0, 900, "hog", 200, 19, 0);
	run(&r);
	assert_null(kind(&r, SECT_IRQS_OFF));
	assert_non_null(invisible(&r, SECT_IRQS_OFF));
	assert_non_null(invisible(&r, SECT_LOCK));
	assert_string_equal(invisible(&r, SECT_WAKEUP), "no sched_switch events");
	end(&r);
}

/* -- Choosing ---------------------------------------------------------------------------------- */

/* Ten wake-ups of tool on CPU 0, of 1 to 10 us, and one of hog. */
static void eleven_wakeups(struct run *r)
{
	begins(r, 0, 50);
	for (int i = 1; i <= 10; i++) {
		waking(r, "<idle>-0", 0, 1000 * i, "tool", 100, 19, 0);
		switches(r, 0, 1000 * i + i, idle, "R", tool);
		switches(r, 0, 1000 * i + 500, tool, "S", idle);
	}
	waking(r, "<idle>-0", 0, 20000, "hog", 200, 120, 0);
	switches(r, 0, 20100, idle, "R", hog);
}

static void options_choose(void **state)
{
	(void)state;
	static const struct {
		struct section_options o;
		int64_t cpu, count, max;
	} cases[] = {
		{ SECTION_OPTIONS_NONE, UNKNOWN, 11, 100 },
		{ SECTION_OPTIONS_NONE, 1, 0, 0 },
		{ { .task = "tool",
		    .from = UNKNOWN,
		    .to = UNKNOWN,
		    .worst = UNKNOWN,
		    .threshold_ns = UNKNOWN },
		  UNKNOWN,
		  10,
		  10 },
		{ { .task = "to*",
		    .from = UNKNOWN,
		    .to = UNKNOWN,
		    .worst = UNKNOWN,
		    .threshold_ns = UNKNOWN },
		  UNKNOWN,
		  10,
		  10 },
		{ { .task = "200",
		    .from = UNKNOWN,
		    .to = UNKNOWN,
		    .worst = UNKNOWN,
		    .threshold_ns = UNKNOWN },
		  UNKNOWN,
		  1,
		  100 },
		{ { .from = 4000000, .to = 7006000, .worst = UNKNOWN, .threshold_ns = UNKNOWN },
		  UNKNOWN,
		  3,
		  6 },
	};
	for (size_t i = 0; i < N_OF(cases); i++) {
		struct run r = { .options = cases[i].o };
		eleven_wakeups(&r);
		run_cpu(&r, cases[i].cpu);
		assert_kind(&r, SECT_WAKEUP, cases[i].count, cases[i].max);
		end(&r);
	}
}

static void a_threshold_counts(void **state)
{
	(void)state;
	struct run r = RUN;
	r.options.threshold_ns = 8000;
	r.options.worst = 5;
	eleven_wakeups(&r);
	run(&r);
	assert_int_equal(kind(&r, SECT_WAKEUP)->cell[2].number, 3);
	size_t told = 0;
	vec_each (s, &r.report.sections)
		told += strcmp((*s)->key, "worst") == 0;
	assert_int_equal(told, 3);
	end(&r);
}

static void kinds_are_named(void **state)
{
	(void)state;
	uint32_t sects = 0;
	struct err err = { 0 };
	assert_int_equal(sect_parse("wakeup, lock", &sects, &err), 0);
	assert_int_equal(sects, SECT_BIT(SECT_WAKEUP) | SECT_BIT(SECT_LOCK));
	assert_true(sect_parse("wakeup,locks", &sects, &err) < 0);
	assert_non_null(strstr(err.msg, "'locks' is no kind"));
	struct run r = RUN;
	r.options.sects = SECT_BIT(SECT_RUNQ);
	eleven_wakeups(&r);
	run(&r);
	assert_null(kind(&r, SECT_WAKEUP));
	assert_kind(&r, SECT_RUNQ, 0, 0);
	end(&r);
}

/* More happens in it than is kept: head and tail are, and it says so. */
static void an_oversized_section_is_told_by_its_switches(void **state)
{
	(void)state;
	struct run r = RUN;
	static const struct side b = { "b", 300, 120 };
	begins(&r, 0, 50);
	switches(&r, 0, 60, idle, "R", hog);
	waking(&r, "hog-200", 0, 100, "tool", 100, 120, 0);
	for (int i = 0; i < 1500; i++)
		switches(&r, 0, 200 + i, i % 2 ? b : hog, "S", i % 2 ? hog : b);
	switches(&r, 0, 3000, hog, "S", tool);
	run(&r);
	assert_kind(&r, SECT_WAKEUP, 1, 2900);
	/* Who ran is known from the switches, of which more are kept. */
	assert_int_equal(ran(&r, SECT_WAKEUP, "hog-200", 0), 100 + 749 + 1301);
	assert_int_equal(ran(&r, SECT_WAKEUP, "b-300", 0), 750);
	assert_told(&r, SECT_WAKEUP, "ran its share");
	end(&r);
}

/* Ticks end in softirqs; what ran between two of them is the task. */
static void the_time_between_two_softirqs_is_the_tasks(void **state)
{
	(void)state;
	struct run r = RUN;
	begins(&r, 0, 50);
	switches(&r, 0, 60, idle, "R", hog);
	waking(&r, "hog-200", 0, 100, "tool", 100, 120, 0);
	for (int i = 1; i < 4; i++)
		ev(&r, "hog-200", 0, "..s1.", 1000 * i, "timer_expire: tick");
	switches(&r, 0, 4000, hog, "R", tool);
	run(&r);
	assert_int_equal(ran(&r, SECT_WAKEUP, "hog-200", 0), 3900);
	assert_told(&r, SECT_WAKEUP, "100 % of it: hog-200 ran its share");
	end(&r);
}

/* It came as a fair task, and went as a real-time one. */
static void a_task_that_was_raised_counts_as_raised(void **state)
{
	(void)state;
	struct run r = RUN;
	static const struct side raised = { "hog", 200, 19 }, fair = { "tool", 100, 120 };
	begins(&r, 0, 50);
	switches(&r, 0, 60, idle, "R", hog);
	waking(&r, "hog-200", 0, 100, "tool", 100, 120, 0);
	switches(&r, 0, 4000, raised, "S", fair);
	run(&r);
	assert_told(&r, SECT_WAKEUP, "hog-200 (RT 80) is of higher priority");
	end(&r);
}

/* It is woken to CPU 0, moves to CPU 1 while it waits, and back; too much happens on both. */
static void an_oversized_wait_is_followed_where_it_moves(void **state)
{
	(void)state;
	struct run r = RUN;
	static const struct side b = { "b", 300, 120 };
	static const char *const move =
		"sched_migrate_task: comm=tool pid=100 prio=120 orig_cpu=%d "
		"dest_cpu=%d";
	char text[128];
	begins(&r, 0, 50);
	begins(&r, 1, 51);
	switches(&r, 0, 60, idle, "R", hog);
	switches(&r, 1, 61, idle, "R", b);
	waking(&r, "hog-200", 0, 100, "tool", 100, 120, 0);
	wakeup(&r, "hog-200", 0, 101, "tool", 100, 120, 0);
	for (int i = 0; i < 1500; i++) {
		switches(&r, 0, 200 + 2 * i, i % 2 ? idle : hog, "S", i % 2 ? hog : idle);
		switches(&r, 1, 201 + 2 * i, i % 2 ? idle : b, "S", i % 2 ? b : idle);
		if (i != 500 && i != 1000)
			continue;
		snprintf(text, sizeof(text), move, i == 1000, i == 500);
		ev(&r, i % 2 ? "hog-200" : "<idle>-0", 0, "d..2.", 201 + 2 * i, text);
	}
	switches(&r, 0, 4000, hog, "S", tool);
	run(&r);
	assert_kind(&r, SECT_WAKEUP, 1, 3900);
	/* On CPU 0 until 1201 and from 2201 on, in between on CPU 1. */
	assert_int_equal(ran(&r, SECT_WAKEUP, "b-300", 1), 500);
	assert_int_equal(ran(&r, SECT_WAKEUP, "b-300", 0), 0);
	int64_t hog_ran = 100 + 500 + 498 + 802, idle_ran = 3900 - 500 - hog_ran;
	assert_int_equal(ran(&r, SECT_WAKEUP, "hog-200", 0), hog_ran);
	assert_int_equal(ran(&r, SECT_WAKEUP, "idle", 0) + ran(&r, SECT_WAKEUP, "idle", 1),
			 idle_ran);
	end(&r);
}

/* Beyond the switches that are kept nothing is known, and it is said. */
static void what_is_too_long_ago_is_not_known(void **state)
{
	(void)state;
	struct run r = RUN;
	static const struct side b = { "b", 300, 120 };
	begins(&r, 0, 50);
	switches(&r, 0, 60, idle, "R", hog);
	waking(&r, "hog-200", 0, 100, "tool", 100, 120, 0);
	for (int i = 0; i < SECT_SLICES + 1000; i++)
		switches(&r, 0, 200 + i, i % 2 ? b : hog, "S", i % 2 ? hog : b);
	switches(&r, 0, 20000, hog, "S", tool);
	run(&r);
	assert_told(&r, SECT_WAKEUP, "(more events than are kept)");
	end(&r);
}

static void events_that_begin_nothing_are_counted(void **state)
{
	(void)state;
	struct run r = RUN;
	begins(&r, 0, 50);
	run(&r);
	assert_null(report_get(&r.report, "sections"));
	assert_non_null(row_in(&r, "events", "events", "tick"));
	end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wakeup_lasts_from_waking_to_the_switch),
		cmocka_unit_test(without_waking_it_lasts_from_wakeup),
		cmocka_unit_test(a_task_that_moves_is_followed),
		cmocka_unit_test(a_move_that_is_not_recorded),
		cmocka_unit_test(who_is_woken_while_running_has_not_waited),
		cmocka_unit_test(who_is_woken_on_the_way_out_waits_from_the_switch),
		cmocka_unit_test(what_has_no_beginning_or_end_is_not_counted),
		cmocka_unit_test(a_wakeup_for_a_ring_that_has_not_begun_is_not_counted),
		cmocka_unit_test(events_lost_on_the_cpu_make_a_wait_unknown),
		cmocka_unit_test(a_switch_that_is_missing_makes_a_wait_unknown),
		cmocka_unit_test(who_is_preempted_waits_for_a_cpu),
		cmocka_unit_test(who_is_switched_out_may_still_be_printed),
		cmocka_unit_test(handlers_nest),
		cmocka_unit_test(an_exit_closes_what_lies_above_it),
		cmocka_unit_test(lost_events_leave_no_handler_open),
		cmocka_unit_test(a_softirq_waits_from_its_first_raise),
		cmocka_unit_test(another_task_or_interrupt_ends_a_run),
		cmocka_unit_test(waits_for_locks_nest_and_change_mode),
		cmocka_unit_test(a_sleeper_waits_across_switches),
		cmocka_unit_test(ends_and_begins_without_partner_are_counted),
		cmocka_unit_test(a_task_that_exits_has_no_id_in_perf),
		cmocka_unit_test(a_stack_names_the_caller),
		cmocka_unit_test(a_stack_of_another_event_names_nobody),
		cmocka_unit_test(holds_are_sections),
		cmocka_unit_test(a_call_lasts_from_enter_to_exit),
		cmocka_unit_test(functions_show_what_is_off),
		cmocka_unit_test(events_tell_it_exactly),
		cmocka_unit_test(flags_of_events_tell_nothing),
		cmocka_unit_test(options_choose),
		cmocka_unit_test(a_threshold_counts),
		cmocka_unit_test(kinds_are_named),
		cmocka_unit_test(the_time_between_two_softirqs_is_the_tasks),
		cmocka_unit_test(a_task_that_was_raised_counts_as_raised),
		cmocka_unit_test(an_oversized_section_is_told_by_its_switches),
		cmocka_unit_test(an_oversized_wait_is_followed_where_it_moves),
		cmocka_unit_test(what_is_too_long_ago_is_not_known),
		cmocka_unit_test(events_that_begin_nothing_are_counted),
	};
	return cmocka_run_group_tests_name("sections", tests, NULL, NULL);
}
