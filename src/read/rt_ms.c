/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of /proc/latency_trace of the voluntary-preempt and -rt patches of 2004. All of them end
 * in "0.000ms (+0.549ms): func (caller)"; what stands before tells the generation:
 *
 *	v1.0, v1.0.1    nothing
 *	v1.0.2-v1.0.6   00000001                     the preempt count, in hex
 *	v1.0.7              5 80010004               pid, count with flag bits
 *	v1.1.1          <unknown-9789 80000000       comm-pid, the same or "........"
 *
 * Values without a function stand in brackets: "(49) ((98))", "(0): [ 00000000 00000000 ]".
 *
 * Deduced from captures (formats.md 2.1), for want of the patches: the low bytes are the preempt,
 * softirq and hardirq counts of include/linux/hardirq.h of 2.6.9 (whose bits above 23 are left
 * out here, as PREEMPT_ACTIVE is among them); from v1.0.7 on, bit 31 says that interrupts are off:
 * it is clear where preempt_schedule is entered, which refuses to run with interrupts off. States
 * are known so, but no columns were printed: event_flag_columns is 0.
 */
#include "read/latency_shapes.h"
#include "read/ms_columns.h"

#define IRQS_OFF_BIT 0x80000000u
#define HARDIRQ_BITS 0x00ff0000u
#define SOFTIRQ_BITS 0x0000ff00u
#define DEPTH_BITS 0x000000ffu

/* States as event_flag_char numbers them: "." is 0. */
enum { IRQS_OFF = 1, CONTEXT_H = 1, CONTEXT_S = 2, CONTEXT_BOTH = 3, DEPTH_MAX = 15 };

static uint32_t word_flags(uint32_t word, bool has_irqs_bit)
{
	bool hard = word & HARDIRQ_BITS, soft = word & SOFTIRQ_BITS;
	uint32_t depth = word & DEPTH_BITS;
	uint32_t context = hard && soft ? CONTEXT_BOTH : hard ? CONTEXT_H : soft ? CONTEXT_S : 0;
	uint32_t irqs = has_irqs_bit && word & IRQS_OFF_BIT ? IRQS_OFF : 0;
	return irqs << (4 * FLAG_IRQS) | context << (4 * FLAG_CONTEXT) |
	       (depth < DEPTH_MAX ? depth : DEPTH_MAX) << (4 * FLAG_DEPTH);
}

struct columns {
	struct ms_stamp stamp;
	enum preempt_word word;
	uint32_t preempt_count;
	struct str who; /* a pid, or comm-pid; empty: no such column */
};

/* "00010001" or "........" */
static bool split_word(struct str word, struct columns *c)
{
	uint64_t value;
	if (word.n != 8)
		return false;
	if (str_eq(word, "........")) {
		c->word = PREEMPT_WORD_DOTS;
		return true;
	}
	if (!ms_hex(word, &value))
		return false;
	c->word = PREEMPT_WORD_HEX;
	c->preempt_count = (uint32_t)value;
	return true;
}

/* "5" or "<unknown-9789": the comm is cut to eight characters and may hold anything. */
static bool is_who(struct str who)
{
	int64_t pid;
	who = str_from(who, (size_t)(str_rfind_char(who, '-') + 1));
	return who.n && str_number(&who, &pid) && !who.n && pid >= 0 && pid <= INT32_MAX;
}

static bool split(struct str line, struct columns *c)
{
	*c = (struct columns){ 0 };
	if (!ms_stamp_find(line, &c->stamp) || c->stamp.ticks)
		return false;
	c->who = c->stamp.before;
	if (!c->who.n)
		return true;
	return split_word(ms_last_word(&c->who), c) && (!c->who.n || is_who(c->who));
}

bool rt_ms_begins(struct str line)
{
	struct columns c;
	return split(line, &c);
}

static uint32_t task_of(struct entry_reader *r, struct str who)
{
	uint32_t task = 0;
	int64_t pid;
	if (str_rfind_char(who, '-') >= 0)
		entry_task(r, who, &task);
	else if (str_number(&who, &pid))
		task = names_task(r->names, who, (int32_t)pid);
	return task;
}

static enum entry_result read_values(struct entry_reader *r, struct str s, struct event *e,
				     struct payload *p)
{
	p->text = s;
	p->arguments = (struct str){ 0 };
	e->kind = EVENT_SPECIAL;
	r->why = "a bracket is not closed";
	bool open = str_find_char(s, '[') >= 0 && str_find_char(s, ']') < 0;
	return open || str_rfind_char(s, ')') < 0 ? ENTRY_OPEN : ENTRY_OK;
}

enum entry_result rt_ms_parse(struct entry_reader *r, struct str line, struct event *e,
			      struct payload *p)
{
	struct columns c;
	if (!split(line, &c))
		return ENTRY_NONE;
	*e = (struct event){ .time = c.stamp.time, .task = task_of(r, c.who) };
	p->preempt_word = c.word;
	p->preempt_count = c.preempt_count;
	if (c.word == PREEMPT_WORD_HEX)
		e->flags = word_flags(c.preempt_count, c.who.n > 0);

	r->format = "rt-ms";
	struct str rest = c.stamp.rest;
	enum entry_result got = rest.n && rest.p[0] == '(' ? read_values(r, rest, e, p)
							   : entry_payload(r, rest, e, p);
	e->kind |= EVENT_NO_CPU;
	return got;
}
