/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/osnoise.h"

#include <stdlib.h>

#include "base/sat.h"
#include "base/units.h"

void osnoise_fini(struct osnoise *o)
{
	vec_fini(&o->cpus);
}

void osnoise_event(struct osnoise *o, const struct event *e, const struct payload *p)
{
	struct osnoise_cpu *c = NULL;
	o->samples++;
	vec_each (at, &o->cpus) {
		if (at->cpu == e->cpu)
			c = at;
	}
	if (!c && o->cpus.n == OSNOISE_CPUS) {
		o->left_out++;
		return;
	}
	if (!c) {
		vec_push(&o->cpus, ((struct osnoise_cpu){ .cpu = e->cpu, .max_line = e->line }));
		c = vec_last(&o->cpus);
	}
	c->periods++;
	sat_sum(&c->noise, p->args.a);
	sat_sum(&c->runtime, p->args.c);
	for (int i = 0; i < NOISE_SOURCES; i++)
		sat_sum(&c->count[i], p->args.count[i]);
	if (p->args.b > c->max_single) {
		c->max_single = p->args.b;
		c->max_line = e->line;
	}
}

/* By share of noise, exactly. */
static int by_noise(const void *a, const void *b)
{
	const struct osnoise_cpu *x = a, *y = b;
	__int128 l = (__int128)x->noise * y->runtime, r = (__int128)y->noise * x->runtime;
	if (l != r)
		return l < r ? 1 : -1;
	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

static struct osnoise_cpu osnoise_sum(const struct osnoise *o)
{
	struct osnoise_cpu all = { 0 };
	vec_each (c, &o->cpus) {
		all.periods += c->periods;
		sat_sum(&all.runtime, c->runtime);
		sat_sum(&all.noise, c->noise);
		for (int i = 0; i < NOISE_SOURCES; i++)
			sat_sum(&all.count[i], c->count[i]);
		if (c->max_single > all.max_single || !all.max_line) {
			all.max_single = c->max_single;
			all.max_line = c->max_line;
			all.cpu = c->cpu;
		}
	}
	return all;
}

static void osnoise_headline(const struct osnoise *o, const struct osnoise_cpu *all,
			     struct report *r)
{
	struct arena *a = &r->arena;
	struct section *s = report_section(r, "headline", NULL, NULL);
	struct finding *f = report_finding(
		r, s, "headline",
		arena_printf(a,
			     "osnoise: %s of the CPU time was noise; the longest single one "
			     "took %s, on CPU %u",
			     units_share(all->noise, all->runtime).s,
			     units_time(sat_us(all->max_single)).s, all->cpu));
	f->first_line = f->last_line = all->max_line;
	finding_fact(f, "kind", value_text("osnoise"));
	finding_fact(f, "latency_ns", value_time(sat_us(all->max_single)));
	finding_fact(f, "noise_share", value_share(all->noise, all->runtime));
	finding_fact(f, "samples", value_count((int64_t)o->samples));
	f = report_finding(
		r, s, "samples",
		arena_printf(a, "%s period%s on %s CPU%s, %s observed",
			     units_count((int64_t)o->samples).s, o->samples == 1 ? "" : "s",
			     units_count((int64_t)o->cpus.n).s, o->cpus.n == 1 ? "" : "s",
			     units_time(sat_us(all->runtime)).s));
	f->indent = 1;
}

static void osnoise_cpus(const struct osnoise *o, int64_t top, struct report *r)
{
	static const struct column columns[] = {
		{ "cpu", "", VALUE_TEXT },
		{ "share", "noise", VALUE_SHARE },
		{ "noise_ns", "", VALUE_TIME },
		{ "runtime_ns", "of", VALUE_TIME },
		{ "periods", "periods", VALUE_COUNT },
		{ "max_single_ns", "longest single", VALUE_TIME },
		{ "max_line", "at line", VALUE_LINES },
	};
	struct section *s = report_section(r, "cpus", "NOISE BY CPU", NULL);
	struct table *t = report_table(r, s, "cpus");
	memcpy(t->columns, columns, sizeof(columns));
	t->top = (uint32_t)top;
	t->more = "--top N shows more";
	vec_each (c, &o->cpus) {
		struct row *row = table_row(t);
		row->cell[0] = value_text(arena_printf(&r->arena, "CPU %u", c->cpu));
		row->cell[1] = value_share(c->noise, c->runtime);
		row->cell[2] = value_time(sat_us(c->noise));
		row->cell[3] = value_time(sat_us(c->runtime));
		row->cell[4] = value_count((int64_t)c->periods);
		row->cell[5] = value_time(sat_us(c->max_single));
		row->cell[6] = value_lines(c->max_line, c->max_line);
	}
}

static void osnoise_sources(const struct osnoise_cpu *all, struct report *r)
{
	static const char *const names[NOISE_SOURCES] = { "hardware", "NMIs", "interrupts",
							  "softirqs", "threads" };
	static const struct column columns[] = {
		{ "source", "", VALUE_TEXT },
		{ "count", "times", VALUE_COUNT },
		{ "per_period", "a period", VALUE_COUNT },
	};
	struct section *s = report_section(r, "sources", "WHO INTERFERED",
					   "how often; how long is known only from osnoise events");
	struct table *t = report_table(r, s, "sources");
	memcpy(t->columns, columns, sizeof(columns));
	for (int i = 0; i < NOISE_SOURCES; i++) {
		struct row *row = table_row(t);
		row->cell[0] = value_text(names[i]);
		row->cell[1] = value_count(all->count[i]);
		int64_t periods = (int64_t)all->periods, rest = all->count[i] % periods;
		row->cell[2] = value_count(all->count[i] / periods + (rest >= periods - rest));
	}
}

void osnoise_report(struct osnoise *o, int64_t top, struct report *r)
{
	struct osnoise_cpu all = osnoise_sum(o);
	vec_sort(&o->cpus, by_noise);
	osnoise_headline(o, &all, r);
	osnoise_cpus(o, top, r);
	osnoise_sources(&all, r);
}

/* -- hwlat ---------------------------------------------------------------------------------- */

static int64_t hwlat_longest(const struct hwlat_row *h)
{
	return h->inner > h->outer ? h->inner : h->outer;
}

void hwlat_event(struct hwlat *h, const struct event *e, const struct payload *p)
{
	struct hwlat_row row = {
		.inner = p->args.a,
		.outer = p->args.b,
		.count = p->args.c,
		.nmi_us = p->args.count[0],
		.nmis = p->args.count[1],
		.cpu = e->cpu,
		.line = e->line,
	};
	h->samples++;
	h->with_nmi += row.nmis > 0;
	size_t i = h->n_worst < HWLAT_WORST ? h->n_worst : HWLAT_WORST - 1;
	if (h->n_worst == HWLAT_WORST && hwlat_longest(&row) <= hwlat_longest(&h->worst[i]))
		return;
	for (; i && hwlat_longest(&h->worst[i - 1]) < hwlat_longest(&row); i--)
		h->worst[i] = h->worst[i - 1];
	h->worst[i] = row;
	if (h->n_worst < HWLAT_WORST)
		h->n_worst++;
}

static struct value us_value(int64_t us)
{
	return us == UNKNOWN ? value_none() : value_time(sat_us(us));
}

static void hwlat_table(const struct hwlat *h, int64_t top, struct report *r)
{
	static const struct column columns[] = {
		{ "cpu", "", VALUE_TEXT },
		{ "latency_ns", "longest", VALUE_TIME },
		{ "inner_ns", "within a sample", VALUE_TIME },
		{ "outer_ns", "between samples", VALUE_TIME },
		{ "count", "times", VALUE_COUNT },
		{ "nmis", "NMIs", VALUE_COUNT },
		{ "nmi_ns", "in NMIs", VALUE_TIME },
		{ "line", "at line", VALUE_LINES },
	};
	struct section *s = report_section(r, "spikes", "LONGEST", NULL);
	struct table *t = report_table(r, s, "spikes");
	memcpy(t->columns, columns, sizeof(columns));
	t->top = (uint32_t)top;
	t->more = "--top N shows more";
	for (size_t i = 0; i < h->n_worst; i++) {
		const struct hwlat_row *k = &h->worst[i];
		struct row *row = table_row(t);
		row->cell[0] = value_text(arena_printf(&r->arena, "CPU %u", k->cpu));
		row->cell[1] = us_value(hwlat_longest(k));
		row->cell[2] = us_value(k->inner);
		row->cell[3] = us_value(k->outer);
		row->cell[4] = k->count == UNKNOWN ? value_none() : value_count(k->count);
		row->cell[5] = k->nmis == UNKNOWN ? value_none() : value_count(k->nmis);
		row->cell[6] = us_value(k->nmi_us);
		row->cell[7] = value_lines(k->line, k->line);
	}
}

void hwlat_report(const struct hwlat *h, int64_t top, struct report *r)
{
	struct arena *a = &r->arena;
	const struct hwlat_row *worst = &h->worst[0];
	struct section *s = report_section(r, "headline", NULL, NULL);
	struct finding *f = report_finding(
		r, s, "headline",
		arena_printf(a,
			     "hwlat: the CPU was gone for up to %s with interrupts off, on CPU %u",
			     units_time(sat_us(hwlat_longest(worst))).s, worst->cpu));
	f->first_line = f->last_line = worst->line;
	finding_fact(f, "kind", value_text("hwlat"));
	finding_fact(f, "latency_ns", value_time(sat_us(hwlat_longest(worst))));
	finding_fact(f, "samples", value_count((int64_t)h->samples));
	const char *nmi =
		"; no NMI is counted in them: an SMI, a hypervisor or the hardware itself";
	if (h->with_nmi)
		nmi = arena_printf(a, "; %s of them had NMIs, which explain a part",
				   units_count((int64_t)h->with_nmi).s);
	f = report_finding(r, s, "samples",
			   arena_printf(a, "%s time%s above the threshold%s",
					units_count((int64_t)h->samples).s,
					h->samples == 1 ? "" : "s", nmi));
	f->indent = 1;
	hwlat_table(h, top, r);
}
