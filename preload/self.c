/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/self.h"

HIDDEN __thread struct self self __attribute__((tls_model("initial-exec"))) = { .cpu = -1 };

/* By the thread's id, of which the low bits choose the place: the id above, the CPU below. */
#define PLACES 1024
static uint64_t places[PLACES];

HIDDEN __attribute__((noinline, cold)) void self_moved(int32_t cpu)
{
	uint32_t tid = (uint32_t)self_tid();
	self.cpu = cpu;
	__atomic_store_n(&places[tid % PLACES], (uint64_t)tid << 32 | (uint32_t)cpu,
			 __ATOMIC_RELAXED);
}

HIDDEN int32_t self_cpu_of(int32_t tid)
{
	uint64_t is = __atomic_load_n(&places[(uint32_t)tid % PLACES], __ATOMIC_RELAXED);
	return tid && is >> 32 == (uint32_t)tid ? (int32_t)is : -1;
}
