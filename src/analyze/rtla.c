/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/rtla.h"

#include <stdlib.h>

#include "base/sat.h"
#include "base/units.h"

struct rtla_out {
	const struct capture *capture;
	const struct rtla *table;
	struct report *report;
	int64_t top;
};

/* A value in the table's unit, as time; without a unit nothing is known. */
static int64_t ns_of(const struct rtla *t, int64_t v)
{
	if (!t->unit)
		return UNKNOWN;
	if (strcmp(t->unit, "ns") == 0)
		return v;
	return sat_us(v);
}

static struct value time_value(const struct rtla *t, int64_t v)
{
	int64_t ns = ns_of(t, v);
	return ns == UNKNOWN ? value_none() : value_time(ns);
}

static struct value count_value(int64_t n)
{
	return n == UNKNOWN ? value_none() : value_count(n);
}

static const char *time_text(const struct rtla *t, int64_t v, struct arena *a)
{
	int64_t ns = ns_of(t, v);
	return ns == UNKNOWN ? arena_printf(a, "%lld (of an unknown unit)", (long long)v)
			     : arena_str(a, str_of(units_time(ns).s));
}

/* The row with the largest value; NULL: none has one. */
static const struct rtla_row *largest(const struct rtla *t, int value)
{
	const struct rtla_row *best = NULL;
	vec_each (row, &t->rows) {
		if (row->value[value] != UNKNOWN &&
		    (!best || row->value[value] > best->value[value]))
			best = row;
	}
	return best;
}

static struct table *table_new(const struct rtla_out *o, struct section *s, const char *key,
			       const struct column *columns, size_t n)
{
	struct table *t = report_table(o->report, s, key);
	memcpy(t->columns, columns, n * sizeof(*columns));
	t->top = (uint32_t)o->top;
	t->more = "--top N shows more";
	return t;
}

static struct finding *headline(const struct rtla_out *o, const char *text, uint32_t line)
{
	struct section *s = report_section(o->report, "headline", NULL, NULL);
	struct finding *f = report_finding(o->report, s, "headline", text);
	f->first_line = f->last_line = line;
	finding_fact(f, "kind", value_text(rtla_name(o->table->tool)));
	if (o->table->duration_s != UNKNOWN)
		finding_fact(f, "duration_s", value_count(o->table->duration_s));
	return f;
}

static const char *duration_text(const struct rtla *t, struct arena *a)
{
	if (t->duration_s == UNKNOWN)
		return "";
	return arena_printf(a, ", in %s s", units_count(t->duration_s).s);
}

/* -- timerlat top --------------------------------------------------------------------------- */

struct ranked {
	int64_t key;
	const struct rtla_row *row;
};

static int by_key(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	if (x->key != y->key)
		return x->key < y->key ? 1 : -1;
	return (x->row->line > y->row->line) - (x->row->line < y->row->line);
}

/* The rows by a falling value: an array to be freed. */
static struct ranked *ranked(const struct rtla *t, int value)
{
	struct ranked *rows = mem_array(t->rows.n ? t->rows.n : 1, sizeof(*rows));
	for (size_t i = 0; i < t->rows.n; i++)
		rows[i] = (struct ranked){ t->rows.at[i].value[value], &t->rows.at[i] };
	qsort(rows, t->rows.n, sizeof(*rows), by_key);
	return rows;
}

static void timerlat_top(const struct rtla_out *o)
{
	static const struct column columns[] = {
		{ "cpu", "", VALUE_TEXT },
		{ "count", "samples", VALUE_COUNT },
		{ "irq_avg_ns", "irq mean", VALUE_TIME },
		{ "irq_max_ns", "irq max", VALUE_TIME },
		{ "thread_min_ns", "thread min", VALUE_TIME },
		{ "thread_avg_ns", "thread mean", VALUE_TIME },
		{ "thread_max_ns", "thread max", VALUE_TIME },
		{ "line", "line", VALUE_LINES },
	};
	const struct rtla *t = o->table;
	struct arena *a = &o->report->arena;
	const struct rtla_row *thread = largest(t, TIMERLAT_THREAD + 3);
	const struct rtla_row *irq = largest(t, TIMERLAT_IRQ + 3);
	const struct rtla_row *worst = thread ? thread : irq;
	if (!worst) {
		headline(o, "rtla timerlat: no sample was taken", t->rows.at[0].line);
		return;
	}
	int64_t max = worst->value[thread ? TIMERLAT_THREAD + 3 : TIMERLAT_IRQ + 3];
	const char *also = "";
	if (thread && irq)
		also = arena_printf(a, "; the interrupt %s, on CPU %lld",
				    time_text(t, irq->value[TIMERLAT_IRQ + 3], a),
				    (long long)irq->value[TIMERLAT_CPU]);
	struct finding *f = headline(
		o,
		arena_printf(a, "rtla timerlat: at worst the timer's %s %s late, on CPU %lld%s%s",
			     thread ? "thread ran" : "interrupt came", time_text(t, max, a),
			     (long long)worst->value[TIMERLAT_CPU], also, duration_text(t, a)),
		worst->line);
	if (ns_of(t, max) != UNKNOWN)
		finding_fact(f, "latency_ns", time_value(t, max));

	struct section *s = report_section(
		o->report, "latency", "LATENCY BY CPU",
		"after the time for which the timer was set; rtla cuts times to whole units");
	struct table *out = table_new(o, s, "latency", columns, 8);
	struct ranked *rows = ranked(t, thread ? TIMERLAT_THREAD + 3 : TIMERLAT_IRQ + 3);
	for (size_t i = 0; i < t->rows.n; i++) {
		const int64_t *v = rows[i].row->value;
		struct row *row = table_row(out);
		row->cell[0] = value_text(arena_printf(a, "CPU %lld", (long long)v[TIMERLAT_CPU]));
		row->cell[1] = count_value(v[TIMERLAT_COUNT]);
		row->cell[2] = time_value(t, v[TIMERLAT_IRQ + 2]);
		row->cell[3] = time_value(t, v[TIMERLAT_IRQ + 3]);
		row->cell[4] = time_value(t, v[TIMERLAT_THREAD + 1]);
		row->cell[5] = time_value(t, v[TIMERLAT_THREAD + 2]);
		row->cell[6] = time_value(t, v[TIMERLAT_THREAD + 3]);
		row->cell[7] = value_lines(rows[i].row->line, rows[i].row->line);
	}
	free(rows);
}

/* -- osnoise top ---------------------------------------------------------------------------- */

static void osnoise_top(const struct rtla_out *o)
{
	static const struct column columns[] = {
		{ "cpu", "", VALUE_TEXT },
		{ "share", "noise", VALUE_SHARE },
		{ "noise_ns", "", VALUE_TIME },
		{ "runtime_ns", "of", VALUE_TIME },
		{ "max_noise_ns", "most a period", VALUE_TIME },
		{ "max_single_ns", "longest single", VALUE_TIME },
		{ "irqs", "interrupts", VALUE_COUNT },
		{ "threads", "threads", VALUE_COUNT },
	};
	const struct rtla *t = o->table;
	struct arena *a = &o->report->arena;
	const struct rtla_row *worst = largest(t, OSNOISE_MAX_SINGLE);
	int64_t noise = 0, runtime = 0;
	vec_each (row, &t->rows) {
		if (row->value[OSNOISE_NOISE] == UNKNOWN || row->value[OSNOISE_RUNTIME] == UNKNOWN)
			continue;
		sat_sum(&noise, row->value[OSNOISE_NOISE]);
		sat_sum(&runtime, row->value[OSNOISE_RUNTIME]);
	}
	if (!worst) {
		headline(o, "rtla osnoise: no period was measured", t->rows.at[0].line);
		return;
	}
	struct finding *f = headline(
		o,
		arena_printf(a,
			     "rtla osnoise: %s of the CPU time was noise; the longest single "
			     "one took %s, on CPU %lld%s",
			     units_share(noise, runtime).s,
			     time_text(t, worst->value[OSNOISE_MAX_SINGLE], a),
			     (long long)worst->value[OSNOISE_CPU], duration_text(t, a)),
		worst->line);
	if (t->unit)
		finding_fact(f, "latency_ns", time_value(t, worst->value[OSNOISE_MAX_SINGLE]));
	struct section *s = report_section(o->report, "cpus", "NOISE BY CPU", NULL);
	struct table *out = table_new(o, s, "cpus", columns, 8);
	struct ranked *rows = ranked(t, OSNOISE_NOISE);
	for (size_t i = 0; i < t->rows.n; i++) {
		const int64_t *v = rows[i].row->value;
		struct row *row = table_row(out);
		bool known = v[OSNOISE_NOISE] != UNKNOWN && v[OSNOISE_RUNTIME] != UNKNOWN;
		row->cell[0] = value_text(arena_printf(a, "CPU %lld", (long long)v[OSNOISE_CPU]));
		row->cell[1] =
			known ? value_share(v[OSNOISE_NOISE], v[OSNOISE_RUNTIME]) : value_none();
		row->cell[2] = time_value(t, v[OSNOISE_NOISE]);
		row->cell[3] = time_value(t, v[OSNOISE_RUNTIME]);
		row->cell[4] = time_value(t, v[OSNOISE_MAX_NOISE]);
		row->cell[5] = time_value(t, v[OSNOISE_MAX_SINGLE]);
		row->cell[6] = count_value(v[OSNOISE_SOURCES + 2]);
		row->cell[7] = count_value(v[OSNOISE_SOURCES + 4]);
	}
	free(rows);
}

/* -- Histograms ----------------------------------------------------------------------------- */

static int64_t column_count(const struct rtla *t, size_t column)
{
	int64_t n = 0;
	vec_each (b, &t->buckets) {
		if (b->counts[column] != UNKNOWN)
			sat_sum(&n, b->counts[column]);
	}
	if (t->rows.at[column].value[HIST_OVER] != UNKNOWN)
		sat_sum(&n, t->rows.at[column].value[HIST_OVER]);
	return n;
}

/* The lower end of the bucket in which part/100 of all are reached; UNKNOWN: over the last, or
 * too few for it to be more than the maximum. */
static int64_t percentile(const struct rtla *t, size_t column, int64_t n, int64_t part)
{
	if (n < 100 / (100 - part))
		return UNKNOWN;
	int64_t rank = n / 100 * part + (n % 100 * part + 99) / 100, seen = 0;
	vec_each (b, &t->buckets) {
		if (b->counts[column] != UNKNOWN)
			sat_sum(&seen, b->counts[column]);
		if (seen >= rank)
			return b->index;
	}
	return UNKNOWN;
}

static void histogram(const struct rtla_out *o)
{
	static const struct column columns[] = {
		{ "column", "", VALUE_TEXT },          { "count", "samples", VALUE_COUNT },
		{ "min_ns", "min", VALUE_TIME },       { "mean_ns", "mean", VALUE_TIME },
		{ "median_ns", "median", VALUE_TIME }, { "p99_ns", "99 %", VALUE_TIME },
		{ "max_ns", "max", VALUE_TIME },       { "over", "over", VALUE_COUNT },
	};
	const struct rtla *t = o->table;
	struct arena *a = &o->report->arena;
	const struct rtla_row *worst = largest(t, HIST_MAX);
	const char *name = rtla_name(t->tool);
	if (!worst) {
		headline(o, arena_printf(a, "rtla %s: the largest values are not given", name), 0);
	} else {
		struct finding *f = headline(o,
					     arena_printf(a, "rtla %s: at worst %s, in %s%s", name,
							  time_text(t, worst->value[HIST_MAX], a),
							  worst->column, duration_text(t, a)),
					     0);
		if (t->unit)
			finding_fact(f, "latency_ns", time_value(t, worst->value[HIST_MAX]));
	}
	struct section *s = report_section(
		o->report, "latency", "COLUMNS",
		"median and 99 %: the lower end of their bucket; times are cut to whole units");
	struct table *out = table_new(o, s, "latency", columns, 8);
	for (size_t i = 0; i < t->rows.n; i++) {
		const int64_t *v = t->rows.at[i].value;
		int64_t n = column_count(t, i);
		struct row *row = table_row(out);
		row->cell[0] = value_text(t->rows.at[i].column);
		row->cell[1] =
			v[HIST_COUNT] != UNKNOWN ? value_count(v[HIST_COUNT]) : value_count(n);
		row->cell[2] = time_value(t, v[HIST_MIN]);
		row->cell[3] = time_value(t, v[HIST_AVG]);
		row->cell[4] = time_value(t, percentile(t, i, n, 50));
		row->cell[5] = time_value(t, percentile(t, i, n, 99));
		row->cell[6] = time_value(t, v[HIST_MAX]);
		row->cell[7] = count_value(v[HIST_OVER]);
	}
}

/* -- Its own analysis ----------------------------------------------------------------------- */

static void automatic(const struct rtla_out *o)
{
	static const struct column columns[] = {
		{ "part", "", VALUE_TEXT },
		{ "duration_ns", "", VALUE_TIME },
		{ "share", "", VALUE_SHARE },
		{ "line", "at line", VALUE_LINES },
	};
	const struct rtla *t = o->table;
	struct arena *a = &o->report->arena;
	int64_t whole = UNKNOWN;
	vec_each (p, &t->parts) {
		if (str_starts(str_of(p->what), "Thread latency"))
			whole = p->ns;
	}
	struct finding *f = headline(
		o,
		whole == UNKNOWN
			? arena_printf(a, "rtla timerlat stopped at CPU %lld", (long long)t->cpu)
			: arena_printf(a,
				       "rtla timerlat stopped at CPU %lld: the thread ran %s late",
				       (long long)t->cpu, units_time(whole).s),
		o->capture->first_line);
	if (whole != UNKNOWN)
		finding_fact(f, "latency_ns", value_time(whole));
	struct section *s =
		report_section(o->report, "why", "WHY SO LATE",
			       "rtla's own analysis; what a part consists of follows it");
	struct table *out = table_new(o, s, "parts", columns, 4);
	out->top = 0;
	const char *stack = NULL;
	vec_each (p, &t->parts) {
		if (p->frame) {
			stack = stack ? arena_printf(a, "%s < %s", stack, p->what) : p->what;
			continue;
		}
		struct row *row = table_row(out);
		row->cell[0] = value_text(p->what);
		row->cell[1] = value_time(p->ns);
		row->cell[2] = whole == UNKNOWN ? value_none() : value_share(p->ns, whole);
		row->cell[3] = value_lines(p->line, p->line);
	}
	if (stack)
		report_finding(o->report, s, "stack",
			       arena_printf(a, "the thread that blocked was in %s", stack));
}

/* -- cyclictest ------------------------------------------------------------------------------ */

static void cyclictest(const struct rtla_out *o)
{
	static const struct column columns[] = {
		{ "thread", "", VALUE_TEXT },           { "priority", "priority", VALUE_COUNT },
		{ "interval_ns", "every", VALUE_TIME }, { "count", "wake-ups", VALUE_COUNT },
		{ "min_ns", "min", VALUE_TIME },        { "avg_ns", "mean", VALUE_TIME },
		{ "max_ns", "max", VALUE_TIME },        { "line", "line", VALUE_LINES },
	};
	const struct rtla *t = o->table;
	struct arena *a = &o->report->arena;
	const struct rtla_row *worst = largest(t, CYCLICTEST_MAX);
	struct finding *f = headline(
		o,
		arena_printf(a, "cyclictest: at worst a thread woke up %s late, thread %lld",
			     time_text(t, worst->value[CYCLICTEST_MAX], a),
			     (long long)worst->value[CYCLICTEST_THREAD]),
		worst->line);
	finding_fact(f, "latency_ns", time_value(t, worst->value[CYCLICTEST_MAX]));

	struct section *s = report_section(o->report, "latency", "LATENCY BY THREAD",
					   "taken as microseconds: with -N, cyclictest prints ns, "
					   "and does not say so");
	struct table *out = table_new(o, s, "latency", columns, 8);
	struct ranked *rows = ranked(t, CYCLICTEST_MAX);
	for (size_t i = 0; i < t->rows.n; i++) {
		const int64_t *v = rows[i].row->value;
		struct row *row = table_row(out);
		row->cell[0] = value_text(arena_printf(a, "thread %lld (pid %lld)",
						       (long long)v[CYCLICTEST_THREAD],
						       (long long)v[CYCLICTEST_PID]));
		row->cell[1] = count_value(v[CYCLICTEST_PRIORITY]);
		row->cell[2] = time_value(t, v[CYCLICTEST_INTERVAL]);
		row->cell[3] = count_value(v[CYCLICTEST_COUNT]);
		row->cell[4] = time_value(t, v[CYCLICTEST_MIN]);
		row->cell[5] = time_value(t, v[CYCLICTEST_AVG]);
		row->cell[6] = time_value(t, v[CYCLICTEST_MAX]);
		row->cell[7] = value_lines(rows[i].row->line, rows[i].row->line);
	}
	free(rows);
}

void analyze_rtla(const struct capture *c, int64_t top, struct report *r)
{
	struct rtla_out o = { c, c->rtla, r, top };
	r->first_line = c->first_line;
	r->last_line = c->last_line;
	switch (c->rtla->tool) {
	case RTLA_TIMERLAT_TOP:
		timerlat_top(&o);
		break;
	case RTLA_OSNOISE_TOP:
		osnoise_top(&o);
		break;
	case RTLA_TIMERLAT_AUTO:
		automatic(&o);
		break;
	case RTLA_CYCLICTEST:
		cyclictest(&o);
		break;
	default:
		histogram(&o);
	}
}
