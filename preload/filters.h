/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The filters of system calls (seccomp) that a program is started under: one that whoever started it put
 * up may end it for a call of ours. The environment says of how many it is known that they do not.
 */
#ifndef DWELL_PRELOAD_FILTERS_H
#define DWELL_PRELOAD_FILTERS_H

#include "preload/segment.h"

/* Has this program more of them? It asks by calls that the loader makes as well. */
HIDDEN bool filters_may_end(void);

/* One was put up here, and is for what this becomes by exec, too. */
HIDDEN void filters_added(bool deadly);

#endif
