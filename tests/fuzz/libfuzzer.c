/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A target under libFuzzer: half of the mutations are its own, half are ours (mutate.h). */
#include "fuzz.h"
#include "mutate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_one(data, size);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	if (seed & 1 || !size)
		return LLVMFuzzerMutate(data, size, max_size);
	struct mutator m = { .state = seed };
	return mutate(&m, data, size, max_size);
}
