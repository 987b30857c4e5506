/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell convert: what was read, in another format. */
#include "analyze/digest.h"
#include "analyze/fold.h"
#include "analyze/section.h"
#include "cmd/command.h"
#include "cmd/inputs.h"
#include "cmd/output.h"
#include "render/digest.h"
#include "render/folded.h"
#include "render/ftrace_text.h"
#include "render/graph_text.h"
#include "render/jsonl.h"
#include "render/latency.h"
#include "render/latency_header.h"
#include "render/locktab_csv.h"
#include "render/locktab_json.h"
#include "render/locktab_text.h"
#include "render/maxima.h"
#include "render/perfetto.h"
#include "render/rtla.h"

struct options {
	int to, weight;
};

static const char *const targets[] = { "json",      "jsonl",  "trace",    "csv",
				       "lock_stat", "folded", "perfetto", NULL };
enum { TO_JSON, TO_JSONL, TO_TRACE, TO_CSV, TO_LOCK_STAT, TO_FOLDED, TO_PERFETTO };

static const char *const weights[] = { "ns", "us", "calls", NULL };

static const struct option options[] = {
	{ "to", 0, OPTION_ENUM, offsetof(struct options, to), 0, 0, targets, NULL,
	  "json (default): a digest of each trace, and everything of each table of locks; "
	  "jsonl: every event of a trace, one JSON object a line; "
	  "trace: clean text, in latency format, with full time stamps, or of function_graph, as it "
	  "was recorded, that reads back to the same trace; "
	  "csv: a line for each class of locks; "
	  "lock_stat: tables of locks as text of lock_stat 0.4; "
	  "folded: stacks for flame graphs, of traces of functions; "
	  "perfetto: JSON that ui.perfetto.dev opens",
	  NULL },
	{ "weight", 0, OPTION_ENUM, offsetof(struct options, weight), 0, 0, weights, NULL,
	  "what the figures of folded stacks are: ns (default) or us, each call's own time, or how "
	  "many calls",
	  NULL },
	{ 0 },
};

static const char *const details[] = {
	"Prints the traces and the tables of locks of the files, in their order, on standard "
	"output. "
	"Lines that cannot be read are left out, counted, and named on standard error.",
	"  dwell convert --to json trace.txt",
	NULL,
};

struct converter {
	struct input_reader reader;
	int to;
	enum folded_weight weight;
	struct json json;
	struct render_perfetto *perfetto; /* open while files are read */
	bool any;
};

static int run_sink(const struct input *in, struct sink *s, struct err *err)
{
	return source_run(in->source, in->capture, &s, 1, NULL, err);
}

/* The digest, and behind it the table of locks if there is one. */
static int convert_json(struct converter *c, const struct input *in, struct err *err)
{
	struct analyze_digest d;
	analyze_digest_init(&d);
	int ret = trace_locktab(in->capture, in->source, &d.sink, err);
	if (!ret)
		render_digest(&c->json, in->capture, &d.digest);
	if (!ret && in->capture->locks)
		render_locktab_json(&c->json, in->capture);
	analyze_digest_fini(&d);
	return ret;
}

static int convert_ftrace(const struct input *in, struct err *err)
{
	struct render_ftrace r;
	render_ftrace_init(&r, stdout);
	int ret = run_sink(in, &r.sink, err);
	render_ftrace_fini(&r);
	return ret;
}

static int convert_graph(const struct input *in, struct err *err)
{
	struct render_graph_text r;
	render_graph_text_init(&r, stdout);
	int ret = run_sink(in, &r.sink, err);
	render_graph_text_fini(&r);
	return ret;
}

static int convert_trace(const struct input *in, struct err *err)
{
	if (render_ftrace_fits(&in->capture->trace))
		return convert_ftrace(in, err);
	if (render_graph_text_fits(&in->capture->trace))
		return convert_graph(in, err);
	struct render_latency r;
	render_latency_init(&r, stdout);
	int ret = run_sink(in, &r.sink, err);
	render_latency_fini(&r);
	return ret;
}

static void warn_folded(const struct input *in, const struct fold *f)
{
	if (f->unended || f->untimed)
		output_warning("'%s': %llu calls have no time of their own: their beginning, their "
			       "end or their duration is not in the trace",
			       in->name, (unsigned long long)(f->unended + f->untimed));
	if (f->left_out)
		output_warning("'%s': %llu calls are left out: there are more than %u different "
			       "stacks, or they are too deep",
			       in->name, (unsigned long long)f->left_out, FOLD_NODES);
}

static int convert_folded(struct converter *c, const struct input *in, struct err *err)
{
	struct analyze_fold f;
	analyze_fold_init(&f, in->capture->names);
	int ret = run_sink(in, &f.sink, err);
	if (!ret && !f.fold.calls) {
		output_warning("'%s': the trace at line %u tells of no function calls: no stacks",
			       in->name, in->capture->first_line);
	} else if (!ret) {
		c->any |= render_folded(stdout, &f.fold, in->capture->names, c->weight);
		warn_folded(in, &f.fold);
	}
	analyze_fold_fini(&f);
	return ret;
}

static int convert_events(struct converter *c, const struct input *in, struct err *err)
{
	if (c->to == TO_JSON)
		return convert_json(c, in, err);
	if (c->to == TO_TRACE) {
		if (c->any)
			puts(render_latency_has_title(&in->capture->trace) ? "" : "--");
		return convert_trace(in, err);
	}
	if (c->to == TO_PERFETTO)
		return run_sink(in, &c->perfetto->sink, err);
	struct render_jsonl r;
	render_jsonl_init(&r, stdout, in->index);
	return run_sink(in, &r.sink, err);
}

static void convert_table(struct converter *c, const struct input *in)
{
	if (c->to == TO_JSON)
		return render_locktab_json(&c->json, in->capture);
	if (c->to == TO_CSV) {
		if (!c->any)
			render_locktab_csv_head(stdout);
		return render_locktab_csv(stdout, in->capture, in->name, in->index);
	}
	if (c->any)
		putchar('\n');
	render_locktab_text(stdout, in->capture);
}

/* The table of locks out of a trace's events. */
static int convert_trace_locks(struct converter *c, const struct input *in, struct err *err)
{
	int ret = trace_locktab(in->capture, in->source, NULL, err);
	bool any = !ret && in->capture->locks;
	if (any)
		convert_table(c, in);
	c->any |= any;
	if (!ret && !any)
		output_warning("'%s': left out what begins at line %u: a trace without events of "
			       "locks cannot be written as %s",
			       in->name, in->capture->first_line, targets[c->to]);
	return ret;
}

static void convert_maxima(struct converter *c, const struct input *in)
{
	if (c->to == TO_JSON)
		return render_maxima_json(&c->json, in->capture);
	if (c->any)
		putchar('\n');
	render_maxima_text(stdout, in->capture);
}

/* Has the target a form for captures of this kind? */
static bool fits(int to, enum capture_kind kind)
{
	if (kind == CAPTURE_RTLA)
		return to == TO_JSON;
	if (kind == CAPTURE_MAXIMA)
		return to == TO_JSON || to == TO_TRACE;
	bool for_locks = to == TO_JSON || to == TO_CSV || to == TO_LOCK_STAT;
	return kind == CAPTURE_TRACE || for_locks;
}

/* What the capture is called where the target has no form for it; NULL: it has one. */
static const char *misfit(int to, const struct capture *c)
{
	static const char *const kinds[] = {
		[CAPTURE_TRACE] = "a trace",
		[CAPTURE_LOCKS] = "a table of locks",
		[CAPTURE_MAXIMA] = "a list of maxima",
		[CAPTURE_RTLA] = "a table of rtla",
	};
	return fits(to, c->kind) ? NULL : kinds[c->kind];
}

static int convert_capture(struct input_reader *reader, const struct input *in, struct err *err)
{
	struct converter *c = (struct converter *)reader;
	const struct capture *capture = in->capture;
	const char *what = misfit(c->to, capture);
	if (what) {
		output_warning("'%s': left out what begins at line %u: %s cannot be written as %s",
			       in->name, capture->first_line, what, targets[c->to]);
		return 0;
	}
	if (c->to == TO_FOLDED)
		return convert_folded(c, in, err);
	if (capture->kind == CAPTURE_TRACE && (c->to == TO_CSV || c->to == TO_LOCK_STAT))
		return convert_trace_locks(c, in, err);
	int ret = 0;
	if (capture->kind == CAPTURE_TRACE)
		ret = convert_events(c, in, err);
	else if (capture->kind == CAPTURE_MAXIMA)
		convert_maxima(c, in);
	else if (capture->kind == CAPTURE_RTLA)
		render_rtla_json(&c->json, capture);
	else
		convert_table(c, in);
	c->any = true;
	return ret;
}

/* What stands around the captures of all files. */
static void converter_begin(struct converter *c)
{
	json_put_init(&c->json, stdout, false);
	if (c->to == TO_JSON)
		json_put_open(&c->json, '[');
	if (c->to != TO_PERFETTO)
		return;
	c->perfetto = mem_alloc(sizeof(*c->perfetto));
	render_perfetto_init(c->perfetto, stdout);
}

static void converter_end(struct converter *c)
{
	if (c->to == TO_JSON) {
		json_put_close(&c->json, ']');
		json_put_end(&c->json);
	}
	if (!c->perfetto)
		return;
	render_perfetto_end(c->perfetto);
	render_perfetto_fini(c->perfetto);
	free(c->perfetto);
}

static int convert_run(int argc, char **argv)
{
	struct options o = { TO_JSON, FOLDED_NS };
	struct operands files;
	int code = command_begin(&cmd_convert, &o, argc, argv, &files);
	if (code == COMMAND_GOES_ON)
		code = command_inputs(&cmd_convert, &files);
	if (code != COMMAND_GOES_ON)
		return code;

	struct converter c = {
		{ .each = convert_capture, .streams = true },
		.to = o.to,
		.weight = (enum folded_weight)o.weight,
	};
	converter_begin(&c);
	code = inputs_each(&files, &c.reader);
	converter_end(&c);
	if (code == COMMAND_OK && !c.any) {
		output_error("nothing in the input can be written as %s", targets[o.to]);
		code = COMMAND_FAILED;
	}
	return code;
}

const struct command cmd_convert = {
	.name = "convert",
	.purpose = "print what was read in another format",
	.group = "Reading",
	.operands = "[FILE...]",
	.details = details,
	.options = options,
	.run = convert_run,
};
