/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The records of one CPU, in the order of its pages, of which few are in memory at a time; and
 * the merge of CPUs by time. A page or a chunk that is damaged is left out and noted.
 */
#ifndef DWELL_READ_DAT_STREAM_H
#define DWELL_READ_DAT_STREAM_H

#include "read/dat_file.h"
#include "read/dat_page.h"

struct dat_merge;

struct dat_stream {
	struct dat_merge *merge;
	uint32_t cpu, index; /* index: among the streams; equal times come in this order */
	uint64_t at, end;    /* what of the file is still to be read */
	unsigned char *buf;
	size_t n, pos, room; /* pages in memory, the next of them */
	uint32_t chunks;     /* still to be read, if packed */
	bool packed, begun, cut;
	bool empty; /* not a record could be read */
	struct dat_page page;
	struct dat_record record; /* the next one; its time is the key of the merge */
	int64_t lost;             /* before that record; 0: none, -1: unknown */
	int64_t lost_told;        /* so far; -1: not known */
};

struct dat_merge {
	struct dat_file *file;
	const struct dat_layout *layout;
	struct capture *capture; /* damage goes here */
	uint32_t page_size;
	bool shifted; /* the stamps are those of the host's clock, see dat_shift.h */
	VEC(struct dat_stream) streams;
	VEC(struct dat_stream *) heap; /* those with a record, the earliest first */
	bool primed;
};

/* file, layout and capture have to outlive m. */
void dat_merge_init(struct dat_merge *m, struct dat_file *file, const struct dat_layout *layout,
		    struct capture *capture, const struct dat_buffer *b);
void dat_merge_fini(struct dat_merge *m);

/* The stream whose record is next, valid until the next call; NULL at the end. */
struct dat_stream *dat_merge_next(struct dat_merge *m);

#endif
