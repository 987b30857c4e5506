/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/thread_call.h"

#include <linux/futex.h>
#include <sys/syscall.h>

#ifndef FUTEX_LOCK_PI2
#define FUTEX_LOCK_PI2 13 /* Linux 5.14 */
#endif
#ifndef SYS_futex_wait
#define SYS_futex_wait 455 /* Linux 6.7; the same number everywhere */
#endif

/* "0x7f12"; moves past it and the blanks before it. */
static bool hex(struct str *t, uint64_t *v)
{
	struct str word = str_word(t);
	*v = 0;
	if (word.n < 3 || word.n > 18 || !str_starts(word, "0x"))
		return false;
	for (size_t i = 2; i < word.n; i++) {
		char c = word.p[i];
		if (c >= '0' && c <= '9')
			*v = *v << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			*v = *v << 4 | (uint64_t)(c - 'a' + 10);
		else
			return false;
	}
	return true;
}

bool thread_call_parse(struct str line, struct thread_call *c)
{
	*c = (struct thread_call){ 0 };
	if (line.n && line.p[line.n - 1] == '\n')
		line.n--;
	if (!str_number(&line, &c->number))
		return false;
	for (int i = 0; i < 6 && c->number >= 0; i++) {
		if (!hex(&line, &c->argument[i]))
			return false;
	}
	return hex(&line, &c->sp) && hex(&line, &c->pc) && !str_trim(line).n;
}

bool thread_call_futex(const struct thread_call *c, struct futex_wait *w)
{
	*w = (struct futex_wait){ .address = c->argument[0], .op = FUTEX_WAIT };
	if (c->number == SYS_futex_wait) { /* (uaddr, val, mask, flags, timeout, clockid) */
		w->value = (uint32_t)c->argument[1];
		return true;
	}
	if (c->number != SYS_futex)
		return false;
	w->op = (unsigned)c->argument[1] & FUTEX_CMD_MASK;
	w->value = (uint32_t)c->argument[2];
	return w->op == FUTEX_WAIT || w->op == FUTEX_WAIT_BITSET || w->op == FUTEX_LOCK_PI ||
	       w->op == FUTEX_LOCK_PI2 || w->op == FUTEX_WAIT_REQUEUE_PI;
}
