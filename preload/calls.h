/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The system calls that hooks make for themselves: to open the file of counts, to make its memory
 * exist, and to read what is mapped. A program may take system calls from itself, so that one it did not
 * foresee ends it (seccomp): then hooks make none any more.
 */
#ifndef DWELL_PRELOAD_CALLS_H
#define DWELL_PRELOAD_CALLS_H

#include "preload/segment.h"

/* False: none may be made. Else calls_end() comes after them, soon. */
HIDDEN bool calls_begin(void);
HIDDEN void calls_end(void);

/*
 * None begins any more, in no thread, and those under way have ended. These are waited for, but not for
 * ever: one may have been left behind (by longjmp), or be the caller's, interrupted by a signal. Several
 * may stop them; they begin again when each has let them.
 */
HIDDEN void calls_stop(void);
HIDDEN void calls_let(void);

/* From now on one may end the process, or the clock may not be read. */
HIDDEN void calls_seal(void);

#endif
