/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dat_builder.h"

#include <endian.h>
#include <stdlib.h>

#ifdef HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#define COMMON                                                                                     \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"             \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

#define FORMAT(name, id, fields, print)                                                            \
	"name: " name "\nID: " id "\nformat:\n" COMMON fields "\nprint fmt: " print "\n"
#define FIELD(declaration, offset, size, sign)                                                     \
	"\tfield:" declaration ";\toffset:" offset ";\tsize:" size ";\tsigned:" sign ";\n"

static const char *const ftrace_formats[] = {
	FORMAT("function", "1",
	       FIELD("unsigned long ip", "8", "8", "0")
		       FIELD("unsigned long parent_ip", "16", "8", "0"),
	       "\"\""),
	FORMAT("wakeup", "3",
	       FIELD("unsigned int prev_pid", "8", "4",
		     "0") FIELD("unsigned int next_pid", "12", "4",
				"0") FIELD("unsigned int next_cpu", "16", "4", "0")
		       FIELD("unsigned char prev_prio", "20", "1", "0")
			       FIELD("unsigned char prev_state", "21", "1", "0")
				       FIELD("unsigned char next_prio", "22", "1", "0")
					       FIELD("unsigned char next_state", "23", "1", "0"),
	       "\"\""),
	FORMAT("kernel_stack", "4",
	       FIELD("int size", "8", "4", "1") FIELD("unsigned long caller[8]", "16", "64", "0"),
	       "\"\""),
	FORMAT("print", "5",
	       FIELD("unsigned long ip", "8", "8", "0") FIELD("char buf[]", "16", "0", "0"),
	       "\"\""),
	FORMAT("bprint", "6",
	       FIELD("unsigned long ip", "8", "8", "0") FIELD("const char * fmt", "16", "8", "0")
		       FIELD("u32 buf[]", "24", "0", "0"),
	       "\"\""),
	FORMAT("funcgraph_exit", "10",
	       FIELD("unsigned long func", "8", "8", "0") FIELD("int depth", "16", "4", "1")
		       FIELD("unsigned int overrun", "20", "4", "0")
			       FIELD("unsigned long long calltime", "24", "8", "0")
				       FIELD("unsigned long long rettime", "32", "8", "0"),
	       "\"\""),
	FORMAT("funcgraph_entry", "11",
	       FIELD("unsigned long func", "8", "8", "0") FIELD("int depth", "16", "4", "1"),
	       "\"\""),
	FORMAT("timerlat", "17",
	       FIELD("unsigned int seqnum", "8", "4", "0") FIELD("int context", "12", "4", "1")
		       FIELD("u64 timer_latency", "16", "8", "0"),
	       "\"\""),
};

static const char *const sched_formats[] = {
	FORMAT("sched_switch", "300",
	       FIELD("char prev_comm[16]", "8", "16", "0") FIELD("pid_t prev_pid", "24", "4", "1")
		       FIELD("int prev_prio", "28", "4", "1")
			       FIELD("long prev_state", "32", "8", "1")
				       FIELD("char next_comm[16]", "40", "16", "0")
					       FIELD("pid_t next_pid", "56", "4", "1")
						       FIELD("int next_prio", "60", "4", "1"),
	       "\"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> next_comm=%s "
	       "next_pid=%d "
	       "next_prio=%d\", REC->prev_comm, REC->prev_pid, REC->prev_prio, "
	       "(REC->prev_state & ((1 << 8) - 1)) ? __print_flags(REC->prev_state & "
	       "((1 << 8) - 1), \"|\", { 0x00000001, \"S\" }, { 0x00000002, \"D\" }) : \"R\", "
	       "REC->prev_state & (1 << 8) ? \"+\" : \"\", REC->next_comm, REC->next_pid, "
	       "REC->next_prio"),
	FORMAT("sched_waking", "301",
	       FIELD("__data_loc char[] comm", "8", "4", "0") FIELD("pid_t pid", "12", "4", "1")
		       FIELD("int prio", "16", "4", "1") FIELD("int target_cpu", "20", "4", "1"),
	       "\"comm=%s pid=%d prio=%d target_cpu=%03d\", __get_str(comm), REC->pid, REC->prio, "
	       "REC->target_cpu"),
};

static const char *const irq_formats[] = {
	FORMAT("irq_handler_entry", "302",
	       FIELD("int irq", "8", "4", "1") FIELD("__data_loc char[] name", "12", "4", "0"),
	       "\"irq=%d name=%s\", REC->irq, __get_str(name)"),
	FORMAT("odd", "303",
	       FIELD("__rel_loc char[] what", "8", "4", "0") FIELD("u16 list[2]", "12", "4", "0")
		       FIELD("void * at", "16", "8", "0"),
	       "\"%s\", what_is(REC->at)"),
	FORMAT("softirq_entry", "304", FIELD("unsigned int vec", "8", "4", "0"), "\"\""),
};

static const char kallsyms[] = "ffffffff81000000 T _stext\n"
			       "ffffffff81000100 t do_one\n"
			       "ffffffff81000200 T do_two\t[module]\n"
			       "ffffffff81000300 T do_three\n";
static const char printk[] = "0xffffffff82000000 : \"n=%d s=%s %5lx|%%\\n\"\n";
static const char cmdlines[] = "10 ten\n20 twenty two\n";
static const char header_event[] = "# compressed entry header\n";

void put16(const struct dat_builder *b, struct strbuf *to, uint16_t v)
{
	v = b->big ? htobe16(v) : htole16(v);
	strbuf_add(to, (const char *)&v, sizeof(v));
}

void put32(const struct dat_builder *b, struct strbuf *to, uint32_t v)
{
	v = b->big ? htobe32(v) : htole32(v);
	strbuf_add(to, (const char *)&v, sizeof(v));
}

void put64(const struct dat_builder *b, struct strbuf *to, uint64_t v)
{
	v = b->big ? htobe64(v) : htole64(v);
	strbuf_add(to, (const char *)&v, sizeof(v));
}

static void put_long(const struct dat_builder *b, struct strbuf *to, uint64_t v)
{
	if (b->is32)
		put32(b, to, (uint32_t)v);
	else
		put64(b, to, v);
}

static void put_string(struct strbuf *to, const char *z)
{
	strbuf_add(to, z, strlen(z) + 1);
}

static void put_zeros(struct strbuf *to, size_t n)
{
	while (n--)
		strbuf_add(to, "", 1);
}

void builder_fini(struct dat_builder *b)
{
	strbuf_fini(&b->options);
	for (int i = 0; i < 2; i++)
		strbuf_fini(&b->cpu[i]);
	strbuf_fini(&b->page);
	strbuf_fini(&b->file);
}

void page_begin(struct dat_builder *b, uint64_t time)
{
	b->page.n = 0;
	b->page_time = time;
}

void page_head(struct dat_builder *b, uint32_t type, uint32_t delta)
{
	put32(b, &b->page, b->big ? type << 27 | delta : type | delta << 5);
}

void page_record(struct dat_builder *b, uint32_t delta, const struct strbuf *data)
{
	size_t words = (data->n + 3) / 4;
	page_head(b, words <= 28 ? (uint32_t)words : 0, delta);
	if (words > 28)
		put32(b, &b->page, (uint32_t)(4 * words + 4));
	strbuf_add(&b->page, data->p, data->n);
	put_zeros(&b->page, 4 * words - data->n);
}

void page_extend(struct dat_builder *b, uint64_t delta)
{
	page_head(b, 30, delta & ((1u << 27) - 1));
	put32(b, &b->page, (uint32_t)(delta >> 27));
}

void page_stamp(struct dat_builder *b, uint64_t time)
{
	page_head(b, 31, time & ((1u << 27) - 1));
	put32(b, &b->page, (uint32_t)(time >> 27));
}

void page_end(struct dat_builder *b, int cpu, int64_t lost)
{
	struct strbuf *to = &b->cpu[cpu];
	size_t begun = to->n;
	uint32_t flags = !lost ? 0 : lost < 0 ? 1u << 31 : 3u << 30;
	put64(b, to, b->page_time);
	put_long(b, to, (uint32_t)b->page.n | flags);
	strbuf_add(to, b->page.p, b->page.n);
	if (lost > 0)
		put_long(b, to, (uint64_t)lost);
	if (to->n - begun > DAT_PAGE)
		abort();
	put_zeros(to, DAT_PAGE - (to->n - begun));
}

void record_begin(const struct dat_builder *b, struct strbuf *r, uint16_t id, uint8_t flags,
		  uint8_t count, int32_t pid)
{
	const char bytes[2] = { (char)flags, (char)count };
	r->n = 0;
	put16(b, r, id);
	strbuf_add(r, bytes, 2);
	put32(b, r, (uint32_t)pid);
}

static void put_comm(struct strbuf *r, const char *comm)
{
	char field[16] = "";
	strncpy(field, comm, sizeof(field) - 1);
	strbuf_add(r, field, sizeof(field));
}

void record_switch(struct dat_builder *b, uint32_t delta, int32_t prev, int32_t next)
{
	struct strbuf cleanup_strbuf r = { 0 };
	record_begin(b, &r, ID_SWITCH, 0x01, 0x02, prev);
	put_comm(&r, "prev");
	put32(b, &r, (uint32_t)prev);
	put32(b, &r, 120);
	put64(b, &r, 2);
	put_comm(&r, "next one");
	put32(b, &r, (uint32_t)next);
	put32(b, &r, 98);
	page_record(b, delta, &r);
}

void record_waking(struct dat_builder *b, uint32_t delta, const char *comm, int32_t pid)
{
	struct strbuf cleanup_strbuf r = { 0 };
	uint32_t n = (uint32_t)strlen(comm) + 1;
	record_begin(b, &r, ID_WAKING, 0x08, 0x10, 10);
	put32(b, &r, n << 16 | 24);
	put32(b, &r, (uint32_t)pid);
	put32(b, &r, 120);
	put32(b, &r, 1);
	put_string(&r, comm);
	page_record(b, delta, &r);
}

static void put_sized64(const struct dat_builder *b, struct strbuf *to, const char *z)
{
	put64(b, to, strlen(z));
	strbuf_str(to, z);
}

static void put_formats(const struct dat_builder *b, struct strbuf *to, const char *const *f,
			size_t n)
{
	put32(b, to, (uint32_t)n);
	for (size_t i = 0; i < n; i++)
		put_sized64(b, to, f[i]);
}

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* The parts, in the order of version 6 and of the ids 16 to 21. */
static void put_part(const struct dat_builder *b, int part, struct strbuf *to)
{
	struct strbuf cleanup_strbuf page = { 0 };
	switch (part) {
	case 0:
		strbuf_printf(&page,
			      "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
			      "\tfield: local_t commit;\toffset:8;\tsize:%d;\tsigned:1;\n"
			      "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
			      "\tfield: char data;\toffset:%d;\tsize:4080;\tsigned:1;\n",
			      b->is32 ? 4 : 8, b->is32 ? 12 : 16);
		put_string(to, "header_page");
		put_sized64(b, to, page.p);
		put_string(to, "header_event");
		put_sized64(b, to, header_event);
		break;
	case 1:
		put_formats(b, to, ftrace_formats, COUNT(ftrace_formats));
		break;
	case 2:
		put32(b, to, 2);
		put_string(to, "sched");
		put_formats(b, to, sched_formats, COUNT(sched_formats));
		put_string(to, "irq");
		put_formats(b, to, irq_formats, COUNT(irq_formats));
		break;
	case 3:
	case 4:
		put32(b, to, (uint32_t)strlen(part == 3 ? kallsyms : printk));
		strbuf_str(to, part == 3 ? kallsyms : printk);
		break;
	default:
		put_sized64(b, to, cmdlines);
	}
}

static void put_option(const struct dat_builder *b, struct strbuf *to, int id, const char *p,
		       size_t n)
{
	put16(b, to, (uint16_t)id);
	put32(b, to, (uint32_t)n);
	strbuf_add(to, p, n);
}

static void put_option_string(const struct dat_builder *b, struct strbuf *to, int id, const char *z)
{
	put_option(b, to, id, z, strlen(z) + 1);
}

static void put_options(const struct dat_builder *b, struct strbuf *to)
{
	put_option_string(b, to, 5, "Linux host 6.1.192 x86_64");
	put_option_string(b, to, 4, "local [global] counter x86-tsc");
	for (int i = 0; i < 2; i++) {
		if (b->stats[i])
			put_option_string(b, to, 2, b->stats[i]);
	}
	strbuf_add(to, b->options.p, b->options.n);
}

static void align(struct strbuf *to)
{
	put_zeros(to, (DAT_PAGE - to->n % DAT_PAGE) % DAT_PAGE);
}

static void patch64(struct dat_builder *b, size_t at, uint64_t v)
{
	v = b->big ? htobe64(v) : htole64(v);
	memcpy(b->file.p + at, &v, sizeof(v));
}

static void head(struct dat_builder *b)
{
	b->file.n = 0;
	strbuf_add(&b->file, "\x17\x08\x44tracing", 10);
	put_string(&b->file, b->version == 6 ? "6" : "7");
	const char order[2] = { (char)b->big, b->is32 ? 4 : 8 };
	strbuf_add(&b->file, order, 2);
	put32(b, &b->file, DAT_PAGE);
}

/* "flyrecord", the places of the CPUs, and room for them to be patched in; returns the place. */
static size_t v6_places(struct dat_builder *b, int cpus)
{
	strbuf_add(&b->file, "flyrecord\0", 10);
	size_t at = b->file.n;
	put_zeros(&b->file, 16 * (size_t)cpus);
	return at;
}

static void v6_pages(struct dat_builder *b, size_t place, int cpu)
{
	if (!b->cpu[cpu].n)
		return;
	align(&b->file);
	patch64(b, place, b->file.n);
	patch64(b, place + 8, b->cpu[cpu].n);
	strbuf_add(&b->file, b->cpu[cpu].p, b->cpu[cpu].n);
}

static void file_v6(struct dat_builder *b)
{
	struct strbuf *f = &b->file;
	head(b);
	for (int i = 0; i < 6; i++)
		put_part(b, i, f);
	put32(b, f, 2);
	strbuf_add(f, "options  \0", 10);
	put_options(b, f);
	size_t instance = 0;
	if (b->instance) {
		put16(b, f, 3);
		put32(b, f, (uint32_t)(8 + strlen(b->instance) + 1));
		instance = f->n;
		put64(b, f, 0);
		put_string(f, b->instance);
	}
	put16(b, f, 0);
	if (b->text) {
		strbuf_add(f, "latency  \0", 10);
		strbuf_str(f, b->text);
		return;
	}
	size_t place = v6_places(b, 2);
	v6_pages(b, place, 0);
	if (b->instance) {
		patch64(b, instance, f->n);
		place = v6_places(b, 2);
	}
	v6_pages(b, place + 16, 1);
}

/* { u32 packed size, u32 size, data } */
static void put_packed(const struct dat_builder *b, struct strbuf *to, const char *p, size_t n)
{
	static char out[1 << 16];
	size_t got = 0;
#ifdef HAVE_ZLIB
	if (strcmp(b->packing, "zlib") == 0) {
		uLongf room = sizeof(out);
		if (compress((unsigned char *)out, &room, (const unsigned char *)p, n) != Z_OK)
			abort();
		got = room;
	}
#endif
#ifdef HAVE_ZSTD
	if (strcmp(b->packing, "zstd") == 0)
		got = ZSTD_compress(out, sizeof(out), p, n, 1);
#endif
	put32(b, to, (uint32_t)got);
	put32(b, to, (uint32_t)n);
	strbuf_add(to, out, got);
}

static bool packs(const struct dat_builder *b)
{
	return strcmp(b->packing, "none") != 0;
}

/* A section's head; its size is patched in by section_end. */
static size_t section_begin(struct dat_builder *b, int id, bool packed)
{
	size_t at = b->file.n;
	put16(b, &b->file, (uint16_t)id);
	put16(b, &b->file, packed);
	put32(b, &b->file, 0);
	put64(b, &b->file, 0);
	return at;
}

static void section_end(struct dat_builder *b, size_t at)
{
	patch64(b, at + 8, b->file.n - at - 16);
}

/* All pages of a CPU, two in a chunk. */
static void put_chunks(struct dat_builder *b, const struct strbuf *pages)
{
	size_t chunk = 2 * DAT_PAGE;
	put32(b, &b->file, (uint32_t)((pages->n + chunk - 1) / chunk));
	for (size_t i = 0; i < pages->n; i += chunk)
		put_packed(b, &b->file, pages->p + i, pages->n - i < chunk ? pages->n - i : chunk);
}

/* The section of a buffer, and its option in *option. */
static void v7_buffer(struct dat_builder *b, const char *name, int from, int to,
		      struct strbuf *option)
{
	size_t at = section_begin(b, b->text ? 22 : 3, packs(b));
	put64(b, option, at);
	put_string(option, name);
	put_string(option, "local");
	if (b->text) {
		struct strbuf text = { (char *)b->text, strlen(b->text), 0 };
		if (packs(b))
			put_chunks(b, &text);
		else
			strbuf_str(&b->file, b->text);
		return section_end(b, at);
	}
	put32(b, option, DAT_PAGE);
	put32(b, option, (uint32_t)(to - from));
	for (int cpu = from; cpu < to; cpu++) {
		align(&b->file);
		size_t begun = b->file.n;
		if (packs(b))
			put_chunks(b, &b->cpu[cpu]);
		else
			strbuf_add(&b->file, b->cpu[cpu].p, b->cpu[cpu].n);
		put32(b, option, (uint32_t)cpu);
		put64(b, option, begun);
		put64(b, option, b->file.n - begun);
	}
	section_end(b, at);
}

static void file_v7(struct dat_builder *b)
{
	struct strbuf cleanup_strbuf options = { 0 };
	struct strbuf cleanup_strbuf buffers = { 0 };
	head(b);
	put_string(&b->file, b->packing);
	put_string(&b->file, packs(b) ? "1" : "");
	size_t first = b->file.n;
	put64(b, &b->file, 0);
	for (int i = 0; i < 6; i++) {
		struct strbuf cleanup_strbuf part = { 0 };
		struct strbuf cleanup_strbuf place = { 0 };
		put_part(b, i, &part);
		put64(b, &place, b->file.n);
		put_option(b, &options, 16 + i, place.p, 8);
		size_t at = section_begin(b, 16 + i, packs(b));
		if (packs(b))
			put_packed(b, &b->file, part.p, part.n);
		else
			strbuf_add(&b->file, part.p, part.n);
		section_end(b, at);
	}
	put_options(b, &options);
	put16(b, &options, 8);
	put32(b, &options, 4);
	put32(b, &options, 2);
	patch64(b, first, b->file.n);
	size_t at = section_begin(b, 0, false);
	strbuf_add(&b->file, options.p, options.n);
	put16(b, &b->file, 0);
	put32(b, &b->file, 8);
	size_t next = b->file.n;
	put64(b, &b->file, 0);
	section_end(b, at);

	struct strbuf cleanup_strbuf top = { 0 };
	struct strbuf cleanup_strbuf second = { 0 };
	v7_buffer(b, "", 0, b->instance ? 1 : 2, &top);
	put_option(b, &buffers, b->text ? 22 : 3, top.p, top.n);
	if (b->instance) {
		v7_buffer(b, b->instance, 1, 2, &second);
		put_option(b, &buffers, 3, second.p, second.n);
	}
	patch64(b, next, b->file.n);
	at = section_begin(b, 0, false);
	strbuf_add(&b->file, buffers.p, buffers.n);
	put16(b, &b->file, 0);
	put32(b, &b->file, 8);
	put64(b, &b->file, 0);
	section_end(b, at);
}

void builder_file(struct dat_builder *b)
{
	if (b->version == 6)
		file_v6(b);
	else
		file_v7(b);
}

size_t builder_find(const struct dat_builder *b, const char *what, size_t n)
{
	for (size_t i = 0; i + n <= b->file.n; i++) {
		if (memcmp(b->file.p + i, what, n) == 0)
			return i;
	}
	abort();
}
