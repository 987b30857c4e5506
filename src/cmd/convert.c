/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell convert: what was read, in another format. */
#include "analyze/digest.h"
#include "cmd/command.h"
#include "cmd/inputs.h"
#include "render/digest.h"
#include "render/jsonl.h"
#include "render/latency.h"

struct options {
	int to;
};

static const char *const targets[] = { "json", "jsonl", "trace", NULL };
enum { TO_JSON, TO_JSONL, TO_TRACE };

static const struct option options[] = {
	{ "to", 0, OPTION_ENUM, offsetof(struct options, to), 0, 0, targets, NULL,
	  "json (default): a digest of each trace; jsonl: every event, one JSON object a line; "
	  "trace: clean text in latency format, that reads back to the same trace",
	  NULL },
	{ 0 },
};

static const char *const details[] = {
	"Prints the traces of the files, in their order, on standard output. Lines that cannot be "
	"read "
	"are left out, counted, and named on standard error.",
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

static int convert_trace(const struct input *in, struct err *err)
{
	struct render_latency r;
	render_latency_init(&r, stdout);
	int ret = run_sink(in, &r.sink, err);
	render_latency_fini(&r);
	return ret;
}

static int convert_capture(struct input_reader *reader, const struct input *in, struct err *err)
{
	struct converter *c = (struct converter *)reader;
	if (c->to == TO_JSON)
		return convert_json(c, in, err);
	if (c->to == TO_TRACE) {
		if (c->any)
			putchar('\n');
		c->any = true;
		return convert_trace(in, err);
	}
	struct render_jsonl r;
	render_jsonl_init(&r, stdout, in->index);
	return run_sink(in, &r.sink, err);
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
	json_init(&c.json, stdout, false);
	if (o.to == TO_JSON)
		json_open(&c.json, '[');
	code = inputs_each(&files, &c.reader);
	if (o.to == TO_JSON) {
		json_close(&c.json, ']');
		json_end(&c.json);
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
