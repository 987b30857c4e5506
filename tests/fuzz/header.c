/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of headers, in any order and number. */
#include "fuzz.h"
#include "read/latency_header.h"

static void touch_header(const struct trace_header *h)
{
	fuzz_touch_string(h->tracer);
	fuzz_touch_string(h->kernel);
	fuzz_touch_string(h->version);
	fuzz_touch_string(h->preempt_model);
	fuzz_touch_string(h->task.comm);
	fuzz_touch_string(h->started_at);
	fuzz_touch_string(h->ended_at);
}

int fuzz_one(const uint8_t *data, size_t size)
{
	struct names names;
	struct capture c;
	names_init(&names);
	capture_init(&c, &names);
	struct str text = fuzz_str(data, size), line;
	while (fuzz_line(&text, &line)) {
		enum header_line kind = header_classify(line);
		if (kind != HEADER_NONE)
			fuzz_touch_string(header_read(&c, kind, line));
	}
	touch_header(&c.trace);
	capture_fini(&c);
	names_fini(&names);
	return 0;
}
