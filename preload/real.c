/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/real.h"

#include <dlfcn.h>

/* The result goes through memory: a tail call would make the loader itself the caller. */
HIDDEN __attribute__((noinline)) void *real_find(void **slot, const char *name, const char *version)
{
	void *volatile f = version ? dlvsym(RTLD_NEXT, name, version) : dlsym(RTLD_NEXT, name);
	__atomic_store_n(slot, f, __ATOMIC_RELEASE);
	return f;
}
