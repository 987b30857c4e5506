/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which member of a variable lies at an offset. Only built with libdw. */
#ifndef DWELL_SYMBOL_MEMBER_H
#define DWELL_SYMBOL_MEMBER_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>

#include "base/arena.h"

/* The variable that was looked for last: finding one goes through all that are declared. */
struct member_cache {
	uint64_t address;
	Dwarf_Die die;
	bool found;
};

/*
 * "cache.shards[].mu" of the variable that begins at address; elements of an array are not told
 * apart. Without debugging information: its name alone.
 */
const char *member_name(Dwfl_Module *m, struct arena *a, const char *variable, uint64_t address,
			uint64_t offset, struct member_cache *cache);

#endif
