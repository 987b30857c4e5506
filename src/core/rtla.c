/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/rtla.h"

void rtla_fini(struct rtla *t)
{
	if (!t)
		return;
	vec_fini(&t->rows);
	vec_fini(&t->buckets);
	vec_fini(&t->parts);
}

const char *rtla_name(enum rtla_tool tool)
{
	static const char *const names[RTLA_TOOLS] = {
		[RTLA_TIMERLAT_TOP] = "timerlat top",   [RTLA_TIMERLAT_HIST] = "timerlat hist",
		[RTLA_OSNOISE_TOP] = "osnoise top",     [RTLA_OSNOISE_HIST] = "osnoise hist",
		[RTLA_TIMERLAT_AUTO] = "timerlat auto", [RTLA_CYCLICTEST] = "cyclictest",
	};
	return names[tool];
}

static const char *const timerlat_keys[TIMERLAT_VALUES] = {
	"cpu",        "count",      "irq_cur",    "irq_min",  "irq_avg",  "irq_max",  "thread_cur",
	"thread_min", "thread_avg", "thread_max", "user_cur", "user_min", "user_avg", "user_max",
};

static const char *const osnoise_keys[OSNOISE_VALUES] = {
	"cpu",           "period", "runtime_us", "noise_us", "available_pct", "max_noise_us",
	"max_single_us", "hw",     "nmi",        "irq",      "softirq",       "thread",
};

static const char *const cyclictest_keys[CYCLICTEST_VALUES] = {
	"thread", "pid", "priority", "interval_us", "count", "min", "cur", "avg", "max",
};

static const char *const hist_keys[HIST_VALUES] = { "over", "count", "min", "avg", "max" };

const char *const *rtla_keys(enum rtla_tool tool, int *n)
{
	*n = tool == RTLA_TIMERLAT_TOP    ? TIMERLAT_VALUES
	     : tool == RTLA_OSNOISE_TOP   ? OSNOISE_VALUES
	     : tool == RTLA_CYCLICTEST    ? CYCLICTEST_VALUES
	     : tool == RTLA_TIMERLAT_AUTO ? 0
					  : HIST_VALUES;
	return tool == RTLA_TIMERLAT_TOP  ? timerlat_keys
	       : tool == RTLA_OSNOISE_TOP ? osnoise_keys
	       : tool == RTLA_CYCLICTEST  ? cyclictest_keys
					  : hist_keys;
}
