/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The worst sections, each told from its beginning to its end. */
#include <ctype.h>
#include <stdlib.h>

#include "analyze/section_story.h"
#include "base/units.h"

#define PARTS_SHOWN 9
#define DOTTED 48 /* columns of a part's text with its dots */

struct telling {
	struct sections *s;
	struct report *r;
	struct section *to;
	const struct sect_span *x;
	int64_t length;
	struct story story;
};

static struct finding *tell(struct telling *t, const char *key, int64_t at, uint32_t line,
			    const char *text)
{
	struct arena *a = &t->r->arena;
	struct units_text when = units_time(sat_sub(at, t->x->start));
	struct finding *f = report_finding(t->r, t->to, key,
					   arena_printf(a, "%8s  %s",
							at == t->x->start ? "0 us" : when.s, text));
	f->first_line = f->last_line = line;
	finding_fact(f, "at_ns", value_time(at));
	return f;
}

/* -- The first and the last line --------------------------------------------------------------- */

static const char *site_text(const struct telling *t, const char *before)
{
	if (!t->x->site)
		return "";
	return arena_printf(&t->r->arena, "%s%s", before, symbols_text(t->s->symbols, t->x->site));
}

static const char *begin_text(const struct telling *t)
{
	const struct sect_span *x = t->x;
	struct arena *a = &t->r->arena;
	const char *by = task_name(t->s, x->by, -1, a);
	static const char *const in[CONTEXT_COUNT] = { "", "softirq", "hardirq", "NMI" };
	switch (x->sect) {
	case SECT_WAKEUP:
		if (x->context != CONTEXT_TASK)
			return arena_printf(a, "woken in %s on CPU %u%s; it interrupted %s",
					    in[x->context], x->by_cpu, site_text(t, ", from "), by);
		return arena_printf(a, "woken by %s on CPU %u%s", by, x->by_cpu,
				    site_text(t, ", from "));
	case SECT_RUNQ:
		return arena_printf(a, "switched out on CPU %u while runnable, for %s", x->by_cpu,
				    x->by ? by : "idle");
	case SECT_SOFTIRQ_WAIT:
		return arena_printf(a, "raised on CPU %u in %s%s", x->by_cpu,
				    x->context ? in[x->context] : by, site_text(t, ", from "));
	case SECT_LOCK:
		return arena_printf(a, "waits for %s%s",
				    sect_lock_text(t->s, x->flags, x->name, x->lock, a),
				    site_text(t, ", in "));
	case SECT_LOCK_HOLD:
		return arena_printf(a, "takes %s on CPU %u",
				    sect_lock_text(t->s, x->flags, x->name, x->lock, a), x->cpu);
	case SECT_SYSCALL:
		return arena_printf(a, "enters %s", sect_name(t->s, x->sect, x->key, a));
	case SECT_HARDIRQ:
	case SECT_SOFTIRQ:
		return arena_printf(a, "entered on CPU %u; it interrupted %s", x->cpu, by);
	default:
		return arena_printf(a, "first seen off on CPU %u%s", x->cpu,
				    x->site ? arena_printf(a, ", at %.*s",
							   STR_ARG(names_str(t->s->names, x->site)))
					    : "");
	}
}

static const char *end_text(const struct sect_span *x)
{
	static const char *const ends[SECTS] = {
		"switched in",   "switched in", "last seen off", "last seen off", "has the lock",
		"lets go of it", "entered",     "left",          "left",          "returns",
	};
	return x->sect == SECT_LOCK && x->ret ? "gives up, without the lock" : ends[x->sect];
}

/* -- Between ----------------------------------------------------------------------------------- */

static const char *dotted(const char *text, struct arena *a)
{
	size_t n = strlen(text);
	char dots[DOTTED + 2] = "";
	if (n + 2 < DOTTED) {
		memset(dots, '.', DOTTED - n - 1);
		dots[0] = ' ';
		dots[DOTTED - n - 1] = '\0';
	}
	return arena_printf(a, "%s%s", text, dots);
}

static void part_facts(struct telling *t, struct finding *f, const struct story_part *p)
{
	static const char *const contexts[CONTEXT_COUNT] = { "task", "softirq", "hardirq", "nmi" };
	struct arena *a = &t->r->arena;
	bool runs = p->kind == PART_RUNS;
	f->first_line = p->kind == PART_UNKNOWN ? 0 : p->first_line;
	f->last_line = p->last_line;
	finding_fact(f, "total_ns", value_time(p->end - p->start));
	finding_fact(f, "cpu", runs ? value_count(p->cpu) : value_none());
	finding_fact(f, "task",
		     runs ? value_text(task_name(t->s, p->task, p->pid, a)) : value_none());
	finding_fact(f, "context", runs ? value_text(contexts[p->context]) : value_none());
}

static void tell_part(struct telling *t, const struct story_part *p, bool summed)
{
	struct arena *a = &t->r->arena;
	const char *text = dotted(part_text(t->s, p, a), a);
	int64_t ns = p->end - p->start;
	text = arena_printf(a, "%s %8s  %5s", text, units_time(ns).s, units_share(ns, t->length).s);
	struct finding *f =
		summed ? report_finding(t->r, t->to, "part", arena_printf(a, "%8s  %s", "", text))
		       : tell(t, "part", p->start, 0, text);
	if (strlen(text) > DOTTED + 18)
		f->aside = ""; /* no room for the lines */
	part_facts(t, f, p);
}

static void tell_moment(struct telling *t, const struct story_moment *m)
{
	static const char *const keys[] = { "on_the_queue", "need_resched", "migrated", "woken" };
	struct arena *a = &t->r->arena;
	const char *text = m->kind == MOMENT_QUEUED ? "on the run queue (sched_wakeup)"
						    : "need-resched is set";
	if (m->kind == MOMENT_MIGRATED)
		text = arena_printf(a, "moved to CPU %u", m->cpu);
	if (m->kind == MOMENT_WOKEN)
		text = arena_printf(a, "woken by %s on CPU %u",
				    task_name(t->s, m->by, m->by_pid, a), m->cpu);
	tell(t, keys[m->kind], m->time, m->line, text);
}

/* In the order of time if that fits, else what ran longest first. */
static void tell_parts(struct telling *t)
{
	struct story *st = &t->story;
	if (st->parts.n == 1 && !st->moments.n && st->parts.at[0].kind == PART_RUNS &&
	    st->parts.at[0].pid == t->x->pid && st->parts.at[0].context == CONTEXT_TASK)
		return; /* it ran, and nothing else */
	if (st->parts.n + st->moments.n <= PARTS_SHOWN) {
		size_t m = 0;
		vec_each (p, &st->parts) {
			for (; m < st->moments.n && st->moments.at[m].time <= p->start; m++)
				tell_moment(t, &st->moments.at[m]);
			tell_part(t, p, false);
		}
		for (; m < st->moments.n; m++)
			tell_moment(t, &st->moments.at[m]);
		return;
	}
	size_t all = st->parts.n, shown = 0;
	int64_t rest = 0;
	story_sum(st);
	vec_each (p, &st->parts) {
		if (shown++ < PARTS_SHOWN - 2)
			tell_part(t, p, true);
		else
			rest += p->end - p->start;
	}
	report_finding(t->r, t->to, "more_parts",
		       arena_printf(&t->r->arena, "%8s  summed up from %zu parts%s%s%s", "", all,
				    rest ? ", the shorter ones " : "",
				    rest ? units_time(rest).s : "", rest ? " together" : ""));
}

static void tell_spinning(struct telling *t)
{
	const struct sect_span *x = t->x;
	if (x->sect != SECT_LOCK || !x->spin_ns || !x->sleep_ns)
		return;
	struct finding *f = report_finding(
		t->r, t->to, "modes",
		arena_printf(&t->r->arena, "%8s  spinning %s, then asleep or about to be %s", "",
			     units_time(x->spin_ns).s, units_time(x->sleep_ns).s));
	finding_fact(f, "spin_ns", value_time(x->spin_ns));
	finding_fact(f, "sleep_ns", value_time(x->sleep_ns));
}

/* -- One section ------------------------------------------------------------------------------- */

static const char *upper(const char *text, struct arena *a)
{
	struct strbuf cleanup_strbuf out = { 0 };
	for (; *text; text++)
		strbuf_printf(&out, "%c", toupper((unsigned char)*text));
	return arena_str(a, strbuf_get(&out));
}

static const char *subject_text(const struct telling *t)
{
	static const char *const off[] = { "interrupts off", "preemption off" };
	struct arena *a = &t->r->arena;
	const struct sect_span *x = t->x;
	switch (x->sect) {
	case SECT_HARDIRQ:
	case SECT_SOFTIRQ:
	case SECT_SOFTIRQ_WAIT:
		return sect_name(t->s, x->sect, x->key, a);
	case SECT_IRQS_OFF:
	case SECT_PREEMPT_OFF:
		return arena_printf(a, "%s in %s", off[x->sect - SECT_IRQS_OFF],
				    task_name(t->s, x->task, x->pid, a));
	default:
		return arena_printf(a, "%s%s", task_name(t->s, x->task, x->pid, a),
				    prio_text(x->prio, a));
	}
}

static struct value time_or_none(int64_t ns)
{
	return ns == UNKNOWN ? value_none() : value_time(ns);
}

static void span_facts(const struct telling *t, struct finding *f)
{
	const struct sect_span *x = t->x;
	struct arena *a = &t->r->arena;
	bool lock = x->sect == SECT_LOCK || x->sect == SECT_LOCK_HOLD;
	bool wakeup = x->sect == SECT_WAKEUP;
	finding_fact(f, "kind", value_text(sect_fact(x->sect)));
	finding_fact(f, "length_ns", value_time(t->length));
	finding_fact(f, "start_ns", value_time(x->start));
	finding_fact(f, "end_ns", value_time(x->end));
	finding_fact(f, "cpu", value_count(x->cpu));
	finding_fact(f, "task", value_text(task_name(t->s, x->task, x->pid, a)));
	finding_fact(f, "of",
		     x->key ? value_text(sect_name(t->s, x->sect, x->key, a)) : value_none());
	finding_fact(f, "by", wakeup ? value_text(task_name(t->s, x->by, -1, a)) : value_none());
	finding_fact(f, "from_waking", wakeup ? value_yes(x->from_waking) : value_none());
	finding_fact(f, "wakeup_ns", time_or_none(x->wakeup));
	finding_fact(f, "migrations",
		     x->sect <= SECT_RUNQ ? value_count(x->migrations) : value_none());
	finding_fact(f, "lock",
		     lock ? value_text(sect_lock_text(t->s, x->flags, x->name, x->lock, a))
			  : value_none());
}

static void tell_worst(struct sections *s, struct report *r, const struct sect_worst *w,
		       size_t rank)
{
	struct arena *a = &r->arena;
	const struct sect_span *x = &w->span;
	struct telling t = { .s = s, .r = r, .x = x, .length = sat_sub(x->end, x->start) };
	const char *kind = upper(sect_title(x->sect), a);
	t.to = report_section(r, "worst", NULL, NULL);
	t.to->title = rank ? arena_printf(a, "%s, NUMBER %zu", kind, rank + 1)
			   : arena_printf(a, "THE WORST %s", kind);
	t.to->note = arena_printf(a, "%s, %s on CPU %u   %s .. %s s", units_time(t.length).s,
				  subject_text(&t), x->cpu, seconds_text(x->start, a),
				  seconds_text(x->end, a));
	story_build(s, w, &t.story);
	struct finding *f = report_finding(r, t.to, "worst", story_why(s, x, &t.story, a));
	span_facts(&t, f);
	tell(&t, "begin", x->start, x->first_line, begin_text(&t));
	tell_spinning(&t);
	tell_parts(&t);
	tell(&t, "end", x->end, x->last_line, end_text(x));
	story_fini(&t.story);
}

/* -- Which ------------------------------------------------------------------------------------- */

static int64_t length_of(const struct sect_worst *w)
{
	return sat_sub(w->span.end, w->span.start);
}

static int worst_order(const void *a, const void *b)
{
	int64_t m = length_of(a), n = length_of(b);
	return (m < n) - (m > n);
}

/* System calls sleep as long as they are meant to: they come last. */
static int kind_order(const void *a, const void *b)
{
	const struct sect_worst *x = *(const struct sect_worst *const *)a;
	const struct sect_worst *y = *(const struct sect_worst *const *)b;
	bool m = x->span.sect == SECT_SYSCALL, n = y->span.sect == SECT_SYSCALL;
	return m != n ? m - n : worst_order(x, y);
}

#define KINDS_TOLD 3

void sections_worst_report(struct sections *s, struct report *r)
{
	const struct sect_worst *first[SECTS];
	size_t kinds = 0;
	for (int i = 0; i < SECTS; i++) {
		__typeof__(&s->store.worst[0]) list = &s->store.worst[i];
		if (!list->n)
			continue;
		vec_sort(list, worst_order);
		first[kinds++] = list->at;
	}
	qsort(first, kinds, sizeof(first[0]), kind_order);
	bool few = s->options.worst == UNKNOWN && !s->options.sects;
	for (size_t k = 0; k < kinds && !(few && k == KINDS_TOLD); k++) {
		enum sect sect = first[k]->span.sect;
		for (size_t i = 0; i < s->store.worst[sect].n; i++)
			tell_worst(s, r, &s->store.worst[sect].at[i], i);
	}
}
