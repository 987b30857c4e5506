/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/lock_moves.h"

#include <math.h>
#include <stdlib.h>

#include "stat/multiple.h"
#include "stat/rank.h"
#include "stat/student.h"

/* A class has weight when it makes up this share of all bounces, waits or holds of a side. */
#define WEIGHT 0.01

/* What a metric counts, and what it is a share of when its weight is asked for. */
static const struct {
	enum lock_column count, weight;
} parts[LOCK_METRICS] = {
	[LOCK_METRIC_BOUNCES] = { LOCK_ACQ_BOUNCES, LOCK_ACQ_BOUNCES },
	[LOCK_METRIC_RATE] = { LOCK_CONTENTIONS, LOCK_WAIT_TOTAL },
	[LOCK_METRIC_WAIT] = { LOCK_CONTENTIONS, LOCK_WAIT_TOTAL },
	[LOCK_METRIC_HOLD] = { LOCK_ACQUISITIONS, LOCK_HOLD_TOTAL },
};

static double plain(int64_t n)
{
	return n == UNKNOWN ? 0 : (double)n;
}

/* Enough events for a test; by their sum over both sides, which says nothing of the change. */
static bool is_frequent(const struct lock_pair *p, int metric)
{
	enum lock_column c = parts[metric].count;
	return plain(p->sum[LOCK_BASE].n[c]) + plain(p->sum[LOCK_NEW].n[c]) >= LOCK_COUNT_MIN;
}

static void take_pairs(struct lock_moves *m, const struct lock_alignment *a)
{
	vec_each (p, &a->pairs) {
		if (!lock_pair_is_both(p) || (p->flags & LOCK_MAP))
			continue;
		struct lock_move move = { .pair = p, .lead = -1 };
		for (int i = 0; i < LOCK_METRICS; i++) {
			move.change[i] = lock_change_of(&m->ratio[i], p);
			move.test[i] = (struct lock_test){ .p = NAN, .shift = { NAN, NAN, NAN } };
		}
		vec_push(&m->at, move);
	}
}

static void weigh(struct lock_moves *m)
{
	double all[LOCK_SIDES][LOCK_COLUMNS] = { { 0 } };
	vec_each (move, &m->at) {
		for (int s = 0; s < LOCK_SIDES; s++) {
			for (size_t c = 0; c < LOCK_COLUMNS; c++)
				all[s][c] += plain(move->pair->sum[s].n[c]);
		}
	}
	vec_each (move, &m->at) {
		for (int i = 0; i < LOCK_METRICS; i++) {
			enum lock_column c = parts[i].weight;
			for (int s = 0; s < LOCK_SIDES; s++)
				move->weighty[i] |= plain(move->pair->sum[s].n[c]) >=
						    WEIGHT * fmax(all[s][c], 1);
		}
	}
}

/*
 * Repeated runs: the logs of a ratio, run by run
 */
struct logs {
	double base[STAT_RANK_MAX], new[STAT_RANK_MAX], difference[STAT_RANK_MAX];
	size_t n, m; /* base, new */
	bool paired;
};

/* False: not all runs have the class and know the figure. */
static bool logs_of(const struct lock_alignment *a, const struct lock_pair *p,
		    const struct lock_ratio *ratio, bool paired, struct logs *l)
{
	l->n = a->runs[LOCK_BASE];
	l->m = a->runs[LOCK_NEW];
	l->paired = paired;
	for (size_t i = 0; i < l->n + l->m; i++) {
		const struct lock_class *c = p->run[i];
		double work = a->work ? a->work[i] : NAN;
		double v = c ? lock_ratio_log(ratio, c->n, work) : NAN;
		if (!isfinite(v))
			return false;
		if (i < l->n)
			l->base[i] = v;
		else
			l->new[i - l->n] = v;
	}
	for (size_t i = 0; paired && i < l->n; i++)
		l->difference[i] = l->new[i] - l->base[i];
	return true;
}

static double p_of(const struct logs *l)
{
	return l->paired ? stat_signed_rank_p(l->difference, l->n)
			 : stat_rank_sum_p(l->base, l->n, l->new, l->m);
}

static bool shift_of(const struct logs *l, double alpha, struct stat_interval *out)
{
	return l->paired ? stat_signed_rank_shift(l->difference, l->n, alpha, out)
			 : stat_rank_sum_shift(l->base, l->n, l->new, l->m, alpha, out);
}

bool lock_shift_of(const struct lock_alignment *a, const struct lock_pair *p,
		   const struct lock_ratio *ratio, bool paired, double alpha,
		   struct stat_interval *out)
{
	struct logs l;
	return logs_of(a, p, ratio, paired, &l) && shift_of(&l, alpha, out);
}

/* Every new run is above every run of the base, or below. */
static bool are_apart(const struct logs *l)
{
	double low[2] = { INFINITY, INFINITY }, high[2] = { -INFINITY, -INFINITY };
	for (size_t i = 0; i < l->n; i++) {
		low[0] = fmin(low[0], l->base[i]);
		high[0] = fmax(high[0], l->base[i]);
	}
	for (size_t i = 0; i < l->m; i++) {
		low[1] = fmin(low[1], l->new[i]);
		high[1] = fmax(high[1], l->new[i]);
	}
	return low[0] > high[1] || low[1] > high[0];
}

/*
 * Without an interval: the change against the error of counting, with so many tests in mind that
 * none exceeds it by chance alone in 95 % of tables (Bonferroni). Of a few repeated runs, the new
 * ones must lie apart from the base's, too.
 */
static bool is_countable(const struct lock_move *move, int metric)
{
	const struct lock_change *c = &move->change[metric];
	return is_frequent(move->pair, metric) && isfinite(c->error) && isfinite(c->log);
}

static void judge_by_counts(struct lock_moves *m, const struct lock_alignment *a)
{
	m->tests = 0;
	vec_each (move, &m->at) {
		for (int i = 0; i < LOCK_METRICS; i++)
			m->tests += is_countable(move, i);
	}
	if (!m->tests)
		return;
	m->z = stat_t_quantile(1 - LOCK_FALSE_SHARE / 2 / (double)m->tests, INFINITY);
	vec_each (move, &m->at) {
		for (int i = 0; i < LOCK_METRICS; i++) {
			const struct lock_change *c = &move->change[i];
			struct logs l;
			if (!is_countable(move, i) || !lock_change_beyond(c, m->z))
				continue;
			if (m->repeated &&
			    !(logs_of(a, move->pair, &m->ratio[i], false, &l) && are_apart(&l)))
				continue;
			move->moved[i] = true;
			move->excess[i] = fabs(c->log) - m->z * c->error;
		}
	}
}

static void test_all(struct lock_moves *m, const struct lock_alignment *a)
{
	m->tests = 0;
	vec_each (move, &m->at) {
		for (int i = 0; i < LOCK_METRICS; i++) {
			struct logs l;
			if (!is_frequent(move->pair, i) ||
			    !logs_of(a, move->pair, &m->ratio[i], m->paired, &l))
				continue;
			move->test[i].p = p_of(&l);
			if (shift_of(&l, LOCK_FALSE_SHARE, &move->test[i].shift))
				m->tests++;
		}
	}
}

/* The intervals of what was selected are wider: they were chosen for being extreme. */
static void widen(const struct lock_moves *m, const struct lock_alignment *a,
		  struct lock_move *move, int metric)
{
	struct stat_interval wide;
	double alpha = stat_selected_alpha(m->selected, m->tests, LOCK_FALSE_SHARE);
	if (!lock_shift_of(a, move->pair, &m->ratio[metric], m->paired, alpha, &wide) ||
	    isnan(wide.low))
		return;
	move->test[metric].shift = wide;
	move->test[metric].interval_wide = true;
}

static void select_tests(struct lock_moves *m, const struct lock_alignment *a)
{
	size_t n = m->at.n * LOCK_METRICS;
	if (!n)
		return;
	double *p = mem_array(n, sizeof(*p));
	bool *selected = mem_array(n, sizeof(*selected));
	for (size_t i = 0; i < n; i++)
		p[i] = m->at.at[i / LOCK_METRICS].test[i % LOCK_METRICS].p;
	m->selected = stat_benjamini_hochberg(p, n, LOCK_FALSE_SHARE, selected);
	for (size_t i = 0; i < n; i++) {
		struct lock_move *move = &m->at.at[i / LOCK_METRICS];
		move->test[i % LOCK_METRICS].selected = selected[i];
		if (selected[i])
			widen(m, a, move, (int)(i % LOCK_METRICS));
	}
	free(p);
	free(selected);
}

/* What was selected; by how much its interval stays away from "no change". */
static void judge_by_tests(struct lock_moves *m)
{
	vec_each (move, &m->at) {
		for (int i = 0; i < LOCK_METRICS; i++) {
			const struct lock_test *t = &move->test[i];
			if (!t->selected)
				continue;
			double nearest = t->shift.mid > 0 ? t->shift.low : -t->shift.high;
			move->moved[i] = true;
			move->excess[i] = isnan(nearest) ? 0 : fmax(nearest, 0);
		}
	}
}

static bool can_have_interval(const struct lock_moves *m, const struct lock_alignment *a)
{
	int k = m->paired ? stat_signed_rank_critical(a->runs[LOCK_BASE], LOCK_FALSE_SHARE)
			  : stat_rank_sum_critical(a->runs[LOCK_BASE], a->runs[LOCK_NEW],
						   LOCK_FALSE_SHARE);
	return k >= 0;
}

/*
 * The order
 */
static double shift_of_total(const struct lock_move *m, enum lock_column c)
{
	return fabs(plain(m->pair->sum[LOCK_NEW].n[c]) - plain(m->pair->sum[LOCK_BASE].n[c]));
}

/* Where more time moved in waiting than in holding, that is what it is about, whatever moved farther. */
static bool is_about_waiting(const struct lock_move *m)
{
	return m->moved[LOCK_METRIC_WAIT] && m->weighty[LOCK_METRIC_WAIT] &&
	       shift_of_total(m, LOCK_WAIT_TOTAL) > shift_of_total(m, LOCK_HOLD_TOTAL);
}

static void find_lead(struct lock_move *move)
{
	if (is_about_waiting(move)) {
		move->lead = LOCK_METRIC_WAIT;
		move->heavy = true;
		move->costs = shift_of_total(move, LOCK_WAIT_TOTAL);
		return;
	}
	for (int weighty = 1; weighty >= 0 && move->lead < 0; weighty--) {
		for (int i = 0; i < LOCK_METRICS; i++) {
			if (!move->moved[i] || (weighty && !move->weighty[i]))
				continue;
			if (move->lead < 0 || move->excess[i] > move->excess[move->lead])
				move->lead = i;
		}
		move->heavy = weighty && move->lead >= 0;
	}
}

static double total_of(const struct lock_move *m, enum lock_column c)
{
	return fmax(plain(m->pair->sum[LOCK_BASE].n[c]), plain(m->pair->sum[LOCK_NEW].n[c]));
}

static int compare_moves(const void *x, const void *y)
{
	const struct lock_move *a = x, *b = y;
	if ((a->lead < 0) != (b->lead < 0))
		return a->lead < 0 ? 1 : -1;
	if (a->costs != b->costs)
		return a->costs < b->costs ? 1 : -1;
	if (a->heavy != b->heavy) /* what has no weight comes after everything that has */
		return a->heavy ? -1 : 1;
	double ea = a->lead < 0 ? 0 : a->excess[a->lead], eb = b->lead < 0 ? 0 : b->excess[b->lead];
	if (ea != eb)
		return ea < eb ? 1 : -1;
	static const enum lock_column then[] = { LOCK_WAIT_TOTAL, LOCK_HOLD_TOTAL,
						 LOCK_CONTENTIONS };
	for (size_t i = 0; i < sizeof(then) / sizeof(then[0]); i++) {
		double ta = total_of(a, then[i]), tb = total_of(b, then[i]);
		if (ta != tb)
			return ta < tb ? 1 : -1;
	}
	return strcmp(a->pair->name, b->pair->name);
}

void lock_moves_init(struct lock_moves *m, const struct lock_alignment *a, int unit, bool paired)
{
	*m = (struct lock_moves){
		.ratio = {
			[LOCK_METRIC_BOUNCES] = { LOCK_ACQ_BOUNCES, LOCK_ACQUISITIONS },
			[LOCK_METRIC_RATE] = { LOCK_CONTENTIONS, unit },
			[LOCK_METRIC_WAIT] = { LOCK_WAIT_TOTAL, unit },
			[LOCK_METRIC_HOLD] = { LOCK_HOLD_TOTAL, unit },
		},
		.repeated = a->runs[LOCK_BASE] > 1 || a->runs[LOCK_NEW] > 1,
		.paired = paired,
	};
	take_pairs(m, a);
	weigh(m);
	m->testable = m->repeated && can_have_interval(m, a);
	if (m->testable) {
		test_all(m, a);
		select_tests(m, a);
		judge_by_tests(m);
	} else {
		judge_by_counts(m, a);
	}
	vec_each (move, &m->at) {
		find_lead(move);
		m->moved += move->lead >= 0;
	}
	if (m->at.n)
		vec_sort(&m->at, compare_moves);
}

void lock_moves_fini(struct lock_moves *m)
{
	vec_fini(&m->at);
}
