/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A reader goes through an input and yields the captures it finds, each with a source of its
 * events. Text between them is passed over. A format is one file and one line in text.c's table.
 */
#ifndef DWELL_READ_READER_H
#define DWELL_READ_READER_H

#include "core/capture.h"
#include "core/source.h"

struct reader;

/* path "-" or NULL: standard input. NULL on failure. */
struct reader *reader_open(const char *path, struct err *err) must_check;
void reader_close(struct reader *r);

/* Who is told of every block that is read; NULL: nobody. It outlives the reader. */
struct bytes_watch;
void reader_watch(struct reader *r, struct bytes_watch *w);

/*
 * 1: *c is set, and for a trace *s (else NULL); both stay valid until the next call, which skips
 * events not yet pulled. 0: no more. -errno: the input could not be read.
 */
int reader_next(struct reader *r, struct capture **c, struct source **s,
		struct err *err) must_check;

/* What was looked for, for the message when an input holds nothing. */
const char *reader_looks_for(void);

/* Why the input ended early, though some of it was read; NULL: it did not. */
const char *reader_trouble(const struct reader *r);

/* The file's name as messages print it; lines read so far. */
const char *reader_name(const struct reader *r);
uint32_t reader_lines(const struct reader *r);

#endif
