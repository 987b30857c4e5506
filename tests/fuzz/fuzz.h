/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A fuzz target is a file NAME.c with the one function fuzz_one, a folder corpus/NAME with a few
 * small inputs, and a line in `targets`. The same file is linked in two ways:
 *
 * - with replay.c, as an ordinary test of every build: all inputs of its corpora, then a number of
 *   seeded mutations of them, always the same ones;
 * - with libFuzzer (`make fuzz`): a million executions, guided by coverage.
 *
 * A target aborts on what must not be, by fuzz_require; crashes, leaks, hangs and undefined
 * behaviour are found without its help.
 */
#ifndef DWELL_FUZZ_H
#define DWELL_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"

/* Returns 0. Whatever it allocates, it frees: leaks are findings. */
int fuzz_one(const uint8_t *data, size_t size);

#define fuzz_require(cond)                                                                         \
	do {                                                                                       \
		if (!(cond)) {                                                                     \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #cond);         \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

/* A path that holds these bytes until the next call: no disk, always the same descriptor. */
const char *fuzz_file(const uint8_t *data, size_t size);

/* Cuts the next line, without its end, off *text; false at the end. */
bool fuzz_line(struct str *text, struct str *line);

/* Looks at every byte, so that a slice that points nowhere is noticed. */
void fuzz_touch(struct str s);
void fuzz_touch_string(const char *z);

/* A number that depends on all of the input, for choices that the input does not spell out. */
uint64_t fuzz_hash(const uint8_t *data, size_t size);

static inline struct str fuzz_str(const uint8_t *data, size_t size)
{
	return (struct str){ (const char *)data, size };
}

#endif
