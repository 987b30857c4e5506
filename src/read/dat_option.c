/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of a trace.dat, as handle_options() of trace-cmd understands them. */
#include "read/dat_file.h"

/* Options are strings of C, but nobody promises their NUL. */
static struct str option_text(struct str data)
{
	const char *nul = data.n ? memchr(data.p, 0, data.n) : NULL;
	return nul ? str_head(data, (size_t)(nul - data.p)) : data;
}

/* "local [global] counter": the clock in use */
static const char *clock_in_use(struct dat_file *f, struct str t)
{
	ptrdiff_t open = str_find_char(t, '[');
	if (open < 0)
		return NULL;
	t = str_from(t, (size_t)open + 1);
	ptrdiff_t close = str_find_char(t, ']');
	return close > 0 ? arena_str(&f->arena, str_head(t, (size_t)close)) : NULL;
}

/* strtoll(..., 0): decimal, or hexadecimal behind 0x. */
static int64_t number_any(struct str t)
{
	char text[32] = "";
	t = str_head(str_trim(t), sizeof(text) - 1);
	memcpy(text, t.p, t.n);
	return strtoll(text, NULL, 0);
}

static void add_offset(struct dat_file *f, int64_t n, int64_t unit_ns)
{
	int64_t ns, sum;
	if (!__builtin_mul_overflow(n, unit_ns, &ns) &&
	    !__builtin_add_overflow(f->offset_ns, ns, &sum))
		f->offset_ns = sum;
}

/*
 * A copy of per_cpu/cpuN/stats: "CPU: 0", "entries: 5", "overrun: 7", ... in lines; before those
 * of an instance comes one that says "Buffer: name" alone. (add_buffer_stat() in
 * tracecmd/trace-record.c; the kernel's side is tracing_stats_read() in kernel/trace/trace.c.)
 */
static void option_stat(struct dat_file *f, struct str t)
{
	static const char *const keys[] = { "overrun:", "commit overrun:", "dropped events:" };
	struct dat_stat stat = { NULL, UINT32_MAX, 0 };
	while (t.n) {
		ptrdiff_t nl = str_find_char(t, '\n');
		struct str line = str_trim(str_head(t, nl < 0 ? t.n : (size_t)nl));
		t = str_from(t, nl < 0 ? t.n : (size_t)nl + 1);
		int64_t v;
		if (str_starts(line, "CPU:")) {
			struct str n = str_trim(str_from(line, 4));
			if (str_number(&n, &v) && v >= 0 && v <= UINT16_MAX)
				stat.cpu = (uint32_t)v;
		}
		if (str_starts(line, "Buffer:"))
			f->stats_of = arena_str(&f->arena, str_trim(str_from(line, 7)));
		for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
			struct str n = str_trim(str_from(line, strlen(keys[i])));
			if (str_starts(line, keys[i]) && str_number(&n, &v) && v > 0 &&
			    v < INT64_MAX / 4)
				stat.lost += v;
		}
	}
	if (stat.cpu != UINT32_MAX && stat.lost > 0)
		vec_push(&f->stats, ((struct dat_stat){ f->stats_of, stat.cpu, stat.lost }));
}

static void option_tsc(struct dat_file *f, struct str data)
{
	struct dat_cursor c = dat_cursor_of(data.p, data.n, f->big);
	uint32_t mult = dat_take_u32(&c), shift = dat_take_u32(&c);
	dat_take_u64(&c); /* the first stamp, which trace-cmd reads and does not use */
	if (c.bad || shift > 63)
		return dat_file_damage(f, "the option that turns the clock's ticks into ns is "
					  "damaged, and not applied");
	f->tsc_mult = mult;
	f->tsc_shift = shift;
}

static void option_shift(struct dat_file *f, struct str data)
{
	if (!dat_shift_read(&f->shift, dat_cursor_of(data.p, data.n, f->big)))
		dat_file_damage(f, "the option that shifts the clock to that of the host is "
				   "damaged, and not applied");
}

void dat_option(struct dat_file *f, enum dat_id id, struct str data)
{
	struct str text = option_text(data);
	switch (id) {
	case DAT_DATE: /* microseconds from the trace's clock to the time of day */
		add_offset(f, number_any(text), 1000);
		break;
	case DAT_OFFSET:
		add_offset(f, number_any(text), 1);
		break;
	case DAT_CPUSTAT:
		option_stat(f, text);
		break;
	case DAT_TRACECLOCK:
		f->clock = clock_in_use(f, text);
		break;
	case DAT_UNAME:
		f->uname = arena_str(&f->arena, text);
		break;
	case DAT_CPUCOUNT:
		if (data.n >= 4)
			f->cpus = dat_u32((const unsigned char *)data.p, f->big);
		break;
	case DAT_TIME_SHIFT:
		option_shift(f, data);
		break;
	case DAT_TSC2NSEC:
		option_tsc(f, data);
		break;
	default:
		break;
	}
}
