/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names that a trace.dat brings along: of functions (a copy of /proc/kallsyms), of formats of
 * trace_printk (printk_formats), of tasks (saved_cmdlines). Each is read when it is first asked
 * for, and answers from a small cache after that.
 */
#ifndef DWELL_READ_DAT_SYMBOL_H
#define DWELL_READ_DAT_SYMBOL_H

#include "read/dat_file.h"

#define DAT_CACHE 4096

struct dat_symbol {
	uint64_t address;
	uint32_t at, n; /* in the text */
};

struct dat_comm {
	int32_t pid;
	uint32_t comm; /* name id */
};

struct dat_symbols {
	struct dat_file *file;
	struct names *names;
	bool have_functions, have_formats, have_tasks;
	struct dat_blob functions, formats;      /* the texts that the tables point into */
	VEC(struct dat_symbol) function, format; /* by address */
	VEC(struct dat_comm) comm;               /* by pid */
	struct {
		uint64_t address;
		uint32_t name;
	} function_cache[DAT_CACHE];
	struct {
		int32_t pid;
		uint32_t task;
	} task_cache[DAT_CACHE];
};

void dat_symbols_init(struct dat_symbols *s, struct dat_file *f, struct names *names);
void dat_symbols_fini(struct dat_symbols *s);

/* Name id of the function that holds the address; of the address in hex if there is none. */
uint32_t dat_function(struct dat_symbols *s, uint64_t address);

/* Where in which function an address is; name empty: in none. module: "[name]", empty: none. */
struct dat_place {
	struct str name, module;
	uint64_t offset, size;
};
struct dat_place dat_place(struct dat_symbols *s, uint64_t address);

/* Name id of the symbol that begins at the address; 0: none does. */
uint32_t dat_variable(struct dat_symbols *s, uint64_t address);

/* The format of trace_printk at that address; empty: not known. */
struct str dat_printk_format(struct dat_symbols *s, uint64_t address);

/* Task id; "<idle>" for 0, "<...>" if the file does not name the pid. */
uint32_t dat_task(struct dat_symbols *s, int32_t pid);

#endif
