/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/dwarf.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "symbol/member.h"
#include "symbol/unit.h"

struct dwarf {
	Dwfl *dwfl;
	Dwfl_Callbacks callbacks;
	char *debug_path;
	struct member_cache member;
	struct unit_cache units;
};

struct dwarf *dwarf_new(void)
{
	struct dwarf *d = mem_alloc(sizeof(*d));
	d->callbacks = (Dwfl_Callbacks){
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.debuginfo_path = &d->debug_path,
	};
	/* Names must not wait for a server of debug files. */
	setenv("DEBUGINFOD_URLS", "", 1);
	d->dwfl = dwfl_begin(&d->callbacks);
	if (d->dwfl) {
		dwfl_report_begin(d->dwfl);
		return d;
	}
	free(d);
	return NULL;
}

void dwarf_close(struct dwarf *d)
{
	if (!d)
		return;
	unit_cache_fini(&d->units);
	dwfl_end(d->dwfl);
	free(d);
}

void dwarf_file(struct dwarf *d, uint64_t base, const char *path)
{
	struct stat st;
	if (d && !stat(path, &st) && S_ISREG(st.st_mode)) /* to open a pipe would wait */
		dwfl_report_elf(d->dwfl, path, path, -1, base, false);
}

void dwarf_ready(struct dwarf *d)
{
	if (d)
		dwfl_report_end(d->dwfl, NULL, NULL);
}

/* -- Code -------------------------------------------------------------------------------------- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* Of the compiler's and the system's headers: a wrapper around the call. */
static bool is_of_system(Dwarf_Die *die)
{
	const char *file = dwarf_decl_file(die);
	return file && (strstr(file, "/include/c++/") || strncmp(file, "/usr/include/", 13) == 0 ||
			strstr(file, "/lib/gcc/"));
}

/* The file of DW_AT_call_file, as the CU numbers them. */
static const char *call_file(Dwarf_Die *cu, Dwarf_Die *inlined)
{
	Dwarf_Attribute at;
	Dwarf_Word number;
	Dwarf_Files *files;
	size_t n;
	if (!dwarf_attr(inlined, DW_AT_call_file, &at) || dwarf_formudata(&at, &number) ||
	    dwarf_getsrcfiles(cu, &files, &n) || number >= n)
		return NULL;
	return dwarf_filesrc(files, number, NULL, NULL);
}

static int call_line(Dwarf_Die *inlined)
{
	Dwarf_Attribute at;
	Dwarf_Word line;
	return dwarf_attr(inlined, DW_AT_call_line, &at) && !dwarf_formudata(&at, &line) ? (int)line
											 : 0;
}

static bool is_function(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);
	return tag == DW_TAG_inlined_subroutine || tag == DW_TAG_subprogram;
}

struct line_at {
	const char *file; /* NULL: unknown */
	int line;
};

static struct line_at line_at(Dwarf_Die *unit, Dwarf_Addr at)
{
	struct line_at l = { 0 };
	Dwarf_Line *line = dwarf_getsrc_die(unit, at);
	if (line && !dwarf_lineno(line, &l.line))
		l.file = dwarf_linesrc(line, NULL, NULL);
	return l;
}

/*
 * The functions that an address is in, the innermost first; each but the last is inlined into the
 * next, at the line where that one calls it.
 */
static size_t functions(struct arena *a, Dwarf_Die *unit, Dwarf_Addr at, struct symbol_frame *to,
			size_t room)
{
	Dwarf_Die *inner = NULL, *scopes = NULL;
	struct line_at l = line_at(unit, at);
	size_t found = 0;
	int n = dwarf_getscopes(unit, at, &inner);
	n = n > 0 ? dwarf_getscopes_die(&inner[0], &scopes) : 0;
	for (int i = 0; i < n && found < room; i++) {
		const char *name = is_function(&scopes[i]) ? dwarf_diename(&scopes[i]) : NULL;
		if (!name)
			continue;
		bool inlined = dwarf_tag(&scopes[i]) == DW_TAG_inlined_subroutine;
		to[found++] = (struct symbol_frame){
			.place = { arena_str(a, str_of(name)),
				   l.file ? arena_printf(a, "%s:%d", base_name(l.file), l.line)
					  : NULL },
			.inlined = inlined,
			.of_system = inlined && is_of_system(&scopes[i]),
		};
		if (!inlined)
			break;
		const char *file = call_file(unit, &scopes[i]);
		l = (struct line_at){ file ? file : l.file, call_line(&scopes[i]) };
	}
	free(inner);
	free(scopes);
	return found;
}

size_t dwarf_frames(struct dwarf *d, struct arena *a, uint64_t at, struct symbol_frame *to,
		    size_t room)
{
	Dwfl_Module *m = d ? dwfl_addrmodule(d->dwfl, at) : NULL;
	if (!m)
		return 0;
	GElf_Off offset = 0;
	GElf_Sym sym;
	Dwarf_Addr bias;
	Dwarf_Die unit;
	size_t n = 0;
	const char *elf = dwfl_module_addrinfo(m, at, &offset, &sym, NULL, NULL, NULL);
	if (unit_at(&d->units, m, at, &unit, &bias))
		n = functions(a, &unit, at - bias, to, room);
	if (!n && elf)
		to[n++] = (struct symbol_frame){ .place = { arena_str(a, str_of(elf)), NULL } };
	const char *file = dwfl_module_info(m, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
	for (size_t i = 0; i < n; i++) {
		if (!to[i].place.where)
			to[i].place.where =
				arena_printf(a, "+0x%llx [%s]", (unsigned long long)offset + 1,
					     base_name(file ? file : "?"));
	}
	return n;
}

/* -- Data -------------------------------------------------------------------------------------- */

const char *dwarf_data(struct dwarf *d, struct arena *a, uint64_t address)
{
	Dwfl_Module *m = d ? dwfl_addrmodule(d->dwfl, address) : NULL;
	GElf_Off offset = 0;
	GElf_Sym sym;
	const char *name =
		m ? dwfl_module_addrinfo(m, address, &offset, &sym, NULL, NULL, NULL) : NULL;
	if (!name || GELF_ST_TYPE(sym.st_info) != STT_OBJECT || offset >= sym.st_size)
		return NULL;
	return member_name(m, a, name, address - offset, offset, &d->member);
}
