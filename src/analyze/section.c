/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/section.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/section_parts.h"
#include "analyze/wakeup.h"

static const struct {
	const char *key, *fact, *title;
} sect_names[SECTS] = {
	[SECT_WAKEUP] = { "wakeup", "wakeup", "wake-up latency" },
	[SECT_RUNQ] = { "runq", "runq", "run-queue wait" },
	[SECT_IRQS_OFF] = { "irqs-off", "irqs_off", "irqs-off" },
	[SECT_PREEMPT_OFF] = { "preempt-off", "preempt_off", "preempt-off" },
	[SECT_LOCK] = { "lock", "lock", "lock wait" },
	[SECT_LOCK_HOLD] = { "lock-hold", "lock_hold", "lock hold" },
	[SECT_SOFTIRQ_WAIT] = { "softirq-wait", "softirq_wait", "softirq, raise to entry" },
	[SECT_HARDIRQ] = { "irq", "irq", "irq handler" },
	[SECT_SOFTIRQ] = { "softirq", "softirq", "softirq handler" },
	[SECT_SYSCALL] = { "syscall", "syscall", "system call" },
};

const char *sect_key(enum sect s)
{
	return sect_names[s].key;
}

const char *sect_fact(enum sect s)
{
	return sect_names[s].fact;
}

const char *sect_title(enum sect s)
{
	return sect_names[s].title;
}

int sect_parse(const char *list, uint32_t *sects, struct err *err)
{
	struct str rest = str_of(list);
	uint32_t out = 0;
	do {
		ptrdiff_t comma = str_find_char(rest, ',');
		struct str word = str_trim(comma < 0 ? rest : str_head(rest, (size_t)comma));
		int i = 0;
		while (i < SECTS && !str_eq(word, sect_names[i].key))
			i++;
		if (i == SECTS)
			return err_set(err, EINVAL,
				       "'%.*s' is no kind of section: they are wakeup, runq, "
				       "irqs-off, preempt-off, lock, lock-hold, softirq-wait, "
				       "irq, softirq and syscall",
				       STR_ARG(word));
		out |= SECT_BIT(i);
		rest = comma < 0 ? str_from(rest, rest.n) : str_from(rest, (size_t)comma + 1);
	} while (rest.n);
	*sects = out;
	return 0;
}

/* -- Events ------------------------------------------------------------------------------------ */

/* Do the flags of this event tell whether something stays off? See section_off.c. */
static bool is_telling(const struct event *e, const struct payload *p)
{
	if (event_kind(e) == EVENT_NAMED)
		return p->point == POINT_SYS_ENTER || p->point == POINT_SYS_EXIT;
	return event_kind(e) == EVENT_FUNCTION || event_is_graph(e);
}

static enum point point_of(const struct event *e, const struct payload *p)
{
	enum event_kind kind = event_kind(e);
	if (kind == EVENT_NAMED)
		return p->point;
	if (kind == EVENT_SWITCH)
		return POINT_SWITCH;
	return kind == EVENT_WAKEUP ? POINT_WAKEUP : POINT_NONE;
}

static bool is_sched(enum point point)
{
	return point >= POINT_SWITCH && point <= POINT_MIGRATE;
}

/* Does the event change who runs or what, or who waits? */
static bool is_change(const struct sections *s, enum point point)
{
	if (point == POINT_WAKEUP)
		return !s->points[POINT_WAKING];
	return (point >= POINT_SWITCH && point <= POINT_IRQ_EXIT) || point == POINT_SOFTIRQ_ENTRY ||
	       point == POINT_SOFTIRQ_EXIT;
}

/* Events in one state, between two changes of it, share a note. */
static bool note_joins(const struct sect_note *last, const struct sect_cpu *c,
		       const struct event *e)
{
	return last && last->point == POINT_NONE && last->task == c->task &&
	       last->context == event_context(e) && last->resched == event_need_resched(e);
}

static void note_fill(const struct sections *s, struct sect_note *n, const struct sect_cpu *c,
		      const struct event *e, const struct payload *p, enum point point)
{
	*n = (struct sect_note){
		.seq = s->events,
		.time = e->time,
		.line = e->line,
		.task = c->task,
		.what = e->what,
		.pid = c->pid,
		.next_pid = -1,
		.prev_prio = SECT_NO_PRIO,
		.next_prio = SECT_NO_PRIO,
		.cpu = e->cpu,
		.next_cpu = -1,
		.point = (uint8_t)point,
		.context = (uint8_t)event_context(e),
		.resched = event_need_resched(e),
	};
	if (is_sched(point)) {
		n->next_task = p->sched.next_task;
		n->next_pid = p->sched.next.pid;
		n->prev_prio = p->sched.prev.prio;
		n->next_prio = p->sched.next.prio;
		n->next_cpu = (int16_t)p->sched.next_cpu;
		n->state = p->sched.prev.state;
	} else if (point != POINT_NONE) {
		n->name = p->args.name;
	}
}

static void note(struct sections *s, const struct sect_cpu *c, const struct event *e,
		 const struct payload *p, enum point point)
{
	bool telling = is_telling(e, p), change = is_change(s, point);
	struct sect_note *n = sect_note_last(&s->store, e->cpu);
	if (change || !note_joins(n, c, e)) {
		n = sect_note_next(&s->store, e->cpu);
		if (!n)
			return;
		note_fill(s, n, c, e, p, change ? point : POINT_NONE);
	}
	n->entries += telling;
	n->irqs_off += telling && event_irqs_off(e);
	n->preempt_off += telling && event_flag(e, FLAG_DEPTH);
}

/*
 * Of a switch, both are known: `perf script -F pid` prints the group's id. A task that exits has
 * no id any more for perf, which prints -1.
 */
static void check_ids(struct sections *s, const struct event *e, const struct payload *p)
{
	int32_t prev = p->sched.prev.pid, printed = names_task_of(s->names, e->task).pid;
	s->group_ids |= prev > 0 && printed >= 0 && prev != printed;
}

/*
 * The task that an event is printed with is the one that runs, but for the last steps of a switch:
 * sched_switch comes before context_switch, and what fires in between (the release of the run
 * queue's lock, with lockdep) is still printed with the task that goes.
 */
static void cpu_runs(struct sections *s, struct sect_cpu *c, const struct event *e)
{
	if (c->known && (c->task == e->task || s->group_ids))
		return;
	int32_t pid = names_task_of(s->names, e->task).pid;
	if (pid < 0) /* of perf: one that exits */
		return;
	if (c->known && c->leaving >= 0 && pid == c->leaving && pid != c->pid)
		return;
	c->leaving = -1;
	c->task = e->task;
	if (c->known && c->pid == pid)
		return;
	c->pid = pid;
	c->known = true;
	struct sect_task *t = sections_task(s, pid);
	if (!t)
		return;
	t->cpu = c->cpu;
	t->task = t->task ? t->task : e->task;
	sect_sched_runs(s, t);
}

static void cpu_lost(struct sections *s, struct sect_cpu *c)
{
	s->loss++;
	c->epoch++;
	s->absent += !c->begun && !c->absent;
	c->absent = !c->begun;
	c->known = false;
	c->stack_of = NULL;
	c->stack_holds = NULL;
	sect_irq_lost(s, c, SECT_AT_LOSS);
	sect_off_lost(s, c, SECT_AT_LOSS);
	sect_lock_lost(s, c, SECT_AT_LOSS);
}

static void stack_site_set(struct sections *s, struct sect_cpu *c, const struct payload *p)
{
	if (p->stack.user || !(c->stack_of || c->stack_holds))
		return;
	uint32_t site = stack_site(s->symbols, p, c->stack_skip);
	if (c->stack_of)
		*c->stack_of = site;
	else
		sect_lockdep_site(c, site);
	c->stack_of = NULL;
	c->stack_holds = NULL;
}

static void point_dispatch(struct sections *s, struct sect_cpu *c, const struct event *e,
			   const struct payload *p, enum point point)
{
	switch (point) {
	case POINT_SWITCH:
	case POINT_WAKING:
	case POINT_WAKEUP:
	case POINT_MIGRATE:
		sect_sched(s, c, e, p, point);
		break;
	case POINT_IRQ_ENTRY:
	case POINT_IRQ_EXIT:
	case POINT_SOFTIRQ_RAISE:
	case POINT_SOFTIRQ_ENTRY:
	case POINT_SOFTIRQ_EXIT:
		sect_irq(s, c, e, p);
		break;
	case POINT_LOCK_BEGIN:
	case POINT_LOCK_END:
		sect_lock(s, c, e, p);
		break;
	case POINT_LOCK_ACQUIRE:
	case POINT_LOCK_CONTENDED:
	case POINT_LOCK_ACQUIRED:
	case POINT_LOCK_RELEASE:
		sect_lockdep(s, c, e, p);
		break;
	case POINT_SYS_ENTER:
	case POINT_SYS_EXIT:
		sect_syscall(s, c, e, p);
		break;
	default:
		break;
	}
}

static void sections_event(struct sink *sink, const struct event *e, const struct payload *p)
{
	struct sections *s = (struct sections *)sink;
	if (e->cpu >= SECT_CPUS_MAX) {
		s->cpus_left_out++;
		return;
	}
	struct sect_cpu *c = sections_cpu(s, e->cpu);
	if (event_kind(e) == EVENT_LOST) {
		cpu_lost(s, c);
		return;
	}
	if (event_kind(e) == EVENT_STACK) {
		stack_site_set(s, c, p);
		return;
	}
	c->stack_of = NULL; /* a stack belongs to the event before it */
	c->stack_holds = NULL;
	if (e->kind & EVENT_NO_TIME || s->ticks)
		return;
	if (e->kind & EVENT_AFTER_HOLE) /* lines were cut out: of any CPU */
		cpu_lost(s, c);
	enum point point = point_of(e, p);
	if (!s->begun) {
		s->begun = true;
		s->first = s->last = e->time;
	}
	s->last = e->time > s->last ? e->time : s->last;
	s->events++;
	s->points[point]++;
	s->functions += event_kind(e) == EVENT_FUNCTION || event_is_graph(e);
	if (c->begun && e->time < c->last && !s->unordered++)
		s->unordered_line = e->line;
	c->last = e->time;
	c->begun = true;
	s->absent -= c->absent;
	c->absent = false;
	if (point == POINT_SWITCH)
		check_ids(s, e, p);
	cpu_runs(s, c, e);
	if (s->options.worst) /* else nobody asks what happened meanwhile */
		note(s, c, e, p, point);
	sect_off(s, c, e);
	if (point != POINT_NONE)
		point_dispatch(s, c, e, p, point);
}

static int sections_begin(struct sink *sink, const struct capture *c, struct err *err)
{
	(void)err;
	struct sections *s = (struct sections *)sink;
	s->ticks = c->trace.clock_ticks;
	return 0;
}

static int sections_finish(struct sink *sink, const struct capture *c, struct report *r,
			   struct err *err)
{
	(void)c, (void)r, (void)err;
	struct sections *s = (struct sections *)sink;
	sect_tasks_end(s);
	sect_lockdep_end(s);
	vec_each (at, &s->cpus) {
		if (!*at)
			continue;
		sect_irq_lost(s, *at, SECT_AT_END);
		sect_off_end(s, *at);
		sect_off_lost(s, *at, SECT_AT_END);
		sect_lock_lost(s, *at, SECT_AT_END);
	}
	sect_store_finish(&s->store);
	return 0;
}

static const struct sink_ops sections_ops = {
	.wants = SINK_WANTS_ALL & ~(1u << EVENT_GRAPH_EXIT | 1u << EVENT_GRAPH_COMMENT),
	.points = POINT_BIT(POINT_SWITCH) | POINT_BIT(POINT_WAKING) | POINT_BIT(POINT_WAKEUP) |
		  POINT_BIT(POINT_MIGRATE) | POINT_BIT(POINT_IRQ_ENTRY) |
		  POINT_BIT(POINT_IRQ_EXIT) | POINT_BIT(POINT_SOFTIRQ_RAISE) |
		  POINT_BIT(POINT_SOFTIRQ_ENTRY) | POINT_BIT(POINT_SOFTIRQ_EXIT) |
		  POINT_BIT(POINT_LOCK_BEGIN) | POINT_BIT(POINT_LOCK_END) |
		  POINT_BIT(POINT_LOCK_ACQUIRE) | POINT_BIT(POINT_LOCK_CONTENDED) |
		  POINT_BIT(POINT_LOCK_ACQUIRED) | POINT_BIT(POINT_LOCK_RELEASE) |
		  POINT_BIT(POINT_SYS_ENTER) | POINT_BIT(POINT_SYS_EXIT),
	.begin = sections_begin,
	.event = sections_event,
	.finish = sections_finish,
};

/* -- Life -------------------------------------------------------------------------------------- */

struct sections *sections_new(const struct section_options *o, struct symbols *symbols)
{
	struct sections *s = mem_alloc(sizeof(*s));
	s->sink.ops = &sections_ops;
	s->options = *o;
	s->symbols = symbols;
	s->names = symbols->names;
	sect_store_init(&s->store, &s->options, s->names);
	lock_tally_init(&s->tally, s->names, symbols);
	return s;
}

void sections_free(struct sections *s)
{
	if (!s)
		return;
	sect_store_fini(&s->store);
	sections_state_fini(s);
	vec_fini(&s->off_event);
	vec_fini(&s->lock_maps);
	lock_tally_fini(&s->tally);
	free(s);
}

struct sink *sections_sink(struct sections *s)
{
	return &s->sink;
}

bool sections_saw_any(const struct sections *s)
{
	return sections_saw_points(s) || s->store.cells.n;
}

bool sections_saw_points(const struct sections *s)
{
	for (int i = POINT_NONE + 1; i <= POINT_SYS_EXIT; i++) {
		if (s->points[i])
			return true;
	}
	return s->exact_off[0] || s->exact_off[1];
}
