/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/dwarf.h"

struct dwarf *dwarf_new(void)
{
	return NULL;
}

void dwarf_close(struct dwarf *d)
{
	(void)d;
}

void dwarf_file(struct dwarf *d, uint64_t base, const char *path)
{
	(void)d, (void)base, (void)path;
}

void dwarf_ready(struct dwarf *d)
{
	(void)d;
}

size_t dwarf_frames(struct dwarf *d, struct arena *a, uint64_t at, struct symbol_frame *to,
		    size_t room)
{
	(void)d, (void)a, (void)at, (void)to, (void)room;
	return 0;
}

const char *dwarf_data(struct dwarf *d, struct arena *a, uint64_t address)
{
	(void)d, (void)a, (void)address;
	return NULL;
}
