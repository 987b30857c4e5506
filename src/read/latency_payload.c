/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a line of a latency trace says behind its time: a function and its caller, values of an
 * -rt kernel, a tracepoint, a wake-up, a system call, a stack.
 */
#include "read/latency_entry.h"

#include "read/tracer_row.h"

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

/* "[kvm]" and "<c012cbe6>" behind a symbol (sym-offset, sym-addr, verbose forms). */
static struct str skip_address(struct str s)
{
	s = str_trim_left(s);
	ptrdiff_t module = s.n && s.p[0] == '[' ? str_find_char(s, ']') : -1;
	if (module > 0)
		s = str_trim_left(str_from(s, (size_t)module + 1));
	if (s.n < 3 || s.p[0] != '<')
		return s;
	size_t i = 1;
	while (i < s.n && (is_digit(s.p[i]) || (s.p[i] >= 'a' && s.p[i] <= 'f')))
		i++;
	return i > 4 && i < s.n && s.p[i] == '>' ? str_trim_left(str_from(s, i + 1)) : s;
}

/* "<=== hmmm", "<---- held too long": what somebody wrote behind the line. */
static bool is_remark(struct str s)
{
	return str_starts(s, "<==") || str_starts(s, "<--");
}

static struct str without_remark(struct str s)
{
	for (size_t i = 0; i + 3 < s.n; i++) {
		if (is_blank(s.p[i]) && is_remark(str_from(s, i + 1)))
			return str_trim(str_head(s, i));
	}
	return s;
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

/* Values belong to the function: the text ends with them, not with what was written behind. */
static enum entry_result set_values(struct event *e, struct payload *p, struct str values)
{
	e->kind = EVENT_SPECIAL;
	p->text.n = (size_t)(values.p + values.n - p->text.p);
	return ENTRY_OK;
}

/* "(caller)", "(caller+0x1/0x2 <addr>)", "(v1 v2 v3)", "(8137a917860" broken by a mail. */
static enum entry_result parse_parenthesis(struct entry_reader *r, struct str s, struct str name,
					   struct event *e, struct payload *p)
{
	size_t close = str_closing(s);
	if (close == s.n) {
		r->why = "a parenthesis is not closed";
		return ENTRY_OPEN;
	}
	struct str in = str_trim(str_head(str_from(s, 1), close - 1));
	struct str caller = symbol_cut(&in);
	in = skip_address(in);
	if (in.n || !caller.n || (is_digit(caller.p[0]) && caller.n < 6))
		return set_values(e, p, str_head(s, close + 1));
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
	struct str t = str_trim_left(str_from(*s, 1));
	if (!t.n || t.p[0] != '-' || is_remark(*s))
		return false;
	*s = str_trim_left(str_from(t, 1));
	return true;
}

/*
 * "func(a=0x1, b=2) <-caller" since 6.15: the arguments may hold blanks and parentheses. The
 * special-sym records of -rt kernels have "func()<-a()<-b()".
 */
static bool cut_arguments(struct str *s, struct payload *p)
{
	size_t close = str_closing(*s);
	if (close == s->n)
		return false;
	p->arguments = str_head(str_from(*s, 1), close - 1);
	*s = str_trim_left(str_from(*s, close + 1));
	return true;
}

/*
 * "(repeats: 127, last_ts: 2022.303828)" of the option func-no-repeats since 5.13
 * (trace_func_repeats_print in kernel/trace/trace_output.c), in an early patch and some tools
 * "(last ts: 2022.303828 repeats: 127)".
 */
static void parse_repeats(struct str s, struct payload *p)
{
	int64_t count, sec, us;
	ptrdiff_t repeats = str_find(s, "repeats:"), last = str_find(s, "last_ts:");
	if (last < 0)
		last = str_find(s, "last ts:");
	if (repeats < 0 || last < 0)
		return;
	struct str n = str_trim_left(str_from(s, (size_t)repeats + strlen("repeats:")));
	struct str ts = str_trim_left(str_from(s, (size_t)last + strlen("last_ts:")));
	if (!str_number(&n, &count) || count < 0 || !str_number(&ts, &sec) || sec < 0 ||
	    sec > INT64_MAX / 1000000000 - 1)
		return;
	struct str fraction = str_head(str_from(ts, 1), 6);
	if (ts.n < 7 || ts.p[0] != '.' || !str_number(&fraction, &us) || fraction.n || us < 0)
		return;
	p->function.repeats = count;
	p->function.last_ts = sec * 1000000000 + us * 1000;
}

/* "a <= b <= c": how 2.6.27 and 2.6.28 print a stack (TRACE_STACK in kernel/trace/trace.c). */
static enum entry_result parse_stack_line(struct entry_reader *r, struct str s, struct event *e,
					  struct payload *p)
{
	e->kind = EVENT_STACK;
	p->stack.n = p->stack.dropped = 0;
	p->stack.user = false;
	p->stack.frames[p->stack.n++] = e->what;
	e->what = 0;
	while (str_starts(s, "<=")) {
		s = str_trim_left(str_from(s, 2));
		struct str frame = without_offset(symbol_cut(&s));
		s = skip_address(s);
		if (!frame.n || str_eq(frame, "0"))
			continue;
		if (p->stack.n < STACK_MAX)
			p->stack.frames[p->stack.n++] = names_id(r->names, frame);
		else
			p->stack.dropped++;
	}
	return ENTRY_OK;
}

/* Behind a function's name, where it is neither a caller nor in parentheses. */
static enum entry_result parse_behind(struct entry_reader *r, struct str s, struct event *e,
				      struct payload *p)
{
	if (s.p[0] != '<' || is_remark(s))
		return ENTRY_OK; /* somebody's remark */
	if (str_starts(s, "<= "))
		return parse_stack_line(r, s, e, p);
	/* "<comm-pid> (prio state)" */
	s = without_remark(s);
	e->kind = EVENT_SPECIAL;
	r->why = "a parenthesis is not closed";
	ptrdiff_t close = str_rfind_char(s, ')');
	if (close > 0)
		return set_values(e, p, str_head(s, (size_t)close + 1));
	return str_find_char(s, '(') < 0 ? ENTRY_BARE : ENTRY_OPEN;
}

static enum entry_result parse_function(struct entry_reader *r, struct str s, struct event *e,
					struct payload *p)
{
	struct str name = symbol_cut(&s);
	if (!name.n && (!s.n || s.p[0] != ':')) /* ": text": printed from code without a symbol */
		return ENTRY_DAMAGED;
	e->kind = EVENT_FUNCTION;
	e->what = names_id(r->names, without_offset(name));

	if (s.n && s.p[0] == ':') {
		e->kind = EVENT_NAMED;
		return ENTRY_OK;
	}
	p->function.repeats = 0;
	if (s.n && s.p[0] == '(' && !cut_arguments(&s, p)) {
		r->why = "a parenthesis is not closed";
		return ENTRY_OPEN;
	}
	s = skip_address(s);
	if (!s.n)
		return ENTRY_BARE;
	if (skip_arrow(&s)) {
		struct str caller = symbol_cut(&s);
		if (s.n)
			parse_repeats(s, p);
		return set_caller(r, e, caller);
	}
	if (s.p[0] == '(')
		return parse_parenthesis(r, s, name, e, p);
	return parse_behind(r, s, e, p);
}

/* "  71: 19:R": pid, priority, state. */
static bool parse_side(struct str *s, struct sched_side *side)
{
	int64_t pid, prio;
	struct str t = str_trim_left(*s);
	if (!str_number(&t, &pid) || !t.n || t.p[0] != ':')
		return false;
	t = str_trim_left(str_from(t, 1));
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
	s = str_trim_left(s);
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

	s = str_trim_left(s);
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
	struct str comm = without_remark(str_trim(s));
	if (comm.n)
		p->sched.next_task = names_task(r->names, comm, p->sched.next.pid);
	return ENTRY_OK;
}

/* "> sys_read (00000003 bffff3a0)", "> <badsys(300)> (...)" */
static enum entry_result parse_syscall(struct entry_reader *r, struct str s, struct event *e)
{
	ptrdiff_t end = str_starts(s, "<badsys(") ? str_find_char(s, '>') : -1;
	struct str name = end < 0 ? symbol_cut(&s) : str_head(s, (size_t)end + 1);
	e->kind = EVENT_SYSCALL;
	e->what = names_id(r->names, name);
	return ENTRY_OK;
}

/* Of timerlat, osnoise or hwlat with the option latency-format. */
static enum entry_result parse_row(struct entry_reader *r, struct str s, struct event *e,
				   struct payload *p)
{
	enum row_result got = tracer_row_parse(r->names, str_trim(s), e, p);
	if (got == ROW_NONE)
		return ENTRY_NONE;
	r->why = "the row's values are missing";
	e->kind = EVENT_NAMED;
	return got == ROW_OPEN ? ENTRY_OPEN : ENTRY_OK;
}

enum entry_result entry_payload(struct entry_reader *r, struct str s, struct event *e,
				struct payload *p)
{
	p->text = str_trim(s);
	p->arguments = (struct str){ 0 };
	p->point = POINT_NONE;
	if (!s.n)
		return ENTRY_OPEN;
	if (r->rows) {
		enum entry_result got = parse_row(r, s, e, p);
		if (got != ENTRY_NONE)
			return got;
	}
	if (is_digit(s.p[0]) || s.p[0] == '-') {
		enum entry_result got = parse_wakeup(r, s, e, p);
		if (got != ENTRY_NONE)
			return got;
	}
	if (s.p[0] == '<') {
		struct str t = str_trim_left(str_from(s, 1));
		if (str_starts(t, "stack trace") || str_starts(t, "user stack trace")) {
			e->kind = EVENT_STACK;
			p->stack.n = p->stack.dropped = 0;
			p->stack.user = t.p[0] == 'u';
			return ENTRY_OK;
		}
		if (t.n && (t.p[0] == '(' || (is_digit(t.p[0]) && str_find_char(t, '>') < 0))) {
			e->kind = EVENT_SYSRET;
			e->what = names_id(r->names, str_of("<"));
			return ENTRY_OK;
		}
	}
	if (s.p[0] == '>')
		return parse_syscall(r, str_trim_left(str_from(s, 1)), e);
	return parse_function(r, s, e, p);
}
