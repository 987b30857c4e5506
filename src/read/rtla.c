/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What rtla prints (timerlat_top.c, timerlat_hist.c, osnoise_top.c and timerlat_aa.c in the
 * kernel's tools/tracing/rtla/src):
 *
 *	  0 00:00:59   |          IRQ Timer Latency (us)        |         Thread Timer Latency (us)
 *	CPU COUNT      |      cur       min       avg       max |      cur       min       avg       max
 *	  0 #58634     |        1         0         1        10 |       11         2        10        23
 *
 *	duration:   0 00:01:00 | time is in us
 *	CPU Period       Runtime        Noise  % CPU Aval   Max Noise   Max Single ...
 *	  0 #59         53100000       304896    99.42580        6978           56 ...
 *
 *	# RTLA timerlat histogram
 *	# Time unit is microseconds (us)
 *	# Duration:   0 00:10:00
 *	Index   IRQ-000   Thr-000
 *	0        276489         0
 *	over:         0         0
 *
 *	## CPU 23 hit stop tracing, analyzing it ##
 *	  IRQ handler delay:                                        27.49 us (65.52 %)
 *	  Thread latency:                                           41.96 us (100%)
 *
 * And cyclictest of rt-tests (print_stat() in src/cyclictest/cyclictest.c), whose lines are printed
 * again and again, the last of a thread counting:
 *
 *	T: 0 (  142) P:80 I:1000 C:    300 Min:    145 Act:  253 Avg:  319 Max:    1193
 *
 * A "-" stands for what was not measured. On a terminal there are escape sequences around titles.
 */
#include "core/rtla.h"

#include "read/format.h"
#include "read/lock_cell.h"

struct reading {
	struct carrier *from;
	struct capture *capture;
	struct rtla *table;
	bool have_footer;
};

/* Cuts one cell off *s: a number, or "-" for UNKNOWN. */
static bool cut_cell(struct str *s, int64_t *v)
{
	struct str rest = *s, word = str_word(&rest);
	if (str_eq(word, "-")) {
		*v = UNKNOWN;
	} else if (!str_unsigned(&word, v) || word.n) {
		return false;
	}
	*s = rest;
	return true;
}

/* "0 00:01:00": days, hours, minutes, seconds; UNKNOWN where it is none. */
static int64_t duration_of(struct str s)
{
	static const int64_t worth[] = { 86400, 3600, 60, 1 };
	int64_t total = 0, n, part;
	s = str_trim_left(s);
	for (int i = 0; i < 4; i++) {
		if (!str_unsigned(&s, &n) || __builtin_mul_overflow(n, worth[i], &part) ||
		    __builtin_add_overflow(total, part, &total))
			return UNKNOWN;
		if (i < 3 && !s.n)
			return UNKNOWN;
		s = i == 0 ? str_trim_left(s) : str_from(s, i < 3 && s.n && s.p[0] == ':');
	}
	return total;
}

static const char *unit_in(struct str s)
{
	return str_find(s, "(ns)") >= 0 || str_find(s, "in ns") >= 0   ? "ns"
	       : str_find(s, "(us)") >= 0 || str_find(s, "in us") >= 0 ? "us"
								       : NULL;
}

/* -- Which table begins here --------------------------------------------------------------- */

static bool is_timerlat_head(struct str t)
{
	return str_find(t, "IRQ Timer Latency (") > 0 && str_find_char(t, '|') > 0;
}

static bool is_osnoise_head(struct str t)
{
	ptrdiff_t at = str_find(t, "duration:");
	return at >= 0 && at < 24 && str_find(t, "| time is in ") > at;
}

static bool is_hist_head(struct str t)
{
	return str_starts(t, "# RTLA ") && str_find(t, " histogram") > 0;
}

/* "## CPU 23 hit stop tracing, analyzing it ##" */
static bool is_auto_head(struct str t)
{
	return str_starts(t, "## CPU ") && str_find(t, " hit stop tracing, analyzing it") > 0;
}

/* "Min:    145": moves *s past it. */
static bool cut_keyed(struct str *s, const char *key, int64_t *v)
{
	struct str rest = str_trim_left(*s);
	if (!str_starts(rest, key))
		return false;
	rest = str_trim_left(str_from(rest, strlen(key)));
	if (!str_unsigned(&rest, v))
		return false;
	*s = rest;
	return true;
}

/* Escape sequences that move the cursor back to the lines before. */
static struct str skip_escapes(struct str s)
{
	for (s = str_trim_left(s); str_starts(s, "\033["); s = str_trim_left(s)) {
		size_t n = 2;
		while (n < s.n && (is_digit(s.p[n]) || s.p[n] == ';'))
			n++;
		s = str_from(s, n + 1);
	}
	return s;
}

static bool cut_cyclictest(struct str s, int64_t v[CYCLICTEST_VALUES])
{
	static const char *const keys[CYCLICTEST_VALUES] = { "T:",   "(",    ") P:", "I:",  "C:",
							     "Min:", "Act:", "Avg:", "Max:" };
	s = skip_escapes(s);
	for (int i = 0; i < CYCLICTEST_VALUES; i++) {
		if (!cut_keyed(&s, keys[i], &v[i]))
			return false;
	}
	return true;
}

static bool is_cyclictest(struct str s)
{
	int64_t v[CYCLICTEST_VALUES];
	return cut_cyclictest(s, v);
}

static bool rtla_starts(struct str text)
{
	struct str t = str_trim(text);
	if (is_cyclictest(t))
		return true;
	return is_timerlat_head(t) || is_osnoise_head(t) || is_hist_head(t) || is_auto_head(t);
}

/* -- Rows ---------------------------------------------------------------------------------- */

static struct rtla_row *row_new(struct reading *r, uint32_t line)
{
	struct rtla_row row = { .line = line };
	for (int i = 0; i < RTLA_VALUES; i++)
		row.value[i] = UNKNOWN;
	vec_push(&r->table->rows, row);
	return vec_last(&r->table->rows);
}

/* "  6 #58634     |       12         0         1        12 |       30 ...": a mark behind it may
 * be somebody's remark. */
static bool read_timerlat_row(struct reading *r, struct str s, uint32_t line)
{
	int64_t cpu, count;
	s = str_trim_left(s);
	if (!str_unsigned(&s, &cpu))
		return false;
	s = str_trim_left(s);
	if (!str_starts(s, "#"))
		return false;
	s = str_from(s, 1);
	if (!cut_cell(&s, &count) || !str_starts(str_trim_left(s), "|"))
		return false;
	struct rtla_row *row = row_new(r, line);
	row->value[TIMERLAT_CPU] = cpu;
	row->value[TIMERLAT_COUNT] = count;
	for (int at = TIMERLAT_CONTEXTS; at < TIMERLAT_VALUES; at += 4) {
		s = str_trim_left(s);
		if (!str_starts(s, "|"))
			break;
		s = str_from(s, 1);
		for (int i = 0; i < 4; i++) {
			if (!cut_cell(&s, &row->value[at + i]))
				return true;
		}
	}
	return true;
}

static bool read_cyclictest_row(struct reading *r, struct str s, uint32_t line)
{
	int64_t v[CYCLICTEST_VALUES];
	struct rtla_row *row = NULL;
	if (!cut_cyclictest(s, v))
		return false;
	vec_each (have, &r->table->rows) {
		if (have->value[CYCLICTEST_THREAD] == v[CYCLICTEST_THREAD])
			row = have;
	}
	if (!row && r->table->rows.n == RTLA_COLUMNS)
		return false;
	if (!row)
		row = row_new(r, line);
	row->line = line;
	memcpy(row->value, v, sizeof(v));
	return true;
}

/* "99.42580" to 9942580 */
static bool cut_percent(struct str *s, int64_t *v)
{
	int64_t n;
	struct str rest = *s, word = str_word(&rest);
	if (str_starts(word, "-") || !lock_decimal(&word, 5, &n) || n / 100000 > 1000)
		return false;
	*v = n;
	*s = rest;
	return true;
}

/* "  0 #59         53100000       304896    99.42580        6978           56 ..." */
static bool read_osnoise_row(struct reading *r, struct str s, uint32_t line)
{
	int64_t v[OSNOISE_VALUES];
	s = str_trim_left(s);
	if (!str_unsigned(&s, &v[OSNOISE_CPU]))
		return false;
	s = str_trim_left(s);
	if (!str_starts(s, "#"))
		return false;
	s = str_from(s, 1);
	int n = OSNOISE_PERIODS;
	for (; n < OSNOISE_VALUES; n++) {
		if (n == OSNOISE_AVAILABLE ? !cut_percent(&s, &v[n]) : !cut_cell(&s, &v[n]))
			break;
	}
	if (n <= OSNOISE_MAX_SINGLE)
		return false;
	struct rtla_row *row = row_new(r, line);
	memcpy(row->value, v, (size_t)n * sizeof(v[0]));
	return true;
}

/* "Index   IRQ-000   Thr-000": a row of the table for each column of the histogram. */
static bool read_hist_columns(struct reading *r, struct str s, uint32_t line)
{
	if (!str_eq(str_word(&s), "Index") || r->table->rows.n)
		return false;
	for (struct str word = str_word(&s); word.n; word = str_word(&s)) {
		if (r->table->rows.n == RTLA_COLUMNS)
			break;
		row_new(r, line)->column = arena_str(&r->capture->arena, word);
	}
	return true;
}

/* "over:         0         0" */
static bool read_hist_footer(struct reading *r, struct str word, struct str s)
{
	int n;
	const char *const *keys = rtla_keys(r->table->tool, &n);
	for (int i = 0; i < n; i++) {
		if (!str_starts(word, keys[i]) || !str_eq(str_from(word, strlen(keys[i])), ":"))
			continue;
		vec_each (row, &r->table->rows) {
			if (!cut_cell(&s, &row->value[i]))
				break;
		}
		r->have_footer = true;
		return true;
	}
	return false;
}

/* "17            0        18": the bucket's lower end, then a count for each column. */
static bool read_hist_row(struct reading *r, struct str s, uint32_t line)
{
	struct rtla *t = r->table;
	if (!t->rows.n)
		return read_hist_columns(r, s, line);
	struct str rest = s, word = str_word(&rest);
	if (word.n && !is_digit(word.p[0]))
		return read_hist_footer(r, word, rest);
	struct rtla_bucket b;
	if (r->have_footer || !cut_cell(&s, &b.index))
		return false;
	b.counts = arena_alloc(&r->capture->arena, t->rows.n * sizeof(*b.counts));
	for (size_t i = 0; i < t->rows.n; i++) {
		if (!cut_cell(&s, &b.counts[i])) {
			capture_damage(r->capture, line, "fewer counts than columns");
			return true;
		}
	}
	vec_push(&t->buckets, b);
	return true;
}

/* "27.49 us" in ns, exactly; UNKNOWN where no number stands. */
static int64_t ns_of(struct str s)
{
	int64_t ns;
	s = str_trim_left(s);
	return !str_starts(s, "-") && lock_decimal(&s, 3, &ns) ? ns : UNKNOWN;
}

/*
 * "  Blocking thread:      3.79 us (9.03 %)", "      objtool:49256     3.79 us", "  -> timerlat_irq":
 * what, at least two blanks, how long.
 */
static bool read_auto_line(struct reading *r, struct str s, uint32_t line)
{
	struct str t = str_trim(s);
	struct arena *a = &r->capture->arena;
	struct rtla_part part = { .ns = UNKNOWN, .line = line };
	if (r->have_footer || !t.n)
		return false;
	if (str_starts(t, "->")) {
		part.frame = true;
		part.what = arena_str(a, str_trim(str_from(t, 2)));
		vec_push(&r->table->parts, part);
		return true;
	}
	ptrdiff_t gap = str_find(t, "  ");
	struct str what = gap > 0 ? str_trim(str_head(t, (size_t)gap)) : t;
	if (gap > 0)
		part.ns = ns_of(str_from(t, (size_t)gap));
	if (part.ns == UNKNOWN)
		return t.p[0] == '-' || str_starts(t, "Blocking thread stack");
	r->have_footer = str_starts(what, "Thread latency:");
	if (what.p[what.n - 1] == ':')
		what.n--;
	part.what = arena_str(a, what);
	vec_push(&r->table->parts, part);
	return true;
}

/* -- The capture ---------------------------------------------------------------------------- */

static void read_head(struct reading *r, struct str text)
{
	struct rtla *t = r->table;
	struct str s = str_trim(text);
	t->duration_s = t->cpu = UNKNOWN;
	t->unit = unit_in(s);
	if (is_timerlat_head(s)) {
		t->tool = RTLA_TIMERLAT_TOP;
		ptrdiff_t bar = str_find_char(s, '|');
		size_t from = 0;
		if (s.p[0] == 0x1b) /* \033[2;37;40m */
			from = (size_t)(str_find_char(s, 'm') + 1);
		t->duration_s = duration_of(str_from(str_head(s, (size_t)bar), from));
	} else if (is_osnoise_head(s)) {
		t->tool = RTLA_OSNOISE_TOP;
		ptrdiff_t at = str_find(s, "duration:");
		t->duration_s = duration_of(str_from(s, (size_t)at + strlen("duration:")));
	} else if (is_cyclictest(s)) {
		t->tool = RTLA_CYCLICTEST;
		t->unit = "us"; /* ns with -N, which no line tells */
	} else if (is_hist_head(s)) {
		t->tool = str_find(s, "osnoise") > 0 ? RTLA_OSNOISE_HIST : RTLA_TIMERLAT_HIST;
	} else {
		struct str cpu = str_from(s, strlen("## CPU "));
		t->tool = RTLA_TIMERLAT_AUTO;
		t->unit = "ns"; /* of the parts */
		if (!str_number(&cpu, &t->cpu))
			t->cpu = UNKNOWN;
	}
}

/* Lines of a head that say something, or nothing. */
static bool read_head_line(struct reading *r, struct str text)
{
	struct rtla *t = r->table;
	struct str s = str_trim(text);
	if (str_starts(s, "# Time unit is")) {
		t->unit = unit_in(s);
		return true;
	}
	if (str_starts(s, "# Duration:")) {
		t->duration_s = duration_of(str_from(s, strlen("# Duration:")));
		return true;
	}
	return !t->rows.n && (str_starts(s, "CPU COUNT") || str_starts(s, "CPU Period") ||
			      str_starts(s, "\033[") || str_eq(s, "#"));
}

static bool read_row(struct reading *r, struct str text, uint32_t line)
{
	switch (r->table->tool) {
	case RTLA_TIMERLAT_TOP:
		return read_timerlat_row(r, text, line);
	case RTLA_OSNOISE_TOP:
		return read_osnoise_row(r, text, line);
	case RTLA_TIMERLAT_AUTO:
		return read_auto_line(r, text, line);
	case RTLA_CYCLICTEST:
		return read_cyclictest_row(r, text, line) || !str_trim(text).n ||
		       str_starts(skip_escapes(text), "policy:");
	default:
		return read_hist_row(r, text, line);
	}
}

static int rtla_capture(struct carrier *from, struct names *names, struct capture *c,
			struct source **s, struct err *err)
{
	(void)names, (void)s;
	struct line line;
	int ret = carrier_next(from, &line, err);
	if (ret <= 0)
		return ret;
	c->kind = CAPTURE_RTLA;
	c->rtla = arena_alloc(&c->arena, sizeof(*c->rtla));
	struct reading r = { from, c, c->rtla, false };
	read_head(&r, line.text);
	bool cyclictest = r.table->tool == RTLA_CYCLICTEST;
	if (cyclictest)
		read_row(&r, line.text, line.number);
	while ((ret = carrier_next(from, &line, err)) > 0) {
		if ((rtla_starts(line.text) && !(cyclictest && is_cyclictest(line.text))) ||
		    (!read_head_line(&r, line.text) && !read_row(&r, line.text, line.number))) {
			carrier_back(from, &line);
			break;
		}
		c->last_line = line.last;
	}
	if (ret < 0)
		return ret;
	return c->rtla->rows.n || c->rtla->parts.n ? 1 : 0;
}

const struct format format_rtla = {
	.looks_for = "tables of rtla or cyclictest",
	.starts = rtla_starts,
	.open = rtla_capture,
};
