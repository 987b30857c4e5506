/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names for the addresses of a process that need no longer run: it is told what was mapped where.
 * With elfutils' libdwfl (HAVE_LIBDW): functions, inlined ones too, lines, variables and their
 * members, also from separate debug files by build-id. Without it, or without symbols, a place is
 * "module+0x1234".
 */
#ifndef DWELL_SYMBOL_SYMBOL_H
#define DWELL_SYMBOL_SYMBOL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

struct symbols;

struct symbols *symbols_new(void);
void symbols_free(struct symbols *s);

/* A file mapped at [start, end) from offset on; all of them, before the first question. */
void symbols_map(struct symbols *s, uint64_t start, uint64_t end, uint64_t offset,
		 const char *path);

struct symbol_place {
	const char *function; /* NULL: no symbol */
	const char *where;    /* "queue.c:88", "+0x1f [libfoo.so]", "[libfoo.so+0x1234]" */
};

struct symbol_frame {
	struct symbol_place place;
	bool inlined;   /* into the next */
	bool of_system; /* inlined, from a header of the compiler's or the system's */
};

#define SYMBOL_FRAMES 16 /* functions in one another, at most */

/*
 * Of a return address: the functions that it is in, at the call, from the innermost to the one
 * that they are inlined into. Their number: at least one, if there is room. Strings are the
 * arena's.
 */
size_t symbols_frames(struct symbols *s, struct arena *a, uint64_t pc, struct symbol_frame *to,
		      size_t room);

/*
 * Of a return address: the function that makes the call, in the source of the program. Inlined
 * functions of the system's headers (std::mutex::lock) are passed over. Strings are the arena's.
 */
struct symbol_place symbols_code(struct symbols *s, struct arena *a, uint64_t pc);

/* "cache.shards[].mu", "g_lock"; NULL: no variable is there. */
const char *symbols_data(struct symbols *s, struct arena *a, uint64_t address);

#endif
