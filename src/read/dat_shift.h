/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The clock of a guest against that of its host, as trace-cmd measured it while it recorded both
 * (option TIME_SHIFT): of every CPU samples of the offset, from which each stamp is shifted.
 */
#ifndef DWELL_READ_DAT_SHIFT_H
#define DWELL_READ_DAT_SHIFT_H

#include "base/vec.h"
#include "read/dat_bytes.h"

/* In units of the trace's clock. */
struct dat_shift_sample {
	uint64_t time; /* of the guest, when it was taken */
	int64_t offset;
	uint64_t scaling; /* to the host's rate: the stamp times scaling, by 2^fraction */
	uint32_t fraction;
};

struct dat_shift_cpu {
	size_t from, n; /* among the samples */
};

struct dat_shift {
	VEC(struct dat_shift_sample) samples; /* of a CPU by time, no two of them equal */
	VEC(struct dat_shift_cpu) cpus;
	bool interpolated; /* the offset between two samples; else it is that of the earlier one */
};

/* False: the option is damaged, and shift is empty. */
bool dat_shift_read(struct dat_shift *shift, struct dat_cursor c) must_check;
void dat_shift_fini(struct dat_shift *shift);

/* The host's stamp for a guest's; the same where nothing is known of that CPU. */
uint64_t dat_shift_time(const struct dat_shift *shift, uint32_t cpu, uint64_t stamp);

#endif
