/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd/output.h"

#define SECOND 1000000000ll
#define PROGRESS_AFTER SECOND
#define PROGRESS_EVERY (SECOND / 5)

static int64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * SECOND + t.tv_nsec;
}

/* Two digits at least: "950 kB", "1.2 GB". */
static int put_bytes(char *to, size_t room, uint64_t n)
{
	static const char units[] = "kMGT";
	uint64_t one = 1000;
	int unit = 0;
	for (; units[unit + 1] && n / one >= 1000; unit++)
		one *= 1000;
	uint64_t tenths = n / (one / 10);
	if (tenths < 100)
		return snprintf(to, room, "%" PRIu64 ".%" PRIu64 " %cB", tenths / 10, tenths % 10,
				units[unit]);
	return snprintf(to, room, "%" PRIu64 " %cB", tenths / 10, units[unit]);
}

struct progress_text progress_text(uint64_t done, uint64_t total, int64_t ns)
{
	struct progress_text text;
	char bytes[24], all[24] = "", rate[24];
	uint64_t us = ns > 1000 ? (uint64_t)ns / 1000 : 1;
	uint64_t each = done / us >= UINT64_MAX / 1000000 ? UINT64_MAX
			: done >= UINT64_MAX / 1000000    ? done / us * 1000000
							  : done * 1000000 / us;
	put_bytes(bytes, sizeof(bytes), done);
	put_bytes(rate, sizeof(rate), each);
	bool known = total > done;
	if (known)
		put_bytes(all, sizeof(all), total);
	int n = snprintf(text.s, sizeof(text.s), "%s%s%s, %s/s", bytes, known ? " of " : "", all,
			 rate);
	uint64_t left = known && each ? (total - done) / each : 0;
	if (left && left < 100 && n > 0)
		snprintf(text.s + n, sizeof(text.s) - (size_t)n, ", %" PRIu64 " s left", left);
	else if (left && n > 0)
		snprintf(text.s + n, sizeof(text.s) - (size_t)n, ", %" PRIu64 " min left",
			 left / 60 + (left % 60 >= 30));
	return text;
}

static void progress_show(struct bytes_watch *w)
{
	struct progress *p = (struct progress *)w;
	int64_t now = now_ns();
	if (now - p->start < PROGRESS_AFTER || now - p->last < PROGRESS_EVERY)
		return;
	p->last = now;
	output_status(progress_text(w->done, w->size, now - p->start).s);
}

void progress_begin(struct progress *p, bool streams)
{
	const char *term = getenv("TERM");
	*p = (struct progress){ .start = now_ns() };
	if (isatty(STDERR_FILENO) && term && *term && strcmp(term, "dumb") != 0 &&
	    !(streams && isatty(STDOUT_FILENO)))
		p->watch.block = progress_show;
}
