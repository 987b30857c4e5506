/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What rtla (the kernel's tools/tracing/rtla) prints: tables with a row for each CPU, histograms
 * with a column for each CPU and context, and its own analysis of the latency that stopped it. And
 * what cyclictest of rt-tests prints, which measures the same: a row for each thread.
 *
 * Everything belongs to the capture's arena but the vectors.
 */
#ifndef DWELL_CORE_RTLA_H
#define DWELL_CORE_RTLA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

enum rtla_tool {
	RTLA_TIMERLAT_TOP,
	RTLA_TIMERLAT_HIST,
	RTLA_OSNOISE_TOP,
	RTLA_OSNOISE_HIST,
	RTLA_TIMERLAT_AUTO, /* "## CPU 8 hit stop tracing, analyzing it ##" */
	RTLA_CYCLICTEST,
	RTLA_TOOLS,
};

/* What the values of a row are, in the order in which they are printed: see rtla_keys. */
enum rtla_timerlat_value {
	TIMERLAT_CPU,
	TIMERLAT_COUNT,
	TIMERLAT_CONTEXTS, /* from here on 4 each: the latest, min, mean, max */
	TIMERLAT_IRQ = TIMERLAT_CONTEXTS,
	TIMERLAT_THREAD = TIMERLAT_IRQ + 4,
	TIMERLAT_USER = TIMERLAT_THREAD + 4,
	TIMERLAT_VALUES = TIMERLAT_USER + 4,
};

enum rtla_osnoise_value {
	OSNOISE_CPU,
	OSNOISE_PERIODS,
	OSNOISE_RUNTIME,
	OSNOISE_NOISE,
	OSNOISE_AVAILABLE, /* hundred thousandths of a percent */
	OSNOISE_MAX_NOISE,
	OSNOISE_MAX_SINGLE,
	OSNOISE_SOURCES, /* hardware, NMI, IRQ, softirq, thread */
	OSNOISE_VALUES = OSNOISE_SOURCES + 5,
};

/* In the unit of the table, but the interval, which is always in us. */
enum rtla_cyclictest_value {
	CYCLICTEST_THREAD,
	CYCLICTEST_PID,
	CYCLICTEST_PRIORITY, /* 1 to 99; 0: not real-time */
	CYCLICTEST_INTERVAL,
	CYCLICTEST_COUNT,
	CYCLICTEST_MIN,
	CYCLICTEST_CUR,
	CYCLICTEST_AVG,
	CYCLICTEST_MAX,
	CYCLICTEST_VALUES,
};

enum rtla_hist_value { HIST_OVER, HIST_COUNT, HIST_MIN, HIST_AVG, HIST_MAX, HIST_VALUES };

#define RTLA_VALUES TIMERLAT_VALUES
#define RTLA_COLUMNS 4096 /* of a histogram */

struct rtla_row {
	const char *column;         /* of a histogram: "IRQ-000"; else NULL */
	int64_t value[RTLA_VALUES]; /* UNKNOWN: not printed, or "-" */
	uint32_t line;
};

/* The values of all columns at one index; rows of zeros are not printed. */
struct rtla_bucket {
	int64_t index;
	int64_t *counts; /* one for each row of the table */
};

/* A line of the analysis: "IRQ handler delay:  27.49 us (65.52 %)", or a task or a frame. */
struct rtla_part {
	const char *what;
	int64_t ns; /* UNKNOWN: a frame, or a heading */
	bool frame;
	uint32_t line;
};

struct rtla {
	enum rtla_tool tool;
	const char *unit;   /* "us" or "ns"; NULL: not given */
	int64_t duration_s; /* UNKNOWN: not given */
	int64_t cpu;        /* RTLA_TIMERLAT_AUTO */
	VEC(struct rtla_row) rows;
	VEC(struct rtla_bucket) buckets;
	VEC(struct rtla_part) parts;
};

void rtla_fini(struct rtla *t);

/* "timerlat top" */
const char *rtla_name(enum rtla_tool tool);

/* Names of a row's values, as many as it has. */
const char *const *rtla_keys(enum rtla_tool tool, int *n);

static inline bool rtla_is_hist(enum rtla_tool tool)
{
	return tool == RTLA_TIMERLAT_HIST || tool == RTLA_OSNOISE_HIST;
}

#endif
