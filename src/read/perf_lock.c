/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `perf lock report` and `perf lock contention` print (tools/perf/builtin-lock.c), as text and
 * with -x as CSV. The header says which columns there are: -F and -k choose and order them.
 *
 *	          Name   acquired  contended     avg wait   total wait ...
 *	  jiffies_lock        433         32      2.78 us     88.91 us ...
 *
 *	contended   total wait     max wait     avg wait         type   caller
 *	        6      6.03 s       6.03 s       1.00 s      spinlock   rcu_core+0xec
 *
 *	# output: contended, total wait, max wait, avg wait, type, caller
 *	6, 6030000000, 6030000000, 1005000000, spinlock, rcu_core+0xec
 */
#include "read/lock_cell.h"
#include "read/tool_table.h"

#define COLUMNS_MAX 8
#define SEPARATOR_MAX 8

/* What stands behind the numbers, by the mode that perf ran in. */
enum tail {
	TAIL_NONE,    /* report: the name stands before them */
	TAIL_CALLER,  /* type, caller, with -v a stack */
	TAIL_TASK,    /* -t, -o: pid, comm */
	TAIL_ADDRESS, /* -l: address, symbol, type */
	TAIL_CGROUP,  /* -g */
};

struct perf_lock {
	struct tool_table tool;
	enum lock_column column[COLUMNS_MAX];
	bool is_time[COLUMNS_MAX];
	size_t n;
	enum tail tail;
	bool name;     /* stands before the numbers */
	bool cut;      /* the header begins in its midst: there are more columns than it names */
	bool dangling; /* it ends in the midst of a title */
	char separator[SEPARATOR_MAX + 2]; /* CSV: with the blank behind it; "": text */
};

/* -- Header ------------------------------------------------------------------------------------ */

static void add_column(struct perf_lock *p, enum lock_column c)
{
	if (p->n < COLUMNS_MAX) {
		p->is_time[p->n] = lock_column_is_time(c);
		p->column[p->n++] = c;
	}
}

static bool wait_column(struct str word, enum lock_column *c)
{
	static const struct {
		const char *word;
		enum lock_column c;
	} waits[] = {
		{ "avg", LOCK_WAIT_AVG },
		{ "total", LOCK_WAIT_TOTAL },
		{ "max", LOCK_WAIT_MAX },
		{ "min", LOCK_WAIT_MIN },
	};
	for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++) {
		*c = waits[i].c;
		if (str_eq(word, waits[i].word))
			return true;
	}
	return false;
}

static bool tail_word(struct perf_lock *p, struct str word)
{
	static const struct {
		const char *word;
		enum tail tail;
	} tails[] = {
		{ "type", TAIL_NONE },         { "caller", TAIL_CALLER },
		{ "stacktrace", TAIL_CALLER }, { "pid", TAIL_NONE },
		{ "comm", TAIL_TASK },         { "owner", TAIL_TASK },
		{ "address", TAIL_ADDRESS },   { "symbol", TAIL_NONE },
		{ "cgroup", TAIL_CGROUP },
	};
	for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
		if (!str_eq(word, tails[i].word))
			continue;
		if (tails[i].tail)
			p->tail = tails[i].tail;
		return true;
	}
	return false;
}

/* Titles and nothing else? Older perf adds "(ns)" to those of times. */
static bool read_titles(struct perf_lock *p, struct str text)
{
	enum lock_column c;
	bool first = true;
	for (struct str w; (w = str_word(&text)).n; first = false) {
		if (str_eq(w, "Name") && first)
			p->name = true;
		else if (str_eq(w, "acquired"))
			add_column(p, LOCK_ACQUISITIONS);
		else if (str_eq(w, "contended"))
			add_column(p, LOCK_CONTENTIONS);
		else if (wait_column(w, &c)) {
			add_column(p, c);
			w = str_word(&text);
			p->dangling = !w.n;
			if (w.n && !str_eq(w, "wait"))
				return false;
		} else if (first && (str_eq(w, "wait") || str_eq(w, "(ns)") || str_eq(w, "ns)")))
			p->cut = true;
		else if (!tail_word(p, w) && !str_eq(w, "(ns)"))
			return false;
	}
	return p->n > 0;
}

static bool read_text_header(struct perf_lock *p, struct str text)
{
	if (!read_titles(p, text))
		return false;
	size_t waits = 0;
	for (size_t i = 0; i < p->n; i++)
		waits += p->is_time[i];
	return waits > 1 || (waits && (p->n > 1 || p->tail)) || (p->name && p->n > 1);
}

/* Cuts a field off: what stands before the separator and its blank. */
static struct str next_field(const struct perf_lock *p, struct str *t)
{
	ptrdiff_t at = str_find(*t, p->separator);
	struct str field = at < 0 ? *t : str_head(*t, (size_t)at);
	*t = at < 0 ? str_from(*t, t->n) : str_from(*t, (size_t)at + strlen(p->separator));
	return field;
}

/* Cuts the last field off: what stands before it may hold the separator. */
static struct str cut_last_field(const struct perf_lock *p, struct str *t)
{
	struct str field = *t;
	for (ptrdiff_t at; (at = str_find(field, p->separator)) >= 0;)
		field = str_from(field, (size_t)at + strlen(p->separator));
	size_t before = t->n - field.n;
	t->n = before ? before - strlen(p->separator) : 0;
	return field;
}

#define CSV_HEAD "# output: "

/* print_header_csv(): each title but the last is followed by the separator and a blank. */
static bool read_csv_header(struct perf_lock *p, struct str text)
{
	static const char *const titles[] = { "acquired",   "contended", "avg wait",
					      "total wait", "max wait",  "min wait" };
	struct str t = str_from(str_trim(text), strlen(CSV_HEAD)), rest = { 0 };
	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]) && !rest.n; i++) {
		if (str_starts(t, titles[i]))
			rest = str_from(t, strlen(titles[i]));
	}
	size_t n = rest.n ? 1 : 0;
	while (n < rest.n && n < SEPARATOR_MAX && rest.p[n] != ' ')
		n++;
	if (n >= rest.n || rest.p[n] != ' ')
		return false;
	memcpy(p->separator, rest.p, n + 1);
	while (t.n) {
		if (!read_titles(p, next_field(p, &t)))
			return false;
	}
	return p->tail != TAIL_NONE;
}

static bool read_header(struct perf_lock *p, struct str text)
{
	if (str_starts(str_trim(text), CSV_HEAD))
		return read_csv_header(p, text);
	return read_text_header(p, text);
}

static bool perf_header(struct tool_table *t, struct str text, uint32_t line)
{
	struct perf_lock *p = (struct perf_lock *)t;
	if (!read_header(p, text) || p->dangling)
		return false;
	t->table->source = p->tail ? "contention" : "report";
	if (p->cut)
		capture_damage(t->capture, line,
			       "the header is cut: only its last columns are named");
	return true;
}

/* The rest of a header that a mail broke: titles and halves of them. */
static bool perf_header_more(struct str text)
{
	struct perf_lock p = { 0 };
	struct str t = str_trim(text);
	bool titles = read_titles(&p, t);
	return titles || (p.tail && !p.dangling) || str_eq(t, "wait") || str_eq(t, "(ns)");
}

/* -- Rows -------------------------------------------------------------------------------------- */

/* A row, before it is one. */
struct fields {
	int64_t value[COLUMNS_MAX];
	struct str name, type, caller, comm, address, symbol, cgroup, stack;
	int64_t pid;
};

static struct str strip_numbers(struct str t)
{
	for (;;) {
		struct str rest = str_trim(t);
		size_t n = 0;
		while (n < rest.n && is_digit(rest.p[rest.n - 1 - n]))
			n++;
		if (!n || n == rest.n || rest.p[rest.n - 1 - n] != ' ')
			return rest;
		t = str_head(rest, rest.n - n);
	}
}

/* Is there nothing but numbers and units, and more than one? The last unit may be missing. */
static bool only_cells(struct str t)
{
	int64_t v;
	size_t n = 0;
	for (; str_trim(t).n; n++) {
		if (!lock_cell_scaled(&t, &v))
			return n && lock_decimal_ends(t);
	}
	return n > 1;
}

/* print_result(): "%20s " and the numbers. */
static enum record_result read_report_row(const struct perf_lock *p, struct str t, struct fields *f)
{
	f->name = t;
	if (lock_cells_at_end(&f->name, p->is_time, p->n, f->value)) {
		if (p->cut)
			f->name = strip_numbers(f->name);
		return f->name.n ? RECORD_OK : RECORD_NONE;
	}
	struct str rest = t;
	return str_word(&rest).n && only_cells(rest) ? RECORD_OPEN : RECORD_NONE;
}

/* "%016llx   %s (%s)": the symbol may be empty. */
static bool split_type(struct str t, struct fields *f)
{
	t = str_trim(t);
	ptrdiff_t open = str_rfind_char(t, '(');
	if (open < 0 || t.p[t.n - 1] != ')')
		return false;
	f->symbol = str_trim(str_head(t, (size_t)open));
	f->type = str_head(str_from(t, (size_t)open + 1), t.n - (size_t)open - 2);
	return true;
}

static bool is_address(struct str w)
{
	for (size_t i = 0; i < w.n; i++) {
		if (!strchr("0123456789abcdefABCDEF", w.p[i]))
			return false;
	}
	return w.n > 0;
}

/* print_lock_stat_stdio(): what follows the numbers. */
static enum record_result read_tail(const struct perf_lock *p, struct str t, struct fields *f)
{
	struct str word;
	switch (p->tail) {
	case TAIL_CALLER:
		f->type = str_word(&t);
		f->caller = str_trim(t);
		/* No symbol ends in '=': a mail broke it there. */
		return f->caller.n && f->caller.p[f->caller.n - 1] != '=' ? RECORD_OK : RECORD_OPEN;
	case TAIL_TASK:
		word = str_word(&t);
		f->comm = str_trim(t);
		if (!word.n)
			return RECORD_OPEN;
		return str_number(&word, &f->pid) && !word.n ? RECORD_OK : RECORD_NONE;
	case TAIL_ADDRESS:
		f->address = str_word(&t);
		if (!is_address(f->address))
			return f->address.n ? RECORD_NONE : RECORD_OPEN;
		return split_type(t, f) ? RECORD_OK : RECORD_OPEN;
	default:
		f->cgroup = str_trim(t);
		return f->cgroup.n ? RECORD_OK : RECORD_OPEN;
	}
}

static enum record_result read_contention_row(const struct perf_lock *p, struct str t,
					      struct fields *f)
{
	for (size_t i = 0; i < p->n; i++) {
		bool ok = p->is_time[i] ? lock_cell_scaled(&t, &f->value[i])
					: str_number(&t, &f->value[i]);
		if (!ok)
			return i > 1 && (!str_trim(t).n || lock_decimal_ends(t)) ? RECORD_OPEN
										 : RECORD_NONE;
		if (t.n && t.p[0] != ' ' && t.p[0] != '\t')
			return RECORD_NONE;
		t = str_trim(t);
	}
	return read_tail(p, t, f);
}

/* print_lock_stat_csv(): raw ns; the last field may hold the separator. */
static enum record_result read_csv_row(const struct perf_lock *p, struct str t, struct fields *f)
{
	for (size_t i = 0; i < p->n; i++) {
		struct str field = next_field(p, &t);
		if (!str_number(&field, &f->value[i]) || field.n || !t.n)
			return RECORD_NONE;
	}
	struct str pid;
	switch (p->tail) {
	case TAIL_CALLER:
		f->type = next_field(p, &t);
		f->caller = next_field(p, &t);
		f->stack = t;
		return f->caller.n ? RECORD_OK : RECORD_NONE;
	case TAIL_TASK:
		pid = next_field(p, &t);
		f->comm = t;
		return str_number(&pid, &f->pid) && !pid.n ? RECORD_OK : RECORD_NONE;
	case TAIL_ADDRESS:
		f->address = next_field(p, &t);
		f->type = cut_last_field(p, &t);
		f->symbol = t;
		return is_address(f->address) ? RECORD_OK : RECORD_NONE;
	default:
		f->cgroup = t;
		return RECORD_OK;
	}
}

/* "0xip sym: 0xip sym" */
static void add_stack(struct tool_table *t, struct str stack, uint32_t line)
{
	while (str_starts(stack, "0x")) {
		ptrdiff_t at = str_find(stack, ": 0x");
		tool_frame(t, at < 0 ? stack : str_head(stack, (size_t)at), line);
		stack = at < 0 ? str_from(stack, stack.n) : str_from(stack, (size_t)at + 2);
	}
}

static void add_row(struct perf_lock *p, const struct fields *f, uint32_t line)
{
	struct tool_table *t = &p->tool;
	struct lock_row *r = tool_row(t, line);
	if (!r)
		return;
	for (size_t i = 0; i < p->n; i++)
		lock_set(r, p->column[i], f->value[i]);
	r->name = tool_text(t, f->name);
	r->type = tool_text(t, f->type);
	r->caller = tool_text(t, f->caller);
	r->comm = tool_text(t, f->comm);
	r->address = tool_text(t, f->address);
	r->symbol = tool_text(t, f->symbol);
	r->cgroup = tool_text(t, f->cgroup);
	r->pid = f->pid;
	size_t n = f->type.n; /* "rwsem:W" */
	if (n > 2 && f->type.p[n - 2] == ':' && strchr("RW", f->type.p[n - 1]))
		r->rw = f->type.p[n - 1];
	add_stack(t, f->stack, line);
}

/* -- Footer ------------------------------------------------------------------------------------ */

/* The number behind the mark; false: there is none. */
static bool number_after(struct str text, const char *mark, int64_t *v)
{
	ptrdiff_t at = str_find(text, mark);
	if (at < 0)
		return false;
	text = str_from(text, (size_t)at + strlen(mark));
	return str_number(&text, v);
}

/* print_bad_events(), print_footer_stdio(), print_footer_csv() */
static bool read_footer(struct locktab *t, struct str text)
{
	if (str_starts(text, "bad rate: ")) {
		text = str_from(text, strlen("bad rate: "));
		return lock_decimal(&text, 6, &t->bad_rate);
	}
	bool csv = str_starts(text, "# debug: ");
	if (!csv && !str_starts(text, "bad: "))
		return false;
	return number_after(text, csv ? "total=" : "total: ", &t->total) &&
	       number_after(text, csv ? " bad=" : "bad: ", &t->bad);
}

/* -- Records ----------------------------------------------------------------------------------- */

/* -v: "\t\t\t%#lx  %s" below a row; open: a mail broke it before the symbol. */
static enum record_result frame_of(const struct perf_lock *p, struct str t)
{
	struct str word = str_word(&t);
	if (p->tail != TAIL_CALLER || !p->tool.table->rows.n || !str_starts(word, "0x") ||
	    !is_address(str_from(word, 2)))
		return RECORD_NONE;
	struct str symbol = str_word(&t);
	if (!symbol.n)
		return RECORD_OPEN;
	/* Without a symbol perf prints the address again: this is two frames. */
	return str_starts(symbol, "0x") && str_trim(t).n ? RECORD_NONE : RECORD_OK;
}

static enum record_result perf_record(struct tool_table *t, struct str text, uint32_t line)
{
	struct perf_lock *p = (struct perf_lock *)t;
	struct fields f = { .pid = UNKNOWN };
	struct str trimmed = str_trim(text);
	enum record_result frame = frame_of(p, trimmed);
	if (frame == RECORD_OK)
		tool_frame(t, trimmed, line);
	if (frame != RECORD_NONE)
		return frame;
	if (read_footer(t->table, trimmed))
		return RECORD_OK;
	enum record_result got = p->separator[0] ? read_csv_row(p, trimmed, &f)
				 : p->tail       ? read_contention_row(p, trimmed, &f)
						 : read_report_row(p, trimmed, &f);
	if (got == RECORD_OK)
		add_row(p, &f, line);
	return got;
}

static bool perf_starts(struct str text)
{
	struct perf_lock p = { 0 };
	return read_header(&p, text);
}

static int perf_open(struct carrier *from, struct names *names, struct capture *c,
		     struct source **s, struct err *err)
{
	(void)names;
	*s = NULL;
	c->locks = locktab_new(&c->arena, "report");
	struct perf_lock p = { .tool = { &format_perf_lock, from, c, c->locks, perf_header_more,
					 perf_header, perf_record } };
	return tool_table_read(&p.tool, err);
}

const struct format format_perf_lock = {
	.looks_for = "output of perf lock",
	.starts = perf_starts,
	.open = perf_open,
};
