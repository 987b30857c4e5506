/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "read/latency_header.h"

#include "read/latency_entry.h"

static struct str strip_hash(struct str text)
{
	text = str_trim(text);
	if (text.n && text.p[0] == '#')
		text = str_trim(str_from(text, 1));
	return text;
}

/* "| task: ..." has a box around it, or had one. */
static struct str strip_box(struct str text)
{
	return str_starts(text, "|") ? str_trim(str_from(text, 1)) : text;
}

/* "irqsoff latency trace v1.1.5": the version sets the title apart from prose. */
static ptrdiff_t find_title(struct str text)
{
	ptrdiff_t at = str_find(text, " latency trace v");
	if (at <= 0)
		return -1;
	struct str tracer = str_head(text, (size_t)at);
	struct str version = str_from(text, (size_t)at + strlen(" latency trace v"));
	if (str_find_char(tracer, ' ') >= 0 || !version.n || version.p[0] < '0' ||
	    version.p[0] > '9')
		return -1;
	return at;
}

/* The legend of the columns and the rules are made of these characters, or name the columns. */
static bool is_drawing(struct str t)
{
	static const char *const names[] = { "cmd ", "vim:ft=help", "#P:", "SP:0 ", "HP:" };
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (str_starts(t, names[i]))
			return true;
	}
	if (!t.n || strchr("/|\\", t.p[0]) || str_starts(t, "_--"))
		return true;
	if (str_starts(t, "====") && t.p[t.n - 1] == '>') /* before the lines, in 2004 */
		return true;
	for (size_t i = 0; i < t.n; i++) {
		if (t.p[i] != '-')
			return false;
	}
	return t.n > 3;
}

/* "process: default.hotplug/1470, uid: 0" and "nice: -10, policy: 0, rt_priority: 0" of v1.0. */
static bool is_process(struct str t)
{
	return (str_starts(t, "process:") && str_find(t, ", uid:") > 0) ||
	       (str_starts(t, "nice:") && str_find(t, ", policy:") > 0);
}

/* "latency: 259 us, ...", whatever a mail made of the unit; but other tools print "5 ms". */
static bool is_latency(struct str t)
{
	int64_t n;
	struct str unit = str_trim_left(str_from(t, strlen("latency:")));
	if (str_number(&unit, &n)) {
		unit = str_trim_left(unit);
		bool letter = unit.n && unit.p[0] >= 'a' && unit.p[0] <= 'z';
		if (letter && !str_starts(unit, "us"))
			return false;
	}
	return str_find_char(t, ',') > 0;
}

enum header_line header_classify(struct str text)
{
	struct str all = str_trim(text);
	bool hash = all.n && all.p[0] == '#';
	struct str t = strip_hash(text);

	if (hash && str_starts(t, "tracer:"))
		return HEADER_TRACER;
	if (find_title(t) > 0)
		return HEADER_TITLE;
	if (str_starts(t, "latency:") && is_latency(t))
		return HEADER_LATENCY;
	if (str_starts(strip_box(t), "task:") && (hash || t.p[0] == '|'))
		return HEADER_TASK;
	if (is_process(t))
		return HEADER_TASK;
	if (str_starts(t, "=> started at:") || str_starts(t, "=> ended at:"))
		return HEADER_PLACE;
	return hash || is_drawing(t) ? HEADER_DRAWING : HEADER_NONE;
}

static const char *read_title(struct capture *c, struct str t)
{
	struct trace_header *h = &c->trace;
	ptrdiff_t at = find_title(t);
	struct str rest = str_from(t, (size_t)at + strlen(" latency trace "));
	h->tracer = arena_str(&c->arena, str_head(t, (size_t)at));
	h->version = arena_str(&c->arena, str_word(&rest));
	struct str on = str_word(&rest), release = str_word(&rest);
	if (str_eq(on, "on") && release.n)
		h->kernel = arena_str(&c->arena, release);
	return NULL;
}

/* "#4/4": entries in the buffer and entries written. */
static void read_entries(struct trace_header *h, struct str t)
{
	ptrdiff_t at = str_find(t, ", #");
	if (at < 0)
		return;
	t = str_from(t, (size_t)at + 3);
	int64_t n;
	if (!str_number(&t, &n))
		return;
	h->entries_in_buffer = n;
	if (t.n && t.p[0] == '/') {
		t = str_from(t, 1);
		if (str_number(&t, &n))
			h->entries_written = n;
	}
}

/* "entries: 1032 (1032)", v1.1.1 "entries: 1(1)": what was kept, and what was written. */
static bool read_entries_ms(struct trace_header *h, struct str t)
{
	ptrdiff_t at = str_find(t, "entries:");
	if (at < 0)
		return false;
	t = str_trim(str_from(t, (size_t)at + strlen("entries:")));
	int64_t n;
	if (!str_number(&t, &n))
		return false;
	h->entries_in_buffer = n;
	t = str_trim(t);
	struct str written = str_from(t, 1);
	if (str_starts(t, "(") && str_number(&written, &n))
		h->entries_written = n;
	return true;
}

static int64_t number_after(struct str t, const char *mark)
{
	ptrdiff_t at = str_find(t, mark);
	if (at < 0)
		return UNKNOWN;
	t = str_trim(str_from(t, (size_t)at + strlen(mark)));
	int64_t n;
	return str_number(&t, &n) ? n : UNKNOWN;
}

/* "VP:0, KP:0, SP:1 HP:1 #P:1)", "VP:0 KP:1 SP:1 HP:1 #CPUS:1]": all but the number of CPUs. */
static void read_model_flags(struct capture *c, struct str rest)
{
	ptrdiff_t end = str_find_char(rest, '#');
	if (end < 0)
		end = str_find_char(rest, ')');
	if (end < 0)
		end = str_find_char(rest, ']');
	struct str flags = str_trim(end >= 0 ? str_head(rest, (size_t)end) : rest);
	if (str_starts(flags, "VP:"))
		c->trace.model_flags = arena_str(&c->arena, flags);
}

/*
 * "latency: 1117 us, entries: 22 (22)   |   [VP:0 KP:1 SP:1 HP:1 #CPUS:1]", of 2004, and since
 * "latency: 259 us, #4/4, CPU#2 | (M:preempt VP:0, KP:0, SP:0 HP:0 #P:4)"
 * The unit may have become anything; M's value may hold parentheses: it ends at the blank before
 * VP (print_trace_header in kernel/trace/trace.c).
 */
static const char *read_latency(struct capture *c, struct str t)
{
	struct trace_header *h = &c->trace;
	struct str number = str_trim(str_from(t, strlen("latency:")));
	if (!str_number(&number, &h->latency_us))
		return "the latency is no number, or does not fit";

	if (read_entries_ms(h, t)) {
		h->style = TRACE_STYLE_MS;
		h->format = "rt-ms";
		h->cpus = number_after(t, "#CPUS:");
		ptrdiff_t flags = str_find_char(t, '[');
		if (flags >= 0)
			read_model_flags(c, str_trim(str_from(t, (size_t)flags + 1)));
		return NULL;
	}
	read_entries(h, t);
	h->cpu = number_after(t, "CPU#");
	h->cpus = number_after(t, "#P:");
	ptrdiff_t at = str_find(t, "M:");
	if (at >= 0) {
		struct str rest = str_from(t, (size_t)at + 2), model = str_word(&rest);
		read_model_flags(c, rest);
		if (model.n && str_find_char(model, '(') < 0 && model.p[model.n - 1] == ')')
			model.n--;
		if (model.n)
			h->preempt_model = arena_str(&c->arena, model);
	}
	return NULL;
}

/* What stands before " (uid:0 ...)" or ", uid:0 ...". */
static struct str task_name(struct str t)
{
	static const char *const ends[] = { " (uid:", " (nice:", " (policy:", " (rt_prio:",
					    ", uid:", ", nice:", ", policy:", ", rt_prio:" };
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		ptrdiff_t end = str_find(t, ends[i]);
		if (end >= 0)
			return str_trim(str_head(t, (size_t)end));
	}
	return t;
}

/*
 * "task: kworker/3:1H-312 (uid:0 nice:-20 policy:0 rt_prio:0)", in 2004 "task: IRQ 0/2, uid:0
 * nice:0 policy:1 rt_prio:50" and before "process: events/0/4, uid: 0", with a line for the rest.
 * The comm may hold the sign that stands before the pid.
 */
static const char *read_task(struct capture *c, struct str t)
{
	struct trace_task *task = &c->trace.task;
	t = strip_box(t);
	if (str_starts(t, "nice:")) {
		task->nice = number_after(t, "nice:");
		task->policy = number_after(t, "policy:");
		task->rt_prio = number_after(t, "rt_priority:");
		return NULL;
	}
	t = str_trim(str_from(t, (size_t)str_find_char(t, ':') + 1));
	struct str who = task_name(t);
	size_t at = who.n;
	while (at && is_digit(who.p[at - 1]))
		at--;
	struct str number = str_from(who, at);
	if (!at || (who.p[at - 1] != '-' && who.p[at - 1] != '/') ||
	    !str_number(&number, &task->pid))
		return "the task has no pid";
	task->comm = arena_str(&c->arena, str_head(who, at - 1));
	task->uid = number_after(t, "uid:");
	task->nice = number_after(t, "nice:");
	task->policy = number_after(t, "policy:");
	task->rt_prio = number_after(t, "rt_prio:");
	return NULL;
}

/* A null address decodes to nonsense: ".__start+0x4000000000000000/0x8 <00000000>". */
static bool is_null_address(struct str t)
{
	return str_find(t, "<00000000>") >= 0 || str_find(t, "<0000000000000000>") >= 0 ||
	       str_eq(t, "0");
}

static const char *read_place(struct capture *c, struct str t)
{
	bool start = str_starts(t, "=> started at:");
	t = str_trim(str_from(t, strlen(start ? "=> started at:" : "=> ended at:")));
	struct str sym = entry_bare_symbol(t);
	const char *name = sym.n ? arena_str(&c->arena, sym) : NULL;
	if (start) {
		bool bare = sym.n && (sym.p[0] == '<' || sym.p[0] == '0');
		c->trace.started_at = bare && is_null_address(t) ? NULL : name;
	} else {
		c->trace.ended_at = name;
		c->trace.ended_at_nowhere = is_null_address(t);
	}
	return NULL;
}

const char *header_read(struct capture *c, enum header_line kind, struct str text)
{
	struct str t = strip_hash(text);
	switch (kind) {
	case HEADER_TRACER:
		t = str_trim(str_from(t, strlen("tracer:")));
		c->trace.tracer = arena_str(&c->arena, t);
		c->trace.style = TRACE_STYLE_MAINLINE;
		return NULL;
	case HEADER_TITLE:
		/* The -rt kernels print neither "# tracer:" nor '#'. */
		if (!c->trace.tracer && str_trim(text).p[0] != '#')
			c->trace.style = TRACE_STYLE_RT;
		return read_title(c, t);
	case HEADER_LATENCY:
		return read_latency(c, t);
	case HEADER_TASK:
		return read_task(c, t);
	case HEADER_PLACE:
		return read_place(c, t);
	default:
		c->trace.corrupted |= str_find(t, "FUNCTION TRACING IS CORRUPTED") >= 0;
		if (c->trace.cpus == UNKNOWN) /* the end of the line before, in a mail */
			c->trace.cpus = number_after(text, "#P:");
		return NULL;
	}
}
