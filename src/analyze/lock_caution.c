/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/lock_caution.h"

#include <stddef.h>

#include "base/units.h"

/* Classes with a flag over all tables, and the first of them. */
struct flagged {
	size_t n;
	const struct lock_class *first;
};

struct caution {
	const struct lock_view *const *views;
	size_t n;
	struct report *report;
	struct section *section;
};

static struct section *section(struct caution *c)
{
	if (!c->section)
		c->section = report_section(c->report, "caution", "CAUTION", NULL);
	return c->section;
}

static struct finding *say(struct caution *c, const char *key, const char *text)
{
	return report_finding(c->report, section(c), key, text);
}

static struct flagged count_flag(const struct caution *c, uint32_t flag)
{
	struct flagged f = { 0 };
	for (size_t i = 0; i < c->n; i++) {
		vec_each (class, &c->views[i]->classes) {
			bool apart = flag == LOCK_TWIN && lock_is_told_apart(class);
			if (!(class->flags & flag) || lock_is_map(class) || apart)
				continue;
			f.n++;
			if (!f.first)
				f.first = class;
		}
	}
	return f;
}

static const char *number(struct caution *c, size_t n, const char *one, const char *many)
{
	return arena_printf(&c->report->arena, "%s %s", units_count((int64_t)n).s,
			    n == 1 ? one : many);
}

static void prove(struct finding *f, const struct flagged *who)
{
	finding_fact(f, "rows", value_count((int64_t)who->n));
	if (!who->first->line)
		return;
	f->first_line = f->last_line = who->first->line;
}

static void frozen(struct caution *c)
{
	for (size_t i = 0; i < c->n; i++) {
		if (!c->views[i]->frozen)
			continue;
		say(c, "lockdep_disabled",
		    "lockdep had switched itself off after a warning: the counters stood still "
		    "from "
		    "then on, and nobody knows since when");
		return;
	}
}

static void numbers(struct caution *c)
{
	struct arena *a = &c->report->arena;
	struct flagged mean = count_flag(c, LOCK_BAD_MEAN), sum = count_flag(c, LOCK_BAD_SUM);
	struct flagged day = count_flag(c, LOCK_TOO_LONG);
	struct flagged derived = count_flag(c, LOCK_DERIVED);
	int64_t mended = 0;
	for (size_t i = 0; i < c->n; i++)
		mended = lock_sum(mended, c->views[i]->mended);
	if (mended > 0)
		say(c, "averages_wrapped",
		    arena_printf(a, "%s wrapped in the kernel: computed anew from total and count",
				 number(c, (size_t)mended, "average", "averages")));
	if (mean.n)
		prove(say(c, "averages_wrong",
			  arena_printf(
				  a,
				  "%s an average that is not total / count, first %s: averages "
				  "here are computed, not those printed",
				  number(c, mean.n, "row has", "rows have"), mean.first->name)),
		      &mean);
	if (sum.n)
		prove(say(c, "totals_wrong",
			  arena_printf(
				  a,
				  "%s figures that contradict one another (the longest is more "
				  "than the total, or there is a time without an event), first "
				  "%s: whatever wrote them lost events or wrapped",
				  number(c, sum.n, "row has", "rows have"), sum.first->name)),
		      &sum);
	if (derived.n)
		prove(say(c, "totals_estimated",
			  arena_printf(a,
				       "%s no total: it is estimated as the mean times the number",
				       number(c, derived.n, "row has", "rows have"))),
		      &derived);
	if (day.n)
		prove(say(c, "too_long",
			  arena_printf(a,
				       "%s a single wait or hold of more than a day, first %s: "
				       "hardly possible",
				       number(c, day.n, "row has", "rows have"), day.first->name)),
		      &day);
}

static void unpaired(struct caution *c)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct lock_view *v = c->views[i];
		if (v->bad == UNKNOWN || v->bad <= 0)
			continue;
		struct finding *f = say(
			c, "unpaired",
			arena_printf(&c->report->arena,
				     "%s events had no partner (%s of %s): their waits are missing "
				     "or wrong",
				     units_count(v->bad).s,
				     v->total > 0 ? units_share(v->bad, v->total).s : "-",
				     v->total > 0 ? units_count(v->total).s : "an unknown number"));
		finding_fact(f, "bad", value_count(v->bad));
		return;
	}
}

/* Of one table: comparing several says itself what this means for it. */
static void names(struct caution *c)
{
	struct arena *a = &c->report->arena;
	if (c->n != 1)
		return;
	struct flagged cut = count_flag(c, LOCK_CUT), twin = count_flag(c, LOCK_TWIN);
	if (cut.n)
		prove(say(c, "names_cut",
			  arena_printf(
				  a,
				  "%s cut where the kernel's buffer or the tool's column ends, "
				  "first %s: different locks may print the same",
				  number(c, cut.n, "name is", "names are"), cut.first->name)),
		      &cut);
	if (twin.n)
		prove(say(c, "names_repeated",
			  arena_printf(a,
				       "%s a name with another%s, first %s: they may be different "
				       "locks and are not added up",
				       number(c, twin.n, "row shares", "rows share"),
				       c->views[0]->lock_stat ? " (#10 to #19 all print as #1)"
							      : "",
				       twin.first->name)),
		      &twin);
}

static int64_t lost(const struct caution *c, size_t offset)
{
	int64_t n = 0;
	for (size_t i = 0; i < c->n; i++) {
		const char *run = (const char *)c->views[i]->run;
		n = run ? lock_sum(n, *(const int64_t *)(run + offset)) : n;
	}
	return n;
}

/* What looking at a running program cannot tell. */
static void sampled(struct caution *c)
{
	int64_t out = lost(c, offsetof(struct lock_run_facts, looks_lost));
	if (out > 0)
		say(c, "looks_lost",
		    arena_printf(&c->report->arena, "%s for a futex that had no room in the table",
				 number(c, (size_t)out, "look found a thread that waited",
					"looks found a thread that waited")));
	say(c, "sampled",
	    "every figure is an estimate: from threads that were found waiting at random times; "
	    "the "
	    "range has the true time in it in 95 % of cases, or in more. How many waits these "
	    "were, "
	    "and "
	    "how long the longest, is not known, nor who took a lock without waiting");
	say(c, "idle",
	    "a thread that has nothing to do waits for a futex, too: only of mutexes of the C "
	    "library is it told that they are locks, by the thread that has them");
	say(c, "innermost",
	    "a site is where the program counter stands, mostly inside the C library: who called "
	    "it "
	    "is not told");
}

#define FACT(member) offsetof(struct lock_run_facts, member)

static const struct {
	const char *key;
	size_t of;
	const char *one, *many, *what;
} losses[] = {
	{ "locks_lost", FACT(locks_lost), "acquisition", "acquisitions",
	  "had no room in the table: those locks are missing here" },
	{ "pairs_lost", FACT(pairs_lost), "wait is", "waits are",
	  "without sites: the table of them was full" },
	{ "stacks_lost", FACT(stacks_lost), "wait is", "waits are",
	  "without the calls that led there: the table of them was full" },
	{ "files_lost", FACT(files_lost), "mapping", "mappings",
	  "of files had no room in the table: what is in them has no names" },
	{ "processes_lost", FACT(processes_lost), "process is", "processes are",
	  "missing: unable to make a file of counts (after a change of user, root or limits, or "
	  "for want of room), or running what cannot be counted (musl, 32 bits, with a "
	  "sanitizer)" },
	{ "ended_unseen", FACT(ended_unseen), "process", "processes",
	  "ended unseen: by a signal, by an exit inside the C library (daemon), or by becoming a "
	  "program in which nothing is counted (static, setuid, without the environment, or under "
	  "a filter of "
	  "system calls)" },
	{ "still_running", FACT(still_running), "process ran", "processes ran",
	  "on: what it did since is missing" },
};

/* What a recorder of a program's locks cannot see, and what it had no room for. */
static void program(struct caution *c)
{
	struct arena *a = &c->report->arena;
	bool any = false, cond = false, looked = false;
	for (size_t i = 0; i < c->n; i++) {
		const struct lock_run_facts *run = c->views[i]->run;
		looked |= run && run->looks != UNKNOWN;
		any |= run && run->looks == UNKNOWN;
		vec_each (class, &c->views[i]->classes)
			cond |= class->unmeasured_waits != UNKNOWN && class->unmeasured_waits > 0;
	}
	if (looked)
		sampled(c);
	if (!any)
		return;
	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++) {
		int64_t n = lost(c, losses[i].of);
		if (n > 0)
			say(c, losses[i].key,
			    arena_printf(a, "%s %s",
					 number(c, (size_t)n, losses[i].one, losses[i].many),
					 losses[i].what));
	}
	if (cond)
		say(c, "unmeasured_waits",
		    "pthread_cond_wait takes its mutex again by itself: that is counted, but "
		    "whether it waited for it is not seen");
	say(c, "unseen",
	    "not seen: the locks inside the C library (malloc, stdio, the loader), those that a "
	    "program makes itself, and parts that are linked statically");
}

/*
 * What contention_begin is not at (kernel/locking, in v6.1): the pending bit of a native queued
 * spinlock, a rwsem's spinning that succeeds, and all that is no lock of these kinds.
 */
static void events(struct caution *c)
{
	bool any = false, acquisitions = false, holders = false;
	int64_t left_out = 0;
	for (size_t i = 0; i < c->n; i++) {
		if (!c->views[i]->events)
			continue;
		any = true;
		left_out = lock_sum(left_out, c->views[i]->left_out);
		vec_each (class, &c->views[i]->classes) {
			acquisitions |= class->n[LOCK_ACQUISITIONS] != UNKNOWN;
			holders |= class->holding->n > 0;
		}
	}
	if (left_out > 0)
		say(c, "left_out",
		    arena_printf(&c->report->arena,
				 "%s of locks beyond those that are kept: missing here",
				 number(c, (size_t)left_out, "event", "events")));
	if (any && !acquisitions)
		say(c, "unseen",
		    "contention events show waits alone: how often a lock is taken and how long it "
		    "is held is not known; not seen either: the first waiter of a native queued "
		    "spinlock (a guest's is), a rwsem's spinning that succeeds, bit spinlocks, "
		    "seqlocks, RCU");
	if (holders)
		say(c, "holders",
		    acquisitions ? "who held a lock that was waited for: estimated as who got it "
				   "last"
				 : "who held a lock that was waited for: estimated as who got it "
				   "last after a wait; those who did not wait are not seen");
}

/* LOCK_STAT grows spinlock_t, which turns the cmpxchg path of lockref off. */
static void instrument(struct caution *c)
{
	bool lock_stat = false, ranked = false;
	for (size_t i = 0; i < c->n; i++) {
		const struct lock_view *v = c->views[i];
		lock_stat |= v->lock_stat && !v->run && !v->events && v->classes.n;
		vec_each (class, &c->views[i]->classes)
			ranked |= (class->flags & LOCK_LOCKREF) && class->n[LOCK_CONTENTIONS] > 0;
	}
	if (!lock_stat)
		return;
	if (ranked)
		say(c, "lockref",
		    "dentry locks: a kernel with LOCK_STAT takes d_lock where others do without "
		    "(lockref); contention of it is several times what it would be, 5 times in one "
		    "measurement");
	say(c, "nested",
	    "holds nest: a lock taken inside another is held twice over, so holds do not add up to "
	    "time");
	say(c, "debug_kernel",
	    "a kernel with LOCK_STAT takes every lock through debugging code: times do not carry "
	    "over to other kernels");
}

void lock_caution_report(const struct lock_view *const *views, size_t n, struct report *r)
{
	struct caution c = { views, n, r, NULL };
	frozen(&c);
	numbers(&c);
	unpaired(&c);
	names(&c);
	program(&c);
	events(&c);
	instrument(&c);
}
