/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/perfetto_track.h"

#include <stdlib.h>

/*
 * Process ids: those of tasks are the kernel's (below 2^22); what is no task has ids above them.
 * Each capture of a document has 2^24 ids of its own.
 */
#define PID_CPUS (1ll << 23)
#define PID_IDLE (PID_CPUS + (1ll << 20))
#define PID_UNKNOWN (PID_CPUS + (2ll << 20))
#define ROW_STEP 16

_Static_assert(ROWS <= ROW_STEP, "rows of a CPU have ids of their own");

/* -- Events ------------------------------------------------------------------------------- */

static struct json *event_open(struct render_perfetto *p, const struct perfetto_track *t,
			       char phase, struct str name)
{
	struct json *j = &p->json;
	json_put_raw(j, p->any ? ",\n" : "\n");
	p->any = true;
	json_put_open(j, '{');
	json_key_str(j, "ph", (struct str){ &phase, 1 });
	json_key_int(j, "pid", p->base + t->pid);
	json_key_int(j, "tid", p->base + t->tid);
	if (name.n)
		json_key_str(j, "name", name);
	return j;
}

/* Times are microseconds; decimals keep the nanoseconds. */
struct json *perfetto_event(struct render_perfetto *p, const struct perfetto_track *t, char phase,
			    struct str name, int64_t time)
{
	struct json *j = event_open(p, t, phase, name);
	json_put_key(j, "ts");
	json_put_decimal(j, time, 3, 0);
	return j;
}

void perfetto_close(struct render_perfetto *p)
{
	while (p->json.depth)
		json_put_close(&p->json, '}');
}

void perfetto_who(struct render_perfetto *p, const char *key, uint32_t task)
{
	struct strbuf cleanup_strbuf b = { 0 };
	struct task t = names_task_of(p->capture->names, task);
	struct str comm = names_str(p->capture->names, t.comm);
	strbuf_printf(&b, "%.*s-%d", STR_ARG(comm), t.pid);
	json_key_str(&p->json, key, strbuf_get(&b));
}

static void put_metadata(struct render_perfetto *p, const struct perfetto_track *t,
			 const char *what, struct str name)
{
	struct json *j = event_open(p, t, 'M', str_of(what));
	json_put_key(j, "args");
	json_put_open(j, '{');
	json_key_str(j, "name", name);
	perfetto_close(p);
}

/* -- CPUs ----------------------------------------------------------------------------------- */

struct perfetto_track perfetto_cpus(void)
{
	return (struct perfetto_track){ .pid = PID_CPUS, .tid = PID_CPUS };
}

struct perfetto_cpu *perfetto_cpu_of(struct render_perfetto *p, uint16_t cpu)
{
	while (p->cpus.n <= cpu) {
		struct perfetto_cpu new = { .woken = UNKNOWN };
		for (int i = 0; i < ROWS; i++) {
			new.rows[i].pid = PID_CPUS;
			new.rows[i].tid = PID_CPUS + 1 + (int64_t)p->cpus.n *ROW_STEP + i;
			new.rows[i].function.kind = EVENT_KIND_MASK;
		}
		vec_push(&p->cpus, new);
	}
	return &p->cpus.at[cpu];
}

struct perfetto_track *perfetto_row(struct render_perfetto *p, uint16_t cpu, enum perfetto_row row)
{
	static const char *const names[ROWS] = {
		[ROW_RUNNING] = "running",
		[ROW_SOFTIRQ] = "softirqs",
		[ROW_HARDIRQ] = "hardirqs",
		[ROW_FUNCTIONS + CONTEXT_TASK] = "functions",
		[ROW_FUNCTIONS + CONTEXT_SOFTIRQ] = "functions in softirqs",
		[ROW_FUNCTIONS + CONTEXT_HARDIRQ] = "functions in hardirqs",
		[ROW_FUNCTIONS + CONTEXT_NMI] = "functions in NMIs",
	};
	struct perfetto_track *t = &perfetto_cpu_of(p, cpu)->rows[row];
	if (t->named)
		return t;
	t->named = true;
	char name[64];
	snprintf(name, sizeof(name), "CPU %u %s", cpu, names[row]);
	put_metadata(p, t, "process_name", str_of("CPUs"));
	put_metadata(p, t, "thread_name", str_of(name));
	return t;
}

/* -- Tasks ---------------------------------------------------------------------------------- */

static uint32_t slot_of(const struct render_perfetto *p, int64_t tid)
{
	uint32_t i = (uint32_t)((uint64_t)tid * 0x9e3779b97f4a7c15ull >> 32) & p->mask;
	while (p->slots[i] && p->tasks.at[p->slots[i] - 1].tid != tid)
		i = (i + 1) & p->mask;
	return i;
}

static void tasks_grow(struct render_perfetto *p)
{
	uint32_t slots = p->slots ? (p->mask + 1) * 2 : 256;
	free(p->slots);
	p->slots = mem_array(slots, sizeof(*p->slots));
	p->mask = slots - 1;
	for (uint32_t i = 0; i < p->tasks.n; i++)
		p->slots[slot_of(p, p->tasks.at[i].tid)] = i + 1;
}

static struct perfetto_track *task_find(struct render_perfetto *p, int64_t pid, int64_t tid)
{
	if (p->tasks.n * 2 >= p->mask)
		tasks_grow(p);
	uint32_t *slot = &p->slots[slot_of(p, tid)];
	if (*slot)
		return &p->tasks.at[*slot - 1];
	vec_push(&p->tasks, ((struct perfetto_track){ .pid = pid, .tid = tid }));
	*slot = (uint32_t)p->tasks.n;
	vec_last(&p->tasks)->function.kind = EVENT_KIND_MASK;
	return vec_last(&p->tasks);
}

/* A task that took another name is named again: the viewer shows the last. */
static void task_name(struct render_perfetto *p, struct perfetto_track *t, uint32_t task,
		      uint16_t cpu)
{
	t->named = true;
	t->name = task;
	char own[32];
	struct str name = names_str(p->capture->names, names_task_of(p->capture->names, task).comm);
	if (t->pid == PID_IDLE || t->pid == PID_UNKNOWN) {
		bool idle = t->pid == PID_IDLE;
		put_metadata(p, t, "process_name", str_of(idle ? "idle" : "tasks not printed"));
		snprintf(own, sizeof(own), idle ? "swapper/%u" : "on CPU %u", cpu);
		name = str_of(own);
	} else if (t->pid == t->tid) { /* a process is called after its first thread */
		put_metadata(p, t, "process_name", name);
	}
	put_metadata(p, t, "thread_name", name);
}

struct perfetto_track *perfetto_task(struct render_perfetto *p, uint32_t task, uint16_t cpu)
{
	struct task who = names_task_of(p->capture->names, task);
	int32_t pid = who.pid;
	struct perfetto_track *t = pid > 0    ? task_find(p, who.tgid ? who.tgid : pid, pid)
				   : pid == 0 ? task_find(p, PID_IDLE, PID_IDLE + 1 + cpu)
					      : task_find(p, PID_UNKNOWN, PID_UNKNOWN + 1 + cpu);
	if (!t->named || (pid > 0 && t->name != task))
		task_name(p, t, task, cpu);
	return t;
}

/* -- What is drawn ---------------------------------------------------------------------------- */

int64_t perfetto_front(struct perfetto_track *t, int64_t time)
{
	if (!t->have_front || time > t->front)
		t->front = time;
	t->have_front = true;
	return t->front;
}

struct json *perfetto_begin(struct render_perfetto *p, struct perfetto_track *t, struct str name,
			    struct perfetto_open open)
{
	open.start = perfetto_front(t, open.start);
	vec_push(&t->open, open);
	struct json *j = perfetto_event(p, t, 'B', name, open.start);
	json_put_key(j, "args");
	json_put_open(j, '{');
	return j;
}

void perfetto_end(struct render_perfetto *p, struct perfetto_track *t, int64_t time, bool seen)
{
	if (!t->open.n)
		return;
	t->open.n--;
	struct json *j = perfetto_event(p, t, 'E', (struct str){ 0 }, perfetto_front(t, time));
	if (!seen) {
		json_put_key(j, "args");
		json_put_open(j, '{');
		json_key_str(j, "end", str_of("not seen"));
	}
	perfetto_close(p);
}

struct json *perfetto_slice(struct render_perfetto *p, struct perfetto_track *t, struct str name,
			    int64_t time, int64_t dur)
{
	int64_t start = perfetto_front(t, time);
	struct json *j = perfetto_event(p, t, 'X', name, start);
	json_put_key(j, "dur");
	json_put_decimal(j, dur > 0 ? dur : 0, 3, 0);
	if (dur > 0 && !__builtin_add_overflow(start, dur, &start))
		t->front = start;
	json_put_key(j, "args");
	json_put_open(j, '{');
	return j;
}

struct json *perfetto_instant(struct render_perfetto *p, struct perfetto_track *t, struct str name,
			      int64_t time)
{
	struct json *j = perfetto_event(p, t, 'i', name, time);
	json_key_str(j, "s", str_of("t"));
	json_put_key(j, "args");
	json_put_open(j, '{');
	return j;
}
