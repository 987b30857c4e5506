/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Can the library that counts be loaded into a program? The launcher asks of the program that it runs, the
 * library of those that are started by it.
 */
#ifndef DWELL_WIRE_PROGRAM_H
#define DWELL_WIRE_PROGRAM_H

enum wire_program {
	WIRE_PROGRAM_FITS, /* or nothing can be known */
	WIRE_PROGRAM_STATIC,
	WIRE_PROGRAM_32_BITS,
	WIRE_PROGRAM_MACHINE, /* for another */
	WIRE_PROGRAM_MUSL,
	WIRE_PROGRAM_TSAN, /* built with ThreadSanitizer */
	WIRE_PROGRAM_ASAN,
	WIRE_PROGRAM_MSAN,
	WIRE_PROGRAM_HWASAN,
};

/*
 * Of the file, or of the interpreter that a script names. It makes system calls, but allocates nothing and
 * takes no lock. errno stays as it was.
 */
enum wire_program wire_program_at(const char *path) __attribute__((visibility("hidden")));

#endif
