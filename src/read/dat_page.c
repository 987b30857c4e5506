/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "read/dat_page.h"

#include "read/dat_format.h"

/*
 * The head: u64 time stamp of the page, local_t commit, data. In commit are the length of the
 * records, and flags that ring_buffer_read_page() sets: bit 31, events were lost before this page;
 * bit 30, how many stands as a long behind the records. (kbuffer_load_subbuffer() in
 * libtraceevent's src/kbuffer-parse.c)
 */
#define COMMIT_LENGTH ((1u << 27) - 1)
#define COMMIT_MISSED (1u << 31)
#define COMMIT_COUNTED (1u << 30)

/*
 * The head of a record: u32 of type_len:5, time_delta:27, a bit field, so that the first is in
 * the low bits on little endian machines and in the high bits on big endian ones.
 */
enum {
	TYPE_LENGTH = 0,    /* u32 length, itself included, then the data */
	TYPE_DATA_MAX = 28, /* 1-28: that many words of data */
	TYPE_PADDING = 29,  /* u32 length behind the head; with delta 0: to the end of the page */
	TYPE_TIME_EXTEND = 30, /* u32 bits 27-58 of the delta */
	TYPE_TIME_STAMP = 31,  /* likewise, of a stamp instead of a delta */
};
#define DELTA_BITS 27
#define STAMP_BITS 59 /* of an absolute stamp; the rest are those of the page's */

static uint64_t read_long(const struct dat_layout *l, const unsigned char *p)
{
	return l->commit_size == 8 ? dat_u64(p, l->big) : dat_u32(p, l->big);
}

bool dat_page_open(struct dat_page *page, const struct dat_layout *layout, const unsigned char *p,
		   size_t n)
{
	if (n < layout->data_at)
		return false;
	uint64_t commit = read_long(layout, p + layout->commit_at);
	uint32_t used = commit & COMMIT_LENGTH;
	if (used > n - layout->data_at)
		return false;
	*page = (struct dat_page){
		.layout = layout,
		.p = p + layout->data_at,
		.end = p + layout->data_at + used,
		.time = dat_u64(p, layout->big),
	};
	if (!(commit & COMMIT_MISSED))
		return true;
	page->lost = -1;
	if (commit & COMMIT_COUNTED && n - layout->data_at - used >= layout->commit_size) {
		uint64_t lost = read_long(layout, page->end);
		page->lost = lost && lost <= INT64_MAX ? (int64_t)lost : -1;
	}
	return true;
}

static void stamp(struct dat_page *page, uint64_t low)
{
	uint64_t mask = (UINT64_C(1) << STAMP_BITS) - 1;
	uint64_t high = page->time & ~mask;
	uint64_t time = high | (low & mask);
	/* The 59 bits ran over since the page began. */
	if (time < page->time && page->time - time > mask / 2)
		time += mask + 1;
	page->time = time;
}

static bool take_data(struct dat_page *page, struct dat_record *r, uint32_t n)
{
	if (n > (size_t)(page->end - page->p))
		return false;
	*r = (struct dat_record){ page->time, page->p, n };
	page->p += n;
	return true;
}

int dat_page_next(struct dat_page *page, struct dat_record *r)
{
	bool big = page->layout->big;
	while (page->end - page->p >= 4) {
		uint32_t head = dat_u32(page->p, big);
		uint32_t type = big ? head >> DELTA_BITS : head & 31;
		uint64_t delta = big ? head & ((1u << DELTA_BITS) - 1) : head >> 5;
		page->p += 4;
		if (type && type <= TYPE_DATA_MAX) {
			page->time += delta;
			return take_data(page, r, type * 4) ? 1 : -1;
		}
		if (type == TYPE_PADDING && !delta)
			return 0;
		if (page->end - page->p < 4)
			return -1;
		uint32_t word = dat_u32(page->p, big);
		if (type == TYPE_TIME_EXTEND || type == TYPE_TIME_STAMP) {
			page->p += 4;
			delta += (uint64_t)word << DELTA_BITS;
			if (type == TYPE_TIME_EXTEND)
				page->time += delta;
			else
				stamp(page, delta);
			continue;
		}
		page->time += delta;
		if (type == TYPE_PADDING) {
			if (word < 4 || word > (size_t)(page->end - page->p))
				return -1;
			page->p += word;
			continue;
		}
		if (word < 4 || word > (size_t)(page->end - page->p))
			return -1;
		page->p += 4;
		uint32_t n = (word - 4 + 3) & ~3u;
		if (n > (size_t)(page->end - page->p))
			n = word - 4;
		return take_data(page, r, n) ? 1 : -1;
	}
	return page->p == page->end ? 0 : -1;
}

bool dat_layout_parse(struct dat_layout *layout, struct str text)
{
	struct dat_layout l = { layout->big, 0, 0, 0 };
	struct dat_field field;
	while (text.n) {
		struct str line = dat_line(&text);
		if (!dat_field_parse(line, &field))
			continue;
		if (str_eq(field.name, "commit")) {
			l.commit_at = field.offset;
			l.commit_size = field.size;
		} else if (str_eq(field.name, "data")) {
			l.data_at = field.offset;
		}
	}
	if ((l.commit_size != 4 && l.commit_size != 8) || l.commit_at < 8 ||
	    l.commit_at + l.commit_size > l.data_at)
		return false;
	*layout = l;
	return true;
}
