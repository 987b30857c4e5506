/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The printf formats are those of kernel/locking/lockdep_proc.c: seq_header(), seq_stats(),
 * seq_lock_time(), snprint_time().
 */
#include "render/locktab_text.h"

#include <inttypes.h>

#include "base/str.h"

#define NAME_WIDTH 40
#define CELL_WIDTH 14
#define RULE (NAME_WIDTH + 1 + LOCK_COLUMNS * (CELL_WIDTH + 1))
#define POINTS 4 /* LOCKSTAT_POINTS */

/* What the text has no room for. */
struct left_out {
	uint64_t sites, digits, sampled, estimated, details, events;
};

/* -- Cells ------------------------------------------------------------------------------------- */

struct cell {
	char text[24];
};

static struct cell count_cell(int64_t n)
{
	struct cell c;
	snprintf(c.text, sizeof(c.text), "%" PRId64, n);
	return c;
}

/*
 * us with two decimals, halves up, in 14 characters. C's division leaves a negative remainder its
 * sign, so that -320 ns is "0.-32": the kernel's way, and what readers of its text expect.
 */
static struct cell time_cell(int64_t ns)
{
	if (ns % 10 && ns < INT64_MAX - 5)
		ns += 5;
	struct cell c;
	snprintf(c.text, sizeof(c.text), "%" PRId64 ".%02d", ns / 1000, (int)(ns % 1000) / 10);
	c.text[CELL_WIDTH] = '\0';
	return c;
}

/*
 * What is not exact has a mark behind it, where it does not spoil the number for most tools. A time
 * that fills its cell without a point has lost digits in the kernel: that shows by itself, and the
 * text stays the kernel's.
 */
static bool lost_digits(enum lock_column c, int64_t n)
{
	return lock_column_is_time(c) && !strchr(time_cell(n).text, '.');
}

static struct cell cell_of(const struct lock_row *r, enum lock_column c)
{
	if (!lock_known(r, c))
		return (struct cell){ "-" };
	int64_t n = r->value[c].n;
	struct cell cell = lock_column_is_time(c) ? time_cell(n) : count_cell(n);
	if (r->value[c].known != LOCK_EXACT && !lost_digits(c, n))
		strcat(cell.text, "~");
	return cell;
}

/* -- Lines ------------------------------------------------------------------------------------- */

static void line_of(FILE *out, char c, int indent, int n)
{
	fprintf(out, "%*s", indent > 0 ? indent : 0, "");
	while (n-- > 0)
		putc(c, out);
	putc('\n', out);
}

static void head(FILE *out, const struct locktab *t)
{
	fputs("lock_stat version 0.4\n", out);
	if (locktab_is_program(t))
		fputs(LOCKTAB_PROGRAM_MARK ", recorded by dwell\n", out);
	if (t->lockdep_disabled)
		fputs("*WARNING* lock debugging disabled!! - possibly due to a lockdep warning\n",
		      out);
	line_of(out, '-', 0, RULE);
	fprintf(out, "%*s", NAME_WIDTH, "class name");
	for (enum lock_column c = 0; c < LOCK_COLUMNS; c++)
		fprintf(out, " %*s", CELL_WIDTH, lock_column_title(c));
	putc('\n', out);
	line_of(out, '-', 0, RULE);
	putc('\n', out);
}

/* "vm_mmap (rwsem)" for the place that waits; whether for reading has its own mark. */
static void place_of(const struct lock_row *r, struct strbuf *name)
{
	struct str type = str_of(r->type ? r->type : "lock");
	ptrdiff_t colon = str_find_char(type, ':');
	type = colon < 0 ? type : str_head(type, (size_t)colon);
	if (r->caller)
		strbuf_printf(name, "%s (%.*s)", r->caller, STR_ARG(type));
	else
		strbuf_add(name, type.p, type.n);
}

/*
 * A name as this format can hold it: perf's rows have a symbol or a caller instead, and a name that
 * is none of the kernel's may hold a line end.
 */
static void name_of(const struct locktab *t, const struct lock_row *r, struct strbuf *name)
{
	const char *const may[] = { r->name, r->symbol, r->caller, r->comm, r->address, r->cgroup };
	const char *z = NULL;
	for (size_t i = 0; i < sizeof(may) / sizeof(may[0]) && !z; i++)
		z = may[i];
	if (locktab_is_events(t) && !r->name)
		place_of(r, name);
	else
		strbuf_str(name, z ? z : "(unnamed)");
	for (char *p = name->p; *p; p++) {
		if ((unsigned char)*p < 0x20)
			*p = '?';
	}
}

static void class_line(FILE *out, const char *name, const struct lock_row *r)
{
	if (r->rw)
		fprintf(out, "%*s-%c:", NAME_WIDTH - 2, name, r->rw);
	else
		fprintf(out, "%*s:", NAME_WIDTH, name);
	for (enum lock_column c = 0; c < LOCK_COLUMNS; c++) {
		/* seq_stats() puts the blank behind the two bounces; the others have it before. */
		bool bounces = c == LOCK_CON_BOUNCES, before = !bounces && c != LOCK_CONTENTIONS;
		fprintf(out, "%s%*s%s", before && c != LOCK_ACQUISITIONS ? " " : "", CELL_WIDTH,
			cell_of(r, c).text, bounces || c == LOCK_ACQ_BOUNCES ? " " : "");
	}
	putc('\n', out);
}

/* A program's have no address: '-', for the line must not look like one of a class. */
static void point(FILE *out, const struct locktab *t, const char *name, const struct lock_site *s)
{
	/* Of a program that was looked at they count looks. */
	bool counted = s->count != UNKNOWN && !locktab_is_sampled(t);
	char address[40] = "";
	if (s->address || locktab_is_program(t))
		snprintf(address, sizeof(address), "[<%s>]", s->address ? s->address : "-");
	fprintf(out, "%*s %*s %29s %s%s\n", NAME_WIDTH, name, CELL_WIDTH,
		counted ? count_cell(s->count).text : "-", address, s->symbol ? s->symbol : "",
		s->suffix ? s->suffix : "");
}

/* One block of sites, behind its rule; false: there are none. */
static bool points(FILE *out, const struct locktab *t, const char *name, bool readers,
		   const struct lock_sites *sites)
{
	int length = (int)strlen(name) + (readers ? 2 : 0);
	for (size_t i = 0; i < sites->n && i < POINTS; i++) {
		if (!i)
			line_of(out, '-', NAME_WIDTH - length, length);
		point(out, t, name, &sites->at[i]);
	}
	return sites->n > 0;
}

/* The -W and the -R row of a pair have their sites in common. */
static bool is_pair(const struct lock_row *r, const struct lock_row *next)
{
	return r->rw == 'W' && next->rw == 'R' && r->name && next->name &&
	       strcmp(r->name, next->name) == 0;
}

static size_t class_of(FILE *out, const struct locktab *t, size_t i)
{
	const struct lock_row *r = &t->rows.at[i];
	struct strbuf cleanup_strbuf name = { 0 };
	name_of(t, r, &name);
	class_line(out, name.p, r);
	size_t n = 1;
	if (i + 1 < t->rows.n && is_pair(r, r + 1)) {
		class_line(out, name.p, r + 1);
		n = 2;
	}
	bool readers = n == 2 || r->rw == 'R';
	points(out, t, name.p, readers, &r->waiting);
	if (points(out, t, name.p, readers, &r->holding)) {
		putc('\n', out);
		line_of(out, '.', 0, RULE);
		putc('\n', out);
	}
	return n;
}

/* -- What is left out -------------------------------------------------------------------------- */

/* mended: some of the means were computed, to the nanosecond; that is no loss. */
static void count_row(struct left_out *l, const struct lock_row *r, bool mended)
{
	l->sites += r->waiting.n > POINTS ? r->waiting.n - POINTS : 0;
	l->sites += r->holding.n > POINTS ? r->holding.n - POINTS : 0;
	for (enum lock_column c = 0; c < LOCK_COLUMNS; c++) {
		if (!lock_known(r, c) || lost_digits(c, r->value[c].n))
			continue;
		l->sampled += r->value[c].known == LOCK_SAMPLED;
		l->estimated += r->value[c].known == LOCK_ESTIMATED;
		bool computed = mended && (c == LOCK_WAIT_AVG || c == LOCK_HOLD_AVG);
		l->digits += lock_column_is_time(c) && r->value[c].n % 10 && !computed;
	}
	l->details += r->type || r->caller || r->comm || r->address || r->symbol || r->cgroup ||
		      r->max_comm || r->pid != UNKNOWN || r->stack.n;
}

/* What a program waits for, but is no lock, has no place in a table of locks. */
static bool is_left_out(const struct locktab *t, const struct lock_row *r)
{
	return locktab_is_program(t) && lock_row_is_event(r);
}

static void comment(FILE *out, uint64_t n, const char *one, const char *many)
{
	if (n)
		fprintf(out, "# %" PRIu64 " %s\n", n, n == 1 ? one : many);
}

static void comments(FILE *out, const struct locktab *t)
{
	struct left_out l = { 0 };
	vec_each (r, &t->rows) {
		if (is_left_out(t, r))
			l.events++;
		else
			count_row(&l, r, t->averages_mended > 0);
	}
	comment(out, l.events, "row is left out: a condition, a semaphore or the like is no lock",
		"rows are left out: conditions, semaphores and the like are no locks");
	comment(out, l.sites, "site is left out: this format has four a block",
		"sites are left out: this format has four a block");
	comment(out, l.digits, "time is rounded to 10 ns", "times are rounded to 10 ns");
	comment(out, l.sampled, "value is sampled, not exact: ~ is behind it",
		"values are sampled, not exact: ~ is behind them");
	comment(out, l.estimated, "value is estimated, not exact: ~ is behind it",
		"values are estimated, not exact: ~ is behind them");
	comment(out, l.details, "row has more to it: a type, a caller, a task or an address",
		"rows have more to them: a type, a caller, a task or an address");
	comment(out, (uint64_t)t->averages_mended,
		"average had wrapped in the kernel, and is computed anew",
		"averages had wrapped in the kernel, and are computed anew");
	if (!locktab_is_lock_stat(t))
		fprintf(out, "# the source is %s: what it does not say is '-'\n", t->source);
	else if (t->version && strcmp(t->version, "0.4") != 0)
		fprintf(out, "# the source is lock_stat version %s: what it does not say is '-'\n",
			t->version);
}

void render_locktab_text(FILE *out, const struct capture *c)
{
	const struct locktab *t = c->locks;
	comments(out, t);
	if (c->label)
		fprintf(out, "%s\n", c->label);
	head(out, t);
	for (size_t i = 0; i < t->rows.n;)
		i += is_left_out(t, &t->rows.at[i]) ? 1 : class_of(out, t, i);
}
