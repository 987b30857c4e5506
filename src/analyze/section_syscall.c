/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls, from enter to exit of a task, asleep or not.
 *
 * raw_syscalls and syscalls:sys_enter_x fire for the same call: the second enter adds what the
 * first did not say, and the second exit finds nothing open. A call that does not return (exit,
 * exec's old image) has no exit of its own; the task's next enter gives it up.
 */
#include "analyze/section_parts.h"

/* Does the enter belong to the call that is open? One of them gives a name, one a number. */
static bool is_same_call(const struct sect_task *t, const struct event *e, const struct payload *p)
{
	bool named = t->call.key <= UINT32_MAX;
	return t->call_open && named != (p->args.name != 0) &&
	       sat_sub(e->time, t->call.start) < 10000;
}

void sect_syscall(struct sections *s, struct sect_cpu *c, const struct event *e,
		  const struct payload *p)
{
	struct sect_task *t = sections_task(s, c->pid);
	if (!t)
		return;
	if (p->point == POINT_SYS_ENTER) {
		if (is_same_call(t, e, p)) {
			if (p->args.name)
				t->call.key = sect_point_key(p);
			return;
		}
		if (t->call_open)
			sect_store_unknown(&s->store, &t->call, SECT_AT_LOSS);
		t->call = sect_span_at(SECT_SYSCALL, c, e);
		t->call.key = sect_point_key(p);
		t->call_loss = s->loss;
		t->call_open = t->called = true;
		return;
	}
	bool lost = t->call_loss != s->loss; /* an exit and an enter may be among the lost */
	if (t->call_open && !lost) {
		t->call.cpu = c->cpu;
		t->call.ret = p->args.b;
		sect_span_end(s, &t->call, e);
	} else if (t->call_open || !t->called) {
		struct sect_span alone = sect_span_at(SECT_SYSCALL, c, e);
		sect_store_unknown(&s->store, &alone, lost ? SECT_AT_LOSS : SECT_AT_BEGIN);
	}
	t->call_open = false;
	t->called = true;
}
