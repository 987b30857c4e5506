/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell explain: what a trace says, file by file. */
#include "analyze/explain.h"
#include "analyze/explain_graph.h"
#include "analyze/locks.h"
#include "analyze/maxima.h"
#include "analyze/ranking.h"
#include "analyze/rtla.h"
#include "base/units.h"

#include <stdlib.h>

#include "cmd/command.h"
#include "cmd/inputs.h"
#include "cmd/output.h"
#include "render/report_json.h"
#include "render/text.h"

struct options {
	int64_t top, what_if, budget;
	struct option_overhead overhead;
	const char *loop, *class;
	int cpu, format, sort;
	bool tree;
	/* Of a whole trace. */
	const char *kinds, *from, *to;
	struct section_options sections; /* the texts above, read */
};

static const char *const formats[] = { "text", "json", NULL };
enum { FORMAT_TEXT, FORMAT_JSON };

#define OPT(member) offsetof(struct options, member)

static const struct option options[] = {
	{ "what-if", 'n', OPTION_COUNT, OPT(what_if), 1, INT64_C(1000000000000), NULL, "N",
	  "how long it would take if the loop ran N turns", "What if" },
	{ "budget", 'b', OPTION_TIME, OPT(budget), 1, 0, NULL, "TIME",
	  "how many turns of the loop fit into TIME, such as 100us or 1.5ms", "What if" },
	{ "overhead", 0, OPTION_OVERHEAD, OPT(overhead), 0, 0, NULL, "COST",
	  "what tracing cost, to be taken out of the answers: 20-30% (the trace shows 1.2 to 1.3 "
	  "times the true time) or 150ns (for each traced entry)",
	  "What if" },
	{ "loop", 'l', OPTION_STRING, OPT(loop), 0, 0, NULL, "FUNCTION",
	  "the function at the head of the loop that is meant (default: the loop that takes most "
	  "of the time)",
	  "What if" },
	{ "kind", 'k', OPTION_STRING, OPT(kinds), 0, 0, NULL, "KIND,...",
	  "look at these kinds of sections: wakeup, runq, irqs-off, preempt-off, lock, "
	  "lock-hold, softirq-wait, irq, softirq, syscall",
	  "Whole traces" },
	{ "task", 'p', OPTION_STRING, OPT(sections.task), 0, 0, NULL, "COMM|PID|tgid:PID",
	  "look at sections of this task, of those whose comm matches a pattern, or of the threads "
	  "of a process",
	  "Whole traces" },
	{ "from", 0, OPTION_STRING, OPT(from), 0, 0, NULL, "SECONDS",
	  "leave out sections that begin before this time of the trace", "Whole traces" },
	{ "to", 0, OPTION_STRING, OPT(to), 0, 0, NULL, "SECONDS",
	  "leave out sections that end after it", "Whole traces" },
	{ "worst", 'w', OPTION_COUNT, OPT(sections.worst), 0, SECTION_WORST_MAX, NULL, "K",
	  "tell the K worst sections of each kind (default: the worst one of three kinds)",
	  "Whole traces" },
	{ "threshold", 0, OPTION_TIME, OPT(sections.threshold_ns), 1, 0, NULL, "TIME",
	  "count sections that are longer, and tell no others", "Whole traces" },
	{ "class", 'C', OPTION_STRING, OPT(class), 0, 0, NULL, "PATTERN",
	  "look at these classes of locks, such as '*mmap_lock*'", "Locks" },
	{ "sort", 's', OPTION_ENUM, OPT(sort), 0, 0, lock_sort_names, "KEY",
	  "the order of locks: wait (default), wait-max, wait-mean, contentions, rate, bounces, "
	  "hold, hold-max, hold-mean or acquisitions",
	  "Locks" },
	{ "cpu", 'c', OPTION_CPU, OPT(cpu), 0, 65535, NULL, "N",
	  "look at CPU N (default: the one that the header names)", "Output" },
	{ "tree", 'T', OPTION_FLAG, OPT(tree), 0, 0, NULL, NULL, "show the folded call tree, too",
	  "Output" },
	{ "top", 't', OPTION_COUNT, OPT(top), 1, 1000000, NULL, "N",
	  "rows of a table that text shows (default 8); JSON has them all", "Output" },
	{ "format", 'f', OPTION_ENUM, OPT(format), 0, 0, formats, NULL,
	  "text (default) for people, or json with everything in it", "Output" },
	{ 0 },
};

static const char *const details[] = {
	"Reads the traces of kernels since 2004 and tables of locks, clean or quoted in a mail. "
	"Of a latency trace it says what was off or who waited, where the time went, which loop "
	"took it, "
	"what another number of turns "
	"would have cost, and how far the figures can be trusted; of a whole trace, which sections "
	"took longest and why; of a table, which locks are waited for, where, and who held them.",
	"  dwell explain --what-if 192 --budget 100us /sys/kernel/tracing/trace",
	NULL,
};

/* The reports of all inputs, written one after the other. */
struct printer {
	struct input_reader reader;
	const struct options *options;
	struct json json;
	struct ranking ranking;
	bool many; /* more than one report is known to come: each gets its label */
	bool any;
	struct strbuf held; /* the text of the first one, until a second one comes or none */
	char *held_label;
};

static void print_text(struct printer *p, const char *label, const struct strbuf *text)
{
	if (p->any)
		output_text(str_of("\n"));
	p->any = true;
	if (p->many && label) {
		output_text(str_of(label));
		output_text(str_of("\n"));
	}
	output_text(strbuf_get(text));
}

/* Whether one report stands alone, or is the first of several, is known when the next one comes. */
static void print_held(struct printer *p)
{
	if (p->held.n)
		print_text(p, p->held_label, &p->held);
	strbuf_fini(&p->held);
	free(p->held_label);
	p->held_label = NULL;
}

static void print_report(struct printer *p, const struct report *r)
{
	if (p->options->format == FORMAT_JSON) {
		render_report_json(&p->json, r);
		return;
	}
	struct strbuf cleanup_strbuf out = { 0 };
	struct report unlabelled = *r;
	unlabelled.label = NULL; /* print_text knows whether it is wanted */
	render_text(&unlabelled, output_colour(), &out);
	if (!p->many && !p->held.n) {
		p->held = out;
		p->held_label = r->label ? mem_strdup(r->label) : NULL;
		out = (struct strbuf){ 0 };
		return;
	}
	p->many = true;
	print_held(p);
	print_text(p, r->label, &out);
}

static struct explain_options analysis_options(const struct options *o)
{
	return (struct explain_options){
		.cpu = o->cpu < 0 ? UNKNOWN : o->cpu,
		.top = o->top,
		.tree = o->tree,
		.sections = o->sections,
		.locks = { o->class, o->top, (enum lock_sort)o->sort },
		.what_if = {
			.turns = o->what_if ? o->what_if : UNKNOWN,
			.budget_ns = o->budget ? o->budget : UNKNOWN,
			.loop = o->loop,
			.overhead = { o->overhead.given, o->overhead.percent, o->overhead.low,
				      o->overhead.high },
		},
	};
}

/* The file, and what of it. */
static const char *label_of(const struct input *in, struct report *r)
{
	const struct capture *c = in->capture;
	bool table = c->kind == CAPTURE_LOCKS || c->kind == CAPTURE_RTLA;
	if (c->label && str_eq(str_of(c->trace.format), "trace-dat"))
		return arena_printf(&r->arena, "%s, buffer %s", in->name, c->label);
	if (in->index > 1)
		return arena_printf(&r->arena, "%s, %s %u", in->name, table ? "table" : "trace",
				    in->index);
	return in->name;
}

static int explain_capture(struct input_reader *reader, const struct input *in, struct err *err)
{
	struct printer *p = (struct printer *)reader;
	struct explain_options o = analysis_options(p->options);
	struct report r = { 0 };
	int ret = 0;
	if (in->capture->kind == CAPTURE_MAXIMA)
		analyze_maxima(in->capture, o.top, &r);
	else if (in->capture->kind == CAPTURE_LOCKS)
		analyze_locks(in->capture, &o.locks, &r);
	else if (in->capture->kind == CAPTURE_RTLA)
		analyze_rtla(in->capture, o.top, &r);
	else if (in->capture->trace.graph)
		ret = analyze_graph(in->capture, in->source, &o, &r, err);
	else
		ret = analyze_explain(in->capture, in->source, &o, &r, err);
	if (!ret) {
		r.file = in->name;
		r.capture = in->index;
		r.label = label_of(in, &r);
		ranking_add(&p->ranking, &r);
		print_report(p, &r);
	}
	report_fini(&r);
	return ret;
}

static void print_ranking(struct printer *p)
{
	struct report r = { 0 };
	if (p->ranking.rows.n > 1) {
		ranking_report(&p->ranking, &r);
		print_report(p, &r);
	}
	report_fini(&r);
}

/* "9.055187": seconds, as the trace prints them. */
static int parse_seconds(const char *option, const char *text, int64_t *ns)
{
	if (!text)
		return COMMAND_GOES_ON;
	const char *why = units_read_seconds(str_of(text), ns);
	if (why)
		return command_usage_error("option '--%s': '%s' %s", option, text, why);
	return COMMAND_GOES_ON;
}

/* "tgid:1234" in the place of a task. */
static int parse_tgid(struct section_options *s)
{
	static const char tgid[] = "tgid:";
	if (!s->task || !str_starts(str_of(s->task), tgid))
		return COMMAND_GOES_ON;
	struct str number = str_from(str_of(s->task), strlen(tgid));
	if (!str_number(&number, &s->tgid) || number.n || s->tgid <= 0)
		return command_usage_error("option '--task': '%s' names no process: 'tgid:' and "
					   "its number are expected",
					   s->task);
	s->task = NULL;
	return COMMAND_GOES_ON;
}

static int parse_sections(struct options *o)
{
	struct err err;
	if (o->kinds && sect_parse(o->kinds, &o->sections.sects, &err))
		return command_usage_error("option '--kind': %s", err.msg);
	int code = parse_tgid(&o->sections);
	if (code == COMMAND_GOES_ON)
		code = parse_seconds("from", o->from, &o->sections.from);
	if (code == COMMAND_GOES_ON)
		code = parse_seconds("to", o->to, &o->sections.to);
	if (code == COMMAND_GOES_ON && o->from && o->to && o->sections.from > o->sections.to)
		return command_usage_error("option '--from': '%s' is after '--to %s'", o->from,
					   o->to);
	return code;
}

static int explain_run(int argc, char **argv)
{
	struct options o = { .top = 8, .sections = SECTION_OPTIONS_NONE };
	struct operands files;
	int code = command_begin(&cmd_explain, &o, argc, argv, &files);
	if (code == COMMAND_GOES_ON)
		code = parse_sections(&o);
	if (code == COMMAND_GOES_ON)
		code = command_inputs(&cmd_explain, &files);
	if (code != COMMAND_GOES_ON)
		return code;

	struct printer p = { { .each = explain_capture }, .options = &o, .many = files.n > 1 };
	json_put_init(&p.json, stdout, false);
	if (o.format == FORMAT_JSON)
		json_put_open(&p.json, '[');
	code = inputs_each(&files, &p.reader);
	print_ranking(&p);
	print_held(&p);
	ranking_fini(&p.ranking);
	if (o.format == FORMAT_JSON) {
		json_put_close(&p.json, ']');
		json_put_end(&p.json);
	}
	return code;
}

const struct command cmd_explain = {
	.name = "explain",
	.purpose = "say what a trace means: why it took that long, and what would change it",
	.group = "Reading",
	.operands = "[FILE...]",
	.details = details,
	.options = options,
	.run = explain_run,
};
