/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builds small files of trace-cmd, of any version and byte order, for the tests: pages record by
 * record, with whatever a hostile file may hold.
 */
#ifndef DWELL_TESTS_DAT_BUILDER_H
#define DWELL_TESTS_DAT_BUILDER_H

#include "base/str.h"

#define DAT_PAGE 256 /* bytes of a page of these files */

enum {
	ID_FUNCTION = 1,
	ID_WAKEUP = 3,
	ID_STACK = 4,
	ID_PRINT = 5,
	ID_BPRINT = 6,
	ID_GRAPH_EXIT = 10,
	ID_GRAPH_ENTRY = 11,
	ID_TIMERLAT = 17,
	ID_SWITCH = 300,
	ID_WAKING,
	ID_IRQ,
	ID_REL,
	ID_SOFTIRQ,
};

struct dat_builder {
	int version;
	bool big, is32;
	const char *packing; /* "none", "zlib", "zstd": version 7 */
	const char *stats[2];
	struct strbuf options; /* more of them: u16 id, u32 size, data */
	const char *text;     /* a latency trace: instead of pages */
	const char *instance; /* name of a second buffer, with the pages of CPU 1 */
	struct strbuf cpu[2]; /* pages, whole */
	struct strbuf page;   /* the records of the page being built */
	uint64_t page_time;
	struct strbuf file;
};

/* Bytes of numbers in the file's order. */
void put16(const struct dat_builder *b, struct strbuf *to, uint16_t v);
void put32(const struct dat_builder *b, struct strbuf *to, uint32_t v);
void put64(const struct dat_builder *b, struct strbuf *to, uint64_t v);

void builder_fini(struct dat_builder *b);

void page_begin(struct dat_builder *b, uint64_t time);
/* The head of a record alone. */
void page_head(struct dat_builder *b, uint32_t type, uint32_t delta);
void page_record(struct dat_builder *b, uint32_t delta, const struct strbuf *data);
void page_extend(struct dat_builder *b, uint64_t delta);
void page_stamp(struct dat_builder *b, uint64_t time);
/* lost: 0 none; -1 some; else their number, which is stored */
void page_end(struct dat_builder *b, int cpu, int64_t lost);

/* Records of the events above; the common fields and theirs. */
void record_begin(const struct dat_builder *b, struct strbuf *r, uint16_t id, uint8_t flags,
		  uint8_t count, int32_t pid);
void record_switch(struct dat_builder *b, uint32_t delta, int32_t prev, int32_t next);
void record_waking(struct dat_builder *b, uint32_t delta, const char *comm, int32_t pid);

/* Lays the file out. */
void builder_file(struct dat_builder *b);

/* Where a tag or a string is in the file; aborts if it is not. */
size_t builder_find(const struct dat_builder *b, const char *what, size_t n);

#endif
