/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions and calls, on the tracks of their tasks. */
#include "base/sat.h"
#include "render/perfetto_track.h"

/* -- Function traces: entries alone ----------------------------------------------------------- */

void perfetto_function_end(struct render_perfetto *p, struct perfetto_track *t, int64_t time)
{
	struct event e = t->function;
	if (event_kind(&e) == (enum event_kind)EVENT_KIND_MASK)
		return;
	t->function.kind = EVENT_KIND_MASK;
	const struct names *names = p->capture->names;
	struct str name = names_str(names, e.what);
	struct json *j;
	if (time == NO_TIME || time < e.time) {
		j = perfetto_instant(p, t, name, e.time);
		json_key_str(j, "end", str_of("not seen"));
	} else {
		j = perfetto_slice(p, t, name, e.time, sat_sub(time, e.time));
	}
	if (e.arg)
		json_key_str(j, "caller", names_str(names, e.arg));
	json_key_int(j, "line", e.line);
	perfetto_close(p);
}

/* Entered, until the next entry of the same stack: a task's, or that of a context on a CPU. */
void perfetto_function(struct render_perfetto *p, const struct event *e)
{
	enum context c = event_context(e);
	struct perfetto_track *t = c == CONTEXT_TASK ? perfetto_task(p, e->task, e->cpu)
						     : perfetto_row(p, e->cpu, ROW_FUNCTIONS + c);
	perfetto_function_end(p, t, e->kind & EVENT_AFTER_HOLE ? NO_TIME : e->time);
	t->function = *e;
}

/* -- Graphs ----------------------------------------------------------------------------------- */

/* Without stamps the durations are laid end to end: the front is the time. */
static int64_t time_of(const struct perfetto_track *t, const struct event *e)
{
	if (!(e->kind & EVENT_NO_TIME))
		return e->time;
	return t->have_front ? t->front : 0;
}

/* Calls this deep or deeper are over, though their ends were not seen. */
static void close_from(struct render_perfetto *p, struct perfetto_track *t, unsigned depth,
		       int64_t time)
{
	while (t->open.n && vec_last(&t->open)->depth >= depth)
		perfetto_end(p, t, time, false);
}

static void call_args(struct render_perfetto *p, const struct event *e, const struct payload *pl)
{
	struct json *j = &p->json;
	if (pl->arguments.n)
		json_key_str(j, "arguments", pl->arguments);
	if (pl->graph.comment.n)
		json_key_str(j, "comment", pl->graph.comment);
	json_key_int(j, "line", e->line);
	perfetto_close(p);
}

static void call_exit(struct render_perfetto *p, struct perfetto_track *t, const struct event *e,
		      const struct payload *pl)
{
	int64_t dur = pl->graph.duration, time = time_of(t, e);
	close_from(p, t, e->depth + 1u, time);
	if (t->open.n && vec_last(&t->open)->depth == e->depth) {
		if (e->kind & EVENT_NO_TIME && dur != NO_DURATION)
			time = sat_add(vec_last(&t->open)->start, dur);
		perfetto_end(p, t, time, true);
		return;
	}
	/* Its beginning is not in the trace: a moment, not a slice of guessed length. */
	struct str name = names_str(p->capture->names, e->what);
	struct json *j = perfetto_instant(p, t, name.n ? name : str_of("a call"), time);
	json_key_str(j, "begin", str_of("not seen"));
	if (dur != NO_DURATION)
		json_key_int(j, "duration_ns", dur);
	call_args(p, e, pl);
}

void perfetto_call(struct render_perfetto *p, const struct event *e, const struct payload *pl)
{
	struct perfetto_track *t = perfetto_task(p, e->task, e->cpu);
	struct str name = names_str(p->capture->names, e->what);
	if (event_kind(e) == EVENT_GRAPH_EXIT) {
		call_exit(p, t, e, pl);
		return;
	}
	int64_t time = time_of(t, e);
	close_from(p, t, e->depth, time);
	if (event_kind(e) == EVENT_GRAPH_ENTRY)
		perfetto_begin(p, t, name, (struct perfetto_open){ e->what, e->depth, time });
	else if (pl->graph.duration != NO_DURATION)
		perfetto_slice(p, t, name, time, pl->graph.duration);
	else
		perfetto_instant(p, t, name, time);
	call_args(p, e, pl);
}
