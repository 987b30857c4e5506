/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The road of `dwell explain`, with options that depend on the input. */
#include "analyze/explain.h"
#include "analyze/locks.h"
#include "analyze/maxima.h"
#include "analyze/rtla.h"
#include "captures.h"
#include "report_check.h"

struct explaining {
	struct captures captures;
	struct explain_options options;
	struct lock_explain_options locks;
};

static int explain_capture(struct captures *to, struct capture *c, struct source *s,
			   struct err *err)
{
	const struct explaining *x = (const struct explaining *)to;
	struct report r = { 0 };
	int ret = 0;
	if (c->kind == CAPTURE_MAXIMA)
		analyze_maxima(c, x->options.top, &r);
	else if (c->kind == CAPTURE_LOCKS)
		analyze_locks(c, &x->locks, &r);
	else if (c->kind == CAPTURE_RTLA)
		analyze_rtla(c, x->options.top, &r);
	else
		ret = analyze_explain(c, s, &x->options, &r, err);
	if (!ret) {
		r.label = "input";
		report_check(&r);
	}
	report_fini(&r);
	return ret;
}

/* Options within the ranges that cmd/explain.c allows. */
static struct section_options sections_of(uint64_t choice)
{
	struct section_options o = SECTION_OPTIONS_NONE;
	if (choice & 1)
		o.worst = (int64_t)(choice >> 8) % 4;
	if (choice & 2)
		o.threshold_ns = 1 + (int64_t)(choice >> 16 & 0xffff);
	if ((choice & 12) == 12)
		o.from = 5000000;
	if ((choice & 48) == 48)
		o.to = 100000000000;
	if ((choice & 0xc0) == 0xc0)
		o.task = "*s*";
	if (choice & 0x1000)
		o.sects = 1 + (uint32_t)(choice >> 32) % (SECT_ALL - 1);
	return o;
}

static struct explain_options options_of(uint64_t choice)
{
	static const int64_t turns[] = { UNKNOWN, 1, 192, 1000000000000 };
	static const int64_t budgets[] = { UNKNOWN, 1, 100000, INT64_MAX };
	static const struct overhead overheads[] = {
		{ 0 },
		{ true, true, 20000, 30000 },
		{ true, true, 0, INT64_MAX },
		{ true, false, 150, 150 },
	};
	return (struct explain_options){
		.cpu = choice & 0x100 ? (int64_t)(choice >> 16 & 3) : UNKNOWN,
		.top = 8,
		.tree = choice & 0x400,
		.sections = sections_of(choice >> 24),
		.what_if = {
			.turns = turns[choice & 3],
			.budget_ns = budgets[choice >> 2 & 3],
			.overhead = overheads[choice >> 4 & 3],
			.loop = choice & 0x200 ? "slob_next" : NULL,
		},
	};
}

int fuzz_one(const uint8_t *data, size_t size)
{
	uint64_t choice = fuzz_hash(data, size);
	struct explaining x = {
		.captures = { explain_capture },
		.options = options_of(choice),
		.locks = { choice & 0x800 ? "*lock*" : NULL, 8,
			   (enum lock_sort)(choice >> 20) % 10 },
	};
	struct err err = { 0 };
	captures_read(data, size, &x.captures, &err);
	return 0;
}
