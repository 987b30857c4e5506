/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/explain_functions.h"

#include <stdlib.h>

#include "analyze/headline.h"
#include "analyze/profile.h"
#include "analyze/tree.h"
#include "analyze/trust.h"
#include "base/units.h"

struct function_cpu {
	struct timeline timeline;
	struct headline headline;
	struct profile profile;
	struct calltree tree;
	uint64_t entries;
};

static bool is_function(const struct event *e)
{
	enum event_kind kind = event_kind(e);
	return kind == EVENT_FUNCTION || kind == EVENT_GRAPH_ENTRY || kind == EVENT_GRAPH_LEAF;
}

static struct function_cpu *cpu_new(struct functions *f, uint16_t cpu)
{
	struct function_cpu *c = mem_alloc(sizeof(*c));
	struct err err;
	timeline_init(&c->timeline, f->symbols, cpu);
	headline_init(&c->headline, f->symbols);
	profile_init(&c->profile, f->symbols);
	calltree_init(&c->tree, f->symbols, &f->loops);
	timeline_listen(&c->timeline, &c->headline.listener);
	timeline_listen(&c->timeline, &c->profile.listener);
	timeline_listen(&c->timeline, &c->tree.listener);
	if (c->timeline.sink.ops->begin(&c->timeline.sink, f->capture, &err) ||
	    c->headline.sink.ops->begin(&c->headline.sink, f->capture, &err)) {
		calltree_fini(&c->tree);
		profile_fini(&c->profile);
		free(c);
		return NULL;
	}
	f->number[f->n] = cpu;
	return f->cpus[f->n++] = c;
}

static struct function_cpu *cpu_of(struct functions *f, const struct event *e)
{
	for (size_t i = 0; i < f->n; i++) {
		if (f->number[i] == e->cpu)
			return f->cpus[i];
	}
	if (!is_function(e) || (f->cpu_asked != UNKNOWN && e->cpu != f->cpu_asked))
		return NULL;
	if (f->n == FUNCTION_CPUS) {
		f->left_out++;
		return NULL;
	}
	return cpu_new(f, e->cpu);
}

static void functions_event(struct sink *sink, const struct event *e, const struct payload *p)
{
	struct functions *f = (struct functions *)sink;
	struct function_cpu *c = cpu_of(f, e);
	f->lines += (event_kind(e) != EVENT_LOST) + (event_kind(e) == EVENT_GRAPH_LEAF);
	if (!c)
		return;
	c->entries += is_function(e);
	c->timeline.sink.ops->event(&c->timeline.sink, e, p);
	if (c->headline.sink.ops->wants & 1u << event_kind(e))
		c->headline.sink.ops->event(&c->headline.sink, e, p);
}

static int functions_begin(struct sink *sink, const struct capture *c, struct err *err)
{
	(void)err;
	((struct functions *)sink)->capture = c;
	return 0;
}

static int functions_finish(struct sink *sink, const struct capture *c, struct report *r,
			    struct err *err)
{
	struct functions *f = (struct functions *)sink;
	for (size_t i = 0; i < f->n; i++) {
		struct sink *timeline = &f->cpus[i]->timeline.sink;
		int ret = timeline->ops->finish(timeline, c, r, err);
		if (ret)
			return ret;
		calltree_close(&f->cpus[i]->tree);
	}
	return 0;
}

static const struct sink_ops functions_ops = {
	.wants = SINK_WANTS_ALL,
	.begin = functions_begin,
	.event = functions_event,
	.finish = functions_finish,
};

void functions_init(struct functions *f, struct symbols *symbols, int64_t cpu_asked)
{
	*f = (struct functions){
		.sink = { &functions_ops },
		.symbols = symbols,
		.cpu_asked = cpu_asked,
	};
	loop_pool_init(&f->loops, sizeof(struct loop_stats));
}

void functions_fini(struct functions *f)
{
	for (size_t i = 0; i < f->n; i++) {
		calltree_fini(&f->cpus[i]->tree);
		profile_fini(&f->cpus[i]->profile);
		free(f->cpus[i]);
	}
	f->n = 0;
	loop_pool_fini(&f->loops);
}

static void report_cpus(const struct functions *f, size_t which, struct report *r)
{
	struct arena *a = &r->arena;
	const struct function_cpu *c = f->cpus[which];
	uint64_t all = f->left_out;
	for (size_t i = 0; i < f->n; i++)
		all += f->cpus[i]->entries;
	struct section *s = report_section(r, "functions", "FUNCTIONS", NULL);
	struct finding *told = report_finding(
		r, s, "cpu",
		arena_printf(a, "on CPU %u: %s of %s function entries%s", f->number[which],
			     units_count((int64_t)c->entries).s, units_count((int64_t)all).s,
			     f->n > 1 ? "; it is the busiest, --cpu N looks at another" : ""));
	told->first_line = c->timeline.first_line;
	told->last_line = c->timeline.last_line;
	finding_fact(told, "cpu", value_count(f->number[which]));
	finding_fact(told, "entries", value_count((int64_t)c->entries));
}

static void report_cpu(struct functions *f, size_t which, const struct explain_options *o,
		       struct report *r)
{
	struct function_cpu *c = f->cpus[which];
	report_cpus(f, which, r);
	profile_report(&c->profile, &c->timeline, o->top, r);
	struct loop_list loops = { 0 };
	loops_collect(&c->tree, &c->timeline, o->compare ? LOOPS_ALL : LOOPS_DEAR, &loops);
	if (o->compare)
		loops_list(&c->tree, &c->timeline, &loops, r);
	else
		loops_report(&c->tree, &c->timeline, &loops, r);
	what_if_report(&c->tree, &loops, &c->timeline, &o->what_if, r);
	loops_fini(&loops);
	if (o->tree)
		tree_report(&c->tree, &c->timeline, r);
	struct trust_input in = {
		.capture = f->capture,
		.timeline = &c->timeline,
		.headline = &c->headline,
		.tree = &c->tree,
		.entries = f->lines,
		.longest_gap = c->profile.n_gaps ? c->profile.gaps[0].dur : 0,
		.idle_after = c->profile.idle_after,
		.overhead_given = o->what_if.overhead.given,
	};
	trust_report(&in, r);
}

void functions_report(struct functions *f, const struct explain_options *o, struct report *r)
{
	size_t busiest = 0;
	for (size_t i = 1; i < f->n; i++) {
		if (f->cpus[i]->entries > f->cpus[busiest]->entries)
			busiest = i;
	}
	for (size_t i = 0; i < f->n; i++) {
		if ((o->compare || i == busiest) && f->cpus[i]->timeline.entries)
			report_cpu(f, i, o, r);
	}
}
