/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The unit of debugging information that an address of code belongs to. Only built with libdw.
 *
 * libdw looks into .debug_aranges alone, which gcc writes and clang does not (without
 * -gdwarf-aranges), so that of a program of clang's it finds no unit, and with it no line and no
 * inlined function. Here the ranges that each unit itself names are looked at, too.
 */
#ifndef DWELL_SYMBOL_UNIT_H
#define DWELL_SYMBOL_UNIT_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>

#include "base/vec.h"

struct unit_range {
	Dwarf_Addr low, high; /* as in the file: without the bias */
	Dwarf_Die unit;
};

/* The ranges of the units of one module, in order. */
struct units {
	Dwfl_Module *module;
	VEC(struct unit_range) ranges;
};

/* Those that were asked for, by module. */
struct unit_cache {
	VEC(struct units) modules;
};

void unit_cache_fini(struct unit_cache *cache);

/* *bias is to be taken off the address before it is looked up in the unit; false: no unit. */
bool unit_at(struct unit_cache *cache, Dwfl_Module *m, uint64_t address, Dwarf_Die *unit,
	     Dwarf_Addr *bias);

#endif
