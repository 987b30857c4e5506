/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Verbose lines. With /proc/sys/kernel/trace_verbose an -rt kernel prints (print_trace_record in
 * its kernel/latency_trace.c, per formats.md 2.2)
 *
 *	(T1/#0)  comm  pid cpu flags preempt index [stamp] 0.000ms (+0.000ms): func (caller)
 *
 * where T is the type of the record. Functions alone take the long form in v1.1.4; records of
 * other types have the prefix before an ordinary line, which entry_parse reads. A change of the
 * comm is "(T4/#67) [ => comm ] 0.191ms (+0.000ms)". Mainline's option verbose prints the same
 * columns without the prefix (lat_print_timestamp in kernel/trace/trace_output.c).
 */
#include "read/latency_shapes.h"
#include "read/ms_columns.h"

/* The mask of flags, and the state (event_flag_char) that each bit stands for. */
struct flag_bit {
	unsigned mask;
	enum flag_column column;
	unsigned state;
};

/* Later lines win: hard off is D, both of hardirq and softirq are H. */
static const struct flag_bit rt_bits[] = {
	{ 1, FLAG_IRQS, 1 },     { 32, FLAG_IRQS, 2 },
	{ 4, FLAG_RESCHED, 2 },  { 2, FLAG_RESCHED, 1 },
	{ 16, FLAG_CONTEXT, 2 }, { 8, FLAG_CONTEXT, 1 },
	{ 24, FLAG_CONTEXT, 3 }, { 0 },
};

/* enum trace_flag_type, include/linux/trace_events.h. 2 has meant two things: left out. */
static const struct flag_bit mainline_bits[] = {
	{ 1, FLAG_IRQS, 1 },     { 128, FLAG_IRQS, 4 },   { 129, FLAG_IRQS, 2 },
	{ 4, FLAG_RESCHED, 2 },  { 32, FLAG_RESCHED, 3 }, { 36, FLAG_RESCHED, 1 },
	{ 16, FLAG_CONTEXT, 2 }, { 8, FLAG_CONTEXT, 1 },  { 24, FLAG_CONTEXT, 3 },
	{ 64, FLAG_CONTEXT, 5 }, { 72, FLAG_CONTEXT, 4 }, { 0 },
};

static uint32_t flags_of(uint64_t mask, uint64_t preempt, bool rt)
{
	uint32_t flags = 4u << 28;
	for (const struct flag_bit *b = rt ? rt_bits : mainline_bits; b->mask; b++) {
		if ((mask & b->mask) != b->mask)
			continue;
		flags &= ~(15u << (4 * b->column));
		flags |= b->state << (4 * b->column);
	}
	/* The depth is a byte; since about 5.13 migrate-disable is its upper half. */
	uint64_t depth = rt ? preempt & 0xff : preempt & 0xf;
	return flags | (uint32_t)(depth < 15 ? depth : 15) << (4 * FLAG_DEPTH);
}

/* Cuts the last word, a decimal number up to max, off *s. */
static bool last_number(struct str *s, int64_t max, int64_t *value)
{
	struct str word = ms_last_word(s);
	return word.n && word.p[0] != '+' && str_number(&word, value) && !word.n && *value >= 0 &&
	       *value <= max;
}

/* "[0000163455166655]": the raw stamp; it says nothing that the time does not. */
static bool cut_stamp(struct str *s)
{
	uint64_t stamp;
	ptrdiff_t open = str_rfind_char(*s, '[');
	if (open < 0 || s->p[s->n - 1] != ']')
		return false;
	struct str hex = str_from(*s, (size_t)open + 1);
	if (!ms_hex(str_head(hex, hex.n - 1), &stamp))
		return false;
	*s = str_head(*s, (size_t)open);
	return true;
}

struct columns {
	bool rt;         /* "(T1/#0)" stands before them */
	bool new_comm;   /* "[ => comm ]": no entry */
	struct str comm; /* slice of the line */
	int64_t pid, cpu, mask;
	uint64_t preempt, index;
	struct ms_stamp stamp;
};

static bool split(struct str line, struct columns *c)
{
	struct str s = str_trim(line);
	size_t prefix = entry_record_prefix(s);
	c->rt = prefix != 0;
	s = str_trim(str_from(s, prefix));
	c->new_comm = c->rt && str_starts(s, "[ =>");
	if (c->new_comm)
		return true;
	if (!ms_stamp_find(s, &c->stamp))
		return false;
	s = c->stamp.before;
	if (!cut_stamp(&s) || !ms_hex(ms_last_word(&s), &c->index) ||
	    !ms_hex(ms_last_word(&s), &c->preempt) || !last_number(&s, UINT32_MAX, &c->mask) ||
	    !last_number(&s, UINT16_MAX, &c->cpu) || !last_number(&s, INT32_MAX, &c->pid))
		return false;
	c->comm = s;
	return true;
}

bool verbose_begins(struct str line)
{
	struct columns c;
	return split(line, &c);
}

enum entry_result verbose_parse(struct entry_reader *r, struct str line, struct event *e,
				struct payload *p)
{
	struct columns c;
	if (!split(line, &c))
		return ENTRY_NONE;
	if (c.rt)
		r->format = "rt-verbose";
	if (c.new_comm)
		return ENTRY_HIDDEN;
	*e = (struct event){
		.time = c.stamp.time,
		.cpu = (uint16_t)c.cpu,
		.task = names_task(r->names, c.comm, (int32_t)c.pid),
		.flags = flags_of((uint64_t)c.mask, c.preempt, c.rt),
	};
	r->ticks |= c.stamp.ticks;
	return entry_payload(r, c.stamp.rest, e, p);
}
