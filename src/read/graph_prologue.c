/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "read/graph_prologue.h"

#include "core/event.h"

/* "522" of "360.774522": six digits, us. */
static bool cut_decimals(struct str *s, int64_t *us)
{
	struct str digits = str_head(*s, 6);
	if (digits.n < 6 || !str_unsigned(&digits, us) || digits.n)
		return false;
	*s = str_from(*s, 6);
	return true;
}

/* "0 us |" or "360.774522 |"; *s goes on behind it. */
static bool cut_time(struct str *s, struct graph_prologue *p)
{
	struct str t = str_trim_left(*s);
	int64_t n, us;
	if (!str_unsigned(&t, &n))
		return false;
	p->relative = !str_starts(t, ".");
	if (!p->relative) {
		t = str_from(t, 1);
		if (!cut_decimals(&t, &us) || __builtin_mul_overflow(n, 1000000, &n) ||
		    __builtin_add_overflow(n, us, &n))
			return false;
	} else {
		t = str_trim_left(t);
		if (!str_starts(t, "us"))
			return false;
		t = str_from(t, 2);
	}
	t = str_trim_left(t);
	if (!str_starts(t, "|") || __builtin_mul_overflow(n, 1000, &p->time))
		return false;
	*s = str_from(t, 1);
	return true;
}

/* "   0)" */
static bool cut_cpu(struct str *s, uint16_t *cpu)
{
	struct str t = str_trim_left(*s);
	int64_t n;
	if (!str_unsigned(&t, &n) || n > UINT16_MAX || !str_starts(t, ")"))
		return false;
	*cpu = (uint16_t)n;
	*s = str_from(t, 1);
	return true;
}

/* The cell up to the next bar, without blanks around. */
static struct str cell_of(struct str s)
{
	ptrdiff_t bar = str_find_char(s, '|');
	return bar < 0 ? (struct str){ 0 } : str_trim(str_head(s, (size_t)bar));
}

static struct str behind_cell(struct str s)
{
	return str_from(s, (size_t)str_find_char(s, '|') + 1);
}

/* "bash-1507": no call ends in a dash and digits. */
static bool is_task(struct str cell)
{
	size_t n = cell.n;
	while (n && is_digit(cell.p[n - 1]))
		n--;
	return n && n < cell.n && cell.p[n - 1] == '-';
}

void graph_prologue_cut(struct str *line, struct graph_prologue *p)
{
	*p = (struct graph_prologue){ 0 };
	struct str s = *line;
	p->have_cpu = cut_cpu(&s, &p->cpu); /* a line with a stamp begins with that */
	if (!p->have_cpu) {
		p->have_time = cut_time(&s, p);
		if (!p->have_time)
			*p = (struct graph_prologue){ 0 };
		p->have_cpu = cut_cpu(&s, &p->cpu);
	}
	if (p->have_time && p->relative && !p->have_cpu) {
		*p = (struct graph_prologue){ 0 }; /* it was a duration of seven digits */
		s = *line;
	}
	struct str cell = cell_of(s);
	if (cell.n && is_task(cell)) {
		p->task = cell;
		s = behind_cell(s);
		cell = cell_of(s);
	}
	if (cell.n && event_flags_parse(cell, &p->flags)) {
		p->have_flags = true;
		s = behind_cell(s);
	}
	*line = s;
}

bool graph_task(struct names *names, struct str who, uint32_t *task)
{
	ptrdiff_t dash = str_rfind_char(who, '-');
	int64_t pid;
	if (dash < 0)
		return false;
	struct str comm = str_trim(str_head(who, (size_t)dash));
	struct str number = str_from(who, (size_t)dash + 1);
	if (!str_unsigned(&number, &pid) || number.n || pid > INT32_MAX)
		return false;
	*task = names_task(names, comm, (int32_t)pid);
	return true;
}
