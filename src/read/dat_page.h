/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A page of the kernel's ring buffer as read() of trace_pipe_raw gives it: a head, and records.
 * The records are those of kernel/trace/ring_buffer.c (struct buffer_data_page, struct
 * ring_buffer_event); nothing here knows what they mean.
 */
#ifndef DWELL_READ_DAT_PAGE_H
#define DWELL_READ_DAT_PAGE_H

#include "read/dat_bytes.h"

/* Where the fields of the head are, from the text header_page of the file. */
struct dat_layout {
	bool big;
	uint32_t commit_at, commit_size; /* size 4 or 8: the kernel's long */
	uint32_t data_at;
};

#define DAT_LAYOUT_64 ((struct dat_layout){ false, 8, 8, 16 })

struct dat_page {
	const struct dat_layout *layout;
	const unsigned char *p, *end; /* the records not yet read */
	uint64_t time;                /* of the last record */
	int64_t lost;                 /* events lost before this page; 0: none; -1: unknown */
};

struct dat_record {
	uint64_t time;
	const unsigned char *data;
	uint32_t n;
};

/* False: these n bytes are no page of this layout. */
bool dat_page_open(struct dat_page *page, const struct dat_layout *layout, const unsigned char *p,
		   size_t n);

/* 1: a record; 0: no more; -1: what follows on this page is damaged. */
int dat_page_next(struct dat_page *page, struct dat_record *r);

/* Reads the text of events/header_page; false: it is none. */
bool dat_layout_parse(struct dat_layout *layout, struct str text);

#endif
