/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who runs on each CPU and what is known of each task; the notes of recent events. */
#include "analyze/section_parts.h"

#include <stdlib.h>

struct sect_cpu *sections_cpu(struct sections *s, uint16_t cpu)
{
	while (s->cpus.n <= cpu)
		vec_push(&s->cpus, NULL);
	if (!s->cpus.at[cpu]) {
		s->cpus.at[cpu] = mem_alloc(sizeof(struct sect_cpu));
		s->cpus.at[cpu]->cpu = cpu;
		s->cpus.at[cpu]->leaving = -1;
	}
	return s->cpus.at[cpu];
}

static uint32_t pid_hash(int32_t pid)
{
	return (uint32_t)pid * 0x9e3779b1u >> 7;
}

static void tasks_rehash(struct sections *s, uint32_t slots)
{
	free(s->task_slots);
	s->task_slots = mem_array(slots, sizeof(*s->task_slots));
	s->task_mask = slots - 1;
	for (uint32_t id = 0; id < s->tasks.n; id++) {
		uint32_t i = pid_hash(s->tasks.at[id]->pid) & s->task_mask;
		while (s->task_slots[i])
			i = (i + 1) & s->task_mask;
		s->task_slots[i] = id + 1;
	}
}

static void task_free(struct sect_task *t)
{
	vec_fini(&t->holds);
	free(t);
}

/* Forgets tasks that have exited. Sites of stacks to come may be theirs. */
static void tasks_sweep(struct sections *s)
{
	size_t kept = 0;
	vec_each (c, &s->cpus) {
		if (!*c)
			continue;
		(*c)->stack_of = NULL;
		(*c)->stack_holds = NULL;
	}
	for (size_t i = 0; i < s->tasks.n; i++) {
		struct sect_task *t = s->tasks.at[i];
		if (t->dead && t->wait == WAIT_NONE && !sect_task_runs(s, t))
			task_free(t);
		else
			s->tasks.at[kept++] = t;
	}
	s->tasks.n = kept;
	tasks_rehash(s, s->task_mask + 1);
}

static struct sect_task *task_new(struct sections *s, int32_t pid)
{
	if (s->tasks.n >= SECT_TASKS_MAX)
		tasks_sweep(s);
	if (s->tasks.n >= SECT_TASKS_MAX) {
		s->tasks_left_out++;
		return NULL;
	}
	if (!s->task_slots || s->tasks.n * 2 >= s->task_mask)
		tasks_rehash(s, s->task_slots ? (s->task_mask + 1) * 2 : 256);
	struct sect_task *t = mem_alloc(sizeof(*t));
	t->pid = pid;
	t->prio = SECT_NO_PRIO;
	t->cpu = -1;
	vec_push(&s->tasks, t);
	uint32_t i = pid_hash(pid) & s->task_mask;
	while (s->task_slots[i])
		i = (i + 1) & s->task_mask;
	s->task_slots[i] = (uint32_t)s->tasks.n;
	return t;
}

static struct sect_task *task_find(const struct sections *s, int32_t pid)
{
	for (uint32_t i = pid_hash(pid) & s->task_mask; s->task_slots && s->task_slots[i];
	     i = (i + 1) & s->task_mask) {
		struct sect_task *t = s->tasks.at[s->task_slots[i] - 1];
		if (t->pid == pid)
			return t;
	}
	return NULL;
}

const struct sect_task *sections_find_task(const struct sections *s, int32_t pid)
{
	return task_find(s, pid);
}

struct sect_task *sections_task(struct sections *s, int32_t pid)
{
	if (pid <= 0)
		return NULL;
	struct sect_task *t = task_find(s, pid);
	return t ? t : task_new(s, pid);
}

bool sect_task_runs(const struct sections *s, const struct sect_task *t)
{
	if (t->cpu < 0 || (size_t)t->cpu >= s->cpus.n)
		return false;
	const struct sect_cpu *c = s->cpus.at[t->cpu];
	return c && c->known && c->pid == t->pid;
}

void sections_state_fini(struct sections *s)
{
	vec_each (c, &s->cpus) {
		if (*c)
			vec_fini(&(*c)->holds);
		free(*c);
	}
	vec_fini(&s->cpus);
	vec_each (t, &s->tasks)
		task_free(*t);
	vec_fini(&s->tasks);
	free(s->task_slots);
	s->task_slots = NULL;
}
