/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell diff: two captures of one kind compared, or two sets of repeated ones. */
#include <errno.h>
#include <stdlib.h>

#include "analyze/explain.h"
#include "analyze/explain_graph.h"
#include "analyze/lock_diff.h"
#include "analyze/trace_diff.h"
#include "analyze/whole_diff.h"
#include "base/units.h"
#include "cmd/command.h"
#include "cmd/inputs.h"
#include "cmd/output.h"
#include "render/report_json.h"
#include "render/text.h"

struct options {
	struct option_list base, new, aliases, fail_on;
	const char *per_work, *seconds, *class;
	bool paired;
	int64_t top;
	int format;
};

static const char *const formats[] = { "text", "json", NULL };
enum { FORMAT_TEXT, FORMAT_JSON };

#define OPT(member) offsetof(struct options, member)

static const struct option options[] = {
	{ "base", 'b', OPTION_LIST, OPT(base), 0, 0, NULL, "FILE...",
	  "repeated runs of the base, up to the next option", "Runs" },
	{ "new", 'n', OPTION_LIST, OPT(new), 0, 0, NULL, "FILE...",
	  "repeated runs of what is compared with it", "Runs" },
	{ "paired", 'p', OPTION_FLAG, OPT(paired), 0, 0, NULL, NULL,
	  "run 1 of the base and run 1 of the new were neighbours in time, and so on", "Runs" },
	{ "per-work", 'w', OPTION_STRING, OPT(per_work), 0, 0, NULL, "N,N...",
	  "the work that each run did, the base's first, in any unit: locks are compared per unit "
	  "of it",
	  "Locks" },
	{ "seconds", 's', OPTION_STRING, OPT(seconds), 0, 0, NULL, "N,N...",
	  "how long each run took: locks are compared per second", "Locks" },
	{ "class", 'c', OPTION_STRING, OPT(class), 0, 0, NULL, "PATTERN",
	  "show these classes of locks, such as '*mmap_lock*' (default: the one that moved most)",
	  "Locks" },
	{ "alias", 'a', OPTION_LIST, OPT(aliases), 0, 1, NULL, "OLD=NEW",
	  "two names of one class or site, as in '&rq->lock=&rq->__lock'; may be repeated",
	  "Locks" },
	{ "fail-on", 'x', OPTION_LIST, OPT(fail_on), 0, 1, NULL, "CONDITION",
	  "exit with 3 if it holds: METRIC[ of CLASS] OP CHANGE[, ...]; may be repeated", "Locks" },
	{ "top", 't', OPTION_COUNT, OPT(top), 1, 1000000, NULL, "N",
	  "rows of a table that text shows (default 8); JSON has them all", "Output" },
	{ "format", 'f', OPTION_ENUM, OPT(format), 0, 0, formats, NULL,
	  "text (default) for people, or json with everything in it", "Output" },
	{ 0 },
};

static const char *const details[] = {
	"Compares two captures of the same kind: BASE and NEW, or the two in one file, such as a "
	"mail with two tables of locks. A file with several captures counts as so many runs.",
	"Whole traces are of any length: what a second of each holds is compared. A graph and a "
	"trace without durations cannot be.",
	"One run each gives sizes and no inference. Repeated runs give intervals where their "
	"number "
	"allows one: from 4 a side, or from 6 pairs.",
	"A condition of --fail-on names a METRIC: acquisitions, contentions, bounces, con-bounces, "
	"wait, wait-max, hold or hold-max, or one of these divided by another or by work. OP is >, "
	">=, < or <=, CHANGE is a percentage. It holds for a class when the change is more than "
	"counting alone explains; of repeated runs, when the whole interval satisfies it.",
	"  dwell diff before.txt after.txt --fail-on 'bounces/acquisitions > +10%'\n"
	"  dwell diff --base a1 a2 a3 a4 --new b1 b2 b3 b4 --per-work "
	"9e6,9e6,9e6,9e6,8e6,9e6,9e6,9e6",
	NULL,
};

/* One capture: the table or the explained trace, which has a table too if it has events of locks. */
struct run {
	enum capture_kind kind;
	const char *file;
	uint32_t line;
	bool locks; /* view is set */
	struct lock_view view;
	struct report report;
};

struct run_list {
	VEC(struct run *) at;
};

struct collector {
	struct input_reader reader;
	struct arena *arena;
	struct run_list *to;
};

static void runs_fini(struct run_list *l)
{
	vec_each (run, &l->at) {
		lock_view_fini(&(*run)->view);
		report_fini(&(*run)->report);
		free(*run);
	}
	vec_fini(&l->at);
}

static int collect_capture(struct input_reader *reader, const struct input *in, struct err *err)
{
	struct collector *c = (struct collector *)reader;
	static const struct explain_options as_it_is = {
		.cpu = UNKNOWN,
		.top = 8,
		.compare = true,
		.what_if = { .turns = UNKNOWN, .budget_ns = UNKNOWN },
		.sections = SECTION_OPTIONS_NONE,
	};
	enum capture_kind kind = in->capture->kind;
	if (kind != CAPTURE_LOCKS && kind != CAPTURE_TRACE)
		return err_set(err, EINVAL, "'%s' line %u is neither a trace nor a table of locks",
			       in->name, in->capture->first_line);
	struct run *run = mem_alloc(sizeof(*run));
	run->kind = kind;
	run->file = arena_str(c->arena, str_of(in->name));
	run->line = in->capture->first_line;
	vec_push(&c->to->at, run);
	int ret = 0;
	if (kind == CAPTURE_TRACE)
		ret = (in->capture->trace.graph ? analyze_graph : analyze_explain)(
			in->capture, in->source, &as_it_is, &run->report, err);
	run->report.file = run->file;
	run->locks = !ret && in->capture->locks;
	if (run->locks) {
		lock_view_init(&run->view, in->capture);
		lock_view_keep(&run->view, in->capture);
	}
	return ret;
}

/* The command's state: both sides, and what the options said. */
struct diff {
	const struct options *options;
	struct arena arena;
	struct run_list runs[LOCK_SIDES];
	struct lock_aliases aliases;
	struct lock_conditions conditions;
	double *work; /* of each run; NULL: not given */
};

static void diff_fini(struct diff *d)
{
	runs_fini(&d->runs[LOCK_BASE]);
	runs_fini(&d->runs[LOCK_NEW]);
	lock_aliases_fini(&d->aliases);
	lock_conditions_fini(&d->conditions);
	arena_fini(&d->arena);
	free(d->work);
}

/* Of dwell record locks --split. */
static bool is_of_one_process(const struct run *run)
{
	const struct lock_run_facts *facts = run->locks ? run->view.run : NULL;
	return facts && facts->looks == UNKNOWN && facts->pid != UNKNOWN;
}

static void warn_of_processes(const struct run_list *l)
{
	if (l->at.n < 2)
		return;
	vec_each (run, &l->at) {
		if (!is_of_one_process(*run))
			continue;
		output_warning("'%s' has a table for each process: each is taken for a run of its own; "
			       "record without --split to compare runs",
			       (*run)->file);
		return;
	}
}

static int collect(struct diff *d, int side, char **files, size_t n)
{
	struct collector c = { { .each = collect_capture }, &d->arena, &d->runs[side] };
	struct operands operands = { files, (int)n };
	int ret = inputs_each(&operands, &c.reader);
	warn_of_processes(&d->runs[side]);
	return ret;
}

/* One file: its first capture is the base, its second the new one. */
static int collect_both(struct diff *d, char **file)
{
	struct run_list *all = &d->runs[LOCK_BASE];
	int code = collect(d, LOCK_BASE, file, 1);
	if (code != COMMAND_OK)
		return code;
	if (all->at.n != 2) {
		output_error("'%s' holds %zu capture%s, and it takes two: a base and a new one",
			     file[0], all->at.n, all->at.n == 1 ? "" : "s");
		return COMMAND_FAILED;
	}
	vec_push(&d->runs[LOCK_NEW].at, all->at.at[1]);
	all->at.n = 1;
	return COMMAND_OK;
}

static int collect_all(struct diff *d, const struct operands *operands)
{
	const struct options *o = d->options;
	if (operands->n == 1)
		return collect_both(d, operands->at);
	int base, new;
	if (operands->n) {
		base = collect(d, LOCK_BASE, operands->at, 1);
		new = collect(d, LOCK_NEW, operands->at + 1, 1);
	} else {
		base = collect(d, LOCK_BASE, (char **)o->base.at, o->base.n);
		new = collect(d, LOCK_NEW, (char **)o->new.at, o->new.n);
	}
	return base != COMMAND_OK ? base : new;
}

/*
 * What the options say
 */
static int check_operands(const struct options *o, const struct operands *operands)
{
	if (o->base.n || o->new.n) {
		if (operands->n)
			return command_usage_error("'%s' is too many: files stand behind --base or "
						   "--new, or alone",
						   operands->at[0]);
		if (!o->base.n || !o->new.n)
			return command_usage_error("nothing to compare with: name runs behind --%s",
						   o->base.n ? "new" : "base");
		return COMMAND_GOES_ON;
	}
	if (!operands->n)
		return command_usage_error("no file given: name BASE and NEW, or one file that "
					   "holds both");
	if (operands->n > 2)
		return command_usage_error("'%s' is one file too many: name repeated runs behind "
					   "--base and --new",
					   operands->at[2]);
	return COMMAND_GOES_ON;
}

static int parse_texts(struct diff *d)
{
	const struct options *o = d->options;
	struct err err;
	for (size_t i = 0; i < o->aliases.n; i++) {
		if (lock_alias_add(&d->aliases, o->aliases.at[i], &err))
			return command_usage_error("option '--alias': %s", err.msg);
	}
	for (size_t i = 0; i < o->fail_on.n; i++) {
		if (lock_conditions_add(&d->conditions, o->fail_on.at[i], &err))
			return command_usage_error("option '--fail-on': %s", err.msg);
	}
	if (o->per_work && o->seconds)
		return command_usage_error("--per-work and --seconds exclude each other: locks are "
					   "compared per unit of one of them");
	vec_each (c, &d->conditions.at) {
		if (c->ratio.under == LOCK_PER_WORK && !o->per_work)
			return command_usage_error("condition '%s' needs --per-work", c->text);
	}
	return COMMAND_GOES_ON;
}

/* A number of --per-work, or of --seconds with or without a unit. */
static const char *parse_work(const struct options *o, struct str text, double *to)
{
	int64_t n = 0;
	const char *why = o->per_work ? units_read_count(text, &n) : units_read_seconds(text, &n);
	*to = o->per_work ? (double)n : (double)n / 1e9;
	return !why && !(*to > 0) ? "is not more than 0" : why;
}

/* One number a run; only when the files are read is it known how many there are. */
static int parse_works(struct diff *d)
{
	const struct options *o = d->options;
	const char *option = o->per_work ? "per-work" : "seconds";
	const char *text = o->per_work ? o->per_work : o->seconds;
	size_t runs = d->runs[LOCK_BASE].at.n + d->runs[LOCK_NEW].at.n, n = 0;
	if (!text)
		return COMMAND_GOES_ON;
	d->work = mem_array(runs, sizeof(*d->work));
	struct str rest = str_of(text);
	do {
		ptrdiff_t comma = str_find_char(rest, ',');
		struct str one = str_trim(comma < 0 ? rest : str_head(rest, (size_t)comma));
		double work;
		const char *why = parse_work(o, one, &work);
		if (why)
			return command_usage_error("option '--%s': '%.*s' %s", option, STR_ARG(one),
						   why);
		if (n < runs)
			d->work[n] = work;
		n++;
		rest = str_from(rest, comma < 0 ? rest.n : (size_t)comma + 1);
	} while (rest.n);
	if (n != runs)
		return command_usage_error("option '--%s' wants a number for each run, the base's "
					   "first: %zu, not %zu",
					   option, runs, n);
	return COMMAND_GOES_ON;
}

/* Has every run a table of locks? */
static bool have_locks(const struct diff *d)
{
	for (int side = 0; side < LOCK_SIDES; side++) {
		vec_each (run, &d->runs[side].at) {
			if (!(*run)->locks)
				return false;
		}
	}
	return true;
}

static bool are_traces(const struct diff *d)
{
	for (int side = 0; side < LOCK_SIDES; side++) {
		vec_each (run, &d->runs[side].at) {
			if ((*run)->kind != CAPTURE_TRACE)
				return false;
		}
	}
	return true;
}

/* Both sides have runs that can be compared, and no more than the statistics take. */
static int check_runs(const struct diff *d)
{
	for (int side = 0; side < LOCK_SIDES; side++) {
		vec_each (run, &d->runs[side].at) {
			const struct run *first = d->runs[LOCK_BASE].at.at[0];
			if ((*run)->kind == first->kind || have_locks(d))
				continue;
			output_error("'%s' and '%s' are of different kinds: a trace and a table "
				     "of locks cannot be compared",
				     first->file, (*run)->file);
			return COMMAND_FAILED;
		}
		if (d->runs[side].at.n > LOCK_RUNS_MAX) {
			output_error("%zu runs on one side, and at most %d can be compared",
				     d->runs[side].at.n, LOCK_RUNS_MAX);
			return COMMAND_FAILED;
		}
	}
	size_t base = d->runs[LOCK_BASE].at.n, new = d->runs[LOCK_NEW].at.n;
	if (d->options->paired && base != new)
		return command_usage_error("--paired wants as many runs on one side as on the "
					   "other, not %zu and %zu",
					   base, new);
	return COMMAND_GOES_ON;
}

/*
 * The comparison
 */
static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash && slash[1] ? slash + 1 : path;
}

/* What a side is called: its label, its file, or its first file and how many more. */
static const char *side_label(struct diff *d, int side)
{
	const struct run_list *runs = &d->runs[side];
	const struct run *first = runs->at.at[0], *other = d->runs[!side].at.at[0];
	const char *name = file_name(first->file);
	if (runs->at.n > 1)
		return arena_printf(&d->arena, "%s and %zu more", name, runs->at.n - 1);
	if (first->kind == CAPTURE_LOCKS && first->view.label)
		return first->view.label;
	if (strcmp(first->file, other->file) == 0 && first->line != other->line)
		return arena_printf(&d->arena, "line %u", first->line);
	return strcmp(name, file_name(other->file)) == 0 ? first->file : name;
}

static int exit_code_of(enum lock_verdict v)
{
	if (v == LOCK_HOLDS)
		return COMMAND_FOUND;
	if (v == LOCK_HOLDS_NOT)
		return COMMAND_OK;
	output_error("a condition of --fail-on cannot be judged: the report says which");
	return COMMAND_FAILED;
}

/*
 * Without acquisitions to divide by, and with nothing said of the work, how long each trace is:
 * that is better than totals of traces of different length. In seconds.
 */
static bool take_spans(struct diff *d)
{
	if (d->options->per_work || d->options->seconds)
		return false;
	for (int side = 0; side < LOCK_SIDES; side++) {
		vec_each (run, &d->runs[side].at) {
			const struct lock_view *v = &(*run)->view;
			if (!v->events || v->span_ns == UNKNOWN)
				return false;
			vec_each (c, &v->classes) {
				if (c->n[LOCK_ACQUISITIONS] != UNKNOWN)
					return false;
			}
		}
	}
	size_t base = d->runs[LOCK_BASE].at.n, new = d->runs[LOCK_NEW].at.n;
	d->work = mem_array(base + new, sizeof(*d->work));
	for (size_t i = 0; i < base + new; i++) {
		const struct run *run =
			i < base ? d->runs[LOCK_BASE].at.at[i] : d->runs[LOCK_NEW].at.at[i - base];
		d->work[i] = (double)run->view.span_ns / 1e9;
	}
	return true;
}

static int diff_locks(struct diff *d, struct report *r)
{
	const struct options *o = d->options;
	bool by_span = take_spans(d);
	const struct lock_view *views[LOCK_SIDES][LOCK_RUNS_MAX];
	struct lock_side side[LOCK_SIDES];
	for (int s = 0; s < LOCK_SIDES; s++) {
		for (size_t i = 0; i < d->runs[s].at.n; i++)
			views[s][i] = &d->runs[s].at.at[i]->view;
		side[s] = (struct lock_side){ side_label(d, s), views[s], d->runs[s].at.n };
	}
	struct lock_diff_options how = {
		.aliases = &d->aliases,
		.conditions = &d->conditions,
		.only = o->class,
		.top = o->top,
		.unit = o->per_work             ? LOCK_BY_WORK
			: o->seconds || by_span ? LOCK_BY_SECONDS
						: LOCK_BY_ACQUISITIONS,
		.work = d->work,
		.paired = o->paired,
		.of_traces = are_traces(d),
		.by_span = by_span,
	};
	return exit_code_of(analyze_lock_diff(side, &how, r));
}

static int diff_traces(struct diff *d, struct report *r)
{
	const struct options *o = d->options;
	struct report reports[LOCK_SIDES][TRACE_DIFF_MAX];
	struct trace_diff_side side[LOCK_SIDES];
	if (d->conditions.at.n && !have_locks(d))
		return command_usage_error("--fail-on is for locks: '%s' is a trace without events "
					   "of them",
					   d->runs[LOCK_BASE].at.at[0]->file);
	for (int s = 0; s < LOCK_SIDES; s++) {
		for (size_t i = 0; i < d->runs[s].at.n; i++)
			reports[s][i] = d->runs[s].at.at[i]->report;
		side[s] = (struct trace_diff_side){ reports[s], d->runs[s].at.n, side_label(d, s) };
	}
	bool whole;
	struct err err;
	if (!diff_check_alike(&side[LOCK_BASE], &side[LOCK_NEW], &whole, &err) &&
	    !(whole ? analyze_diff_whole : analyze_diff_traces)(&side[LOCK_BASE], &side[LOCK_NEW],
								o->top, r, &err))
		return COMMAND_OK;
	output_error("%s", err.msg);
	return COMMAND_FAILED;
}

static void print_report(const struct options *o, struct report *r)
{
	if (o->format == FORMAT_TEXT) {
		struct strbuf cleanup_strbuf out = { 0 };
		render_text(r, output_colour(), &out);
		output_text(strbuf_get(&out));
		return;
	}
	struct json json;
	json_put_init(&json, stdout, false);
	json_put_open(&json, '[');
	render_report_json(&json, r);
	json_put_close(&json, ']');
	json_put_end(&json);
}

static int compare(struct diff *d)
{
	struct report r = { 0 };
	int code = COMMAND_OK;
	if (are_traces(d))
		code = diff_traces(d, &r);
	if (code == COMMAND_OK && have_locks(d))
		code = diff_locks(d, &r);
	if (r.sections.n)
		print_report(d->options, &r);
	report_fini(&r);
	return code;
}

static int run_with(struct options *o, int argc, char **argv)
{
	struct operands operands;
	int code = command_begin(&cmd_diff, o, argc, argv, &operands);
	if (code == COMMAND_GOES_ON)
		code = check_operands(o, &operands);
	if (code != COMMAND_GOES_ON)
		return code;

	struct diff d = { .options = o };
	code = parse_texts(&d);
	if (code == COMMAND_GOES_ON)
		code = collect_all(&d, &operands);
	if (code == COMMAND_OK)
		code = check_runs(&d);
	if (code == COMMAND_GOES_ON)
		code = parse_works(&d);
	if (code == COMMAND_GOES_ON)
		code = compare(&d);
	diff_fini(&d);
	return code;
}

static int diff_run(int argc, char **argv)
{
	struct options o = { .top = 8 };
	int code = run_with(&o, argc, argv);
	option_list_fini(&o.base);
	option_list_fini(&o.new);
	option_list_fini(&o.aliases);
	option_list_fini(&o.fail_on);
	return code;
}

const struct command cmd_diff = {
	.name = "diff",
	.purpose = "compare two captures, or two sets of them: what moved, and how sure that is",
	.group = "Reading",
	.operands = "[BASE NEW | FILE]",
	.details = details,
	.options = options,
	.run = diff_run,
};
