/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The road of `dwell diff`: the captures of the input, turn and turn about, are the runs of the
 * one side and of the other. They are compared when the input is closed, as the command does.
 */
#include "analyze/explain.h"
#include "analyze/explain_graph.h"
#include "analyze/lock_diff.h"
#include "analyze/trace_diff.h"
#include "analyze/whole_diff.h"
#include "captures.h"
#include "report_check.h"

#define RUNS 4 /* a side */

struct runs {
	struct captures captures;
	struct report traces[LOCK_SIDES][RUNS];
	struct lock_view tables[LOCK_SIDES][RUNS];
	size_t n_traces, n_tables;
};

static int keep_trace(struct runs *x, struct capture *c, struct source *s, struct err *err)
{
	static const struct explain_options as_it_is = {
		.cpu = UNKNOWN,
		.top = 8,
		.compare = true,
		.what_if = { .turns = UNKNOWN, .budget_ns = UNKNOWN },
		.sections = SECTION_OPTIONS_NONE,
	};
	struct report *r = &x->traces[x->n_traces % LOCK_SIDES][x->n_traces / LOCK_SIDES];
	x->n_traces++;
	r->file = "input";
	return (c->trace.graph ? analyze_graph : analyze_explain)(c, s, &as_it_is, r, err);
}

static int keep_capture(struct captures *to, struct capture *c, struct source *s, struct err *err)
{
	struct runs *x = (struct runs *)to;
	if (c->kind == CAPTURE_TRACE && x->n_traces < LOCK_SIDES * RUNS)
		return keep_trace(x, c, s, err);
	if (c->kind == CAPTURE_LOCKS && x->n_tables < LOCK_SIDES * RUNS) {
		struct lock_view *v =
			&x->tables[x->n_tables % LOCK_SIDES][x->n_tables / LOCK_SIDES];
		x->n_tables++;
		lock_view_init(v, c);
		lock_view_keep(v, c);
	}
	return 0;
}

/* Runs of a side when there are n in all. */
static size_t of_side(size_t n, int side)
{
	return (n + (side == LOCK_BASE)) / LOCK_SIDES;
}

static void compare_traces(const struct runs *x)
{
	struct trace_diff_side side[LOCK_SIDES];
	for (int s = 0; s < LOCK_SIDES; s++)
		side[s] = (struct trace_diff_side){ x->traces[s], of_side(x->n_traces, s), "side" };
	struct report r = { .label = "input" };
	struct err err = { 0 };
	bool whole;
	if (!diff_check_alike(&side[LOCK_BASE], &side[LOCK_NEW], &whole, &err) &&
	    !(whole ? analyze_diff_whole : analyze_diff_traces)(&side[LOCK_BASE], &side[LOCK_NEW],
								8, &r, &err))
		report_check(&r);
	report_fini(&r);
}

static void compare_tables(const struct runs *x, uint64_t choice)
{
	const struct lock_view *views[LOCK_SIDES][RUNS];
	struct lock_side side[LOCK_SIDES];
	for (int s = 0; s < LOCK_SIDES; s++) {
		for (size_t i = 0; i < RUNS; i++)
			views[s][i] = &x->tables[s][i];
		side[s] = (struct lock_side){ "side", views[s], of_side(x->n_tables, s) };
	}
	struct lock_aliases aliases = { 0 };
	struct lock_conditions conditions = { 0 };
	struct err err = { 0 };
	if (choice & 1)
		fuzz_require(!lock_alias_add(&aliases, "*lock=*mutex", &err));
	if (choice & 2)
		fuzz_require(!lock_conditions_add(&conditions, "wait/contentions>+10%", &err));
	struct lock_diff_options how = {
		.aliases = &aliases,
		.conditions = &conditions,
		.only = choice & 4 ? "*lock*" : NULL,
		.top = 8,
		.unit = LOCK_BY_ACQUISITIONS,
		.paired = choice & 8 && x->n_tables % LOCK_SIDES == 0,
	};
	struct report r = { .label = "input" };
	analyze_lock_diff(side, &how, &r);
	report_check(&r);
	report_fini(&r);
	lock_aliases_fini(&aliases);
	lock_conditions_fini(&conditions);
}

int fuzz_one(const uint8_t *data, size_t size)
{
	struct runs x = { .captures = { keep_capture } };
	struct err err = { 0 };
	int ret = captures_read(data, size, &x.captures, &err);
	if (!ret && x.n_traces >= LOCK_SIDES)
		compare_traces(&x);
	if (!ret && x.n_tables >= LOCK_SIDES)
		compare_tables(&x, fuzz_hash(data, size));
	for (int s = 0; s < LOCK_SIDES; s++) {
		for (size_t i = 0; i < RUNS; i++) {
			report_fini(&x.traces[s][i]);
			lock_view_fini(&x.tables[s][i]);
		}
	}
	return 0;
}
