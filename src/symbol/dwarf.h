/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What symbol.c asks of libdwfl; where that is missing, nothing is known (dwarf_none.c). */
#ifndef DWELL_SYMBOL_DWARF_H
#define DWELL_SYMBOL_DWARF_H

#include "symbol/symbol.h"

struct dwarf;

struct dwarf *dwarf_new(void); /* NULL: cannot; all the others take that */
void dwarf_close(struct dwarf *d);
void dwarf_file(struct dwarf *d, uint64_t base, const char *path);
void dwarf_ready(struct dwarf *d);
/* As symbols_frames, of the address itself; 0: nothing is known. */
size_t dwarf_frames(struct dwarf *d, struct arena *a, uint64_t at, struct symbol_frame *to,
		    size_t room);
const char *dwarf_data(struct dwarf *d, struct arena *a, uint64_t address);

#endif
