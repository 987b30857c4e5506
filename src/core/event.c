/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/event.h"

/* State n of a column prints as character n. */
static const char letters[FLAG_COLUMNS][17] = {
	[FLAG_IRQS] = ".dDXb",
	[FLAG_RESCHED] = ".NnpBLbl",
	[FLAG_RESCHED_LAZY] = ".LlNn",
	[FLAG_CONTEXT] = ".hsHZz",
	[FLAG_DEPTH] = ".123456789abcdef",
	[FLAG_DEPTH_LAZY] = ".123456789abcdef",
	[FLAG_MIGRATE] = ".123456789abcdef",
};

/* Which columns a run of n characters has: mainline 4 (5 with migrate-disable or, in 2.6.33,
 * lock-depth), -rt kernels from 3.x on 7; 6 where migrate-disable is not built in. */
static const signed char layout[FLAG_COLUMNS + 1][FLAG_COLUMNS] = {
	[4] = { FLAG_IRQS, FLAG_RESCHED, FLAG_CONTEXT, FLAG_DEPTH },
	[5] = { FLAG_IRQS, FLAG_RESCHED, FLAG_CONTEXT, FLAG_DEPTH, FLAG_MIGRATE },
	[6] = { FLAG_IRQS, FLAG_RESCHED, FLAG_RESCHED_LAZY, FLAG_CONTEXT, FLAG_DEPTH,
		FLAG_DEPTH_LAZY },
	[7] = { FLAG_IRQS, FLAG_RESCHED, FLAG_RESCHED_LAZY, FLAG_CONTEXT, FLAG_DEPTH,
		FLAG_DEPTH_LAZY, FLAG_MIGRATE },
};

char event_flag_char(enum flag_column c, unsigned state)
{
	return state < sizeof(letters[c]) && letters[c][state] ? letters[c][state] : '?';
}

static int flag_state(enum flag_column c, char ch)
{
	if (ch == '0' && c >= FLAG_DEPTH)
		ch = '.';
	const char *hit = ch ? strchr(letters[c], ch) : NULL;
	return hit ? (int)(hit - letters[c]) : -1;
}

bool event_flags_parse(struct str run, uint32_t *flags)
{
	if (run.n < 4 || run.n > FLAG_COLUMNS)
		return false;
	uint32_t out = (uint32_t)run.n << 28;
	for (size_t i = 0; i < run.n; i++) {
		enum flag_column c = (enum flag_column)layout[run.n][i];
		int state = flag_state(c, run.p[i]);
		if (state < 0)
			return false;
		out |= (uint32_t)state << (4 * c);
	}
	*flags = out;
	return true;
}

void event_flags_print(uint32_t flags, char out[8])
{
	unsigned n = flags >> 28;
	if (n < 4 || n > FLAG_COLUMNS)
		n = 0;
	for (unsigned i = 0; i < n; i++) {
		enum flag_column c = (enum flag_column)layout[n][i];
		out[i] = event_flag_char(c, flags >> (4 * c) & 15);
	}
	out[n] = '\0';
}

enum context event_context(const struct event *e)
{
	switch (event_flag_char(FLAG_CONTEXT, event_flag(e, FLAG_CONTEXT))) {
	case 's':
		return CONTEXT_SOFTIRQ;
	case 'h':
	case 'H':
		return CONTEXT_HARDIRQ;
	case 'Z':
	case 'z':
		return CONTEXT_NMI;
	default:
		return CONTEXT_TASK;
	}
}

bool event_irqs_off(const struct event *e)
{
	char c = event_flag_char(FLAG_IRQS, event_flag(e, FLAG_IRQS));
	return c == 'd' || c == 'D';
}

/* TIF_NEED_RESCHED, that is: neither the lazy flag alone nor a pending preemption alone. */
bool event_need_resched(const struct event *e)
{
	char c = event_flag_char(FLAG_RESCHED, event_flag(e, FLAG_RESCHED));
	return c == 'N' || c == 'n' || c == 'B' || c == 'b';
}
