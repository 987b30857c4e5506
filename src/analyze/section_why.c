/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sentences about the parts of a section: what ran, and why it did not yield. */
#include "analyze/section_story.h"
#include "base/units.h"

static const char *const handler_word[CONTEXT_COUNT] = { "", "softirq", "irq", "NMI" };

/* ", preemption off at all 7 entries": what the flags of the entries in it agree on. */
static const char *off_text(const struct story_part *p, struct arena *a)
{
	bool irqs = p->entries && p->irqs_off == p->entries;
	bool preempt = p->entries && p->preempt_off == p->entries;
	if (!irqs && !preempt)
		return "";
	const char *what = irqs && preempt ? "irqs and preemption" : irqs ? "irqs" : "preemption";
	if (p->entries == 1)
		return arena_printf(a, ", %s off at the one entry", what);
	return arena_printf(a, ", %s off at all %s entries", what, units_count(p->entries).s);
}

const char *part_text(const struct sections *s, const struct story_part *p, struct arena *a)
{
	switch (p->kind) {
	case PART_ASLEEP:
		return arena_printf(a, "asleep (state %c)", p->state ? p->state : '?');
	case PART_QUEUED:
		return "waits for a CPU";
	case PART_MOVED:
		return arena_printf(a, "CPU %u or %u: when it moved is not recorded", p->cpu,
				    p->to_cpu);
	case PART_UNKNOWN:
		return "(more events than are kept)";
	case PART_RUNS:
		break;
	}
	if (p->context != CONTEXT_TASK) {
		struct str name = names_str(s->names, p->name);
		return arena_printf(a, "CPU %u: %s%s%.*s", p->cpu, handler_word[p->context],
				    name.n ? " " : "", STR_ARG(name));
	}
	if (!p->pid)
		return arena_printf(a, "CPU %u is idle", p->cpu);
	return arena_printf(a, "CPU %u runs %s%s%s", p->cpu, task_name(s, p->task, p->pid, a),
			    prio_text(p->prio, a), off_text(p, a));
}

enum reason {
	WHY_UNKNOWN,
	WHY_INTERRUPTS,
	WHY_IDLE,
	WHY_HIGHER,
	WHY_EQUAL,
	WHY_FAIR,
	WHY_LOWER,
	WHY_UNRANKED,
	REASONS
};

/* How the part stands to a task that waits with that priority (a lower number goes first). */
static enum reason reason_of(const struct story_part *p, int32_t prio)
{
	if (p->kind != PART_RUNS)
		return WHY_UNKNOWN;
	if (p->context != CONTEXT_TASK)
		return WHY_INTERRUPTS;
	if (!p->pid)
		return WHY_IDLE;
	if (p->prio == SECT_NO_PRIO || prio == SECT_NO_PRIO)
		return WHY_UNRANKED;
	if (p->prio >= 100 && prio >= 100)
		return WHY_FAIR;
	return p->prio < prio ? WHY_HIGHER : p->prio == prio ? WHY_EQUAL : WHY_LOWER;
}

/* The kernel lets real-time tasks run for 0.95 s of each second (sched_rt_runtime_us, kernel/sched/
 * rt.c), or has a server run the fair ones for 50 ms of it (fair_server, kernel/sched/deadline.c):
 * what is held back waits for tens of ms. */
#define THROTTLED_NS 20000000

static const char *lower_text(const struct story_part *p, const struct story *story,
			      const char *who, struct arena *a)
{
	const char *off = off_text(p, a);
	if (*off)
		return arena_printf(a, "%s, of lower priority, did not yield%s", who, off);
	if (p->end - p->start > THROTTLED_NS)
		return arena_printf(a,
				    "%s, of lower priority, ran on: so it looks when real-time "
				    "tasks are throttled (sched_rt_runtime_us) or the fair server "
				    "has its turn",
				    who);
	vec_each (m, &story->moments) {
		if (m->kind == MOMENT_RESCHED)
			return arena_printf(a,
					    "%s, of lower priority, ran on although need-resched "
					    "was set: whether it could be preempted is not in the "
					    "events",
					    who);
	}
	return arena_printf(a,
			    "%s, of lower priority, ran on: whether it could be preempted is not "
			    "in the events",
			    who);
}

static const char *reason_text(const struct sections *s, enum reason why,
			       const struct story_part *p, const struct story *story,
			       struct arena *a)
{
	const char *who = task_name(s, p->task, p->pid, a);
	switch (why) {
	case WHY_INTERRUPTS:
		return arena_printf(a, "interrupts, %s", part_text(s, p, a));
	case WHY_IDLE:
		return arena_printf(a,
				    "CPU %u was idle: leaving idle takes its time, or the way "
				    "to it (an IPI; in a guest, the host)",
				    p->cpu);
	case WHY_HIGHER:
		return arena_printf(a, "%s%s is of higher priority", who, prio_text(p->prio, a));
	case WHY_EQUAL:
		return arena_printf(a, "%s is of the same priority and did not yield", who);
	case WHY_FAIR:
		return arena_printf(a, "%s ran its share; both are under the fair scheduler", who);
	case WHY_LOWER:
		return lower_text(p, story, who, a);
	default:
		return NULL;
	}
}

/* The reasons of a wait: how long each, by how many, and who most of all. */
struct reasons {
	int64_t total[REASONS];
	size_t n[REASONS];
	const struct story_part *longest[REASONS];
};

static void reasons_add(struct reasons *by, const struct story_part *p, int32_t prio)
{
	enum reason why = reason_of(p, prio);
	by->total[why] += p->end - p->start;
	by->n[why]++;
	if (!by->longest[why]) /* the parts are summed and sorted */
		by->longest[why] = p;
}

static const char *why_waited(const struct sections *s, const struct sect_span *x,
			      const struct story *story, struct arena *a)
{
	struct reasons by = { 0 };
	struct story sum;
	story_copy(&sum, story);
	story_sum(&sum);
	vec_each (p, &sum.parts)
		reasons_add(&by, p, x->prio);
	int most = 0;
	for (int i = 1; i < REASONS; i++)
		most = by.total[i] > by.total[most] ? i : most;
	const struct story_part *p = by.longest[most];
	const char *text = p ? reason_text(s, (enum reason)most, p, &sum, a) : NULL;
	int64_t length = sat_sub(x->end, x->start);
	if (text && by.n[most] > 1)
		text = arena_printf(a, "%s of it by %zu like this one, which took %s: %s",
				    units_share(by.total[most], length).s, by.n[most],
				    units_share(p->end - p->start, length).s, text);
	else if (text)
		text = arena_printf(a, "%s of it: %s", units_share(by.total[most], length).s, text);
	story_fini(&sum);
	return text;
}

static const char *why_locked(const struct sections *s, const struct sect_span *x,
			      const struct story *story, struct arena *a)
{
	const struct story_moment *woken = NULL;
	vec_each (m, &story->moments)
		woken = m->kind == MOMENT_WOKEN ? m : woken;
	const char *failed = x->ret ? ", and gave up without the lock" : "";
	if (woken)
		return arena_printf(a,
				    "%s on CPU %u woke it, so most likely let go of the lock%s; "
				    "who held it before is not in the events",
				    task_name(s, woken->by, woken->by_pid, a), woken->cpu, failed);
	if (x->flags & LOCK_WAIT_SPIN)
		return "it spun; who held the lock is not in the events";
	return *failed ? "it gave up without the lock" : NULL;
}

const char *story_why(const struct sections *s, const struct sect_span *x,
		      const struct story *story, struct arena *a)
{
	switch (x->sect) {
	case SECT_WAKEUP:
	case SECT_RUNQ:
		return why_waited(s, x, story, a);
	case SECT_LOCK:
		return why_locked(s, x, story, a);
	default:
		return NULL;
	}
}
