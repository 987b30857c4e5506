/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/unit.h"

#include <stdlib.h>

void unit_cache_fini(struct unit_cache *cache)
{
	vec_each (u, &cache->modules)
		vec_fini(&u->ranges);
	vec_fini(&cache->modules);
}

static void take_ranges(struct units *u, Dwarf_Die *unit)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;
	while ((at = dwarf_ranges(unit, at, &base, &low, &high)) > 0) {
		if (low < high)
			vec_push(&u->ranges, ((struct unit_range){ low, high, *unit }));
	}
}

static int by_low(const void *x, const void *y)
{
	const struct unit_range *a = x, *b = y;
	return (a->low > b->low) - (a->low < b->low);
}

static const struct units *units_of(struct unit_cache *cache, Dwfl_Module *m)
{
	vec_each (u, &cache->modules) {
		if (u->module == m)
			return u;
	}
	struct units u = { .module = m };
	Dwarf_Die *unit = NULL;
	Dwarf_Addr bias;
	while ((unit = dwfl_module_nextcu(m, unit, &bias)))
		take_ranges(&u, unit);
	vec_sort(&u.ranges, by_low);
	vec_push(&cache->modules, u);
	return vec_last(&cache->modules);
}

/* The last that begins at the address or before; NULL: none. */
static const struct unit_range *range_before(const struct units *u, Dwarf_Addr address)
{
	size_t low = 0, high = u->ranges.n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (u->ranges.at[middle].low <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &u->ranges.at[low - 1] : NULL;
}

bool unit_at(struct unit_cache *cache, Dwfl_Module *m, uint64_t address, Dwarf_Die *unit,
	     Dwarf_Addr *bias)
{
	Dwarf_Die *quick = dwfl_module_addrdie(m, address, bias);
	if (quick && dwarf_haspc(quick, address - *bias) > 0) {
		*unit = *quick;
		return true;
	}
	if (!dwfl_module_getdwarf(m, bias))
		return false;
	const struct unit_range *r = range_before(units_of(cache, m), address - *bias);
	if (!r || address - *bias >= r->high)
		return false;
	*unit = r->unit;
	return true;
}
