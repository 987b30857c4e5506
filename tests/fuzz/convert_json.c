/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `convert --to json`, `--to jsonl` and `--to perfetto` write JSON, whatever they read, and `--to
 * folded` a line for each stack.
 */
#include "analyze/digest.h"
#include "analyze/fold.h"
#include "captures.h"
#include "json_check.h"
#include "render/digest.h"
#include "render/folded.h"
#include "render/jsonl.h"
#include "render/locktab_json.h"
#include "render/rtla.h"
#include "render/maxima.h"
#include "render/perfetto.h"
#include "render/rtla.h"

struct converting {
	struct captures captures;
	FILE *digests, *events, *stacks;
	struct render_perfetto perfetto;
};

static int convert_events(struct converting *x, struct json *json, struct capture *c,
			  struct source *s, struct err *err)
{
	struct analyze_digest d;
	struct render_jsonl lines;
	struct analyze_fold f;
	analyze_digest_init(&d);
	render_jsonl_init(&lines, x->events, 1);
	analyze_fold_init(&f, c->names);
	struct sink *sinks[] = { &d.sink, &lines.sink, &f.sink, &x->perfetto.sink };
	int ret = source_run(s, c, sinks, sizeof(sinks) / sizeof(sinks[0]), NULL, err);
	if (!ret)
		render_digest(json, c, &d.digest);
	if (!ret && f.fold.calls)
		render_folded(x->stacks, &f.fold, c->names, FOLDED_NS);
	analyze_fold_fini(&f);
	analyze_digest_fini(&d);
	return ret;
}

static int convert_capture(struct captures *to, struct capture *c, struct source *s,
			   struct err *err)
{
	struct converting *x = (struct converting *)to;
	struct json json;
	json_put_init(&json, x->digests, true);
	int ret = 0;
	if (c->kind == CAPTURE_MAXIMA)
		render_maxima_json(&json, c);
	else if (c->kind == CAPTURE_LOCKS)
		render_locktab_json(&json, c);
	else if (c->kind == CAPTURE_RTLA)
		render_rtla_json(&json, c);
	else
		ret = convert_events(x, &json, c, s, err);
	if (!ret)
		json_put_end(&json);
	return ret;
}

static bool is_json(struct str text)
{
	bool ok = json_check(text);
	if (!ok)
		fprintf(stderr, "%.*s\n", STR_ARG(text));
	return ok;
}

/* "caller;callee 123" */
static bool is_stack(struct str line)
{
	ptrdiff_t blank = str_rfind_char(line, ' ');
	struct str weight = str_from(line, (size_t)(blank + 1));
	int64_t n;
	return blank > 0 && str_number(&weight, &n) && !weight.n && n >= 0;
}

/* Every line of the text is one. */
static void check_lines(FILE *f, char **at, const size_t *size, bool (*is_one)(struct str))
{
	fclose(f);
	struct str text = { *at, *size }, line;
	while (fuzz_line(&text, &line))
		fuzz_require(is_one(line));
	free(*at);
}

int fuzz_one(const uint8_t *data, size_t size)
{
	char *digests, *events, *stacks, *perfetto;
	size_t digests_size, events_size, stacks_size, perfetto_size;
	struct converting x = { .captures = { convert_capture } };
	x.digests = open_memstream(&digests, &digests_size);
	x.events = open_memstream(&events, &events_size);
	x.stacks = open_memstream(&stacks, &stacks_size);
	FILE *f = open_memstream(&perfetto, &perfetto_size);
	fuzz_require(x.digests && x.events && x.stacks && f);
	render_perfetto_init(&x.perfetto, f);
	struct err err = { 0 };
	captures_read(data, size, &x.captures, &err);
	render_perfetto_end(&x.perfetto);
	render_perfetto_fini(&x.perfetto);
	fclose(f);
	fuzz_require(is_json((struct str){ perfetto, perfetto_size }));
	free(perfetto);
	check_lines(x.digests, &digests, &digests_size, is_json);
	check_lines(x.events, &events, &events_size, is_json);
	check_lines(x.stacks, &stacks, &stacks_size, is_stack);
	return 0;
}
