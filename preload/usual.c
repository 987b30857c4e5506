/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/usual.h"

HIDDEN __attribute__((noinline)) void usual_time(void)
{
	usual_put_aside();
	self.plain_start = now();
}

HIDDEN __attribute__((noinline)) void usual_end_hold(struct wire_count *c)
{
	count_hold(c, (struct self_start){ .at = self.plain_start });
	self.plain_start = 0;
}

HIDDEN __attribute__((noinline)) void usual_after_other(struct wire_lock *l, uint64_t pc)
{
	count_acquired(record_of(l), now_cpu(), pc, (struct self_start){ 0 });
}

HIDDEN void usual_failed(const struct record *r)
{
	self.plain = self.plain_start = 0;
	count_failed(r);
}
