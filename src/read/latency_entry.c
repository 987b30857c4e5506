/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "read/latency_entry.h"

/* The parts of a line before its payload. */
struct prefix {
	struct str who;   /* comm-pid */
	struct str flags; /* CPU digits and flags */
	struct str rest;  /* from the payload on */
	int64_t time;     /* in the unit printed */
	size_t cpu_digits;
	bool no_unit;
	bool overflow; /* the time has more digits than fit */
};

/*
 * After the digits of the time: "us" (or, in v1.1.4 and mails, any bytes that a micro sign has
 * become), a mark, ':'. System calls of the -rt kernels have no ':'. A clock that does not count
 * ns has no unit: "    2: ".
 */
static bool prefix_unit(struct prefix *p, struct str s)
{
	size_t n = 0;
	while (n < s.n && (unsigned char)s.p[n] >= 0x80)
		n++;
	if (!n && s.n && (s.p[0] == 'u' || s.p[0] == '?'))
		n++;
	if (n && n < s.n && s.p[n] == 's')
		n++;
	p->no_unit = n == 0;
	s = str_from(s, n);

	if (s.n && s.p[0] && strchr("+!#*@$", s.p[0]))
		s = str_from(s, 1);
	s = str_trim_left(s);
	if (s.n && s.p[0] == ':')
		s = str_from(s, 1);
	else if (p->no_unit || !s.n || (s.p[0] != '<' && s.p[0] != '>'))
		return false;
	p->rest = str_trim_left(s);
	return true;
}

/* After comm-pid: blanks, CPU and flags in one word, blanks, the time. */
static bool prefix_tail(struct prefix *p, struct str s)
{
	s = str_trim_left(s);
	size_t cpu = str_digits(s);
	if (!cpu || cpu > 5)
		return false;
	size_t n = cpu;
	while (n < s.n && s.p[n] != ' ' && s.p[n] != '\t')
		n++;
	if (n - cpu < 4 || n - cpu > FLAG_COLUMNS)
		return false;
	p->flags = str_head(s, n);
	p->cpu_digits = cpu;

	s = str_trim_left(str_from(s, n));
	p->overflow = false;
	if (!str_number(&s, &p->time)) {
		s = str_from(s, s.n && s.p[0] == '-');
		p->overflow = str_digits(s) > 0;
		s = str_from(s, str_digits(s));
		if (!p->overflow)
			return false;
	}
	return prefix_unit(p, s);
}

/* comm-pid ends at the first '-' that is followed by digits and by all that must follow. */
static bool prefix_parse(struct prefix *p, struct str line)
{
	struct str s = str_trim_left(line);
	for (size_t i = 0; i + 1 < s.n && i < 64; i++) {
		if (s.p[i] != '-' || !is_digit(s.p[i + 1]))
			continue;
		size_t n = str_digits(str_from(s, i + 1));
		size_t end = i + 1 + n;
		if (n > 10 || end >= s.n || (s.p[end] != ' ' && s.p[end] != '\t'))
			continue;
		if (prefix_tail(p, str_from(s, end))) {
			p->who = str_head(s, end);
			return true;
		}
	}
	return false;
}

bool entry_begins(struct str line)
{
	struct prefix p;
	return prefix_parse(&p, line);
}

size_t entry_record_prefix(struct str s)
{
	int64_t n;
	struct str t = str_from(s, 2);
	if (!str_starts(s, "(T") || !str_number(&t, &n) || !str_starts(t, "/#"))
		return 0;
	t = str_from(t, 2);
	if (!str_number(&t, &n) || !str_starts(t, ")"))
		return 0;
	return (size_t)(t.p + 1 - s.p);
}

bool entry_task(struct entry_reader *r, struct str who, uint32_t *task)
{
	ptrdiff_t dash = str_rfind_char(who, '-');
	struct str comm = str_trim(str_head(who, (size_t)dash));
	struct str number = str_from(who, (size_t)dash + 1);
	int64_t pid;
	if (!str_number(&number, &pid) || pid > INT32_MAX)
		return false;
	*task = names_task(r->names, comm, (int32_t)pid);
	return true;
}

static bool set_who(struct entry_reader *r, struct str who)
{
	if (who.n == r->who_n && memcmp(who.p, r->who, who.n) == 0)
		return true;
	size_t record = entry_record_prefix(who);
	if (record)
		r->format = "rt-verbose";
	if (!entry_task(r, str_from(who, record), &r->task))
		return false;
	r->who_n = who.n <= sizeof(r->who) ? who.n : 0;
	memcpy(r->who, who.p, r->who_n);
	return true;
}

static bool set_flags(struct entry_reader *r, const struct prefix *p)
{
	struct str text = p->flags;
	if (text.n == r->flags_n && memcmp(text.p, r->flags_text, text.n) == 0)
		return true;
	struct str number = str_head(text, p->cpu_digits);
	int64_t cpu;
	if (!str_number(&number, &cpu) || cpu > UINT16_MAX)
		return false;
	if (!event_flags_parse(str_from(text, p->cpu_digits), &r->flags))
		return false;
	r->cpu = (uint16_t)cpu;
	r->flags_n = text.n <= sizeof(r->flags_text) ? text.n : 0;
	memcpy(r->flags_text, text.p, r->flags_n);
	return true;
}

enum entry_result entry_parse(struct entry_reader *r, struct str line, struct event *e,
			      struct payload *pl)
{
	struct prefix p;
	if (!prefix_parse(&p, line))
		return ENTRY_NONE;

	r->why = "no function, event or wake-up after the time";
	if (!set_who(r, p.who)) {
		r->why = "the pid does not fit";
		return ENTRY_DAMAGED;
	}
	if (!set_flags(r, &p)) {
		r->flags_n = 0;
		r->why = "unknown letters in the flag column";
		return ENTRY_DAMAGED;
	}
	*e = (struct event){ .task = r->task, .flags = r->flags, .cpu = r->cpu };
	if (p.no_unit && !p.overflow) {
		r->ticks = true;
		e->time = p.time;
	} else if (p.overflow || __builtin_mul_overflow(p.time, 1000, &e->time)) {
		r->why = "the time does not fit";
		return ENTRY_DAMAGED;
	}
	return entry_payload(r, p.rest, e, pl);
}
