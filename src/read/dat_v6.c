/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace.dat version 6: everything in one row.
 *
 *	"header_page\0" u64 size, text; "header_event\0" u64 size, text
 *	u32 count of ftrace's formats, each u64 size, text
 *	u32 count of systems, each name\0, u32 count, each u64 size, text
 *	u32 size, kallsyms; u32 size, printk_formats; u64 size, saved_cmdlines
 *	u32 count of CPUs
 *	"options  \0" { u16 id, u32 size, data } ..., u16 0
 *	"flyrecord\0" { u64 offset, u64 size } a CPU; or "latency  \0" and the text of the trace
 *
 * An instance's buffer is an option: u64 offset of its own "flyrecord\0", name\0.
 */
#include "read/dat_file.h"

#define TAG_N 10
#define NAME_MAX_N 256
#define OPTION_MAX (1u << 20)
#define CPUS_MAX 65536

/* A position in the file that stays bad once something was missing. */
struct walk {
	struct dat_file *f;
	uint64_t at;
	bool bad;
};

static void walk_skip(struct walk *w, uint64_t n)
{
	if (n > dat_file_within(w->f, w->at, n))
		w->bad = true;
	else
		w->at += n;
}

static bool walk_read(struct walk *w, void *to, size_t n)
{
	w->bad = w->bad || !dat_file_all(w->f, w->at, to, n);
	if (!w->bad)
		w->at += n;
	return !w->bad;
}

static uint64_t walk_number(struct walk *w, size_t n)
{
	unsigned char p[8];
	if (!walk_read(w, p, n))
		return 0;
	return n == 2   ? dat_u16(p, w->f->big)
	       : n == 4 ? dat_u32(p, w->f->big)
			: dat_u64(p, w->f->big);
}

/* A string in buf, of which at most room - 1 bytes may come. */
static struct str walk_string(struct walk *w, char *buf, size_t room)
{
	int64_t n = w->bad ? -1 : dat_file_read(w->f, w->at, buf, room);
	const char *nul = n > 0 ? memchr(buf, 0, (size_t)n) : NULL;
	if (!nul) {
		w->bad = true;
		return (struct str){ "", 0 };
	}
	struct str s = { buf, (size_t)(nul - buf) };
	w->at += s.n + 1;
	return s;
}

static void walk_sized(struct walk *w, size_t size_of_size)
{
	walk_skip(w, walk_number(w, size_of_size));
}

static void part_header(struct walk *w)
{
	walk_skip(w, sizeof("header_page"));
	walk_sized(w, 8);
	walk_skip(w, sizeof("header_event"));
	walk_sized(w, 8);
}

static void part_formats(struct walk *w)
{
	uint64_t n = walk_number(w, 4);
	while (n-- && !w->bad)
		walk_sized(w, 8);
}

static void part_systems(struct walk *w)
{
	char name[NAME_MAX_N];
	uint64_t n = walk_number(w, 4);
	while (n-- && !w->bad) {
		walk_string(w, name, sizeof(name));
		part_formats(w);
	}
}

static void part_sized4(struct walk *w)
{
	walk_sized(w, 4);
}

static void part_sized8(struct walk *w)
{
	walk_sized(w, 8);
}

/* In the order of enum dat_id. */
static void (*const part_walks[DAT_PARTS])(struct walk *w) = {
	part_header, part_formats, part_systems, part_sized4, part_sized4, part_sized8,
};

static void read_parts(struct walk *w)
{
	for (int i = 0; i < DAT_PARTS && !w->bad; i++) {
		uint64_t from = w->at;
		part_walks[i](w);
		w->f->parts[i] = (struct dat_part){ from, w->at - from, false };
		if (w->bad)
			w->f->parts[i].size = dat_file_within(w->f, from, DAT_PART_MAX);
	}
}

static void option_buffer(struct dat_file *f, struct str data)
{
	struct dat_cursor c = dat_cursor_of(data.p, data.n, f->big);
	uint64_t at = dat_take_u64(&c);
	struct str name = dat_take_str(&c);
	if (c.bad)
		dat_file_damage(f, "the option that describes a buffer is damaged");
	else
		dat_file_buffer(f, name, at);
}

static void read_options(struct walk *w)
{
	for (;;) {
		enum dat_id id = (enum dat_id)walk_number(w, 2);
		if (w->bad || id == DAT_DONE)
			return;
		uint64_t size = walk_number(w, 4), at = w->at;
		walk_skip(w, size);
		struct dat_blob cleanup_dat_blob b = { 0 };
		if (w->bad || size > OPTION_MAX || !dat_file_blob(w->f, at, size, false, &b))
			continue;
		struct str data = { (const char *)b.p, b.n };
		if (id == DAT_BUFFER)
			option_buffer(w->f, data);
		else
			dat_option(w->f, id, data);
	}
}

/* What a row of { offset, size } says, as far as it goes. */
static void read_cpus(struct walk *w, struct dat_buffer *b)
{
	uint64_t n = w->f->cpus < 0 || w->f->cpus > CPUS_MAX ? CPUS_MAX : (uint64_t)w->f->cpus;
	for (uint32_t cpu = 0; cpu < n; cpu++) {
		uint64_t at = walk_number(w, 8), size = walk_number(w, 8);
		if (w->bad)
			return dat_file_damage(w->f,
					       "the file ends where it says where the pages "
					       "of CPU %u are",
					       cpu);
		if (size)
			vec_push(&b->cpus, ((struct dat_cpu){ cpu, at, size }));
	}
}

/* The tag that stands before the pages, behind options where there are some. */
static bool tag_is(struct walk *w, const char *tag, char found[TAG_N])
{
	return !w->bad && strncmp(found, tag, strlen(tag)) == 0;
}

static void read_instances(struct dat_file *f, size_t first)
{
	for (size_t i = first; i < f->buffers.n; i++) {
		struct walk w = { f, f->buffers.at[i].at, false };
		char tag[TAG_N];
		walk_read(&w, tag, TAG_N);
		if (tag_is(&w, "flyrecord", tag))
			read_cpus(&w, &f->buffers.at[i]);
		else
			dat_file_damage(f, "the pages of buffer '%s' are missing",
					f->buffers.at[i].name);
	}
}

void dat_v6_read(struct dat_file *f, uint64_t at)
{
	struct walk w = { f, at, false };
	char tag[TAG_N];
	read_parts(&w);
	f->cpus = (int64_t)walk_number(&w, 4);
	if (w.bad)
		return dat_file_damage(f, "the file is cut short before its first page of events");

	dat_file_buffer(f, str_of(""), 0);
	walk_read(&w, tag, TAG_N);
	if (tag_is(&w, "options", tag)) {
		read_options(&w);
		walk_read(&w, tag, TAG_N);
	}
	struct dat_buffer *top = &f->buffers.at[0];
	if (tag_is(&w, "flyrecord", tag)) {
		read_cpus(&w, top);
	} else if (tag_is(&w, "latency", tag)) {
		top->text = true;
		top->at = w.at;
	} else {
		dat_file_damage(f, "the file does not say where its pages of events are");
	}
	read_instances(f, 1);
}
