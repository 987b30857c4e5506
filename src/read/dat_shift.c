/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * u64 id of the host's trace, u32 flags, u32 count of CPUs; of each CPU a u32 count n, n times, n
 * offsets and n factors of the rate, all 64 bits wide; then, since trace-cmd 3.0, of each CPU the
 * n bits of fraction of these factors. (tsync_cpu_offsets_load() in lib/trace-cmd/trace-input.c;
 * timestamp_host_sync() and timestamp_correction_calc() there are what follows it.)
 */
#include "read/dat_shift.h"

#define INTERPOLATE 1 /* TRACECMD_TSYNC_FLAG_INTERPOLATE */
#define SAMPLE_BYTES 24
/* Beyond are no times. With these bounds a product below fits into 128 bits. */
#define TIME_MAX (UINT64_C(1) << 63)
#define OFFSET_MAX (INT64_C(1) << 61)

static int by_time(const void *a, const void *b)
{
	const struct dat_shift_sample *x = a, *y = b;
	return x->time < y->time ? -1 : x->time > y->time;
}

static void read_cpu(struct dat_shift *shift, struct dat_cursor *c)
{
	struct dat_shift_cpu cpu = { shift->samples.n, dat_take_u32(c) };
	if (cpu.n > (size_t)(c->end - c->p) / SAMPLE_BYTES)
		c->bad = true;
	if (c->bad)
		return;
	vec_reserve(&shift->samples, cpu.from + cpu.n + 1); /* not NULL, also for none */
	struct dat_shift_sample *s = shift->samples.at + cpu.from;
	for (size_t i = 0; i < cpu.n; i++)
		s[i] = (struct dat_shift_sample){ .time = dat_take_u64(c) };
	for (size_t i = 0; i < cpu.n; i++)
		s[i].offset = (int64_t)dat_take_u64(c);
	for (size_t i = 0; i < cpu.n; i++) {
		s[i].scaling = dat_take_u64(c);
		c->bad = c->bad || s[i].time >= TIME_MAX || s[i].offset >= OFFSET_MAX ||
			 s[i].offset <= -OFFSET_MAX;
	}
	shift->samples.n += cpu.n;
	vec_push(&shift->cpus, cpu);
}

static void read_fractions(struct dat_shift *shift, struct dat_cursor *c)
{
	vec_each (s, &shift->samples) {
		uint64_t fraction = dat_take_u64(c);
		c->bad = c->bad || fraction > 63;
		s->fraction = (uint32_t)fraction;
	}
}

/* In the order of their times; of equal ones the first. */
static void order(struct dat_shift *shift)
{
	vec_each (cpu, &shift->cpus) {
		struct dat_shift_sample *s = shift->samples.at + cpu->from;
		size_t kept = 0;
		if (cpu->n)
			qsort(s, cpu->n, sizeof(*s), by_time);
		for (size_t i = 0; i < cpu->n; i++) {
			if (!kept || s[i].time != s[kept - 1].time)
				s[kept++] = s[i];
		}
		cpu->n = kept;
	}
}

bool dat_shift_read(struct dat_shift *shift, struct dat_cursor c)
{
	dat_shift_fini(shift);
	dat_take(&c, 8);
	shift->interpolated = dat_take_u32(&c) & INTERPOLATE;
	uint32_t n = dat_take_u32(&c);
	c.bad = c.bad || n > UINT16_MAX;
	while (n-- && !c.bad)
		read_cpu(shift, &c);
	if (!c.bad && c.p < c.end)
		read_fractions(shift, &c);
	if (c.bad) {
		dat_shift_fini(shift);
		return false;
	}
	order(shift);
	return true;
}

void dat_shift_fini(struct dat_shift *shift)
{
	vec_fini(&shift->samples);
	vec_fini(&shift->cpus);
}

/* The last of n samples but one that is not later; the first, if all are. */
static const struct dat_shift_sample *sample_before(const struct dat_shift_sample *s, size_t n,
						    uint64_t stamp)
{
	size_t low = 0, high = n - 1;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (s[middle].time <= stamp)
			low = middle;
		else
			high = middle;
	}
	return s + low;
}

static int64_t interpolated(const struct dat_shift_sample *s, uint64_t stamp)
{
	__int128 span = (__int128)s[1].time - s[0].time;
	__int128 part = ((__int128)stamp - s[0].time) * (s[1].offset - s[0].offset);
	return (int64_t)(s[0].offset + (part + span / 2) / span);
}

uint64_t dat_shift_time(const struct dat_shift *shift, uint32_t cpu, uint64_t stamp)
{
	const struct dat_shift_cpu *known = cpu < shift->cpus.n ? &shift->cpus.at[cpu] : NULL;
	if (!known || !known->n)
		return stamp;
	const struct dat_shift_sample *s = shift->samples.at + known->from;
	if (known->n == 1) /* trace-cmd leaves the rate alone here, too */
		return stamp + (uint64_t)s->offset;
	s = sample_before(s, known->n, stamp);
	int64_t offset = shift->interpolated ? interpolated(s, stamp) : s->offset;
	/* trace-cmd multiplies in 64 bits, which a rate with 32 or more bits of fraction overflows. */
	unsigned __int128 scaled = (unsigned __int128)stamp * s->scaling >> s->fraction;
	return (uint64_t)scaled + (uint64_t)offset;
}
