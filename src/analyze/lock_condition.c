/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/lock_condition.h"

#include <errno.h>
#include <math.h>

#include "base/units.h"

#define Z_95 1.959964

void lock_conditions_fini(struct lock_conditions *c)
{
	vec_fini(&c->at);
	arena_fini(&c->arena);
}

static int parse_metric(struct str text, struct lock_ratio *r, struct err *err)
{
	ptrdiff_t stroke = str_find_char(text, '/');
	struct str over = str_trim(stroke < 0 ? text : str_head(text, (size_t)stroke));
	struct str under = str_trim(str_from(text, stroke < 0 ? text.n : (size_t)stroke + 1));
	r->over = lock_quantity_named(over);
	r->under = stroke < 0 ? LOCK_PER_NOTHING : lock_quantity_named(under);
	if (r->over >= 0 && r->over != LOCK_PER_WORK && r->under >= 0)
		return 0;
	return err_set(err, EINVAL,
		       "'%.*s' is no metric: write bounces/acquisitions, wait/contentions, hold, "
		       "contentions/work or the like",
		       STR_ARG(text));
}

/* "+10%" to 1.1 */
static int parse_change(struct str text, double *limit, struct err *err)
{
	int64_t low, high;
	bool minus = text.n && text.p[0] == '-';
	struct str size = str_from(text, text.n && (minus || text.p[0] == '+') ? 1 : 0);
	const char *why = units_read_percent(size, &low, &high);
	if (!why && low != high)
		why = "is a range";
	if (why)
		return err_set(err, EINVAL, "change '%.*s' %s: write +10%% or -5%%", STR_ARG(text),
			       why);
	*limit = 1 + (minus ? -1 : 1) * (double)low / 100000;
	return 0;
}

/* The last of them: names hold "->". */
static ptrdiff_t find_operator(struct str text)
{
	ptrdiff_t above = str_rfind_char(text, '>'), below = str_rfind_char(text, '<');
	return above > below ? above : below;
}

static int parse_one(struct lock_conditions *all, struct str text, struct err *err)
{
	ptrdiff_t op = find_operator(text);
	if (op < 0)
		return err_set(err, EINVAL, "condition '%.*s' has no '>' or '<'", STR_ARG(text));
	struct lock_condition c = { .text = arena_str(&all->arena, text),
				    .above = text.p[op] == '>' };
	struct str left = str_trim(str_head(text, (size_t)op));
	struct str right = str_from(text, (size_t)op + 1);
	c.equal = str_starts(right, "=");
	ptrdiff_t of = str_find(left, " of ");
	if (of >= 0)
		c.of = arena_str(&all->arena, str_trim(str_from(left, (size_t)of + 4)));
	int ret = parse_metric(of < 0 ? left : str_head(left, (size_t)of), &c.ratio, err);
	if (!ret)
		ret = parse_change(str_trim(str_from(right, c.equal)), &c.limit, err);
	if (!ret)
		vec_push(&all->at, c);
	return ret;
}

int lock_conditions_add(struct lock_conditions *c, const char *text, struct err *err)
{
	struct str rest = str_of(text);
	do {
		ptrdiff_t comma = str_find_char(rest, ',');
		struct str one = comma < 0 ? rest : str_head(rest, (size_t)comma);
		int ret = parse_one(c, str_trim(one), err);
		if (ret)
			return ret;
		rest = str_from(rest, comma < 0 ? rest.n : (size_t)comma + 1);
	} while (rest.n);
	return 0;
}

static bool satisfies(const struct lock_condition *c, double factor)
{
	if (c->equal && factor == c->limit)
		return true;
	return c->above ? factor > c->limit : factor < c->limit;
}

static bool is_meant(const struct lock_condition *c, const struct lock_pair *p)
{
	if (!lock_pair_is_both(p))
		return false;
	if (!c->of)
		return !(p->flags & LOCK_MAP);
	return lock_name_matches(p->name, c->of) || (p->was && lock_name_matches(p->was, c->of));
}

/* Enough of what the metric counts; a time has as many as its events. */
static bool is_counted(const struct lock_condition *c, const struct lock_pair *p)
{
	int over = c->ratio.over;
	if (over == LOCK_WAIT_TOTAL || over == LOCK_WAIT_MAX)
		over = LOCK_CONTENTIONS;
	else if (over == LOCK_HOLD_TOTAL || over == LOCK_HOLD_MAX)
		over = LOCK_ACQUISITIONS;
	int64_t n = lock_sum(p->sum[LOCK_BASE].n[over], p->sum[LOCK_NEW].n[over]);
	return n >= LOCK_COUNT_MIN;
}

/* new / base; INFINITY from nothing to something, 1 from nothing to nothing, NAN: unknown. */
static double factor_of(const struct lock_change *change)
{
	double a = change->value[LOCK_BASE], b = change->value[LOCK_NEW];
	if (a == 0 && b >= 0)
		return b > 0 ? INFINITY : 1;
	return b / a;
}

static enum lock_verdict judge_pair(const struct lock_condition *c, const struct lock_alignment *a,
				    const struct lock_moves *m, const struct lock_pair *p)
{
	struct lock_change change = lock_change_of(&c->ratio, p);
	double factor = factor_of(&change), z = c->of || !(m->z > 0) ? Z_95 : m->z;
	struct stat_interval shift;
	if (isnan(factor))
		return LOCK_CANNOT_SAY;
	if (m->testable && lock_shift_of(a, p, &c->ratio, m->paired, LOCK_FALSE_SHARE, &shift) &&
	    !isnan(shift.low))
		return satisfies(c, exp(shift.low)) && satisfies(c, exp(shift.high))
			       ? LOCK_HOLDS
			       : LOCK_HOLDS_NOT;
	if (!satisfies(c, factor))
		return LOCK_HOLDS_NOT;
	if (isfinite(change.error) && !lock_change_beyond(&change, z))
		return LOCK_HOLDS_NOT;
	return LOCK_HOLDS;
}

static double size_of(const struct lock_condition *c, const struct lock_pair *p)
{
	struct lock_change change = lock_change_of(&c->ratio, p);
	return fabs(log(factor_of(&change)));
}

enum lock_verdict lock_condition_judge(const struct lock_condition *c,
				       const struct lock_alignment *a, const struct lock_moves *m,
				       const struct lock_pair **worst)
{
	size_t judged = 0;
	*worst = NULL;
	vec_each (p, &a->pairs) {
		if (!is_meant(c, p) || (!c->of && !is_counted(c, p)))
			continue;
		enum lock_verdict v = judge_pair(c, a, m, p);
		judged += v != LOCK_CANNOT_SAY;
		if (v == LOCK_HOLDS && (!*worst || size_of(c, p) > size_of(c, *worst)))
			*worst = p;
	}
	if (*worst)
		return LOCK_HOLDS;
	return judged ? LOCK_HOLDS_NOT : LOCK_CANNOT_SAY;
}
