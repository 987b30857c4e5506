/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/rt_ms.h"

#include <inttypes.h>

static void write_latency(FILE *out, const struct trace_header *h)
{
	fprintf(out, " latency: %" PRId64 " us", h->latency_us);
	if (h->entries_in_buffer != UNKNOWN)
		fprintf(out, ", entries: %" PRId64, h->entries_in_buffer);
	if (h->entries_in_buffer != UNKNOWN && h->entries_written != UNKNOWN)
		fprintf(out, " (%" PRId64 ")", h->entries_written);
	if (h->model_flags || h->cpus != UNKNOWN)
		fprintf(out, "   |   [%s", h->model_flags ? h->model_flags : "");
	if (h->cpus != UNKNOWN)
		fprintf(out, "%s#CPUS:%" PRId64, h->model_flags ? " " : "", h->cpus);
	fprintf(out, "%s\n", h->model_flags || h->cpus != UNKNOWN ? "]" : "");
}

static void write_task(FILE *out, const struct trace_task *t)
{
	const char *rule = "    -----------------";
	fprintf(out, "%s\n    | task: %s/%" PRId64, rule, t->comm, t->pid);
	const struct {
		const char *key;
		int64_t value;
	} facts[] = { { "uid", t->uid },
		      { "nice", t->nice },
		      { "policy", t->policy },
		      { "rt_prio", t->rt_prio } };
	const char *before = ", ";
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		if (facts[i].value == UNKNOWN)
			continue;
		fprintf(out, "%s%s:%" PRId64, before, facts[i].key, facts[i].value);
		before = " ";
	}
	fprintf(out, "\n%s\n", rule);
}

void render_rt_ms_header(FILE *out, const struct trace_header *h)
{
	if (h->version)
		fprintf(out, "%s latency trace %s%s%s\n", h->tracer, h->version,
			h->kernel ? " on " : "", h->kernel ? h->kernel : "");
	fputs("-------------------------------------------------------\n", out);
	if (h->latency_us != UNKNOWN)
		write_latency(out, h);
	if (h->task.comm)
		write_task(out, &h->task);
	if (h->started_at)
		fprintf(out, " => started at: %s\n", h->started_at);
	if (h->ended_at)
		fprintf(out, " => ended at:   %s%s\n", h->ended_at,
			h->ended_at_nowhere ? " <00000000>" : "");
	fputs("=======>\n", out);
}

void render_rt_ms_columns(FILE *out, const struct names *names, const struct event *e,
			  enum preempt_word word, uint32_t preempt_count)
{
	struct task t = names_task_of(names, e->task);
	struct str comm = names_str(names, t.comm);
	if (t.comm)
		fprintf(out, "%8.*s-%-5d ", STR_ARG(comm), t.pid);
	else if (e->task)
		fprintf(out, "%5d ", t.pid);
	if (word == PREEMPT_WORD_HEX)
		fprintf(out, "%08" PRIx32 " ", preempt_count);
	else if (word == PREEMPT_WORD_DOTS)
		fputs("........ ", out);
}

void render_rt_ms_time(FILE *out, int64_t time, int64_t delta)
{
	int64_t us = time / 1000, delta_us = delta > 0 ? delta / 1000 : 0;
	fprintf(out, "%" PRId64 ".%03dms (+%" PRId64 ".%03dms): ", us / 1000, (int)(us % 1000),
		delta_us / 1000, (int)(delta_us % 1000));
}

/* Seen: back in v1.0.2, ahead from v1.0.5 on. */
bool render_rt_ms_looks_back(const struct trace_header *h)
{
	static const char *const back[] = { "v1.0", "v1.0.1", "v1.0.2", "v1.0.3", "v1.0.4" };
	for (size_t i = 0; h->version && i < sizeof(back) / sizeof(back[0]); i++) {
		if (strcmp(h->version, back[i]) == 0)
			return true;
	}
	return false;
}
