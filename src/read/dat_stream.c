/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "read/dat_stream.h"

#define WINDOW (1u << 16) /* bytes of pages read at once, where they are not compressed */
/* Of compressed pages, trace-cmd before 4b9213298599 (v3.2) left the count of chunks out of the size. */
#define COUNT_N 4
#define PAGE_MIN 64
#define PAGE_MAX DAT_CHUNK_MAX

static void damage(const struct dat_stream *s, const char *what)
{
	struct capture *c = s->merge->capture;
	const char *why = c->damage.n < DAMAGE_KEPT
				  ? arena_printf(&c->arena, "CPU %u: %s", s->cpu, what)
				  : what;
	capture_damage(c, 0, why);
}

static void release(struct dat_stream *s)
{
	s->merge->file->held -= s->room;
	free(s->buf);
	s->buf = NULL;
	s->n = s->pos = s->room = 0;
}

/* Room for n bytes; false if the CPUs together hold too much (a file made to do so). */
static bool hold(struct dat_stream *s, size_t n)
{
	struct dat_file *f = s->merge->file;
	if (n <= s->room)
		return true;
	if (n > DAT_HELD_MAX - (f->held - s->room))
		return false;
	f->held += n - s->room;
	free(s->buf);
	s->buf = mem_array(n, 1);
	s->room = n;
	return true;
}

/* Reads the next pages as they are. False: no more. */
static bool fill_plain(struct dat_stream *s)
{
	size_t page = s->merge->page_size, want = page > WINDOW ? page : WINDOW / page * page;
	if (s->at >= s->end)
		return false;
	if (want > s->end - s->at)
		want = (size_t)(s->end - s->at);
	if (!hold(s, want)) {
		damage(s, "its pages would take too much memory");
		return false;
	}
	int64_t n = dat_file_read(s->merge->file, s->at, s->buf, want);
	if (n <= 0) {
		damage(s, "its pages cannot be read");
		s->cut = true;
		return false;
	}
	s->at += (uint64_t)n;
	s->n = (size_t)n;
	s->pos = 0;
	if ((size_t)n < want)
		s->end = s->at; /* the file shrank */
	return true;
}

static bool unpack(struct dat_stream *s, const struct dat_chunk *c)
{
	struct dat_file *f = s->merge->file;
	if (!c->n_in || !c->n_out || c->n_in > DAT_CHUNK_MAX || c->n_out > DAT_CHUNK_MAX ||
	    !hold(s, c->n_out))
		return false;
	struct dat_blob cleanup_dat_blob in = { mem_array(c->n_in, 1), c->n_in };
	s->n = c->n_out;
	s->pos = 0;
	return dat_file_all(f, s->at + 8, in.p, in.n) &&
	       f->packing->unpack(in.p, in.n, s->buf, s->n);
}

/* The next chunk that is whole. False: no more. */
static bool fill_packed(struct dat_stream *s)
{
	while (s->chunks) {
		struct dat_chunk c;
		s->chunks--;
		if (!dat_file_chunk(s->merge->file, s->at, s->end, &c)) {
			damage(s,
			       "the file ends within its compressed pages: those before are read");
			s->cut = true;
			s->chunks = 0;
			return false;
		}
		bool ok = unpack(s, &c);
		s->at += 8 + (uint64_t)c.n_in;
		if (ok)
			return true;
		s->n = 0;
		s->lost = s->lost_told = -1;
		damage(s, "a compressed chunk of pages is damaged and left out");
	}
	return false;
}

static void begin_packed(struct dat_stream *s)
{
	const struct dat_file *f = s->merge->file;
	unsigned char head[4];
	if (!f->packing) {
		damage(s, "its pages are compressed in a way that this dwell cannot read");
	} else if (s->end - s->at < sizeof(head) || !dat_file_all(f, s->at, head, sizeof(head))) {
		damage(s, "the file ends before its pages");
		s->cut = true;
	} else {
		s->chunks = dat_u32(head, f->big);
		s->at += sizeof(head);
	}
}

/* What of the pages lies in the file. */
static void begin(struct dat_stream *s)
{
	const struct dat_file *f = s->merge->file;
	uint64_t have = dat_file_within(f, s->at, s->end - s->at);
	s->begun = true;
	if (s->packed) {
		s->end = s->at + have;
		return begin_packed(s);
	}
	if (have == s->end - s->at)
		return;
	s->cut = true;
	s->end = s->at + have / s->merge->page_size * s->merge->page_size;
	damage(s, s->end > s->at ? "the file ends within its pages: those that are whole are read"
				 : "the file ends before its pages");
}

/* Opens the next page that can be read. False: no more. */
static bool next_page(struct dat_stream *s)
{
	if (!s->begun)
		begin(s);
	for (;;) {
		if (s->pos >= s->n && !(s->packed ? fill_packed(s) : fill_plain(s)))
			return false;
		size_t n =
			s->n - s->pos < s->merge->page_size ? s->n - s->pos : s->merge->page_size;
		const unsigned char *p = s->buf + s->pos;
		s->pos += n;
		if (dat_page_open(&s->page, s->merge->layout, p, n))
			break;
		s->lost = s->lost_told = -1;
		damage(s, "a page is damaged and left out");
	}
	if (s->page.lost) {
		bool known = s->page.lost > 0 && s->lost >= 0;
		if (!known || __builtin_add_overflow(s->lost, s->page.lost, &s->lost))
			s->lost = -1;
		known = s->page.lost > 0 && s->lost_told >= 0;
		if (!known || __builtin_add_overflow(s->lost_told, s->page.lost, &s->lost_told))
			s->lost_told = -1;
	}
	return true;
}

/* Sets the next record. False: the CPU has ended. */
static bool advance(struct dat_stream *s)
{
	for (;;) {
		int ret = dat_page_next(&s->page, &s->record);
		if (ret > 0) {
			if (s->merge->shifted)
				s->record.time = dat_shift_time(&s->merge->file->shift, s->cpu,
								s->record.time);
			return true;
		}
		if (ret < 0) {
			s->lost = s->lost_told = -1;
			damage(s, "the rest of a page is damaged and left out");
		}
		s->page.end = s->page.p;
		if (!next_page(s)) {
			release(s);
			return false;
		}
	}
}

static bool before(const struct dat_stream *a, const struct dat_stream *b)
{
	return a->record.time != b->record.time ? a->record.time < b->record.time
						: a->index < b->index;
}

/* Puts the stream at i where it belongs among those below it. */
static void sift_down(struct dat_merge *m, size_t i)
{
	struct dat_stream **h = m->heap.at, *s = h[i];
	for (;;) {
		size_t child = 2 * i + 1;
		if (child >= m->heap.n)
			break;
		if (child + 1 < m->heap.n && before(h[child + 1], h[child]))
			child++;
		if (!before(h[child], s))
			break;
		h[i] = h[child];
		i = child;
	}
	h[i] = s;
}

static void prime(struct dat_merge *m)
{
	m->primed = true;
	vec_each (s, &m->streams) {
		s->empty = !advance(s);
		if (!s->empty)
			vec_push(&m->heap, s);
	}
	for (size_t i = m->heap.n / 2; i-- > 0;)
		sift_down(m, i);
}

struct dat_stream *dat_merge_next(struct dat_merge *m)
{
	if (!m->primed) {
		prime(m);
	} else if (m->heap.n) {
		if (!advance(m->heap.at[0]))
			m->heap.at[0] = m->heap.at[--m->heap.n];
		if (m->heap.n)
			sift_down(m, 0);
	}
	return m->heap.n ? m->heap.at[0] : NULL;
}

void dat_merge_init(struct dat_merge *m, struct dat_file *file, const struct dat_layout *layout,
		    struct capture *capture, const struct dat_buffer *b)
{
	*m = (struct dat_merge){
		.file = file,
		.layout = layout,
		.capture = capture,
		.page_size = b->page_size,
		.shifted = file->shift.cpus.n && !*b->name,
	};
	if (file->shift.cpus.n && *b->name)
		capture_damage(capture, 0,
			       "the times are the guest's: like trace-cmd, dwell shifts those of "
			       "instances not to the host's clock");
	if (b->page_size < PAGE_MIN || b->page_size > PAGE_MAX) {
		capture_damage(capture, 0, "the size of a page is none: no page can be read");
		return;
	}
	vec_each (cpu, &b->cpus) {
		if (cpu->cpu > UINT16_MAX || cpu->size > UINT64_MAX / 2 ||
		    cpu->at > UINT64_MAX / 2) {
			capture_damage(capture, 0, "the pages of a CPU are at no place of a file");
			continue;
		}
		vec_push(&m->streams,
			 ((struct dat_stream){
				 .merge = m,
				 .cpu = cpu->cpu,
				 .index = (uint32_t)m->streams.n,
				 .at = cpu->at,
				 .end = cpu->at + cpu->size + (b->packed ? COUNT_N : 0),
				 .packed = b->packed,
				 .page = { .layout = layout },
			 }));
	}
}

void dat_merge_fini(struct dat_merge *m)
{
	vec_each (s, &m->streams)
		release(s);
	vec_fini(&m->streams);
	vec_fini(&m->heap);
}
