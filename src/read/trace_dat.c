/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "read/trace_dat.h"

#include <errno.h>

#include "read/dat_source.h"

struct trace_dat {
	struct dat_file file;
	struct dat_decoder decoder;
	struct dat_layout layout;
	struct source *source;
	const char *name;
	size_t next; /* buffer */
	bool loaded;
};

bool trace_dat_starts(struct str head)
{
	return head.n >= DAT_MAGIC_N && memcmp(head.p, DAT_MAGIC, DAT_MAGIC_N) == 0;
}

/* "header_page\0", u64 size, text; the events' header that follows has been the same for ever. */
static void load_layout(struct trace_dat *t)
{
	struct dat_blob cleanup_dat_blob b = { 0 };
	dat_file_part(&t->file, DAT_HEADER_INFO, &b);
	struct dat_cursor c = dat_cursor_of(b.p, b.n, t->file.big);
	t->layout = DAT_LAYOUT_64;
	t->layout.big = t->file.big;
	if (b.n) {
		dat_take_str(&c);
		struct str text = dat_take_sized(&c, dat_take_u64(&c));
		if (!c.bad && dat_layout_parse(&t->layout, text)) {
			t->decoder.long_size = t->layout.commit_size;
			return;
		}
	}
	dat_file_damage(&t->file, "the file does not say how its pages are laid out: taken to be "
				  "those of a 64-bit kernel");
	t->decoder.long_size = t->layout.commit_size;
}

struct trace_dat *trace_dat_open(int fd, const char *name, struct names *names, struct err *err)
{
	struct trace_dat *t = mem_alloc(sizeof(*t));
	t->name = name;
	if (dat_file_open(&t->file, fd, name, err)) {
		free(t);
		return NULL;
	}
	dat_decoder_init(&t->decoder, &t->file, names);
	return t;
}

void trace_dat_watch(struct trace_dat *t, struct bytes_watch *w)
{
	t->file.watch = w;
}

void trace_dat_close(struct trace_dat *t)
{
	if (!t)
		return;
	dat_source_close(t->source);
	dat_decoder_fini(&t->decoder);
	dat_file_close(&t->file);
	free(t);
}

/* Clocks that count something else than ns (trace_clocks[].in_ns in kernel/trace/trace.c). */
static bool counts_ticks(const struct dat_file *f, const char *clock)
{
	static const char *const ticks[] = { "counter", "uptime", "x86-tsc", "ppc-tb" };
	for (size_t i = 0; clock && i < sizeof(ticks) / sizeof(ticks[0]); i++) {
		if (strcmp(clock, ticks[i]) == 0)
			return !f->tsc_mult;
	}
	return false;
}

/* "Linux host 6.1.192 x86_64": what headers of text call the kernel is its release. */
static const char *release_of(struct capture *c, const char *uname)
{
	struct str t = str_of(uname);
	for (struct str word = str_word(&t); word.n; word = str_word(&t)) {
		struct str v = word;
		int64_t n;
		if (str_number(&v, &n) && str_starts(v, "."))
			return arena_str(&c->arena, word);
	}
	return NULL;
}

static void fill_header(const struct trace_dat *t, const struct dat_buffer *b, struct capture *c)
{
	const struct dat_file *f = &t->file;
	c->kind = CAPTURE_TRACE;
	c->first_line = 1;
	if (*b->name)
		c->label = arena_str(&c->arena, str_of(b->name));
	c->trace.style = TRACE_STYLE_MAINLINE;
	c->trace.format = "trace-dat";
	c->trace.kernel = f->uname ? release_of(c, f->uname) : NULL;
	c->trace.cpus = f->cpus;
	c->trace.clock_ticks = counts_ticks(f, b->clock ? b->clock : f->clock);
	const char *clock = b->clock ? b->clock : f->clock;
	c->trace.clock = clock ? arena_str(&c->arena, str_of(clock)) : NULL;
	if (b->why)
		capture_damage(c, 0, arena_str(&c->arena, str_of(b->why)));
}

static int open_events(struct trace_dat *t, const struct dat_buffer *b, struct err *err)
{
	if (!t->loaded) {
		load_layout(t);
		t->loaded = true;
		if (!dat_decoder_load(&t->decoder, &t->file))
			return err_set(err, EIO,
				       "'%s' does not say what its events look like: the "
				       "formats of the events are missing",
				       t->name);
	}
	if (b->packed && !t->file.packing)
		return err_set(
			err, ENOTSUP,
			"the pages of '%s' are compressed with '%s', which this dwell cannot "
			"read",
			t->name, t->file.packing_name);
	return 0;
}

/* The top buffer of a file of instances, where nothing was recorded. */
static bool is_unused(const struct trace_dat *t)
{
	const struct dat_buffer *b = &t->file.buffers.at[t->next];
	return t->next + 1 < t->file.buffers.n && !*b->name && !b->text && !b->cpus.n && !b->why;
}

int trace_dat_next(struct trace_dat *t, struct capture *c, struct source **s, int *text,
		   struct err *err)
{
	dat_source_close(t->source);
	t->source = *s = NULL;
	*text = -1;
	if (t->next >= t->file.buffers.n)
		return t->next ? 0
			       : err_set(err, EIO, "'%s' holds no pages of events%s%s", t->name,
					 t->file.damage.n ? ": " : "",
					 t->file.damage.n ? t->file.damage.at[0] : "");
	t->next += is_unused(t);
	const struct dat_buffer *b = &t->file.buffers.at[t->next++];
	if (b->text) {
		*text = dat_file_text(&t->file, b, err);
		return *text < 0 ? *text : 1;
	}
	int ret = open_events(t, b, err);
	if (ret)
		return ret;
	fill_header(t, b, c);
	t->source = *s = dat_source_open(&t->file, &t->decoder, &t->layout, b, c);
	return 1;
}

const char *trace_dat_trouble(const struct trace_dat *t)
{
	return t->file.damage.n ? t->file.damage.at[0] : NULL;
}
