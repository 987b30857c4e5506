/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "read/interlude.h"

#include "read/latency_entry.h"

/*
 * "CPU:1 [LOST 16689746 EVENTS]" and "CPU:0 [LOST EVENTS]" (print_trace_line in
 * kernel/trace/trace.c), "CPU:7 [204600 EVENTS DROPPED]" (trace-cmd report).
 */
bool interlude_lost(struct str t, struct event *e, struct payload *p)
{
	t = str_trim(t);
	if (!str_starts(t, "CPU:") || str_find(t, "EVENTS") < 0)
		return false;
	t = str_from(t, 4);
	int64_t cpu, n = -1;
	if (!str_number(&t, &cpu) || cpu < 0 || cpu > UINT16_MAX)
		return false;
	t = str_trim(t);
	if (!str_starts(t, "["))
		return false;
	t = str_from(t, str_starts(t, "[LOST ") ? 6 : 1);
	if (!str_number(&t, &n) || n < 0)
		n = -1;
	*e = (struct event){ .kind = EVENT_LOST | EVENT_NO_TIME, .cpu = (uint16_t)cpu };
	p->text = p->arguments = (struct str){ 0 }; /* of the event before */
	p->point = POINT_NONE;
	p->lost = n;
	return true;
}

bool interlude_is_lost(struct str text)
{
	struct event e;
	struct payload p;
	return interlude_lost(text, &e, &p);
}

bool interlude_is_frame(struct str t)
{
	t = str_trim(t);
	return str_starts(t, "=>") && str_trim(str_from(t, 2)).n > 0;
}

/*
 * "/usr/lib/libc.so.6[+0x89226]" of a process, where the place in the object is the function; or
 * "<00007f2cdd1dc318>" where the object is not looked up (seq_print_user_ip() in
 * kernel/trace/trace_output.c), which trace-cmd prints as 0x7f2cdd1dc318.
 */
static uint32_t user_frame(struct names *names, struct str s)
{
	char text[2 + 16] = "0x";
	s = str_trim(s);
	if (s.n != 18 || s.p[0] != '<' || s.p[17] != '>')
		return names_id(names, s);
	struct str digits = str_head(str_from(s, 1), 16);
	while (digits.n > 1 && digits.p[0] == '0')
		digits = str_from(digits, 1);
	memcpy(text + 2, digits.p, digits.n);
	return names_id(names, (struct str){ text, 2 + digits.n });
}

void interlude_frame(struct names *names, struct payload *p, struct str symbol)
{
	if (p->stack.n < STACK_MAX)
		p->stack.frames[p->stack.n++] =
			p->stack.user ? user_frame(names, symbol)
				      : names_id(names, entry_bare_symbol(symbol));
	else
		p->stack.dropped++;
}

/* A blank line in a stack is none of it; behind its end, it may begin a paragraph. */
static int skip_blank_line(struct carrier *from, struct line *line, struct err *err)
{
	struct line next;
	int ret = carrier_next(from, &next, err);
	if (ret <= 0)
		return ret;
	if (interlude_is_frame(next.text)) {
		*line = next;
		return 1;
	}
	line->text.n = 0;
	carrier_back_all(from, line, 1, &next);
	return carrier_next(from, line, err);
}

int interlude_stack(struct carrier *from, struct capture *c, struct names *names, struct payload *p,
		    struct err *err)
{
	struct line line;
	int ret;
	while ((ret = carrier_next(from, &line, err)) > 0) {
		if (!str_trim(line.text).n && (ret = skip_blank_line(from, &line, err)) <= 0)
			break;
		if (!interlude_is_frame(line.text)) {
			carrier_back(from, &line);
			break;
		}
		c->last_line = line.last;
		struct str symbol = str_trim(str_from(str_trim(line.text), 2));
		if (p->stack.user || !str_starts(symbol, "0x")) /* rtla saves noise behind it */
			interlude_frame(names, p, symbol);
	}
	/* trace-cmd report prints the room behind a user's frames, too. */
	while (p->stack.n && str_eq(names_str(names, p->stack.frames[p->stack.n - 1]), "0x0"))
		p->stack.n--;
	p->text = (struct str){ 0 }; /* its line is gone */
	return ret;
}

void pending_add(struct pending *w, const struct line *line)
{
	if (w->n < PENDING_MAX)
		w->line[w->n++] = line->number;
	else
		w->more++;
}

/* The trace goes on: what stood in its midst was damage. */
void pending_confirm(struct pending *w, struct capture *c, const char *why)
{
	for (uint32_t i = 0; i < w->n; i++)
		capture_damage(c, w->line[i], why);
	c->damaged += w->more;
	w->n = w->more = 0;
	c->n_trailing = 0;
}
