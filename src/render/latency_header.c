/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/latency_header.h"

#include <inttypes.h>

static bool is_rt(const struct trace_header *h)
{
	return h->style != TRACE_STYLE_MAINLINE;
}

bool render_latency_has_title(const struct trace_header *h)
{
	return h->version || h->latency_us != UNKNOWN || (!is_rt(h) && h->tracer);
}

const char *render_latency_prefix(const struct trace_header *h)
{
	return is_rt(h) ? "" : "#";
}

void render_tracer(FILE *out, const struct trace_header *h)
{
	if (!is_rt(h) && h->tracer)
		fprintf(out, "# tracer: %s\n#\n", h->tracer);
}

void render_entries(FILE *out, const struct trace_header *h)
{
	if (h->entries_in_buffer == UNKNOWN)
		return;
	fprintf(out, "# entries-in-buffer/entries-written: %" PRId64, h->entries_in_buffer);
	if (h->entries_written != UNKNOWN)
		fprintf(out, "/%" PRId64, h->entries_written);
	if (h->cpus != UNKNOWN)
		fprintf(out, "   #P:%" PRId64, h->cpus);
	fputs("\n#\n", out);
}

static void write_latency(FILE *out, const struct trace_header *h, const char *p)
{
	if (h->latency_us == UNKNOWN)
		return;
	fprintf(out, "%s latency: %" PRId64 " us,", p, h->latency_us);
	if (h->entries_in_buffer != UNKNOWN)
		fprintf(out, " #%" PRId64 "/%" PRId64 ",", h->entries_in_buffer,
			h->entries_written != UNKNOWN ? h->entries_written : h->entries_in_buffer);
	if (h->cpu != UNKNOWN)
		fprintf(out, " CPU#%" PRId64, h->cpu);
	if (h->preempt_model)
		fprintf(out, " | (M:%s %s", h->preempt_model,
			h->model_flags ? h->model_flags : "VP:0, KP:0, SP:0 HP:0");
	if (h->preempt_model && h->cpus != UNKNOWN)
		fprintf(out, " #P:%" PRId64, h->cpus);
	fprintf(out, "%s\n", h->preempt_model ? ")" : "");
}

static void write_task(FILE *out, const struct trace_task *t, const char *p)
{
	if (!t->comm)
		return;
	fprintf(out, "%s    -----------------\n%s    | task: %s-%" PRId64, p, p, t->comm, t->pid);
	const struct {
		const char *key;
		int64_t value;
	} facts[] = { { "uid", t->uid },
		      { "nice", t->nice },
		      { "policy", t->policy },
		      { "rt_prio", t->rt_prio } };
	const char *before = " (", *end = "";
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		if (facts[i].value == UNKNOWN)
			continue;
		fprintf(out, "%s%s:%" PRId64, before, facts[i].key, facts[i].value);
		before = " ";
		end = ")";
	}
	fputs(end, out);
	fprintf(out, "\n%s    -----------------\n", p);
}

void render_latency_title(FILE *out, const struct trace_header *h)
{
	const char *p = render_latency_prefix(h);
	if (h->version)
		fprintf(out, "%s%s%s latency trace %s on %s\n", p, *p ? " " : "", h->tracer,
			h->version, h->kernel ? h->kernel : "");
	fprintf(out, "%s --------------------------------------------------------------------\n",
		p);
	write_latency(out, h, p);
	write_task(out, &h->task, p);
	if (h->started_at)
		fprintf(out, "%s => started at: %s\n", p, h->started_at);
	if (h->ended_at)
		fprintf(out, "%s => ended at:   %s%s\n", p, h->ended_at,
			h->ended_at_nowhere ? " <00000000>" : "");
	fprintf(out, "%s\n", p);
}
