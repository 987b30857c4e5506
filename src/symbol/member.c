/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/member.h"

#include <dwarf.h>
#include <string.h>

#define DEPTH_MAX 16 /* of members in members; types that go round are broken */

/* The type without its names and qualifiers; false: none. */
static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute at;
	Dwarf_Die is;
	return dwarf_attr_integrate(die, DW_AT_type, &at) && dwarf_formref_die(&at, &is) &&
	       dwarf_peel_type(&is, type) == 0;
}

/* gcc writes the address itself, clang with DWARF 5 its number in a table. */
static bool starts_at(Dwarf_Die *variable, uint64_t address)
{
	Dwarf_Attribute at, indexed;
	Dwarf_Op *op;
	Dwarf_Addr is;
	size_t n;
	if (!dwarf_attr(variable, DW_AT_location, &at) || dwarf_getlocation(&at, &op, &n) || n != 1)
		return false;
	if (op[0].atom == DW_OP_addr)
		return op[0].number == address;
	return op[0].atom == DW_OP_addrx && !dwarf_getlocation_attr(&at, op, &indexed) &&
	       !dwarf_formaddr(&indexed, &is) && is == address;
}

/* Below a CU, a namespace or a function with static variables. */
static bool find_variable(Dwarf_Die *in, uint64_t address, Dwarf_Die *found, int depth)
{
	Dwarf_Die die;
	if (depth > DEPTH_MAX || dwarf_child(in, &die))
		return false;
	do {
		int tag = dwarf_tag(&die);
		if (tag == DW_TAG_variable && starts_at(&die, address)) {
			*found = die;
			return true;
		}
		if ((tag == DW_TAG_namespace || tag == DW_TAG_subprogram ||
		     tag == DW_TAG_lexical_block) &&
		    find_variable(&die, address, found, depth + 1))
			return true;
	} while (!dwarf_siblingof(&die, &die));
	return false;
}

static bool variable_at(Dwfl_Module *m, uint64_t address, Dwarf_Die *found,
			struct member_cache *cache)
{
	Dwarf_Die *cu = NULL;
	Dwarf_Addr bias;
	if (cache->address == address) {
		*found = cache->die;
		return cache->found;
	}
	cache->address = address;
	cache->found = true;
	while ((cu = dwfl_module_nextcu(m, cu, &bias))) {
		if (find_variable(cu, address - bias, found, 0)) {
			cache->die = *found;
			return true;
		}
	}
	cache->found = false;
	return false;
}

/* The member of a structure that the offset is in; what is left of the offset. */
static bool member_at(Dwarf_Die *type, uint64_t *offset, Dwarf_Die *member)
{
	Dwarf_Die die, of;
	if (dwarf_child(type, &die))
		return false;
	do {
		Dwarf_Attribute at;
		Dwarf_Word begin = 0, size;
		int tag = dwarf_tag(&die);
		if (tag != DW_TAG_member && tag != DW_TAG_inheritance)
			continue;
		if (dwarf_attr(&die, DW_AT_data_member_location, &at))
			dwarf_formudata(&at, &begin);
		else if (dwarf_tag(type) != DW_TAG_union_type)
			continue; /* static */
		if (!type_of(&die, &of) || dwarf_aggregate_size(&of, &size) || *offset < begin ||
		    *offset >= begin + size)
			continue;
		*offset -= begin;
		*member = die;
		return true;
	} while (!dwarf_siblingof(&die, &die));
	return false;
}

/* The types that are locks: what is inside is nobody's business. */
static bool is_lock(Dwarf_Die *type)
{
	static const char *const names[] = { "mutex", "recursive_mutex", "timed_mutex",
					     "shared_mutex", "condition_variable" };
	const char *name = dwarf_diename(type);
	for (size_t i = 0; name && i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return !name && dwarf_tag(type) == DW_TAG_union_type; /* pthread_mutex_t and so on */
}

const char *member_name(Dwfl_Module *m, struct arena *a, const char *variable, uint64_t address,
			uint64_t offset, struct member_cache *cache)
{
	struct strbuf cleanup_strbuf name = { 0 };
	Dwarf_Die die, type;
	strbuf_str(&name, variable);
	if (variable_at(m, address, &die, cache)) {
		const char *plain = dwarf_diename(&die);
		if (plain) {
			name.n = 0;
			strbuf_str(&name, plain);
		}
		for (int i = 0; i < DEPTH_MAX && type_of(&die, &type) && !is_lock(&type); i++) {
			Dwarf_Word size;
			if (dwarf_tag(&type) == DW_TAG_array_type) {
				strbuf_str(&name, "[]");
				if (!type_of(&type, &die) || dwarf_aggregate_size(&die, &size) ||
				    !size)
					break;
				offset %= size;
				if (is_lock(&die) || !member_at(&die, &offset, &die))
					break;
			} else if (!member_at(&type, &offset, &die)) {
				break;
			}
			if (dwarf_diename(&die))
				strbuf_printf(&name, ".%s", dwarf_diename(&die));
		}
	}
	return arena_str(a, strbuf_get(&name));
}
