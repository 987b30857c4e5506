/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions in a whole trace: timeline, profile, tree and loops of each CPU, begun with its first
 * function entry, of which the busiest CPU's is reported. Memory goes with the CPUs, up to
 * FUNCTION_CPUS of them.
 */
#ifndef DWELL_ANALYZE_EXPLAIN_FUNCTIONS_H
#define DWELL_ANALYZE_EXPLAIN_FUNCTIONS_H

#include "analyze/explain.h"
#include "analyze/loop_pool.h"
#include "analyze/symbols.h"
#include "core/report.h"

#define FUNCTION_CPUS 64

struct function_cpu;

struct functions {
	struct sink sink;
	struct symbols *symbols;
	const struct capture *capture;
	int64_t cpu_asked;
	struct function_cpu *cpus[FUNCTION_CPUS];
	uint16_t number[FUNCTION_CPUS];
	size_t n;
	struct loop_pool loops; /* of all their trees */
	uint64_t left_out;      /* entries of CPUs beyond */
	uint64_t lines;         /* of all CPUs, as the kernel counts entries: with stack dumps */
};

void functions_init(struct functions *f, struct symbols *symbols, int64_t cpu_asked);
void functions_fini(struct functions *f);

/* Adds nothing where no function was entered. */
void functions_report(struct functions *f, const struct explain_options *o, struct report *r);

#endif
