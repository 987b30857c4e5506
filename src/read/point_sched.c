/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Switches, wake-ups and migrations (include/trace/events/sched.h). */
#include "read/point_cut.h"
#include "read/point_text.h"

/*
 * "S", "R+", "D|K"; trace-cmd report -R prints the number: bits of __TASK_* in
 * include/linux/sched.h, and one above all states for a task that was preempted (1024 in 3.x).
 */
static char state_char(struct str s)
{
	static const char letters[] = "SDTtXZPI";
	int64_t bits;
	if (!s.n)
		return '?';
	if (s.p[s.n - 1] == ')') /* "0x2 (2)": the trace option fields */
		s = str_from(s, (size_t)str_find_char(s, '(') + 1);
	if (!is_digit(s.p[0]) || !str_number(&s, &bits))
		return s.p[0];
	for (size_t i = 0; letters[i]; i++) {
		if (bits & 1 << i)
			return letters[i];
	}
	return 'R';
}

/* The task of a comm and a pid that stand together in the piece of text. */
static uint32_t task_of(struct point_reader *r, struct str piece, struct str comm, int32_t pid)
{
	struct memo_slot *slot = memo_find(&r->tasks, piece);
	if (slot && slot->n)
		return slot->id;
	uint32_t task = names_task(r->names, comm, pid);
	memo_keep(slot, piece, task, 0);
	return task;
}

/* Where the value of the last "key=" in s begins, within the bytes that a comm may take. */
static inline ptrdiff_t find_key_back(struct str s, const char *key, size_t n)
{
	for (size_t i = s.n; i >= n && s.n - i < 64; i--) {
		if (s.p[i - 1] == '=' && memo_same(s.p + i - n, key, n))
			return (ptrdiff_t)i;
	}
	return -1;
}

/* -- sched_switch ------------------------------------------------------------------------------ */

/* "prev_comm=bash prev_pid=123 prev_prio=120 prev_state=S ==> next_comm=... next_prio=120" */
static bool switch_keys(struct point_reader *r, struct str s, struct payload *p)
{
	int64_t prio, pid;
	struct sched_side *next = &p->sched.next, *prev = &p->sched.prev;
	if (!CUT_NUMBER(&s, " next_prio=", &prio))
		return false;
	struct str piece = s;
	if (!CUT_NUMBER(&s, " next_pid=", &pid))
		return false;
	ptrdiff_t at = find_key_back(s, "next_comm=", 10);
	if (at < 0)
		return false;
	*next = (struct sched_side){ (int32_t)pid, (int32_t)prio, 'R' };
	p->sched.next_task =
		task_of(r, str_from(piece, (size_t)at), str_from(s, (size_t)at), next->pid);

	s = str_head(s, (size_t)at - 10);
	while (s.n && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '>' || s.p[s.n - 1] == '='))
		s.n--;
	at = find_key_back(s, " prev_state=", 12);
	if (at < 0)
		return false;
	char state = state_char(str_from(s, (size_t)at));
	s = str_head(s, (size_t)at - 12);
	if (!CUT_NUMBER(&s, " prev_prio=", &prio))
		return false;
	piece = s;
	if (!CUT_NUMBER(&s, " prev_pid=", &pid) || !str_starts(s, "prev_comm="))
		return false;
	*prev = (struct sched_side){ (int32_t)pid, (int32_t)prio, state };
	p->sched.prev_task = task_of(r, str_from(piece, 10), str_from(s, 10), prev->pid);
	return true;
}

/* " [120]" at the end of *s; a task of the deadline class has -1. */
static bool cut_bracket(struct str *s, int64_t *value)
{
	struct str t = *s;
	if (!t.n || t.p[t.n - 1] != ']')
		return false;
	ptrdiff_t open = str_rfind_char(t, '[');
	struct str number = str_from(t, (size_t)open + 1);
	if (open < 1 || !str_number(&number, value) || number.n != 1)
		return false;
	*s = str_trim(str_head(t, (size_t)open));
	return true;
}

/* "git:22504", in front of a priority in brackets, of plugin_sched_switch.c in libtraceevent */
static bool plugin_side(struct point_reader *r, struct str s, struct sched_side *side,
			uint32_t *task)
{
	int64_t prio, pid;
	if (!cut_bracket(&s, &prio))
		return false;
	ptrdiff_t colon = str_rfind_char(s, ':');
	struct str number = str_from(s, (size_t)colon + 1);
	if (colon < 0 || !str_number(&number, &pid) || number.n)
		return false;
	*side = (struct sched_side){ (int32_t)pid, (int32_t)prio, 'R' };
	*task = task_of(r, s, str_head(s, (size_t)colon), side->pid);
	return true;
}

/* "git:22504 [120] R ==> rcu_preempt:15 [120]" */
static bool switch_plugin(struct point_reader *r, struct str s, struct payload *p)
{
	static const char arrow[] = " ==> ";
	ptrdiff_t at = str_find(s, arrow);
	if (at < 0 || !plugin_side(r, str_from(s, (size_t)at + strlen(arrow)), &p->sched.next,
				   &p->sched.next_task))
		return false;
	s = str_head(s, (size_t)at);
	ptrdiff_t state = str_rfind_char(s, ' ');
	if (state < 0 ||
	    !plugin_side(r, str_head(s, (size_t)state), &p->sched.prev, &p->sched.prev_task))
		return false;
	p->sched.prev.state = state_char(str_from(s, (size_t)state + 1));
	return true;
}

/* -- sched_waking, sched_wakeup, sched_wakeup_new, sched_migrate_task --------------------------- */

/* "bash pid=123 prio=120" behind "comm=" */
static bool wakeup_task(struct point_reader *r, struct str s, struct payload *p)
{
	int64_t prio, pid;
	if (!CUT_NUMBER(&s, " prio=", &prio))
		return false;
	struct str piece = s;
	if (!CUT_NUMBER(&s, " pid=", &pid) || !str_starts(s, "comm="))
		return false;
	p->sched.next = (struct sched_side){ (int32_t)pid, (int32_t)prio, 'R' };
	p->sched.next_task = task_of(r, str_from(piece, 5), str_from(s, 5), (int32_t)pid);
	return true;
}

/* "comm=bash pid=123 prio=120 success=1 target_cpu=001": success until 4.3 or so */
static bool wakeup_keys(struct point_reader *r, struct str s, struct payload *p)
{
	int64_t cpu, success;
	if (!CUT_NUMBER(&s, " target_cpu=", &cpu))
		return false;
	CUT_NUMBER(&s, " success=", &success);
	p->sched.next_cpu = (int32_t)cpu;
	return wakeup_task(r, s, p);
}

/* "trace-cmd:89992 [120] success=1 CPU:005", success and the CPU only where the event has them */
static bool wakeup_plugin(struct point_reader *r, struct str s, struct payload *p)
{
	int64_t cpu = -1, success;
	CUT_NUMBER(&s, " CPU:", &cpu);
	CUT_NUMBER(&s, " success=", &success);
	p->sched.next_cpu = (int32_t)cpu;
	return plugin_side(r, s, &p->sched.next, &p->sched.next_task);
}

static bool migrate(struct point_reader *r, struct str s, struct payload *p)
{
	int64_t from, to;
	if (!CUT_NUMBER(&s, " dest_cpu=", &to) || !CUT_NUMBER(&s, " orig_cpu=", &from))
		return false;
	p->sched.next_cpu = (int32_t)to;
	p->sched.orig_cpu = (int32_t)from;
	return wakeup_task(r, s, p);
}

/* "  Latency: 4024.977 usecs", that trace-cmd report -w appends */
static struct str without_latency(struct str s)
{
	if (!s.n || s.p[s.n - 1] != 's')
		return s;
	ptrdiff_t at = str_find(s, " Latency: ");
	return at > 0 ? str_trim(str_head(s, (size_t)at)) : s;
}

bool point_sched_parse(struct point_reader *r, enum point point, struct str text, struct payload *p)
{
	const struct sched_side none = { -1, 0, '?' };
	p->sched.prev = p->sched.next = none;
	p->sched.prev_task = p->sched.next_task = 0;
	p->sched.next_cpu = p->sched.orig_cpu = -1;
	text = without_latency(text);
	if (point == POINT_SWITCH)
		return switch_keys(r, text, p) || switch_plugin(r, text, p);
	if (point == POINT_MIGRATE)
		return migrate(r, text, p);
	return wakeup_keys(r, text, p) || wakeup_plugin(r, text, p);
}
