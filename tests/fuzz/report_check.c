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

	struct json_memory m;
	json_memory_begin(&m);
	render_report_json(&m.json, r);
	json_memory_end(&m);
}
