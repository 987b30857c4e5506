/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "read/tracer_row.h"

#include "core/capture.h"

/* Cuts blanks and a number that is not negative off *s. */
static bool cut_number(struct str *s, int64_t *n)
{
	struct str t = str_trim_left(*s);
	if (!str_unsigned(&t, n))
		return false;
	*s = t;
	return true;
}

/* Cuts blanks and a mark off *s. */
static bool cut_mark(struct str *s, const char *mark)
{
	struct str t = str_trim_left(*s);
	if (!str_starts(t, mark))
		return false;
	*s = str_from(t, strlen(mark));
	return true;
}

/*
 * "#402268 context    irq timer_latency     13585 ns" (trace_timerlat_print in
 * kernel/trace/trace_output.c): "#%-5u context %6s timer_latency %9llu ns". s is behind the
 * number.
 */
static enum row_result parse_timerlat(struct names *names, struct str s, struct payload *p)
{
	if (!cut_mark(&s, "context"))
		return ROW_NONE;
	struct str context = str_word(&s);
	if (!context.n || !cut_mark(&s, "timer_latency") || !cut_number(&s, &p->args.a) ||
	    !cut_mark(&s, "ns"))
		return ROW_OPEN;
	p->point = POINT_TIMERLAT;
	p->args.name = names_id(names, context);
	return ROW_OK;
}

/* "ts:1581527668.970010500 count:1 nmi-total:7 nmi-count:1": each but ts came with a version or
 * stands only where there was an NMI. */
static void parse_hwlat_extras(struct str s, struct payload *p)
{
	static const char *const keys[] = { "count:", "nmi-total:", "nmi-count:" };
	int64_t *const to[] = { &p->args.c, &p->args.count[0], &p->args.count[1] };
	for (struct str word = str_word(&s); word.n; word = str_word(&s)) {
		for (size_t i = 0; i < 3; i++) {
			struct str number = str_from(word, strlen(keys[i]));
			if (str_starts(word, keys[i]) && !cut_number(&number, to[i]))
				*to[i] = UNKNOWN;
		}
	}
}

/*
 * "#10    inner/outer(us):    9/11    ts:1581527668.970010500 count:1" (trace_hwlat_print):
 * "#%-5u inner/outer(us): %4llu/%-5llu ts:%lld.%09ld count:%d". s is behind the number.
 */
static enum row_result parse_hwlat(struct str s, struct payload *p)
{
	if (!cut_mark(&s, "inner/outer(us):"))
		return ROW_NONE;
	if (!cut_number(&s, &p->args.a) || !cut_mark(&s, "/") || !cut_number(&s, &p->args.b))
		return ROW_OPEN;
	p->point = POINT_HWLAT;
	p->args.c = p->args.count[0] = p->args.count[1] = UNKNOWN;
	parse_hwlat_extras(s, p);
	return ROW_OK;
}

/*
 * "1000000        190  99.98100       9     18      0   1007     18      1" (trace_osnoise_print):
 * runtime, noise, % available (of five decimals), longest single noise, then how often each
 * source interfered.
 */
static enum row_result parse_osnoise(struct str s, struct payload *p)
{
	int64_t percent, decimals;
	if (!cut_number(&s, &p->args.c) || !cut_number(&s, &p->args.a) ||
	    !cut_number(&s, &percent) || !str_starts(s, "."))
		return ROW_NONE;
	s = str_from(s, 1);
	if (!cut_number(&s, &decimals) || !cut_number(&s, &p->args.b))
		return ROW_NONE;
	for (int i = 0; i < NOISE_SOURCES; i++) {
		if (!cut_number(&s, &p->args.count[i]))
			return ROW_NONE;
	}
	if (str_trim(s).n)
		return ROW_NONE;
	p->point = POINT_OSNOISE;
	return ROW_OK;
}

enum row_result tracer_row_parse(struct names *names, struct str s, struct event *e,
				 struct payload *p)
{
	int64_t number;
	e->what = 0;
	p->text = s;
	p->point = POINT_NONE;
	memset(&p->args, 0, sizeof(p->args));
	if (!str_starts(s, "#"))
		return parse_osnoise(s, p);
	s = str_from(s, 1);
	if (!cut_number(&s, &number))
		return ROW_NONE;
	enum row_result got = parse_timerlat(names, s, p);
	if (got == ROW_NONE)
		return parse_hwlat(s, p);
	p->args.b = number;
	return got;
}
