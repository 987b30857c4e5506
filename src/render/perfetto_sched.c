/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who runs on which CPU, who woke whom, and which interrupts came: rows of the CPUs. */
#include "base/sat.h"
#include "render/perfetto_track.h"

/* -- Running ---------------------------------------------------------------------------------- */

static struct str who_runs(struct render_perfetto *p, const struct perfetto_cpu *cpu,
			   struct strbuf *b)
{
	struct str comm =
		names_str(p->capture->names, names_task_of(p->capture->names, cpu->task).comm);
	if (cpu->pid == 0 && !comm.n)
		comm = str_of("swapper");
	strbuf_printf(b, "%.*s%s%d", STR_ARG(comm), comm.n ? "-" : "pid ", cpu->pid);
	return strbuf_get(b);
}

/* Who ran does so until `time`; how it ended: the state that it went to, or another reason. */
static void run_end(struct render_perfetto *p, uint16_t n, int64_t time, const char *key,
		    struct str how)
{
	struct perfetto_cpu *cpu = perfetto_cpu_of(p, n);
	if (!cpu->have_run)
		return;
	struct strbuf cleanup_strbuf name = { 0 };
	struct json *j = perfetto_slice(p, perfetto_row(p, n, ROW_RUNNING), who_runs(p, cpu, &name),
					cpu->since, sat_sub(time, cpu->since));
	json_key_str(j, key, how);
	if (cpu->woken != UNKNOWN) {
		if (cpu->waker)
			perfetto_who(p, "woken_by", cpu->waker);
		json_key_int(j, "wakeup_to_run_ns", cpu->woken);
	}
	perfetto_close(p);
	cpu->have_run = false;
}

void perfetto_sched_at(struct render_perfetto *p, const struct event *e)
{
	struct perfetto_cpu *cpu = perfetto_cpu_of(p, e->cpu);
	struct task t = names_task_of(p->capture->names, e->task);
	bool leaves = cpu->have_run && cpu->left && t.pid == cpu->leaving;
	cpu->left = leaves;
	if (t.pid >= 0 && !leaves && (!cpu->have_run || cpu->pid != t.pid)) {
		if (cpu->switched)
			run_end(p, e->cpu, cpu->last, "end", str_of("the switch is not shown"));
		cpu->have_run = true; /* since when is not known: since now at least */
		cpu->since = cpu->shown = e->time;
		cpu->pid = t.pid;
		cpu->woken = UNKNOWN;
	}
	if (t.pid >= 0 && !leaves)
		cpu->task = e->task;
	cpu->last = cpu->have_last && cpu->last > e->time ? cpu->last : e->time;
	cpu->have_last = true;
}

/* -- Wake-ups ----------------------------------------------------------------------------------- */

static struct perfetto_wakeup *wakeup_of(struct render_perfetto *p, int32_t pid)
{
	return &p->wakeups[(uint32_t)pid % PERFETTO_WAKEUPS];
}

/* The waking is where a wake-up comes from; its second half may run on the other CPU. */
static void put_wakeup(struct render_perfetto *p, const struct event *e, const struct payload *pl,
		       bool first)
{
	int32_t pid = pl->sched.next.pid;
	if (pid <= 0)
		return;
	struct perfetto_wakeup *w = wakeup_of(p, pid);
	if (first || w->pid != pid)
		*w = (struct perfetto_wakeup){ pid, e->cpu, e->task, e->time };
	if (!pl->sched.next_task)
		return;
	struct perfetto_track *t = perfetto_task(p, pl->sched.next_task, e->cpu);
	struct json *j = perfetto_instant(p, t, str_of("woken"), e->time);
	json_key_str(j, "event", names_str(p->capture->names, e->what));
	if (e->task)
		perfetto_who(p, "by", e->task);
	json_key_int(j, "on_cpu", e->cpu);
	if (pl->sched.next_cpu >= 0)
		json_key_int(j, "to_cpu", pl->sched.next_cpu);
	json_key_int(j, "line", e->line);
	perfetto_close(p);
}

/*
 * An arrow from the slice that the waker is in, if it has one, to the next one to begin: that of the
 * woken.
 */
static void put_arrow(struct render_perfetto *p, const struct perfetto_wakeup *w,
		      const struct event *e)
{
	const struct perfetto_cpu *from = perfetto_cpu_of(p, w->cpu);
	if (!from->switched || w->time < from->shown)
		return;
	p->flows++;
	for (int end = 0; end < 2; end++) {
		const struct perfetto_track *t =
			perfetto_row(p, end ? e->cpu : w->cpu, ROW_RUNNING);
		struct json *j = perfetto_event(p, t, end ? 'f' : 's', str_of("wake-up"),
						end ? e->time : w->time);
		json_key_str(j, "cat", str_of("sched"));
		json_key_int(j, "id", (int64_t)p->flows);
		perfetto_close(p);
	}
}

static void put_switch(struct render_perfetto *p, const struct event *e, const struct payload *pl)
{
	struct perfetto_cpu *cpu = perfetto_cpu_of(p, e->cpu);
	if (cpu->have_run && cpu->pid == pl->sched.prev.pid) {
		struct str state = { &pl->sched.prev.state, pl->sched.prev.state ? 1 : 0 };
		run_end(p, e->cpu, e->time, "state", state);
	} else {
		cpu->shown = e->time;
	}
	if (e->task)
		perfetto_function_end(p, perfetto_task(p, e->task, e->cpu), e->time);
	cpu->switched = cpu->have_run = true;
	cpu->since = e->time;
	cpu->left = true;
	cpu->leaving = pl->sched.prev.pid;
	cpu->pid = pl->sched.next.pid;
	cpu->task = pl->sched.next_task;
	cpu->woken = UNKNOWN;

	struct perfetto_wakeup *w = wakeup_of(p, cpu->pid);
	if (cpu->pid <= 0 || w->pid != cpu->pid)
		return;
	if (w->time <= e->time) {
		cpu->woken = sat_sub(e->time, w->time);
		cpu->waker = w->waker;
		put_arrow(p, w, e);
	}
	w->pid = 0;
}

/* -- Interrupts ------------------------------------------------------------------------------- */

static struct str irq_name(struct render_perfetto *p, const struct payload *pl, char room[32])
{
	struct str name = names_str(p->capture->names, pl->args.name);
	if (name.n)
		return name;
	if (pl->args.a == UNKNOWN)
		return str_of("interrupt");
	snprintf(room, 32, "%lld", (long long)pl->args.a);
	return str_of(room);
}

static void irq_enter(struct render_perfetto *p, enum perfetto_row row, const struct event *e,
		      const struct payload *pl)
{
	char room[32];
	struct perfetto_track *t = perfetto_row(p, e->cpu, row);
	/* Softirqs do not nest: the one before is over, and its end was not seen. */
	while (row == ROW_SOFTIRQ && t->open.n)
		perfetto_end(p, t, e->time, false);
	struct json *j = perfetto_begin(p, t, irq_name(p, pl, room),
					(struct perfetto_open){ (uint32_t)pl->args.a, 0, e->time });
	json_key_int(j, row == ROW_SOFTIRQ ? "vec" : "irq", pl->args.a);
	json_key_int(j, "line", e->line);
	perfetto_close(p);
}

/* Ends what its entry began; an end alone says nothing of how long it took. */
static void irq_exit(struct render_perfetto *p, enum perfetto_row row, const struct event *e,
		     const struct payload *pl)
{
	struct perfetto_track *t = perfetto_row(p, e->cpu, row);
	size_t at = t->open.n;
	while (at && t->open.at[at - 1].id != (uint32_t)pl->args.a)
		at--;
	while (at && t->open.n > at)
		perfetto_end(p, t, e->time, false);
	if (at)
		perfetto_end(p, t, e->time, true);
}

static void irq_raise(struct render_perfetto *p, const struct event *e, const struct payload *pl)
{
	char room[32];
	struct strbuf cleanup_strbuf name = { 0 };
	struct str what = irq_name(p, pl, room);
	strbuf_printf(&name, "raise %.*s", STR_ARG(what));
	struct json *j = perfetto_instant(p, perfetto_row(p, e->cpu, ROW_SOFTIRQ),
					  strbuf_get(&name), e->time);
	if (e->task)
		perfetto_who(p, "by", e->task);
	json_key_int(j, "line", e->line);
	perfetto_close(p);
}

bool perfetto_sched(struct render_perfetto *p, const struct event *e, const struct payload *pl)
{
	enum point point = event_kind(e) == EVENT_SWITCH   ? POINT_SWITCH
			   : event_kind(e) == EVENT_WAKEUP ? POINT_WAKEUP
			   : event_kind(e) == EVENT_NAMED  ? pl->point
							   : POINT_NONE;
	switch (point) {
	case POINT_SWITCH:
		put_switch(p, e, pl);
		return true;
	case POINT_WAKING:
	case POINT_WAKEUP:
		put_wakeup(p, e, pl, point == POINT_WAKING);
		return true;
	case POINT_IRQ_ENTRY:
		irq_enter(p, ROW_HARDIRQ, e, pl);
		return true;
	case POINT_IRQ_EXIT:
		irq_exit(p, ROW_HARDIRQ, e, pl);
		return true;
	case POINT_SOFTIRQ_RAISE:
		irq_raise(p, e, pl);
		return true;
	case POINT_SOFTIRQ_ENTRY:
		irq_enter(p, ROW_SOFTIRQ, e, pl);
		return true;
	case POINT_SOFTIRQ_EXIT:
		irq_exit(p, ROW_SOFTIRQ, e, pl);
		return true;
	default:
		return false;
	}
}

/* -- What is missing --------------------------------------------------------------------------- */

/* Until the last event of the CPU its state is known. */
static void cpu_end(struct render_perfetto *p, uint16_t n, const char *why)
{
	struct perfetto_cpu *cpu = perfetto_cpu_of(p, n);
	if (cpu->switched)
		run_end(p, n, cpu->last, "end", str_of(why));
	for (int row = 0; row < ROWS; row++) {
		struct perfetto_track *t = &cpu->rows[row];
		while (t->open.n)
			perfetto_end(p, t, cpu->last, false);
		perfetto_function_end(p, t, NO_TIME);
	}
	cpu->have_run = cpu->switched = false;
}

void perfetto_sched_lost(struct render_perfetto *p, const struct event *e, const struct payload *pl)
{
	struct perfetto_cpu *cpu = perfetto_cpu_of(p, e->cpu);
	if (cpu->have_run && cpu->task)
		perfetto_function_end(p, perfetto_task(p, cpu->task, e->cpu), NO_TIME);
	cpu_end(p, e->cpu, "events lost");
	struct json *j = perfetto_instant(p, perfetto_row(p, e->cpu, ROW_RUNNING),
					  str_of("events lost"), cpu->last);
	json_key_known(j, "lost", pl->lost < 0 ? UNKNOWN : pl->lost);
	json_key_int(j, "line", e->line);
	perfetto_close(p);
}

void perfetto_sched_finish(struct render_perfetto *p)
{
	for (uint32_t n = 0; n < p->cpus.n; n++)
		cpu_end(p, (uint16_t)n, "the trace ends");
}
