/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mutations that know lines, numbers and blocks: what happens to a trace that is cut, quoted,
 * broken by a mail, repeated or forged. Deterministic: the same state gives the same bytes.
 */
#ifndef DWELL_FUZZ_MUTATE_H
#define DWELL_FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

struct mutator {
	uint64_t state;     /* of the random numbers; the seed at first */
	char *const *words; /* to be put in, NUL-terminated; NULL: none */
	size_t n_words;
};

/* A few mutations, one after the other, within `room` bytes. Returns the new size. */
size_t mutate(struct mutator *m, uint8_t *data, size_t size, size_t room);

/* 0 to n - 1; 0 for n = 0. */
size_t mutate_below(struct mutator *m, size_t n);

#endif
