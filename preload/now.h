/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The two readings that hooks take: the time and the CPU. A reading of the TSC costs 14-18 ns in
 * a guest, clock_gettime 42, rseq's cpu_id under one (reference/locks.md 4.2): so time is read
 * only around a wait, and around the holds that are timed.
 */
#ifndef DWELL_PRELOAD_NOW_H
#define DWELL_PRELOAD_NOW_H

#include <sched.h>
#include <time.h>

#include "preload/segment.h"

#if defined(__x86_64__)
#define NOW_HAS_TSC 1
#define now_tsc() __builtin_ia32_rdtsc()
#else
#define NOW_HAS_TSC 0
#define now_tsc() UINT64_C(0)
#endif

HIDDEN void now_init(void);

/* Ticks of segment_config's clock; never 0. */
static inline uint64_t now(void)
{
	if (likely(segment_config.tsc))
		return now_tsc();
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Where a thread's struct rseq is, from its thread pointer (glibc 2.35); 0: there is none. */
extern HIDDEN ptrdiff_t now_rseq;

static inline int32_t now_rseq_cpu(void)
{
	int32_t cpu = -1;
#if defined(__x86_64__)
	__asm__ volatile("movl %%fs:4(%1), %0" : "=r"(cpu) : "r"(now_rseq)); /* cpu_id */
#elif defined(__aarch64__)
	const char *rseq = (const char *)__builtin_thread_pointer() + now_rseq;
	cpu = *(const volatile int32_t *)(rseq + 4);
#endif
	return cpu;
}

static inline int32_t now_cpu(void)
{
	int32_t cpu = likely(now_rseq) ? now_rseq_cpu() : -1;
	return likely(cpu >= 0) ? cpu : sched_getcpu();
}

/* Which of a lock's counts is to be used. Without rseq any does, at a loss of speed alone. */
static inline uint32_t now_cpu_slot(void)
{
	return (uint32_t)now_rseq_cpu() % WIRE_CPUS;
}

#endif
