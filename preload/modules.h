/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which file is mapped where, for whoever makes names of addresses after the program has ended.
 * Read again when a site lies in code that is not known yet (dlopen).
 */
#ifndef DWELL_PRELOAD_MODULES_H
#define DWELL_PRELOAD_MODULES_H

#include "preload/segment.h"

HIDDEN void modules_read(struct wire_locks *s);

/* To be called with each new site; 0: none. */
HIDDEN void modules_need(struct wire_locks *s, uint64_t pc);

#endif
