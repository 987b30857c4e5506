/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell convert: what was read, in another format. */
#include "analyze/digest.h"
#include "cmd/command.h"
#include "cmd/inputs.h"
#include "cmd/output.h"
#include "render/digest.h"
#include "render/ftrace_text.h"
#include "render/jsonl.h"
#include "render/latency.h"
#include "render/locktab_csv.h"
#include "render/locktab_json.h"
#include "render/locktab_text.h"
#include "render/maxima.h"

struct options {
	int to;
};

static const char *const targets[] = { "json", "jsonl", "trace", "csv", "lock_stat", NULL };
enum { TO_JSON, TO_JSONL, TO_TRACE, TO_CSV, TO_LOCK_STAT };

static const struct option options[] = {
	{ "to", 0, OPTION_ENUM, offsetof(struct options, to), 0, 0, targets, NULL,
	  "json (default): a digest of each trace, and everything of each table of locks; "
	  "jsonl: every event of a trace, one JSON object a line; "
	  "trace: clean text, in latency format or with full time stamps as it was recorded, that "
	  "reads back to the same trace; "
	  "csv: a line for each class of locks; "
	  "lock_stat: tables of locks as text of lock_stat 0.4",
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
	struct json json;
	bool any;
};

static int run_sink(const struct input *in, struct sink *s, struct err *err)
{
	return source_run(in->source, in->capture, &s, 1, NULL, err);
}

static int convert_json(struct converter *c, const struct input *in, struct err *err)
{
	struct analyze_digest d;
	analyze_digest_init(&d);
	int ret = run_sink(in, &d.sink, err);
	if (!ret)
		render_digest(&c->json, in->capture, &d.digest);
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

static int convert_trace(const struct input *in, struct err *err)
{
	if (render_ftrace_fits(&in->capture->trace))
		return convert_ftrace(in, err);
	struct render_latency r;
	render_latency_init(&r, stdout);
	int ret = run_sink(in, &r.sink, err);
	render_latency_fini(&r);
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
	struct render_jsonl r;
	render_jsonl_init(&r, stdout, in->index);
	return run_sink(in, &r.sink, err);
}

static void convert_locks(struct converter *c, const struct input *in)
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
	if (kind == CAPTURE_MAXIMA)
		return to == TO_JSON || to == TO_TRACE;
	bool for_traces = to == TO_JSONL || to == TO_TRACE;
	return to == TO_JSON || for_traces == (kind == CAPTURE_TRACE);
}

static int convert_capture(struct input_reader *reader, const struct input *in, struct err *err)
{
	struct converter *c = (struct converter *)reader;
	const struct capture *capture = in->capture;
	static const char *const kinds[] = {
		[CAPTURE_TRACE] = "a trace",
		[CAPTURE_LOCKS] = "a table of locks",
		[CAPTURE_MAXIMA] = "a list of maxima",
	};
	if (!fits(c->to, capture->kind)) {
		output_warning("'%s': left out what begins at line %u: %s cannot be written as %s",
			       in->name, capture->first_line, kinds[capture->kind], targets[c->to]);
		return 0;
	}
	int ret = 0;
	if (capture->kind == CAPTURE_TRACE)
		ret = convert_events(c, in, err);
	else if (capture->kind == CAPTURE_MAXIMA)
		convert_maxima(c, in);
	else
		convert_locks(c, in);
	c->any = true;
	return ret;
}

static int convert_run(int argc, char **argv)
{
	struct options o = { TO_JSON };
	struct operands files;
	int code = command_begin(&cmd_convert, &o, argc, argv, &files);
	if (code == COMMAND_GOES_ON)
		code = command_inputs(&cmd_convert, &files);
	if (code != COMMAND_GOES_ON)
		return code;

	struct converter c = { { convert_capture }, .to = o.to };
	json_put_init(&c.json, stdout, false);
	if (o.to == TO_JSON)
		json_put_open(&c.json, '[');
	code = inputs_each(&files, &c.reader);
	if (o.to == TO_JSON) {
		json_put_close(&c.json, ']');
		json_put_end(&c.json);
	}
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
