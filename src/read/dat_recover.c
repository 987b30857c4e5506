/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pages of a version 7 file whose option for the buffer is missing: that option is written
 * last, so a copy that was cut has lost it, and with it the places of the CPUs. What is known is
 * how trace-cmd lays them out: CPU after CPU, each at a multiple of the page size.
 *
 * Compressed, a CPU is a count of chunks and the chunks, so that its end can be found. Not
 * compressed, one page follows the other, and only time tells where a CPU ends: within one CPU it
 * does not run back.
 */
#include "read/dat_file.h"

#define CPUS_MAX 4096

static uint64_t align_up(uint64_t at, uint64_t page)
{
	return page ? (at + page - 1) / page * page : at;
}

/* The end of the chunks of the CPU at `at`, as far as they go; at itself if there are none. */
static uint64_t chunks_end(const struct dat_file *f, uint64_t at, uint64_t end, bool *whole)
{
	unsigned char head[4];
	*whole = false;
	if (at >= end || end - at < sizeof(head) || !dat_file_all(f, at, head, sizeof(head)))
		return at;
	uint32_t n = dat_u32(head, f->big);
	uint64_t to = at + sizeof(head);
	struct dat_chunk c;
	for (; n; n--) {
		if (!dat_file_chunk(f, to, end, &c) || !c.n_in || !c.n_out ||
		    c.n_out > DAT_CHUNK_MAX)
			return to > at + sizeof(head) ? to : at;
		to += 8 + (uint64_t)c.n_in;
	}
	*whole = true;
	return to;
}

static void recover_packed(struct dat_file *f, struct dat_buffer *b, uint64_t at, uint64_t end)
{
	uint32_t cpus = f->cpus > 0 && f->cpus < CPUS_MAX ? (uint32_t)f->cpus : CPUS_MAX, cpu;
	bool whole = true;
	for (cpu = 0; cpu < cpus && whole; cpu++) {
		at = align_up(at, b->page_size);
		uint64_t to = chunks_end(f, at, end, &whole);
		if (to > at + 4)
			vec_push(&b->cpus, ((struct dat_cpu){ cpu, at, to - at }));
		at = to;
	}
	b->why = arena_printf(
		&f->arena,
		"the file is cut short and has lost the option that says where the "
		"pages of events are: they were looked for, and those of %zu CPU%s were "
		"found, %s",
		b->cpus.n, b->cpus.n == 1 ? "" : "s",
		whole ? "all whole" : "the last not to their end");
}

static void recover_plain(struct dat_file *f, struct dat_buffer *b, uint64_t at, uint64_t end)
{
	uint64_t before = UINT64_MAX;
	uint32_t cpu = 0;
	at = align_up(at, b->page_size);
	for (; at < end && end - at >= b->page_size && cpu < CPUS_MAX; at += b->page_size) {
		unsigned char head[8];
		if (!dat_file_all(f, at, head, sizeof(head)))
			break;
		uint64_t time = dat_u64(head, f->big);
		if (!b->cpus.n || time < before)
			vec_push(&b->cpus, ((struct dat_cpu){ cpu++, at, 0 }));
		before = time;
		vec_last(&b->cpus)->size += b->page_size;
	}
	b->why = arena_printf(
		&f->arena,
		"the file is cut short and has lost the option that says where the "
		"pages of events are: they were looked for, and a new CPU begins where "
		"time runs back (%zu found): the CPUs' numbers may be wrong",
		b->cpus.n);
}

void dat_recover(struct dat_file *f, uint64_t at, uint64_t end, bool packed)
{
	struct dat_buffer *b = dat_file_buffer(f, str_of(""), at);
	b->packed = packed;
	if (packed)
		recover_packed(f, b, at, end);
	else if (b->page_size >= 64)
		recover_plain(f, b, at, end);
}
