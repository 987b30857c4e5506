/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Allocation that cannot fail: out of memory ends the process with one line. (Code that is
 * loaded into other programs, preload/, does not use this.)
 */
#ifndef DWELL_BASE_MEM_H
#define DWELL_BASE_MEM_H

#include <stddef.h>

void *mem_alloc(size_t n) __attribute__((malloc, returns_nonnull));      /* zeroed */
void *mem_array(size_t n, size_t size) __attribute__((returns_nonnull)); /* zeroed, checked */
void *mem_resize(void *p, size_t n, size_t size) __attribute__((returns_nonnull));
char *mem_strdup(const char *s) __attribute__((returns_nonnull));

/* Frees *p at the end of the scope: `cleanup_free char *name = ...`. */
void mem_free_scope(void *p);
#define cleanup_free __attribute__((cleanup(mem_free_scope)))

#endif
