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
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static struct str skip_blanks(struct str s)
{
	while (s.n && (s.p[0] == ' ' || s.p[0] == '\t'))
		s = str_from(s, 1);
	return s;
}

static size_t digits(struct str s)
{
	size_t n = 0;
	while (n < s.n && is_digit(s.p[n]))
		n++;
	return n;
}

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
	if (!n && s.n && s.p[0] == 'u')
		n++;
	if (n && n < s.n && s.p[n] == 's')
		n++;
	p->no_unit = n == 0;
	s = str_from(s, n);

	if (s.n && s.p[0] && strchr("+!#*@$", s.p[0]))
		s = str_from(s, 1);
	s = skip_blanks(s);
	if (s.n && s.p[0] == ':')
		s = str_from(s, 1);
	else if (p->no_unit || !s.n || (s.p[0] != '<' && s.p[0] != '>'))
		return false;
	p->rest = skip_blanks(s);
	return true;
}

/* After comm-pid: blanks, CPU and flags in one word, blanks, the time. */
static bool prefix_tail(struct prefix *p, struct str s)
{
	s = skip_blanks(s);
	size_t cpu = digits(s);
	if (!cpu || cpu > 5)
		return false;
	size_t n = cpu;
	while (n < s.n && s.p[n] != ' ' && s.p[n] != '\t')
		n++;
	if (n - cpu < 4 || n - cpu > FLAG_COLUMNS)
		return false;
	p->flags = str_head(s, n);
	p->cpu_digits = cpu;

	s = skip_blanks(str_from(s, n));
	return str_number(&s, &p->time) && prefix_unit(p, s);
}

/* comm-pid ends at the first '-' that is followed by digits and by all that must follow. */
static bool prefix_parse(struct prefix *p, struct str line)
{
	struct str s = skip_blanks(line);
	for (size_t i = 0; i + 1 < s.n && i < 64; i++) {
		if (s.p[i] != '-' || !is_digit(s.p[i + 1]))
			continue;
		size_t n = digits(str_from(s, i + 1));
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

struct str entry_bare_symbol(struct str s)
{
	s = str_trim(s);
	for (size_t i = 1; i < s.n; i++) {
		if (s.p[i] == ' ' || s.p[i] == '\t' ||
		    (s.p[i] == '+' && i + 2 < s.n && s.p[i + 1] == '0' && s.p[i + 2] == 'x'))
			return str_head(s, i);
	}
	return s;
}

/* The name at the start of a payload: up to a blank, '(' or ':'. "<...>" counts as a whole. */
static struct str symbol_cut(struct str *s)
{
	size_t n = 0;
	while (n < s->n && s->p[n] != ' ' && s->p[n] != '\t' && s->p[n] != '(' && s->p[n] != ':')
		n++;
	struct str name = str_head(*s, n);
	*s = str_from(*s, n);
	return name;
}

static struct str without_offset(struct str name)
{
	for (size_t i = 1; i + 2 < name.n; i++) {
		if (name.p[i] == '+' && name.p[i + 1] == '0' && name.p[i + 2] == 'x')
			return str_head(name, i);
	}
	return name;
}

/* "<c012cbe6>" behind a symbol (verbose forms, sym-addr). */
static struct str skip_address(struct str s)
{
	s = skip_blanks(s);
	if (s.n < 3 || s.p[0] != '<')
		return s;
	size_t i = 1;
	while (i < s.n && ((s.p[i] >= '0' && s.p[i] <= '9') || (s.p[i] >= 'a' && s.p[i] <= 'f')))
		i++;
	return i > 4 && i < s.n && s.p[i] == '>' ? skip_blanks(str_from(s, i + 1)) : s;
}

/* v1.1.4 prints command-line records as two "addresses" that are the comm's letters. */
static bool is_letters(struct str s)
{
	if (s.n != 10 || s.p[0] != '<' || s.p[9] != '>')
		return false;
	for (size_t i = 1; i < 9; i += 2) {
		char hi = s.p[i], lo = s.p[i + 1];
		bool zero = hi == '0' && lo == '0';
		bool print = hi >= '2' && hi <= '7' && !(hi == '7' && lo == 'f');
		if (!zero && !print)
			return false;
	}
	return true;
}

static enum entry_result set_caller(struct entry_reader *r, struct event *e, struct str caller)
{
	caller = without_offset(caller);
	if (!caller.n) {
		r->why = "the caller is missing";
		return ENTRY_OPEN;
	}
	e->arg = names_id(r->names, caller);
	return ENTRY_OK;
}

/* "(caller)", "(caller+0x1/0x2 <addr>)", "(v1 v2 v3)", "(8137a917860" broken by a mail. */
static enum entry_result parse_parenthesis(struct entry_reader *r, struct str s, struct str name,
					   struct event *e)
{
	ptrdiff_t close = str_rfind_char(s, ')');
	if (close < 0) {
		r->why = "a parenthesis is not closed";
		return ENTRY_OPEN;
	}
	struct str in = str_trim(str_head(str_from(s, 1), (size_t)close - 1));
	struct str caller = symbol_cut(&in);
	in = skip_address(in);
	if (in.n || !caller.n || (is_digit(caller.p[0]) && caller.n < 6)) {
		e->kind = EVENT_SPECIAL;
		return ENTRY_OK;
	}
	if (is_letters(name) && is_letters(caller))
		return ENTRY_HIDDEN;
	r->rt_style = true;
	return set_caller(r, e, caller);
}

/* "<-caller", and what retyping makes of it: "< -caller". */
static bool skip_arrow(struct str *s)
{
	if (!s->n || s->p[0] != '<')
		return false;
	struct str t = skip_blanks(str_from(*s, 1));
	if (!t.n || t.p[0] != '-')
		return false;
	*s = skip_blanks(str_from(t, 1));
	return true;
}

/* "func(a=0x1, b=2) <-caller" since 6.15: the arguments may hold blanks and parentheses. */
static struct str skip_arguments(struct str s)
{
	size_t level = 0;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '(')
			level++;
		else if (s.p[i] == ')' && --level == 0)
			return skip_blanks(str_from(s, i + 1));
	}
	return str_from(s, s.n);
}

static enum entry_result parse_function(struct entry_reader *r, struct str s, struct event *e)
{
	struct str name = symbol_cut(&s);
	if (!name.n)
		return ENTRY_DAMAGED;
	e->kind = EVENT_FUNCTION;
	e->what = names_id(r->names, without_offset(name));

	if (s.n && s.p[0] == ':') {
		e->kind = EVENT_NAMED;
		return ENTRY_OK;
	}
	if (s.n && s.p[0] == '(')
		s = skip_arguments(s);
	s = skip_address(s);
	if (!s.n)
		return ENTRY_BARE;
	if (skip_arrow(&s))
		return set_caller(r, e, symbol_cut(&s));
	if (s.p[0] == '(')
		return parse_parenthesis(r, s, name, e);
	if (s.p[0] == '<') { /* "<comm-pid> (prio state)" */
		e->kind = EVENT_SPECIAL;
		r->why = "a parenthesis is not closed";
		if (str_find_char(s, '(') < 0)
			return ENTRY_BARE;
		return str_find_char(s, ')') < 0 ? ENTRY_OPEN : ENTRY_OK;
	}
	return ENTRY_OK; /* somebody's remark behind the name */
}

/* "  71: 19:R": pid, priority, state. */
static bool parse_side(struct str *s, struct sched_side *side)
{
	int64_t pid, prio;
	struct str t = skip_blanks(*s);
	if (!str_number(&t, &pid) || !t.n || t.p[0] != ':')
		return false;
	t = skip_blanks(str_from(t, 1));
	if (!str_number(&t, &prio) || t.n < 2 || t.p[0] != ':')
		return false;
	*side = (struct sched_side){ (int32_t)pid, (int32_t)prio, t.p[1] };
	t = str_from(t, 2);
	while (t.n && t.p[0] != ' ' && t.p[0] != '\t') /* "R+" */
		t = str_from(t, 1);
	*s = t;
	return true;
}

/* "0:120:R   + [001]      71: 19:R work": 2.6.26 has neither the CPU nor the comm. */
static enum entry_result parse_wakeup(struct entry_reader *r, struct str s, struct event *e,
				      struct payload *p)
{
	p->sched.next_cpu = -1;
	p->sched.next_task = 0;
	if (!parse_side(&s, &p->sched.prev))
		return ENTRY_NONE;
	s = skip_blanks(s);
	if (s.n && s.p[0] == '+') {
		e->kind = EVENT_WAKEUP;
		s = str_from(s, 1);
	} else if (str_starts(s, "==>")) {
		e->kind = EVENT_SWITCH;
		s = str_from(s, 3);
	} else {
		return s.n ? ENTRY_NONE : ENTRY_OPEN;
	}
	e->what = names_id(r->names, str_of(e->kind == EVENT_WAKEUP ? "+" : "==>"));

	s = skip_blanks(s);
	int64_t cpu;
	if (s.n && s.p[0] == '[') {
		struct str t = str_from(s, 1);
		if (str_number(&t, &cpu) && t.n && t.p[0] == ']') {
			p->sched.next_cpu = (int32_t)cpu;
			s = str_from(t, 1);
		}
	}
	if (!parse_side(&s, &p->sched.next)) {
		r->why = "the task that is woken or switched to is missing";
		return ENTRY_OPEN;
	}
	struct str comm = str_trim(s);
	if (comm.n)
		p->sched.next_task = names_task(r->names, comm, p->sched.next.pid);
	return ENTRY_OK;
}

static enum entry_result parse_payload(struct entry_reader *r, struct str s, struct event *e,
				       struct payload *p)
{
	p->text = str_trim(s);
	if (!s.n)
		return ENTRY_OPEN;
	if (is_digit(s.p[0]) || s.p[0] == '-') {
		enum entry_result got = parse_wakeup(r, s, e, p);
		if (got != ENTRY_NONE)
			return got;
	}
	if (s.p[0] == '<') {
		struct str t = skip_blanks(str_from(s, 1));
		if (str_starts(t, "stack trace") || str_starts(t, "user stack trace")) {
			e->kind = EVENT_STACK;
			p->stack.n = p->stack.dropped = 0;
			p->stack.user = t.p[0] == 'u';
			return ENTRY_OK;
		}
		if (t.n && (t.p[0] == '(' || is_digit(t.p[0]))) {
			e->kind = EVENT_SYSRET;
			e->what = names_id(r->names, str_of("<"));
			return ENTRY_OK;
		}
	}
	if (s.p[0] == '>') {
		struct str t = skip_blanks(str_from(s, 1));
		e->kind = EVENT_SYSCALL;
		e->what = names_id(r->names, symbol_cut(&t));
		return ENTRY_OK;
	}
	return parse_function(r, s, e);
}

static bool set_who(struct entry_reader *r, struct str who)
{
	if (who.n == r->who_n && memcmp(who.p, r->who, who.n) == 0)
		return true;
	ptrdiff_t dash = str_rfind_char(who, '-');
	struct str comm = str_trim(str_head(who, (size_t)dash));
	struct str number = str_from(who, (size_t)dash + 1);
	int64_t pid;
	if (!str_number(&number, &pid) || pid > INT32_MAX)
		return false;
	r->task = names_task(r->names, comm, (int32_t)pid);
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
	if (p.no_unit) {
		r->ticks = true;
		e->time = p.time;
	} else if (__builtin_mul_overflow(p.time, 1000, &e->time)) {
		r->why = "the time does not fit";
		return ENTRY_DAMAGED;
	}
	return parse_payload(r, p.rest, e, pl);
}
