/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of all kinds of sections, what is not in it, and what this trace cannot show. */
#include <stdlib.h>

#include "analyze/buckets.h"
#include "analyze/section_parts.h"
#include "base/units.h"

/* -- Names ------------------------------------------------------------------------------------- */

/* include/trace/events/lock.h, kernel/locking: which flags each primitive gives. */
const char *lock_type_name(uint32_t flags)
{
	switch (flags) {
	case 0:
		return "semaphore";
	case LOCK_WAIT_SPIN:
		return "spinlock";
	case LOCK_WAIT_SPIN | LOCK_WAIT_READ:
		return "rwlock read";
	case LOCK_WAIT_SPIN | LOCK_WAIT_WRITE:
		return "rwlock write";
	case LOCK_WAIT_READ:
		return "rwsem read";
	case LOCK_WAIT_WRITE:
		return "rwsem write";
	case LOCK_WAIT_RT:
		return "rt_mutex";
	case LOCK_WAIT_RT | LOCK_WAIT_READ:
		return "rwbase read";
	case LOCK_WAIT_RT | LOCK_WAIT_WRITE:
		return "rwbase write";
	case LOCK_WAIT_PERCPU | LOCK_WAIT_READ:
		return "percpu-rwsem read";
	case LOCK_WAIT_PERCPU | LOCK_WAIT_WRITE:
		return "percpu-rwsem write";
	case LOCK_WAIT_MUTEX:
		return "mutex";
	/* Of a lock, rather than of a wait for it. */
	case LOCK_WAIT_SPIN | LOCK_WAIT_READ | LOCK_WAIT_WRITE:
		return "rwlock";
	case LOCK_WAIT_READ | LOCK_WAIT_WRITE:
		return "rwsem";
	case LOCK_WAIT_RT | LOCK_WAIT_READ | LOCK_WAIT_WRITE:
		return "rwbase";
	case LOCK_WAIT_PERCPU | LOCK_WAIT_READ | LOCK_WAIT_WRITE:
		return "percpu-rwsem";
	default:
		return "lock";
	}
}

const char *sect_lock_text(const struct sections *s, uint32_t flags, uint32_t name, int64_t lock,
			   struct arena *a)
{
	const char *type = flags & LOCK_WAIT_LOCKDEP ? "" : lock_type_name(flags);
	const char *blank = *type ? " " : "";
	if (name)
		return arena_printf(a, "%s%s%.*s", type, blank, STR_ARG(names_str(s->names, name)));
	if (lock == UNKNOWN)
		return *type ? type : "a lock";
	return arena_printf(a, "%s%s0x%llx", type, blank, (unsigned long long)lock);
}

const char *task_name(const struct sections *s, uint32_t task, int32_t pid, struct arena *a)
{
	struct task t = names_task_of(s->names, task);
	struct str comm = names_str(s->names, t.comm);
	if (!pid || (task && !t.pid))
		return "idle";
	if (!task || !comm.n)
		return arena_printf(a, "pid %d", pid);
	return arena_printf(a, "%.*s-%d", STR_ARG(comm), t.pid);
}

/* 0-98 real-time, 100-139 nice, -1 deadline: include/linux/sched/prio.h. */
const char *prio_text(int32_t prio, struct arena *a)
{
	if (prio == -1)
		return " (deadline)";
	if (prio >= 0 && prio < 100)
		return arena_printf(a, " (RT %d)", 99 - prio);
	if (prio == 120 || prio < 0 || prio > 139)
		return "";
	return arena_printf(a, " (nice %d)", prio - 120);
}

const char *seconds_text(int64_t ns, struct arena *a)
{
	int64_t us = ns / 1000;
	return arena_printf(a, "%s%lld.%06lld", ns < 0 ? "-" : "", llabs(us / 1000000),
			    llabs(us % 1000000));
}

const char *sect_name(const struct sections *s, enum sect sect, uint64_t key, struct arena *a)
{
	if (key == UINT64_MAX)
		return arena_printf(a, "%s, others", sect_title(sect));
	if (sect == SECT_LOCK && key & SECT_LOCK_NAMED)
		return arena_printf(a, "%.*s", STR_ARG(names_str(s->names, (uint32_t)key)));
	if (sect == SECT_LOCK)
		return lock_type_name((uint32_t)key);
	const char *what = sect == SECT_HARDIRQ ? "irq" : sect == SECT_SYSCALL ? "sys" : "softirq";
	if (key > UINT32_MAX)
		return arena_printf(a, "%s %lld", sect == SECT_SYSCALL ? "syscall" : what,
				    (long long)(key >> 32) - 1);
	return arena_printf(a, "%s %.*s", what, STR_ARG(names_str(s->names, (uint32_t)key)));
}

/* -- What the trace shows ---------------------------------------------------------------------- */

/* NULL: visible; else why it is not. */
static const char *why_invisible(const struct sections *s, enum sect sect)
{
	const uint64_t *n = s->points;
	bool woken = n[POINT_WAKING] || n[POINT_WAKEUP];
	switch (sect) {
	case SECT_WAKEUP:
		return woken && n[POINT_SWITCH] ? NULL
		       : n[POINT_SWITCH]        ? "no sched_waking or sched_wakeup events"
						: "no sched_switch events";
	case SECT_RUNQ:
		return n[POINT_SWITCH] ? NULL : "no sched_switch events";
	case SECT_IRQS_OFF:
		return s->exact_off[0] || s->flagged_irqs ? NULL
		       : s->functions                     ? "no function entry shows it"
				      : "the flags of events do not tell when it ends";
	case SECT_PREEMPT_OFF:
		return s->exact_off[1] || s->flagged_preempt ? NULL
		       : s->functions                        ? "no function entry shows it"
				      : "the flags of events do not tell when it ends";
	case SECT_LOCK:
		return (n[POINT_LOCK_BEGIN] && n[POINT_LOCK_END]) ||
				       (n[POINT_LOCK_CONTENDED] && n[POINT_LOCK_ACQUIRED])
			       ? NULL
			       : "no contention events";
	case SECT_LOCK_HOLD:
		return n[POINT_LOCK_RELEASE] && (n[POINT_LOCK_ACQUIRE] || n[POINT_LOCK_ACQUIRED])
			       ? NULL
			       : "no lock_acquire and lock_release events";
	case SECT_SOFTIRQ_WAIT:
		return n[POINT_SOFTIRQ_RAISE] && n[POINT_SOFTIRQ_ENTRY] ? NULL
									: "no softirq_raise events";
	case SECT_HARDIRQ:
		return n[POINT_IRQ_ENTRY] ? NULL : "no irq_handler_entry events";
	case SECT_SOFTIRQ:
		return n[POINT_SOFTIRQ_ENTRY] ? NULL : "no softirq_entry events";
	case SECT_SYSCALL:
		return n[POINT_SYS_ENTER] && n[POINT_SYS_EXIT] ? NULL : "no sys_enter events";
	default:
		return NULL;
	}
}

static bool is_shown(const struct sections *s, enum sect sect)
{
	return (!s->options.sects || s->options.sects & SECT_BIT(sect)) && !why_invisible(s, sect);
}

/* Kinds that lack the same are told together. */
static void report_invisible(const struct sections *s, struct section *to, struct report *r)
{
	const char *why[SECTS];
	struct strbuf cleanup_strbuf text = { 0 };
	struct finding *f = report_finding(r, to, "not_visible", NULL);
	for (int i = 0; i < SECTS; i++) {
		bool wanted = !s->options.sects || s->options.sects & SECT_BIT(i);
		why[i] = wanted ? why_invisible(s, (enum sect)i) : NULL;
		finding_fact(f, sect_fact((enum sect)i), value_text(why[i]));
	}
	for (int i = 0; i < SECTS; i++) {
		if (!why[i])
			continue;
		strbuf_str(&text, text.n ? "; " : "not visible in this trace: ");
		strbuf_str(&text, sect_title((enum sect)i));
		for (int k = i + 1; k < SECTS; k++) {
			if (!why[k] || strcmp(why[k], why[i]) != 0)
				continue;
			strbuf_printf(&text, ", %s", sect_title((enum sect)k));
			why[k] = NULL;
		}
		strbuf_printf(&text, " (%s)", why[i]);
	}
	/* Where functions alone were traced, nobody looks for the others. */
	bool tell = text.n && sections_saw_points(s);
	f->text = tell ? arena_str(&r->arena, strbuf_get(&text)) : NULL;
}

/* -- The table --------------------------------------------------------------------------------- */

static struct value quantile(const struct histogram *h, uint32_t part, uint32_t whole)
{
	int64_t ns = histogram_quantile(h, part, whole);
	return ns == INT64_MIN ? value_none() : value_time(ns);
}

static struct row *times_row(const struct sections *s, struct table *t, const char *name,
			     const struct histogram *h, uint64_t over)
{
	struct row *row = table_row(t);
	row->cell[0] = value_text(name);
	row->cell[1] = value_count((int64_t)h->n);
	row->cell[2] = s->options.threshold_ns != UNKNOWN ? value_count((int64_t)over)
		       : h->n                             ? value_time(h->sum)
							  : value_none();
	row->cell[3] = quantile(h, 50, 100);
	row->cell[4] = quantile(h, 99, 100);
	row->cell[5] = quantile(h, 999, 1000);
	row->cell[6] = h->n ? value_time(h->max) : value_none();
	return row;
}

static struct table *times_table(const struct sections *s, struct section *to, const char *key,
				 struct report *r)
{
	bool limit = s->options.threshold_ns != UNKNOWN;
	struct table *t = report_table(r, to, key);
	const char *over =
		limit ? arena_printf(&r->arena, "over %s", units_time(s->options.threshold_ns).s)
		      : "total";
	struct column columns[TABLE_COLUMNS] = {
		{ "name", "", VALUE_TEXT },
		{ "count", "count", VALUE_COUNT },
		{ limit ? "over" : "total_ns", over, limit ? VALUE_COUNT : VALUE_TIME },
		{ "p50_ns", "p50", VALUE_TIME },
		{ "p99_ns", "p99", VALUE_TIME },
		{ "p999_ns", "p99.9", VALUE_TIME },
		{ "max_ns", "max", VALUE_TIME },
		{ "worst", "worst, at second", VALUE_TEXT },
	};
	memcpy(t->columns, columns, sizeof(columns));
	return t;
}

static const struct sect_worst *worst_of(const struct sections *s, enum sect sect)
{
	const struct sect_worst *worst = NULL;
	int64_t most = -1;
	vec_each (w, &s->store.worst[sect]) {
		int64_t ns = sat_sub(w->span.end, w->span.start);
		if (ns > most) {
			most = ns;
			worst = w;
		}
	}
	return worst;
}

static const char *where_text(const struct sections *s, enum sect sect, struct arena *a)
{
	const struct sect_worst *w = worst_of(s, sect);
	if (!w)
		return NULL;
	const struct sect_span *x = &w->span;
	const char *who =
		x->sect == SECT_HARDIRQ || x->sect == SECT_SOFTIRQ || x->sect == SECT_SOFTIRQ_WAIT
			? sect_name(s, sect, x->key, a)
			: task_name(s, x->task, x->pid, a);
	const char *seconds = seconds_text(x->start, a);
	return arena_printf(a, "%s, %.*s", who, (int)strlen(seconds) - 2, seconds);
}

static void from_wakeup_row(const struct sections *s, struct table *t)
{
	const struct histogram *h = &s->store.from_wakeup;
	if (!h->n)
		return;
	struct row *row = times_row(s, t, "from sched_wakeup", h, 0);
	row->indent = 1;
	if (s->options.threshold_ns != UNKNOWN)
		row->cell[2] = value_none();
}

static void report_kinds(const struct sections *s, struct section *to, struct report *r)
{
	bool any = false;
	for (int i = 0; i < SECTS; i++)
		any |= is_shown(s, (enum sect)i);
	if (!any)
		return;
	struct table *t = times_table(s, to, "sections", r);
	for (int i = 0; i < SECTS; i++) {
		struct histogram sum;
		uint64_t over;
		if (!is_shown(s, (enum sect)i))
			continue;
		sect_store_sum(&s->store, (enum sect)i, &sum, &over);
		struct row *row = times_row(s, t, sect_title((enum sect)i), &sum, over);
		row->cell[7] = value_text(where_text(s, (enum sect)i, &r->arena));
		histogram_fini(&sum);
		if (i == SECT_WAKEUP)
			from_wakeup_row(s, t);
	}
}

struct named {
	const struct sect_cell *cell;
	size_t rank; /* among those of its kind */
};

static int kind_order(const struct named *x, const struct named *y)
{
	return (x->cell->sect > y->cell->sect) - (x->cell->sect < y->cell->sect);
}

static int max_order(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int64_t m = x->cell->times.max, n = y->cell->times.max;
	return kind_order(x, y) ? kind_order(x, y) : (m < n) - (m > n);
}

/* So many of each kind come before the others. */
#define NAMES_FIRST 2

static int named_order(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	bool m = x->rank >= NAMES_FIRST, n = y->rank >= NAMES_FIRST;
	if (m != n)
		return m - n;
	return kind_order(x, y) ? kind_order(x, y) : (x->rank > y->rank) - (x->rank < y->rank);
}

static bool has_names(enum sect sect)
{
	return sect == SECT_LOCK || (sect >= SECT_HARDIRQ && sect <= SECT_SYSCALL);
}

static void report_names(struct sections *s, struct report *r)
{
	VEC(struct named) names = { 0 };
	vec_each (cell, &s->store.cells) {
		if (has_names(cell->sect) && is_shown(s, cell->sect))
			vec_push(&names, ((struct named){ .cell = cell }));
	}
	if (names.n > 1) {
		vec_sort(&names, max_order);
		for (size_t i = 1; i < names.n; i++) {
			bool same = !kind_order(&names.at[i], &names.at[i - 1]);
			names.at[i].rank = same ? names.at[i - 1].rank + 1 : 0;
		}
		vec_sort(&names, named_order);
		struct section *to = report_section(r, "names", "BY NAME", NULL);
		struct table *t = times_table(s, to, "names", r);
		t->columns[7].key = NULL;
		t->top = (uint32_t)s->options.top;
		t->more = "--top N shows more, --kind one kind alone";
		vec_each (n, &names)
			times_row(s, t, sect_name(s, n->cell->sect, n->cell->key, &r->arena),
				  &n->cell->times, n->cell->over);
	}
	vec_fini(&names);
}

/* -- What is not in the table ------------------------------------------------------------------ */

static void report_unknown(const struct sections *s, struct section *to, struct report *r)
{
	static const char *const when[SECT_UNKNOWN_REASONS] = { "at the beginning", "at the end",
								"where events are missing" };
	struct strbuf cleanup_strbuf text = { 0 };
	struct finding *told = report_finding(r, to, "not_counted", NULL);
	for (int i = 0; i < SECTS; i++) {
		const uint64_t *n = s->store.unknown[i];
		if (!is_shown(s, (enum sect)i) || !(n[0] || n[1] || n[2]))
			continue;
		const char *comma =
			text.n ? "; " : "under way, so of unknown length, and not counted: ";
		strbuf_printf(&text, "%s%s", comma, sect_title((enum sect)i));
		const char *before = " ";
		for (int w = 0; w < SECT_UNKNOWN_REASONS; w++) {
			if (!n[w])
				continue;
			strbuf_printf(&text, "%s%s %s", before, units_count((int64_t)n[w]).s,
				      when[w]);
			before = ", ";
		}
		struct finding *f = report_finding(r, to, "unknown", NULL);
		finding_fact(f, "kind", value_text(sect_fact((enum sect)i)));
		finding_fact(f, "at_begin", value_count((int64_t)n[SECT_AT_BEGIN]));
		finding_fact(f, "at_end", value_count((int64_t)n[SECT_AT_END]));
		finding_fact(f, "at_loss", value_count((int64_t)n[SECT_AT_LOSS]));
	}
	told->text = text.n ? arena_str(&r->arena, strbuf_get(&text)) : NULL;
}

static void method(struct report *r, struct section *to, bool holds, const char *key,
		   const char *text)
{
	if (holds)
		report_finding(r, to, key, text);
}

/* Time goes up on each CPU, but in text that was turned round or put together. */
static void report_unordered(const struct sections *s, struct section *to, struct report *r)
{
	if (!s->unordered)
		return;
	struct finding *f = report_finding(
		r, to, "unordered",
		arena_printf(
			&r->arena,
			"time runs backwards at %s events, first at line %u: sections are told "
			"of events in their order; sort them by time",
			units_count((int64_t)s->unordered).s, s->unordered_line));
	f->first_line = f->last_line = s->unordered_line;
	finding_fact(f, "events", value_count((int64_t)s->unordered));
}

/* What was asked for is not there: a table of zeros would not say why. */
static void report_none(const struct sections *s, struct section *to, struct report *r)
{
	const struct section_options *o = &s->options;
	uint64_t n = 0;
	for (int i = 0; i < SECTS; i++) {
		for (int w = 0; w < SECT_UNKNOWN_REASONS; w++)
			n += s->store.unknown[i][w];
	}
	if (n || s->store.cells.n || !(o->task || o->tgid || o->cpu != UNKNOWN))
		return;
	report_finding(r, to, "none_chosen",
		       "no section is of that task, process or CPU: --task and --cpu chose none");
}

/* How the figures are meant, where that is not obvious. */
static void report_methods(const struct sections *s, struct section *to, struct report *r)
{
	bool flags[2] = { is_shown(s, SECT_IRQS_OFF) && !s->exact_off[0],
			  is_shown(s, SECT_PREEMPT_OFF) && !s->exact_off[1] };
	const struct sect_store *st = &s->store;
	method(r, to, is_shown(s, SECT_WAKEUP) && st->wakeups && !st->from_waking, "from_wakeup",
	       "wake-ups are timed from sched_wakeup: what comes before it, from sched_waking on, "
	       "is not recorded");
	method(r, to, st->from_waking && st->from_waking < st->wakeups, "mixed",
	       arena_printf(
		       &r->arena,
		       "wake-ups are timed from sched_waking, %s of %s from sched_wakeup alone "
		       "(new tasks, say)",
		       units_count((int64_t)(st->wakeups - st->from_waking)).s,
		       units_count((int64_t)st->wakeups).s));
	method(r, to, flags[0] || flags[1], "lower_bound",
	       "irqs-off and preempt-off are estimated from the flags of function entries, first "
	       "to last of a row: the section is longer, and two without an entry between look "
	       "like one");
	method(r, to, is_shown(s, SECT_LOCK_HOLD) && !s->lockdep_waits, "hold_with_wait",
	       "a hold's time is that from lock_acquire on, the wait for it included: there are no "
	       "lock_acquired events");
	method(r, to, is_shown(s, SECT_SYSCALL), "asleep",
	       "a system call's time is that from enter to exit, asleep or not");
	if (st->backwards)
		report_finding(r, to, "backwards",
			       arena_printf(&r->arena,
					    "%s ended before they began, by clocks that differ "
					    "between CPUs: not counted",
					    units_count((int64_t)st->backwards).s));
	if (st->processless)
		report_finding(
			r, to, "processless",
			arena_printf(&r->arena,
				     "%s are of tasks whose process the trace does not show, "
				     "or shows too late: left out (ftrace's option "
				     "record-tgid shows it in text; a trace.dat has none)",
				     units_count((int64_t)st->processless).s));
	if (s->cpus_left_out)
		report_finding(r, to, "cpus_left_out",
			       arena_printf(&r->arena, "%s events of CPUs from %d on are left out",
					    units_count((int64_t)s->cpus_left_out).s,
					    SECT_CPUS_MAX));
	if (s->tasks_left_out)
		report_finding(r, to, "tasks_left_out",
			       arena_printf(&r->arena, "%s events of tasks beyond %u are left out",
					    units_count((int64_t)s->tasks_left_out).s,
					    SECT_TASKS_MAX));
}

/* One row an octave, for machines: the quantiles' own histogram is finer. */
static void report_histograms(const struct sections *s, struct section *to, struct report *r)
{
	for (int i = 0; i < SECTS; i++) {
		struct histogram sum;
		uint64_t over;
		sect_store_sum(&s->store, (enum sect)i, &sum, &over);
		buckets_report(&sum, "kind", sect_fact((enum sect)i), to, r);
		histogram_fini(&sum);
	}
}

void sections_report(struct sections *s, struct report *r)
{
	struct section *to = report_section(r, "sections", "SECTIONS", "quantiles to 0.8 %");
	if (s->ticks) {
		report_finding(r, to, "ticks",
			       "the trace's clock counts no time: lengths would have no unit");
		return;
	}
	report_unordered(s, to, r);
	report_kinds(s, to, r);
	report_none(s, to, r);
	report_unknown(s, to, r);
	report_invisible(s, to, r);
	report_methods(s, to, r);
	report_histograms(s, to, r);
	report_names(s, r);
	sections_worst_report(s, r);
}
