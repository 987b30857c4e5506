/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "read/ftrace_line.h"

#define NS_PER_S 1000000000ll
#define CPU_DIGITS 5
#define PID_DIGITS 10

static inline const char *skip(const char *p, const char *end)
{
	while (p < end && is_blank(*p))
		p++;
	return p;
}

/* -- Columns ----------------------------------------------------------------------------------- */

/* Up to 18 digits; how many there are is told by where it stops. */
static inline const char *digits(const char *p, const char *end, uint64_t *value, bool *overflow)
{
	const char *from = p;
	uint64_t v = 0;
	for (; p < end && is_digit(*p); p++)
		v = v * 10 + (uint64_t)(*p - '0');
	*overflow |= p - from > 18;
	*value = v;
	return p;
}

/* Six digits behind a point, all at once: eight bytes, of which the first two are none of them. */
static inline bool six_digits(const char *p, uint32_t *value)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	const uint64_t zeros = 0x3030303030303030ull;
	uint64_t w = ((memo_word(p - 2) & ~0xffffull) | 0x3030) - zeros;
	if (((w + 0x7676767676767676ull) | w) & 0x8080808080808080ull)
		return false;
	w = w * 10 + (w >> 8); /* pairs of digits */
	const uint64_t pairs = 0x000000ff000000ffull;
	*value = (uint32_t)(((w & pairs) * 0x000f424000000064ull +
			     ((w >> 16) & pairs) * 0x0000271000000001ull) >>
			    32);
	return true;
#else
	(void)p, (void)value;
	return false;
#endif
}

/*
 * " %5lu.%06lu: " (trace_print_context in kernel/trace/trace_output.c), with up to nine decimals
 * from trace-cmd report -t and perf script --ns, or " %12llu: ", if the clock does not count ns.
 * NULL, or where the payload begins.
 */
static const char *parse_time(const char *p, const char *end, struct ftrace_parts *out)
{
	static const int64_t scale[10] = { NS_PER_S, 100000000, 10000000, 1000000, 100000,
					   10000,    1000,      100,      10,      1 };
	bool minus = p < end && *p == '-';
	uint64_t whole, fraction;
	const char *from = p + minus;
	out->overflow = false;
	p = digits(from, end, &whole, &out->overflow);
	if (p == from || p == end)
		return NULL;
	out->no_point = *p != '.';
	int64_t time = (int64_t)whole;
	uint32_t us;
	if (!out->no_point && whole < 1000000000 && end - p > 7 && p[7] == ':' &&
	    six_digits(p + 1, &us)) {
		time = time * NS_PER_S + us * 1000ll;
		p += 7;
	} else if (!out->no_point) {
		from = ++p;
		p = digits(from, end, &fraction, &out->overflow);
		size_t n = (size_t)(p - from);
		if (!n || n > 9)
			return NULL;
		out->overflow |= whole > INT64_MAX / NS_PER_S - 1;
		if (!out->overflow)
			time = time * NS_PER_S + (int64_t)fraction * scale[n];
	}
	if (p == end || *p != ':' || (p + 1 < end && !is_blank(p[1])))
		return NULL;
	if (out->overflow)
		time = 0;
	out->time = minus ? -time : time;
	return skip(p + 1, end);
}

/* "....316.196720:": the flags touch the time, which had more digits than its column. */
static const char *parse_glued(const char *p, const char *end, struct ftrace_parts *out)
{
	for (size_t n = 4; n <= FLAG_COLUMNS && p + n < end; n++) {
		uint32_t flags;
		struct str run = { p, n };
		if (!event_flags_parse(run, &flags) || !is_digit(p[n]))
			continue;
		const char *rest = parse_time(p + n, end, out);
		if (rest && !out->no_point) {
			out->flags = run;
			return rest;
		}
	}
	return NULL;
}

/* "K", "U", "KE": whose code ran, of perf script -F +misc. */
static bool is_misc(struct str run)
{
	for (size_t i = 0; i < run.n; i++) {
		if (run.p[i] < 'A' || run.p[i] > 'Z')
			return false;
	}
	return run.n && run.n < 4;
}

/* From behind the CPU: flags, if there are any, and the time. */
static inline bool parse_tail(const char *p, const char *end, struct ftrace_parts *out)
{
	p = skip(p, end);
	const char *word = p;
	while (p < end && !is_blank(*p) && *p != ':')
		p++;
	const char *rest = NULL;
	out->flags = (struct str){ word, 0 };
	if (p < end && *p != ':') {
		out->flags.n = (size_t)(p - word);
		if (is_misc(out->flags))
			out->flags.n = 0;
		else if (out->flags.n < 4 || out->flags.n > FLAG_COLUMNS)
			return false;
		rest = parse_time(skip(p, end), end, out);
	} else if (p < end) {
		rest = parse_time(word, end, out);
		if (!rest)
			rest = parse_glued(word, end, out);
	}
	if (!rest)
		return false;
	out->rest = (struct str){ rest, (size_t)(end - rest) };
	return true;
}

/* Digits in brackets that are no CPU's number: a row all the same, and damaged. */
static const char *cpu_impossible(const char *p, const char *end, struct ftrace_parts *out)
{
	while (p < end && is_digit(*p))
		p++;
	if (p == end || *p != ']')
		return NULL;
	out->lacks = "no CPU has that number";
	return p + 1;
}

/* "[002] " at p. 2.6.27 prints two digits, everything since three or more. */
static inline const char *parse_cpu(const char *p, const char *end, struct ftrace_parts *out)
{
	uint32_t v = 0;
	const char *from = ++p;
	for (; p < end && is_digit(*p) && p - from < CPU_DIGITS; p++)
		v = v * 10 + (uint32_t)(*p - '0');
	if (p - from < 2)
		return NULL;
	if (p == end || *p != ']' || v > UINT16_MAX)
		return cpu_impossible(p, end, out);
	out->cpu = (uint16_t)v;
	return p + 1;
}

/* "-0x9", the flags in hex of trace-cmd report -R -l: without the depth, and so left out. */
static const char *skip_raw_flags(const char *p, const char *end)
{
	if (end - p < 4 || memcmp(p, "-0x", 3) != 0)
		return p;
	for (p += 3; p < end && (is_digit(*p) || (*p >= 'a' && *p <= 'f')); p++)
		;
	return p;
}

/* "cyclicte-49      1d.h..     9.055237: ": no brackets, the CPU touches the flags. */
static bool split_latency_flags(struct str line, struct ftrace_parts *out)
{
	const char *end = line.p + line.n;
	for (const char *p = line.p; p < end; p++) {
		p = memchr(p, '-', (size_t)(end - p));
		if (!p)
			return false;
		const char *q = p + 1;
		while (q < end && is_digit(*q))
			q++;
		if (q == p + 1 || q == end || !is_blank(*q))
			continue;
		const char *cpu = skip(q, end), *flags = cpu;
		uint32_t v = 0;
		for (; flags < end && is_digit(*flags) && flags - cpu < CPU_DIGITS; flags++)
			v = v * 10 + (uint32_t)(*flags - '0');
		const char *tail = skip_raw_flags(flags, end);
		if (flags == cpu || v > UINT16_MAX || !parse_tail(tail, end, out) ||
		    (out->flags.n < 4 && tail == flags) || out->no_point)
			continue;
		out->cpu = (uint16_t)v;
		out->who = (struct str){ line.p, (size_t)(q - line.p) };
		out->brackets = false;
		return true;
	}
	return false;
}

/* "sched:sched_switch:", as perf script names events */
static bool is_perf_event(struct str word)
{
	return word.n > 3 && !is_digit(word.p[0]) && word.p[word.n - 1] == ':' &&
	       str_find_char(str_head(word, word.n - 1), ':') > 0;
}

/*
 * "bash 24545 27448.171718: sched:sched_switch: ...", "bash 24545 [000] sched:sched_switch: ...":
 * perf script -F without the CPU or the time; with -L the CPU has no brackets, and cannot be told
 * from a part of the comm.
 */
static bool split_perf_lacking(struct str line, struct ftrace_parts *out)
{
	const char *end = line.p + line.n;
	struct str t = line, before = { 0 };
	for (struct str word = str_word(&t); word.n; before = word, word = str_word(&t)) {
		if (!is_perf_event(word))
			continue;
		if (!before.n || before.p == line.p)
			return false;
		bool time = before.p[before.n - 1] == ':' && parse_time(before.p, end, out) &&
			    !out->no_point;
		if (!time && (before.p[0] != '[' || !parse_cpu(before.p, end, out)))
			return false;
		out->lacks = time ? "there is no CPU in brackets: perf script prints it with "
				    "-F +cpu, and without -L"
				  : "there is no time: perf script prints it with -F +time";
		out->who = (struct str){ line.p, (size_t)(before.p - line.p) };
		out->flags = (struct str){ before.p, 0 };
		out->rest = (struct str){ word.p, (size_t)(end - word.p) };
		return true;
	}
	return false;
}

/* A comm may hold '[': the first one with a CPU, flags and a time behind it is the right one. */
bool ftrace_split(struct str line, struct ftrace_parts *out)
{
	const char *end = line.p + line.n;
	out->lacks = NULL;
	for (const char *p = line.p; p < end; p++) {
		p = memchr(p, '[', (size_t)(end - p));
		if (!p)
			break;
		if (p == line.p || !is_blank(p[-1]))
			continue;
		const char *tail = parse_cpu(p, end, out);
		if (!tail || !parse_tail(tail, end, out)) {
			out->lacks = NULL;
			continue;
		}
		out->who = (struct str){ line.p, (size_t)(p - line.p) };
		out->brackets = true;
		return true;
	}
	return split_latency_flags(line, out) || split_perf_lacking(line, out);
}

/* -- Who --------------------------------------------------------------------------------------- */

struct who {
	struct str comm;
	int64_t pid, tgid; /* tgid 0: not known */
	bool perf, have_tgid;
};

/* "(  882)", "(-------)", "(-----)": the option record-tgid. Cuts it off *s; no digits: 0. */
static bool cut_tgid(struct str *s, int64_t *tgid)
{
	if (!s->n || s->p[s->n - 1] != ')')
		return false;
	ptrdiff_t open = str_rfind_char(*s, '(');
	if (open <= 0)
		return false;
	struct str in = str_trim(str_head(str_from(*s, (size_t)open + 1), s->n - (size_t)open - 2));
	*tgid = 0;
	for (size_t i = 0; i < in.n; i++) {
		if (!is_digit(in.p[i]) && in.p[i] != '-')
			return false;
	}
	if (in.n && is_digit(in.p[0]) && (!str_number(&in, tgid) || in.n || *tgid > INT32_MAX))
		return false;
	*s = str_trim(str_head(*s, (size_t)open));
	return true;
}

/*
 * "trace.dat:           ping": trace-cmd report of several files, or of a buffer with a name. A
 * comm may have a colon, too, but hardly two blanks behind it. What was such a name once is one
 * also where the comm fills its column.
 */
static struct str without_file(struct ftrace_columns *c, struct str s)
{
	for (;;) {
		struct str t = s, word = str_word(&t);
		if (word.n < 2 || word.p[word.n - 1] != ':' || t.n < 2 || !str_trim(t).n)
			return s;
		struct str known = { c ? c->file : NULL, c ? c->file_n : 0 };
		bool told = is_blank(t.p[1]) || str_find(word, ".dat:") >= 0;
		if (!told && !str_same(known, word))
			return s;
		if (c && word.n <= sizeof(c->file)) {
			memmove(c->file, word.p, word.n);
			c->file_n = word.n;
		}
		s = str_trim(t);
	}
}

/* The digits at the end of *s are cut off. */
static bool cut_number(struct str *s, int64_t *value)
{
	size_t n = s->n;
	while (n && is_digit(s->p[n - 1]))
		n--;
	struct str number = str_from(*s, n);
	if (!number.n || number.n > PID_DIGITS || !str_number(&number, value))
		return false;
	s->n = n;
	return true;
}

/*
 * perf script has no id any more for a task that has exited, nor for its process, if that has:
 * ":-1    -1", ":-1    -1/-1", ":-1  6716/-1". Cuts it off *s, of which the digit is cut off
 * already.
 */
static bool cut_minus_one(struct str *s, struct who *w)
{
	if (w->pid != 1 || s->n < 2 || s->p[s->n - 1] != '-')
		return false;
	struct str t = str_head(*s, s->n - 1);
	bool pair = t.p[t.n - 1] == '/';
	if (pair) {
		int64_t tgid;
		t.n--;
		if (!cut_number(&t, &tgid))
			return false;
		t.n -= tgid == 1 && t.n && t.p[t.n - 1] == '-';
	}
	t = str_trim(t);
	if (!str_eq(t, ":-1"))
		return false;
	*s = t;
	w->pid = -1;
	w->have_tgid |= pair;
	return true;
}

/* c: what is known of the lines before; NULL: nothing. */
static bool who_parse(struct ftrace_columns *c, struct str raw, struct who *w)
{
	struct str s = str_trim(raw);
	w->tgid = 0;
	w->have_tgid = cut_tgid(&s, &w->tgid);
	if (!cut_number(&s, &w->pid))
		return false;
	w->perf = cut_minus_one(&s, w);
	w->comm = s;
	if (w->perf)
		return true;
	if (s.n && s.p[s.n - 1] == '/') { /* pid/tid of perf script -F +tid */
		s.n--;
		w->have_tgid = true;
		if (!cut_number(&s, &w->tgid) || w->tgid > INT32_MAX)
			return false;
	}
	w->comm = (struct str){ 0 };
	w->perf = !s.n; /* perf script -F tid,..., without the comm */
	if (w->perf)
		return true;
	w->perf = is_blank(s.p[s.n - 1]);
	if (!w->perf && s.p[s.n - 1] != '-')
		return false;
	w->comm = without_file(c, str_trim(str_head(s, s.n - 1)));
	return true;
}

static inline void set_shape(struct ftrace_columns *c, const struct ftrace_parts *p, bool perf)
{
	c->shape = !p->brackets ? SHAPE_LATENCY_FLAGS : perf ? SHAPE_PERF : SHAPE_KERNEL;
}

static enum columns_result set_who(struct ftrace_columns *c, const struct ftrace_parts *p,
				   uint32_t *task)
{
	struct memo_slot *slot = memo_find(&c->who, p->who);
	if (slot && slot->n) {
		*task = slot->id;
		set_shape(c, p, slot->kind);
		return COLUMNS_OK;
	}
	struct who w;
	if (!who_parse(c, p->who, &w))
		return COLUMNS_NONE;
	if (w.pid > INT32_MAX) {
		c->why = "the pid does not fit";
		return COLUMNS_DAMAGED;
	}
	set_shape(c, p, w.perf);
	*task = names_task(c->names, w.comm, (int32_t)w.pid);
	names_tgid(c->names, *task, (int32_t)w.tgid);
	c->tgids |= w.have_tgid;
	memo_keep(slot, p->who, *task, w.perf);
	return COLUMNS_OK;
}

static inline bool set_flags(struct ftrace_columns *c, struct str run, uint32_t *flags)
{
	if (!run.n) {
		*flags = 0;
		return true;
	}
	uint64_t key = memo_short(run.p, run.n);
	size_t i = (key * 0x9e3779b97f4a7c15ull) >> 58;
	if (c->flags[i].key != key || c->flags[i].n != run.n) {
		if (!event_flags_parse(run, flags))
			return false;
		c->flags[i].key = key;
		c->flags[i].n = (uint8_t)run.n;
		c->flags[i].flags = *flags;
	}
	*flags = c->flags[i].flags;
	return true;
}

/* -- All of it --------------------------------------------------------------------------------- */

/* What may be flags, of this kernel or one to come. */
static bool is_flag_run(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = (char)(s.p[i] | 0x20);
		if (s.p[i] != '.' && !is_digit(s.p[i]) && !(c >= 'a' && c <= 'z'))
			return false;
	}
	return true;
}

bool ftrace_line_begins(struct str line)
{
	struct ftrace_parts p;
	struct who w;
	return ftrace_split(line, &p) && is_flag_run(p.flags) && who_parse(NULL, p.who, &w);
}

enum columns_result ftrace_columns_parse(struct ftrace_columns *c, struct str line,
					 struct ftrace_parts *p, struct event *e)
{
	if (!ftrace_split(line, p))
		return COLUMNS_NONE;
	if (p->lacks) {
		c->why = p->lacks;
		return COLUMNS_DAMAGED;
	}
	uint32_t task;
	enum columns_result who = set_who(c, p, &task);
	if (who != COLUMNS_OK)
		return who;
	*e = (struct event){ .task = task, .cpu = p->cpu, .time = p->time };
	if (p->overflow) {
		c->why = "the time does not fit";
		return COLUMNS_DAMAGED;
	}
	if (!set_flags(c, p->flags, &e->flags)) {
		if (!is_flag_run(p->flags))
			return COLUMNS_NONE;
		c->why = "unknown letters in the flag column";
		return COLUMNS_DAMAGED;
	}
	return COLUMNS_OK;
}
