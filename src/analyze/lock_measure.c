/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/lock_measure.h"

#include <math.h>

/* The events that a total of times sums up, and their extremes. */
struct timed {
	enum lock_column count, least, most;
};

static bool timed_of(int over, struct timed *t)
{
	if (over == LOCK_WAIT_TOTAL)
		*t = (struct timed){ LOCK_CONTENTIONS, LOCK_WAIT_MIN, LOCK_WAIT_MAX };
	else if (over == LOCK_HOLD_TOTAL)
		*t = (struct timed){ LOCK_ACQUISITIONS, LOCK_HOLD_MIN, LOCK_HOLD_MAX };
	else
		return false;
	return true;
}

static double known(int64_t n)
{
	return n == UNKNOWN || n < 0 ? NAN : (double)n;
}

static double under_of(const struct lock_ratio *r, const int64_t *n, double work)
{
	if (r->under == LOCK_PER_NOTHING)
		return 1;
	double under = r->under == LOCK_PER_WORK ? work : known(n[r->under]);
	return under > 0 ? under : NAN;
}

double lock_ratio_value(const struct lock_ratio *r, const int64_t n[LOCK_COLUMNS], double work)
{
	return known(n[r->over]) / under_of(r, n, work);
}

double lock_ratio_log(const struct lock_ratio *r, const int64_t n[LOCK_COLUMNS], double work)
{
	double over = known(n[r->over]);
	if (!lock_column_is_time((enum lock_column)r->over))
		over += 0.5;
	return over > 0 ? log(over / under_of(r, n, work)) : NAN;
}

/* Relative variance of a mean of times. */
static double mean_variance(const struct timed *t, int over, const int64_t *n)
{
	double count = known(n[t->count]), mean = known(n[over]) / count;
	double most = known(n[t->most]);
	double least = n[t->least] == UNKNOWN ? 0 : known(n[t->least]);
	double spread = fmax(most - mean, 0) * fmax(mean - least, 0);
	return spread / (count * mean * mean);
}

/* Variance of the logarithm by counting. */
static double variance(const struct lock_ratio *r, const int64_t *n)
{
	struct timed t;
	if (timed_of(r->over, &t)) {
		double v = mean_variance(&t, r->over, n);
		return r->under == (int)t.count ? v : v + 1 / (known(n[t.count]) + 0.5);
	}
	if (lock_column_is_time((enum lock_column)r->over))
		return NAN; /* the longest: nothing is known of how it scatters */
	double over = known(n[r->over]);
	double part = r->under == LOCK_ACQUISITIONS ? over / known(n[r->under]) : 0;
	return fmax(1 - part, 0) / (over + 0.5);
}

static enum value_how how_of(const struct lock_ratio *r, const struct lock_figures *f)
{
	bool column = r->under < LOCK_COLUMNS;
	return how_both(f->how[r->over], column ? f->how[r->under] : VALUE_EXACT);
}

struct lock_change lock_change_of(const struct lock_ratio *r, const struct lock_pair *p)
{
	const struct lock_figures *base = &p->sum[LOCK_BASE], *new = &p->sum[LOCK_NEW];
	double a = lock_ratio_value(r, base->n, base->work);
	double b = lock_ratio_value(r, new->n, new->work);
	return (struct lock_change){
		.value = { a, b },
		.factor = a > 0 && b > 0 ? b / a : NAN,
		.log = lock_ratio_log(r, new->n, new->work) -
		       lock_ratio_log(r, base->n, base->work),
		.error = sqrt(variance(r, base->n) + variance(r, new->n)),
		.how = { how_of(r, base), how_of(r, new) },
	};
}

bool lock_change_beyond(const struct lock_change *c, double z)
{
	return fabs(c->log) > z * c->error;
}

bool lock_split_of(const struct lock_pair *p, enum lock_column count, enum lock_column total,
		   struct lock_split *out)
{
	const int64_t *base = p->sum[LOCK_BASE].n, *new = p->sum[LOCK_NEW].n;
	double n0 = known(base[count]), n1 = known(new[count]);
	double t0 = known(base[total]), t1 = known(new[total]);
	if (!(n0 > 0 && n1 > 0 && t0 > 0 && t1 > 0))
		return false;
	const struct lock_ratio mean = { (int)total, (int)count };
	struct lock_change means = lock_change_of(&mean, p);
	double mean0 = t0 / n0, mean1 = t1 / n1, change = t1 - t0;
	double with_new = n1 * (mean1 - mean0), with_base = n0 * (mean1 - mean0);
	*out = (struct lock_split){
		.total = change,
		.by_duration = { with_new, with_base },
		.by_number = { change - with_new, change - with_base },
		.duration_factor = mean1 / mean0,
		.number_factor = n1 / n0,
		.how = lock_change_how(&means),
	};
	return true;
}

static const struct {
	const char *name;
	int quantity;
} quantities[] = {
	{ "acquisitions", LOCK_ACQUISITIONS },
	{ "contentions", LOCK_CONTENTIONS },
	{ "bounces", LOCK_ACQ_BOUNCES },
	{ "con-bounces", LOCK_CON_BOUNCES },
	{ "wait", LOCK_WAIT_TOTAL },
	{ "wait-max", LOCK_WAIT_MAX },
	{ "hold", LOCK_HOLD_TOTAL },
	{ "hold-max", LOCK_HOLD_MAX },
	{ "work", LOCK_PER_WORK },
};
#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

const char *lock_quantity_name(int quantity)
{
	for (size_t i = 0; i < N_OF(quantities); i++) {
		if (quantities[i].quantity == quantity)
			return quantities[i].name;
	}
	return "";
}

int lock_quantity_named(struct str name)
{
	for (size_t i = 0; i < N_OF(quantities); i++) {
		if (str_eq(name, quantities[i].name))
			return quantities[i].quantity;
	}
	return -1;
}
