/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How fast a file becomes events:
 *
 *	drain FILE [bare|points|lines]
 *
 * points (default): with what a typical analysis decodes. bare: without. lines: the carrier alone,
 * which bounds both. Time is that of the processor, so that a busy machine does not matter much.
 *
 * What an event of ftrace text costs, in instructions (callgrind, text of ftrace_text.py): 430 for
 * the line as a slice, half of them to look for the signs of mails and web pages; 920 to find its
 * columns and names; 820 to decode the points, most of it to cut numbers and comms off the text.
 */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "read/carrier.h"
#include "read/reader.h"

#define TYPICAL                                                                                    \
	(POINT_BIT(POINT_SWITCH) | POINT_BIT(POINT_WAKING) | POINT_BIT(POINT_WAKEUP) |             \
	 POINT_BIT(POINT_IRQ_ENTRY) | POINT_BIT(POINT_IRQ_EXIT) | POINT_BIT(POINT_SOFTIRQ_RAISE) | \
	 POINT_BIT(POINT_SOFTIRQ_ENTRY) | POINT_BIT(POINT_SOFTIRQ_EXIT) |                          \
	 POINT_BIT(POINT_LOCK_BEGIN) | POINT_BIT(POINT_LOCK_END))

struct totals {
	uint64_t events, decoded;
	uint64_t sum; /* of what was read, so that it is read */
};

static int drain_lines(const char *path, struct totals *t, struct err *err)
{
	struct carrier c;
	struct line line;
	int ret = carrier_open(&c, path, err);
	if (ret)
		return ret;
	while ((ret = carrier_next(&c, &line, err)) > 0) {
		t->events++;
		t->sum += line.text.n;
	}
	carrier_close(&c);
	return ret;
}

static int drain_events(const char *path, uint32_t points, struct totals *t, struct err *err)
{
	struct reader *r = reader_open(path, err);
	struct capture *c;
	struct source *s;
	struct event e;
	int ret = r ? 0 : -1;
	while (r && (ret = reader_next(r, &c, &s, err)) > 0) {
		if (!s)
			continue;
		s->wanted = ~0u;
		s->points = points;
		while ((ret = s->next(s, &e, err)) > 0) {
			t->events++;
			t->decoded += s->payload.point != POINT_NONE;
			t->sum += (uint64_t)e.time + e.what + e.task;
		}
	}
	reader_close(r);
	return ret;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	const char *how = argc > 2 ? argv[2] : "points";
	struct totals t = { 0 };
	struct err err = { 0 };
	struct timespec a, b;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
	int ret = how[0] == 'l' ? drain_lines(argv[1], &t, &err)
				: drain_events(argv[1], how[0] == 'b' ? 0 : TYPICAL, &t, &err);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
	if (ret) {
		fprintf(stderr, "drain: %s\n", err.msg);
		return 1;
	}
	FILE *f = fopen(argv[1], "rb");
	double bytes = f && fseek(f, 0, SEEK_END) == 0 ? (double)ftell(f) : 0;
	double s = (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9;
	if (f)
		fclose(f);
	printf("%-7s %.3f s  %.0f MB/s  %.1f ns each  %" PRIu64 " of %" PRIu64 " decoded  (%" PRIx64
	       ")\n",
	       how, s, bytes / s / 1e6, s * 1e9 / (double)t.events, t.decoded, t.events, t.sum);
	return 0;
}
