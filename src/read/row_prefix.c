/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "read/row_prefix.h"

#include "core/event.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* "548.771078:" in us, or with nine decimals in ns. */
static bool cut_time(struct str *s, int64_t *ns)
{
	struct str t = str_trim_left(*s);
	int64_t seconds;
	bool negative = str_starts(t, "-");
	if (!t.n || !(is_digit(t.p[0]) || negative) || !str_number(&t, &seconds) ||
	    !str_starts(t, "."))
		return false;
	t = str_from(t, 1);
	int64_t part = 0;
	size_t n = 0;
	for (; n < t.n && n < 9 && is_digit(t.p[n]); n++)
		part = part * 10 + (t.p[n] - '0');
	if (n != 6 && n != 9)
		return false;
	part *= n == 6 ? 1000 : 1;
	t = str_from(t, n);
	if (!str_starts(t, ":") || __builtin_mul_overflow(seconds, INT64_C(1000000000), ns) ||
	    __builtin_add_overflow(*ns, negative ? -part : part, ns))
		return false;
	*s = str_trim(str_from(t, 1));
	return true;
}

/* "comm-pid", perhaps with "(  882)" behind it. */
static bool cut_who(struct str s, struct row_prefix *p)
{
	s = str_trim(s);
	if (s.n && s.p[s.n - 1] == ')') {
		ptrdiff_t open = str_rfind_char(s, '(');
		if (open <= 0)
			return false;
		s = str_trim(str_head(s, (size_t)open));
	}
	ptrdiff_t dash = str_rfind_char(s, '-');
	struct str number = str_from(s, (size_t)(dash + 1));
	int64_t pid;
	if (dash < 0 || !number.n || !is_digit(number.p[0]) || !str_number(&number, &pid) ||
	    number.n || pid > INT32_MAX)
		return false;
	p->comm = str_trim(str_head(s, (size_t)dash));
	p->pid = (int32_t)pid;
	return true;
}

/* "[006] dnLh213   426.271247: ...": s begins at the bracket. */
static bool cut_place(struct str s, struct row_prefix *p)
{
	int64_t cpu;
	s = str_from(s, 1);
	if (!s.n || !is_digit(s.p[0]) || !str_number(&s, &cpu) || cpu > UINT16_MAX ||
	    !str_starts(s, "]"))
		return false;
	p->cpu = (uint16_t)cpu;
	s = str_trim_left(str_from(s, 1));
	struct str rest = s, word = str_word(&rest);
	p->flags = 0;
	if (word.n && str_find_char(word, ':') < 0) {
		if (!event_flags_parse(word, &p->flags))
			return false;
		s = rest;
	}
	if (!cut_time(&s, &p->time))
		return false;
	p->rest = s;
	return true;
}

bool row_prefix_cut(struct str line, struct row_prefix *p)
{
	for (size_t i = 1; i < line.n && i < 128; i++) {
		if (line.p[i] == '[' && cut_place(str_from(line, i), p) &&
		    cut_who(str_head(line, i), p))
			return true;
	}
	return false;
}
