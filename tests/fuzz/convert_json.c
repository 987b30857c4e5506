/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `convert --to json` and `--to jsonl` write JSON, whatever they read. */
#include "analyze/digest.h"
#include "captures.h"
#include "json_check.h"
#include "render/digest.h"
#include "render/jsonl.h"
#include "render/locktab_json.h"
#include "render/rtla.h"
#include "render/maxima.h"

struct converting {
	struct captures captures;
	FILE *digests, *events;
};

static int convert_events(struct converting *x, struct json *json, struct capture *c,
			  struct source *s, struct err *err)
{
	struct analyze_digest d;
	struct render_jsonl lines;
	analyze_digest_init(&d);
	render_jsonl_init(&lines, x->events, 1);
	struct sink *sinks[] = { &d.sink, &lines.sink };
	int ret = source_run(s, c, sinks, 2, NULL, err);
	if (!ret)
		render_digest(json, c, &d.digest);
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

/* Every line of the text is a JSON value. */
static void check_lines(FILE *f, char **at, size_t *size)
{
	fclose(f);
	struct str text = { *at, *size }, line;
	while (fuzz_line(&text, &line)) {
		if (!json_check(line))
			fprintf(stderr, "%.*s\n", STR_ARG(line));
		fuzz_require(json_check(line));
	}
	free(*at);
}

int fuzz_one(const uint8_t *data, size_t size)
{
	char *digests, *events;
	size_t digests_size, events_size;
	struct converting x = { .captures = { convert_capture } };
	x.digests = open_memstream(&digests, &digests_size);
	x.events = open_memstream(&events, &events_size);
	fuzz_require(x.digests && x.events);
	struct err err = { 0 };
	captures_read(data, size, &x.captures, &err);
	check_lines(x.digests, &digests, &digests_size);
	check_lines(x.events, &events, &events_size);
	return 0;
}
