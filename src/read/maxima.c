/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the latency tracers say in the kernel's log (check_critical_timing and
 * trace_stop_sched_switched in kernel/latency_trace.c of the -rt patches, 2.6.26's
 * kernel/trace/trace_irqsoff.c):
 *
 *	(          IRQ 17-776  |#0): new 12 us maximum-latency critical section.
 *	(          IRQ 17-776  |#0): 61 us critical section violates 50 us threshold.
 *	 => started at timestamp 3046274: <do_IRQ+0x19/0x190>
 *	 =>   ended at timestamp 3046335: <do_IRQ+0x13d/0x190>
 *
 * and a stack. In 2004 it was "(swapper/0): new 12 us ...", without the CPU. One capture has all
 * such lines up to where another begins, whatever else the log holds between them.
 */
#include "read/format.h"
#include "read/latency_entry.h"

struct reading {
	struct names *names;
	struct capture *capture;
};

/* "IRQ 17-776  |#0" */
static bool read_who(struct names *names, struct str s, struct maximum *m)
{
	int64_t pid;
	ptrdiff_t bar = str_find(s, "|#");
	m->cpu = UNKNOWN;
	if (bar >= 0) {
		struct str cpu = str_from(s, (size_t)bar + 2);
		if (!str_number(&cpu, &m->cpu) || cpu.n || m->cpu < 0)
			return false;
		s = str_head(s, (size_t)bar);
	}
	s = str_trim(s);
	ptrdiff_t at = str_rfind_char(s, bar >= 0 ? '-' : '/');
	struct str number = str_from(s, (size_t)(at + 1));
	if (at < 0 || !str_number(&number, &pid) || number.n || pid > INT32_MAX)
		return false;
	m->task = names ? names_task(names, str_trim(str_head(s, (size_t)at)), (int32_t)pid) : 0;
	return true;
}

/* "12 us", or "12us"; *s goes on behind it. */
static bool read_us(struct str *s, int64_t *us)
{
	struct str t = str_trim_left(*s);
	if (!str_number(&t, us) || *us < 0)
		return false;
	t = str_trim_left(t);
	if (!str_starts(t, "us"))
		return false;
	*s = str_trim_left(str_from(t, 2));
	return true;
}

static struct str up_to(struct str s, const char *mark)
{
	ptrdiff_t at = str_find(s, mark);
	return at < 0 ? s : str_trim(str_head(s, (size_t)at));
}

/* "new 12 us maximum-latency wakeup.", "61 us critical section violates 50 us threshold." */
static bool read_what(struct names *names, struct str s, struct maximum *m)
{
	static const char maximum[] = "maximum-latency";
	bool new = str_starts(s, "new ");
	s = str_from(s, new ? strlen("new ") : 0);
	if (!read_us(&s, &m->latency_us))
		return false;
	struct str section = up_to(s, new ? "." : " violates ");
	m->threshold_us = UNKNOWN;
	if (!new) {
		ptrdiff_t at = str_find(s, " violates ");
		struct str rest = str_from(s, (size_t)at + strlen(" violates "));
		if (at < 0 || !read_us(&rest, &m->threshold_us) || !str_starts(rest, "threshold"))
			return false;
		section = up_to(section, " latency");
	} else if (str_starts(section, maximum)) {
		section = str_trim(str_from(section, strlen(maximum)));
	} else {
		struct str name = up_to(section, "-latency"); /* "user-latency" */
		if (name.n == section.n)
			return false;
		section = name;
	}
	m->section = names && section.n ? names_id(names, section) : 0;
	return true;
}

/* Without names: only whether it is such a line. */
static bool read_maximum(struct names *names, struct str text, struct maximum *m)
{
	struct str s = str_trim(text);
	ptrdiff_t end = str_starts(s, "(") ? str_find(s, "): ") : -1;
	if (end < 0)
		return false;
	*m = (struct maximum){ 0 };
	struct str who = str_head(str_from(s, 1), (size_t)end - 1);
	s = str_trim_left(str_from(s, (size_t)end + 3));
	return read_who(NULL, who, m) && read_what(names, s, m) && read_who(names, who, m);
}

static bool maxima_starts(struct str text)
{
	struct maximum m;
	return read_maximum(NULL, text, &m);
}

/* "=> started at timestamp 3046274: <do_IRQ+0x19/0x190>" */
static bool read_place(struct reading *r, struct str text)
{
	struct str s = str_trim(text);
	if (!str_starts(s, "=>") || !r->capture->maxima.n || r->capture->more_maxima)
		return false;
	s = str_trim_left(str_from(s, 2));
	bool start = str_starts(s, "started at");
	ptrdiff_t colon = str_find_char(s, ':');
	if ((!start && !str_starts(s, "ended at")) || colon < 0)
		return false;
	s = str_trim(str_from(s, (size_t)colon + 1));
	if (str_starts(s, "<") && s.p[s.n - 1] == '>')
		s = str_head(str_from(s, 1), s.n - 2);
	struct maximum *m = vec_last(&r->capture->maxima);
	*(start ? &m->started_at : &m->ended_at) = names_id(r->names, entry_bare_symbol(s));
	return true;
}

/* False where another capture begins. */
static bool take_line(struct reading *r, const struct line *line)
{
	struct capture *c = r->capture;
	struct maximum m;
	if (read_maximum(r->names, line->text, &m)) {
		m.line = line->number;
		if (c->maxima.n < MAXIMA_KEPT)
			vec_push(&c->maxima, m);
		else
			c->more_maxima++;
	} else if (!read_place(r, line->text)) {
		if (format_begins_other(&format_maxima, line->text))
			return false;
		capture_trailing(c, str_trim(line->text));
		return true;
	}
	c->last_line = line->last;
	c->n_trailing = 0;
	return true;
}

static int maxima_open(struct carrier *from, struct names *names, struct capture *c,
		       struct source **s, struct err *err)
{
	struct reading r = { names, c };
	struct line line;
	int ret;
	*s = NULL;
	c->kind = CAPTURE_MAXIMA;
	while ((ret = carrier_next(from, &line, err)) > 0) {
		if (!take_line(&r, &line)) {
			carrier_back(from, &line);
			break;
		}
	}
	return ret < 0 ? ret : c->maxima.n > 0;
}

const struct format format_maxima = {
	.looks_for = "maxima that the kernel's log tells",
	.starts = maxima_starts,
	.open = maxima_open,
};
