/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/graph_columns.h"

#include <inttypes.h>

#define TASK_WIDTH 14 /* TRACE_GRAPH_PROCINFO_LENGTH */

/* print_lat_header: four columns, however many the lines have. */
static void write_flags_legend(FILE *out, unsigned columns)
{
	static const char *const lines[] = { "  _-----=> irqs-off", " / _----=> need-resched",
					     "| / _---=> hardirq/softirq",
					     "|| / _--=> preempt-depth", "||| /" };
	int before = columns & (GRAPH_COLUMN_TIME | GRAPH_COLUMN_SINCE) ? 16 : 0;
	before += columns & GRAPH_COLUMN_CPU ? 4 : 0;
	before += columns & GRAPH_COLUMN_TASK ? 17 : 0;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		fprintf(out, "#%*s%s\n", before, "", lines[i]);
}

/* __print_graph_headers_flags */
void render_graph_legend(FILE *out, unsigned columns)
{
	static const struct {
		enum graph_column column;
		const char *name, *bars;
	} cells[] = {
		{ GRAPH_COLUMN_TIME, "     TIME       ", "      |         " },
		{ GRAPH_COLUMN_SINCE, "   REL TIME     ", "      |         " },
		{ GRAPH_COLUMN_CPU, " CPU", " |  " },
		{ GRAPH_COLUMN_TASK, "  TASK/PID       ", "   |    |        " },
		{ GRAPH_COLUMN_FLAGS, "||||   ", "||||   " },
	};
	if (columns & GRAPH_COLUMN_FLAGS)
		write_flags_legend(out, columns);
	for (int line = 0; line < 2; line++) {
		fputc('#', out);
		for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++) {
			if (columns & cells[i].column)
				fputs(line ? cells[i].bars : cells[i].name, out);
		}
		fputs(line ? "   |   |                     |   |   |   |\n"
			   : "  DURATION                  FUNCTION CALLS\n",
		      out);
	}
}

/* print_graph_proc; the comm that was read may have been cut to seven characters there. */
void render_graph_task(FILE *out, const struct names *names, uint32_t task)
{
	struct task t = names_task_of(names, task);
	struct str comm = names_str(names, t.comm);
	char pid[16];
	int n = snprintf(pid, sizeof(pid), "%" PRId32, t.pid);
	int blanks = comm.n + 1 + (size_t)n < TASK_WIDTH ? TASK_WIDTH - 1 - n - (int)comm.n : 0;
	fprintf(out, "%*s%.*s-%s%*s", blanks / 2, "", STR_ARG(comm), pid, blanks - blanks / 2, "");
}

/* The one column that most graphs have, so without printf(). */
static void write_cpu(FILE *out, unsigned cpu)
{
	char text[16], *end = text + sizeof(text), *p = end;
	*--p = ' ';
	*--p = ')';
	do
		*--p = (char)('0' + cpu % 10);
	while (cpu /= 10);
	*--p = ' ';
	fwrite(p, 1, (size_t)(end - p), out);
}

void render_graph_columns(FILE *out, const struct names *names, const struct event *e,
			  unsigned columns)
{
	int64_t us = e->time / 1000;
	if (columns & GRAPH_COLUMN_TIME)
		fprintf(out, "%5" PRId64 ".%06d |  ", us / 1000000, (int)(us % 1000000));
	if (columns & GRAPH_COLUMN_SINCE)
		fprintf(out, "%9" PRId64 " us |  ", us);
	if (columns & GRAPH_COLUMN_CPU)
		write_cpu(out, e->cpu);
	if (columns & GRAPH_COLUMN_TASK) {
		render_graph_task(out, names, e->task);
		fputs(" | ", out);
	}
	char flags[8];
	event_flags_print(e->flags, flags);
	if (columns & GRAPH_COLUMN_FLAGS && *flags)
		fprintf(out, " %s | ", flags);
}
