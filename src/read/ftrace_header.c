/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "read/ftrace_header.h"

#include "read/latency_header.h"

static const char entries[] = "entries-in-buffer/entries-written:";

static struct str strip_hash(struct str t)
{
	t = str_trim(t);
	return str_starts(t, "#") ? str_trim(str_from(t, 1)) : t;
}

/* Of several files, the lines have the name of theirs in front: "trace-guest.dat: cpus=1". */
static struct str report_line(struct str text)
{
	struct str t = str_trim(text), rest = t, word = str_word(&rest);
	return word.n > 1 && word.p[word.n - 1] == ':' ? str_trim(rest) : t;
}

static bool number_only(struct str s)
{
	int64_t n;
	return str_number(&s, &n) && !str_trim(s).n;
}

static bool is_report(struct str text)
{
	struct str t = report_line(text);
	if (str_starts(t, "cpus="))
		return number_only(str_from(t, 5));
	if (str_starts(t, "version = "))
		return number_only(str_from(t, 10));
	if (!str_starts(t, "CPU "))
		return false;
	int64_t cpu;
	t = str_from(t, 4);
	return str_number(&t, &cpu) && str_eq(t, " is empty");
}

enum ftrace_header ftrace_header_classify(struct str text)
{
	switch (header_classify(text)) {
	case HEADER_TRACER:
		return FTRACE_HEADER_TRACER;
	case HEADER_TITLE:
	case HEADER_LATENCY:
		return FTRACE_HEADER_LATENCY;
	case HEADER_NONE:
		return is_report(text) ? FTRACE_HEADER_REPORT : FTRACE_HEADER_NONE;
	default:
		break;
	}
	struct str t = strip_hash(text);
	if (str_starts(t, entries))
		return FTRACE_HEADER_ENTRIES;
	return str_starts(t, "TASK-PID") ? FTRACE_HEADER_COLUMNS : FTRACE_HEADER_OTHER;
}

/* "140080/250280   #P:4"; a mail may have cut the end. */
static void read_entries(struct trace_header *h, struct str t)
{
	int64_t n;
	t = str_trim(t);
	if (!str_number(&t, &n))
		return;
	h->entries_in_buffer = n;
	if (!str_starts(t, "/"))
		return;
	t = str_from(t, 1);
	if (str_number(&t, &n))
		h->entries_written = n;
	t = str_trim(t);
	if (!str_starts(t, "#P:"))
		return;
	t = str_from(t, 3);
	if (str_number(&t, &n))
		h->cpus = n;
}

void ftrace_header_read(struct capture *c, enum ftrace_header kind, struct str text)
{
	struct trace_header *h = &c->trace;
	struct str t = strip_hash(text);
	int64_t n;
	switch (kind) {
	case FTRACE_HEADER_TRACER:
		header_read(c, HEADER_TRACER, text);
		break;
	case FTRACE_HEADER_ENTRIES:
		read_entries(h, str_from(t, strlen(entries)));
		break;
	case FTRACE_HEADER_REPORT:
		t = report_line(text);
		h->format = "trace-cmd";
		h->style = TRACE_STYLE_MAINLINE;
		if (!str_starts(t, "cpus="))
			break;
		t = str_from(t, 5);
		if (h->cpus == UNKNOWN && str_number(&t, &n))
			h->cpus = n;
		break;
	default:
		h->corrupted |= str_find(t, "FUNCTION TRACING IS CORRUPTED") >= 0;
	}
}

bool ftrace_header_of_graph(struct str text)
{
	struct str t = strip_hash(text);
	return str_eq(str_trim(str_from(t, strlen("tracer:"))), "function_graph");
}

bool ftrace_tracer_is_latency(const char *tracer)
{
	static const char *const latency[] = { "irqsoff",  "preemptoff", "preemptirqsoff",
					       "wakeup",   "wakeup_rt",  "wakeup_RT",
					       "wakeup_dl" };
	for (size_t i = 0; i < sizeof(latency) / sizeof(latency[0]); i++) {
		if (strcmp(tracer, latency[i]) == 0)
			return true;
	}
	return false;
}
