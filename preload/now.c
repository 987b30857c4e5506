/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/now.h"

/* GLIBC_2.35; an older C library has neither. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));

HIDDEN ptrdiff_t now_rseq;

HIDDEN void now_init(void)
{
	if (&__rseq_offset && &__rseq_size && __rseq_size)
		now_rseq = __rseq_offset;
}
