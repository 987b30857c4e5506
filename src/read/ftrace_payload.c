/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "read/ftrace_payload.h"

#include "core/capture.h"
#include "read/tracer_row.h"

/*
 * trace-cmd report pads the name and its colon to this width; with -R every field has a blank in
 * front, also the first.
 */
#define PADDED_TO 22

/* -- Names ------------------------------------------------------------------------------------- */

static uint8_t kind_of_name(struct str name)
{
	static const struct {
		const char *name;
		enum name_kind kind;
	} kinds[] = {
		{ "function", NAME_FUNCTION },     { "funcgraph_entry", NAME_GRAPH },
		{ "funcgraph_exit", NAME_GRAPH },  { "kernel_stack", NAME_STACK },
		{ "user_stack", NAME_USER_STACK }, { "tracing_mark_write", NAME_MARKER },
		{ "print", NAME_MARKER },          { "bprint", NAME_MARKER },
		{ "bputs", NAME_MARKER },
	};
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (str_eq(name, kinds[i].name))
			return kinds[i].kind;
	}
	return point_of_name(name);
}

/* "func+0x6/0xa0" to "func"; "tracing_mark_write.<hash>", of kernels built with LTO, likewise. */
static struct str bare_name(struct str name)
{
	static const char marker[] = "tracing_mark_write.";
	if (str_starts(name, marker))
		return str_head(name, strlen(marker) - 1);
	return entry_bare_symbol(name);
}

/* "f(a=1," and "1408:120:S": a word, but not the name of a function or an event. */
static bool is_odd(struct str name)
{
	for (size_t i = 0; i < name.n; i++) {
		if (strchr(":(\t", name.p[i]))
			return true;
	}
	return !name.n || strchr("<#>", name.p[0]);
}

/* The kind is NAME_ODD and the id 0, if it is no name. */
static uint32_t name_id_anew(struct ftrace_payload *r, struct memo_slot *slot, struct str name,
			     uint8_t *kind)
{
	uint32_t id = 0;
	if (is_odd(name)) {
		*kind = NAME_ODD;
	} else {
		struct str bare = bare_name(name);
		*kind = kind_of_name(bare);
		id = names_id(r->entry.names, bare);
	}
	memo_keep(slot, name, id, *kind);
	return id;
}

static inline uint32_t name_id(struct ftrace_payload *r, struct str name, uint8_t *kind)
{
	struct memo_slot *slot = memo_find(&r->names, name);
	if (!slot || !slot->n)
		return name_id_anew(r, slot, name, kind);
	*kind = slot->kind;
	return slot->id;
}

/* -- Events ------------------------------------------------------------------------------------ */

/* "mutex_unlock <-- caller": plugin_function.c of libtraceevent, indented by nesting. */
static enum entry_result read_function(struct ftrace_payload *r, struct str s, struct event *e,
				       struct payload *p)
{
	uint8_t kind;
	s = str_trim(s);
	struct str what = str_word(&s), arrow = str_word(&s), caller = str_word(&s);
	p->function.repeats = 0;
	if (!what.n) {
		r->entry.why = "the function is missing";
		return ENTRY_DAMAGED;
	}
	e->kind = EVENT_FUNCTION;
	ptrdiff_t arguments = str_find_char(what, '(');
	e->what = name_id(r, arguments > 0 ? str_head(what, (size_t)arguments) : what, &kind);
	if (caller.n && (str_eq(arrow, "<--") || str_eq(arrow, "<-")))
		e->arg = name_id(r, caller, &kind);
	else if (str_starts(arrow, "<-"))
		e->arg = name_id(r, str_from(arrow, 2), &kind);
	return ENTRY_OK;
}

static enum entry_result read_graph(struct ftrace_payload *r, struct str s, struct event *e,
				    struct payload *p)
{
	switch (graph_call_parse(r->entry.names, s, e, p)) {
	case GRAPH_MARKER:
		return ENTRY_HIDDEN;
	case GRAPH_OK:
		graph_open_follow(&r->entry.graph, r->entry.names, e);
		return ENTRY_OK;
	default:
		r->entry.why = "no call where one should be";
		return ENTRY_DAMAGED;
	}
}

/* "<stack trace >", its frames on the lines that follow; the first may stand on this one. */
static enum entry_result read_stack(struct ftrace_payload *r, struct str s, bool user,
				    struct event *e, struct payload *p)
{
	e->kind = EVENT_STACK;
	e->what = 0;
	p->stack.n = p->stack.dropped = 0;
	p->stack.user = user;
	s = str_trim(s);
	if (str_starts(s, "=>"))
		p->stack.frames[p->stack.n++] =
			names_id(r->entry.names, entry_bare_symbol(str_from(s, 2)));
	return ENTRY_OK;
}

/* "name: text"; behind is what stands behind the colon. r->kind and e->what are set. */
static enum entry_result read_event(struct ftrace_payload *r, struct str name, struct str behind,
				    struct event *e, struct payload *p)
{
	size_t blanks = 0;
	while (blanks < behind.n && is_blank(behind.p[blanks]))
		blanks++;
	size_t width = name.n + 1 + blanks;
	bool padded = blanks > 1 && (width == PADDED_TO || width == PADDED_TO + 1);
	r->padded |= padded;
	e->kind = EVENT_NAMED;
	p->text = str_from(behind, blanks);

	if (r->kind == POINT_NONE || r->kind == NAME_MARKER) {
		r->failed = p->text.n && p->text.p[0] == '[' &&
			    str_starts(p->text, "[FAILED TO PARSE]");
		return ENTRY_OK;
	}
	if (r->kind < POINTS) {
		if (r->wanted & POINT_BIT(r->kind)) {
			r->incomplete = !point_text_parse(&r->points, (enum point)r->kind, name,
							  p->text, p);
			r->failed = r->incomplete && str_starts(p->text, "[FAILED TO PARSE]");
		}
		return ENTRY_OK;
	}
	if (r->kind == NAME_FUNCTION)
		return width >= PADDED_TO ? read_function(r, p->text, e, p) : ENTRY_OK;
	if (r->kind == NAME_GRAPH)
		return read_graph(r, behind, e, p);
	return read_stack(r, p->text, r->kind == NAME_USER_STACK, e, p);
}

/* "sched:sched_switch" to "sched_switch"; but "cycles:ppp" has modifiers behind its name. */
static struct str perf_name(struct str name)
{
	ptrdiff_t colon = str_rfind_char(name, ':');
	if (colon <= 0)
		return name;
	struct str last = str_from(name, (size_t)colon + 1);
	for (size_t i = 0; i < last.n; i++) {
		if (!strchr("ukhGHIpPSDWeb", last.p[i]))
			return last;
	}
	return str_head(name, (size_t)colon);
}

/* "250000 cpu-clock:  ffffffff815bc8b8 ..." of perf script: the period, and the event. */
static enum entry_result read_perf(struct ftrace_payload *r, struct str s, struct event *e,
				   struct payload *p)
{
	struct str t = s, word = str_word(&t);
	bool period = word.n > 0;
	for (size_t i = 0; i < word.n; i++)
		period &= is_digit(word.p[i]);
	if (period)
		word = str_word(&t);
	if (word.n < 2 || word.p[word.n - 1] != ':')
		return ENTRY_NONE;
	word = perf_name(str_head(word, word.n - 1));
	e->what = word.n ? name_id(r, word, &r->kind) : 0;
	return r->kind == NAME_ODD ? ENTRY_NONE : read_event(r, word, t, e, p);
}

/* "prev_comm=bash prev_pid=12 ...": the fields of an event alone, which are no function. */
static bool lacks_name(struct str s)
{
	struct str word = str_word(&s);
	ptrdiff_t equals = str_find_char(word, '=');
	for (ptrdiff_t i = 0; i < equals; i++) {
		if (word.p[i] != '_' && (word.p[i] < 'a' || word.p[i] > 'z'))
			return false;
	}
	return equals > 0;
}

/* -- System calls ------------------------------------------------------------------------------ */

/*
 * The kernel prints the events syscalls:sys_enter_read and sys_exit_read without their names
 * (print_syscall_enter in kernel/trace/trace_syscalls.c): "sys_read(fd: 3, ...)" and
 * "sys_read -> 0x8".
 */
static void read_syscall(struct ftrace_payload *r, struct str s, struct event *e, struct payload *p)
{
	struct str name = names_str(r->entry.names, e->what);
	int64_t hex = UNKNOWN;
	bool enter = p->arguments.n || str_starts(str_from(s, name.n), "()");
	struct str value = str_from(s, name.n);
	if (!enter) {
		if (!str_starts(value, " -> 0x") || value.n > 6 + 16)
			return;
		hex = 0;
		for (size_t i = 6; i < value.n; i++) {
			char c = value.p[i];
			if (!is_digit(c) && (c < 'a' || c > 'f'))
				return;
			hex = (int64_t)((uint64_t)hex << 4 |
					(uint64_t)(is_digit(c) ? c - '0' : c - 'a' + 10));
		}
	}
	e->kind = EVENT_NAMED;
	p->text = str_trim(value);
	p->arguments = (struct str){ 0 };
	enum point point = enter ? POINT_SYS_ENTER : POINT_SYS_EXIT;
	if (!(r->wanted & POINT_BIT(point)))
		return;
	p->point = point;
	p->args.a = p->args.c = UNKNOWN;
	p->args.b = hex;
	p->args.name = names_id(r->entry.names, str_from(name, strlen("sys_")));
}

/* -- All of it --------------------------------------------------------------------------------- */

static enum entry_result read_row(struct ftrace_payload *r, struct str s, struct event *e,
				  struct payload *p)
{
	enum row_result got = tracer_row_parse(r->entry.names, s, e, p);
	if (got == ROW_NONE)
		return ENTRY_NONE;
	r->kind = NAME_ROW;
	r->entry.why = "the row's values are missing";
	e->kind = EVENT_NAMED;
	return got == ROW_OPEN ? ENTRY_OPEN : ENTRY_OK;
}

static enum entry_result read_rare(struct ftrace_payload *r, struct str s, struct event *e,
				   struct payload *p)
{
	r->kind = POINT_NONE;
	enum entry_result row =
		s.n && (s.p[0] == '#' || is_digit(s.p[0])) ? read_row(r, s, e, p) : ENTRY_NONE;
	if (row != ENTRY_NONE)
		return row;
	if (s.n && s.p[0] == '#') { /* "# 1a buf: 00 01": written to trace_marker_raw */
		e->kind = EVENT_NAMED;
		e->what = names_id(r->entry.names, str_of("#"));
		p->text = str_trim_left(str_from(s, 1));
		return ENTRY_OK;
	}
	if (str_starts(s, "UNKNOWN TYPE ") || str_starts(s, "Unknown type ")) {
		e->kind = EVENT_NAMED; /* an entry that the kernel had no way to print */
		e->what = names_id(r->entry.names, str_head(s, strlen("UNKNOWN")));
		p->text = str_from(s, strlen("UNKNOWN "));
		return ENTRY_OK;
	}
	e->what = e->arg = 0;
	enum entry_result got = entry_payload(&r->entry, s, e, p);
	if (event_kind(e) == EVENT_FUNCTION && !e->arg && str_starts(s, "sys_") &&
	    (got == ENTRY_BARE || got == ENTRY_OK)) {
		read_syscall(r, s, e, p);
		return event_kind(e) == EVENT_NAMED ? ENTRY_OK : got;
	}
	if (event_kind(e) == EVENT_NAMED) /* ": text" of code without a symbol, "a:b: text" */
		p->text = str_trim_left(str_from(s, (size_t)str_find_char(s, ':') + 1));
	return got;
}

/* "<-caller" and nothing behind it. */
static inline bool read_caller(struct ftrace_payload *r, struct str s, struct event *e)
{
	uint8_t kind;
	if (s.n < 3 || s.p[0] != '<' || s.p[1] != '-')
		return false;
	struct str caller = str_from(s, 2);
	if (memchr(caller.p, ' ', caller.n))
		return false;
	e->arg = name_id(r, caller, &kind);
	return kind != NAME_ODD;
}

enum entry_result ftrace_payload_parse(struct ftrace_payload *r, struct str s, struct event *e,
				       struct payload *p)
{
	while (s.n && (is_blank(s.p[s.n - 1]) || s.p[s.n - 1] == '\r'))
		s.n--;
	r->kind = POINT_NONE;
	r->incomplete = r->failed = false;
	p->text = s;
	p->point = POINT_NONE;
	p->arguments = (struct str){ 0 };
	if (r->perf) {
		enum entry_result got = read_perf(r, s, e, p);
		if (got != ENTRY_NONE)
			return got;
		if (lacks_name(s)) {
			r->entry.why = "the event's name is missing: perf script prints it with "
				       "-F +event";
			return ENTRY_DAMAGED;
		}
	}
	const char *blank = s.n ? memchr(s.p, ' ', s.n) : NULL;
	size_t n = blank ? (size_t)(blank - s.p) : s.n;
	if (n < 2)
		return read_rare(r, s, e, p);
	bool event = s.p[n - 1] == ':';
	struct str name = { s.p, n - event };
	e->what = name_id(r, name, &r->kind);
	if (r->kind == NAME_ODD)
		return read_rare(r, s, e, p);
	if (event)
		return read_event(r, name, str_from(s, n), e, p);
	if (n == s.n || !read_caller(r, str_from(s, n + 1), e))
		return read_rare(r, s, e, p);
	e->kind = EVENT_FUNCTION;
	r->kind = POINT_NONE;
	p->function.repeats = 0;
	return ENTRY_OK;
}
