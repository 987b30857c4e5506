/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The reader of trace-cmd's trace.dat, versions 6 and 7: a file of several captures, one for each
 * buffer. The file is walked by our own code, since it may come from anywhere: libtracecmd does
 * not survive damaged files, and cannot open those that were cut short.
 */
#ifndef DWELL_READ_TRACE_DAT_H
#define DWELL_READ_TRACE_DAT_H

#include "core/capture.h"
#include "core/source.h"

struct trace_dat;

#define TRACE_DAT_HEAD 10 /* bytes that tell */

/* Do the first bytes of a file say that it is one? */
bool trace_dat_starts(struct str head);

/*
 * fd is a file that can seek, and is taken, also on failure; name is for messages, and outlives
 * the reader. NULL on failure.
 */
struct trace_dat *trace_dat_open(int fd, const char *name, struct names *names,
				 struct err *err) must_check;
void trace_dat_close(struct trace_dat *t);

/* Who is told of every block that is read; NULL: nobody. */
struct bytes_watch;
void trace_dat_watch(struct trace_dat *t, struct bytes_watch *w);

/*
 * 1: c is set, and *s for a buffer of events; for one that is text, *text is the fd of a file with
 * that text, for the readers of text, and *s NULL. c and *s stay valid until the next call. 0: no
 * more; -errno.
 */
int trace_dat_next(struct trace_dat *t, struct capture *c, struct source **s, int *text,
		   struct err *err) must_check;

/* What cannot be had of the file at all, once all of its captures were read; NULL: nothing. */
const char *trace_dat_trouble(const struct trace_dat *t);

#endif
