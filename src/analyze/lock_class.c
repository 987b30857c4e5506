/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/lock_class.h"

#include <stdlib.h>

#include "analyze/symbols.h"
#include "base/intern.h"

/*
 * Names
 *
 * lockdep has maps for what is no lock: read sides of RCU, work items, timers, sequence counters,
 * reclaim. They are "acquired" and "held", but nobody ever waits for one. From include/linux/
 * rcupdate.h, workqueue.h, timer.h, seqlock.h, kernel/rcu/update.c, mm/page_alloc.c, fs/kernfs.
 */
static const char *const maps[] = {
	"rcu_read_lock*",
	"rcu_callback*",
	"rcu_tasks_*",
	"(wq_completion)*",
	"(work_completion)*",
	"(complete)*",
	"(&*)", /* timer_setup(&x->timer): "(&x->timer)" */
	"(*_timer)",
	"(*).work",
	"&(&*->timer", /* a delayed work's: "&(&x->work)->timer" */
	"&(&*->work",
	"*.c:*", /* DEFINE_TIMER: file and line */
	"*seqcount*",
	"fs_reclaim",
	"fs_reclaim#*",
	"kn->active*",
	"mmu_notifier_invalidate_range_start*",
	"__mmu_notifier_invalidate_range_start*",
	"dma_fence_map",
	"cpuhp_state*",
	"console_owner",
	"*srcu",
};

/* Their names say that they take a lock for whoever calls them. */
static const char *const wrappers[] = {
	"raw_spin_rq_lock*",  "raw_spin_rq_trylock", "double_rq_lock",    "_double_lock_balance",
	"task_rq_lock",       "__task_rq_lock",      "lock_sock_nested",  "lock_sock_fast",
	"__lock_sock",        "lock_timer_base",     "lock_hrtimer_base", "lock_page_lruvec*",
	"folio_lruvec_lock*", "__lock_task_sighand", "rtnl_lock",         "lock_rename",
};

/* Does text match up to its end? '*' stands for any text, '?' for one byte; nothing else is
 * special: names are full of brackets. Goes back to the last '*' only, so it ends. */
static bool matches(struct str text, const char *pattern)
{
	size_t i = 0, again = 0;
	const char *star = NULL;
	while (i < text.n) {
		if (*pattern == '*') {
			star = ++pattern;
			again = i;
		} else if (*pattern && (*pattern == '?' || *pattern == text.p[i])) {
			pattern++;
			i++;
		} else if (star) {
			pattern = star;
			i = ++again;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

bool lock_name_is_map(struct str name)
{
	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
		if (matches(name, maps[i]))
			return true;
	}
	return false;
}

bool lock_site_is_wrapper(struct str symbol)
{
	if (symbol_classify(symbol) & SYMBOL_LOCK)
		return true;
	for (size_t i = 0; i < sizeof(wrappers) / sizeof(wrappers[0]); i++) {
		if (matches(symbol, wrappers[i]))
			return true;
	}
	return false;
}

bool lock_name_matches(const char *name, const char *pattern)
{
	return matches(str_of(name), pattern);
}

/* Where a mark and digits to the end begin; s.n if there are none. */
static size_t tail_of(struct str s, char mark)
{
	size_t i = s.n;
	while (i && is_digit(s.p[i - 1]))
		i--;
	return i > 1 && i < s.n && s.p[i - 1] == mark ? i - 1 : s.n;
}

struct lock_name lock_name_split(struct str name)
{
	size_t slash = tail_of(name, '/');
	struct str rest = str_head(name, slash);
	size_t hash = tail_of(rest, '#');
	return (struct lock_name){ str_head(rest, hash), str_from(rest, hash),
				   str_from(name, slash) };
}

/*
 * The kernel cuts a name to 37 letters, and to two less for each of the suffixes (the buffer is
 * 39 bytes: kernel/locking/lockdep_proc.c, seq_stats).
 */
static bool is_cut(const struct lock_view *v, struct str name)
{
	struct lock_name part = lock_name_split(name);
	size_t room = 37 - (part.number.n ? 2 : 0) - (part.subclass.n ? 2 : 0);
	if (v->events)
		return false;
	if (v->lock_stat)
		return part.base.n >= room;
	return name.n > 3 && memcmp(name.p + name.n - 3, "...", 3) == 0;
}

static uint32_t flags_of_name(const struct lock_view *v, struct str name)
{
	uint32_t flags = 0;
	flags |= lock_name_is_map(name) ? LOCK_MAP : 0;
	flags |= is_cut(v, name) ? LOCK_CUT : 0;
	flags |= lock_name_split(name).number.n ? LOCK_NUMBERED : 0;
	flags |= str_find(name, "d_lock") >= 0 || str_find(name, "lockref") >= 0 ? LOCK_LOCKREF : 0;
	return flags;
}

/* What stands for a name in tables that go by caller, task or address. */
static const char *name_of(const struct lock_view *v, struct arena *a, const struct lock_row *r)
{
	if (r->name)
		return r->name;
	const char *may[] = { r->symbol, r->caller, r->comm, r->cgroup };
	const char *what = NULL;
	for (size_t i = 0; i < sizeof(may) / sizeof(may[0]) && !what; i++)
		what = may[i];
	if (!what && v->events) /* an address says nothing beyond its trace */
		return r->type ? r->type : "(no name)";
	if (!what)
		what = r->address ? r->address : "(no name)";
	return r->type ? arena_printf(a, "%s (%s)", what, r->type) : what;
}

/* With -R or -W, but the types of perf lock, "rwsem:R", say it themselves; a task with its pid. */
static const char *whole_name(struct arena *a, const struct lock_row *r, const char *base)
{
	if (r->rw && r->name)
		return arena_printf(a, "%s-%c", base, r->rw);
	if (r->comm && r->pid > 0 && !r->name && !r->symbol && !r->caller)
		return arena_printf(a, "%s-%lld", base, (long long)r->pid);
	return base;
}

/*
 * Sites
 */
static int by_symbol(const void *x, const void *y)
{
	const struct lock_place *a = x, *b = y;
	return strcmp(a->symbol, b->symbol);
}

static int by_count(const void *x, const void *y)
{
	const struct lock_place *a = x, *b = y;
	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	return by_symbol(x, y);
}

static struct lock_place place_of(struct arena *a, const struct lock_site *s)
{
	struct str symbol = symbol_fold(str_of(s->symbol ? s->symbol : ""));
	return (struct lock_place){
		.symbol = symbol.n ? arena_str(a, symbol) : "(no symbol)",
		.offset = s->suffix,
		.count = s->count,
		.places = 1,
		.wrapper = lock_site_is_wrapper(symbol),
	};
}

/* Sorted by symbol: the places of one function become one. */
static size_t merge_places(struct lock_place *at, size_t n)
{
	size_t kept = 0;
	for (size_t i = 0; i < n; i++) {
		struct lock_place *last = kept ? &at[kept - 1] : NULL;
		if (!last || strcmp(last->symbol, at[i].symbol) != 0) {
			at[kept++] = at[i];
			continue;
		}
		last->count = lock_sum(last->count, at[i].count);
		last->offset = NULL;
		last->places++;
	}
	return kept;
}

struct lock_places lock_places_of(struct arena *a, const struct lock_sites *s)
{
	struct lock_places p = { .listed = s->n };
	if (!s->n)
		return p;
	p.at = arena_alloc(a, s->n * sizeof(*p.at));
	for (size_t i = 0; i < s->n; i++) {
		p.at[i] = place_of(a, &s->at[i]);
		p.counted |= p.at[i].count != UNKNOWN;
		p.sum = lock_sum(p.sum, p.at[i].count);
	}
	qsort(p.at, s->n, sizeof(*p.at), by_symbol);
	p.n = merge_places(p.at, s->n);
	vec_sort(&p, by_count);
	return p;
}

int64_t lock_without_site(const struct lock_class *c, const struct lock_places *p)
{
	if (c->sited == 0 && !p->n)
		return 0;
	return c->sited == UNKNOWN || !p->counted ? UNKNOWN : c->sited - p->sum;
}

/*
 * Figures
 */
int64_t lock_sum(int64_t a, int64_t b)
{
	int64_t sum;
	if (a == UNKNOWN || b == UNKNOWN)
		return a == UNKNOWN ? b : a;
	if (__builtin_add_overflow(a, b, &sum) || sum == UNKNOWN)
		return a < 0 ? UNKNOWN + 1 : INT64_MAX;
	return sum;
}

static const struct measured {
	enum lock_column count, total, mean, longest;
} measured[] = {
	{ LOCK_CONTENTIONS, LOCK_WAIT_TOTAL, LOCK_WAIT_AVG, LOCK_WAIT_MAX },
	{ LOCK_ACQUISITIONS, LOCK_HOLD_TOTAL, LOCK_HOLD_AVG, LOCK_HOLD_MAX },
};

#define DAY_NS (INT64_C(86400) * 1000000000)

/* Printed figures have three digits at worst, and lock_stat's end at 10 ns. */
static int64_t slack(int64_t v)
{
	return v / 50 + 10;
}

/*
 * A mean that is not total / count: kernels before a7ef9b28aa8d divide by 32 bits, over 2^31
 * acquisitions the mean is negative; perf 6.1 is wrong on its own. The total and the count stay.
 */
static void check_measured(struct lock_class *c, const struct measured *m)
{
	int64_t n = c->n[m->count], mean = c->n[m->mean], *total = &c->n[m->total];
	bool counted = n != UNKNOWN && n > 0;
	if (*total == UNKNOWN && counted && mean != UNKNOWN && mean >= 0) {
		if (__builtin_mul_overflow(mean, n, total))
			*total = UNKNOWN;
		else
			c->flags |= LOCK_DERIVED;
		c->how[m->total] = VALUE_ESTIMATED;
	}
	if (*total == UNKNOWN)
		return;
	if (*total < 0 || (n != UNKNOWN && n < 0) || (n == 0 && *total > 0)) {
		c->flags |= LOCK_BAD_SUM;
		*total = *total < 0 ? UNKNOWN : *total;
		return;
	}
	if (counted && mean != UNKNOWN && llabs(mean - *total / n) > slack(*total / n))
		c->flags |= LOCK_BAD_MEAN;
	int64_t longest = c->n[m->longest];
	if (longest != UNKNOWN && longest - slack(longest) > *total)
		c->flags |= LOCK_BAD_SUM;
	if (longest != UNKNOWN && longest > DAY_NS)
		c->flags |= LOCK_TOO_LONG;
}

static enum value_how how_known(enum lock_known known)
{
	return known == LOCK_SAMPLED     ? VALUE_SAMPLED
	       : known == LOCK_ESTIMATED ? VALUE_ESTIMATED
					 : VALUE_EXACT;
}

static void take_row(struct lock_view *v, const struct lock_row *r)
{
	struct arena *a = &v->arena;
	const char *base = name_of(v, a, r);
	struct lock_class c = {
		.base = base,
		.name = whole_name(a, r, base),
		.rw = r->rw,
		.ordinal = 1,
		.line = r->line,
		.flags = r->name ? flags_of_name(v, str_of(base)) : 0,
		.waiting = &r->waiting,
		.holding = &r->holding,
		.type = r->type,
		.pairs = &r->pairs,
		.stacks = &r->stacks,
		.failed = r->failed,
		.unmeasured_waits = r->unmeasured_waits,
		.instances = r->instances,
		.spin_ns = r->spin_ns,
		.seen = r->seen,
		.wait_low = r->wait_low_ns,
		.wait_high = r->wait_high_ns,
	};
	if (v->run)
		c.flags = lock_row_is_event(r) ? LOCK_EVENT : 0; /* no names of the kernel's */
	vec_each (p, &r->pairs)
		c.pair_wait = lock_sum(c.pair_wait, p->wait_ns);
	for (size_t i = 0; i < LOCK_COLUMNS; i++) {
		c.n[i] = lock_known(r, (enum lock_column)i) ? r->value[i].n : UNKNOWN;
		c.how[i] = how_known(r->value[i].known);
	}
	for (size_t i = 0; i < sizeof(measured) / sizeof(measured[0]); i++)
		check_measured(&c, &measured[i]);
	c.sited = c.n[LOCK_CONTENTIONS];
	c.sited_how = c.how[LOCK_CONTENTIONS];
	v->maps += lock_is_map(&c);
	vec_push(&v->classes, c);
}

/* The sites of a pair stand on its first row, and count the waits of both. */
static void join_halves(struct lock_view *v)
{
	for (size_t i = 1; i < v->classes.n; i++) {
		struct lock_class *first = &v->classes.at[i - 1], *second = &v->classes.at[i];
		if (first->rw != 'W' || second->rw != 'R' || strcmp(first->base, second->base) != 0)
			continue;
		first->sited = lock_sum(first->sited, second->sited);
		first->sited_how = how_both(first->sited_how, second->sited_how);
		second->flags |= LOCK_READ_HALF;
	}
}

const char *lock_class_key(struct arena *a, const struct lock_class *c, const char *name)
{
	return c->flags & LOCK_EVENT ? arena_printf(a, "%s %s", c->type, name) : name;
}

static void number_twins(struct lock_view *v)
{
	struct intern names;
	VEC(size_t) last = { 0 }; /* by id: 1 + the newest class of the name */
	intern_init(&names, INTERN_CAP);
	for (size_t i = 0; i < v->classes.n; i++) {
		struct lock_class *c = &v->classes.at[i];
		/* By what tables are aligned by: -R and -W apart, a task without its pid. */
		uint32_t id = intern_id(&names, str_of(lock_class_key(&v->arena, c,
								      c->rw ? c->name : c->base)));
		while (last.n <= id)
			vec_push(&last, 0);
		if (last.at[id]) {
			struct lock_class *before = &v->classes.at[last.at[id] - 1];
			before->flags |= LOCK_TWIN;
			c->flags |= LOCK_TWIN;
			c->ordinal = before->ordinal + 1;
		}
		last.at[id] = i + 1;
	}
	vec_fini(&last);
	intern_fini(&names);
}

/* Locks of one symbol are told apart by their addresses, where these are printed. */
static void name_twins(struct lock_view *v, const struct locktab *t)
{
	for (size_t i = 0; i < v->classes.n; i++) {
		struct lock_class *c = &v->classes.at[i];
		const struct lock_row *r = &t->rows.at[i];
		if ((c->flags & LOCK_TWIN) && r->symbol && r->address)
			c->name = arena_printf(&v->arena, "%s at %s", c->base, r->address);
	}
}

/* What printed it, for people. */
static const char *source_of(const struct locktab *t)
{
	if (!t->source)
		return "table";
	if (strcmp(t->source, "contention") == 0)
		return "perf lock contention";
	return strcmp(t->source, "report") == 0 ? "perf lock report" : t->source;
}

void lock_view_init(struct lock_view *v, const struct capture *c)
{
	const struct locktab *t = c->locks;
	*v = (struct lock_view){
		.label = c->label,
		.source = source_of(t),
		.lock_stat = locktab_is_lock_stat(t),
		.events = locktab_is_events(t),
		.run = locktab_is_program(t) ? t->run : NULL,
		.whole = t->version != NULL,
		.frozen = t->lockdep_disabled,
		.first_line = c->first_line,
		.last_line = c->last_line,
		.bad = t->bad,
		.total = t->total,
		.mended = t->averages_mended,
		.left_out = t->left_out,
		.span_ns = t->span_ns,
		.damaged = c->damaged,
	};
	vec_reserve(&v->classes, t->rows.n);
	vec_each (r, &t->rows)
		take_row(v, r);
	join_halves(v);
	number_twins(v);
	if (!v->lock_stat)
		name_twins(v, t);
}

/* The rows stay where they are; only their owner changes. */
void lock_view_keep(struct lock_view *v, struct capture *c)
{
	arena_adopt(&v->arena, &c->arena);
	v->kept = *c->locks;
	memset(&c->locks->rows, 0, sizeof(c->locks->rows));
}

void lock_view_fini(struct lock_view *v)
{
	locktab_fini(&v->kept);
	vec_fini(&v->classes);
	arena_fini(&v->arena);
}
