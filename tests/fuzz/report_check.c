/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report_check.h"

#include "fuzz.h"
#include "json_check.h"
#include "render/report_json.h"
#include "render/text.h"

void report_check(const struct report *r)
{
	struct strbuf cleanup_strbuf text = { 0 };
	render_text(r, false, &text);
	fuzz_require(strlen(text.p ? text.p : "") == text.n);

	char *p;
	size_t size;
	FILE *f = open_memstream(&p, &size);
	fuzz_require(f);
	struct json json;
	json_put_init(&json, f, true);
	render_report_json(&json, r);
	json_put_flush(&json);
	fclose(f);
	struct str s = { p, size };
	if (!json_check(s))
		fprintf(stderr, "%.*s\n", STR_ARG(s));
	fuzz_require(json_check(s));
	free(p);
}
