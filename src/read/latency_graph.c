/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of a latency tracer with display-graph (print_graph_prologue in
 * kernel/trace/trace_functions_graph.c; older kernels print secs.usecs instead of "N us"):
 *
 *	        0 us |   0)   bash-1507    |  d..1 |   0.378 us    |    do_raw_spin_trylock();
 *	   REL TIME    CPU    TASK/PID       flags     DURATION      FUNCTION CALLS
 */
#include "read/graph_call.h"
#include "read/latency_shapes.h"

/* "0 us |" or, if it may be, "360.774522 |"; *s goes on behind it. */
static bool cut_time(struct str *s, bool seconds, int64_t *ns)
{
	struct str t = str_trim_left(*s);
	int64_t n;
	if (!t.n || t.p[0] < '0' || t.p[0] > '9' || !str_number(&t, &n))
		return false;
	if (seconds && t.n > 7 && t.p[0] == '.') {
		int64_t us;
		t = str_from(t, 1);
		struct str digits = str_head(t, 6);
		if (!str_number(&digits, &us) || digits.n || us < 0 ||
		    __builtin_mul_overflow(n, 1000000, &n) || __builtin_add_overflow(n, us, &n))
			return false;
		t = str_trim_left(str_from(t, 6));
	} else {
		t = str_trim_left(t);
		if (!str_starts(t, "us"))
			return false;
		t = str_trim_left(str_from(t, 2));
	}
	*s = str_from(t, 1);
	return t.n && t.p[0] == '|' && !__builtin_mul_overflow(n, 1000, ns);
}

/* "   0)" */
static bool cut_cpu(struct str *s, uint16_t *cpu)
{
	struct str t = str_trim_left(*s);
	int64_t n;
	if (!str_number(&t, &n) || n < 0 || n > UINT16_MAX || !t.n || t.p[0] != ')')
		return false;
	*cpu = (uint16_t)n;
	*s = str_from(t, 1);
	return true;
}

/* The cell up to the next bar, without blanks around. */
static struct str cell_of(struct str s)
{
	ptrdiff_t bar = str_find_char(s, '|');
	return bar < 0 ? (struct str){ 0 } : str_trim(str_head(s, (size_t)bar));
}

static struct str behind_cell(struct str s)
{
	return str_from(s, (size_t)str_find_char(s, '|') + 1);
}

/* "bash-1507": no call ends in a dash and digits. */
static bool is_task(struct str cell)
{
	ptrdiff_t dash = str_rfind_char(cell, '-');
	if (dash < 0 || (size_t)dash + 1 == cell.n)
		return false;
	for (size_t i = (size_t)dash + 1; i < cell.n; i++) {
		if (cell.p[i] < '0' || cell.p[i] > '9')
			return false;
	}
	return true;
}

bool latency_graph_begins(struct str line, bool of_latency)
{
	int64_t time;
	uint16_t cpu;
	return cut_time(&line, of_latency, &time) && cut_cpu(&line, &cpu);
}

enum entry_result latency_graph_parse(struct entry_reader *r, struct str line, struct event *e,
				      struct payload *p)
{
	int64_t time;
	uint16_t cpu;
	if (!cut_time(&line, r->of_latency, &time) || !cut_cpu(&line, &cpu))
		return ENTRY_NONE;
	*e = (struct event){ .time = time, .cpu = cpu };
	if (is_task(cell_of(line)) && entry_task(r, cell_of(line), &e->task))
		line = behind_cell(line);
	if (event_flags_parse(cell_of(line), &e->flags))
		line = behind_cell(line);

	r->format = "latency-graph";
	switch (graph_call_parse(r->names, line, e, p)) {
	case GRAPH_MARKER:
		return ENTRY_HIDDEN;
	case GRAPH_DAMAGED:
		r->why = "no call where one should be";
		return ENTRY_DAMAGED;
	case GRAPH_OPEN:
		r->why = "the call's end is missing";
		return ENTRY_OPEN;
	default:
		graph_open_follow(&r->graph, e);
		return ENTRY_OK;
	}
}
