/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace.dat as a file: where its parts lie, and how to get at their bytes. Nothing here knows
 * what an event is. Reading is by pread, so that a file which shrinks meanwhile is a short one
 * and no signal; every length that the file gives is checked before it sizes anything.
 *
 * The layout is that of trace-cmd.dat.v6(5) and trace-cmd.dat.v7(5), and of
 * lib/trace-cmd/trace-input.c where these two disagree.
 */
#ifndef DWELL_READ_DAT_FILE_H
#define DWELL_READ_DAT_FILE_H

#include "base/arena.h"
#include "base/vec.h"
#include "core/capture.h"
#include "read/dat_bytes.h"
#include "read/dat_shift.h"
#include "read/dat_unpack.h"

/* Ids of options and of sections, which version 7 takes from one list. */
enum dat_id {
	DAT_DONE,
	DAT_DATE,
	DAT_CPUSTAT,
	DAT_BUFFER,
	DAT_TRACECLOCK,
	DAT_UNAME,
	DAT_HOOK,
	DAT_OFFSET,
	DAT_CPUCOUNT,
	DAT_VERSION,
	DAT_PROCMAPS,
	DAT_TRACEID,
	DAT_TIME_SHIFT,
	DAT_GUEST,
	DAT_TSC2NSEC,
	DAT_STRINGS,
	DAT_HEADER_INFO,
	DAT_FTRACE_EVENTS,
	DAT_EVENT_FORMATS,
	DAT_KALLSYMS,
	DAT_PRINTK,
	DAT_CMDLINES,
	DAT_BUFFER_TEXT,
	DAT_IDS,
};

/* What describes the events: in version 6 in a row, in version 7 sections anywhere. */
#define DAT_FIRST_PART DAT_HEADER_INFO
#define DAT_PARTS (DAT_BUFFER_TEXT - DAT_FIRST_PART)

struct dat_part {
	uint64_t at, size; /* in the file; size 0: absent */
	bool packed;       /* u32 packed size, u32 size, data */
};

/* The pages of one CPU. */
struct dat_cpu {
	uint32_t cpu;
	uint64_t at, size;
};

/* What the recorder says was lost on a CPU (per_cpu/cpuN/stats when it stopped). */
struct dat_stat {
	const char *buffer; /* NULL: the top one */
	uint32_t cpu;
	int64_t lost; /* overrun + commit overrun + dropped events */
};

struct dat_buffer {
	const char *name;  /* "": the top one */
	const char *clock; /* NULL: the file's */
	uint64_t at, size; /* of a text; size 0: until the end of the file */
	uint32_t page_size;
	bool text;       /* the ASCII trace of a latency tracer, no pages */
	bool packed;     /* chunks: u32 count, then each u32 packed size, u32 size, data */
	const char *why; /* what was done to find it; NULL: nothing */
	VEC(struct dat_cpu) cpus;
};

struct dat_file {
	int fd;
	uint64_t size;
	struct arena arena; /* of the strings and sentences below */
	int version;
	bool big;
	uint32_t page_size;
	const struct dat_packing *packing; /* NULL: none */
	const char *packing_name;
	struct dat_part parts[DAT_PARTS];
	VEC(struct dat_buffer) buffers;
	VEC(struct dat_stat) stats;
	const char *stats_of;     /* buffer of the next stats */
	VEC(const char *) damage; /* sentences, for the first capture */

	const char *uname, *clock; /* NULL: not given */
	int64_t cpus;              /* UNKNOWN: not given */
	int64_t offset_ns;         /* added to every stamp */
	uint32_t tsc_mult, tsc_shift;
	struct dat_shift shift; /* before these two; of the top buffer's stamps */
	size_t held; /* bytes of pages in memory, over all CPUs */
	struct bytes_watch *watch;
};

#define DAT_MAGIC "\x17\x08\x44tracing"
#define DAT_MAGIC_N 10

/* Of what describes events, and of a chunk of pages (trace-cmd writes 10 pages): more is damage. */
#define DAT_PART_MAX (64u << 20)
#define DAT_CHUNK_MAX (16u << 20)
#define DAT_HELD_MAX ((size_t)512 << 20)

/* fd is taken, also on failure. What can be found is found, and *damage says what could not. */
int dat_file_open(struct dat_file *f, int fd, const char *name, struct err *err) must_check;
void dat_file_close(struct dat_file *f);

/* The bytes [at, at + n), or as many of them as the file has; -errno. */
int64_t dat_file_read(const struct dat_file *f, uint64_t at, void *to, size_t n);

/* All n bytes, or false. */
bool dat_file_all(const struct dat_file *f, uint64_t at, void *to, size_t n);

/* What of [at, at + n) lies in the file. */
static inline uint64_t dat_file_within(const struct dat_file *f, uint64_t at, uint64_t n)
{
	uint64_t have = at < f->size ? f->size - at : 0;
	return n < have ? n : have;
}

struct dat_blob {
	unsigned char *p;
	size_t n;
};
void dat_blob_fini(struct dat_blob *b);
#define cleanup_dat_blob __attribute__((cleanup(dat_blob_fini)))

/* A part's bytes, unpacked; false (and damage noted) if they cannot be had. Absent: empty. */
bool dat_file_part(struct dat_file *f, enum dat_id id, struct dat_blob *to);

/* Bytes of the file as a blob, at most DAT_PART_MAX. */
bool dat_file_blob(struct dat_file *f, uint64_t at, uint64_t n, bool packed, struct dat_blob *to);

/* The head of a chunk at *at: moves behind the head, and tells whether the data are all there. */
struct dat_chunk {
	uint32_t n_in, n_out;
};
bool dat_file_chunk(const struct dat_file *f, uint64_t at, uint64_t end, struct dat_chunk *c);

/* The text of a buffer, in a temporary file of its own that has no name; its fd or -errno. */
int dat_file_text(struct dat_file *f, const struct dat_buffer *b, struct err *err) must_check;

void dat_file_damage(struct dat_file *f, const char *fmt, ...) printf_like(2, 3);

/* The versions, see dat_v6.c and dat_v7.c; at: behind the page size. */
void dat_v6_read(struct dat_file *f, uint64_t at);
void dat_v7_read(struct dat_file *f, uint64_t at);

/* The option's meaning, where the versions agree: dat_option.c. */
void dat_option(struct dat_file *f, enum dat_id id, struct str data);

/* Finds the pages of a version 7 file that does not say where they are: dat_recover.c. */
void dat_recover(struct dat_file *f, uint64_t at, uint64_t end, bool packed);

struct dat_buffer *dat_file_buffer(struct dat_file *f, struct str name, uint64_t at);

#endif
