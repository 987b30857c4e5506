/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *mem_checked(void *p)
{
	if (!p) {
		fputs("dwell: out of memory\n", stderr);
		abort();
	}
	return p;
}

void *mem_alloc(size_t n)
{
	return mem_checked(calloc(1, n ? n : 1));
}

void *mem_array(size_t n, size_t size)
{
	return mem_checked(calloc(n ? n : 1, size ? size : 1));
}

void *mem_resize(void *p, size_t n, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(n, size, &bytes))
		return mem_checked(NULL);
	return mem_checked(realloc(p, bytes ? bytes : 1));
}

char *mem_strdup(const char *s)
{
	return mem_checked(strdup(s));
}

void mem_free_scope(void *p)
{
	free(*(void **)p);
}
