/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace.dat version 7: behind the page size come the name and the version of the compression, two
 * strings ("none" and "" without), and the u64 offset of the first section of options. The rest
 * are sections, anywhere:
 *
 *	u16 id, u16 flags (1: compressed), u32 offset of a name, u64 size, data
 *
 * Sections of options are chained by the last option of each (DAT_DONE: u64 offset of the next
 * section, 0: none). The others are named by an option that holds their offset. (Their sizes are
 * u64 and a buffer's option has its page size: trace-cmd.dat.v7(5) is wrong there, see
 * read_section_header() and handle_buffer_option() in lib/trace-cmd/trace-input.c.)
 */
#include "read/dat_file.h"

#define SECTION_HEAD 16
#define SECTION_PACKED 1
#define OPTION_SECTIONS_MAX 1024
#define SECTIONS_MAX 4096

struct section {
	uint16_t id;
	bool packed;
	uint64_t at, size; /* of the data */
};

static bool read_section(const struct dat_file *f, uint64_t at, struct section *s)
{
	unsigned char head[SECTION_HEAD];
	if (!dat_file_all(f, at, head, sizeof(head)))
		return false;
	*s = (struct section){
		.id = dat_u16(head, f->big),
		.packed = dat_u16(head + 2, f->big) & SECTION_PACKED,
		.at = at + SECTION_HEAD,
		.size = dat_u64(head + 8, f->big),
	};
	return true;
}

/*
 * u64 offset of the section, name\0, clock\0; of pages also u32 page size and u32 count of
 * { u32 CPU, u64 offset, u64 size }.
 */
static void option_buffer(struct dat_file *f, enum dat_id id, struct dat_cursor c)
{
	uint64_t at = dat_take_u64(&c);
	struct str name = dat_take_str(&c), clock = dat_take_str(&c);
	struct section s = { 0 };
	if (c.bad)
		return dat_file_damage(f, "the option that describes a buffer is damaged");
	struct dat_buffer *b = dat_file_buffer(f, name, at);
	b->clock = clock.n ? arena_str(&f->arena, clock) : NULL;
	if (!read_section(f, at, &s))
		return dat_file_damage(f, "buffer '%s' lies behind the end of the file", b->name);
	b->packed = s.packed;
	b->at = s.at;
	b->size = s.size;
	b->text = id == DAT_BUFFER_TEXT;
	if (b->text)
		return;
	uint32_t page_size = dat_take_u32(&c), n = dat_take_u32(&c);
	if (page_size)
		b->page_size = page_size;
	while (n-- && !c.bad) {
		struct dat_cpu cpu = { dat_take_u32(&c), dat_take_u64(&c), dat_take_u64(&c) };
		if (!c.bad && cpu.size)
			vec_push(&b->cpus, cpu);
	}
	if (c.bad)
		dat_file_damage(f, "the list of the CPUs of buffer '%s' is cut short", b->name);
}

/* An option that says where a part is. */
static void option_part(struct dat_file *f, enum dat_id id, struct dat_cursor c)
{
	uint64_t at = dat_take_u64(&c);
	struct section s;
	if (!c.bad && read_section(f, at, &s) && s.id == id)
		f->parts[id - DAT_FIRST_PART] = (struct dat_part){ s.at, s.size, s.packed };
}

/* The options of a section; the offset of the next section, 0: none. */
static uint64_t read_options(struct dat_file *f, const struct section *s)
{
	struct dat_blob cleanup_dat_blob b = { 0 };
	uint64_t have = dat_file_within(f, s->at, s->size);
	if (!dat_file_blob(f, s->at, have, s->packed, &b)) {
		dat_file_damage(f, "the options at byte %llu cannot be read",
				(unsigned long long)s->at);
		return 0;
	}
	struct dat_cursor c = dat_cursor_of(b.p, b.n, f->big);
	while (c.p < c.end && !c.bad) {
		enum dat_id id = (enum dat_id)dat_take_u16(&c);
		uint32_t size = dat_take_u32(&c);
		struct dat_cursor data = dat_cursor_of(c.p, 0, f->big);
		if (!dat_take(&c, size))
			break;
		data.end = c.p;
		if (id == DAT_DONE)
			return dat_take_u64(&data);
		if (id == DAT_BUFFER || id == DAT_BUFFER_TEXT)
			option_buffer(f, id, data);
		else if (id >= DAT_FIRST_PART && id < DAT_BUFFER_TEXT)
			option_part(f, id, data);
		else
			dat_option(f, id, (struct str){ (const char *)data.p, size });
	}
	dat_file_damage(f, "the options at byte %llu are cut short", (unsigned long long)s->at);
	return 0;
}

/* True if the chain of options ends as it should. */
static bool follow_options(struct dat_file *f, uint64_t at)
{
	for (int i = 0; i < OPTION_SECTIONS_MAX; i++) {
		struct section s;
		if (!read_section(f, at, &s) || s.id != DAT_DONE)
			return false;
		at = read_options(f, &s);
		if (!at)
			return true;
	}
	return false;
}

/*
 * A recorder that was killed, or a copy that was cut, has no end of the chain, but trace-cmd
 * writes sections one behind the other: goes through them, for parts that no option names and for
 * the buffer that lacks its own (that option is written last).
 */
static void walk_sections(struct dat_file *f, uint64_t at)
{
	struct section s;
	for (int i = 0; i < SECTIONS_MAX && read_section(f, at, &s) && s.id < DAT_IDS; i++) {
		struct dat_part *p = s.id >= DAT_FIRST_PART && s.id < DAT_BUFFER_TEXT
					     ? &f->parts[s.id - DAT_FIRST_PART]
					     : NULL;
		if (p && !p->size)
			*p = (struct dat_part){ s.at, s.size, s.packed };
		bool known = false;
		vec_each (b, &f->buffers)
			known = known || b->at == s.at;
		/* The size is written when the section is complete. */
		uint64_t n = dat_file_within(f, s.at, s.size ? s.size : f->size);
		if (s.id == DAT_BUFFER && !known)
			dat_recover(f, s.at, s.at + n, s.packed);
		if (s.size > UINT64_MAX / 2)
			return;
		at = s.at + s.size;
		if (!s.size && s.id == DAT_BUFFER)
			return;
	}
}

void dat_v7_read(struct dat_file *f, uint64_t at)
{
	unsigned char head[256];
	int64_t n = dat_file_read(f, at, head, sizeof(head));
	struct dat_cursor c = dat_cursor_of(head, n > 0 ? (size_t)n : 0, f->big);
	struct str packing = dat_take_str(&c);
	dat_take_str(&c);
	uint64_t options = dat_take_u64(&c);
	if (c.bad)
		return dat_file_damage(f, "the file is cut short within its first bytes");
	f->packing_name = arena_str(&f->arena, packing);
	f->packing = dat_packing_find(packing);
	bool whole = follow_options(f, options);
	if (!whole || !f->buffers.n)
		walk_sections(f, at + (uint64_t)(c.p - head));
}
